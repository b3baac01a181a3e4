package ducklake

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"

	"moraine/keyspace"
	"moraine/pgerror"
	"moraine/relation"
)

func TestStandardTablesAreThoseOfDuckLake(t *testing.T) {
	file, err := os.Open("testdata/ducklake_columns.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	types := map[string]relation.Type{
		"BIGINT": relation.Int8Type, "VARCHAR": relation.VarcharType, "BOOLEAN": relation.BoolType, "UUID": relation.UUIDType,
		"TIMESTAMPTZ": relation.TimestampTZType,
	}
	expected := map[string][]relation.Column{}
	scanner := bufio.NewScanner(file)
	scanner.Scan()
	for scanner.Scan() {
		parts := strings.Split(scanner.Text(), "\t")
		expected[parts[0]] = append(expected[parts[0]], relation.Column{
			Name: parts[1], Type: types[parts[2]], NotNull: parts[3] == "true", Number: int16(len(expected[parts[0]]) + 1),
		})
	}
	if len(catalogTables) != len(expected) || len(creationOrder) != len(expected) {
		t.Fatalf("%d tables, %d in order, wanted %d", len(catalogTables), len(creationOrder), len(expected))
	}
	for name, columns := range expected {
		if table := catalogTables[name]; table == nil || !slices.Equal(table.standard, columns) {
			t.Errorf("%s: got %v, wanted %v", name, table, columns)
		}
	}
}

func TestGenesisIsOneBatchOfTheOriginalsRecords(t *testing.T) {
	lake := newLake(t)
	lake.begin().genesis().commit()
	records := lake.dump()
	snapshot := &keyspace.SnapshotValue{SnapshotTimeMicros: instantValue + epochMicros, NextCatalogID: 1, ChangesMade: `created_schema:"main"`}
	schema := &keyspace.SchemaValue{
		SchemaUUID: "01a22acb-1aca-7733-9696-d417c3f511f5", SchemaName: "main", Path: "main/", PathIsRelative: true,
	}
	options := &keyspace.OptionScopeValue{Options: []keyspace.OptionEntry{
		{Key: "version", Value: "1.0"}, {Key: "created_by", Value: "DuckDB 17c0ca4ca7"}, {Key: "data_path", Value: "data/"},
		{Key: "encrypted", Value: "false"},
	}}
	expected := map[keyspace.Key]keyspace.Message{
		keyspace.FormatKey():                                  &keyspace.FormatValue{FormatVersion: 12, WriterVersion: keyspace.WriterVersion},
		keyspace.HeadKey():                                    &keyspace.HeadValue{},
		keyspace.SnapshotKey(0):                               snapshot,
		keyspace.SchemaEntity(0).Current():                    schema,
		keyspace.OptionEntity(0, 0).Current():                 options,
		keyspace.NameKey(keyspace.NameOfSchema, 0, "main", 0): &keyspace.EmptyValue{},
	}
	found := 0
	for key := range records {
		if subspace, _ := keyspace.SubspaceOf([]byte(key)); subspace.Catalog() {
			found++
		}
	}
	if found != len(expected) {
		t.Errorf("%d records, wanted %d", found, len(expected))
	}
	for key, message := range expected {
		if got := records[string(key.Bytes())]; got != string(keyspace.AppendMessage(nil, message)) {
			t.Errorf("%s: got %x, wanted %x", key, got, keyspace.AppendMessage(nil, message))
		}
	}
	if records[string(keyspace.HeadKey().Bytes())] != "MRNE\x00" {
		t.Error("the first head is not the bare frame")
	}
}

func TestSnapshotIsClaimedAtTheStatement(t *testing.T) {
	lake := newLake(t)
	lake.begin().genesis().commit()
	one, two := lake.begin(), lake.begin()
	for _, client := range []*client{one, two} {
		client.want("ducklake_snapshot", []any{0, instantValue, 0, 1, 0})
	}
	one.insert("ducklake_snapshot", 1, instantValue, 1, 2, 0)
	one.insert("ducklake_snapshot_changes", 1, "", nil, nil, nil)
	one.commit()
	err := two.tryInsert("ducklake_snapshot", 1, instantValue, 1, 2, 0)
	var known *pgerror.Error
	if known = pgerror.From(err); known.Code != pgerror.UniqueViolation ||
		known.Message != `duplicate key value violates unique constraint "ducklake_snapshot_pkey"` ||
		known.Detail != "Key (snapshot_id)=(1) already exists." || !known.Retried() {
		t.Fatalf("got %v, %q", known, known.Detail)
	}
	if two.tickets != 1 {
		t.Errorf("%d tickets taken", two.tickets)
	}
	two.rollback()
}

func TestEndingAVersionMovesItToHistory(t *testing.T) {
	for _, endFirst := range []bool{true, false} {
		lake := newLake(t)
		lake.begin().genesis().commit()
		first := lake.begin()
		first.insert("ducklake_snapshot", 1, instantValue, 1, 2, 0)
		first.insert("ducklake_table", 1, mainUUID, 1, nil, 0, "test", "test/", true)
		first.insert("ducklake_column", 1, 1, nil, 1, 1, "a", "int32", nil, "NULL", true, nil, "literal", "duckdb")
		first.insert("ducklake_column_tag", 1, 1, 1, nil, "comment", "kept")
		first.commit()
		second := lake.begin()
		second.insert("ducklake_snapshot", 2, instantValue, 2, 2, 0)
		end := func() {
			second.update("ducklake_table", "end_snapshot", 2, where{"table_id", 1}, where{"begin_snapshot", 1})
			second.update("ducklake_column", "end_snapshot", 2, where{"table_id", 1}, where{"begin_snapshot", 1})
		}
		if endFirst {
			end()
		}
		second.insert("ducklake_table", 1, mainUUID, 2, nil, 0, "renamed", "test/", true)
		second.insert("ducklake_column", 1, 2, nil, 1, 1, "b", "int32", nil, "NULL", true, nil, "literal", "duckdb")
		if !endFirst {
			end()
		}
		second.commit()
		reader := lake.begin()
		reader.want("ducklake_table", []any{1, mainUUID, 1, 2, 0, "test", "test/", true}, []any{1, mainUUID, 2, nil, 0, "renamed", "test/", true})
		reader.want("ducklake_column_tag", []any{1, 1, 1, nil, "comment", "kept"})
		reader.rollback()
		records := lake.dump()
		for _, key := range []keyspace.Key{
			keyspace.TableEntity(1).Current(), keyspace.TableEntity(1).History(2),
			keyspace.ColumnEntity(1, 1).Current(), keyspace.ColumnEntity(1, 1).History(2),
			keyspace.NameKey(keyspace.NameOfTable, 0, "renamed", 1),
		} {
			if _, found := records[string(key.Bytes())]; !found {
				t.Errorf("no record %s", key)
			}
		}
		if _, found := records[string(keyspace.NameKey(keyspace.NameOfTable, 0, "test", 1).Bytes())]; found {
			t.Error("the old name is still in the directory")
		}
		var changelog keyspace.ChangelogValue
		if err := keyspace.DecodeMessage([]byte(records[string(keyspace.ChangelogKey(2).Bytes())]), &changelog); err != nil || len(changelog.Keys) != 2 {
			t.Errorf("changelog %v, %v", changelog, err)
		}
	}
}
