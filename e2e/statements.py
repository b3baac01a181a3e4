"""Runs a file of SQL statements in the real DuckDB, with a lake attached as `lake`.

    statements.py CONNECTION DATA_PATH FILE

${data} in the statements stands for the data folder.
"""
import pathlib
import sys

from lakeclient import attach_lake, open_duckdb


def main(connection, data_path, path):
    duck = attach_lake(open_duckdb(), connection, data_path)
    for statement in duck.extract_statements(pathlib.Path(path).read_text().replace("${data}", data_path)):
        duck.execute(statement)
    duck.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
