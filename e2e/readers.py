"""A real DuckDB on a read-only server, for the test of such servers.

    readers.py CONNECTION DATA_PATH OPTIONS watch   prints "TIME ROWS_OF_A ROWS_OF_B", each line of one transaction, for ever;
                                                    OPTIONS are further ones of ATTACH
    readers.py CONNECTION DATA_PATH OPTIONS write   tries to write and prints what came of each statement, a line each
"""
import sys
import time

import duckdb

from lakeclient import attach_lake, open_duckdb

COUNTS = "SELECT (SELECT count(*) FROM lake.a), (SELECT count(*) FROM lake.b)"

WRITES = ("INSERT INTO lake.a VALUES (-1, -1)", "DELETE FROM lake.a", "UPDATE lake.a SET sequence = -1",
          "CREATE TABLE lake.c (i INTEGER)", "DROP TABLE lake.a", "ALTER TABLE lake.a ADD COLUMN x INTEGER", "CREATE SCHEMA lake.s",
          "CALL ducklake_flush_inlined_data('lake')")


def watch(duck):
    while True:
        rows = duck.execute(COUNTS).fetchone()
        print(f"{time.time():.6f}", *rows, flush=True)
        time.sleep(0.005)


def write(duck):
    for statement in WRITES:
        try:
            duck.execute(statement)
            print("done:", statement)
        except duckdb.Error as error:
            print(" ".join(str(error).split()))


def main():
    connection, data_path, options, command = sys.argv[1:]
    duck = attach_lake(open_duckdb(), connection, data_path, options)
    (watch if command == "watch" else write)(duck)


if __name__ == "__main__":
    main()
