package check

import (
	"moraine/keyspace"
)

// Ids in the recorded lake, and ids that it does not have.
const (
	numbers, parts, gone, flushed = 1, 4, 9, 10 // tables; gone was dropped
	small, twice                  = 6, 7        // a view and a macro
	mainSchema, otherSchema       = 0, 3
	firstFile, secondFile         = 1, 2 // of numbers
	headID                        = 33
	unknownID                     = 20 // below the counters
)

// damage is what is done to the recorded lake, and the only rule that it breaks.
type damage struct {
	rule   *Rule
	name   string
	damage func(*testLake)
	found  string // a part of the findings; "" for any
}

// The types of messages, by short names.
type (
	dataFileMessage   = *keyspace.DataFileValue
	deleteFileMessage = *keyspace.DeleteFileValue
	snapshotMessage   = *keyspace.SnapshotValue
	columnMessage     = *keyspace.ColumnValue
	tableMessage      = *keyspace.TableValue
)

var damages = slicesOf(recordDamages, systemDamages, versionDamages, objectDamages, fileDamages, inlinedDamages)

func slicesOf(groups ...[]damage) (all []damage) {
	for _, group := range groups {
		all = append(all, group...)
	}
	return all
}

func dataFileKey(table, id uint64) keyspace.Key { return keyspace.DataFileEntity(table, id).Current() }
func deleteFileKey(table, id uint64) keyspace.Key {
	return keyspace.DeleteFileEntity(table, id).Current()
}
func columnKey(table, id uint64) keyspace.Key { return keyspace.ColumnEntity(table, id).Current() }

// newDataFile adds a data file without rows.
func newDataFile(l *testLake, table, id uint64, change func(dataFileMessage)) {
	l.Helper()
	copyTo(l, dataFileKey(numbers, firstFile), dataFileKey(table, id), func(m dataFileMessage) {
		m.TableID, m.DataFileID, m.RecordCount, m.FileSizeBytes = table, id, 0, 0
		m.RowIDStart = keyspace.Optional[uint64]{}
		change(m)
	})
}

// newDeleteFile adds a live delete file of no rows with its entry in the directory.
func newDeleteFile(l *testLake, table, id, dataFile uint64) {
	l.Helper()
	copyTo(l, deleteFileKey(numbers, 4), deleteFileKey(table, id), func(m deleteFileMessage) {
		m.TableID, m.DeleteFileID, m.DataFileID, m.DeleteCount = table, id, dataFile, 0
	})
	l.put(keyspace.DeleteTargetKey(table, dataFile, id), &keyspace.EmptyValue{})
}

var recordDamages = []damage{
	{undecodableRecord, "a value without a frame", func(l *testLake) { l.raw(dataFileKey(numbers, firstFile), "x") }, "data_file_id=1"},
	{undecodableRecord, "the head is damaged", func(l *testLake) { l.raw(keyspace.HeadKey(), "nonsense") }, ""},
	{undecodableRecord, "a key cut short", func(l *testLake) {
		key := dataFileKey(numbers, firstFile).Bytes()
		l.batch.Put(key[:len(key)-1], nil)
	}, "key=0402070000000000000001"},
	{undecodableRecord, "a chunk of no rows", func(l *testLake) {
		edit(l, keyspace.InlineInsertKey(flushed, 15, 32, 0), func(m *keyspace.InlineChunkValue) { m.RowCount = 0 })
	}, "0 rows"},
	{unknownKey, "a kind of a later format", func(l *testLake) { l.batch.Put([]byte{0x0c, 1, 2, 3}, nil) }, "key=0c010203"},
	{unknownKey, "a key before all others", func(l *testLake) { l.batch.Put([]byte{0x01}, nil) }, ""},
	{unknownKey, "a key behind all others", func(l *testLake) { l.batch.Put([]byte{0xff, 0xff}, nil) }, ""},
	{unknownKey, "an inlined kind of a later format", func(l *testLake) { l.batch.Put([]byte{0x06, 0x0a, 0}, nil) }, ""},
	{supersededRecord, "a chunk in the archive", func(l *testLake) {
		l.put(keyspace.InlineArchivedInsertKey(numbers, 1, 2, 0), &keyspace.InlineChunkValue{RowCount: 1})
	}, "inline/arch/insert"},
	{supersededRecord, "ended statistics", func(l *testLake) {
		l.put(keyspace.TableStatsEntity(numbers).History(3), &keyspace.TableStatsValue{TableID: numbers})
	}, "ducklake_table_stats"},
	{recordIdentity, "another file's value", func(l *testLake) {
		edit(l, dataFileKey(numbers, firstFile), func(m dataFileMessage) { m.DataFileID = 7 })
	}, "data_file_id 7"},
	{recordIdentity, "a live version with an end", func(l *testLake) {
		edit(l, columnKey(numbers, 1), func(m columnMessage) { m.EndSnapshot = keyspace.Some[uint64](9) })
	}, "end_snapshot 9"},
	{recordIdentity, "an ended version with another end", func(l *testLake) {
		edit(l, keyspace.TableEntity(gone).History(26), func(m tableMessage) { m.EndSnapshot = keyspace.Some[uint64](27) })
	}, "end_snapshot 27"},
	{recordIdentity, "a tombstone with another end", func(l *testLake) {
		edit(l, keyspace.InlineRowTombstoneKey(numbers, 1, 6), func(m *keyspace.InlineInlineDeleteValue) { m.EndSnapshot = 7 })
	}, "end_snapshot 7"},
	{refugeRows, "rows in a refuge", func(l *testLake) {
		for row := range byte(3) {
			key := append([]byte{0xe2, 0x10}, "ducklake refuge ducklake_column_tag\x00\x01\x01"...)
			l.batch.Put(append(key, 0, 0, 0, 0, 0, 0, 0, row), []byte("row"))
		}
	}, "ducklake_column_tag : 3 rows"},
	{tableDefinition, "a definition is damaged", func(l *testLake) {
		l.batch.Put(append([]byte{0xe2, 0x11, 0x01}, "ducklake_tag"...), []byte("{"))
	}, "ducklake_tag"},
	{tableDefinition, "there is no generation", func(l *testLake) { l.batch.Delete([]byte{0xe2, 0x11, 0x00}) }, "no generation"},
	{tableDefinition, "the generation is damaged", func(l *testLake) { l.batch.Put([]byte{0xe2, 0x11, 0x00}, []byte("1")) }, "1 bytes"},
}

