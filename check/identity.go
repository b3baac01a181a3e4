package check

import "moraine/keyspace"

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
