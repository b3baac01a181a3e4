package ducklake

import "moraine/keyspace"

// Schemas, tables, views and columns: what a commit of DDL writes.

var schemas = func() *family {
	type row = keyspace.SchemaValue
	family := versionedFamily(keyspace.KindCurrentSchema).of(&catalogTable{
		name: "ducklake_schema", primaryKey: "schema_id",
		identity: []string{"schema_id"}, selective: []string{"schema_id"},
		codec: parentRows(func(m *row) *keyspace.RowExtension { return &m.Extension },
			number("schema_id", func(m *row) *uint64 { return &m.SchemaID }),
			identifier("schema_uuid", func(m *row) *string { return &m.SchemaUUID }),
			number("begin_snapshot", func(m *row) *uint64 { return &m.BeginSnapshot }),
			optionalNumber("end_snapshot", func(m *row) *keyspace.Optional[uint64] { return &m.EndSnapshot }),
			text("schema_name", func(m *row) *string { return &m.SchemaName }),
			text("path", func(m *row) *string { return &m.Path }),
			flag("path_is_relative", func(m *row) *bool { return &m.PathIsRelative }),
		),
	})
	family.directory = keyspace.FormatWithNames
	return family
}()

var tables = func() *family {
	type row = keyspace.TableValue
	family := versionedFamily(keyspace.KindCurrentTable).of(&catalogTable{
		name:     "ducklake_table",
		identity: []string{"table_id"}, selective: []string{"table_id"},
		codec: parentRows(func(m *row) *keyspace.RowExtension { return &m.Extension },
			number("table_id", func(m *row) *uint64 { return &m.TableID }),
			identifier("table_uuid", func(m *row) *string { return &m.TableUUID }),
			number("begin_snapshot", func(m *row) *uint64 { return &m.BeginSnapshot }),
			optionalNumber("end_snapshot", func(m *row) *keyspace.Optional[uint64] { return &m.EndSnapshot }),
			number("schema_id", func(m *row) *uint64 { return &m.SchemaID }),
			text("table_name", func(m *row) *string { return &m.TableName }),
			text("path", func(m *row) *string { return &m.Path }),
			flag("path_is_relative", func(m *row) *bool { return &m.PathIsRelative }),
		),
	})
	family.directory = keyspace.FormatWithNames
	family.begun = func(message keyspace.Message) uint64 { return message.(*row).BeginSnapshot }
	family.carry = func(message, previous keyspace.Message) {
		next := uint64(firstColumnID)
		if previous != nil {
			next = previous.(*row).NextColumnID
		}
		message.(*row).NextColumnID = next
	}
	return family
}()

// firstColumnID is the value of a new table's counter of column ids.
const firstColumnID = 1

var views = func() *family {
	type row = keyspace.ViewValue
	family := versionedFamily(keyspace.KindCurrentView).of(&catalogTable{
		name:     "ducklake_view",
		identity: []string{"view_id"}, selective: []string{"view_id"},
		codec: parentRows(func(m *row) *keyspace.RowExtension { return &m.Extension },
			number("view_id", func(m *row) *uint64 { return &m.ViewID }),
			identifier("view_uuid", func(m *row) *string { return &m.ViewUUID }),
			number("begin_snapshot", func(m *row) *uint64 { return &m.BeginSnapshot }),
			optionalNumber("end_snapshot", func(m *row) *keyspace.Optional[uint64] { return &m.EndSnapshot }),
			number("schema_id", func(m *row) *uint64 { return &m.SchemaID }),
			text("view_name", func(m *row) *string { return &m.ViewName }),
			text("dialect", func(m *row) *string { return &m.Dialect }),
			text("sql", func(m *row) *string { return &m.SQL }),
			optionalText("column_aliases", func(m *row) *keyspace.Optional[string] { return &m.ColumnAliases }),
		),
	})
	family.begun = func(message keyspace.Message) uint64 { return message.(*row).BeginSnapshot }
	return family
}()

