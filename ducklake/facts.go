package ducklake

import (
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
	// schemaChanged are the tables and views that have a new schema version.
	schemaChanged []uint64
	// deletedFrom are the data files that the commit's delete files are for.
	deletedFrom []uint64
	// untargeted tells that rows were deleted otherwise too: inlined rows, inlined deletions, whole data files.
	untargeted bool
}

// gatherFacts reads the facts off the rows that the transaction wrote.
func (t *transaction) gatherFacts() facts {
	var facts facts
	for _, id := range t.insertedNumbers(snapshots.parent, "snapshot_id") {
		facts.minted, facts.snapshot = true, max(facts.snapshot, id)
	}
	if !facts.minted {
		return facts
	}
	t.eachInserted(schemaVersions.parent, func(layout *layout, row relation.Row) {
		begin, table := layout.value(row, "begin_snapshot"), layout.value(row, "table_id")
		if begin == relation.Int(int64(facts.snapshot)) && !table.IsNull() && table.Int() >= 0 {
			facts.schemaChanged = append(facts.schemaChanged, uint64(table.Int()))
		}
	})
	facts.schemaChanged = ascending(facts.schemaChanged)
	facts.deletedFrom = ascending(t.insertedNumbers(deleteFiles.parent, "data_file_id"))
	facts.untargeted = t.endsDataFiles(facts.snapshot, facts.deletedFrom) || t.deletesInlined()
	return facts
}

// complete fills in the record of a new snapshot.
func (f *facts) complete(snapshot *keyspace.SnapshotValue) {
	if !f.minted || snapshot.SnapshotID != f.snapshot {
		return
	}
	snapshot.SchemaChangedTableIDs = f.schemaChanged
	snapshot.DeletedDataFileIDs = f.deletedFrom
	// Without named data files a delete counts for the whole table anyway.
	snapshot.DeletesUntargetedFiles = f.untargeted && len(f.deletedFrom) > 0
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
