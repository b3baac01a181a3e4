package check

import "moraine/keyspace"

var objectDamages = []damage{
	{duplicateSchemaName, "two schemas", func(l *testLake) {
		rename(l, keyspace.SchemaEntity(otherSchema).Current(), keyspace.NameOfSchema, "MAIN")
	}, `the name "MAIN" is that of schema_id=0 too`},
	{duplicateRelationName, "two tables", func(l *testLake) {
		rename(l, keyspace.TableEntity(flushed).Current(), keyspace.NameOfTable, "Numbers")
	}, `table_id=1`},
	{duplicateRelationName, "a table and a view", func(l *testLake) {
		rename(l, keyspace.TableEntity(flushed).Current(), keyspace.NameOfTable, "small")
	}, `table_id=10`},
	{duplicateMacroName, "two macros of a kind", func(l *testLake) {
		edit(l, keyspace.MacroEntity(8).Current(), func(m *keyspace.MacroValue) {
			m.MacroName, m.Implementations[0].MacroType = "twice", "scalar"
		})
	}, "macro_id=7"},
	{duplicateColumnName, "two columns", func(l *testLake) {
		edit(l, columnKey(numbers, 1), func(m columnMessage) { m.ColumnName = "Label" })
	}, "column"},
	{liveWithoutSchema, "a view of no schema", func(l *testLake) {
		edit(l, keyspace.ViewEntity(small).Current(), func(m *keyspace.ViewValue) { m.SchemaID = unknownID })
	}, "its schema 20 is unknown"},
	{liveWithoutSchema, "a table of a dropped schema", func(l *testLake) {
		live := keyspace.SchemaEntity(otherSchema).Current()
		copyTo(l, live, keyspace.SchemaEntity(otherSchema).History(headID), func(m *keyspace.SchemaValue) {
			m.EndSnapshot = keyspace.Some[uint64](headID)
		})
		l.delete(live, keyspace.NameKey(keyspace.NameOfSchema, 0, "other", otherSchema))
	}, "its schema 3 is ended"},
	{liveWithoutTable, "everything of a dropped table", func(l *testLake) { dropped(l, parts) }, "ducklake_partition_info"},
	{liveWithoutTable, "a column of an unknown table", func(l *testLake) {
		copyTo(l, columnKey(numbers, 1), columnKey(unknownID, 1), func(m columnMessage) { m.TableID = unknownID })
	}, "the table is unknown"},
	{orphanRecord, "an ended column of an unknown table", func(l *testLake) {
		copyTo(l, columnKey(numbers, 1), keyspace.ColumnEntity(unknownID, 1).History(9), func(m columnMessage) {
			m.TableID, m.EndSnapshot = unknownID, keyspace.Some[uint64](9)
		})
	}, "history/column"},
	{orphanRecord, "statistics of unknown tables", func(l *testLake) {
		l.put(keyspace.TableStatsEntity(unknownID).Current(), &keyspace.TableStatsValue{TableID: unknownID})
		l.put(keyspace.TableColumnStatsEntity(unknownID+1, 1).Current(), &keyspace.TableColumnStatsValue{TableID: unknownID + 1, ColumnID: 1})
		l.put(keyspace.FileColumnStatsEntity(unknownID+2, 1, 1).Current(), &keyspace.FileColumnStatsValue{TableID: unknownID + 2, DataFileID: 1, ColumnID: 1})
	}, "ducklake_file_column_stats table_id=22"},
	{columnParent, "a member without its struct", func(l *testLake) {
		edit(l, columnKey(numbers, 4), func(m columnMessage) { m.ParentColumn = keyspace.Some[uint64](77) })
	}, "its parent 77"},
	{columnParent, "a column within itself", func(l *testLake) {
		edit(l, columnKey(numbers, 4), func(m columnMessage) { m.ParentColumn = keyspace.Some[uint64](4) })
	}, "its parent 4"},
	{severalPartitionings, "two partitionings", func(l *testLake) {
		raiseCounters(l)
		copyTo(l, keyspace.PartitionEntity(parts, 5).Current(), keyspace.PartitionEntity(parts, 11).Current(), func(m *keyspace.PartitionValue) {
			m.PartitionID = 11
		})
	}, ""},
	{severalPartitionings, "two sort orders", func(l *testLake) {
		raiseCounters(l)
		copyTo(l, keyspace.SortEntity(numbers, 2).Current(), keyspace.SortEntity(numbers, 11).Current(), func(m *keyspace.SortValue) { m.SortID = 11 })
	}, "sort order"},
	{partitionColumn, "a partitioning by no column", func(l *testLake) {
		edit(l, keyspace.PartitionEntity(parts, 5).Current(), func(m *keyspace.PartitionValue) { m.Columns[0].ColumnID = 77 })
	}, "no column 77"},
	{orphanTag, "a tag of no object", func(l *testLake) {
		l.put(keyspace.TagEntity(unknownID).Current(), &keyspace.TagValue{ObjectID: unknownID, Entries: []keyspace.TagEntry{{Key: "comment"}}})
	}, `"comment"`},
	{nameMissing, "a table without an entry", func(l *testLake) {
		l.delete(keyspace.NameKey(keyspace.NameOfTable, mainSchema, "numbers", numbers))
	}, `"numbers"`},
	{nameMissing, "a schema without an entry", func(l *testLake) {
		l.delete(keyspace.NameKey(keyspace.NameOfSchema, 0, "other", otherSchema))
	}, "schema_id=3"},
	{nameStale, "an old name", func(l *testLake) {
		l.put(keyspace.NameKey(keyspace.NameOfTable, mainSchema, "old", numbers), &keyspace.EmptyValue{})
	}, `"numbers"`},
	{nameStale, "a dropped table", func(l *testLake) {
		l.put(keyspace.NameKey(keyspace.NameOfTable, mainSchema, "gone", gone), &keyspace.EmptyValue{})
	}, "the object is ended"},
}

