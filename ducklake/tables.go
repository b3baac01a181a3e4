package ducklake

// metadataTable is the first table that DuckLake creates, and the one by which it finds a lake.
const metadataTable = "ducklake_metadata"

// creationOrder are the names of the catalog tables in the order in which DuckLake creates them, which is the order in
// which introspection lists them when nothing else is known.
var creationOrder = []string{
	metadataTable, "ducklake_snapshot", "ducklake_snapshot_changes", "ducklake_schema", "ducklake_table", "ducklake_view",
	"ducklake_tag", "ducklake_column_tag", "ducklake_data_file", "ducklake_file_column_stats", "ducklake_file_variant_stats",
	"ducklake_delete_file", "ducklake_column", "ducklake_table_stats", "ducklake_table_column_stats",
	"ducklake_partition_info", "ducklake_partition_column", "ducklake_file_partition_value",
	"ducklake_files_scheduled_for_deletion", "ducklake_inlined_data_tables", "ducklake_column_mapping",
	"ducklake_name_mapping", "ducklake_schema_versions", "ducklake_macro", "ducklake_macro_impl",
	"ducklake_macro_parameters", "ducklake_sort_info", "ducklake_sort_expression",
}

// catalogTables are all catalog tables by name.
var catalogTables = func() map[string]*catalogTable {
	byName := map[string]*catalogTable{}
	for _, family := range append([]*family{inlineSchemas}, families...) {
		for _, member := range family.members() {
			member.prepare()
			byName[member.name] = member
		}
	}
	return byName
}()

// prepare derives what the other properties say.
func (t *catalogTable) prepare() {
	t.standard = t.codec.columns()
	for i := range t.standard {
		if t.standard[i].Name == t.primaryKey {
			t.standard[i].NotNull = true
		}
	}
	t.standardLayout = t.layoutOf(t.standard)
}

// place gives the table's place among the embedded tables of its family.
func (t *catalogTable) place() int {
	for place, child := range t.family.children {
		if child == t {
			return place
		}
	}
	return -1
}
