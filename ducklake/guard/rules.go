package guard

import "moraine/pgerror"

// What to do about a refusal.
const (
	repeatCommit      = "Commit again: the client reads the latest snapshot first."
	repeatTransaction = "Run the whole transaction again: what it read has changed meanwhile."
	reportClient      = "The client wrote rows that contradict each other; the lake is as it was. Split the transaction, or report the statement to the client's authors."
)

// Snapshots.
var (
	snapshotTaken = &Rule{"snapshot-taken",
		"The snapshot of a commit is newer than the latest one.",
		pgerror.SerializationFailure, true, repeatCommit}
	snapshotFollows = &Rule{"snapshot-follows",
		"A commit makes one snapshot, whose id is one above that of the latest.",
		pgerror.CheckViolation, false, reportClient}
	snapshotCounters = &Rule{"snapshot-counters",
		"next_catalog_id, next_file_id and schema_version never fall from one snapshot to the next.",
		pgerror.CheckViolation, false, reportClient}
)

// Versions and ids.
var (
	rowWithoutID = &Rule{"row-without-id",
		"Rows of schemas, tables, views, macros, columns, files, partitionings and sort orders have ids that are numbers from 0 on, and a begin_snapshot.",
		pgerror.CheckViolation, false, reportClient}
	overlappingVersions = &Rule{"overlapping-versions",
		"An id has at most one live version.",
		pgerror.CheckViolation, false, reportClient}
	versionInterval = &Rule{"version-interval",
		"A version begins at the latest with the commit that writes it, and ends with the commit that ends it, after it began.",
		pgerror.CheckViolation, false, reportClient}
	versionEndedAgain = &Rule{"version-ended-again",
		"A version that has ended keeps its end.",
		pgerror.SerializationFailure, false, repeatTransaction}
	idBeyondCounter = &Rule{"id-beyond-counter",
		"New ids are below next_catalog_id or next_file_id of the commit's snapshot.",
		pgerror.CheckViolation, false, reportClient}
	idReused = &Rule{"id-reused",
		"New objects and files have new ids, from next_catalog_id or next_file_id of the latest snapshot on.",
		pgerror.SerializationFailure, true, repeatCommit}
)

// Names.
var (
	duplicateSchemaName = &Rule{"duplicate-schema-name",
		"Live schemas have different names, upper and lower case of ASCII letters being the same.",
		pgerror.SerializationFailure, false, repeatTransaction}
	duplicateRelationName = &Rule{"duplicate-relation-name",
		"Live tables and views of a schema have different names, upper and lower case of ASCII letters being the same.",
		pgerror.SerializationFailure, false, repeatTransaction}
	duplicateMacroName = &Rule{"duplicate-macro-name",
		"Live macros of a schema and kind (scalar or table) have different names, upper and lower case of ASCII letters being the same.",
		pgerror.SerializationFailure, false, repeatTransaction}
	duplicateColumnName = &Rule{"duplicate-column-name",
		"Live columns of a table with one parent have different names, upper and lower case of ASCII letters being the same.",
		pgerror.SerializationFailure, false, repeatTransaction}
)

// What belongs to what.
var (
	liveWithoutSchema = &Rule{"live-without-schema",
		"Live tables, views and macros are in live schemas.",
		pgerror.SerializationFailure, false, repeatTransaction}
	liveWithoutTable = &Rule{"live-without-table",
		"New columns, files, partitionings, sort orders, inlined rows and inlined deletions are of live tables.",
		pgerror.SerializationFailure, false, repeatTransaction}
	severalPartitionings = &Rule{"several-partitionings",
		"A table has at most one live partitioning and one live sort order.",
		pgerror.SerializationFailure, false, repeatTransaction}
)

// Deletes and compaction.
var (
	severalDeleteFiles = &Rule{"several-delete-files",
		"A data file has at most one live delete file.",
		pgerror.SerializationFailure, false, repeatTransaction}
	deleteWithoutDataFile = &Rule{"delete-without-data-file",
		"Rows are deleted from live data files of the same table; a flush of inlined deletions may be for ended ones.",
		pgerror.SerializationFailure, false, repeatTransaction}
	rowsDeletedTwice = &Rule{"rows-deleted-twice",
		"No row is deleted twice: a data file has at least as many rows as its delete file and its inlined deletions delete, and a flush removes the inlined deletions that it writes to a file.",
		pgerror.SerializationFailure, false, repeatTransaction}
	deletedSince = &Rule{"deleted-since",
		"Rows are deleted from a data file, and a data file is replaced or ended, only when no other commit has deleted rows of it since the snapshot that the commit was computed on.",
		pgerror.SerializationFailure, false, repeatTransaction}
)

// Inlined rows.
var (
	flushedSince = &Rule{"flushed-since",
		"A flush removes the inlined rows that it writes to files, and none that another commit has ended since the snapshot that it was computed on.",
		pgerror.SerializationFailure, false, repeatTransaction}
	deletesNothing = &Rule{"deletes-nothing",
		"A commit that says in changes_made that it deletes inlined rows of a table ends some, or deletes some inline.",
		pgerror.SerializationFailure, false, repeatTransaction}
)

// Statistics of tables.
var (
	nextRowID = &Rule{"next-row-id",
		"next_row_id of a table never falls, and is above the ids of new inlined rows and of the rows of new files.",
		pgerror.SerializationFailure, true, repeatCommit}
	rowIDReused = &Rule{"row-id-reused",
		"The rows of new data files have new ids, from next_row_id of the table on.",
		pgerror.SerializationFailure, true, repeatCommit}
	negativeCount = &Rule{"negative-count",
		"Counts and sizes in ducklake_table_stats, ducklake_data_file and ducklake_delete_file are numbers from 0 on.",
		pgerror.CheckViolation, false, reportClient}
)

// What the original keeps and this implementation does not.
var indexedTable = &Rule{"indexed-table",
	"The equality indexes that the original keeps stay complete: rows of a table with one do not change, but for being flushed, merged or rewritten, and an indexed column is not dropped and keeps its type, as long as the table is there.",
	pgerror.FeatureNotSupported, false,
	"Change the table with the program that made the index, or drop the index with it: this server leaves indexes as they are."}

var rules = []*Rule{
	snapshotTaken, snapshotFollows, snapshotCounters,
	rowWithoutID, overlappingVersions, versionInterval, versionEndedAgain, idBeyondCounter, idReused,
	duplicateSchemaName, duplicateRelationName, duplicateMacroName, duplicateColumnName,
	liveWithoutSchema, liveWithoutTable, severalPartitionings,
	severalDeleteFiles, deleteWithoutDataFile, rowsDeletedTwice, deletedSince,
	flushedSince, deletesNothing,
	nextRowID, rowIDReused, negativeCount,
	indexedTable,
}