// raiseCounters makes room for more ids.
func raiseCounters(l *testLake) {
	l.Helper()
	edit(l, keyspace.SnapshotKey(headID), func(m snapshotMessage) { m.NextCatalogID, m.NextFileID = 1000, 1000 })
}

// rename renames a schema or table together with its entry in the directory.
func rename(l *testLake, key keyspace.Key, kind uint64, name string) {
	l.Helper()
	switch m := l.read(key).(type) {
	case *keyspace.SchemaValue:
		l.delete(keyspace.NameKey(kind, 0, m.SchemaName, m.SchemaID))
		m.SchemaName = name
		l.put(key, m)
		l.put(keyspace.NameKey(kind, 0, name, m.SchemaID), &keyspace.EmptyValue{})
	case *keyspace.TableValue:
		l.delete(keyspace.NameKey(kind, m.SchemaID, m.TableName, m.TableID))
		m.TableName = name
		l.put(key, m)
		l.put(keyspace.NameKey(kind, m.SchemaID, name, m.TableID), &keyspace.EmptyValue{})
	}
}

var fileDamages = []damage{
	{severalDeleteFiles, "two delete files", func(l *testLake) { newDeleteFile(l, numbers, unknownID+3, firstFile) }, "delete file 4 is live too"},
	{deleteFileWithoutDataFile, "an unknown data file", func(l *testLake) { newDeleteFile(l, numbers, unknownID+3, 17) }, "the data file is unknown"},
	{deleteFileWithoutDataFile, "an ended delete file of an unknown data file", func(l *testLake) {
		copyTo(l, deleteFileKey(numbers, 4), keyspace.DeleteFileEntity(numbers, unknownID+3).History(9), func(m deleteFileMessage) {
			m.DeleteFileID, m.DataFileID, m.EndSnapshot = unknownID+3, 17, keyspace.Some[uint64](9)
		})
	}, "the data file is unknown"},
	{deleteFileWithoutDataFile, "a data file that had ended", func(l *testLake) {
		live := dataFileKey(numbers, firstFile)
		copyTo(l, live, keyspace.DataFileEntity(numbers, firstFile).History(4), func(m dataFileMessage) {
			m.EndSnapshot = keyspace.Some[uint64](4)
		})
		l.delete(live)
	}, "the data file has ended at 4"},
	{rowsDeletedTwice, "more than the file has", func(l *testLake) {
		edit(l, deleteFileKey(numbers, 4), func(m deleteFileMessage) { m.DeleteCount = 99 })
	}, "100 rows; its delete file deletes 99 and inlined deletions 2"},
	{deleteTargetMissing, "no entry", func(l *testLake) { l.delete(keyspace.DeleteTargetKey(numbers, firstFile, 4)) }, "delete_file_id=4"},
	{deleteTargetStale, "an entry of no delete file", func(l *testLake) {
		l.put(keyspace.DeleteTargetKey(numbers, secondFile, unknownID), &keyspace.EmptyValue{})
	}, "data_file_id=2"},
	{deleteTargetStale, "an entry under another data file", func(l *testLake) {
		l.put(keyspace.DeleteTargetKey(numbers, secondFile, 4), &keyspace.EmptyValue{})
	}, "delete_file_id=4"},
	{orphanFileStatistics, "an unknown data file", func(l *testLake) {
		for column := range uint64(2) {
			l.put(keyspace.FileColumnStatsEntity(numbers, 17, column+1).Current(),
				&keyspace.FileColumnStatsValue{TableID: numbers, DataFileID: 17, ColumnID: column + 1})
		}
	}, "data_file_id=17"},
	{orphanColumnStatistics, "an unknown column of files", func(l *testLake) {
		l.put(keyspace.FileColumnStatsEntity(numbers, firstFile, 77).Current(),
			&keyspace.FileColumnStatsValue{TableID: numbers, DataFileID: firstFile, ColumnID: 77})
	}, "column_id=77"},
	{orphanColumnStatistics, "an unknown column of the table", func(l *testLake) {
		l.put(keyspace.TableColumnStatsEntity(numbers, 77).Current(), &keyspace.TableColumnStatsValue{TableID: numbers, ColumnID: 77})
	}, "column_id=77"},
	{partitionValues, "an unknown partitioning", func(l *testLake) {
		edit(l, dataFileKey(parts, 12), func(m dataFileMessage) { m.PartitionID = keyspace.Some[uint64](77) })
	}, "no partitioning 77"},
	{partitionValues, "values without a partitioning", func(l *testLake) {
		edit(l, dataFileKey(parts, 12), func(m dataFileMessage) { m.PartitionID = keyspace.Optional[uint64]{} })
	}, "1 values without"},
	{partitionValues, "a value is missing", func(l *testLake) {
		edit(l, dataFileKey(parts, 12), func(m dataFileMessage) { m.PartitionValues = nil })
	}, "0 values for the 1 columns"},
	{unknownMapping, "no such mapping", func(l *testLake) { l.delete(keyspace.MappingEntity(flushed, 24).Current()) }, "no mapping 24"},
	{scheduledFile, "a live data file", func(l *testLake) {
		l.put(keyspace.GcFileKey(firstFile), &keyspace.GcFileValue{DataFileID: firstFile})
	}, "current/file"},
	{scheduledFile, "an ended data file", func(l *testLake) { l.put(keyspace.GcFileKey(18), &keyspace.GcFileValue{DataFileID: 18}) }, "history/file"},
	{recordCount, "too few rows", func(l *testLake) {
		edit(l, keyspace.TableStatsEntity(numbers).Current(), func(m *keyspace.TableStatsValue) { m.RecordCount = 100 })
	}, "there are 162 live rows"},
	{nextRowID, "below the row ids of files", func(l *testLake) {
		edit(l, keyspace.TableStatsEntity(gone).Current(), func(m *keyspace.TableStatsValue) { m.NextRowID = 1 }) // dropped: not read
		edit(l, keyspace.TableStatsEntity(flushed).Current(), func(m *keyspace.TableStatsValue) { m.NextRowID = 4 })
	}, "(table_id=10 data_file_id=25) has row id 4"},
	{nextRowID, "below the ids of inlined rows", func(l *testLake) {
		edit(l, keyspace.TableStatsEntity(numbers).Current(), func(m *keyspace.TableStatsValue) { m.NextRowID = 203 })
	}, "ducklake_inlined_data_1_5"},
	{fileSize, "too few bytes", func(l *testLake) {
		edit(l, keyspace.TableStatsEntity(numbers).Current(), func(m *keyspace.TableStatsValue) { m.FileSizeBytes = 1 })
	}, "the live files have 1586"},
}

