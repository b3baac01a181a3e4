package check

import (
	"fmt"

	"moraine/keyspace"
)

// maximumIDs is the most ids that a message repeats of its key.
const maximumIDs = 3

// identity is the ids that a message repeats of its key, in the order of the key.
type identity struct {
	ids   [maximumIDs]uint64
	count int
}

func identify(ids ...uint64) identity {
	found := identity{count: len(ids)}
	copy(found.ids[:], ids)
	return found
}

// identityIn gives the ids in a message; none for messages that repeat nothing.
func identityIn(message keyspace.Message) identity {
	switch m := message.(type) {
	case *keyspace.SnapshotValue:
		return identify(m.SnapshotID)
	case *keyspace.SchemaValue:
		return identify(m.SchemaID)
	case *keyspace.TableValue:
		return identify(m.TableID)
	case *keyspace.ViewValue:
		return identify(m.ViewID)
	case *keyspace.MacroValue:
		return identify(m.MacroID)
	case *keyspace.ColumnValue:
		return identify(m.TableID, m.ColumnID)
	case *keyspace.PartitionValue:
		return identify(m.TableID, m.PartitionID)
	case *keyspace.SortValue:
		return identify(m.TableID, m.SortID)
	case *keyspace.IndexValue:
		return identify(m.TableID, m.IndexID)
	case *keyspace.MappingValue:
		return identify(m.TableID, m.MappingID)
	case *keyspace.DataFileValue:
		return identify(m.TableID, m.DataFileID)
	case *keyspace.DeleteFileValue:
		return identify(m.TableID, m.DeleteFileID)
	case *keyspace.FileColumnStatsValue:
		return identify(m.TableID, m.DataFileID, m.ColumnID)
	case *keyspace.TableStatsValue:
		return identify(m.TableID)
	case *keyspace.TableColumnStatsValue:
		return identify(m.TableID, m.ColumnID)
	case *keyspace.TagValue:
		return identify(m.ObjectID)
	case *keyspace.GcFileValue:
		return identify(m.DataFileID)
	}
	return identity{}
}

// lifetime is when a version begins and ends.
type lifetime struct {
	begin uint64
	end   keyspace.Optional[uint64]
}

// lifetimeOf gives the lifetime of an entity's version; false for messages that have none.
func lifetimeOf(message keyspace.Message) (lifetime, bool) {
	switch m := message.(type) {
	case *keyspace.SchemaValue:
		return lifetime{m.BeginSnapshot, m.EndSnapshot}, true
	case *keyspace.TableValue:
		return lifetime{m.BeginSnapshot, m.EndSnapshot}, true
	case *keyspace.ViewValue:
		return lifetime{m.BeginSnapshot, m.EndSnapshot}, true
	case *keyspace.MacroValue:
		return lifetime{m.BeginSnapshot, m.EndSnapshot}, true
	case *keyspace.ColumnValue:
		return lifetime{m.BeginSnapshot, m.EndSnapshot}, true
	case *keyspace.PartitionValue:
		return lifetime{m.BeginSnapshot, m.EndSnapshot}, true
	case *keyspace.SortValue:
		return lifetime{m.BeginSnapshot, m.EndSnapshot}, true
	case *keyspace.IndexValue:
		return lifetime{m.BeginSnapshot, m.EndSnapshot}, true
	case *keyspace.DataFileValue:
		return lifetime{m.BeginSnapshot, m.EndSnapshot}, true
	case *keyspace.DeleteFileValue:
		return lifetime{m.BeginSnapshot, m.EndSnapshot}, true
	}
	return lifetime{}, false
}

// checkIdentity compares a value with its key; it gives what differs, "" when nothing does.
func checkIdentity(key keyspace.Key, message keyspace.Message) string {
	found := identityIn(message)
	components := key.Kind().Components()
	for i := range found.count {
		if found.ids[i] != key.Component(components[i]) {
			return fmt.Sprintf("%s %d", components[i], found.ids[i])
		}
	}
	of, versioned := lifetimeOf(message)
	if !versioned {
		return checkPlace(key, message)
	}
	ended := key.Kind().Subspace() == keyspace.SubspaceHistory
	switch {
	case !ended && of.end.Set:
		return fmt.Sprintf("end_snapshot %d", of.end.Value)
	case ended && !of.end.Set:
		return "no end_snapshot"
	case ended && of.end.Value != key.Component(keyspace.EndSnapshot):
		return fmt.Sprintf("end_snapshot %d", of.end.Value)
	}
	return ""
}

// checkPlace is checkIdentity for the values of inlined data.
func checkPlace(key keyspace.Key, message keyspace.Message) string {
	switch m := message.(type) {
	case *keyspace.InlineChunkRangeValue:
		if m.SchemaVersion != key.Component(keyspace.SchemaVersion) || m.BeginSnapshot != key.Component(keyspace.BeginSnapshot) ||
			m.ChunkSequence != key.Component(keyspace.ChunkSequence) {
			return fmt.Sprintf("schema_version %d, begin_snapshot %d, chunk_seq %d", m.SchemaVersion, m.BeginSnapshot, m.ChunkSequence)
		}
	case *keyspace.InlineInlineDeleteValue:
		if key.Kind() == keyspace.KindInlineRowTombstone && m.EndSnapshot != key.Component(keyspace.EndSnapshot) {
			return fmt.Sprintf("end_snapshot %d", m.EndSnapshot)
		}
	}
	return ""
}

// tableOf gives the catalog table that shows the records of a kind; "" when none does.
func tableOf(kind keyspace.Kind) string {
	if current, found := kind.Current(); found {
		kind = current
	}
	return catalogTables[kind]
}

var catalogTables = map[keyspace.Kind]string{
	keyspace.KindSnapshot:                "ducklake_snapshot",
	keyspace.KindCurrentSchema:           "ducklake_schema",
	keyspace.KindCurrentTable:            "ducklake_table",
	keyspace.KindCurrentView:             "ducklake_view",
	keyspace.KindCurrentColumn:           "ducklake_column",
	keyspace.KindCurrentPartition:        "ducklake_partition_info",
	keyspace.KindCurrentDataFile:         "ducklake_data_file",
	keyspace.KindCurrentDeleteFile:       "ducklake_delete_file",
	keyspace.KindCurrentFileColumnStats:  "ducklake_file_column_stats",
	keyspace.KindCurrentTableStats:       "ducklake_table_stats",
	keyspace.KindCurrentTableColumnStats: "ducklake_table_column_stats",
	keyspace.KindCurrentTag:              "ducklake_tag",
	keyspace.KindCurrentOption:           "ducklake_metadata",
	keyspace.KindCurrentSort:             "ducklake_sort_info",
	keyspace.KindCurrentMacro:            "ducklake_macro",
	keyspace.KindCurrentMapping:          "ducklake_column_mapping",
	keyspace.KindGcFile:                  "ducklake_files_scheduled_for_deletion",
	keyspace.KindSchemaVersion:           "ducklake_schema_versions",
	keyspace.KindInlineSchema:            "ducklake_inlined_data_tables",
}
