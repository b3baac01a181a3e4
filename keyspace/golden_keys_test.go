package keyspace

import (
	"bytes"
	"math"
	"testing"
)

// goldenEntities are the entities of the golden keys; each is there as current/<name> and as history/<name>@9.
var goldenEntities = map[string]Entity{
	"schema(1)":      SchemaEntity(1),
	"table(2)":       TableEntity(2),
	"view(3)":        ViewEntity(3),
	"column(2,4)":    ColumnEntity(2, 4),
	"partition(2,5)": PartitionEntity(2, 5),
	"file(1,2)":      DataFileEntity(1, 2),
	"delfile(1,3)":   DeleteFileEntity(1, 3),
	"fstat(1,2,4)":   FileColumnStatsEntity(1, 2, 4),
	"tstat(2)":       TableStatsEntity(2),
	"tcstat(2,4)":    TableColumnStatsEntity(2, 4),
	"tag(2)":         TagEntity(2),
	"option(0,0)":    OptionEntity(ScopeGlobal, 0),
	"option(1,7)":    OptionEntity(ScopeSchema, 7),
	"option(2,3)":    OptionEntity(ScopeTable, 3),
	"sort(7,9)":      SortEntity(7, 9),
	"macro(3)":       MacroEntity(3),
	"mapping(4,21)":  MappingEntity(4, 21),
	"index(4,7)":     IndexEntity(4, 7),
}

// goldenKeys are all golden keys, made by the constructors, by their label in keys.tsv.
func goldenKeys(t *testing.T) map[string]Key {
	keys := map[string]Key{
		"sys/format":             FormatKey(),
		"sys/head":               HeadKey(),
		"sys/migration":          MigrationKey(),
		"sys/maintenance_status": MaintenanceStatusKey(),
		"snapshot 42":            SnapshotKey(42),
		"snapshot max":           SnapshotKey(math.MaxUint64),
		"current/gcfile(5)":      GcFileKey(5),

		"inline/schema(7,3)":                InlineSchemaKey(7, 3),
		"inline/live/insert(7,3,11,0)":      InlineInsertKey(7, 3, 11, 0),
		"inline/live/inline_delete(7,9)":    InlineInlineDeleteKey(7, 9),
		"inline/live/file_delete(7,2,9)":    InlineFileDeleteKey(7, 2, 9),
		"inline/arch/insert(7,3,11,0)":      InlineArchivedInsertKey(7, 3, 11, 0),
		"inline/arch/inline_delete(7,9)":    InlineArchivedInlineDeleteKey(7, 9),
		"inline/arch/file_delete(7,2,9)":    InlineArchivedFileDeleteKey(7, 2, 9),
		"inline/file_delete_table(7)":       InlineFileDeleteTableKey(7),
		"inline/chunk_range(7,29)":          InlineChunkRangeKey(7, 29),
		"inline/schema_dropped(7,3)":        InlineSchemaDroppedKey(7, 3),
		"inline/chunk_locator(7,29,3,11,2)": InlineChunkLocatorKey(7, 29, 3, 11, 2),
		"inline/row_tombstone(7,9,12)":      InlineRowTombstoneKey(7, 9, 12),

		"index/unique(1,[BIGINT 7 asc nulls-last])":        IndexUniqueKey(1, canonical(t, bigint(7, ColumnOrder{}))),
		"index/unique(1,[BIGINT 7 desc nulls-last])":       IndexUniqueKey(1, canonical(t, bigint(7, ColumnOrder{Descending: true}))),
		"index/multi(1,[BIGINT 7 asc nulls-last],row 3)":   IndexMultiKey(1, canonical(t, bigint(7, ColumnOrder{})), 3),
		"index/multi(1,[BIGINT -1 asc nulls-first],row 3)": IndexMultiKey(1, canonical(t, bigint(-1, ColumnOrder{NullsFirst: true})), 3),
		"index/multi(1,[NULL nulls-last],row 3)":           IndexMultiKey(1, canonical(t, null(ColumnOrder{})), 3),
		"index/multi(1,[NULL nulls-first],row 3)":          IndexMultiKey(1, canonical(t, null(ColumnOrder{NullsFirst: true})), 3),
		"index/unique(1,['ab','c'])":                       IndexUniqueKey(1, canonical(t, text("ab"), text("c"))),
		"index/multi(1,[BLOB 00 01 41],row 2^56)":          IndexMultiKey(1, canonical(t, blob("\x00\x01A")), 1<<56),
		"index/unique(1,[BOOL true])":                      IndexUniqueKey(1, canonical(t, boolean(true))),
		"index/unique(1,[DOUBLE 1.5])":                     IndexUniqueKey(1, canonical(t, double(1.5))),
		"index/unique(1,[DOUBLE -1.5])":                    IndexUniqueKey(1, canonical(t, double(-1.5))),
		"index/unique(1,[])":                               IndexUniqueKey(1, canonical(t)),

		"schema_version(2,3)":                                       SchemaVersionKey(2, 3),
		"changelog(42)":                                             ChangelogKey(42),
		"name[kind as u64] schema 'main' id 0":                      NameKey(NameOfSchema, 0, "main", 0),
		"name[kind as u64] schema 'sales' id 1":                     NameKey(NameOfSchema, 0, "sales", 1),
		"name[kind as u64] table 'orders' in schema 1 id 2":         NameKey(NameOfTable, 1, "orders", 2),
		"name[kind as u64] table '' in schema 1 id 3":               NameKey(NameOfTable, 1, "", 3),
		"name[kind as u64] table with NUL, U+0001 and e-acute id 4": NameKey(NameOfTable, 1, "a\x00b\x01\u00e9", 4),
		"delete_target(1,2,3)":                                      DeleteTargetKey(1, 2, 3),
	}
	for label, entity := range goldenEntities {
		keys["current/"+label] = entity.Current()
		keys["history/"+label+"@9"] = entity.History(9)
	}
	return keys
}