var systemDamages = []damage{
	{formatVersion, "a later format", func(l *testLake) {
		edit(l, keyspace.FormatKey(), func(m *keyspace.FormatValue) { m.FormatVersion = 13 })
	}, "13"},
	{formatVersion, "no format", func(l *testLake) { l.delete(keyspace.FormatKey()) }, "no format"},
	{unfinishedMigration, "a migration has begun", func(l *testLake) {
		l.put(keyspace.MigrationKey(), &keyspace.MigrationValue{FromFormat: 11, ToFormat: 12})
	}, "from format 11 to 12"},
	{headSnapshot, "the head is behind", func(l *testLake) {
		l.put(keyspace.SnapshotKey(headID+1), &keyspace.SnapshotValue{SnapshotID: headID + 1, SchemaVersion: 1000, NextCatalogID: 1000, NextFileID: 1000})
	}, "the greatest snapshot is 34"},
	{headSnapshot, "there is no head", func(l *testLake) { l.delete(keyspace.HeadKey()) }, "no head"},
	{snapshotCounters, "next_file_id falls", func(l *testLake) {
		edit(l, keyspace.SnapshotKey(20), func(m snapshotMessage) { m.NextFileID = 3 })
	}, "next_file_id is 3"},
	{snapshotCounters, "next_catalog_id falls", func(l *testLake) {
		edit(l, keyspace.SnapshotKey(20), func(m snapshotMessage) { m.NextCatalogID = 3 })
	}, "next_catalog_id is 3"},
	{snapshotSchemaVersion, "schema_version falls", func(l *testLake) {
		edit(l, keyspace.SnapshotKey(20), func(m snapshotMessage) { m.SchemaVersion = 3 })
	}, "schema_version is 3"},
	{schemaVersionRecord, "another version than its snapshot's", func(l *testLake) {
		edit(l, keyspace.SchemaVersionKey(numbers, 1), func(m *keyspace.SchemaVersionValue) { m.SchemaVersion = 30 })
	}, "schema_version is 30"},
	{schemaVersionRecord, "begins above the head", func(l *testLake) {
		l.put(keyspace.SchemaVersionKey(numbers, headID+1), &keyspace.SchemaVersionValue{SchemaVersion: 1})
	}, "begins at 34"},
	{schemaChanges, "the row is missing", func(l *testLake) { l.delete(keyspace.SchemaVersionKey(numbers, 10)) }, "snapshot_id=10 table_id=1"},
	{schemaChanges, "the snapshot does not name the table", func(l *testLake) {
		edit(l, keyspace.SnapshotKey(10), func(m snapshotMessage) { m.SchemaChangedTableIDs = nil })
	}, "does not name the table"},
	{changelogWindow, "a record above the head", func(l *testLake) {
		l.put(keyspace.ChangelogKey(headID+1), &keyspace.ChangelogValue{})
	}, "snapshot_id=34"},
	{changelogWindow, "a record from before the window", func(l *testLake) {
		head := uint64(headID + changelogLength)
		edit(l, keyspace.HeadKey(), func(m *keyspace.HeadValue) { m.SnapshotID = head })
		copyTo(l, keyspace.SnapshotKey(headID), keyspace.SnapshotKey(head), func(m snapshotMessage) { m.SnapshotID = head })
	}, "snapshot_id=33"},
	{changelogKeys, "a key that is none", func(l *testLake) {
		edit(l, keyspace.ChangelogKey(3), func(m *keyspace.ChangelogValue) { m.Keys = append(m.Keys, []byte{0x7f}) })
	}, "no such kind"},
	{changelogKeys, "a key of history", func(l *testLake) {
		edit(l, keyspace.ChangelogKey(3), func(m *keyspace.ChangelogValue) {
			m.Keys = append(m.Keys, keyspace.TableEntity(numbers).History(3).Bytes())
		})
	}, "history/table(1,3)"},
	{changelogKeys, "a key twice", func(l *testLake) {
		edit(l, keyspace.ChangelogKey(3), func(m *keyspace.ChangelogValue) { m.Keys = append(m.Keys, m.Keys[len(m.Keys)-1]) })
	}, "out of order"},
	{globalOptions, "no options", func(l *testLake) { l.delete(keyspace.OptionEntity(keyspace.ScopeGlobal, 0).Current()) }, ""},
}

