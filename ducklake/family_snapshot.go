package ducklake

import (
	"moraine/keyspace"
	"moraine/relation"
)

// Snapshots: ducklake_snapshot and ducklake_snapshot_changes, one to one, share a record.
var snapshots = func() *family {
	type row = keyspace.SnapshotValue
	snapshot := &catalogTable{
		name: "ducklake_snapshot", primaryKey: "snapshot_id",
		identity: []string{"snapshot_id"}, selective: []string{"snapshot_id"},
		codec: parentRows(func(m *row) *keyspace.RowExtension { return &m.Extension },
			number("snapshot_id", func(m *row) *uint64 { return &m.SnapshotID }).notNull(),
			instant("snapshot_time", func(m *row) *int64 { return &m.SnapshotTimeMicros }),
			number("schema_version", func(m *row) *uint64 { return &m.SchemaVersion }),
			number("next_catalog_id", func(m *row) *uint64 { return &m.NextCatalogID }),
			number("next_file_id", func(m *row) *uint64 { return &m.NextFileID }),
		),
	}
	changes := &catalogTable{
		name: "ducklake_snapshot_changes", primaryKey: "snapshot_id",
		identity: []string{"snapshot_id"}, selective: []string{"snapshot_id"},
		codec: &rowsOf[row]{
			countIn:   countChanges,
			roomIn:    roomForChanges,
			view:      func(record *record, _ int, _ *row) *row { return record.message.(*row) },
			extension: func(m *row) *keyspace.RowExtension { return &m.ChangesExtension },
			fields: []field[row]{
				number("snapshot_id", func(m *row) *uint64 { return &m.SnapshotID }).notNull(),
				text("changes_made", func(m *row) *string { return &m.ChangesMade }),
				optionalText("author", func(m *row) *keyspace.Optional[string] { return &m.Author }),
				optionalText("commit_message", func(m *row) *keyspace.Optional[string] { return &m.CommitMessage }),
				optionalText("commit_extra_info", func(m *row) *keyspace.Optional[string] { return &m.CommitExtraInfo }),
			},
		},
	}
	family := unversionedFamily(keyspace.KindSnapshot).of(snapshot, changes)
	family.carry = func(message, previous keyspace.Message) {
		snapshot := message.(*row)
		snapshot.ChangesAbsent = true
		if previous, ok := previous.(*row); ok {
			snapshot.SchemaChangedTableIDs = previous.SchemaChangedTableIDs
			snapshot.DeletedDataFileIDs = previous.DeletedDataFileIDs
			snapshot.DeletesUntargetedFiles = previous.DeletesUntargetedFiles
		}
	}
	return family
}()

func countChanges(message keyspace.Message) int {
	if message.(*keyspace.SnapshotValue).ChangesAbsent {
		return 0
	}
	return 1
}

func roomForChanges(message keyspace.Message, _ func(string) relation.Value) (int, bool) {
	snapshot := message.(*keyspace.SnapshotValue)
	free := snapshot.ChangesAbsent
	snapshot.ChangesAbsent = false
	return 0, free
}
