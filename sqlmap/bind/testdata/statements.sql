SELECT 1

SELECT pg_namespace.oid AS namespace_id, relname, relpages, attname,
    pg_type.typname type_name, atttypmod type_modifier, pg_attribute.attndims ndim,
    attnum, pg_attribute.attnotnull AS notnull, NULL constraint_id,
    NULL constraint_type, NULL constraint_key, type_ns.nspname AS type_schema,
    col_desc.description AS column_comment,
    tbl_desc.description AS table_comment
FROM pg_class
JOIN pg_namespace ON relnamespace = pg_namespace.oid
JOIN pg_attribute ON pg_class.oid=pg_attribute.attrelid
JOIN pg_type ON atttypid=pg_type.oid
JOIN pg_namespace type_ns ON pg_type.typnamespace = type_ns.oid
LEFT JOIN pg_description col_desc ON col_desc.objoid=pg_class.oid AND col_desc.objsubid=pg_attribute.attnum
LEFT JOIN pg_description tbl_desc ON tbl_desc.objoid=pg_class.oid AND tbl_desc.objsubid=0
WHERE attnum > 0 AND relkind IN ('r', 'v', 'm', 'f', 'p') AND pg_namespace.nspname IN ('public')AND relname='ducklake_tag'
UNION ALL
SELECT pg_namespace.oid AS namespace_id, relname, NULL relpages, NULL attname, NULL type_name,
    NULL type_modifier, NULL ndim, NULL attnum, NULL AS notnull,
    pg_constraint.oid AS constraint_id, contype AS constraint_type,
    conkey AS constraint_key, NULL AS type_schema,
    NULL AS column_comment, NULL AS table_comment
FROM pg_class
JOIN pg_namespace ON relnamespace = pg_namespace.oid
JOIN pg_constraint ON (pg_class.oid=pg_constraint.conrelid)
WHERE relkind IN ('r', 'v', 'm', 'f', 'p') AND contype IN ('p', 'u') AND pg_namespace.nspname IN ('public')AND relname='ducklake_tag'
ORDER BY namespace_id, relname, attnum, constraint_id

DISCARD ALL

SELECT n.oid, enumtypid, typname, enumlabel
FROM pg_enum e
JOIN pg_type t ON e.enumtypid = t.oid
JOIN pg_namespace AS n ON (typnamespace=n.oid)
ORDER BY n.oid, enumtypid, enumsortorder

SELECT n.oid, t.typrelid AS id, t.typname as type, pg_attribute.attname, sub_type.typname,
       sub_type_ns.nspname AS sub_type_schema
FROM pg_type t
JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
JOIN pg_class ON pg_class.oid = t.typrelid
JOIN pg_attribute ON attrelid=t.typrelid
JOIN pg_type sub_type ON (pg_attribute.atttypid=sub_type.oid)
JOIN pg_catalog.pg_namespace sub_type_ns ON sub_type_ns.oid = sub_type.typnamespace
WHERE pg_class.relkind IN ('c', 'r', 'v', 'm', 'f', 'p')
AND t.typtype='c'
AND pg_attribute.attnum > 0
AND NOT pg_attribute.attisdropped
ORDER BY n.oid, t.oid, attrelid, attnum

SELECT oid, nspname
FROM pg_namespace
ORDER BY oid

SELECT pg_namespace.oid AS namespace_id, relname, relpages, attname,
    pg_type.typname type_name, atttypmod type_modifier, pg_attribute.attndims ndim,
    attnum, pg_attribute.attnotnull AS notnull, NULL constraint_id,
    NULL constraint_type, NULL constraint_key, type_ns.nspname AS type_schema,
    col_desc.description AS column_comment,
    tbl_desc.description AS table_comment
FROM pg_class
JOIN pg_namespace ON relnamespace = pg_namespace.oid
JOIN pg_attribute ON pg_class.oid=pg_attribute.attrelid
JOIN pg_type ON atttypid=pg_type.oid
JOIN pg_namespace type_ns ON pg_type.typnamespace = type_ns.oid
LEFT JOIN pg_description col_desc ON col_desc.objoid=pg_class.oid AND col_desc.objsubid=pg_attribute.attnum
LEFT JOIN pg_description tbl_desc ON tbl_desc.objoid=pg_class.oid AND tbl_desc.objsubid=0
WHERE attnum > 0 AND relkind IN ('r', 'v', 'm', 'f', 'p') 
UNION ALL
SELECT pg_namespace.oid AS namespace_id, relname, NULL relpages, NULL attname, NULL type_name,
    NULL type_modifier, NULL ndim, NULL attnum, NULL AS notnull,
    pg_constraint.oid AS constraint_id, contype AS constraint_type,
    conkey AS constraint_key, NULL AS type_schema,
    NULL AS column_comment, NULL AS table_comment
FROM pg_class
JOIN pg_namespace ON relnamespace = pg_namespace.oid
JOIN pg_constraint ON (pg_class.oid=pg_constraint.conrelid)
WHERE relkind IN ('r', 'v', 'm', 'f', 'p') AND contype IN ('p', 'u') 
ORDER BY namespace_id, relname, attnum, constraint_id

SELECT pg_namespace.oid, tablename, indexname
FROM pg_indexes
JOIN pg_namespace ON (schemaname=nspname)
ORDER BY pg_namespace.oid

SELECT to_regclass('duckdb_secrets')

SELECT version(), (SELECT COUNT(*) FROM pg_settings WHERE name LIKE 'rds%')

SELECT pg_database_size(current_database())

COPY (SELECT "object_id", "begin_snapshot", "end_snapshot", "key", "value" FROM "public"."ducklake_tag" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_id", "schema_version", "next_catalog_id", "next_file_id" FROM (SELECT snapshot_id, schema_version, next_catalog_id, next_file_id
		 FROM "public".ducklake_snapshot WHERE snapshot_id = (
		     SELECT MAX(snapshot_id) FROM "public".ducklake_snapshot
		 )) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "end_snapshot", "schema_id", "schema_uuid", "schema_name", "path", "path_is_relative" FROM "public"."ducklake_schema" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "column_id", "column_name", "column_type", "initial_default", "default_value", "nulls_allowed", "parent_column", "default_value_type", "column_order" FROM "public"."ducklake_column" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "schema_id", "table_uuid", "table_name", "path", "path_is_relative" FROM "public"."ducklake_table" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "end_snapshot", "schema_id", "macro_id", "macro_name" FROM "public"."ducklake_macro" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "end_snapshot", "view_id", "view_uuid", "schema_id", "view_name", "dialect", "sql", "column_aliases" FROM "public"."ducklake_view" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "macro_id", "dialect", "sql", "type", "impl_id" FROM "public"."ducklake_macro_impl" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "macro_id", "impl_id", "parameter_name", "parameter_type", "default_value", "default_value_type" FROM "public"."ducklake_macro_parameters" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "partition_id", "begin_snapshot", "end_snapshot", "table_id" FROM "public"."ducklake_partition_info" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "partition_id", "partition_key_index", "column_id", "transform" FROM "public"."ducklake_partition_column" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "sort_id", "begin_snapshot", "end_snapshot", "table_id" FROM "public"."ducklake_sort_info" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "sort_id", "sort_key_index", "expression", "dialect", "sort_direction", "null_order" FROM "public"."ducklake_sort_expression" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "column_id", "begin_snapshot", "end_snapshot", "key", "value" FROM "public"."ducklake_column_tag" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "table_name", "schema_version" FROM "public"."ducklake_inlined_data_tables" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "schema_version", "begin_snapshot" FROM "public"."ducklake_schema_versions" WHERE "table_id" = '1' AND "schema_version" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "column_id", "contains_null", "contains_nan", "min_value", "max_value", "extra_stats" FROM "public"."ducklake_table_column_stats" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "record_count", "file_size_bytes", "next_row_id" FROM "public"."ducklake_table_stats" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "schema_id", "path", "path_is_relative" FROM "public"."ducklake_schema" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "schema_id", "table_id", "path", "path_is_relative" FROM "public"."ducklake_table" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "end_snapshot", "col1", "col2", "row_id" FROM "public"."ducklake_inlined_data_1_1" WHERE "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "path", "path_is_relative", "file_size_bytes", "footer_size", "row_id_start", "partial_max", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "format", "file_size_bytes", "footer_size" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "end_snapshot", "row_id" FROM "public"."ducklake_inlined_data_1_1" WHERE "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")

