"""Times what a user of a lake waits for, on PostgreSQL and on Moraine in turn, with the real DuckDB.

    lake.py [--only attach,commit,...] [--scale small|full]

POSTGRES_CONNECTION and MORAINE_CONNECTION name the servers (`make lake-bench` starts both). Each workload has a database
of its own on each server; figures are medians in milliseconds unless they say otherwise, and the last column tells how
much better Moraine is. DuckDB's own share of the time is in them: `make bench` measures the servers alone.

    attach     a first ATTACH, which makes the catalog; ATTACH by a new client; the first query of one with many tables
    commit     an INSERT of one row
    writers    8 clients, each on a table of its own: commits per second
    contend    8 clients on one table: commits per second
    plan       a query that one of very many files answers
"""
import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import threading
import time
import uuid

import psycopg

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from lakeclient import attach_lake, open_duckdb  # noqa: E402

CLIENTS = 8
SCALES = {
    "small": dict(attaches=7, tables=300, commits=150, writer_commits=40, files=10_000),
    "full": dict(attaches=15, tables=1_000, commits=500, writer_commits=100, files=100_000),
}
FILE_ROWS = 100  # rows that each made-up data file of `plan` claims to hold


class Lake:
    """A new database on one server, and the data folder of its lake."""

    def __init__(self, connection):
        self.connection = connection

    def __enter__(self):
        self.database = "bench_" + uuid.uuid4().hex[:12]
        self.folder = tempfile.TemporaryDirectory(prefix="bench-")
        self.administer(f"CREATE DATABASE {self.database}")
        return self

    def __exit__(self, *_):
        self.administer(f"DROP DATABASE {self.database} WITH (FORCE)")
        self.folder.cleanup()

    def administer(self, statement):
        with psycopg.connect(self.connection + " dbname=moraine", autocommit=True) as connection:
            connection.execute(statement)

    def attach(self, threads=2):
        return attach_lake(open_duckdb(threads), f"{self.connection} dbname={self.database}", self.folder.name + "/")

    def sql(self):
        return psycopg.connect(f"{self.connection} dbname={self.database}")


def milliseconds(function, *arguments):
    start = time.perf_counter()
    function(*arguments)
    return 1000 * (time.perf_counter() - start)


def median_of(times, function):
    return statistics.median(milliseconds(function) for _ in range(times))


def attach(lake, scale):
    first = milliseconds(lake.attach)

    def again():
        duck = lake.attach()
        duck.execute("SELECT 1")
        duck.close()

    figures = {"first ATTACH": first, "ATTACH again": median_of(scale["attaches"], again)}
    duck = lake.attach()
    columns = ", ".join(f"c{i} INTEGER" for i in range(10))
    duck.execute("BEGIN")
    for table in range(scale["tables"]):
        duck.execute(f"CREATE TABLE lake.t{table}({columns})")
    figures[f"COMMIT of {scale['tables']} tables"] = milliseconds(duck.execute, "COMMIT")
    duck.close()

    def first_query():
        duck = lake.attach()
        duck.execute("SELECT count(*) FROM lake.t7").fetchall()
        duck.close()

    figures["ATTACH and first query with them"] = median_of(scale["attaches"], first_query)
    return figures


