package check

// The rules. A name is part of the interface: it stays once it is out.

// Records.
var (
	undecodableRecord = &Rule{"undecodable-record", Error,
		"Every key and value of the catalog decodes.",
		"Restore the lake from a backup; the storage may be failing."}
	unknownKey = &Rule{"unknown-key", Warning,
		"Every key is of a kind that this version knows.",
		"Use the version that wrote the key; this one leaves it alone."}
	supersededRecord = &Rule{"superseded-record", Warning,
		"No record is of a kind that formats 9 to 12 do not write.",
		"Migrate the lake with the version that wrote it; the record is not read."}
	recordIdentity = &Rule{"record-identity", Error,
		"The ids in a value are those in its key.",
		"Restore the lake from a backup."}
	refugeRows = &Rule{"refuge-rows", Warning,
		"Every row of a catalog table lies in a record of the specification.",
		"Look at the table for rows with NULL or negative ids, for a second row of one id, or for child rows without their parent, and delete them; other readers of the store do not see them."}
	tableDefinition = &Rule{"table-definition", Error,
		"The stored definitions of the catalog tables decode, and their generation is there.",
		"Restore the lake from a backup."}
)

// The lake as a whole.
var (
	formatVersion = &Rule{"format-version", Error,
		"A lake with catalog records has a format, from 9 to 12.",
		"Open the lake with a version that knows its format."}
	unfinishedMigration = &Rule{"unfinished-migration", Warning,
		"No migration of the format is under way.",
		"Run moraine migrate for the lake; a migration to format 9 is for the program that began it."}
	headSnapshot = &Rule{"head-snapshot", Error,
		"sys/head names the greatest snapshot.",
		"Restore the lake from a backup: commits build on the wrong snapshot."}
	snapshotCounters = &Rule{"snapshot-counters", Error,
		"next_catalog_id and next_file_id never fall from one snapshot to the next.",
		"Stop writing and insert a snapshot whose counters are above all ids: ids will be given out twice otherwise."}
	snapshotSchemaVersion = &Rule{"snapshot-schema-version", Error,
		"schema_version never falls from one snapshot to the next.",
		"Restart the clients: they keep schemas by version and may show an old one."}
	schemaVersionRecord = &Rule{"schema-version-record", Error,
		"A row of ducklake_schema_versions begins at most at the head snapshot and has the schema version of its snapshot.",
		"Correct the row in ducklake_schema_versions."}
	schemaChanges = &Rule{"schema-changes", Warning,
		"The record of a snapshot names the tables that have a row of ducklake_schema_versions for it.",
		"None for DuckLake; the original implementation may overlook that the two commits touch the same table."}
	changelogWindow = &Rule{"changelog-window", Warning,
		"The changelog has records of the newest 64 snapshots only.",
		"None: the records take space and are not read."}
	changelogKeys = &Rule{"changelog-keys", Error,
		"A record of the changelog lists keys of current records, ascending, each once.",
		"Restart other readers of the store: what they keep in memory may be stale."}
	globalOptions = &Rule{"global-options", Error,
		"The record of the global options exists.",
		"Insert a row into ducklake_metadata."}
)

// Versions and ids.
var (
	versionInterval = &Rule{"version-interval", Error,
		"A version begins before it ends.",
		"Delete the row: no snapshot shows it."}
	versionAboveHead = &Rule{"version-above-head", Error,
		"No version begins or ends above the head snapshot.",
		"Restore the lake from a backup: a later snapshot would show or hide the row."}
	overlappingVersions = &Rule{"overlapping-versions", Error,
		"Each snapshot shows at most one version of an id.",
		"End or delete one of the versions."}
	idBeyondCounter = &Rule{"id-beyond-counter", Error,
		"Ids are below next_catalog_id or next_file_id of the head snapshot.",
		"Stop writing and insert a snapshot whose counters are above all ids: the id will be given out again otherwise."}
	idReused = &Rule{"id-reused", Error,
		"Objects that draw their ids from one counter have different ids.",
		"Drop one of the objects and make it anew."}
)