COPY (SELECT "schema_id", "path", "path_is_relative" FROM "public"."ducklake_schema" WHERE "schema_id" = '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "schema_version" FROM "public"."ducklake_inlined_data_tables" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "schema_version", "table_name" FROM "public"."ducklake_inlined_data_tables" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "end_snapshot" FROM "public"."ducklake_inlined_data_1_2" WHERE "begin_snapshot" <= '6') TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "id", "partition_column", "other_partition_column", "row_id" FROM "public"."ducklake_inlined_data_1_1" WHERE "begin_snapshot" <= '4') TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", ctid FROM "public"."ducklake_inlined_data_1_1" WHERE "begin_snapshot" <= '4') TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_id" FROM "public"."ducklake_snapshot" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "value_count", "max_value", "min_value" FROM (SELECT data_file_id, value_count, max_value, min_value
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 2 AND table_id = 1) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "begin_snapshot", "end_snapshot" FROM "public"."ducklake_data_file" WHERE "begin_snapshot" <= '6') TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "delete_count" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '6') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "record_count" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '6') TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "record_count", "path", "path_is_relative", "file_size_bytes", "footer_size", "row_id_start", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_id", "schema_version", "next_catalog_id", "next_file_id" FROM "public"."ducklake_snapshot" WHERE "snapshot_id" = '3') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "delete_file_id", "data_file_id", "path", "path_is_relative", "format", "file_size_bytes", "footer_size" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "schema_version" FROM "public"."ducklake_inlined_data_tables" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "schema_version", "table_id", "table_name" FROM "public"."ducklake_inlined_data_tables" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "column_id" FROM "public"."ducklake_column" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_id", "schema_version", "next_catalog_id", "next_file_id" FROM "public"."ducklake_snapshot" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_id", "changes_made" FROM "public"."ducklake_snapshot_changes" WHERE "snapshot_id" > '6') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "column_id", "contains_null", "contains_nan", "min_value", "max_value", "extra_stats" FROM "public"."ducklake_table_column_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "record_count", "file_size_bytes", "next_row_id" FROM "public"."ducklake_table_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "file_id", "row_id" FROM "public"."ducklake_inlined_delete_1" WHERE "begin_snapshot" <= '9') TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "partition_value", "partition_key_index" FROM "public"."ducklake_file_partition_value" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "schema_version" FROM "public"."ducklake_schema_versions" WHERE "table_id" = '2') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "delete_file_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "format", "delete_count", "file_size_bytes", "footer_size", "partial_max" FROM "public"."ducklake_delete_file" WHERE "table_id" = '2') TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_id", "changes_made", "author", "commit_message", "commit_extra_info" FROM "public"."ducklake_snapshot_changes" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "value_count", "min_value" FROM (SELECT data_file_id, value_count, min_value
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 1 AND table_id = 3) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_id", "snapshot_time", "schema_version", "next_file_id" FROM "public"."ducklake_snapshot" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "value_count", "min_value", "max_value" FROM (SELECT data_file_id, value_count, min_value, max_value
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 1 AND table_id = 1) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "data_file_id", "table_id", "file_size_bytes", "end_snapshot", "record_count", "row_id_start", "mapping_id", "partial_max", "partition_id", "path", "path_is_relative", "footer_size" FROM "public"."ducklake_data_file" WHERE "table_id" = '2' AND "file_size_bytes" < '536870912') TO STDOUT (FORMAT "binary")

COPY (SELECT "mapping_id", "column_id", "source_name", "target_field_id", "parent_column", "is_partition" FROM "public"."ducklake_name_mapping" WHERE "mapping_id" >= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "mapping_id", "table_id", "type" FROM "public"."ducklake_column_mapping" WHERE "mapping_id" >= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size", "format" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" < '2') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size", "format" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size", "format" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "data_file_id", "path", "path_is_relative", "record_count", "file_size_bytes", "footer_size", "row_id_start", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "end_snapshot", "data_file_id", "path", "path_is_relative", "record_count", "file_size_bytes", "footer_size", "row_id_start", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND ("end_snapshot" >= '2' AND "end_snapshot" <= '2')) TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "dt", "end_snapshot", "row_id" FROM "public"."ducklake_inlined_data_6_7" WHERE "begin_snapshot" <= '16') TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '9') TO STDOUT (FORMAT "binary")

COPY (SELECT "file_id", "begin_snapshot" FROM "public"."ducklake_inlined_delete_1" WHERE "begin_snapshot" <= '9') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "partial_max", "path", "path_is_relative", "file_size_bytes", "footer_size", "row_id_start", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")

COPY (SELECT "path", "path_is_relative", "table_id" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "path", "path_is_relative", "table_id" FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "path_is_relative", "path" FROM "public"."ducklake_files_scheduled_for_deletion" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "schema_id", "path", "path_is_relative" FROM "public"."ducklake_table" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "data_file_id", "table_id", "end_snapshot", "record_count", "row_id_start", "mapping_id", "partial_max", "partition_id", "path", "path_is_relative", "file_size_bytes", "footer_size" FROM "public"."ducklake_data_file" WHERE "table_id" = '3') TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_inlined_data_1_1" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "file_id", "row_id", "begin_snapshot" FROM "public"."ducklake_inlined_delete_1" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "schema_version", ctid FROM "public"."ducklake_inlined_data_tables" WHERE "table_id" = '1' AND "schema_version" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "end_snapshot", "row_id", "i" FROM "public"."ducklake_inlined_data_1_1" WHERE "begin_snapshot" <= '9') TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "value_count", "max_value" FROM (SELECT data_file_id, value_count, max_value
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 1 AND table_id = 1) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "path", "path_is_relative" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "delete_file_id", "data_file_id", "path", "path_is_relative", "format", "encryption_key" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '6') TO STDOUT (FORMAT "binary")

COPY (SELECT "key", "scope" FROM "public"."ducklake_metadata" WHERE "key" = 'require_commit_message' COLLATE "C") TO STDOUT (FORMAT "binary")

COPY (SELECT "macro_id" FROM "public"."ducklake_macro" ) TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_inlined_delete_1"  LIMIT 1) TO STDOUT (FORMAT "binary")

