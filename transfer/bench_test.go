package transfer

import (
	"fmt"
	"strconv"
	"testing"

	"moraine/keyspace"
	"moraine/store"
)

// lakeOfFiles fills a lake with data files and their statistics of nine columns, as many records as asked for.
func lakeOfFiles(b *testing.B, engine store.Engine, path store.Path, count int) {
	b.Helper()
	for _, made := range []store.Path{{Database: path.Database}, path} {
		if err := engine.Create(b.Context(), made); err != nil {
			b.Fatal(err)
		}
	}
	lake, err := engine.Open(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	defer lake.Close()
	writer := newBatchWriter(lake, DefaultBatchSize)
	put := func(entity keyspace.Entity, message keyspace.Message) {
		writer.put(entity.Current().Bytes(), keyspace.AppendMessage(nil, message))
		if err := writer.flushFull(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	for file := range uint64(count / 10) {
		put(keyspace.DataFileEntity(1, file), &keyspace.DataFileValue{
			TableID: 1, DataFileID: file, BeginSnapshot: file, Path: fmt.Sprintf("ducklake-019ad5c4-%012d.parquet", file),
			PathIsRelative: true, FileFormat: "parquet", RecordCount: 100_000, FileSizeBytes: 5_000_000,
		})
		for column := range uint64(9) {
			put(keyspace.FileColumnStatsEntity(1, file, column), &keyspace.FileColumnStatsValue{
				TableID: 1, DataFileID: file, ColumnID: column,
				MinValue: keyspace.Some(strconv.FormatUint(file*7919, 10)), MaxValue: keyspace.Some(strconv.FormatUint(file*7920+99, 10)),
			})
		}
	}
	if err := writer.flush(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCopy copies lakes between the engines that keep them.
func BenchmarkCopy(b *testing.B) {
	for from, openSource := range engines {
		for to, openTarget := range engines {
			if from == "memory" || to == "memory" {
				continue
			}
			for _, count := range []int{100_000, 1_000_000} {
				b.Run(fmt.Sprintf("%s to %s/%d", from, to, count), func(b *testing.B) {
					source := openSource(b)
					lakeOfFiles(b, source, publicPath, count)
					for b.Loop() {
						results, err := Copy(b.Context(), source, openTarget(b), Options{Source: "there"})
						if err != nil {
							b.Fatal(err)
						}
						b.SetBytes(results[0].Census.Bytes)
					}
				})
			}
		}
	}
}
