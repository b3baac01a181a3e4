package ducklake

import "moraine/keyspace"

// Data files and delete files with their statistics: what a commit of data writes.

var dataFiles = func() *family {
	type row = keyspace.DataFileValue
	type value = embeddedRow[keyspace.DataFileValue, keyspace.FilePartitionValue]
	dataFile := &catalogTable{
		name: "ducklake_data_file", primaryKey: "data_file_id",
		identity: []string{"table_id", "data_file_id"}, selective: []string{"table_id", "data_file_id"},
		codec: parentRows(func(m *row) *keyspace.RowExtension { return &m.Extension },
			number("data_file_id", func(m *row) *uint64 { return &m.DataFileID }),
			number("table_id", func(m *row) *uint64 { return &m.TableID }),
			number("begin_snapshot", func(m *row) *uint64 { return &m.BeginSnapshot }).in(3),
			optionalNumber("end_snapshot", func(m *row) *keyspace.Optional[uint64] { return &m.EndSnapshot }),
			optionalNumber("file_order", func(m *row) *keyspace.Optional[uint64] { return &m.FileOrder }),
			text("path", func(m *row) *string { return &m.Path }),
			flag("path_is_relative", func(m *row) *bool { return &m.PathIsRelative }),
			text("file_format", func(m *row) *string { return &m.FileFormat }),
			number("record_count", func(m *row) *uint64 { return &m.RecordCount }).in(9),
			number("file_size_bytes", func(m *row) *uint64 { return &m.FileSizeBytes }).in(10),
			number("footer_size", func(m *row) *uint64 { return &m.FooterSize }),
			optionalNumber("row_id_start", func(m *row) *keyspace.Optional[uint64] { return &m.RowIDStart }),
			optionalNumber("partition_id", func(m *row) *keyspace.Optional[uint64] { return &m.PartitionID }),
			optionalText("encryption_key", func(m *row) *keyspace.Optional[string] { return &m.EncryptionKey }),
			optionalNumber("mapping_id", func(m *row) *keyspace.Optional[uint64] { return &m.MappingID }),
			optionalNumber("partial_max", func(m *row) *keyspace.Optional[uint64] { return &m.PartialMax }),
		),
	}
	partitionValue := &catalogTable{
		name:     "ducklake_file_partition_value",
		identity: []string{"table_id", "data_file_id"}, natural: []string{"partition_key_index"},
		selective: []string{"table_id", "data_file_id"},
		codec: embeddedRows[keyspace.DataFileValue, keyspace.FilePartitionValue, *keyspace.DataFileValue](
			func(m *row) *[]keyspace.FilePartitionValue { return &m.PartitionValues },
			func(m *keyspace.FilePartitionValue) *keyspace.RowExtension { return &m.Extension },
			number("data_file_id", func(r *value) *uint64 { return &r.parent.DataFileID }),
			number("table_id", func(r *value) *uint64 { return &r.parent.TableID }),
			number("partition_key_index", func(r *value) *uint64 { return &r.child.PartitionKeyIndex }),
			text("partition_value", func(r *value) *string { return &r.child.PartitionValue }),
		),
	}
	return countedFamily(versionedFamily(keyspace.KindCurrentDataFile)).of(dataFile, partitionValue)
}()

var deleteFiles = func() *family {
	type row = keyspace.DeleteFileValue
	family := countedFamily(versionedFamily(keyspace.KindCurrentDeleteFile)).of(&catalogTable{
		name: "ducklake_delete_file", primaryKey: "delete_file_id",
		identity: []string{"table_id", "delete_file_id"}, selective: []string{"table_id", "delete_file_id"},
		codec: parentRows(func(m *row) *keyspace.RowExtension { return &m.Extension },
			number("delete_file_id", func(m *row) *uint64 { return &m.DeleteFileID }),
			number("table_id", func(m *row) *uint64 { return &m.TableID }),
			number("begin_snapshot", func(m *row) *uint64 { return &m.BeginSnapshot }).in(3),
			optionalNumber("end_snapshot", func(m *row) *keyspace.Optional[uint64] { return &m.EndSnapshot }),
			number("data_file_id", func(m *row) *uint64 { return &m.DataFileID }),
			text("path", func(m *row) *string { return &m.Path }),
			flag("path_is_relative", func(m *row) *bool { return &m.PathIsRelative }),
			text("format", func(m *row) *string { return &m.Format }),
			number("delete_count", func(m *row) *uint64 { return &m.DeleteCount }),
			number("file_size_bytes", func(m *row) *uint64 { return &m.FileSizeBytes }),
			number("footer_size", func(m *row) *uint64 { return &m.FooterSize }),
			optionalText("encryption_key", func(m *row) *keyspace.Optional[string] { return &m.EncryptionKey }),
			optionalNumber("partial_max", func(m *row) *keyspace.Optional[uint64] { return &m.PartialMax }),
		),
	})
	family.directory = keyspace.FormatWithDeleteTargets
	return family
}()

