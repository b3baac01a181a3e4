//! Reads a lake by the original implementation, crate moraine 0.7.0, and prints every row of its catalog: one line for each,
//! the table and then name=value for each column, names in order; NULL is \N.
//!
//!     original-reader FOLDER
use std::{collections::BTreeMap, fmt::Display, io::Cursor, sync::Arc};

use arrow::{
    array::Array,
    buffer::Buffer,
    ipc::{reader::StreamReader, root_as_message},
    util::display::{ArrayFormatter, FormatOptions},
};
use moraine::{Catalog, CatalogOptions, ReadOnlyCatalog, ffi_support as rows};
use object_store::local::LocalFileSystem;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A value as PostgreSQL prints it.
trait Shown {
    fn shown(&self) -> String;
}

impl Shown for bool {
    fn shown(&self) -> String {
        if *self { "t".into() } else { "f".into() }
    }
}

macro_rules! plain {
    ($($type:ty),*) => {$(impl Shown for $type { fn shown(&self) -> String { self.to_string() } })*};
}
plain!(u64, i64, String, &str);

impl<T: Shown> Shown for Option<T> {
    fn shown(&self) -> String {
        self.as_ref().map_or("\\N".into(), Shown::shown)
    }
}

fn print(table: impl Display, columns: BTreeMap<&str, String>) {
    let columns: Vec<String> = columns.iter().map(|(name, value)| format!("{name}={value}")).collect();
    println!("{table}|{}", columns.join("|").replace('\n', " "));
}

/// Prints the fields of rows, under their names or others.
macro_rules! table {
    ($name:literal, $rows:expr, $row:ident { $($field:ident $(as $column:literal)?),* $(,)? }) => {
        for $row in $rows {
            let mut columns = BTreeMap::new();
            $({
                #[allow(unused_mut, unused_assignments)]
                let mut name = stringify!($field);
                $(name = $column;)?
                columns.insert(name, $row.$field.shown());
            })*
            print($name, columns);
        }
    };
}

async fn print_entities(c: &ReadOnlyCatalog) -> Result<(), Failure> {
    table!("ducklake_schema", rows::dump_schemas(c).await?, r {
        schema_id, schema_uuid, begin_snapshot, end_snapshot, schema_name, path, path_is_relative });
    table!("ducklake_table", rows::dump_tables(c).await?, r {
        table_id, table_uuid, begin_snapshot, end_snapshot, schema_id, table_name, path, path_is_relative });
    table!("ducklake_view", rows::dump_views(c).await?, r {
        view_id, view_uuid, begin_snapshot, end_snapshot, schema_id, view_name, dialect, sql, column_aliases });
    table!("ducklake_column", rows::dump_columns(c).await?, r {
        column_id, begin_snapshot, end_snapshot, table_id, column_order, column_name, column_type, initial_default, default_value,
        nulls_allowed, parent_column, default_value_type, default_value_dialect });
    table!("ducklake_macro", rows::dump_macros(c).await?, r { macro_id, begin_snapshot, end_snapshot, schema_id, macro_name });
    table!("ducklake_column_mapping", rows::dump_mappings(c).await?, r { mapping_id, table_id, map_type as "type" });
    table!("ducklake_partition_info", rows::dump_partition_info(c).await?, r { partition_id, table_id, begin_snapshot, end_snapshot });
    table!("ducklake_sort_info", rows::dump_sort_info(c).await?, r { sort_id, table_id, begin_snapshot, end_snapshot });
    Ok(())
}

async fn print_files(c: &ReadOnlyCatalog) -> Result<(), Failure> {
    table!("ducklake_data_file", rows::dump_data_files(c).await?, r {
        data_file_id, table_id, begin_snapshot, end_snapshot, file_order, path, path_is_relative, file_format, record_count,
        file_size_bytes, footer_size, row_id_start, partition_id, encryption_key, mapping_id, partial_max });
    table!("ducklake_delete_file", rows::dump_delete_files(c).await?, r {
        delete_file_id, table_id, begin_snapshot, end_snapshot, data_file_id, path, path_is_relative, format, delete_count,
        file_size_bytes, footer_size, encryption_key, partial_max });
    table!("ducklake_file_column_stats", rows::dump_file_column_stats(c).await?, r {
        data_file_id, table_id, column_id, column_size_bytes, value_count, null_count, min_value, max_value, contains_nan, extra_stats });
    table!("ducklake_table_stats", rows::dump_table_stats(c).await?, r { table_id, record_count, next_row_id, file_size_bytes });
    table!("ducklake_table_column_stats", rows::dump_table_column_stats(c).await?, r {
        table_id, column_id, contains_null, contains_nan, min_value, max_value, extra_stats });
    table!("ducklake_files_scheduled_for_deletion", rows::dump_scheduled_deletions(c).await?, r {
        data_file_id, path, path_is_relative, schedule_start_micros as "schedule_start" });
    Ok(())
}