COPY (SELECT "schema_version" FROM "public"."ducklake_snapshot" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "schema_version" FROM "public"."ducklake_schema_versions" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "column_id", "value_count", "null_count", "min_value", "max_value", "contains_nan", "extra_stats" FROM "public"."ducklake_file_column_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "record_count", "file_size_bytes" FROM "public"."ducklake_data_file" WHERE "table_id" = '3' AND "begin_snapshot" <= '12') TO STDOUT (FORMAT "binary")

COPY (SELECT "mapping_id", "column_id", "source_name", "target_field_id", "parent_column", "is_partition" FROM "public"."ducklake_name_mapping" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "mapping_id", "table_id", "type" FROM "public"."ducklake_column_mapping" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "row_id" FROM "public"."ducklake_inlined_data_1_1" WHERE ("end_snapshot" >= '2' AND "end_snapshot" <= '2')) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "path", "path_is_relative", "schedule_start" FROM "public"."ducklake_files_scheduled_for_deletion" ) TO STDOUT (FORMAT "binary")

COPY (SELECT ctid FROM "public"."ducklake_inlined_delete_1" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "row_id", "i" FROM "public"."ducklake_inlined_data_1_1" WHERE ("begin_snapshot" >= '0' AND "begin_snapshot" <= '3')) TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "row_id", "i", "j" FROM "public"."ducklake_inlined_data_1_1" WHERE ("end_snapshot" >= '2' AND "end_snapshot" <= '2')) TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "row_id" FROM "public"."ducklake_inlined_data_1_1" WHERE ("begin_snapshot" >= '2' AND "begin_snapshot" <= '2')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "table_name" FROM "public"."ducklake_table" WHERE "table_name" = 'test_null_stats' COLLATE "C") TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "partition_column", "end_snapshot", "row_id" FROM "public"."ducklake_inlined_data_1_2" WHERE "begin_snapshot" <= '4' AND "partition_column" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "begin_snapshot", "table_id" FROM "public"."ducklake_table" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "begin_snapshot", ctid FROM "public"."ducklake_macro" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "begin_snapshot", ctid FROM "public"."ducklake_schema" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "begin_snapshot", ctid FROM "public"."ducklake_tag" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "begin_snapshot", ctid FROM "public"."ducklake_view" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "macro_id", ctid FROM "public"."ducklake_macro_impl" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "macro_id", ctid FROM "public"."ducklake_macro_parameters" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "mapping_id" FROM "public"."ducklake_column_mapping" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "mapping_id", ctid FROM "public"."ducklake_name_mapping" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id" FROM "public"."ducklake_table_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "end_snapshot", "begin_snapshot" FROM "public"."ducklake_table" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_name", "table_id" FROM "public"."ducklake_table" WHERE "table_name" = 'basic_test' COLLATE "C") TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_id", "snapshot_time", "schema_version", "next_file_id" FROM "public"."ducklake_snapshot" WHERE "snapshot_time" < '2026-11-23 04:53:33.149367+00') TO STDOUT (FORMAT "binary")

COPY (SELECT "key", "scope", "scope_id" FROM "public"."ducklake_metadata" WHERE "key" = 'target_file_size' COLLATE "C" AND "scope" = 'schema' COLLATE "C" AND "scope_id" = '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "key", "scope", ctid FROM "public"."ducklake_metadata" WHERE "key" = 'require_commit_message' COLLATE "C") TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_id", ctid FROM "public"."ducklake_snapshot" WHERE ("snapshot_id" >= '0' AND "snapshot_id" <= '3')) TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_id", ctid FROM "public"."ducklake_snapshot_changes" WHERE ("snapshot_id" >= '0' AND "snapshot_id" <= '3')) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "table_id", "column_id", "min_value", "max_value" FROM "public"."ducklake_file_column_stats" WHERE "table_id" = '1' AND "column_id" = '3') TO STDOUT (FORMAT "binary")

COPY (SELECT "schedule_start", "data_file_id", "path", "path_is_relative" FROM "public"."ducklake_files_scheduled_for_deletion" WHERE "schedule_start" < '2026-11-30 04:53:32.139786+00') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "partition_key_index", "partition_value", "data_file_id" FROM "public"."ducklake_file_partition_value" WHERE "table_id" = '29' AND "partition_key_index" = '0' AND "partition_value" = '1' COLLATE "C") TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "column_name", "begin_snapshot", "end_snapshot" FROM "public"."ducklake_column" WHERE "column_name" = 'col1' COLLATE "C") TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "table_name", "begin_snapshot" FROM "public"."ducklake_table" WHERE "table_name" = 't' COLLATE "C") TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "begin_snapshot", "data_file_id", "table_id", "path", "path_is_relative" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "file_id", "row_id" FROM "public"."ducklake_inlined_delete_1" WHERE ("begin_snapshot" >= '3' AND "begin_snapshot" <= '3')) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "table_id" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "path", "path_is_relative", "file_size_bytes", "footer_size", "encryption_key", "row_id_start", "partial_max", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "table_id", "end_snapshot", "path", "path_is_relative", "file_size_bytes", "footer_size", "row_id_start", "record_count", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_files_scheduled_for_deletion" WHERE "data_file_id" IN ('2', '5', '6', '7', '8')) TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot" FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "data_file_id" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "format", "file_size_bytes", "footer_size", "encryption_key" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "end_snapshot", "begin_snapshot", "data_file_id", "path", "path_is_relative" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "schema_id", "macro_id", "macro_name", "begin_snapshot", "end_snapshot" FROM "public"."ducklake_macro" ) TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_partition_info" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "end_snapshot", "id", "row_id", "str" FROM "public"."ducklake_inlined_data_1_1" WHERE "begin_snapshot" <= '13') TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "value_count", "contains_nan", "max_value" FROM (SELECT data_file_id, value_count, contains_nan, max_value
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 1 AND table_id = 1) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "variant_path", "shredded_type", "min_value", "max_value", "null_count", "value_count" FROM "public"."ducklake_file_variant_stats" WHERE "data_file_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_data_file" WHERE "data_file_id" = '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_file_column_stats" WHERE "data_file_id" = '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_file_partition_value" WHERE "data_file_id" = '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_file_variant_stats" WHERE "data_file_id" = '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "begin_snapshot", "delete_file_id", "table_id", "path", "path_is_relative" FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "table_name" FROM "public"."ducklake_inlined_data_tables" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_column" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_column_mapping" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_column_tag" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_inlined_data_tables" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_partition_column" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_partition_info" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_schema_versions" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_sort_expression" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_sort_info" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_table" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_table_column_stats" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_table_stats" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "extra_stats" FROM "public"."ducklake_file_column_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "data_file_id", "end_snapshot", "begin_snapshot", "delete_file_id", "path", "path_is_relative" FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_inlined_delete_1" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "macro_id", "impl_id", "column_id", "parameter_name", "parameter_type", "default_value", "default_value_type" FROM "public"."ducklake_macro_parameters" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "macro_id", "impl_id", "dialect", "sql", "type" FROM "public"."ducklake_macro_impl" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_id", "snapshot_time", "schema_version", "next_file_id" FROM "public"."ducklake_snapshot" WHERE "snapshot_id" = '4') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "delete_count", "partial_max" FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "partition_value" FROM "public"."ducklake_file_partition_value" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_files_scheduled_for_deletion" WHERE "data_file_id" = '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_id", ctid FROM "public"."ducklake_snapshot" WHERE "snapshot_id" = '4') TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_id", ctid FROM "public"."ducklake_snapshot_changes" WHERE "snapshot_id" = '4') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "end_snapshot" FROM "public"."ducklake_sort_info" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_files_scheduled_for_deletion" WHERE ("data_file_id" >= '1' AND "data_file_id" <= '2')) TO STDOUT (FORMAT "binary")