var inlinedDamages = []damage{
	{inlinedSchema, "no schema", func(l *testLake) { l.put(keyspace.InlineSchemaKey(numbers, 1), &keyspace.InlineSchemaValue{}) }, "no schema"},
	{inlinedSchema, "a schema and a reference", func(l *testLake) {
		edit(l, keyspace.InlineSchemaKey(numbers, 1), func(m *keyspace.InlineSchemaValue) { m.SameAsVersion = keyspace.Some[uint64](5) })
	}, "names version 5"},
	{inlinedSchema, "a reference to no schema", func(l *testLake) {
		l.put(keyspace.InlineSchemaKey(numbers, 1), &keyspace.InlineSchemaValue{SameAsVersion: keyspace.Some[uint64](3)})
	}, "version 3 has no schema"},
	{inlinedTableWithoutTable, "inlined rows of an unknown table", func(l *testLake) {
		copyTo(l, keyspace.InlineSchemaKey(numbers, 1), keyspace.InlineSchemaKey(unknownID, 1), func(*keyspace.InlineSchemaValue) {})
	}, "ducklake_inlined_data_20_1"},
	{inlinedTableWithoutTable, "inlined deletions of an unknown table", func(l *testLake) {
		l.put(keyspace.InlineFileDeleteTableKey(unknownID), &keyspace.InlineFileDeleteTableValue{})
	}, "ducklake_inlined_delete_20"},
	{inlinedRowsWithoutTable, "the table has no record", func(l *testLake) { l.delete(keyspace.InlineSchemaKey(flushed, 15)) }, ""},
	{inlinedRowsWithoutTable, "the table was dropped", func(l *testLake) {
		l.put(keyspace.InlineSchemaDroppedKey(flushed, 15), &keyspace.InlineSchemaDroppedValue{})
	}, "ducklake_inlined_data_10_15"},
	{chunkWithoutLocator, "no locator", func(l *testLake) { l.delete(keyspace.InlineChunkLocatorKey(flushed, 3, 15, 32, 0)) }, "begin_snapshot=32"},
	{locatorWithoutChunk, "no chunk", func(l *testLake) {
		l.put(keyspace.InlineChunkLocatorKey(flushed, 3, 15, 31, 0),
			&keyspace.InlineChunkRangeValue{RowIDStart: 3, SchemaVersion: 15, BeginSnapshot: 31})
	}, "begin_snapshot=31"},
	{locatorWithoutChunk, "other row ids besides the right ones", func(l *testLake) {
		copyTo(l, keyspace.InlineChunkLocatorKey(flushed, 3, 15, 32, 0), keyspace.InlineChunkLocatorKey(flushed, 9, 15, 32, 0),
			func(*keyspace.InlineChunkRangeValue) {})
	}, "the chunk has the row ids 3 to 3, the locator 3 to 9"},
	{overlappingInlinedRows, "a version that does not end", func(l *testLake) { l.delete(keyspace.InlineRowTombstoneKey(numbers, 1, 6)) }, "row_id=1"},
	{tombstoneWithoutRow, "no such row", func(l *testLake) {
		l.put(keyspace.InlineRowTombstoneKey(numbers, 77, 9), &keyspace.InlineInlineDeleteValue{EndSnapshot: 9})
	}, "row_id=77"},
	{tombstoneWithoutRow, "before the row begins", func(l *testLake) {
		l.put(keyspace.InlineRowTombstoneKey(numbers, 203, 9), &keyspace.InlineInlineDeleteValue{EndSnapshot: 9})
	}, "row_id=203"},
	{tombstoneWithoutRow, "after the row has ended", func(l *testLake) {
		l.put(keyspace.InlineRowTombstoneKey(numbers, 0, 9), &keyspace.InlineInlineDeleteValue{EndSnapshot: 9})
		l.put(keyspace.InlineRowTombstoneKey(numbers, 0, 12), &keyspace.InlineInlineDeleteValue{EndSnapshot: 12})
	}, "row_id=0 end_snapshot=12"},
	{inlinedDeleteWithoutTable, "no marker", func(l *testLake) { l.delete(keyspace.InlineFileDeleteTableKey(numbers)) }, "ducklake_inlined_delete_1"},
	{inlinedDeleteWithoutFile, "an unknown data file", func(l *testLake) {
		l.put(keyspace.InlineFileDeleteKey(numbers, 17, 0), &keyspace.InlineFileDeleteValue{BeginSnapshot: 9})
	}, "data_file_id=17"},
}