// Schemas, tables, columns and what hangs on them.
var (
	duplicateSchemaName = &Rule{"duplicate-schema-name", Error,
		"Live schemas have different names, upper and lower case being the same.",
		"Rename one of them by an UPDATE of ducklake_schema."}
	duplicateRelationName = &Rule{"duplicate-relation-name", Error,
		"Live tables and views of a schema have different names, upper and lower case being the same.",
		"Rename one of them by an UPDATE of ducklake_table or ducklake_view."}
	duplicateMacroName = &Rule{"duplicate-macro-name", Error,
		"Live macros of a schema and kind have different names, upper and lower case being the same.",
		"Drop one of them by an UPDATE of ducklake_macro."}
	duplicateColumnName = &Rule{"duplicate-column-name", Error,
		"Live columns of a table with one parent have different names, upper and lower case being the same.",
		"Rename one of them by an UPDATE of ducklake_column."}
	liveWithoutSchema = &Rule{"live-without-schema", Error,
		"Live tables, views and macros are in live schemas.",
		"Set end_snapshot of the row to that of its schema."}
	liveWithoutTable = &Rule{"live-without-table", Error,
		"Live columns, files, partitionings, sort orders and indexes are of live tables.",
		"Set end_snapshot of the rows to that of their table."}
	orphanRecord = &Rule{"orphan-record", Warning,
		"Ended versions, statistics and column mappings are of tables that are live or ended.",
		"Delete the rows: nothing reads them."}
	columnParent = &Rule{"column-parent", Error,
		"The parent of a live column is a live column of its table.",
		"Set end_snapshot of the column to that of its parent."}
	severalPartitionings = &Rule{"several-partitionings", Error,
		"A table has at most one live partitioning and one live sort order.",
		"Set end_snapshot of the older one to the begin_snapshot of the newer one."}
	partitionColumn = &Rule{"partition-column", Error,
		"The columns of a live partitioning are columns of its table.",
		"Reset the partitioning of the table."}
	orphanTag = &Rule{"orphan-tag", Warning,
		"Live tags are of live schemas, tables, views and macros.",
		"Set end_snapshot of the tag to that of its object."}
	nameMissing = &Rule{"name-missing", Error,
		"Every live schema and table has an entry in the directory of names (format 11 on).",
		"Rename the object and back: that writes its entry. Readers by name do not find it until then."}
	nameStale = &Rule{"name-stale", Error,
		"Every entry in the directory of names is that of a live schema or table.",
		"Restore the lake from a backup, if readers by name find the wrong object."}
)

// Files and their statistics.
var (
	severalDeleteFiles = &Rule{"several-delete-files", Error,
		"A data file has at most one live delete file.",
		"Set end_snapshot of the older one to the begin_snapshot of the newer one, if the newer one has all its rows: deleted rows are back or go twice."}
	deleteFileWithoutDataFile = &Rule{"delete-file-without-data-file", Error,
		"The data file of a delete file is there, and had not ended when the delete file began.",
		"Delete the row of the delete file."}
	rowsDeletedTwice = &Rule{"rows-deleted-twice", Error,
		"A data file has at least as many rows as its delete file and its inlined deletions delete.",
		"Compare the delete file with ducklake_inlined_delete_<table>; rewrite the data file (ducklake_rewrite_data_files)."}
	deleteTargetMissing = &Rule{"delete-target-missing", Error,
		"Every live delete file has an entry under its data file in the directory of delete targets (format 12).",
		"Stop reading the lake with other implementations: they show deleted rows. Write the delete file's row anew."}
	deleteTargetStale = &Rule{"delete-target-stale", Error,
		"Every entry in the directory of delete targets is that of a live delete file.",
		"None for DuckLake; other readers of the store fail or read in vain."}
	orphanFileStatistics = &Rule{"orphan-file-statistics", Warning,
		"Statistics of file columns are of data files that are live or ended.",
		"Delete the rows: nothing reads them."}
	orphanColumnStatistics = &Rule{"orphan-column-statistics", Warning,
		"Statistics of columns are of columns that the table has or had.",
		"Delete the rows: nothing reads them."}
	partitionValues = &Rule{"partition-values", Error,
		"A live data file with partition values names a partitioning of its table, and has one value for each of its columns.",
		"Rewrite the data file: queries may skip it by mistake."}
	unknownMapping = &Rule{"unknown-mapping", Error,
		"The column mapping of a data file exists.",
		"Set mapping_id of the data file to NULL if its columns have field ids, otherwise add the file anew."}
	scheduledFile = &Rule{"scheduled-file", Error,
		"No file that waits for its deletion is live or ended.",
		"Delete the row of ducklake_files_scheduled_for_deletion before the next clean-up: it would delete a file that is read."}
)

