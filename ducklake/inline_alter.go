package ducklake

import (
	"context"

	"moraine/overlay"
	"moraine/pgerror"
	"moraine/relation"
)

// alterInlined gives the head columns of an inlined table other names, as DuckLake does when it brings a catalog to version
// 1.1. Rows stay where they are.
func (t *transaction) alterInlined(ctx context.Context, name string, definition *relation.Definition) error {
	before, err := t.inlinedTable(ctx, name)
	if err != nil {
		return err
	}
	if before == nil || before.shadow {
		return undefinedTable(name)
	}
	schema, ok, err := newInlinedSchema(definition)
	if err != nil {
		return err
	}
	if before.schema == nil || !ok || !renamesHeadOnly(before.Definition(), definition) {
		return pgerror.Unsupported("ALTER TABLE of an inlined-data table, but for the names that DuckLake gives its first columns,")
	}
	if err := t.changeDefinitions(ctx, name); err != nil {
		return err
	}
	altered := t.newInlined(name, before.id, schema)
	altered.reader, altered.stored, altered.present, altered.emptied = before.reader, before.stored, before.present, before.emptied
	altered.renamed = true
	var base overlay.Base = overlay.NoRows{}
	if before.stored && !before.emptied {
		base = t.inlinedBase(altered, t.environment.Snapshot)
	}
	altered.Table = before.Derive(altered.describe(t.environment), base, func(row relation.Row) relation.Row { return row })
	t.replaceInlined(name, altered)
	return nil
}

// renamesHeadOnly tells whether two definitions differ in nothing but the names of the head columns.
func renamesHeadOnly(before, after *relation.Definition) bool {
	if after.Name != before.Name || after.Comment != before.Comment || len(after.Columns) != len(before.Columns) {
		return false
	}
	for i, column := range after.Columns {
		if i < headColumns {
			column.Name = before.Columns[i].Name
		}
		if column != before.Columns[i] {
			return false
		}
	}
	return true
}
