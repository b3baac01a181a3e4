package ducklake

import (
	"context"
	"testing"

	"moraine/keyspace"
	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

func renameColumn(from, to string) func(*relation.Definition) {
	return func(definition *relation.Definition) { definition.Columns[definition.Ordinal(from)].Name = to }
}

// inlinedLake is a lake with a table of inlined rows, of which one is live.
func inlinedLake(t *testing.T, name string) *lake {
	l := startedLake(t)
	c := l.begin().mint(1)
	c.create(inlinedDefinition(name))
	c.insert("ducklake_inlined_data_tables", 7, name, 1)
	c.insert(name, inlinedRowOf(0, 1, nil)...)
	c.commit()
	return l
}

func TestHeadColumnsOfInlinedTablesGetTheNamesOfLaterVersions(t *testing.T) {
	const name = "ducklake_inlined_data_7_1"
	l := inlinedLake(t, name)
	c := l.begin().mint(2)
	c.insert(name, inlinedRowOf(1, 2, nil)...)
	mark := len(c.journal)
	for _, column := range inlinedHead {
		if err := c.alter(name, renameColumn(column.Name, headPrefix+column.Name), nil); err != nil {
			t.Fatal(err)
		}
	}
	c.rollbackTo(mark)
	if got := c.relation(name).Definition().Columns[rowIDColumn].Name; got != "row_id" {
		t.Errorf("after the rollback the row id is called %s", got)
	}
	if err := c.alter(name, renameColumn("row_id", "_ducklake_row_id"), nil); err != nil {
		t.Fatal(err)
	}
	if err := c.alter(name, renameColumn("end_snapshot", "_ducklake_end_snapshot"), nil); err != nil {
		t.Fatal(err)
	}
	next := c.inBoth(func(c *client) {
		c.want(name, inlinedRowOf(0, 1, nil), inlinedRowOf(1, 2, nil))
		for i, wanted := range []string{"_ducklake_row_id", "begin_snapshot", "_ducklake_end_snapshot"} {
			if got := c.relation(name).Definition().Columns[i].Name; got != wanted {
				t.Errorf("column %d is called %s, not %s", i, got, wanted)
			}
		}
	})
	next.update(name, "_ducklake_end_snapshot", 3, where{"_ducklake_row_id", 0})
	next.commit()
	last := l.begin()
	last.want(name, inlinedRowOf(0, 1, 3), inlinedRowOf(1, 2, nil))
	last.want("ducklake_inlined_data_tables", []any{7, name, 1})
}

func TestARenamedSchemaLeavesTheOnesThatReferredToIt(t *testing.T) {
	const name, other, renamed = "ducklake_inlined_data_7_1", "ducklake_inlined_data_7_2", "ducklake_inlined_data_7_10"
	l := inlinedLake(t, name)
	batch := &store.Batch{}
	for _, version := range []uint64{2, 10} {
		batch.Put(keyspace.InlineSchemaKey(7, version).Bytes(),
			keyspace.AppendMessage(nil, &keyspace.InlineSchemaValue{SameAsVersion: keyspace.Some[uint64](1)}))
	}
	if err := l.store.Commit(context.Background(), batch); err != nil {
		t.Fatal(err)
	}
	c := l.begin()
	for _, table := range []string{name, renamed} {
		if err := c.alter(table, renameColumn("row_id", "_ducklake_row_id"), nil); err != nil {
			t.Fatal(err)
		}
	}
	c.commit()
	last := l.begin()
	for table, wanted := range map[string]string{name: "_ducklake_row_id", other: "row_id", renamed: "_ducklake_row_id"} {
		if got := last.relation(table).Definition().Columns[rowIDColumn].Name; got != wanted {
			t.Errorf("the row id of %s is called %s, not %s", table, got, wanted)
		}
	}
}

func TestOtherChangesOfInlinedTablesAreRefused(t *testing.T) {
	const name = "ducklake_inlined_data_7_1"
	for _, test := range []struct {
		title  string
		change func(*relation.Definition)
	}{
		{"another name for a head column", renameColumn("row_id", "rid")},
		{"the name of another head column", renameColumn("row_id", "_ducklake_end_snapshot")},
		{"another name for a user's column", func(definition *relation.Definition) { definition.Columns[headColumns].Name = "other" }},
		{"one more column", addColumn("later", relation.Int8Type)},
		{"another name", func(definition *relation.Definition) { definition.Name = "ducklake_inlined_data_7_2" }},
		{"a comment", func(definition *relation.Definition) { definition.Comment = "ours" }},
	} {
		t.Run(test.title, func(t *testing.T) {
			c := inlinedLake(t, name).begin()
			if err := c.alter(name, test.change, nil); !pgerror.HasCode(err, pgerror.FeatureNotSupported) {
				t.Errorf("error %v", err)
			}
		})
	}
}
