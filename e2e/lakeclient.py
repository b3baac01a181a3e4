"""The real DuckDB as a client of a lake: loads the extensions that the pinned packages carry and attaches."""
import importlib
import os

import duckdb

# httpfs brings the cryptography that an encrypted lake needs.
EXTENSION_PACKAGES = ("duckdb_extension_httpfs", "duckdb_extension_postgres_scanner", "duckdb_extension_ducklake")


def extension_files():
    """Yields the paths of the DuckDB extensions in the installed packages."""
    for package in EXTENSION_PACKAGES:
        root = importlib.import_module(package).__path__[0]
        for folder, _, files in os.walk(root):
            for name in files:
                if name.endswith(".duckdb_extension"):
                    yield os.path.join(folder, name)


def open_duckdb(threads=1):
    """Returns a new DuckDB in memory. One thread and UTC by default, so that files and results are the same each time."""
    duck = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    for path in extension_files():
        duck.execute(f"LOAD '{path}'")
    duck.execute(f"SET threads = {threads}")
    duck.execute("SET TimeZone = 'UTC'")
    return duck


def attach_lake(duck, connection, data_path, options="", alias="lake"):
    """Attaches the lake behind `connection` (libpq keywords with dbname); `options` are further options of ATTACH."""
    listed = ", ".join(filter(None, [f"DATA_PATH '{data_path}'", options]))
    duck.execute(f"ATTACH 'ducklake:postgres:{connection}' AS {alias} ({listed})")
    return duck
