package ducklake

import "moraine/keyspace"

// What hangs on a table: statistics, partitioning, sorting, column mappings.

var tableStatistics = func() *family {
	type row = keyspace.TableStatsValue
	return unversionedFamily(keyspace.KindCurrentTableStats).of(&catalogTable{
		name:     "ducklake_table_stats",
		identity: []string{"table_id"}, selective: []string{"table_id"},
		codec: parentRows(func(m *row) *keyspace.RowExtension { return &m.Extension },
			number("table_id", func(m *row) *uint64 { return &m.TableID }),
			number("record_count", func(m *row) *uint64 { return &m.RecordCount }),
			number("next_row_id", func(m *row) *uint64 { return &m.NextRowID }),
			number("file_size_bytes", func(m *row) *uint64 { return &m.FileSizeBytes }),
		),
	})
}()

var tableColumnStatistics = func() *family {
	type row = keyspace.TableColumnStatsValue
	return unversionedFamily(keyspace.KindCurrentTableColumnStats).of(&catalogTable{
		name:     "ducklake_table_column_stats",
		identity: []string{"table_id", "column_id"}, selective: []string{"table_id"},
		codec: parentRows(func(m *row) *keyspace.RowExtension { return &m.Extension },
			number("table_id", func(m *row) *uint64 { return &m.TableID }),
			number("column_id", func(m *row) *uint64 { return &m.ColumnID }),
			optionalFlag("contains_null", func(m *row) *keyspace.Optional[bool] { return &m.ContainsNull }),
			optionalFlag("contains_nan", func(m *row) *keyspace.Optional[bool] { return &m.ContainsNaN }),
			optionalText("min_value", func(m *row) *keyspace.Optional[string] { return &m.MinValue }),
			optionalText("max_value", func(m *row) *keyspace.Optional[string] { return &m.MaxValue }),
			optionalText("extra_stats", func(m *row) *keyspace.Optional[string] { return &m.ExtraStats }),
		),
	})
}()

var partitions = func() *family {
	type row = keyspace.PartitionValue
	type column = embeddedRow[keyspace.PartitionValue, keyspace.PartitionColumn]
	partition := &catalogTable{
		name:     "ducklake_partition_info",
		identity: []string{"table_id", "partition_id"}, selective: []string{"table_id"},
		codec: parentRows(func(m *row) *keyspace.RowExtension { return &m.Extension },
			number("partition_id", func(m *row) *uint64 { return &m.PartitionID }),
			number("table_id", func(m *row) *uint64 { return &m.TableID }),
			number("begin_snapshot", func(m *row) *uint64 { return &m.BeginSnapshot }),
			optionalNumber("end_snapshot", func(m *row) *keyspace.Optional[uint64] { return &m.EndSnapshot }),
		),
	}
	partitionColumn := &catalogTable{
		name:     "ducklake_partition_column",
		identity: []string{"table_id", "partition_id"}, natural: []string{"partition_key_index"},
		selective: []string{"table_id"},
		codec: embeddedRows[keyspace.PartitionValue, keyspace.PartitionColumn, *keyspace.PartitionValue](
			func(m *row) *[]keyspace.PartitionColumn { return &m.Columns },
			func(m *keyspace.PartitionColumn) *keyspace.RowExtension { return &m.Extension },
			number("partition_id", func(r *column) *uint64 { return &r.parent.PartitionID }),
			number("table_id", func(r *column) *uint64 { return &r.parent.TableID }),
			number("partition_key_index", func(r *column) *uint64 { return &r.child.PartitionKeyIndex }),
			number("column_id", func(r *column) *uint64 { return &r.child.ColumnID }),
			text("transform", func(r *column) *string { return &r.child.Transform }),
		),
	}
	return countedFamily(versionedFamily(keyspace.KindCurrentPartition)).of(partition, partitionColumn)
}()