// column adds one column to a canonical key.
type column func(*CanonicalKeyBuilder)

func bigint(value int64, order ColumnOrder) column {
	return func(b *CanonicalKeyBuilder) { b.Signed(order, value, Width64) }
}
func null(order ColumnOrder) column { return func(b *CanonicalKeyBuilder) { b.Null(order) } }
func text(value string) column {
	return func(b *CanonicalKeyBuilder) { b.Text(ColumnOrder{}, value) }
}
func blob(value string) column {
	return func(b *CanonicalKeyBuilder) { b.Blob(ColumnOrder{}, []byte(value)) }
}
func boolean(value bool) column {
	return func(b *CanonicalKeyBuilder) { b.Bool(ColumnOrder{}, value) }
}
func double(value float64) column {
	return func(b *CanonicalKeyBuilder) { b.Float64(ColumnOrder{}, value) }
}

func canonical(t *testing.T, columns ...column) []byte {
	t.Helper()
	var builder CanonicalKeyBuilder
	for _, add := range columns {
		add(&builder)
	}
	key, err := builder.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestGoldenKeysAreWrittenAndRead(t *testing.T) {
	keys := goldenKeys(t)
	kinds := map[Kind]bool{}
	for _, line := range readGolden(t, "keys.tsv") {
		label, want := line[0], unhex(t, line[1])
		key, found := keys[label]
		if !found {
			t.Errorf("no constructor for %s", label)
			continue
		}
		delete(keys, label)
		kinds[key.Kind()] = true
		if got := key.Bytes(); !bytes.Equal(got, want) {
			t.Errorf("%s: got %x, want %x", label, got, want)
		}
		if got := mustDecodeKey(t, want); got != key {
			t.Errorf("%s: decoded as %s, want %s", label, got, key)
		}
	}
	for label := range keys {
		t.Errorf("keys.tsv lacks %s", label)
	}
	for _, kind := range Kinds() {
		if !kinds[kind] {
			t.Errorf("no golden key of kind %s", kind)
		}
	}
}
