"""Drives two DuckDBs into commits that would corrupt a lake, and that DuckLake itself does not refuse.

    guards.py CONNECTION DATA_PATH CASE

Prints `refused` and the guard, or `committed`, and then what a third client reads: count(*), the rows that a scan finds, and
the sum of a column.
"""
import re
import sys

from lakeclient import attach_lake, open_duckdb

ROWS = "SELECT range AS i, 0 AS v FROM range(100)"

# case -> statements before, of the first client's transaction, and of the second client before the first one's COMMIT.
CASES = {
    "delete": ([f"CREATE TABLE t AS {ROWS}"], ["DELETE FROM t WHERE i < 50"], ["DELETE FROM t WHERE i = 7"]),
    "merge": (
        ["CREATE TABLE t(i BIGINT, v INTEGER)", f"INSERT INTO t {ROWS}", f"INSERT INTO t {ROWS}"],
        ["CALL ducklake_merge_adjacent_files('lake')"],
        ["DELETE FROM t WHERE i = 7"],
    ),
    "rewrite": (
        [f"CREATE TABLE t AS {ROWS}", "DELETE FROM t WHERE i < 99 AND i <> 7"],
        ["CALL ducklake_rewrite_data_files('lake')"],
        ["DELETE FROM t WHERE i = 7"],
    ),
    "flush": (
        [f"CREATE TABLE t AS {ROWS}", "CREATE TABLE u(i INTEGER)", "DELETE FROM t WHERE i = 7"],
        ["CALL ducklake_flush_inlined_data('lake')"],
        ["INSERT INTO u VALUES (1)"],
    ),
    # Nobody is in the way of anybody here.
    "apart": (
        [f"CREATE TABLE t AS {ROWS}", f"CREATE TABLE u AS {ROWS}"],
        ["DELETE FROM t WHERE i < 50"],
        ["DELETE FROM u WHERE i = 7"],
    ),
    # One transaction does what DuckLake writes as two live rows of one table.
    "rename": ([f"CREATE TABLE t AS {ROWS}"], ["ALTER TABLE t ADD COLUMN w INTEGER", "ALTER TABLE t RENAME TO t2"], []),
}


def run(duck, statements):
    for statement in statements:
        duck.execute(statement).fetchall()


def main(connection, data_path, case):
    before, first, second = CASES[case]
    one, other, reader = (attach_lake(open_duckdb(), connection, data_path) for _ in range(3))
    for duck in (one, other, reader):
        duck.execute("USE lake")
    run(one, before)
    run(one, ["BEGIN", *first])
    run(other, second)
    try:
        one.execute("COMMIT")
        print("committed")
    except Exception as failure:
        guard = re.search(r"guard ([a-z-]+): ", str(failure))
        print("refused", guard.group(1) if guard else failure)
    counted = reader.execute("SELECT count(*) FROM t").fetchall()[0][0]
    found, total = reader.execute("SELECT count(i), sum(i)::BIGINT FROM t WHERE i >= 0").fetchall()[0]
    print(counted, found, total)


if __name__ == "__main__":
    main(*sys.argv[1:])
