package guard

import "moraine/keyspace"

// Commit is a commit as the rules see it. Only commits that insert a snapshot are checked.
type Commit struct {
	// Format is that of the store.
	Format uint64
	// Indexed tells that some table of the lake has an equality index, and so that the rule of indexes has to be checked.
	Indexed bool
	// Read is the snapshot that the transaction reads. ReadsFiles tells that it read data files, delete files or inlined
	// rows before it inserted its own snapshot.
	Read       uint64
	ReadsFiles bool
	// Asked is the snapshot after which the transaction asked what has changed, as DuckLake does before it repeats a commit.
	Asked     keyspace.Optional[uint64]
	Snapshots []*keyspace.SnapshotValue // inserted, with their changes_made if there is a row of it
	Changes   []Change
	Inlined   []InlinedRows
	Deletions []InlinedDeletions
}

// Change is what became of one row of a versioned table, of ducklake_column_mapping or of ducklake_table_stats.
type Change struct {
	Kind keyspace.Kind // of live records
	// Stored tells that the row was there before, with the ids IDs; Ended, that it was not the live version.
	Stored bool
	IDs    []uint64
	Ended  bool
	// After is the row as the commit leaves it; nil when it is removed.
	After keyspace.Message
}

// InlinedRows is what a commit does to the inlined rows of one table, of all its schema versions.
type InlinedRows struct {
	Table    uint64
	Inserted int
	// GreatestRowID is that of the inserted rows.
	GreatestRowID int64
	Ended         int
	Removed       int
	// RemovedLive tells that some of the removed rows were live; it is only known when the lake has an index.
	RemovedLive bool
	// LatestEnd is the greatest end_snapshot of the removed rows; 0 when all were live, or when the transaction did not ask
	// for changes.
	LatestEnd uint64
}

// InlinedDeletions is what a commit does to the inlined deletions from data files of one table.
type InlinedDeletions struct {
	Table    uint64
	Inserted []Deletion
	Removed  []Deletion
	// Emptied tells that all deletions go.
	Emptied bool
}

// Deletion is one row of ducklake_inlined_delete_<table>.
type Deletion struct {
	DataFile, Row uint64
}