async fn print_others(c: &ReadOnlyCatalog) -> Result<(), Failure> {
    let snapshots = rows::dump_snapshots(c).await?;
    table!("ducklake_snapshot", &snapshots, r {
        snapshot_id, snapshot_time_micros as "snapshot_time", schema_version, next_catalog_id, next_file_id });
    table!("ducklake_snapshot_changes", &snapshots, r { snapshot_id, changes_made, author, commit_message, commit_extra_info });
    table!("ducklake_schema_versions", rows::dump_schema_versions(c).await?, r { begin_snapshot, schema_version, table_id });
    table!("ducklake_tag", rows::dump_tags(c).await?, r { object_id, begin_snapshot, end_snapshot, key, value });
    table!("ducklake_metadata", rows::dump_options(c).await?, r { key, value, scope, scope_id });
    table!("ducklake_column_tag", rows::dump_column_tags(c).await?, r { table_id, column_id, begin_snapshot, end_snapshot, key, value });
    table!("ducklake_macro_impl", rows::dump_macro_impl_rows(c).await?, r { macro_id, impl_id, dialect, sql, macro_type as "type" });
    table!("ducklake_macro_parameters", rows::dump_macro_parameter_rows(c).await?, r {
        macro_id, impl_id, column_id, parameter_name, parameter_type, default_value, default_value_type });
    table!("ducklake_name_mapping", rows::dump_name_mapping_rows(c).await?, r {
        mapping_id, column_id, source_name, target_field_id, parent_column, is_partition });
    table!("ducklake_partition_column", rows::dump_partition_column_rows(c).await?, r {
        partition_id, table_id, partition_key_index, column_id, transform });
    table!("ducklake_file_partition_value", rows::dump_file_partition_value_rows(c).await?, r {
        data_file_id, table_id, partition_key_index, partition_value });
    table!("ducklake_sort_expression", rows::dump_sort_expression_rows(c).await?, r {
        sort_id, table_id, sort_key_index, expression, dialect, sort_direction, null_order });
    Ok(())
}

/// Prints the inlined rows of all registered tables, with their values, and the inlined deletions.
async fn print_inlined(c: &ReadOnlyCatalog) -> Result<(), Failure> {
    let head = rows::head_stamp(c).await?.ok_or("no head")?.snapshot_id;
    for (table, version) in rows::inline::inline_registered_tables(c).await? {
        let name = format!("ducklake_inlined_data_{table}_{version}");
        print("ducklake_inlined_data_tables", BTreeMap::from([
            ("table_id", table.shown()), ("schema_version", version.shown()), ("table_name", name.shown())]));
        let schemas = rows::inline::inline_schemas(c, table).await?;
        let encoded = &schemas.iter().find(|(of, _)| *of == version).ok_or("no schema")?.1;
        let schema = StreamReader::try_new(Cursor::new(encoded.to_vec()), None)?.schema();
        let record = rows::inline::scan_inline(c, table, moraine::ffi_support::inline::InlineScanKind::ForFlush, head, 0, Some(version)).await?;
        for row in &record.rows {
            let body = &record.chunk_bodies[row.chunk_index as usize];
            let length = u32::from_le_bytes(body[..4].try_into()?) as usize;
            let message = root_as_message(&body[4..4 + length])?;
            let batch = arrow::ipc::reader::read_record_batch(
                &Buffer::from(&body[4 + length..]), message.header_as_record_batch().ok_or("no batch")?, schema.clone(),
                &Default::default(), None, &message.version())?;
            let mut columns = BTreeMap::from([
                ("row_id", row.row_id.shown()), ("begin_snapshot", row.begin_snapshot.shown()), ("end_snapshot", row.end_snapshot.shown())]);
            for (field, values) in schema.fields().iter().zip(batch.columns()) {
                let at = row.offset_in_chunk as usize;
                let shown = if values.is_null(at) { "\\N".into() } else {
                    ArrayFormatter::try_new(values.as_ref(), &FormatOptions::default())?.value(at).to_string()
                };
                columns.insert(field.name(), shown);
            }
            print(&name, columns);
        }
    }
    for table in rows::dump_tables(c).await? {
        if table.end_snapshot.is_none() && rows::inline::inline_file_delete_table_exists(c, table.table_id).await? {
            for (file, row, begin) in rows::inline::inline_file_deletes(c, table.table_id).await? {
                print(format!("ducklake_inlined_delete_{}", table.table_id), BTreeMap::from([
                    ("file_id", file.shown()), ("row_id", row.shown()), ("begin_snapshot", begin.shown())]));
            }
        }
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let folder = std::env::args().nth(1).ok_or("name the folder of a lake")?;
    let catalog = Catalog::open_read_only(Arc::new(LocalFileSystem::new_with_prefix(folder)?), CatalogOptions::default()).await?;
    print_entities(&catalog).await?;
    print_files(&catalog).await?;
    print_others(&catalog).await?;
    print_inlined(&catalog).await?;
    Ok(())
}
