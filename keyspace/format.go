package keyspace

// The formats of a store that this package has the layout of (RFC 0002, RFC 0015). What a format adds, all later ones have.
const (
	OldestFormat            = 9  // row_tombstone: one key for each deletion of an inlined row
	FormatWithNames         = 11 // the directory of current schema and table names
	FormatWithDeleteTargets = 12 // the directory of current delete files by data file
	NewestFormat            = FormatWithDeleteTargets
)

// WriterVersion is what the format record says about this implementation when it stamps a store; informational.
const WriterVersion = "moraine"

// DirectoryEntry gives the key of the directory entry that a current record has; false when it has none. Its value is an
// [EmptyValue]. Schemas and tables have one from [FormatWithNames] on, delete files from [FormatWithDeleteTargets] on.
func DirectoryEntry(message Message) (Key, bool) {
	switch m := message.(type) {
	case *SchemaValue:
		return NameKey(NameOfSchema, 0, m.SchemaName, m.SchemaID), true
	case *TableValue:
		return NameKey(NameOfTable, m.SchemaID, m.TableName, m.TableID), true
	case *DeleteFileValue:
		return DeleteTargetKey(m.TableID, m.DataFileID, m.DeleteFileID), !m.Extension.Null("data_file_id")
	}
	return Key{}, false
}
