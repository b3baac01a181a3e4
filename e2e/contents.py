"""Prints all that the real DuckDB reads of a lake, one JSON value a line: the rows of every table at every snapshot, and
what belongs to the lake as a whole.

    contents.py CONNECTION DATA_PATH [STATEMENT]

STATEMENT, if there is one, is run first; the lake is attached as `lake`.
"""
import json
import sys

import duckdb

from lakeclient import attach_lake, open_duckdb


def contents(duck):
    """Yields names and rows, in an order that depends on the lake alone."""
    def rows(query):
        return duck.execute(query).fetchall()

    def past(table, version):
        try:
            return rows(f"SELECT * FROM {table} AT (VERSION => {version}) ORDER BY ALL")
        except duckdb.CatalogException:
            return "not there yet"

    of_lake = "WHERE database_name = 'lake' ORDER BY ALL"
    yield "snapshots", rows("SELECT * EXCLUDE (changes), changes::VARCHAR FROM ducklake_snapshots('lake') ORDER BY ALL")
    versions = rows("SELECT snapshot_id FROM ducklake_snapshots('lake') ORDER BY ALL")
    for schema, table in rows(f"SELECT schema_name, table_name FROM duckdb_tables() {of_lake}"):
        for (version,) in versions:
            yield f"{schema}.{table} at {version}", past(f'lake."{schema}"."{table}"', version)
    yield "views", rows(f"SELECT schema_name, view_name, sql FROM duckdb_views() {of_lake}")
    yield "columns", rows(f"SELECT schema_name, table_name, column_name, data_type, comment FROM duckdb_columns() {of_lake}")
    yield "options", rows("SELECT * FROM ducklake_options('lake') ORDER BY ALL")


def main(connection, data_path, statement=None):
    duck = attach_lake(open_duckdb(), connection, data_path)
    if statement:
        duck.execute(statement)
    for name, found in contents(duck):
        print(json.dumps([name, found], default=str))
    duck.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
