package ducklake

import (
	"context"
	"strconv"

	"moraine/keyspace"
	"moraine/overlay"
	"moraine/relation"
	"moraine/store"
)

func inlinedDeleteName(table uint64) string {
	return inlinedDeletePrefix + strconv.FormatUint(table, 10)
}

type deletionRow = embeddedRow[keyspace.InlineFileDeleteValue, keyspace.InlineFileDeleteValue]

var deletionCodec = keyedRows[keyspace.InlineFileDeleteValue, *keyspace.InlineFileDeleteValue](
	func(m *keyspace.InlineFileDeleteValue) *keyspace.RowExtension { return &m.Extension },
	keyNumber("file_id", func(r *deletionRow) uint64 { return r.ids[0] }),
	keyNumber("row_id", func(r *deletionRow) uint64 { return r.ids[1] }),
	number("begin_snapshot", func(r *deletionRow) *uint64 { return &r.child.BeginSnapshot }),
)

// deletionsOf makes the catalog table of the deletions of one table's data files: a family of its own, of the records
// whose keys start with the table's id.
func deletionsOf(name string, table uint64) *catalogTable {
	deletions := &catalogTable{
		name: name, identity: []string{"file_id", "row_id"}, selective: []string{"file_id"},
		scope: []uint64{table}, codec: deletionCodec,
	}
	unversionedFamily(keyspace.KindInlineFileDelete).of(deletions)
	deletions.prepare()
	return deletions
}

// isDeletions tells whether a definition is that of a table of deletions.
func isDeletions(definition *relation.Definition) bool {
	columns := deletionCodec.columns()
	if len(definition.Columns) != len(columns) || len(definition.Constraints) > 0 {
		return false
	}
	for i, column := range definition.Columns {
		if column.Name != columns[i].Name || column.Type != columns[i].Type || column.NotNull || column.Default != "" {
			return false
		}
	}
	return true
}

func deletionsDefinition(name string, environment overlay.Environment) *relation.Definition {
	table, _ := inlinedDeleteIDOf(name)
	definition := relation.Definition{Name: name, Columns: deletionCodec.columns()}
	return newTableDefinition(deletionsOf(name, table), 0, definition, environment).definition
}

// openDeletions opens a table of deletions; nil when the state has none. It exists from its first row on until it is
// dropped, whatever it holds (RFC 0005): a marker says so.
func (t *transaction) openDeletions(ctx context.Context, reader store.Reader, name string, table uint64) (*inlinedTable, error) {
	found, err := readMessage(ctx, reader, keyspace.InlineFileDeleteTableKey(table), &keyspace.InlineFileDeleteTableValue{})
	if err != nil || !found {
		return nil, err
	}
	opened := t.newInlined(name, inlinedID{table: table}, nil)
	opened.reader, opened.stored, opened.present = reader, true, true
	opened.Table = overlay.NewTable(opened.describe(t.environment), t.environment, t.deletionsBase(opened), t.memory)
	return opened, nil
}

func (t *transaction) deletionsBase(opened *inlinedTable) *recordBase {
	table := deletionsOf(opened.name, opened.id.table)
	return &recordBase{
		transaction: t, table: table, layout: table.standardLayout, snapshot: t.environment.Snapshot,
		refuge: newRefuge(table, opened.rows, t.environment.Snapshot, t.catalog.noRefuge),
	}
}

// deletions stages the changes of a table of deletions.
func (s *staging) deletions(ctx context.Context, opened *inlinedTable) error {
	catalogTable := deletionsOf(opened.name, opened.id.table)
	layout := catalogTable.standardLayout
	changed := &member{table: catalogTable, changes: opened.Table, stored: layout, wanted: layout, rows: opened.rows}
	if opened.emptied {
		changed.change = &redefinition{}
	}
	marker := keyspace.InlineFileDeleteTableKey(opened.id.table)
	switch {
	case opened.present && !opened.stored:
		s.put(marker, &keyspace.InlineFileDeleteTableValue{})
	case opened.stored && !opened.present:
		s.batch.Delete(marker.Bytes())
	}
	return s.stageFamily(ctx, catalogTable.family, []*member{changed})
}
