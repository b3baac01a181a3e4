package check

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"testing"

	"moraine/keyspace"
	"moraine/store"
	"moraine/store/pebble"
)

// BenchmarkCheck checks a table of MORAINE_CHECK_FILES data files (100 000 without it) with statistics of 10 columns each, on
// disk. It reports the memory that the check held at its end besides what was there before.
func BenchmarkCheck(b *testing.B) {
	files := uint64(100_000)
	if text := os.Getenv("MORAINE_CHECK_FILES"); text != "" {
		parsed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		files = parsed
	}
	ctx := context.Background()
	engine, err := pebble.Open(b.TempDir(), pebble.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer engine.Close()
	for _, path := range []store.Path{{Database: "bench"}, {Database: "bench", Schema: "public"}} {
		if err := engine.Create(ctx, path); err != nil {
			b.Fatal(err)
		}
	}
	opened, err := engine.Open(ctx, store.Path{Database: "bench", Schema: "public"})
	if err != nil {
		b.Fatal(err)
	}
	defer opened.Close()
	fillLake(b, opened, files)
	snapshot, err := opened.Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	defer snapshot.Close()
	b.ReportAllocs()
	for b.Loop() {
		if findings, err := Run(ctx, snapshot); err != nil || len(findings) > 0 {
			b.Fatal(err, describe(findings))
		}
	}
	b.StopTimer()
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapSys-after.HeapReleased)/(1<<20), "heap-MiB")
}

// columnsOfBenchmark is the number of columns of the table.
const columnsOfBenchmark = 10

// fillLake makes one table with so many data files.
func fillLake(b *testing.B, opened store.Store, files uint64) {
	b.Helper()
	const rows, bytes, perCommit = 1000, 20_000, 2000
	lake := &testLake{TB: b, store: opened, batch: &store.Batch{}}
	lake.put(keyspace.FormatKey(), &keyspace.FormatValue{FormatVersion: keyspace.NewestFormat})
	lake.put(keyspace.HeadKey(), &keyspace.HeadValue{SnapshotID: 1, BatchSequence: 1})
	lake.put(keyspace.SnapshotKey(1), &keyspace.SnapshotValue{SnapshotID: 1, NextCatalogID: 2, NextFileID: files})
	lake.put(keyspace.OptionEntity(keyspace.ScopeGlobal, 0).Current(), &keyspace.OptionScopeValue{})
	lake.put(keyspace.SchemaEntity(0).Current(), &keyspace.SchemaValue{SchemaName: "main"})
	lake.put(keyspace.NameKey(keyspace.NameOfSchema, 0, "main", 0), &keyspace.EmptyValue{})
	lake.put(keyspace.TableEntity(1).Current(), &keyspace.TableValue{TableID: 1, TableName: "t"})
	lake.put(keyspace.NameKey(keyspace.NameOfTable, 0, "t", 1), &keyspace.EmptyValue{})
	lake.put(keyspace.TableStatsEntity(1).Current(), &keyspace.TableStatsValue{
		TableID: 1, RecordCount: files * rows, NextRowID: files * rows, FileSizeBytes: files * bytes,
	})
	for column := range uint64(columnsOfBenchmark) {
		lake.put(keyspace.ColumnEntity(1, column+1).Current(), &keyspace.ColumnValue{
			TableID: 1, ColumnID: column + 1, ColumnName: "c" + strconv.FormatUint(column, 10),
		})
	}
	for file := range files {
		lake.put(keyspace.DataFileEntity(1, file).Current(), &keyspace.DataFileValue{
			TableID: 1, DataFileID: file, BeginSnapshot: 1, Path: "ducklake-01a22c02-ded4-71eb-8dfd-6f55e3fa1a06.parquet",
			RecordCount: rows, FileSizeBytes: bytes, RowIDStart: keyspace.Some(file * rows),
		})
		for column := range uint64(columnsOfBenchmark) {
			lake.put(keyspace.FileColumnStatsEntity(1, file, column+1).Current(), &keyspace.FileColumnStatsValue{
				TableID: 1, DataFileID: file, ColumnID: column + 1, ValueCount: rows,
				MinValue: keyspace.Some("2026-01-01 00:00:00"), MaxValue: keyspace.Some("2026-01-02 00:00:00"),
			})
		}
		if file%perCommit == perCommit-1 {
			lake.commit()
		}
	}
	lake.commit()
}