COPY (SELECT "delete_file_id" FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "key", "value", "scope", "scope_id" FROM "public"."ducklake_metadata" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "object_id", "begin_snapshot", "end_snapshot", "key", "value" FROM "metadata_s1"."ducklake_tag" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "object_id", "begin_snapshot", "end_snapshot", "key", "value" FROM "metadata_s2"."ducklake_tag" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_id", "snapshot_time", "schema_version", "next_file_id" FROM "public"."ducklake_snapshot" WHERE ("snapshot_id" >= '0' AND "snapshot_id" <= '3')) TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_time", "snapshot_id" FROM "public"."ducklake_snapshot" WHERE ("snapshot_time" <= '2026-11-30 04:58:44.681578+00')) TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "end_snapshot", "begin_snapshot", "delete_file_id", "table_id", "path", "path_is_relative" FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "i", "row_id" FROM "public"."ducklake_inlined_data_1_1" WHERE ("end_snapshot" >= '1' AND "end_snapshot" <= '2')) TO STDOUT (FORMAT "binary")

COPY (SELECT "file_id", "begin_snapshot" FROM "public"."ducklake_inlined_delete_1" WHERE "file_id" IN ('3', '6', '7') AND "begin_snapshot" <= '10') TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_column" ) TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_inlined_data_tables" ) TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_metadata"  LIMIT 1) TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_table" ) TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_table_column_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_table_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "data_file_id", "table_id", "file_size_bytes", "end_snapshot", "record_count", "row_id_start", "mapping_id", "partial_max", "partition_id", "path", "path_is_relative", "footer_size" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND ("file_size_bytes" >= '1000' AND "file_size_bytes" < '100000')) TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_files_scheduled_for_deletion" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "end_snapshot" FROM "public"."ducklake_data_file" WHERE "begin_snapshot" = '15') TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "end_snapshot", "schema_id", "macro_id", "macro_name" FROM "metadata_s1"."ducklake_macro" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "end_snapshot", "schema_id", "macro_id", "macro_name" FROM "metadata_s2"."ducklake_macro" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "end_snapshot", "schema_id", "schema_uuid", "schema_name", "path", "path_is_relative" FROM "metadata_s1"."ducklake_schema" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "end_snapshot", "schema_id", "schema_uuid", "schema_name", "path", "path_is_relative" FROM "metadata_s2"."ducklake_schema" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "end_snapshot", "view_id", "view_uuid", "schema_id", "view_name", "dialect", "sql", "column_aliases" FROM "metadata_s1"."ducklake_view" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "end_snapshot", "view_id", "view_uuid", "schema_id", "view_name", "dialect", "sql", "column_aliases" FROM "metadata_s2"."ducklake_view" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "column_id", "min_value", "max_value" FROM "public"."ducklake_table_column_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "partition_id", "path" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "record_count", "path", "path_is_relative", "file_size_bytes", "footer_size", "encryption_key", "row_id_start", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "begin_snapshot" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "record_count" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "extra_stats" FROM "public"."ducklake_table_column_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "key", "scope", "scope_id", ctid FROM "public"."ducklake_metadata" WHERE "key" = 'auto_compact' COLLATE "C" AND "scope" = 'schema' COLLATE "C" AND "scope_id" = '3') TO STDOUT (FORMAT "binary")

COPY (SELECT "macro_id", "dialect", "sql", "type", "impl_id" FROM "metadata_s1"."ducklake_macro_impl" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "macro_id", "dialect", "sql", "type", "impl_id" FROM "metadata_s2"."ducklake_macro_impl" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "macro_id", "impl_id", "parameter_name", "parameter_type", "default_value", "default_value_type" FROM "metadata_s1"."ducklake_macro_parameters" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "macro_id", "impl_id", "parameter_name", "parameter_type", "default_value", "default_value_type" FROM "metadata_s2"."ducklake_macro_parameters" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "partition_id", "begin_snapshot", "end_snapshot", "table_id" FROM "metadata_s1"."ducklake_partition_info" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "partition_id", "begin_snapshot", "end_snapshot", "table_id" FROM "metadata_s2"."ducklake_partition_info" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "partition_id", "partition_key_index", "column_id", "transform" FROM "metadata_s1"."ducklake_partition_column" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "partition_id", "partition_key_index", "column_id", "transform" FROM "metadata_s2"."ducklake_partition_column" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "partition_value" FROM "public"."ducklake_file_partition_value" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "row_id", "begin_snapshot", "end_snapshot", "a" FROM "public"."ducklake_inlined_data_1_1" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "sort_id", "begin_snapshot", "end_snapshot", "table_id" FROM "metadata_s1"."ducklake_sort_info" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "sort_id", "begin_snapshot", "end_snapshot", "table_id" FROM "metadata_s2"."ducklake_sort_info" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "sort_id", "expression", "sort_direction", "null_order", "sort_key_index" FROM "public"."ducklake_sort_expression" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "sort_id", "sort_key_index", "expression", "dialect", "sort_direction", "null_order" FROM "metadata_s1"."ducklake_sort_expression" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "sort_id", "sort_key_index", "expression", "dialect", "sort_direction", "null_order" FROM "metadata_s2"."ducklake_sort_expression" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "sort_id", "table_id", "end_snapshot" FROM "public"."ducklake_sort_info" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot" FROM "public"."ducklake_table" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "column_id", "column_name", "column_type", "initial_default", "default_value", "nulls_allowed", "parent_column", "default_value_type", "column_order" FROM "metadata_s1"."ducklake_column" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "column_id", "column_name", "column_type", "initial_default", "default_value", "nulls_allowed", "parent_column", "default_value_type", "column_order" FROM "metadata_s2"."ducklake_column" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "delete_file_id", "data_file_id", "path", "path_is_relative", "format", "file_size_bytes", "footer_size", "encryption_key" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "file_size_bytes" FROM "public"."ducklake_data_file" WHERE "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "file_size_bytes" FROM "public"."ducklake_delete_file" WHERE "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "schema_id", "table_name", "table_uuid" FROM "public"."ducklake_table" WHERE "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "schema_id", "table_uuid", "table_name", "path", "path_is_relative" FROM "metadata_s1"."ducklake_table" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "schema_id", "table_uuid", "table_name", "path", "path_is_relative" FROM "metadata_s2"."ducklake_table" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "column_id", "begin_snapshot", "end_snapshot", "key", "value" FROM "metadata_s1"."ducklake_column_tag" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "column_id", "begin_snapshot", "end_snapshot", "key", "value" FROM "metadata_s2"."ducklake_column_tag" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "column_id", "min_value", "max_value" FROM "public"."ducklake_table_column_stats" WHERE "table_id" = '1' AND "column_id" = '2') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "end_snapshot" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "end_snapshot", "begin_snapshot", "delete_file_id", "path", "path_is_relative" FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "end_snapshot", "partition_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "table_name", "schema_version" FROM "metadata_s1"."ducklake_inlined_data_tables" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "table_name", "schema_version" FROM "metadata_s2"."ducklake_inlined_data_tables" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "variant_path", "shredded_type", "min_value", "max_value" FROM "public"."ducklake_file_variant_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "data_file_id" FROM "public"."ducklake_delete_file" WHERE "begin_snapshot" > '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "end_snapshot", "partial_max" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "i", "j" FROM "public"."ducklake_inlined_data_1_1" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "column_id" FROM "public"."ducklake_file_column_stats" WHERE "column_id" = '2') TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "contains_nan" FROM (SELECT data_file_id, contains_nan
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 1 AND table_id = 1) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "partition_id" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "variant_path", "shredded_type", "min_value", "max_value" FROM "public"."ducklake_file_variant_stats" WHERE "data_file_id" = '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_data_file" WHERE "data_file_id" IN ('1', '3')) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_data_file" WHERE ("data_file_id" >= '0' AND "data_file_id" <= '1')) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_file_column_stats" WHERE "data_file_id" IN ('1', '3')) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_file_column_stats" WHERE ("data_file_id" >= '0' AND "data_file_id" <= '1')) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_file_partition_value" WHERE "data_file_id" IN ('1', '3')) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_file_partition_value" WHERE ("data_file_id" >= '0' AND "data_file_id" <= '1')) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_file_variant_stats" WHERE "data_file_id" IN ('1', '3')) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_file_variant_stats" WHERE ("data_file_id" >= '0' AND "data_file_id" <= '1')) TO STDOUT (FORMAT "binary")

