package ducklake

import (
	"moraine/keyspace"
	"moraine/relation"
)

// family is the records of one kind and the catalog tables whose rows they hold. Mapping conventions of RFC 0002: one-to-one
// side tables merge into their parent's record, child tables without a life of their own embed in it.
type family struct {
	current keyspace.Kind
	history keyspace.Kind // of ended versions; the zero Kind when the records have none
	// parent is the table with one row for each record; nil for records that are containers of rows, there as long as they
	// hold any.
	parent   *catalogTable
	children []*catalogTable
	// counted says that the second id of the keys comes from a counter of the whole catalog.
	counted bool
	// begun gives the snapshot that began a version; nil where the order of the keys is that of insertion.
	begun func(message keyspace.Message) uint64
	// carry copies what no row shows from the record that a version continues, nil for a new entity.
	carry func(message, previous keyspace.Message)
	// directory is the first format with a directory entry for each current record; 0 when there is none.
	directory uint64
}

// catalogTable is one of DuckLake's tables.
type catalogTable struct {
	name       string
	primaryKey string
	// identity names the columns that hold the ids of the record's key, in its order; "" where the row does not have the id.
	identity []string
	// natural names the columns that tell the rows within one record apart.
	natural []string
	// selective names the columns by which a scan is cheap.
	selective []string
	codec     rowCodec
	// locate gives the ids where identity cannot; nil otherwise.
	locate func(row relation.Row, layout *layout) ([]uint64, bool)
	// sorted says that a record has the rows in the order of their natural columns, which are numbers.
	sorted bool
	// scope are the first ids of the keys of a table that has only some records of its family.
	scope []uint64

	family         *family
	standard       []relation.Column // as DuckLake creates the table
	standardLayout *layout
}

// endColumn is the column that says where a version ended.
const endColumn = "end_snapshot"

func countedFamily(family *family) *family {
	family.counted = true
	return family
}

// families are all records that the catalog tables live in, but for ducklake_inlined_data_tables.
var families = []*family{
	snapshots, schemas, tables, views, tags, columns, dataFiles, fileColumnStatistics, deleteFiles, tableStatistics,
	tableColumnStatistics, partitions, scheduledFiles, mappings, schemaVersions, macros, sorts, options,
}

// members gives the tables of the family, the parent first.
func (f *family) members() []*catalogTable {
	if f.parent == nil {
		return f.children
	}
	return append([]*catalogTable{f.parent}, f.children...)
}

// components gives the number of ids in a key of a live record.
func (f *family) components() int { return len(f.current.Components()) }

// versioned says whether ended versions are kept as records.
func (f *family) versioned() bool { return f.history != 0 }

func versionedFamily(current keyspace.Kind) *family {
	history, _ := current.History()
	return &family{current: current, history: history}
}

func unversionedFamily(kind keyspace.Kind) *family { return &family{current: kind} }

// of links a family with its tables.
func (f *family) of(parent *catalogTable, children ...*catalogTable) *family {
	f.parent, f.children = parent, children
	for _, member := range f.members() {
		member.family = f
	}
	return f
}