var sorts = func() *family {
	type row = keyspace.SortValue
	type expression = embeddedRow[keyspace.SortValue, keyspace.SortExpression]
	sort := &catalogTable{
		name:     "ducklake_sort_info",
		identity: []string{"table_id", "sort_id"}, selective: []string{"table_id"},
		codec: parentRows(func(m *row) *keyspace.RowExtension { return &m.Extension },
			number("sort_id", func(m *row) *uint64 { return &m.SortID }),
			number("table_id", func(m *row) *uint64 { return &m.TableID }),
			number("begin_snapshot", func(m *row) *uint64 { return &m.BeginSnapshot }),
			optionalNumber("end_snapshot", func(m *row) *keyspace.Optional[uint64] { return &m.EndSnapshot }),
		),
	}
	sortExpression := &catalogTable{
		name:     "ducklake_sort_expression",
		identity: []string{"table_id", "sort_id"}, natural: []string{"sort_key_index"},
		selective: []string{"table_id"},
		codec: embeddedRows[keyspace.SortValue, keyspace.SortExpression, *keyspace.SortValue](
			func(m *row) *[]keyspace.SortExpression { return &m.Expressions },
			func(m *keyspace.SortExpression) *keyspace.RowExtension { return &m.Extension },
			number("sort_id", func(r *expression) *uint64 { return &r.parent.SortID }),
			number("table_id", func(r *expression) *uint64 { return &r.parent.TableID }),
			number("sort_key_index", func(r *expression) *uint64 { return &r.child.SortKeyIndex }),
			text("expression", func(r *expression) *string { return &r.child.Expression }),
			text("dialect", func(r *expression) *string { return &r.child.Dialect }),
			text("sort_direction", func(r *expression) *string { return &r.child.SortDirection }),
			text("null_order", func(r *expression) *string { return &r.child.NullOrder }),
		),
	}
	return countedFamily(versionedFamily(keyspace.KindCurrentSort)).of(sort, sortExpression)
}()

var mappings = func() *family {
	type row = keyspace.MappingValue
	mapping := &catalogTable{
		name:     "ducklake_column_mapping",
		identity: []string{"table_id", "mapping_id"}, selective: []string{"table_id", "mapping_id"},
		codec: parentRows(func(m *row) *keyspace.RowExtension { return &m.Extension },
			number("mapping_id", func(m *row) *uint64 { return &m.MappingID }),
			number("table_id", func(m *row) *uint64 { return &m.TableID }),
			text("type", func(m *row) *string { return &m.MapType }),
		),
	}
	return countedFamily(unversionedFamily(keyspace.KindCurrentMapping)).of(mapping, nameMappings)
}()

// nameMappings are the rows of a column mapping, which do not say what table the mapping is of.
var nameMappings = func() *catalogTable {
	type row = keyspace.MappingValue
	type name = embeddedRow[keyspace.MappingValue, keyspace.NameMapping]
	return &catalogTable{
		name:     "ducklake_name_mapping",
		identity: []string{"", "mapping_id"}, natural: []string{"column_id"}, sorted: true,
		selective: []string{"mapping_id"},
		codec: embeddedRows[keyspace.MappingValue, keyspace.NameMapping, *keyspace.MappingValue](
			func(m *row) *[]keyspace.NameMapping { return &m.NameMappings },
			func(m *keyspace.NameMapping) *keyspace.RowExtension { return &m.Extension },
			number("mapping_id", func(r *name) *uint64 { return &r.parent.MappingID }),
			number("column_id", func(r *name) *uint64 { return &r.child.ColumnID }),
			text("source_name", func(r *name) *string { return &r.child.SourceName }),
			number("target_field_id", func(r *name) *uint64 { return &r.child.TargetFieldID }),
			optionalNumber("parent_column", func(r *name) *keyspace.Optional[uint64] { return &r.child.ParentColumn }),
			flag("is_partition", func(r *name) *bool { return &r.child.IsPartition }),
		),
	}
}()