COPY (SELECT "delete_count", "begin_snapshot" FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "delete_file_id", "table_id", "begin_snapshot", "end_snapshot", "data_file_id", "delete_count" FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "delete_file_id", ctid FROM "public"."ducklake_delete_file" WHERE "delete_file_id" = '4') TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot" FROM "public"."ducklake_tag" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "data_file_id" FROM "public"."ducklake_data_file" WHERE "end_snapshot" > '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "file_size_bytes" FROM "public"."ducklake_data_file" WHERE "file_size_bytes" < '1000') TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "file_size_bytes" FROM "public"."ducklake_data_file" WHERE "file_size_bytes" >= '1000') TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "format" FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "partial_max", "data_file_id" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "file_id", "begin_snapshot" FROM "public"."ducklake_inlined_delete_1" WHERE ("file_id" >= '0' AND "file_id" <= '1') AND "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")

COPY (SELECT "key", "value", "end_snapshot" FROM "public"."ducklake_tag" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "partition_id" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "partition_id" FROM "public"."ducklake_partition_info" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "partition_key_index", "partition_value" FROM "public"."ducklake_file_partition_value" WHERE "partition_key_index" = '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "record_count", "next_row_id" FROM "public"."ducklake_table_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_id", "schema_version", "next_catalog_id", "next_file_id" FROM (SELECT snapshot_id, schema_version, next_catalog_id, next_file_id
		 FROM "metadata_s1".ducklake_snapshot WHERE snapshot_id = (
		     SELECT MAX(snapshot_id) FROM "metadata_s1".ducklake_snapshot
		 )) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_id", "schema_version", "next_catalog_id", "next_file_id" FROM (SELECT snapshot_id, schema_version, next_catalog_id, next_file_id
		 FROM "metadata_s2".ducklake_snapshot WHERE snapshot_id = (
		     SELECT MAX(snapshot_id) FROM "metadata_s2".ducklake_snapshot
		 )) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_id", ctid FROM "public"."ducklake_snapshot" WHERE "snapshot_id" IN ('0', '1', '3')) TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_id", ctid FROM "public"."ducklake_snapshot_changes" WHERE "snapshot_id" IN ('0', '1', '3')) TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_time", "snapshot_id" FROM "public"."ducklake_snapshot" WHERE ("snapshot_time" >= '1970-01-01 00:00:00+00')) TO STDOUT (FORMAT "binary")

COPY (SELECT "sort_id" FROM "public"."ducklake_sort_expression" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "sort_id", "sort_key_index", "expression", "sort_direction", "null_order" FROM "public"."ducklake_sort_expression" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "sort_id", "table_id" FROM "public"."ducklake_sort_info" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "sort_id", "table_id", "begin_snapshot" FROM "public"."ducklake_sort_info" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id" FROM "public"."ducklake_file_column_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id" FROM "public"."ducklake_file_partition_value" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "delete_count" FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "column_id", "column_name" FROM "public"."ducklake_column" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "data_file_id" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "partition_id" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "partition_key_index", "partition_value" FROM "public"."ducklake_file_partition_value" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "table_name", "end_snapshot" FROM "public"."ducklake_table" WHERE "table_name" = 't_del' COLLATE "C") TO STDOUT (FORMAT "binary")

COPY (SELECT "value_count", "null_count" FROM "public"."ducklake_file_column_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_column_mapping" ) TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_file_variant_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_macro" ) TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_macro_impl" ) TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_macro_parameters" ) TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_snapshot" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "id", "name" FROM "public"."ducklake_inlined_data_2_2" WHERE ("begin_snapshot" >= '0' AND "begin_snapshot" <= '3')) TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "data_file_id", "table_id", "end_snapshot", "record_count", "row_id_start", "mapping_id", "partial_max", "partition_id", "path", "path_is_relative", "file_size_bytes", "footer_size" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "data_file_id", "table_id", "file_size_bytes", "end_snapshot", "record_count", "row_id_start", "mapping_id", "partial_max", "partition_id", "path", "path_is_relative", "footer_size", "encryption_key" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND "file_size_bytes" < '536870912') TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "end_snapshot" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "end_snapshot" FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "end_snapshot" FROM "public"."ducklake_macro" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "end_snapshot", "i" FROM "public"."ducklake_inlined_data_2_2" WHERE "begin_snapshot" <= '10') TO STDOUT (FORMAT "binary")

COPY (SELECT "begin_snapshot", "schema_version", "table_id" FROM "public"."ducklake_schema_versions" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "column_id", "min_value", "max_value", "data_file_id" FROM "public"."ducklake_file_column_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "column_id", "partition_key_index", "transform" FROM "public"."ducklake_partition_column" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "column_id", "min_value", "max_value" FROM "public"."ducklake_file_column_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "column_id", "value_count", "null_count" FROM "public"."ducklake_file_column_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "end_snapshot", "partition_id" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "path" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "record_count" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "table_id", "column_id", "null_count", "min_value", "max_value" FROM "public"."ducklake_file_column_stats" WHERE "column_id" = '3') TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "table_id", "end_snapshot" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "table_id", "partition_key_index", "partition_value" FROM "public"."ducklake_file_partition_value" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "data_file_id", "variant_path", "shredded_type", "min_value", "max_value", "null_count" FROM "public"."ducklake_file_variant_stats" WHERE "data_file_id" = '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "delete_count" FROM "public"."ducklake_delete_file" WHERE "delete_count" > '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "delete_count", "partial_max" FROM "public"."ducklake_delete_file" WHERE "delete_count" > '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "delete_file_id", "table_id" FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "delete_file_id", "table_id", "begin_snapshot", "end_snapshot" FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot" FROM "public"."ducklake_data_file" WHERE "end_snapshot" = '15') TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot" FROM "public"."ducklake_delete_file" WHERE "end_snapshot" = '15') TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "begin_snapshot" FROM "public"."ducklake_data_file" WHERE "begin_snapshot" > '5') TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "delete_count" FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "key", "value" FROM "public"."ducklake_tag" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "object_id", "key", "value" FROM "public"."ducklake_tag" WHERE "object_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "partial_max" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "end_snapshot", "table_id", "key", "value" FROM "public"."ducklake_column_tag" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "file_id", "begin_snapshot" FROM "public"."ducklake_inlined_delete_1" WHERE "file_id" = '7' AND "begin_snapshot" <= '10') TO STDOUT (FORMAT "binary")

