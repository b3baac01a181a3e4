package keyspace

// Keys of inlined data (RFC 0005). Those of arch, inline_delete and chunk_range are superseded: they can be read, and made
// to be removed.

// InlineSchemaKey is the Arrow schema of one schema version of a table.
func InlineSchemaKey(tableID, schemaVersion uint64) Key {
	return idsKey(KindInlineSchema, tableID, schemaVersion)
}

// InlineInsertKey is a chunk of inlined rows. chunkSequence counts the chunks of one commit and table from 0.
func InlineInsertKey(tableID, schemaVersion, beginSnapshot, chunkSequence uint64) Key {
	return idsKey(KindInlineInsert, tableID, schemaVersion, beginSnapshot, chunkSequence)
}

// InlineInlineDeleteKey is the deletion of an inlined row, up to format 8.
func InlineInlineDeleteKey(tableID, rowID uint64) Key {
	return idsKey(KindInlineInlineDelete, tableID, rowID)
}

// InlineFileDeleteKey is the deletion of a row of a data file.
func InlineFileDeleteKey(tableID, dataFileID, rowID uint64) Key {
	return idsKey(KindInlineFileDelete, tableID, dataFileID, rowID)
}

// InlineArchivedInsertKey is a chunk that was moved away from live.
func InlineArchivedInsertKey(tableID, schemaVersion, beginSnapshot, chunkSequence uint64) Key {
	return idsKey(KindInlineArchivedInsert, tableID, schemaVersion, beginSnapshot, chunkSequence)
}

// InlineArchivedInlineDeleteKey is the deletion of an inlined row, moved away from live.
func InlineArchivedInlineDeleteKey(tableID, rowID uint64) Key {
	return idsKey(KindInlineArchivedInlineDelete, tableID, rowID)
}

// InlineArchivedFileDeleteKey is the deletion of a row of a data file, moved away from live.
func InlineArchivedFileDeleteKey(tableID, dataFileID, rowID uint64) Key {
	return idsKey(KindInlineArchivedFileDelete, tableID, dataFileID, rowID)
}

// InlineFileDeleteTableKey says that ducklake_inlined_delete_<table> exists.
func InlineFileDeleteTableKey(tableID uint64) Key { return idsKey(KindInlineFileDeleteTable, tableID) }

// InlineChunkRangeKey finds a chunk by row id, in formats 6 and 7. rowIDEnd is the last row id of the chunk.
func InlineChunkRangeKey(tableID, rowIDEnd uint64) Key {
	return idsKey(KindInlineChunkRange, tableID, rowIDEnd)
}

// InlineSchemaDroppedKey says that a schema version is no longer registered.
func InlineSchemaDroppedKey(tableID, schemaVersion uint64) Key {
	return idsKey(KindInlineSchemaDropped, tableID, schemaVersion)
}

// InlineChunkLocatorKey finds a chunk by row id: rowIDEnd is the last row id of the chunk that the other components name.
// The chunks that may hold a row id are those from [Prefix] of the table and the row id on.
func InlineChunkLocatorKey(tableID, rowIDEnd, schemaVersion, beginSnapshot, chunkSequence uint64) Key {
	return idsKey(KindInlineChunkLocator, tableID, rowIDEnd, schemaVersion, beginSnapshot, chunkSequence)
}

// InlineRowTombstoneKey is one deletion of an inlined row, from format 9 on.
func InlineRowTombstoneKey(tableID, rowID, endSnapshot uint64) Key {
	return idsKey(KindInlineRowTombstone, tableID, rowID, endSnapshot)
}
