package ducklake

import (
	"context"
	"fmt"
	"testing"

	"moraine/keyspace"
	"moraine/relation"
	"moraine/store"
	"moraine/store/pebble"
)

// benchmarkLake is a lake on Pebble with files of two tables, each with statistics of as many columns.
func benchmarkLake(b *testing.B, files, columns int) (*lake, func()) {
	b.Helper()
	engine, err := pebble.Open(b.TempDir(), pebble.Options{})
	if err != nil {
		b.Fatal(err)
	}
	path := store.Path{Database: "moraine", Schema: "public"}
	for _, created := range []store.Path{{Database: path.Database}, path} {
		if err := engine.Create(context.Background(), created); err != nil {
			b.Fatal(err)
		}
	}
	opened, err := engine.Open(context.Background(), path)
	if err != nil {
		b.Fatal(err)
	}
	l := &lake{t: &testing.T{}, store: opened, oids: map[string]uint32{}, locks: map[string]uint64{}}
	snapshot, err := opened.Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	if l.catalog, err = Open(context.Background(), snapshot, store.Path{Database: "lakes", Schema: "public"}); err != nil {
		b.Fatal(err)
	}
	snapshot.Close()
	l.begin().genesis().commit()
	fillStatistics(b, l, files, columns)
	return l, func() {
		opened.Close()
		engine.Close()
	}
}

func fillStatistics(b *testing.B, l *lake, files, columns int) {
	batch := &store.Batch{}
	for file := range files {
		id := uint64(file)
		batch.Put(keyspace.DataFileEntity(1, id).Current().Bytes(), keyspace.AppendMessage(nil, &keyspace.DataFileValue{
			DataFileID: id, TableID: 1, BeginSnapshot: 1, Path: fmt.Sprintf("ducklake-%08d.parquet", file), PathIsRelative: true,
			FileFormat: "parquet", RecordCount: 1000, FileSizeBytes: 100_000, FooterSize: 500,
		}))
		for column := range columns {
			batch.Put(keyspace.FileColumnStatsEntity(1, id, uint64(column+1)).Current().Bytes(), keyspace.AppendMessage(nil, &keyspace.FileColumnStatsValue{
				DataFileID: id, TableID: 1, ColumnID: uint64(column + 1), ColumnSizeBytes: 1000, ValueCount: 1000,
				MinValue: keyspace.Some(fmt.Sprint(file * 1000)), MaxValue: keyspace.Some(fmt.Sprint(file*1000 + 999)),
			}))
		}
		if batch.Size() > 4<<20 {
			if err := l.store.Commit(context.Background(), batch); err != nil {
				b.Fatal(err)
			}
			batch = &store.Batch{}
		}
	}
	if err := l.store.Commit(context.Background(), batch); err != nil {
		b.Fatal(err)
	}
}

func scanAll(b *testing.B, c *client, table string, columns []string, predicates []relation.Predicate) (rows int) {
	found := c.relation(table)
	request := relation.ScanRequest{Predicates: predicates}
	for _, name := range columns {
		request.Columns = append(request.Columns, found.Definition().Ordinal(name))
	}
	cursor, err := found.Scan(context.Background(), request)
	if err != nil {
		b.Fatal(err)
	}
	defer cursor.Close()
	for {
		batch, err := cursor.Next(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		if batch == nil {
			return rows
		}
		rows += batch.Length
	}
}

func equal(column int, value int64) relation.Predicate {
	return relation.Predicate{Column: column, Comparison: relation.Equal, Values: []relation.Value{relation.Int(value)}}
}

func BenchmarkStatisticsOfOneColumn(b *testing.B) {
	for _, columns := range []int{3, 20, 100} {
		b.Run(fmt.Sprint(columns), func(b *testing.B) {
			l, closeLake := benchmarkLake(b, 20_000, columns)
			defer closeLake()
			c := l.begin()
			defer c.rollback()
			for b.Loop() {
				rows := scanAll(b, c, "ducklake_file_column_stats", []string{"data_file_id", "value_count", "min_value", "max_value"},
					[]relation.Predicate{equal(2, 2), equal(1, 1)})
				if rows != 20_000 {
					b.Fatal(rows)
				}
			}
		})
	}
}

func BenchmarkScanOfDataFiles(b *testing.B) {
	l, closeLake := benchmarkLake(b, 100_000, 0)
	defer closeLake()
	c := l.begin()
	defer c.rollback()
	for b.Loop() {
		rows := scanAll(b, c, "ducklake_data_file", []string{"data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size", "row_id_start", "begin_snapshot", "partial_max", "mapping_id"}, []relation.Predicate{equal(1, 1)})
		if rows != 100_000 {
			b.Fatal(rows)
		}
	}
}

func BenchmarkDefinitionsOfInlinedTables(b *testing.B) {
	l, closeLake := benchmarkLake(b, 0, 0)
	defer closeLake()
	c := l.begin()
	for table := range 1000 {
		c.create(inlinedDefinition(inlinedID{table: uint64(table), version: 1}.name()))
	}
	c.commit()
	for b.Loop() {
		c := l.begin()
		definitions, err := c.domain.Definitions(context.Background())
		if err != nil || len(definitions) != 1000+len(creationOrder) {
			b.Fatal(len(definitions), err)
		}
		c.rollback()
	}
}

// BenchmarkCommitOfOneInlinedRow is the work of the smallest commit, without the store's.
func BenchmarkCommitOfOneInlinedRow(b *testing.B) {
	for _, files := range []int{10, 100_000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			l, closeLake := benchmarkLake(b, files, 0)
			defer closeLake()
			c := l.begin()
			c.create(inlinedDefinition("ducklake_inlined_data_7_1"))
			c.insert("ducklake_table_stats", 7, 1, 1, 1)
			c.insert("ducklake_table_column_stats", 7, 1, false, nil, "1", "2", nil)
			c.commit()
			for b.Loop() {
				c := l.begin()
				c.mint(int(l.commits) + 1)
				c.update("ducklake_table_stats", "record_count", int64(l.commits), where{"table_id", 7})
				c.update("ducklake_table_column_stats", "max_value", fmt.Sprint(l.commits), where{"table_id", 7}, where{"column_id", 1})
				c.insert("ducklake_inlined_data_7_1", inlinedRowOf(int(l.commits), int(l.commits)+1, nil)...)
				c.stage()
				c.rollback()
			}
		})
	}
}

// BenchmarkRowsOfIdentities reads rows of one chunk by their identities, as DELETE ... WHERE ctid IN (...) does.
func BenchmarkRowsOfIdentities(b *testing.B) {
	const rows, name = 2000, "ducklake_inlined_data_7_1"
	l, closeLake := benchmarkLake(b, 0, 0)
	defer closeLake()
	c := l.begin()
	c.create(inlinedDefinition(name))
	for row := range rows {
		c.insert(name, inlinedRowOf(row, 1, nil)...)
	}
	c.commit()
	c = l.begin()
	defer c.rollback()
	var identities []relation.RowIdentity
	for _, found := range c.find(name) {
		identities = append(identities, found.identity)
	}
	for b.Loop() {
		found := 0
		c.scan(c.relation(name), relation.ScanRequest{Columns: []int{0}, Identities: identities}, func(*relation.Batch, int) { found++ })
		if found != rows {
			b.Fatal(found)
		}
	}
}
