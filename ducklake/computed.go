package ducklake

import (
	"context"

	"moraine/ducklake/guard"
	"moraine/keyspace"
	"moraine/relation"
)

// computation is what the reads of a transaction, before it inserts a snapshot, tell about the state that its deletes were
// computed on.
type computation struct {
	readsFiles bool // or delete files, or inlined rows
	// asked is the smallest snapshot after which changes were asked for.
	asked keyspace.Optional[uint64]
}

// note notes a scan that may tell.
func (c *computation) note(table *catalogTable, layout *layout, request *relation.ScanRequest) {
	switch table {
	case snapshots.children[0]:
		since, ok := greaterThan(layout, request.Predicates, "snapshot_id")
		if ok && onlyChanges(layout, request) && (!c.asked.Set || since < c.asked.Value) {
			c.asked = keyspace.Some(since)
		}
	case dataFiles.parent, deleteFiles.parent:
		// DuckLake asks for what has begun and ended since a snapshot, too, to find what is in the way of a commit.
		_, begun := greaterThan(layout, request.Predicates, "begin_snapshot")
		_, ended := greaterThan(layout, request.Predicates, endColumn)
		c.readsFiles = c.readsFiles || !begun && !ended
	}
}

// onlyChanges tells whether a scan asks just for changes_made after a snapshot: a query about the history of the lake asks
// for more.
func onlyChanges(layout *layout, request *relation.ScanRequest) bool {
	for _, ordinal := range request.Columns {
		if name := layout.columns[ordinal].Name; name != "snapshot_id" && name != "changes_made" {
			return false
		}
	}
	return len(request.Predicates) == 1
}

// greaterThan gives the number that a column must be greater than.
func greaterThan(layout *layout, predicates []relation.Predicate, column string) (uint64, bool) {
	ordinal := ordinalOf(layout.columns, column)
	for i := range predicates {
		predicate := &predicates[i]
		if predicate.Column == ordinal && predicate.Comparison == relation.Greater && predicate.Values[0].Int() >= 0 {
			return uint64(predicate.Values[0].Int()), true
		}
	}
	return 0, false
}

// describe tells the guards.
func (c *computation) describe(ctx context.Context, t *transaction, commit *guard.Commit) error {
	reader, err := t.environment.Snapshot(ctx)
	if err != nil {
		return err
	}
	var head keyspace.HeadValue
	if _, err := readMessage(ctx, reader, keyspace.HeadKey(), &head); err != nil {
		return err
	}
	commit.Read, commit.ReadsFiles, commit.Asked = head.SnapshotID, c.readsFiles, c.asked
	return nil
}

// Scan implements relation.Relation.
func (t *table) Scan(ctx context.Context, request relation.ScanRequest) (relation.Cursor, error) {
	if !t.transaction.minting {
		t.transaction.computation.note(t.definition.table, t.definition.layout, &request)
	}
	return t.Table.Scan(ctx, request)
}

// Scan implements relation.Relation.
func (i *inlinedTable) Scan(ctx context.Context, request relation.ScanRequest) (relation.Cursor, error) {
	if !i.transaction.minting {
		i.transaction.computation.readsFiles = true
	}
	return i.Table.Scan(ctx, request)
}
