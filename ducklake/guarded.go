package ducklake

import (
	"context"
	"errors"

	"moraine/ducklake/guard"
	"moraine/keyspace"
	"moraine/overlay"
	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

// guardedTables are the tables whose rows the guards look at, besides those of snapshots and inlined data.
var guardedTables = []*catalogTable{
	schemas.parent, tables.parent, views.parent, macros.parent, columns.parent, dataFiles.parent, deleteFiles.parent,
	partitions.parent, sorts.parent, mappings.parent, tableStatistics.parent,
}

// verdict is what the guards have let pass: a count of the transaction's changes, and one of the batches of the state.
type verdict struct {
	given            bool
	changes, batches uint64
}

// watched counts the changes of a transaction, and what takes them back.
type watched struct {
	overlay.Environment
	changes *uint64
}

// Journal implements overlay.Environment. It is called for each change.
func (w watched) Journal(undo func()) {
	*w.changes++
	w.Environment.Journal(func() {
		*w.changes++
		undo()
	})
}

// EndMessage implements overlay.Domain. The guards check the commit at the end of the message that inserted its snapshot
// and what that changes, which is where DuckLake writes all of it, and again before it is staged. Who writes a commit in
// pieces is checked at COMMIT only: the pieces need not make sense.
func (t *transaction) EndMessage(ctx context.Context) error {
	described := len(t.insertedNumbers(snapshots.children[0], "snapshot_id"))
	if described == t.described {
		return nil
	}
	t.described = described
	return t.environment.Latest(ctx, func(latest store.Reader) error { return t.guard(ctx, latest) })
}

// guard refuses a commit that breaks a rule. Changes without a new snapshot are an operator's, and not judged.
func (t *transaction) guard(ctx context.Context, latest store.Reader) error {
	if t.catalog.unguarded {
		return nil
	}
	if !t.minting {
		return t.guardIndexes(ctx, latest)
	}
	batches, err := batchCount(ctx, latest)
	if err != nil {
		return t.corrupt(err)
	}
	if t.passed.given && t.passed.changes == t.changes && t.passed.batches == batches {
		return nil
	}
	commit, err := t.commit(ctx, latest)
	if err != nil {
		return t.corrupt(err)
	}
	if commit == nil {
		return t.guardIndexes(ctx, latest)
	}
	if err := guard.Check(ctx, latest, &t.catalog.names, commit); err != nil {
		return t.refusal(err)
	}
	t.passed = verdict{given: true, changes: t.changes, batches: batches}
	return nil
}

// refusal gives the error of a guard, which names a damaged record but not its lake.
func (t *transaction) refusal(err error) error {
	if errors.Is(err, keyspace.ErrCorrupt) {
		return pgerror.New(pgerror.DataCorrupted, "lake \"%s\": %v", t.environment.Schema(), err).WithCause(err)
	}
	return err
}

// commit gathers what the transaction has written, for the guards; nil when it inserts no snapshot.
func (t *transaction) commit(ctx context.Context, latest store.Reader) (*guard.Commit, error) {
	commit := &guard.Commit{Snapshots: t.insertedSnapshots(), Indexed: t.catalog.indexed}
	if len(commit.Snapshots) == 0 {
		return nil, nil
	}
	format, err := t.catalog.readFormat(ctx, latest)
	if err != nil {
		return nil, err
	}
	commit.Format = format
	if err := t.computation.describe(ctx, t, commit); err != nil {
		return nil, err
	}
	return commit, t.describeChanges(ctx, commit)
}

// describeChanges adds the changes of rows.
func (t *transaction) describeChanges(ctx context.Context, commit *guard.Commit) error {
	for _, table := range guardedTables {
		if opened := t.tables[table.name]; opened != nil {
			commit.Changes = append(commit.Changes, opened.guarded()...)
		}
	}
	t.addMacroKinds(commit)
	return t.addInlined(ctx, commit)
}

// message gives a row as a message, without embedded rows.
func (d *tableDefinition) message(row relation.Row) keyspace.Message {
	message := keyspace.NewMessage(d.table.family.current)
	d.table.codec.write(&record{message: message}, 0, d.layout, row)
	return message
}

// insertedSnapshots gives the snapshots that the transaction inserts, with their changes.
func (t *transaction) insertedSnapshots() []*keyspace.SnapshotValue {
	opened := t.tables[snapshots.parent.name]
	if opened == nil {
		return nil
	}
	var inserted []*keyspace.SnapshotValue
	for _, row := range opened.Inserted() {
		inserted = append(inserted, opened.definition.message(row).(*keyspace.SnapshotValue))
	}
	t.eachInserted(snapshots.children[0], func(layout *layout, row relation.Row) {
		for _, snapshot := range inserted {
			if layout.value(row, "snapshot_id") == relation.Int(int64(snapshot.SnapshotID)) {
				snapshot.ChangesMade = layout.value(row, "changes_made").Text()
			}
		}
	})
	return inserted
}

// guarded gives the changes of a table. Rows in the refuge have no place among the versions of an id, and may be repaired.
func (t *table) guarded() []guard.Change {
	table := t.definition.table
	var changes []guard.Change
	for _, change := range t.Changes() {
		storeKey, ok := table.recordKeyOf(change.Key)
		if !ok {
			continue
		}
		ids, version := table.entityOfKey(storeKey)
		stored := guard.Change{Kind: table.family.current, Stored: true, IDs: idsOf([]byte(ids)), Ended: version.ended}
		if version.ended {
			stored.IDs = append(stored.IDs, version.end)
		}
		if change.Row != nil {
			stored.After = t.definition.message(change.Row)
		}
		changes = append(changes, stored)
	}
	for _, row := range t.Inserted() {
		changes = append(changes, guard.Change{Kind: table.family.current, After: t.definition.message(row)})
	}
	return changes
}

// addMacroKinds gives new macros their implementations, which say what kind of macro it is.
func (t *transaction) addMacroKinds(commit *guard.Commit) {
	t.eachInserted(macros.children[0], func(layout *layout, row relation.Row) {
		for i := range commit.Changes {
			if macro, ok := commit.Changes[i].After.(*keyspace.MacroValue); ok && layout.value(row, "macro_id") == relation.Int(int64(macro.MacroID)) {
				macro.Implementations = append(macro.Implementations, keyspace.MacroImplementation{MacroType: layout.value(row, "type").Text()})
			}
		}
	})
}

// addInlined adds what the transaction does to inlined rows and deletions.
func (t *transaction) addInlined(ctx context.Context, commit *guard.Commit) error {
	rows := map[uint64]*guard.InlinedRows{}
	for _, name := range sortedNames(t.inlined) {
		table := t.inlined[name]
		switch {
		case !table.dirty():
		case table.schema == nil:
			commit.Deletions = append(commit.Deletions, table.guardedDeletions())
		default:
			of := rows[table.id.table]
			if of == nil {
				of = &guard.InlinedRows{Table: table.id.table}
				rows[table.id.table] = of
			}
			if err := table.addRows(ctx, of); err != nil {
				return err
			}
		}
	}
	for _, id := range sortedIDs(rows) {
		commit.Inlined = append(commit.Inlined, *rows[id])
	}
	return nil
}

// addRows adds what the transaction does to the rows of one schema version.
func (i *inlinedTable) addRows(ctx context.Context, rows *guard.InlinedRows) error {
	for _, row := range i.Inserted() {
		rows.Inserted++
		rows.GreatestRowID = max(rows.GreatestRowID, row[rowIDColumn].Int())
	}
	base := i.transaction.inlinedBase(i, i.transaction.environment.Snapshot)
	if i.emptied {
		rows.Removed++
		live, err := i.loses(ctx, base)
		if err != nil {
			return err
		}
		rows.RemovedLive = rows.RemovedLive || live
	}
	for _, change := range i.Changes() {
		switch {
		case change.Row != nil && !change.Row[endOfRowColumn].IsNull():
			rows.Ended++
		case change.Row == nil:
			rows.Removed++
			if !i.transaction.computation.asked.Set && (!i.transaction.catalog.indexed || rows.RemovedLive) {
				continue
			}
			before, found, err := base.Get(ctx, change.Key)
			if err != nil {
				return err
			}
			rows.RemovedLive = rows.RemovedLive || found && before[endOfRowColumn].IsNull()
			if found && i.transaction.computation.asked.Set && !before[endOfRowColumn].IsNull() {
				rows.LatestEnd = max(rows.LatestEnd, uint64(before[endOfRowColumn].Int()))
			}
		}
	}
	return nil
}

// loses tells whether a table that goes has live rows, if it matters: DuckLake drops those that a flush has left empty.
func (i *inlinedTable) loses(ctx context.Context, base *inlinedBase) (bool, error) {
	if !i.transaction.catalog.indexed || !i.stored {
		return false, nil
	}
	cursor, err := base.Scan(ctx, relation.ScanRequest{Columns: []int{endOfRowColumn}}, false)
	if err != nil {
		return false, err
	}
	defer cursor.Close()
	for {
		batch, err := cursor.Next(ctx)
		if err != nil || batch == nil {
			return false, err
		}
		for row := range batch.Length {
			if batch.Row(row)[0].IsNull() {
				return true, nil
			}
		}
	}
}

// guardedDeletions gives the changes of a table of inlined deletions.
func (i *inlinedTable) guardedDeletions() guard.InlinedDeletions {
	deletions := guard.InlinedDeletions{Table: i.id.table, Emptied: i.emptied}
	table := deletionsOf(i.name, i.id.table)
	for _, change := range i.Changes() {
		if storeKey, ok := table.recordKeyOf(change.Key); ok && change.Row == nil {
			ids := table.idsOfKey(storeKey)
			deletions.Removed = append(deletions.Removed, guard.Deletion{DataFile: ids[0], Row: ids[1]})
		}
	}
	layout := table.standardLayout
	for _, row := range i.Inserted() {
		deletions.Inserted = append(deletions.Inserted, guard.Deletion{
			DataFile: uint64(layout.value(row, "file_id").Int()), Row: uint64(layout.value(row, "row_id").Int()),
		})
	}
	return deletions
}
