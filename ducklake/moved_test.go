package ducklake

import (
	"context"
	"testing"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

// A commit can move a row that it does not change: an embedded one whose record goes, an inlined one that tombstones cannot
// describe any more. A transaction that has changed such a row on an older snapshot must not lose its change.
func TestAChangeOfARowThatHasMovedIsRefused(t *testing.T) {
	const inlined = "ducklake_inlined_data_7_1"
	for _, test := range []struct {
		name   string
		setup  func(c *client)
		move   func(c *client)
		change func(c *client)
	}{
		{
			"delete of an embedded row",
			func(c *client) { c.macro() },
			func(c *client) { c.delete("ducklake_macro", where{"macro_id", 3}) },
			func(c *client) { c.delete("ducklake_macro_impl", where{"macro_id", 3}) },
		},
		{
			"update of an embedded row",
			func(c *client) { c.macro() },
			func(c *client) { c.update("ducklake_macro", "macro_id", 4, where{"macro_id", 3}) },
			func(c *client) { c.update("ducklake_macro_impl", "sql", "two", where{"macro_id", 3}) },
		},
		{
			"update of an inlined row",
			func(c *client) {
				c.create(inlinedDefinition(inlined))
				c.insert(inlined, inlinedRowOf(0, 1, nil)...)
				c.insert(inlined, inlinedRowOf(0, 3, nil)...)
			},
			func(c *client) { c.update(inlined, "end_snapshot", 5, where{"begin_snapshot", 1}) },
			func(c *client) { c.update(inlined, "end_snapshot", 4, where{"begin_snapshot", 3}) },
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := startedLake(t)
			setup := l.begin()
			test.setup(setup)
			setup.commit()
			late := l.begin()
			late.find("ducklake_snapshot")
			mover := l.begin()
			test.move(mover)
			mover.commit()
			test.change(late)
			latest := l.snapshot()
			defer latest.Close()
			if err := late.domain.Stage(context.Background(), latest, &store.Batch{}); !pgerror.HasCode(err, pgerror.SerializationFailure) {
				t.Errorf("got %v", err)
			}
			late.rollback()
		})
	}
}

// Rows of a table of inlined data that was dropped meanwhile would be there again in the next table of that name.
func TestRowsForADroppedInlinedTableAreRefused(t *testing.T) {
	for _, test := range []struct {
		definition *relation.Definition
		row        []any
	}{
		{inlinedDefinition("ducklake_inlined_data_7_1"), inlinedRowOf(0, 1, nil)},
		{&relation.Definition{Name: "ducklake_inlined_delete_7", Columns: deletionCodec.columns()}, []any{1, 2, 3}},
	} {
		name := test.definition.Name
		t.Run(name, func(t *testing.T) {
			l := startedLake(t)
			create := func() {
				c := l.begin()
				c.create(test.definition)
				c.commit()
			}
			create()
			late := l.begin()
			late.insert(name, test.row...)
			dropper := l.begin()
			if err := dropper.domain.DropTable(context.Background(), name); err != nil {
				t.Fatal(err)
			}
			dropper.commit()
			latest := l.snapshot()
			defer latest.Close()
			if err := late.domain.Stage(context.Background(), latest, &store.Batch{}); !pgerror.HasCode(err, pgerror.SerializationFailure) {
				t.Errorf("got %v", err)
			}
			late.rollback()
			create()
			reader := l.begin()
			defer reader.rollback()
			reader.want(name)
		})
	}
}

func (c *client) macro() {
	c.insert("ducklake_macro", 0, 3, "m", 1, nil)
	c.insert("ducklake_macro_impl", 3, 0, "duckdb", "one", "scalar")
}