def commit(lake, scale):
    duck = lake.attach()
    duck.execute("CREATE TABLE lake.t(a INTEGER, b VARCHAR, c DOUBLE)")
    duck.execute("INSERT INTO lake.t VALUES (0, 'first', 0)")
    times = sorted(milliseconds(duck.execute, f"INSERT INTO lake.t VALUES ({i}, 'row {i}', {i}.5)") for i in range(scale["commits"]))
    duck.close()
    return {"INSERT of a row": statistics.median(times), "INSERT of a row, 99th percentile": times[len(times) * 99 // 100]}


def crowd(lake, scale, tables):
    """Lets CLIENTS clients commit at once; returns commits per second."""
    duck = lake.attach()
    for table in range(tables):
        duck.execute(f"CREATE TABLE lake.t{table}(a INTEGER, b VARCHAR)")
    duck.close()
    failures = []
    start = threading.Barrier(CLIENTS + 1)

    def work(client):
        duck = lake.attach(threads=1)
        duck.execute("SET ducklake_max_retry_count = 100")
        start.wait()
        for i in range(scale["writer_commits"]):
            try:
                duck.execute(f"INSERT INTO lake.t{client % tables} VALUES ({client}, 'x{i}')")
            except Exception as error:  # a commit that gave up is a figure here
                failures.append(str(error))
        duck.close()

    threads = [threading.Thread(target=work, args=(client,)) for client in range(CLIENTS)]
    for thread in threads:
        thread.start()
    start.wait()
    begun = time.perf_counter()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - begun
    done = CLIENTS * scale["writer_commits"] - len(failures)
    duck = lake.attach()
    found = sum(duck.execute(f"SELECT count(*) FROM lake.t{table}").fetchone()[0] for table in range(tables))
    duck.close()
    if found != done:
        raise RuntimeError(f"{done} commits were acknowledged, {found} rows are there")
    return {f"commits per second on {tables} tables": done / seconds, f"failed commits on {tables} tables": len(failures)}


def writers(lake, scale):
    return crowd(lake, scale, CLIENTS)


def contend(lake, scale):
    return crowd(lake, scale, 1)


def plan(lake, scale):
    duck = lake.attach()
    duck.execute("CALL lake.set_option('data_inlining_row_limit', 0)")
    duck.execute("CREATE TABLE lake.t(" + ", ".join(f"c{i} BIGINT" for i in range(10)) + ")")
    duck.execute("INSERT INTO lake.t SELECT " + ", ".join(["r"] * 10) + f" FROM range({FILE_ROWS}) x(r)")
    duck.close()
    figures = {f"COMMIT of {scale['files']} files": milliseconds(add_files, lake, scale["files"])}
    duck = lake.attach()

    def select():
        rows = duck.execute("SELECT count(*), sum(c3) FROM lake.t WHERE c1 < 50").fetchall()
        if rows != [(50, 1225)]:
            raise RuntimeError(f"the query gives {rows}")

    figures["pruned query, first"] = milliseconds(select)
    figures["pruned query, again"] = median_of(scale["attaches"], select)
    duck.close()
    return figures


def add_files(lake, files):
    """Commits data files that do not exist: statistics keep readers away from them."""
    with lake.sql() as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT snapshot_id, next_file_id FROM ducklake_snapshot ORDER BY snapshot_id DESC LIMIT 1")
        snapshot, first = cursor.fetchone()
        cursor.execute("INSERT INTO ducklake_snapshot SELECT %s, now(), schema_version, next_catalog_id, %s FROM ducklake_snapshot"
                       " WHERE snapshot_id = %s", (snapshot + 1, first + files, snapshot))
        cursor.execute("INSERT INTO ducklake_snapshot_changes VALUES (%s, 'inserted_into_table:1', NULL, NULL, NULL)", (snapshot + 1,))
        with cursor.copy("COPY ducklake_data_file(data_file_id, table_id, begin_snapshot, path, path_is_relative, file_format,"
                         " record_count, file_size_bytes, footer_size, row_id_start) FROM STDIN") as copy:
            for i in range(files):
                copy.write_row((first + i, 1, snapshot + 1, f"absent-{i}.parquet", True, "parquet", FILE_ROWS, 4000, 400,
                                FILE_ROWS * (i + 1)))
        with cursor.copy("COPY ducklake_file_column_stats(data_file_id, table_id, column_id, column_size_bytes, value_count,"
                         " null_count, min_value, max_value) FROM STDIN") as copy:
            for i in range(files):
                for column in range(1, 11):
                    copy.write_row((first + i, 1, column, 400, FILE_ROWS, 0, str(FILE_ROWS * (i + 10)), str(FILE_ROWS * (i + 11) - 1)))


WORKLOADS = {function.__name__: function for function in (attach, commit, writers, contend, plan)}


def better(name, reference, value):
    if name.startswith("failed") or not value:
        return ""
    ratio = value / reference if "per second" in name else reference / value
    return f"{ratio:.2f}x"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(WORKLOADS))
    parser.add_argument("--scale", choices=SCALES, default="small")
    arguments = parser.parse_args()
    connections = [os.environ["POSTGRES_CONNECTION"], os.environ["MORAINE_CONNECTION"]]
    print(f"{'':36} {'PostgreSQL':>11} {'Moraine':>11}  better")
    for name in arguments.only.split(","):
        figures = []
        for connection in connections:
            with Lake(connection) as lake:
                figures.append(WORKLOADS[name](lake, SCALES[arguments.scale]))
        for figure, reference in figures[0].items():
            value = figures[1][figure]
            print(f"{figure:36} {reference:11.2f} {value:11.2f}  {better(figure, reference, value)}", flush=True)


if __name__ == "__main__":
    main()