COPY (SELECT "file_size_bytes", "footer_size" FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "key", "value", "end_snapshot" FROM "public"."ducklake_column_tag" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "macro_name" FROM "public"."ducklake_macro" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "null_count" FROM "public"."ducklake_file_column_stats" WHERE "null_count" > '9223372036854775807') TO STDOUT (FORMAT "binary")

COPY (SELECT "partition_id", "table_id", "end_snapshot" FROM "public"."ducklake_partition_info" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "partition_id", "table_id", "transform" FROM "public"."ducklake_partition_column" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "partition_key_index", "table_id", "partition_value" FROM "public"."ducklake_file_partition_value" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "partition_value" FROM "public"."ducklake_file_partition_value" WHERE "partition_value" = 'NULL' COLLATE "C") TO STDOUT (FORMAT "binary")

COPY (SELECT "path" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "row_id_start" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "schema_id", "path", "path_is_relative" FROM "metadata_s1"."ducklake_schema" WHERE "schema_id" = '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "schema_id", "path", "path_is_relative" FROM "metadata_s2"."ducklake_schema" WHERE "schema_id" = '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "schema_version", "table_id" FROM "public"."ducklake_schema_versions" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_id" FROM "public"."ducklake_snapshot" WHERE "snapshot_id" > '2') TO STDOUT (FORMAT "binary")

COPY (SELECT "snapshot_id", "snapshot_time", "schema_version", "next_file_id" FROM "public"."ducklake_snapshot" WHERE "snapshot_id" IN ('1', '2', '4')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id" FROM "public"."ducklake_file_variant_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id" FROM "public"."ducklake_inlined_data_tables" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id" FROM "public"."ducklake_schema_versions" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id" FROM "public"."ducklake_table_stats" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "begin_snapshot", "schema_version" FROM "public"."ducklake_schema_versions" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "column_id", "contains_null", "contains_nan", "min_value", "max_value", "extra_stats" FROM "metadata_s1"."ducklake_table_column_stats" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "column_id", "contains_null", "contains_nan", "min_value", "max_value", "extra_stats" FROM "metadata_s2"."ducklake_table_column_stats" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "column_id", "contains_null", "min_value", "max_value" FROM "public"."ducklake_table_column_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "column_id", "default_value", "default_value_type", "default_value_dialect" FROM "public"."ducklake_column" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "column_id", "end_snapshot", "column_name" FROM "public"."ducklake_column" WHERE "column_name" = 'b' COLLATE "C") TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "column_id", "end_snapshot", "column_name", "column_order" FROM "public"."ducklake_column" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "column_id", "initial_default", "default_value", "default_value_type", "default_value_dialect" FROM "public"."ducklake_column" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "column_id", "min_value", "max_value" FROM "public"."ducklake_table_column_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "column_id", "min_value", "max_value", "value_count" FROM "public"."ducklake_file_column_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "column_id", "null_count" FROM "public"."ducklake_file_column_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "column_id", "partition_key_index" FROM "public"."ducklake_partition_column" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "data_file_id", "partition_value" FROM "public"."ducklake_file_partition_value" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "data_file_id", "path" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "delete_file_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "format", "delete_count", "file_size_bytes", "footer_size", "encryption_key", "partial_max" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "delete_file_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "format", "delete_count", "file_size_bytes", "footer_size", "partial_max" FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "end_snapshot" FROM "public"."ducklake_partition_info" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "end_snapshot", "table_name" FROM "public"."ducklake_table" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "partition_id" FROM "public"."ducklake_partition_info" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "partition_value" FROM "public"."ducklake_file_partition_value" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "record_count", "file_size_bytes", "next_row_id" FROM "metadata_s1"."ducklake_table_stats" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "record_count", "file_size_bytes", "next_row_id" FROM "metadata_s2"."ducklake_table_stats" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "schema_version" FROM "metadata_s1"."ducklake_inlined_data_tables" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "schema_version" FROM "metadata_s2"."ducklake_inlined_data_tables" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "schema_version", "table_name" FROM "metadata_s1"."ducklake_inlined_data_tables" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "schema_version", "table_name" FROM "metadata_s2"."ducklake_inlined_data_tables" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "sort_id", "begin_snapshot", "end_snapshot" FROM "public"."ducklake_sort_info" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "sort_id", "sort_key_index", "expression", "dialect", "sort_direction", "null_order" FROM "public"."ducklake_sort_expression" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "table_name" FROM "public"."ducklake_inlined_data_tables" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "table_name" FROM "public"."ducklake_inlined_data_tables" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "transform" FROM "public"."ducklake_partition_column" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", "variant_path", "shredded_type", "min_value", "max_value", "null_count" FROM "public"."ducklake_file_variant_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_column" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_column" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_column_mapping" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_column_mapping" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_column_tag" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_column_tag" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_inlined_data_tables" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_inlined_data_tables" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_partition_column" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_partition_column" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_partition_info" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_partition_info" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_schema_versions" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_schema_versions" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_sort_expression" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_sort_expression" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_sort_info" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_sort_info" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_table" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_table" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_table_column_stats" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_table_column_stats" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_table_stats" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")

COPY (SELECT "table_id", ctid FROM "public"."ducklake_table_stats" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")

COPY (SELECT "value_count" FROM "public"."ducklake_file_column_stats" WHERE "value_count" < '0') TO STDOUT (FORMAT "binary")

COPY (SELECT "value_count" FROM "public"."ducklake_file_column_stats" WHERE "value_count" > '9223372036854775807') TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_file_column_stats" ) TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_partition_column" ) TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_schema" ) TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_schema_versions" ) TO STDOUT (FORMAT "binary")

COPY (SELECT NULL FROM "public"."ducklake_view" ) TO STDOUT (FORMAT "binary")

