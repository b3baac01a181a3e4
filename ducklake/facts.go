package ducklake

import (
	"context"
	"slices"

	"moraine/keyspace"
	"moraine/relation"
)

// facts is what a commit tells later ones, in the record of its snapshot: what their authors compare with their own
// changes (RFC 0004).
type facts struct {
	minted bool
	// snapshot is the newest snapshot that the commit inserts.
	snapshot uint64
	// schemaChanged are, by snapshot, the tables and views that get a schema version that begins there: at the commit's own
	// snapshot, and at earlier ones when a catalog is migrated or copied.
	schemaChanged map[uint64][]uint64
	// deletedFrom are the data files that the commit's delete files are for.
	deletedFrom []uint64
	// untargeted tells that rows were deleted otherwise too: inlined rows, inlined deletions, whole data files.
	untargeted bool
}

// gatherFacts reads the facts off the rows that the transaction wrote.
func (t *transaction) gatherFacts() facts {
	facts := facts{schemaChanged: map[uint64][]uint64{}}
	for _, id := range t.insertedNumbers(snapshots.parent, "snapshot_id") {
		facts.minted, facts.snapshot = true, max(facts.snapshot, id)
	}
	t.eachInserted(schemaVersions.parent, func(layout *layout, row relation.Row) {
		begin, table := layout.value(row, "begin_snapshot"), layout.value(row, "table_id")
		if !begin.IsNull() && begin.Int() >= 0 && !table.IsNull() && table.Int() >= 0 {
			snapshot := uint64(begin.Int())
			facts.schemaChanged[snapshot] = append(facts.schemaChanged[snapshot], uint64(table.Int()))
		}
	})
	if !facts.minted {
		return facts
	}
	facts.deletedFrom = ascending(t.insertedNumbers(deleteFiles.parent, "data_file_id"))
	facts.untargeted = t.endsDataFiles(facts.snapshot, facts.deletedFrom) || t.deletesInlined()
	return facts
}

// nameChanged adds what has a new schema version to the record of a snapshot.
func (f *facts) nameChanged(snapshot *keyspace.SnapshotValue) {
	if changed := f.schemaChanged[snapshot.SnapshotID]; len(changed) > 0 {
		snapshot.SchemaChangedTableIDs = ascending(append(slices.Clone(snapshot.SchemaChangedTableIDs), changed...))
		delete(f.schemaChanged, snapshot.SnapshotID)
	}
}

// complete fills in the record of a new snapshot.
func (f *facts) complete(snapshot *keyspace.SnapshotValue) {
	if !f.minted || snapshot.SnapshotID != f.snapshot {
		return
	}
	snapshot.DeletedDataFileIDs = f.deletedFrom
	// Without named data files a delete counts for the whole table anyway.
	snapshot.DeletesUntargetedFiles = f.untargeted && len(f.deletedFrom) > 0
}

// nameEarlierChanged does so for the snapshots whose rows the commit leaves as they are.
func (s *staging) nameEarlierChanged(ctx context.Context) error {
	for _, id := range sortedIDs(s.facts.schemaChanged) {
		var snapshot keyspace.SnapshotValue
		found, err := readMessage(ctx, s.latest, keyspace.SnapshotKey(id), &snapshot)
		if err != nil {
			return err
		}
		if found {
			s.facts.nameChanged(&snapshot)
			s.put(keyspace.SnapshotKey(id), &snapshot)
		}
	}
	return nil
}

// eachInserted visits the rows that the transaction inserted into a table.
func (t *transaction) eachInserted(table *catalogTable, visit func(*layout, relation.Row)) {
	opened := t.tables[table.name]
	if opened == nil {
		return
	}
	for _, row := range opened.Inserted() {
		visit(opened.definition.layout, row)
	}
}

// insertedNumbers gives the ids in a column of the inserted rows, in their order.
func (t *transaction) insertedNumbers(table *catalogTable, column string) (ids []uint64) {
	t.eachInserted(table, func(layout *layout, row relation.Row) {
		if value := layout.value(row, column); !value.IsNull() && value.Int() >= 0 {
			ids = append(ids, uint64(value.Int()))
		}
	})
	return ids
}

// endsDataFiles tells whether the commit ends data files other than those given.
func (t *transaction) endsDataFiles(snapshot uint64, except []uint64) bool {
	opened := t.tables[dataFiles.parent.name]
	if opened == nil {
		return false
	}
	layout := opened.definition.layout
	for _, change := range opened.Changes() {
		if change.Row == nil || layout.value(change.Row, endColumn) != relation.Int(int64(snapshot)) {
			continue
		}
		if !slices.Contains(except, uint64(layout.value(change.Row, "data_file_id").Int())) {
			return true
		}
	}
	return false
}

func ascending(ids []uint64) []uint64 {
	slices.Sort(ids)
	return slices.Compact(ids)
}
