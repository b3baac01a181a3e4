package keyspace

// Component is the meaning of one part of a key after its leading bytes.
type Component uint8

// The components. All are fixed-width ids, but for the two strings at the end.
const (
	componentNone Component = iota
	SchemaID
	TableID
	ViewID
	ColumnID
	PartitionID
	DataFileID
	DeleteFileID
	ObjectID
	ScopeKind
	ScopeID
	SortID
	MacroID
	MappingID
	IndexID
	SnapshotID
	BeginSnapshot
	EndSnapshot
	SchemaVersion
	ChunkSequence
	RowID
	RowIDEnd
	NameKind
	ParentID
	EntityID

	ExactName    // UTF-8
	CanonicalKey // bytes; see [CanonicalKeyBuilder]

	componentCount
)

// isString says whether the component is written as a byte string; the others are 8 bytes, big endian. That holds for
// NameKind too: RFC 0002 gives no width for it, and u64 is its general rule and what option's scope kind has.
func (c Component) isString() bool { return c >= ExactName }

// String gives the name of the component in the specification.
func (c Component) String() string {
	if c >= componentCount {
		return ""
	}
	return componentNames[c]
}

var componentNames = [componentCount]string{
	SchemaID:      "schema_id",
	TableID:       "table_id",
	ViewID:        "view_id",
	ColumnID:      "column_id",
	PartitionID:   "partition_id",
	DataFileID:    "data_file_id",
	DeleteFileID:  "delete_file_id",
	ObjectID:      "object_id",
	ScopeKind:     "scope_kind",
	ScopeID:       "scope_id",
	SortID:        "sort_id",
	MacroID:       "macro_id",
	MappingID:     "mapping_id",
	IndexID:       "index_id",
	SnapshotID:    "snapshot_id",
	BeginSnapshot: "begin_snapshot",
	EndSnapshot:   "end_snapshot",
	SchemaVersion: "schema_version",
	ChunkSequence: "chunk_seq",
	RowID:         "row_id",
	RowIDEnd:      "row_id_end",
	NameKind:      "kind",
	ParentID:      "parent_id",
	EntityID:      "entity_id",
	ExactName:     "exact_name",
	CanonicalKey:  "canonical_key",
}

// Values of [NameKind]: the parent of a schema is 0, the parent of a table is its schema.
const (
	NameOfSchema uint64 = 0
	NameOfTable  uint64 = 1
)

// Values of [ScopeKind]; the scope id of ScopeGlobal is 0.
const (
	ScopeGlobal uint64 = 0
	ScopeSchema uint64 = 1
	ScopeTable  uint64 = 2
)
