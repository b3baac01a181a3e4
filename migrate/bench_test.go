package migrate_test

import (
	"context"
	"fmt"
	"testing"

	"moraine/keyspace"
	"moraine/migrate"
	"moraine/store"
	"moraine/store/engine"
)

// BenchmarkRun migrates a lake of many tables and delete files in a directory.
func BenchmarkRun(b *testing.B) {
	const tables, files = 100_000, 1_000_000
	for b.Loop() {
		b.StopTimer()
		lake, done := largeLake(b, tables, files)
		b.StartTimer()
		if _, err := migrate.Run(context.Background(), lake, migrate.Options{}); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		done()
		b.StartTimer()
	}
}

func largeLake(b *testing.B, tables, files uint64) (lake store.Store, done func()) {
	b.Helper()
	ctx := context.Background()
	opened, err := engine.Open(ctx, b.TempDir(), engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range []store.Path{{Database: goldenPath.Database}, goldenPath} {
		if err := opened.Create(ctx, path); err != nil {
			b.Fatal(err)
		}
	}
	if lake, err = opened.Open(ctx, goldenPath); err != nil {
		b.Fatal(err)
	}
	batch := &store.Batch{}
	put := func(key keyspace.Key, message keyspace.Message) {
		batch.Put(key.Bytes(), keyspace.AppendMessage(nil, message))
		if batch.Len() == 50_000 {
			if err := lake.Commit(ctx, batch); err != nil {
				b.Fatal(err)
			}
			batch = &store.Batch{}
		}
	}
	put(keyspace.HeadKey(), &keyspace.HeadValue{})
	for id := range tables {
		put(keyspace.TableEntity(id).Current(), &keyspace.TableValue{TableID: id, TableName: fmt.Sprintf("table number %d", id), Path: "somewhere/"})
	}
	for id := range files {
		put(keyspace.DeleteFileEntity(id%tables, id).Current(), &keyspace.DeleteFileValue{
			TableID: id % tables, DeleteFileID: id, DataFileID: id, Path: "ducklake-01980e6a-5a5e-7a0b-8c5a-3b8d6f0f1c2d-delete.parquet",
			Format: "parquet", DeleteCount: 10, FileSizeBytes: 1000, FooterSize: 300,
		})
	}
	put(keyspace.FormatKey(), &keyspace.FormatValue{FormatVersion: 9})
	if err := lake.Commit(ctx, batch); err != nil {
		b.Fatal(err)
	}
	return lake, func() {
		if err := lake.Close(); err != nil {
			b.Error(err)
		}
		if err := opened.Close(); err != nil {
			b.Error(err)
		}
	}
}
