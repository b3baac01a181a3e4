"""Uses a lake with the real DuckDB: makes a table, or changes one that has an equality index of another program.

    indexed.py CONNECTION DATA_PATH create|change

Every change of rows must be refused once, without DuckDB trying it again, with the table and the index named; flushing,
merging, rewriting and what concerns no row must go on as ever.
"""
import sys

from lakeclient import attach_lake, open_duckdb

CREATE = [
    "CREATE TABLE lake.clients(id BIGINT, name VARCHAR)",
    "INSERT INTO lake.clients VALUES (1, 'a'), (2, 'b')",
    "INSERT INTO lake.clients SELECT i, 'x' FROM range(100, 200) t(i)",
    "INSERT INTO lake.clients SELECT i, 'x' FROM range(200, 300) t(i)",
    "DELETE FROM lake.clients WHERE id = 2",
    "DELETE FROM lake.clients WHERE id = 150",
    "CREATE TABLE lake.other(id BIGINT)",
]

REFUSED = [
    "INSERT INTO lake.clients VALUES (77, 'x')",
    "INSERT INTO lake.clients SELECT i, 'x' FROM range(1000, 1100) t(i)",
    "UPDATE lake.clients SET name = 'q' WHERE id = 1",
    "DELETE FROM lake.clients WHERE id = 110",
    "DELETE FROM lake.clients WHERE id > 110",
    "DELETE FROM lake.clients",
    "ALTER TABLE lake.clients DROP COLUMN id",
    "ALTER TABLE lake.clients ALTER id TYPE HUGEINT",
]

LEGAL = [
    "INSERT INTO lake.other VALUES (9)",
    "ALTER TABLE lake.clients ADD COLUMN later INTEGER",
    "ALTER TABLE lake.clients DROP COLUMN later",
    "CALL ducklake_flush_inlined_data('lake')",
    "CALL ducklake_merge_adjacent_files('lake')",
    "CALL ducklake_rewrite_data_files('lake', delete_threshold => 0)",
    "CALL ducklake_expire_snapshots('lake', older_than => now())",
    "CALL ducklake_cleanup_old_files('lake', cleanup_all => true)",
]


def check_rows(duck):
    rows = duck.execute("SELECT count(*), sum(id) FROM lake.clients").fetchall()
    if rows != [(200, 39751)]:
        sys.exit(f"the table has {rows}")


def change(duck):
    duck.execute("SET ducklake_max_retry_count = 1000")  # a refusal that was tried again would take minutes
    for statement in REFUSED:
        try:
            duck.execute(statement)
        except Exception as failure:
            if 'guard indexed-table: ' not in str(failure) or '"clients", which has the equality index 8 "by_id"' not in str(failure):
                sys.exit(f"{statement}: {failure}")
        else:
            sys.exit(f"{statement} was not refused")
    check_rows(duck)
    for statement in LEGAL:
        duck.execute(statement).fetchall()
        check_rows(duck)
    duck.execute("DROP TABLE lake.clients")


def main(connection, data_path, task):
    duck = attach_lake(open_duckdb(), connection, data_path)
    if task == "create":
        for statement in CREATE:
            duck.execute(statement)
    else:
        change(duck)
    duck.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