var columns = func() *family {
	type row = keyspace.ColumnValue
	type tag = embeddedRow[keyspace.ColumnValue, keyspace.ColumnTag]
	column := &catalogTable{
		name:     "ducklake_column",
		identity: []string{"table_id", "column_id"}, selective: []string{"table_id"},
		codec: parentRows(func(m *row) *keyspace.RowExtension { return &m.Extension },
			number("column_id", func(m *row) *uint64 { return &m.ColumnID }),
			number("begin_snapshot", func(m *row) *uint64 { return &m.BeginSnapshot }),
			optionalNumber("end_snapshot", func(m *row) *keyspace.Optional[uint64] { return &m.EndSnapshot }),
			number("table_id", func(m *row) *uint64 { return &m.TableID }),
			number("column_order", func(m *row) *uint64 { return &m.ColumnOrder }),
			text("column_name", func(m *row) *string { return &m.ColumnName }),
			text("column_type", func(m *row) *string { return &m.ColumnType }),
			optionalText("initial_default", func(m *row) *keyspace.Optional[string] { return &m.InitialDefault }),
			optionalText("default_value", func(m *row) *keyspace.Optional[string] { return &m.DefaultValue }),
			flag("nulls_allowed", func(m *row) *bool { return &m.NullsAllowed }),
			optionalNumber("parent_column", func(m *row) *keyspace.Optional[uint64] { return &m.ParentColumn }),
			optionalText("default_value_type", func(m *row) *keyspace.Optional[string] { return &m.DefaultValueType }),
			optionalText("default_value_dialect", func(m *row) *keyspace.Optional[string] { return &m.DefaultValueDialect }),
		),
	}
	columnTag := &catalogTable{
		name:     "ducklake_column_tag",
		identity: []string{"table_id", "column_id"}, natural: []string{"key", "begin_snapshot", "end_snapshot"},
		selective: []string{"table_id"},
		codec: embeddedRows[keyspace.ColumnValue, keyspace.ColumnTag, *keyspace.ColumnValue](
			func(m *row) *[]keyspace.ColumnTag { return &m.Tags },
			func(m *keyspace.ColumnTag) *keyspace.RowExtension { return &m.Extension },
			number("table_id", func(r *tag) *uint64 { return &r.parent.TableID }),
			number("column_id", func(r *tag) *uint64 { return &r.parent.ColumnID }),
			number("begin_snapshot", func(r *tag) *uint64 { return &r.child.BeginSnapshot }),
			optionalNumber("end_snapshot", func(r *tag) *keyspace.Optional[uint64] { return &r.child.EndSnapshot }),
			text("key", func(r *tag) *string { return &r.child.Key }),
			text("value", func(r *tag) *string { return &r.child.Value }),
		),
	}
	family := versionedFamily(keyspace.KindCurrentColumn).of(column, columnTag)
	family.begun = func(message keyspace.Message) uint64 { return message.(*row).BeginSnapshot }
	return family
}()

var schemaVersions = func() *family {
	type row = embeddedRow[keyspace.SchemaVersionValue, keyspace.SchemaVersionValue]
	return unversionedFamily(keyspace.KindSchemaVersion).of(&catalogTable{
		name:     "ducklake_schema_versions",
		identity: []string{"table_id", "begin_snapshot"}, selective: []string{"table_id"},
		codec: keyedRows[keyspace.SchemaVersionValue, *keyspace.SchemaVersionValue](
			func(m *keyspace.SchemaVersionValue) *keyspace.RowExtension { return &m.Extension },
			keyNumber("begin_snapshot", func(r *row) uint64 { return r.ids[1] }),
			number("schema_version", func(r *row) *uint64 { return &r.child.SchemaVersion }),
			keyNumber("table_id", func(r *row) uint64 { return r.ids[0] }),
		),
	})
}()
