"""What a user of a lake does, for the recorder: names each operation on standard output before it starts it.

    workload.py CONNECTION DATA_PATH
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "e2e"))
from lakeclient import attach_lake, open_duckdb  # noqa: E402

INSERTS, SELECTS, UPDATES, DELETES, ATTACHES, FLUSHES = 20, 10, 6, 6, 5, 3


def operation(name):
    print(name, flush=True)
    sys.stdin.readline()


def attach(connection, data_path):
    duck = attach_lake(open_duckdb(), connection, data_path)
    duck.execute("SELECT 1 FROM duckdb_tables() WHERE database_name = 'lake'").fetchall()
    return duck


def main():
    connection, data_path = sys.argv[1:]
    operation("first attach")
    duck = attach(connection, data_path)
    for table in range(5):
        operation("create table")
        duck.execute(f"CREATE TABLE lake.t{table}(id INTEGER, name VARCHAR, amount DOUBLE, happened TIMESTAMP)")
    operation("insert of a file")
    duck.execute("INSERT INTO lake.t0 SELECT r, 'row ' || r, r, TIMESTAMP '2024-01-01' FROM range(1000) x(r)")
    for i in range(INSERTS):
        operation("insert of a row")
        duck.execute(f"INSERT INTO lake.t0 VALUES ({10000 + i}, 'row {i}', {i}.5, TIMESTAMP '2024-01-01 00:00:00')")
    for i in range(SELECTS):
        operation("filtered select")
        duck.execute(f"SELECT * FROM lake.t0 WHERE id = {100 + i}").fetchall()
    for i in range(UPDATES):
        operation("update of a row")
        duck.execute(f"UPDATE lake.t0 SET amount = {i} WHERE id = {200 + i}")
    for i in range(DELETES):
        operation("delete of a row")
        duck.execute(f"DELETE FROM lake.t0 WHERE id = {300 + i}")
    for i in range(FLUSHES):
        operation("insert of a row")
        duck.execute(f"INSERT INTO lake.t1 VALUES ({i}, 'x', 0, NULL)")
        operation("flush")
        duck.execute("CALL ducklake_flush_inlined_data('lake')")
    for _ in range(ATTACHES):
        operation("attach again")
        attach(connection, data_path).close()


if __name__ == "__main__":
    main()