var versionDamages = []damage{
	{versionInterval, "a version of no snapshot", func(l *testLake) {
		edit(l, keyspace.TableEntity(gone).History(26), func(m tableMessage) { m.BeginSnapshot = 26 })
	}, "begins at 26 and ends at 26"},
	{versionAboveHead, "begins above the head", func(l *testLake) {
		edit(l, columnKey(numbers, 1), func(m columnMessage) { m.BeginSnapshot = headID + 1 })
	}, "begins at 34"},
	{versionAboveHead, "ends above the head", func(l *testLake) {
		from, to := keyspace.TableEntity(gone).History(26), keyspace.TableEntity(gone).History(headID+1)
		copyTo(l, from, to, func(m tableMessage) { m.EndSnapshot = keyspace.Some[uint64](headID + 1) })
		l.delete(from)
	}, "ends at 34"},
	{versionAboveHead, "inlined rows begin above the head", func(l *testLake) {
		moveChunk(l, keyspace.InlineInsertKey(flushed, 15, 32, 0), keyspace.InlineInsertKey(flushed, 15, headID+1, 0))
	}, "begins at 34"},
	{overlappingVersions, "the live version begins before the ended one ends", func(l *testLake) {
		edit(l, columnKey(numbers, 2), func(m columnMessage) { m.BeginSnapshot = 10 })
	}, "begins at 10"},
	{overlappingVersions, "two ended versions", func(l *testLake) {
		copyTo(l, keyspace.TableEntity(gone).History(26), keyspace.TableEntity(gone).History(27), func(m tableMessage) {
			m.EndSnapshot = keyspace.Some[uint64](27)
		})
	}, "begins at"},
	{idBeyondCounter, "a data file", func(l *testLake) { newDataFile(l, numbers, 999, func(dataFileMessage) {}) }, "data_file_id=999"},
	{idBeyondCounter, "a view", func(l *testLake) {
		copyTo(l, keyspace.ViewEntity(small).Current(), keyspace.ViewEntity(999).Current(), func(m *keyspace.ViewValue) {
			m.ViewID, m.ViewName = 999, "another"
		})
	}, "view_id=999"},
	{idReused, "a file in two tables", func(l *testLake) { newDataFile(l, flushed, firstFile, func(dataFileMessage) {}) }, "data_file_id=1"},
	{idReused, "a data file and a delete file", func(l *testLake) { newDataFile(l, flushed, 4, func(dataFileMessage) {}) }, "delete_file_id=4"},
	{idReused, "a view and a macro", func(l *testLake) {
		copyTo(l, keyspace.ViewEntity(small).Current(), keyspace.ViewEntity(twice).Current(), func(m *keyspace.ViewValue) {
			m.ViewID, m.ViewName = twice, "another"
		})
	}, "macro_id=7"},
}

// moveChunk gives a chunk and its locator another key.
func moveChunk(l *testLake, from, to keyspace.Key) {
	l.Helper()
	var last uint64
	copyTo(l, from, to, func(m *keyspace.InlineChunkValue) { last = m.RowIDStart + m.RowCount - 1 })
	locator := func(key keyspace.Key) keyspace.Key {
		return keyspace.InlineChunkLocatorKey(key.Component(keyspace.TableID), last, key.Component(keyspace.SchemaVersion),
			key.Component(keyspace.BeginSnapshot), key.Component(keyspace.ChunkSequence))
	}
	copyTo(l, locator(from), locator(to), func(m *keyspace.InlineChunkRangeValue) {
		m.SchemaVersion, m.BeginSnapshot = to.Component(keyspace.SchemaVersion), to.Component(keyspace.BeginSnapshot)
		m.ChunkSequence = to.Component(keyspace.ChunkSequence)
	})
	l.delete(from, locator(from))
}

// dropped ends the live version of the table parts, and its entry, at the head.
func dropped(l *testLake, table uint64) {
	l.Helper()
	live := keyspace.TableEntity(table).Current()
	var name string
	copyTo(l, live, keyspace.TableEntity(table).History(headID), func(m tableMessage) {
		m.EndSnapshot, name = keyspace.Some[uint64](headID), m.TableName
	})
	schema := uint64(mainSchema)
	if table == parts {
		schema = otherSchema
	}
	l.delete(live, keyspace.NameKey(keyspace.NameOfTable, schema, name, table))
}
