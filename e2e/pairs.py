"""A real DuckDB that writes pairs of rows, one transaction each, for the test that kills the server.

    pairs.py CONNECTION DATA_PATH create            makes the lake with its tables a and b
    pairs.py CONNECTION DATA_PATH write WRITER N    inserts (WRITER, n) into both, n = N, N + 1, ...; prints n once it is committed
    pairs.py CONNECTION DATA_PATH count             prints how many rows both have

`write` goes on for ever. When the server is gone it attaches anew, with the next n.
"""
import itertools
import os
import sys
import time

import duckdb

from lakeclient import attach_lake, open_duckdb

RETRY_SECONDS = 0.05


def create(duck):
    for table in ("a", "b"):
        duck.execute(f"CREATE TABLE lake.{table}(writer INTEGER, sequence INTEGER)")


def write_pair(duck, writer, sequence):
    duck.execute("BEGIN")
    for table in ("a", "b"):
        duck.execute(f"INSERT INTO lake.{table} VALUES ({writer}, {sequence})")
    duck.execute("COMMIT")
    print(sequence, flush=True)


def write(connection, data_path, writer, first):
    sequences = itertools.count(int(first))
    try:
        duck = attach_lake(open_duckdb(), connection, data_path)
        duck.execute("SET ducklake_max_retry_count = 1000")
        duck.execute("SET ducklake_retry_wait_ms = 1")
        duck.execute("SET ducklake_retry_backoff = 1")
        while True:
            write_pair(duck, writer, next(sequences))
    except duckdb.Error:  # the server was killed, or is not up yet
        time.sleep(RETRY_SECONDS)
        # A new process, because DuckDB 1.5.5 may abort when it closes a lake whose server is gone.
        arguments = [__file__, connection, data_path, "write", writer, str(next(sequences))]
        os.execv(sys.executable, [sys.executable, *arguments])


def main():
    connection, data_path, command, *arguments = sys.argv[1:]
    if command == "write":
        write(connection, data_path, *arguments)
        return
    duck = attach_lake(open_duckdb(), connection, data_path)
    if command == "create":
        create(duck)
    else:
        print(*duck.execute("SELECT (SELECT count(*) FROM lake.a), (SELECT count(*) FROM lake.b)").fetchone())


if __name__ == "__main__":
    main()
