package keyspace

// Kind is one leaf of the key tree: a kind of record. The zero Kind is none.
type Kind uint8

// The kinds, in key order. CurrentX is the live version of an entity, HistoryX an ended one.
const (
	kindNone Kind = iota

	KindFormat
	KindHead
	KindMigration
	KindMaintenanceStatus

	KindSnapshot

	KindCurrentSchema
	KindCurrentTable
	KindCurrentView
	KindCurrentColumn
	KindCurrentPartition
	KindCurrentDataFile
	KindCurrentDeleteFile
	KindCurrentFileColumnStats
	KindCurrentTableStats
	KindCurrentTableColumnStats
	KindCurrentTag
	KindCurrentOption
	KindCurrentSort
	KindCurrentMacro
	KindCurrentMapping
	KindCurrentIndex

	KindGcFile

	KindHistorySchema
	KindHistoryTable
	KindHistoryView
	KindHistoryColumn
	KindHistoryPartition
	KindHistoryDataFile
	KindHistoryDeleteFile
	KindHistoryFileColumnStats
	KindHistoryTableStats
	KindHistoryTableColumnStats
	KindHistoryTag
	KindHistoryOption
	KindHistorySort
	KindHistoryMacro
	KindHistoryMapping
	KindHistoryIndex

	KindInlineSchema
	KindInlineInsert
	KindInlineInlineDelete
	KindInlineFileDelete
	KindInlineArchivedInsert
	KindInlineArchivedInlineDelete
	KindInlineArchivedFileDelete
	KindInlineFileDeleteTable
	KindInlineChunkRange
	KindInlineSchemaDropped
	KindInlineChunkLocator
	KindInlineRowTombstone

	KindIndexUnique
	KindIndexMulti
	KindSchemaVersion
	KindChangelog
	KindName
	KindDeleteTarget

	kindCount
)

// layout is what the keys and values of one kind look like.
type layout struct {
	name       string // as in the specification: path of the key tree
	prefix     string // the leading bytes, one for each level of the key tree
	components []Component
	newMessage func() Message
}