COPY (SELECT ctid FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")

INSERT INTO "public".ducklake_snapshot VALUES (1, NOW(), 1, 2, 0)

INSERT INTO "public".ducklake_snapshot_changes VALUES (1, 'created_table:"main"."test"', NULL, NULL, NULL)

UPDATE "public".ducklake_table_stats SET record_count=4, file_size_bytes=0, next_row_id=4 WHERE table_id=1

WITH new_values(tid, cid, new_contains_null, new_contains_nan, new_min, new_max, new_extra_stats) AS (
VALUES (1, 1, false, NULL, '5', '6', NULL),(1, 2, false, NULL, '1', '3', NULL),(1, 3, false, NULL, '1', '3', NULL)
)
UPDATE "public".ducklake_table_column_stats
SET contains_null=CAST(new_contains_null AS BOOLEAN), contains_nan=CAST(new_contains_nan AS BOOLEAN), min_value=new_min, max_value=new_max, extra_stats=new_extra_stats
FROM new_values
WHERE table_id=tid AND column_id=cid

INSERT INTO "public".ducklake_data_file VALUES (1, 1, 2, NULL, NULL, '/data/array_element_cols.parquet', false, 'parquet', 1, 478, 360, 0, NULL, NULL, 0, NULL)

INSERT INTO "public".ducklake_file_column_stats VALUES (1, 1, 1, 29, 1, 0, '1', '1', NULL, NULL),(1, 1, 2, 29, 1, 0, '2', '2', NULL, NULL),(1, 1, 4, 48, 3, 0, '1', '3', NULL, NULL)

INSERT INTO "public".ducklake_schema_versions VALUES (1,1,1)

INSERT INTO "public".ducklake_column VALUES (1, 1, NULL, 1, 1, 'col1', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb'),(2, 1, NULL, 1, 2, 'col2', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb')

INSERT INTO "public".ducklake_inlined_data_tables VALUES (1, 'ducklake_inlined_data_1_1', 1)

INSERT INTO "public".ducklake_inlined_data_1_1 VALUES (0, 2, NULL, 100, '\x68656c6c6f')

INSERT INTO "public".ducklake_table VALUES (1, '01a22acb-1aca-7733-9696-d417c3f511f5', 1, NULL, 0, 'test', 'test/', true)

INSERT INTO "public".ducklake_table_column_stats VALUES (1, 1, false, NULL, '100', '100', NULL),(1, 2, false, NULL, 'hello', 'hello', NULL)

INSERT INTO "public".ducklake_table_stats VALUES (1, 1, 1, 0)

DELETE FROM "public".ducklake_inlined_data_1_1 WHERE begin_snapshot <= 4

DELETE FROM "public".ducklake_inlined_data_1_2 WHERE ctid IN ('(0,1)','(0,2)','(0,3)','(0,4)')

INSERT INTO "public".ducklake_delete_file VALUES (5, 3, 11, NULL,  4, 'ducklake-01a22acd-108d-78eb-bdac-f8a465540416-delete.parquet', true, 'parquet', 98, 1689, 763, NULL, NULL)

INSERT INTO "public".ducklake_files_scheduled_for_deletion VALUES (2, 'main/test/ducklake-01a22acb-37d7-73e7-b251-b1018bdabc67.parquet', true, NOW()), (5, 'my_file2.parquet', true, NOW()), (6, 'my_file3.parquet', true, NOW()), (7, 'my_file4.parquet', true, NOW()), (8, 'my_file5.parquet', true, NOW())

INSERT INTO "public".ducklake_file_partition_value VALUES (2, 1, 0, '1'),(3, 1, 0, '2'),(4, 1, 0, '3')

INSERT INTO "public".ducklake_inlined_delete_1 VALUES (1, 0, 3)

INSERT INTO "public".ducklake_view VALUES (3, '91d647c8-7cfa-4503-9302-b57c3ba90d8b', 6, NULL, 0, 'v', 'duckdb', 'SELECT * FROM t', '')

WITH deleted_row_list(deleted_row_id) AS (
VALUES (21), (22)
)
UPDATE "public".ducklake_inlined_data_1_1
SET end_snapshot = 7
FROM deleted_row_list
WHERE row_id=deleted_row_id AND end_snapshot IS NULL AND begin_snapshot != 7

WITH dropped_cols(tid, cid) AS (
VALUES (1, 2)
)
UPDATE "public".ducklake_column
SET end_snapshot = 8
FROM dropped_cols
WHERE table_id=tid AND column_id=cid AND end_snapshot IS NULL

INSERT INTO "public".ducklake_partition_info VALUES (2, 1, 2, NULL)

UPDATE "public".ducklake_partition_info
SET end_snapshot = 2
WHERE table_id IN (1) AND end_snapshot IS NULL

UPDATE "public".ducklake_tag SET end_snapshot = 2 WHERE end_snapshot IS NULL AND object_id IN (1)

INSERT INTO "public".ducklake_partition_column VALUES (2, 1, 0, 2, 'identity')

DELETE FROM "public".ducklake_data_file
WHERE data_file_id IN (2, 5, 6, 7, 8)

DELETE FROM "public".ducklake_delete_file
WHERE data_file_id IN (2, 5, 6, 7, 8)

DELETE FROM "public".ducklake_file_column_stats
WHERE data_file_id IN (2, 5, 6, 7, 8)

DELETE FROM "public".ducklake_file_partition_value
WHERE data_file_id IN (2, 5, 6, 7, 8)

DELETE FROM "public".ducklake_file_variant_stats
WHERE data_file_id IN (2, 5, 6, 7, 8)

UPDATE "public".ducklake_table SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1)

UPDATE "public".ducklake_sort_info
SET end_snapshot = 12
WHERE table_id IN (1) AND end_snapshot IS NULL

INSERT INTO "public".ducklake_column_mapping VALUES (1, 1, 'map_by_name')

INSERT INTO "public".ducklake_name_mapping VALUES (1, 0, 'col1', 1, NULL, false), (1, 1, 'col2', 2, NULL, false)

UPDATE "public".ducklake_column SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1)

UPDATE "public".ducklake_column_tag SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1)

UPDATE "public".ducklake_data_file SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1)

UPDATE "public".ducklake_delete_file SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1)

UPDATE "public".ducklake_partition_info SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1)

UPDATE "public".ducklake_sort_info SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1)

INSERT INTO "public".ducklake_sort_expression VALUES (2, 1, 0, 'i', 'duckdb', 'DESC', 'NULLS_LAST')

INSERT INTO "public".ducklake_sort_info VALUES (2, 1, 12, NULL)

DELETE FROM "public".ducklake_inlined_data_tables WHERE ctid IN ('(0,1)')

INSERT INTO "public".ducklake_macro_parameters values(2,0,0,'x','unknown','NULL','unknown')

UPDATE "public".ducklake_data_file SET end_snapshot = 13
		WHERE data_file_id = 4

UPDATE "public".ducklake_data_file SET begin_snapshot = 13
				WHERE data_file_id = 7

DELETE FROM "public".ducklake_inlined_delete_1 WHERE ctid IN ('(0,1)','(0,2)')

UPDATE "public".ducklake_delete_file SET end_snapshot = 13
				WHERE delete_file_id = 5

INSERT INTO "public".ducklake_macro_impl values(2,0,'duckdb','SELECT x AS col','table')

INSERT INTO "public".ducklake_macro values(1,2,'mymacro',2, NULL)

DELETE FROM "public".ducklake_delete_file
WHERE delete_file_id IN (1)

INSERT INTO "public".ducklake_schema VALUES (1, '01a22acb-27ba-714d-a718-915721bbbc49', 1, NULL, 'schema_test', 'schema_test/', true)

DELETE FROM "public".ducklake_snapshot WHERE ctid IN ('(0,1)','(0,2)','(0,3)','(0,4)')

DELETE FROM "public".ducklake_snapshot_changes WHERE ctid IN ('(0,1)','(0,2)','(0,3)','(0,4)')

DELETE FROM "public".ducklake_files_scheduled_for_deletion WHERE ctid IN ('(0,1)','(0,2)','(0,3)','(0,4)','(0,5)')

INSERT INTO "public".ducklake_tag VALUES (1, 2, NULL, 'comment', 'second')

