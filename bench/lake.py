"""Times what a user of a lake waits for, on PostgreSQL and on Moraine in turn, with the real DuckDB.

    lake.py [--only attach,commit,...] [--scale small|full] [--rounds N]

POSTGRES_CONNECTION and MORAINE_CONNECTION name the servers (`make lake-bench` starts both). Each workload has a database
of its own on each server; figures are medians in milliseconds unless they say otherwise, and the last column tells how
much better Moraine is. With several rounds the servers take turns, and figures are medians of the rounds. DuckLake's settings
are its defaults, so a commit gives up after ten retries: these are the failed ones. The share of the slowest client is what it
had committed when the first was done, compared with the mean. DuckDB's own share of the time is in them: `make bench` measures the servers alone.

    attach     a first ATTACH, which makes the catalog; ATTACH by a new client; the first query of one with many tables
    commit     an INSERT of one row
    writers    8 clients, each on a table of its own: commits per second
    contend    8 clients on one table: commits per second
    mixed      6 clients that commit, and beside them one that reads, and one that leaves its transactions open for a while
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
THINKING_TIME = 0.5  # seconds for which a client leaves its transaction open
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


def together(works):
    """Runs functions in threads of their own, from one moment on."""
    start = threading.Barrier(len(works))

    def run(work):
        try:
            work(start.wait)
        except BaseException:
            start.abort()  # nobody waits for a client that cannot start
            raise

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Writer:
    """A client that commits single rows and notes when each commit was done."""

    def __init__(self, lake, client, table):
        self.lake, self.client, self.table = lake, client, table
        self.done, self.waits, self.failures = [], [], []

    def commits(self, count):
        def work(wait_for_start):
            duck = self.lake.attach(threads=1)
            wait_for_start()
            self.begun = time.perf_counter()
            for row in range(count):
                self.commit(duck, row)
            duck.close()

        return work

    def commit(self, duck, row):
        before = time.perf_counter()
        try:
            duck.execute(f"INSERT INTO lake.t{self.table} VALUES ({self.client}, 'x{row}')")
        except Exception as error:  # a commit that gave up is a figure here
            self.failures.append(str(error))
            return
        self.done.append(time.perf_counter())
        self.waits.append(self.done[-1] - before)


def make_tables(lake, tables):
    duck = lake.attach()
    for table in range(tables):
        duck.execute(f"CREATE TABLE lake.t{table}(a INTEGER, b VARCHAR)")
    duck.close()


def writer_figures(writers, kind):
    begun = min(writer.begun for writer in writers)
    done = [moment for writer in writers for moment in writer.done]
    first = min(writer.done[-1] for writer in writers)
    shares = [sum(moment <= first for moment in writer.done) for writer in writers]
    return {
        f"commits per second {kind}": len(done) / (max(done) - begun),
        f"failed commits {kind}": sum(len(writer.failures) for writer in writers),
        f"slowest client's share {kind}": min(shares) / statistics.mean(shares),
        f"longest commit {kind}": 1000 * max(wait for writer in writers for wait in writer.waits),
    }


def crowd(lake, scale, tables):
    """Lets CLIENTS clients commit at once."""
    make_tables(lake, tables)
    crowd = [Writer(lake, client, client % tables) for client in range(CLIENTS)]
    together([writer.commits(scale["writer_commits"]) for writer in crowd])
    done = sum(len(writer.done) for writer in crowd)
    duck = lake.attach()
    found = sum(duck.execute(f"SELECT count(*) FROM lake.t{table}").fetchone()[0] for table in range(tables))
    duck.close()
    if found != done:
        raise RuntimeError(f"{done} commits were acknowledged, {found} rows are there")
    return writer_figures(crowd, f"on {tables} tables")


def writers(lake, scale):
    return crowd(lake, scale, CLIENTS)


def contend(lake, scale):
    return crowd(lake, scale, 1)


def mixed(lake, scale):
    make_tables(lake, CLIENTS)
    crowd = [Writer(lake, client, client) for client in range(CLIENTS - 2)]
    ended = threading.Event()
    reads, slow, failures = [], [], []

    def until_ended(statement):
        def work(wait_for_start):
            duck = lake.attach(threads=1)
            wait_for_start()
            while not ended.is_set():
                statement(duck)
            duck.close()

        return work

    def read(duck):
        reads.append(milliseconds(lambda: duck.execute("SELECT count(*) FROM lake.t0").fetchall()))

    def write_slowly(duck):
        duck.execute("BEGIN")
        duck.execute(f"INSERT INTO lake.t{CLIENTS - 1} VALUES (0, 'slow')")
        time.sleep(THINKING_TIME)
        try:
            slow.append(milliseconds(duck.execute, "COMMIT"))
        except Exception as error:
            failures.append(str(error))

    def write_all(wait_for_start):
        wait_for_start()
        together([writer.commits(scale["writer_commits"]) for writer in crowd])
        ended.set()

    together([write_all, until_ended(read), until_ended(write_slowly)])
    return writer_figures(crowd, "beside others") | {
        "SELECT beside writers": statistics.median(reads),
        f"COMMIT after {THINKING_TIME} s": statistics.median(slow),
        f"failed commits after {THINKING_TIME} s": len(failures),
    }


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


WORKLOADS = {function.__name__: function for function in (attach, commit, writers, contend, mixed, plan)}


def better(name, reference, value):
    if name.startswith("failed") or not value or not reference:
        return ""
    greater_is_better = "per second" in name or "share" in name
    ratio = value / reference if greater_is_better else reference / value
    return f"{ratio:.2f}x"


def measure(connection, name, scale):
    with Lake(connection) as lake:
        return WORKLOADS[name](lake, scale)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(WORKLOADS))
    parser.add_argument("--scale", choices=SCALES, default="small")
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    connections = [os.environ["POSTGRES_CONNECTION"], os.environ["MORAINE_CONNECTION"]]
    print(f"{'':40} {'PostgreSQL':>11} {'Moraine':>11}  better")
    for name in arguments.only.split(","):
        rounds = [[measure(connection, name, SCALES[arguments.scale]) for connection in connections] for _ in range(arguments.rounds)]
        for figure in rounds[0][0]:
            reference, value = (statistics.median(figures[server][figure] for figures in rounds) for server in range(2))
            print(f"{figure:40} {reference:11.2f} {value:11.2f}  {better(figure, reference, value)}", flush=True)


if __name__ == "__main__":
    main()