// layouts is the key tree, RFC 0002 and RFC 0005 in one table. A byte below the subspace is the ordinal of the variant
// plus 2. The order of the variants is permanent; a new one goes to the end of its level.
//
// No leading bytes are a prefix of another kind's, so they can be read from the left.
var layouts = [kindCount]layout{
	// System: one record each.
	KindFormat:            {"sys/format", "\x02\x02", nil, message[FormatValue]},
	KindHead:              {"sys/head", "\x02\x03", nil, message[HeadValue]},
	KindMigration:         {"sys/migration", "\x02\x04", nil, message[MigrationValue]},
	KindMaintenanceStatus: {"sys/maintenance_status", "\x02\x05", nil, message[MaintenanceStatusValue]},

	// Snapshot: one record for each, never overwritten.
	KindSnapshot: {"snapshot", "\x03", []Component{SnapshotID}, message[SnapshotValue]},

	// Current: 0x02 for entities, then the kind of entity.
	KindCurrentSchema:           {"current/schema", "\x04\x02\x02", []Component{SchemaID}, message[SchemaValue]},
	KindCurrentTable:            {"current/table", "\x04\x02\x03", []Component{TableID}, message[TableValue]},
	KindCurrentView:             {"current/view", "\x04\x02\x04", []Component{ViewID}, message[ViewValue]},
	KindCurrentColumn:           {"current/column", "\x04\x02\x05", []Component{TableID, ColumnID}, message[ColumnValue]},
	KindCurrentPartition:        {"current/partition", "\x04\x02\x06", []Component{TableID, PartitionID}, message[PartitionValue]},
	KindCurrentDataFile:         {"current/file", "\x04\x02\x07", []Component{TableID, DataFileID}, message[DataFileValue]},
	KindCurrentDeleteFile:       {"current/delfile", "\x04\x02\x08", []Component{TableID, DeleteFileID}, message[DeleteFileValue]},
	KindCurrentFileColumnStats:  {"current/fstat", "\x04\x02\x09", []Component{TableID, DataFileID, ColumnID}, message[FileColumnStatsValue]},
	KindCurrentTableStats:       {"current/tstat", "\x04\x02\x0a", []Component{TableID}, message[TableStatsValue]},
	KindCurrentTableColumnStats: {"current/tcstat", "\x04\x02\x0b", []Component{TableID, ColumnID}, message[TableColumnStatsValue]},
	KindCurrentTag:              {"current/tag", "\x04\x02\x0c", []Component{ObjectID}, message[TagValue]},
	KindCurrentOption:           {"current/option", "\x04\x02\x0d", []Component{ScopeKind, ScopeID}, message[OptionScopeValue]},
	KindCurrentSort:             {"current/sort", "\x04\x02\x0e", []Component{TableID, SortID}, message[SortValue]},
	KindCurrentMacro:            {"current/macro", "\x04\x02\x0f", []Component{MacroID}, message[MacroValue]},
	KindCurrentMapping:          {"current/mapping", "\x04\x02\x10", []Component{TableID, MappingID}, message[MappingValue]},
	KindCurrentIndex:            {"current/index", "\x04\x02\x11", []Component{TableID, IndexID}, message[IndexValue]},

	// Current: 0x03 for files that wait for their deletion.
	KindGcFile: {"current/gcfile", "\x04\x03", []Component{DataFileID}, message[GcFileValue]},

	// History: the kind of entity without current's 0x02, its components, and where the version ended. The kinds
	// without versions (fstat, tstat, tcstat, tag, option, mapping) have a place here, and nothing writes them.
	KindHistorySchema:           {"history/schema", "\x05\x02", []Component{SchemaID, EndSnapshot}, message[SchemaValue]},
	KindHistoryTable:            {"history/table", "\x05\x03", []Component{TableID, EndSnapshot}, message[TableValue]},
	KindHistoryView:             {"history/view", "\x05\x04", []Component{ViewID, EndSnapshot}, message[ViewValue]},
	KindHistoryColumn:           {"history/column", "\x05\x05", []Component{TableID, ColumnID, EndSnapshot}, message[ColumnValue]},
	KindHistoryPartition:        {"history/partition", "\x05\x06", []Component{TableID, PartitionID, EndSnapshot}, message[PartitionValue]},
	KindHistoryDataFile:         {"history/file", "\x05\x07", []Component{TableID, DataFileID, EndSnapshot}, message[DataFileValue]},
	KindHistoryDeleteFile:       {"history/delfile", "\x05\x08", []Component{TableID, DeleteFileID, EndSnapshot}, message[DeleteFileValue]},
	KindHistoryFileColumnStats:  {"history/fstat", "\x05\x09", []Component{TableID, DataFileID, ColumnID, EndSnapshot}, message[FileColumnStatsValue]},
	KindHistoryTableStats:       {"history/tstat", "\x05\x0a", []Component{TableID, EndSnapshot}, message[TableStatsValue]},
	KindHistoryTableColumnStats: {"history/tcstat", "\x05\x0b", []Component{TableID, ColumnID, EndSnapshot}, message[TableColumnStatsValue]},
	KindHistoryTag:              {"history/tag", "\x05\x0c", []Component{ObjectID, EndSnapshot}, message[TagValue]},
	KindHistoryOption:           {"history/option", "\x05\x0d", []Component{ScopeKind, ScopeID, EndSnapshot}, message[OptionScopeValue]},
	KindHistorySort:             {"history/sort", "\x05\x0e", []Component{TableID, SortID, EndSnapshot}, message[SortValue]},
	KindHistoryMacro:            {"history/macro", "\x05\x0f", []Component{MacroID, EndSnapshot}, message[MacroValue]},
	KindHistoryMapping:          {"history/mapping", "\x05\x10", []Component{TableID, MappingID, EndSnapshot}, message[MappingValue]},
	KindHistoryIndex:            {"history/index", "\x05\x11", []Component{TableID, IndexID, EndSnapshot}, message[IndexValue]},

	// Inline (RFC 0005). Below live (0x03) and arch (0x04) comes the operation. Nothing writes arch; inline_delete was
	// replaced by row_tombstone in format 9, chunk_range by chunk_locator in format 8.
	KindInlineSchema:               {"inline/schema", "\x06\x02", []Component{TableID, SchemaVersion}, message[InlineSchemaValue]},
	KindInlineInsert:               {"inline/live/insert", "\x06\x03\x02", []Component{TableID, SchemaVersion, BeginSnapshot, ChunkSequence}, message[InlineChunkValue]},
	KindInlineInlineDelete:         {"inline/live/inline_delete", "\x06\x03\x03", []Component{TableID, RowID}, message[InlineInlineDeleteValue]},
	KindInlineFileDelete:           {"inline/live/file_delete", "\x06\x03\x04", []Component{TableID, DataFileID, RowID}, message[InlineFileDeleteValue]},
	KindInlineArchivedInsert:       {"inline/arch/insert", "\x06\x04\x02", []Component{TableID, SchemaVersion, BeginSnapshot, ChunkSequence}, message[InlineChunkValue]},
	KindInlineArchivedInlineDelete: {"inline/arch/inline_delete", "\x06\x04\x03", []Component{TableID, RowID}, message[InlineInlineDeleteValue]},
	KindInlineArchivedFileDelete:   {"inline/arch/file_delete", "\x06\x04\x04", []Component{TableID, DataFileID, RowID}, message[InlineFileDeleteValue]},
	KindInlineFileDeleteTable:      {"inline/file_delete_table", "\x06\x05", []Component{TableID}, message[InlineFileDeleteTableValue]},
	KindInlineChunkRange:           {"inline/chunk_range", "\x06\x06", []Component{TableID, RowIDEnd}, message[InlineChunkRangeValue]},
	KindInlineSchemaDropped:        {"inline/schema_dropped", "\x06\x07", []Component{TableID, SchemaVersion}, message[InlineSchemaDroppedValue]},
	KindInlineChunkLocator:         {"inline/chunk_locator", "\x06\x08", []Component{TableID, RowIDEnd, SchemaVersion, BeginSnapshot, ChunkSequence}, message[InlineChunkRangeValue]},
	KindInlineRowTombstone:         {"inline/row_tombstone", "\x06\x09", []Component{TableID, RowID, EndSnapshot}, message[InlineInlineDeleteValue]},

	// Index entries, schema versions, changelog, and the two directories of formats 11 and 12.
	KindIndexUnique:   {"index/unique", "\x07\x02", []Component{IndexID, CanonicalKey}, message[IndexUniqueValue]},
	KindIndexMulti:    {"index/multi", "\x07\x03", []Component{IndexID, CanonicalKey, RowID}, message[EmptyValue]},
	KindSchemaVersion: {"schema_version", "\x08", []Component{TableID, BeginSnapshot}, message[SchemaVersionValue]},
	KindChangelog:     {"changelog", "\x09", []Component{SnapshotID}, message[ChangelogValue]},
	KindName:          {"name", "\x0a", []Component{NameKind, ParentID, ExactName, EntityID}, message[EmptyValue]},
	KindDeleteTarget:  {"delete_target", "\x0b", []Component{TableID, DataFileID, DeleteFileID}, message[EmptyValue]},
}