var fileColumnStatistics = func() *family {
	type row = keyspace.FileColumnStatsValue
	type variant = embeddedRow[keyspace.FileColumnStatsValue, keyspace.FileVariantStats]
	identity := []string{"table_id", "data_file_id", "column_id"}
	selective := []string{"table_id", "data_file_id"}
	statistics := &catalogTable{
		name: "ducklake_file_column_stats", identity: identity, selective: selective,
		codec: parentRows(func(m *row) *keyspace.RowExtension { return &m.Extension },
			number("data_file_id", func(m *row) *uint64 { return &m.DataFileID }),
			number("table_id", func(m *row) *uint64 { return &m.TableID }),
			number("column_id", func(m *row) *uint64 { return &m.ColumnID }),
			number("column_size_bytes", func(m *row) *uint64 { return &m.ColumnSizeBytes }),
			number("value_count", func(m *row) *uint64 { return &m.ValueCount }),
			number("null_count", func(m *row) *uint64 { return &m.NullCount }),
			optionalText("min_value", func(m *row) *keyspace.Optional[string] { return &m.MinValue }),
			optionalText("max_value", func(m *row) *keyspace.Optional[string] { return &m.MaxValue }),
			optionalFlag("contains_nan", func(m *row) *keyspace.Optional[bool] { return &m.ContainsNaN }),
			optionalText("extra_stats", func(m *row) *keyspace.Optional[string] { return &m.ExtraStats }),
		),
	}
	variants := &catalogTable{
		name: "ducklake_file_variant_stats", identity: identity, selective: selective, natural: []string{"variant_path"},
		codec: embeddedRows[keyspace.FileColumnStatsValue, keyspace.FileVariantStats, *keyspace.FileColumnStatsValue](
			func(m *row) *[]keyspace.FileVariantStats { return &m.VariantStats },
			func(m *keyspace.FileVariantStats) *keyspace.RowExtension { return &m.Extension },
			number("data_file_id", func(r *variant) *uint64 { return &r.parent.DataFileID }),
			number("table_id", func(r *variant) *uint64 { return &r.parent.TableID }),
			number("column_id", func(r *variant) *uint64 { return &r.parent.ColumnID }),
			text("variant_path", func(r *variant) *string { return &r.child.VariantPath }),
			text("shredded_type", func(r *variant) *string { return &r.child.ShreddedType }),
			number("column_size_bytes", func(r *variant) *uint64 { return &r.child.ColumnSizeBytes }),
			number("value_count", func(r *variant) *uint64 { return &r.child.ValueCount }),
			number("null_count", func(r *variant) *uint64 { return &r.child.NullCount }),
			optionalText("min_value", func(r *variant) *keyspace.Optional[string] { return &r.child.MinValue }),
			optionalText("max_value", func(r *variant) *keyspace.Optional[string] { return &r.child.MaxValue }),
			optionalFlag("contains_nan", func(r *variant) *keyspace.Optional[bool] { return &r.child.ContainsNaN }),
			optionalText("extra_stats", func(r *variant) *keyspace.Optional[string] { return &r.child.ExtraStats }),
		),
	}
	return countedFamily(unversionedFamily(keyspace.KindCurrentFileColumnStats)).of(statistics, variants)
}()

var scheduledFiles = func() *family {
	type row = keyspace.GcFileValue
	return unversionedFamily(keyspace.KindGcFile).of(&catalogTable{
		name:     "ducklake_files_scheduled_for_deletion",
		identity: []string{"data_file_id"}, selective: []string{"data_file_id"},
		codec: parentRows(func(m *row) *keyspace.RowExtension { return &m.Extension },
			number("data_file_id", func(m *row) *uint64 { return &m.DataFileID }),
			text("path", func(m *row) *string { return &m.Path }),
			flag("path_is_relative", func(m *row) *bool { return &m.PathIsRelative }),
			instant("schedule_start", func(m *row) *int64 { return &m.ScheduleStartMicros }),
		),
	})
}()