UPDATE "public"."ducklake_metadata" SET "value" = "update_data_ed64786d-3d0d-47a6-914e-98098278909e"."value" FROM "update_data_ed64786d-3d0d-47a6-914e-98098278909e" WHERE "ducklake_metadata".ctid=__page_id_string::TID

WITH overwritten_tags(tid, key) AS (
VALUES (1, 'comment')
)
UPDATE "public".ducklake_tag
SET end_snapshot = 2
FROM overwritten_tags
WHERE object_id=tid AND ducklake_tag.key=overwritten_tags.key AND end_snapshot IS NULL

UPDATE "public".ducklake_view SET end_snapshot = 7 WHERE end_snapshot IS NULL AND view_id IN (3)

UPDATE "public".ducklake_data_file SET end_snapshot = 3 WHERE end_snapshot IS NULL AND data_file_id IN (0)

INSERT INTO "public".ducklake_file_variant_stats VALUES (0, 1, 2, 'root', 'int32', 29, 1, 0, '42', '42', NULL, NULL)

UPDATE "public".ducklake_schema SET end_snapshot = 3 WHERE end_snapshot IS NULL AND schema_id IN (1)

UPDATE "public".ducklake_macro SET end_snapshot = 3 WHERE end_snapshot IS NULL AND macro_id IN (2)

DELETE FROM "public".ducklake_data_file WHERE ctid IN ('(0,3)','(0,4)')

DELETE FROM "public".ducklake_file_column_stats WHERE ctid IN ('(0,1)','(0,2)')

DELETE FROM "public".ducklake_column WHERE ctid IN ('(0,2)')

DELETE FROM "public".ducklake_schema_versions WHERE ctid IN ('(0,1)','(0,2)','(0,3)')

DELETE FROM "public".ducklake_table WHERE ctid IN ('(0,2)','(0,4)','(0,6)')

DELETE FROM "public".ducklake_table_column_stats WHERE ctid IN ('(0,4)')

DELETE FROM "public".ducklake_table_stats WHERE ctid IN ('(0,4)')

INSERT INTO "public".ducklake_column_tag VALUES (1, 1, 3, NULL, 'comment', 'col second')

WITH overwritten_tags(tid, cid, key) AS (
VALUES (1, 1, 'comment')
)
UPDATE "public".ducklake_column_tag
SET end_snapshot = 3
FROM overwritten_tags
WHERE table_id=tid AND column_id=cid AND ducklake_column_tag.key=overwritten_tags.key AND end_snapshot IS NULL

DELETE FROM "public".ducklake_delete_file WHERE ctid IN ('(0,2)')

INSERT INTO "metadata_s1".ducklake_snapshot VALUES (1, NOW(), 1, 2, 0)

INSERT INTO "metadata_s1".ducklake_snapshot_changes VALUES (1, 'created_table:"main"."tbl"', NULL, NULL, NULL)

INSERT INTO "metadata_s2".ducklake_snapshot VALUES (1, NOW(), 1, 2, 0)

INSERT INTO "metadata_s2".ducklake_snapshot_changes VALUES (1, 'created_table:"main"."tbl"', NULL, NULL, NULL)

DELETE FROM "public".ducklake_file_variant_stats WHERE ctid IN ('(0,1)','(0,2)')

DELETE FROM "public".ducklake_macro WHERE ctid IN ('(0,3)','(0,4)')

DELETE FROM "public".ducklake_macro_impl WHERE ctid IN ('(0,1)','(0,2)')

DELETE FROM "public".ducklake_macro_parameters WHERE ctid IN ('(0,1)')

DELETE FROM "public".ducklake_sort_expression WHERE ctid IN ('(0,1)','(0,2)','(0,3)','(0,4)','(0,5)','(0,6)','(0,7)','(0,8)','(0,9)')

DELETE FROM "public".ducklake_sort_info WHERE ctid IN ('(0,2)','(0,4)','(0,6)','(0,8)','(0,10)')

INSERT INTO "metadata_s1".ducklake_column VALUES (1, 1, NULL, 1, 1, 'i', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb')

INSERT INTO "metadata_s1".ducklake_inlined_data_1_1 VALUES (0, 2, NULL, 42)

INSERT INTO "metadata_s1".ducklake_inlined_data_tables VALUES (1, 'ducklake_inlined_data_1_1', 1)

INSERT INTO "metadata_s1".ducklake_schema_versions VALUES (1,1,1)

INSERT INTO "metadata_s1".ducklake_table VALUES (1, '01a22ad5-f070-7217-992f-bdbe8dfd5dc7', 1, NULL, 0, 'tbl', 'tbl/', true)

INSERT INTO "metadata_s1".ducklake_table_column_stats VALUES (1, 1, false, NULL, '42', '42', NULL)

INSERT INTO "metadata_s1".ducklake_table_stats VALUES (1, 1, 1, 0)

INSERT INTO "metadata_s2".ducklake_column VALUES (1, 1, NULL, 1, 1, 's', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb')

INSERT INTO "metadata_s2".ducklake_inlined_data_1_1 VALUES (0, 2, NULL, '\x68656c6c6f20776f726c64')

INSERT INTO "metadata_s2".ducklake_inlined_data_tables VALUES (1, 'ducklake_inlined_data_1_1', 1)

INSERT INTO "metadata_s2".ducklake_schema_versions VALUES (1,1,1)

INSERT INTO "metadata_s2".ducklake_table VALUES (1, '01a22ad5-f1ce-7939-910d-a78cdf92d213', 1, NULL, 0, 'tbl', 'tbl/', true)

INSERT INTO "metadata_s2".ducklake_table_column_stats VALUES (1, 1, false, NULL, 'hello world', 'hello world', NULL)

INSERT INTO "metadata_s2".ducklake_table_stats VALUES (1, 1, 1, 0)

UPDATE "public"."ducklake_data_file" SET "mapping_id" = "update_data_83806ce9-1c4b-4990-ae91-a0f89e124f34"."mapping_id" FROM "update_data_83806ce9-1c4b-4990-ae91-a0f89e124f34" WHERE "ducklake_data_file".ctid=__page_id_string::TID

SELECT snapshot_id, schema_version, next_catalog_id, next_file_id
		 FROM "public".ducklake_snapshot WHERE snapshot_id = (
		     SELECT MAX(snapshot_id) FROM "public".ducklake_snapshot
		 )

SELECT data_file_id, value_count, max_value, min_value
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 2 AND table_id = 1

SELECT data_file_id, value_count, min_value
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 1 AND table_id = 3

SELECT data_file_id, value_count, min_value, max_value
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 1 AND table_id = 1

SELECT data_file_id, value_count, max_value
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 1 AND table_id = 1

SELECT data_file_id, value_count, contains_nan, max_value
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 1 AND table_id = 1

SELECT data_file_id, contains_nan
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 1 AND table_id = 1

SELECT snapshot_id, schema_version, next_catalog_id, next_file_id
		 FROM "metadata_s1".ducklake_snapshot WHERE snapshot_id = (
		     SELECT MAX(snapshot_id) FROM "metadata_s1".ducklake_snapshot
		 )

SELECT snapshot_id, schema_version, next_catalog_id, next_file_id
		 FROM "metadata_s2".ducklake_snapshot WHERE snapshot_id = (
		     SELECT MAX(snapshot_id) FROM "metadata_s2".ducklake_snapshot
		 )
