package guard

import "moraine/keyspace"

// entity is what the rules compare in a row of a versioned table, or of ducklake_column_mapping.
type entity struct {
	kind  keyspace.Kind
	ids   []uint64 // as in the key
	begin uint64
	end   keyspace.Optional[uint64]
	// message is the row itself.
	message   keyspace.Message
	extension *keyspace.RowExtension
}

// live tells whether the version has not ended.
func (e *entity) live() bool { return !e.end.Set }

// id gives the id that tells the entity from others of its kind.
func (e *entity) id() uint64 { return e.ids[len(e.ids)-1] }

// table gives the table that the entity belongs to; false for one that belongs to a schema, and for schemas.
func (e *entity) table() (uint64, bool) { return e.ids[0], len(e.ids) == 2 }

// entityOf reads a row; false for kinds that have no versions and no ids of their own.
func entityOf(kind keyspace.Kind, message keyspace.Message) (entity, bool) {
	result := entity{kind: kind, message: message}
	switch m := message.(type) {
	case *keyspace.SchemaValue:
		result.ids, result.begin, result.end, result.extension = []uint64{m.SchemaID}, m.BeginSnapshot, m.EndSnapshot, &m.Extension
	case *keyspace.TableValue:
		result.ids, result.begin, result.end, result.extension = []uint64{m.TableID}, m.BeginSnapshot, m.EndSnapshot, &m.Extension
	case *keyspace.ViewValue:
		result.ids, result.begin, result.end, result.extension = []uint64{m.ViewID}, m.BeginSnapshot, m.EndSnapshot, &m.Extension
	case *keyspace.MacroValue:
		result.ids, result.begin, result.end, result.extension = []uint64{m.MacroID}, m.BeginSnapshot, m.EndSnapshot, &m.Extension
	case *keyspace.ColumnValue:
		result.ids, result.begin, result.end, result.extension = []uint64{m.TableID, m.ColumnID}, m.BeginSnapshot, m.EndSnapshot, &m.Extension
	case *keyspace.DataFileValue:
		result.ids, result.begin, result.end, result.extension = []uint64{m.TableID, m.DataFileID}, m.BeginSnapshot, m.EndSnapshot, &m.Extension
	case *keyspace.DeleteFileValue:
		result.ids, result.begin, result.end, result.extension = []uint64{m.TableID, m.DeleteFileID}, m.BeginSnapshot, m.EndSnapshot, &m.Extension
	case *keyspace.PartitionValue:
		result.ids, result.begin, result.end, result.extension = []uint64{m.TableID, m.PartitionID}, m.BeginSnapshot, m.EndSnapshot, &m.Extension
	case *keyspace.SortValue:
		result.ids, result.begin, result.end, result.extension = []uint64{m.TableID, m.SortID}, m.BeginSnapshot, m.EndSnapshot, &m.Extension
	case *keyspace.MappingValue:
		result.ids, result.extension = []uint64{m.TableID, m.MappingID}, &m.Extension
	default:
		return entity{}, false
	}
	return result, true
}

// versioned tells whether rows of a kind begin and end.
func versioned(kind keyspace.Kind) bool {
	_, found := kind.History()
	return found
}

// nouns are the kinds in the words of messages.
var nouns = map[keyspace.Kind]string{
	keyspace.KindCurrentSchema: "schema", keyspace.KindCurrentTable: "table", keyspace.KindCurrentView: "view",
	keyspace.KindCurrentMacro: "macro", keyspace.KindCurrentColumn: "column", keyspace.KindCurrentDataFile: "data file",
	keyspace.KindCurrentDeleteFile: "delete file", keyspace.KindCurrentPartition: "partitioning",
	keyspace.KindCurrentSort: "sort order", keyspace.KindCurrentMapping: "column mapping",
	keyspace.KindCurrentTableStats: "statistics of table",
}

// counter tells which counter of the snapshot gives a kind its ids.
type counter uint8

const (
	noCounter counter = iota // columns are counted for each table
	catalogCounter
	fileCounter
)

func counterOf(kind keyspace.Kind) counter {
	switch kind {
	case keyspace.KindCurrentColumn:
		return noCounter
	case keyspace.KindCurrentDataFile, keyspace.KindCurrentDeleteFile, keyspace.KindCurrentMapping:
		return fileCounter
	}
	return catalogCounter
}

// next gives the first id that a snapshot's counter has not given out.
func (c counter) next(snapshot *keyspace.SnapshotValue) uint64 {
	if c == fileCounter {
		return snapshot.NextFileID
	}
	return snapshot.NextCatalogID
}
