package ducklake

import (
	"context"
	"testing"

	"moraine/keyspace"
)

// schemaRecords counts the schema records of inlined tables and their markers.
func (l *lake) schemaRecords() (count int) {
	for raw := range l.dump() {
		key, err := keyspace.DecodeKey([]byte(raw))
		if err == nil && (key.Kind() == keyspace.KindInlineSchema || key.Kind() == keyspace.KindInlineSchemaDropped) {
			count++
		}
	}
	return count
}

func TestSchemasOfInlinedTablesGoWithTheLastVersionOfTheirTable(t *testing.T) {
	l := soundLake(t)
	const name = "ducklake_inlined_data_2_1"
	c := l.begin()
	c.snapshotRows(3, 10, 10, "dropped_table:2")
	c.update("ducklake_table", "end_snapshot", 3, where{"table_id", 2})
	c.mustCommit()
	expire := func(c *client) {
		c.delete("ducklake_inlined_data_tables", where{"table_id", 2})
		if err := c.domain.DropTable(context.Background(), name); err != nil {
			t.Fatal(err)
		}
	}
	flush := l.begin()
	expire(flush)
	flush.commit()
	if got := l.schemaRecords(); got != 2 {
		t.Fatalf("%d records of a table that old snapshots show", got)
	}
	reader := l.begin()
	if rows := reader.find(name); len(rows) != 0 {
		t.Errorf("%d rows", len(rows))
	}
	last := l.begin()
	last.delete("ducklake_table", where{"table_id", 2})
	last.commit()
	if got := l.schemaRecords(); got != 0 {
		t.Errorf("%d records are left", got)
	}
	if rows := reader.find(name); len(rows) != 0 {
		t.Errorf("%d rows in the older snapshot", len(rows))
	}
	reader.rollback()
	l = soundLake(t)
	both := l.begin()
	both.delete("ducklake_table", where{"table_id", 2})
	expire(both)
	both.commit()
	if got := l.schemaRecords(); got != 0 {
		t.Errorf("%d records are left after one transaction", got)
	}
	l = soundLake(t)
	kept := l.begin()
	kept.delete("ducklake_table", where{"table_id", 2})
	kept.commit()
	if got := l.schemaRecords(); got != 1 {
		t.Errorf("%d records of an inlined table that is still there", got)
	}
}
