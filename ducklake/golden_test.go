package ducklake

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"moraine/internal/golden"
	"moraine/keyspace"
	"moraine/relation"
	"moraine/store/memory"
)

// goldenLake is a lake that the original wrote, of format 9.
func goldenLake(t *testing.T) *lake {
	t.Helper()
	opened := memory.NewStore()
	golden.Fill(t, opened, golden.Records(t))
	return openLake(t, opened)
}

// goldenRows gives the rows that the original's own interface shows for a table.
func goldenRows(t *testing.T, catalog map[string]json.RawMessage, table *catalogTable) (rows []relation.Row) {
	t.Helper()
	name := table.name
	if name == "ducklake_snapshot_changes" {
		name = "ducklake_snapshot"
	}
	var objects []map[string]any
	if raw, found := catalog[name]; found {
		decoder := json.NewDecoder(strings.NewReader(string(raw)))
		decoder.UseNumber()
		if err := decoder.Decode(&objects); err != nil {
			t.Fatal(err)
		}
	}
	for _, object := range objects {
		var row relation.Row
		for _, column := range table.standard {
			row = append(row, goldenValue(t, table, column, object))
		}
		rows = append(rows, row)
	}
	return rows
}

func goldenValue(t *testing.T, table *catalogTable, column relation.Column, object map[string]any) relation.Value {
	t.Helper()
	name := column.Name
	switch {
	case column.Type == relation.TimestampTZType:
		name += "_micros"
	case name == "type" && table.name == "ducklake_column_mapping":
		name = "map_type"
	case name == "type":
		name = "macro_type"
	}
	content, found := object[name]
	if !found {
		t.Fatalf("%s: no %s in %v", table.name, name, object)
	}
	switch content := content.(type) {
	case nil:
		return relation.NULL
	case bool:
		return relation.Bool(content)
	case json.Number:
		number, err := content.Int64()
		if err != nil {
			t.Fatal(err)
		}
		if column.Type == relation.TimestampTZType {
			number -= epochMicros
		}
		return relation.Int(number)
	case string:
		if column.Type == relation.UUIDType {
			value, err := parseUUID(content, &arena{})
			if err != nil {
				t.Fatal(err)
			}
			return value
		}
		return relation.Text(content)
	}
	t.Fatalf("%s.%s: %T", table.name, name, content)
	return relation.NULL
}

func TestStoreOfTheOriginalIsServedRowByRow(t *testing.T) {
	lake, catalog := goldenLake(t), golden.Catalog(t)
	reader := lake.begin()
	defer reader.rollback()
	for _, name := range creationOrder {
		table := catalogTables[name]
		var wanted []string
		for _, row := range goldenRows(t, catalog, table) {
			wanted = append(wanted, shownRow(&relation.Definition{Columns: table.standard}, row))
		}
		switch name {
		case metadataTable:
			wanted = append(wanted, `"version","1.0",NULL,NULL`, `"created_by","moraine",NULL,NULL`)
		case registryTable:
			wanted = append(wanted, `5,"ducklake_inlined_data_5_1",1`)
		}
		slices.Sort(wanted)
		if got := reader.rows(name); !slices.Equal(got, wanted) {
			t.Errorf("%s has\n%s\nwanted\n%s", name, strings.Join(got, "\n"), strings.Join(wanted, "\n"))
		}
	}
}

func TestInlinedRowsOfTheOriginalAreServed(t *testing.T) {
	lake := goldenLake(t)
	reader := lake.begin()
	defer reader.rollback()
	if got := reader.find("ducklake_inlined_data_5_1"); len(got) != 5 {
		t.Errorf("%d rows", len(got))
	}
	live := reader.find("ducklake_inlined_data_5_1", where{"end_snapshot", nil})
	var ids []int64
	for _, found := range live {
		ids = append(ids, found.row[rowIDColumn].Int())
	}
	if !slices.Equal(ids, []int64{0, 2, 3, 4}) {
		t.Errorf("live rows %v", ids)
	}
	reader.want("ducklake_inlined_delete_3", []any{0, 9, 18})
	names := []string{}
	definitions, err := reader.domain.Definitions(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, definition := range definitions {
		names = append(names, definition.Name)
	}
	if !slices.Equal(names, append(slices.Clone(creationOrder), "ducklake_inlined_data_5_1", "ducklake_inlined_delete_3")) {
		t.Errorf("introspection shows %v", names)
	}
	shadow, err := reader.domain.Relation(context.Background(), "ducklake_inlined_data_19_14")
	if err != nil || shadow == nil || !shadow.(*inlinedTable).Dropped() || len(reader.find("ducklake_inlined_data_19_14")) != 0 {
		t.Errorf("a dropped table gives %v, %v", shadow, err)
	}
}

// TestRowsOfTheOriginalBecomeItsRecords inserts the rows that the original shows into a new lake and compares the records
// with those that the original has.
func TestRowsOfTheOriginalBecomeItsRecords(t *testing.T) {
	catalog := golden.Catalog(t)
	lake := newLake(t)
	writer := lake.begin().createAll()
	for _, name := range creationOrder {
		rows := goldenRows(t, catalog, catalogTables[name])
		if len(rows) == 0 {
			continue
		}
		if err := writer.relation(name).Insert(context.Background(), rows); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	writer.commit()
	got, wanted := lake.dump(), golden.Records(t)
	for key, value := range golden.Directories(t) {
		wanted[key] = value
	}
	for raw, value := range wanted {
		key, err := keyspace.DecodeKey([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if !comparable(key) {
			delete(got, raw)
			continue
		}
		if normalized(t, key, got[raw]) != normalized(t, key, value) {
			t.Errorf("%s: got %x, wanted %x", key, got[raw], value)
		}
		delete(got, raw)
	}
	for raw := range got {
		if key, err := keyspace.DecodeKey([]byte(raw)); err == nil && comparable(key) {
			t.Errorf("%s: the original has no such record", key)
		}
	}
}

// comparable tells whether a record follows from the rows alone.
func comparable(key keyspace.Key) bool {
	switch key.Kind() {
	case keyspace.KindFormat, keyspace.KindHead, keyspace.KindMaintenanceStatus, keyspace.KindChangelog,
		keyspace.KindCurrentIndex, keyspace.KindHistoryIndex:
		return false
	}
	return key.Kind().Subspace() != keyspace.SubspaceInline && key.Kind().Subspace() != keyspace.SubspaceIndex
}

// normalized leaves out what no row says, and orders what the original writes in any order.
func normalized(t *testing.T, key keyspace.Key, value string) string {
	t.Helper()
	if value == "" {
		return ""
	}
	message, err := keyspace.DecodeValue(key, []byte(value))
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	switch message := message.(type) {
	case *keyspace.SnapshotValue:
		message.SchemaChangedTableIDs, message.DeletedDataFileIDs, message.DeletesUntargetedFiles = nil, nil, false
	case *keyspace.TableValue:
		message.NextColumnID = 0
	case *keyspace.OptionScopeValue:
		slices.SortFunc(message.Options, func(a, b keyspace.OptionEntry) int { return strings.Compare(a.Key, b.Key) })
	case *keyspace.ColumnValue:
		if key.Kind() == keyspace.KindHistoryColumn {
			message.Tags = nil
		}
	}
	return string(keyspace.AppendMessage(nil, message))
}