// layout gives the layout of a kind; for a number that is no kind, the empty one.
func (k Kind) layout() *layout {
	if k >= kindCount {
		k = kindNone
	}
	return &layouts[k]
}

// String gives the name of the kind in the specification, such as current/table.
func (k Kind) String() string { return k.layout().name }

// Components gives the components of the kind's keys, in order. The slice must not be changed.
func (k Kind) Components() []Component { return k.layout().components }

// Subspace gives the subspace of the kind's keys.
func (k Kind) Subspace() Subspace {
	prefix := k.layout().prefix
	if prefix == "" {
		return 0
	}
	return Subspace(prefix[0])
}

// TableScoped says whether the kind's keys start with a table id, so that [Prefix] of a kind and a table is meaningful.
func (k Kind) TableScoped() bool {
	components := k.layout().components
	return len(components) > 0 && components[0] == TableID
}

// Current gives the kind of an entity's live version, and History the kind of its ended ones. found is false for a kind
// that is no entity's.
func (k Kind) Current() (current Kind, found bool) {
	switch {
	case k >= KindCurrentSchema && k <= KindCurrentIndex:
		return k, true
	case k >= KindHistorySchema && k <= KindHistoryIndex:
		return k - KindHistorySchema + KindCurrentSchema, true
	}
	return kindNone, false
}

// History is the counterpart of Current.
func (k Kind) History() (history Kind, found bool) {
	current, found := k.Current()
	if !found {
		return kindNone, false
	}
	return current - KindCurrentSchema + KindHistorySchema, true
}

// Kinds gives all kinds, in key order.
func Kinds() []Kind {
	kinds := make([]Kind, 0, kindCount-1)
	for kind := kindNone + 1; kind < kindCount; kind++ {
		kinds = append(kinds, kind)
	}
	return kinds
}

// kindsBySubspace are the kinds that a first byte leaves to choose from.
var kindsBySubspace = func() (kinds [256][]Kind) {
	for _, kind := range Kinds() {
		subspace := kind.Subspace()
		kinds[subspace] = append(kinds[subspace], kind)
	}
	return kinds
}()

// kindOf finds the kind whose leading bytes the key has.
func kindOf(key []byte) (Kind, bool) {
	if len(key) == 0 {
		return kindNone, false
	}
	for _, kind := range kindsBySubspace[key[0]] {
		prefix := layouts[kind].prefix
		if len(key) >= len(prefix) && string(key[:len(prefix)]) == prefix {
			return kind, true
		}
	}
	return kindNone, false
}