// Statistics of tables. DuckLake changes them when rows are written, not when they are deleted or files are merged.
var (
	recordCount = &Rule{"record-count", Warning,
		"record_count of a table is at least its live rows, in files and inlined.",
		"None: DuckLake shows it as an estimate. ducklake_rewrite_data_files sets it anew."}
	nextRowID = &Rule{"next-row-id", Error,
		"next_row_id of a table is above the row ids of its files and inlined rows.",
		"Stop writing and raise next_row_id in ducklake_table_stats: row ids are given out twice otherwise."}
	fileSize = &Rule{"file-size", Warning,
		"file_size_bytes of a table is at least the size of its live files that no merge has written.",
		"None: DuckLake shows it as an estimate. ducklake_rewrite_data_files sets it anew."}
)

// Inlined data.
var (
	inlinedSchema = &Rule{"inlined-schema", Error,
		"The record of an inlined table has its schema, or names a version of the same table that has it.",
		"Restore the lake from a backup: the inlined rows cannot be read."}
	inlinedTableWithoutTable = &Rule{"inlined-table-without-table", Warning,
		"The tables of inlined rows and deletions are of tables that are live or ended.",
		"Delete the row of ducklake_inlined_data_tables and drop the inlined table."}
	inlinedRowsWithoutTable = &Rule{"inlined-rows-without-table", Error,
		"Chunks of inlined rows are of inlined tables that exist.",
		"Restore the lake from a backup: the rows are not shown."}
	chunkWithoutLocator = &Rule{"chunk-without-locator", Error,
		"Every chunk of inlined rows has its locator.",
		"Flush the table's inlined data (ducklake_flush_inlined_data): other readers of the store do not find rows by id."}
	locatorWithoutChunk = &Rule{"locator-without-chunk", Error,
		"Every locator is that of a chunk of inlined rows.",
		"Flush the table's inlined data (ducklake_flush_inlined_data)."}
	overlappingInlinedRows = &Rule{"overlapping-inlined-rows", Error,
		"Each snapshot shows at most one version of an inlined row.",
		"Delete one of the versions in the inlined table."}
	tombstoneWithoutRow = &Rule{"tombstone-without-row", Warning,
		"Every tombstone ends a version of an inlined row.",
		"None: a later row of that id could be ended by it, but row ids are not given out twice."}
	inlinedDeleteWithoutTable = &Rule{"inlined-delete-without-table", Error,
		"A table with inlined deletions has the marker of ducklake_inlined_delete_<table>.",
		"Restore the lake from a backup: the deleted rows are shown."}
	inlinedDeleteWithoutFile = &Rule{"inlined-delete-without-file", Warning,
		"Inlined deletions are of data files that are live or ended.",
		"Delete the rows from ducklake_inlined_delete_<table>: nothing reads them."}
)

var rules = []*Rule{
	undecodableRecord, unknownKey, supersededRecord, recordIdentity, refugeRows, tableDefinition,
	formatVersion, unfinishedMigration, headSnapshot, snapshotCounters, snapshotSchemaVersion, schemaVersionRecord,
	schemaChanges, changelogWindow, changelogKeys, globalOptions,
	versionInterval, versionAboveHead, overlappingVersions, idBeyondCounter, idReused,
	duplicateSchemaName, duplicateRelationName, duplicateMacroName, duplicateColumnName, liveWithoutSchema, liveWithoutTable,
	orphanRecord, columnParent, severalPartitionings, partitionColumn, orphanTag, nameMissing, nameStale,
	severalDeleteFiles, deleteFileWithoutDataFile, rowsDeletedTwice, deleteTargetMissing, deleteTargetStale,
	orphanFileStatistics, orphanColumnStatistics, partitionValues, unknownMapping, scheduledFile,
	recordCount, nextRowID, fileSize,
	inlinedSchema, inlinedTableWithoutTable, inlinedRowsWithoutTable, chunkWithoutLocator, locatorWithoutChunk,
	overlappingInlinedRows, tombstoneWithoutRow, inlinedDeleteWithoutTable, inlinedDeleteWithoutFile,
}
