"""Reads and writes a lake as roles with few rights, by DuckDB. usage: roles.py PORT DIRECTORY"""

import sys

import duckdb

from lakeclient import attach_lake, open_duckdb

PORT, DIRECTORY = sys.argv[1:]


SCHEMA = "METADATA_SCHEMA 'lake'"


def connection(user, password=None):
    """Connects as a user."""
    return f"host=127.0.0.1 port={PORT} dbname=moraine user={user}" + (f" password={password}" if password else "")


def attach(user, password=None, options=SCHEMA):
    """Returns a DuckDB with the lake attached by a user."""
    return attach_lake(open_duckdb(), connection(user, password), DIRECTORY, options)


def sql(statement):
    """Runs a statement of the server's owner."""
    duck = open_duckdb()
    duck.execute(f"ATTACH '{connection('owner')}' AS server (TYPE postgres)")
    duck.execute("CALL postgres_execute('server', $$" + statement + "$$)")


def refused(what, words):
    """Requires that something fails and that the error says why."""
    try:
        what()
    except duckdb.Error as error:
        assert words in str(error), f"{words!r} is not in {error}"
        return
    raise AssertionError(f"nothing was refused; expected {words!r}")


READ_ONLY = SCHEMA + ", READ_ONLY"

owner = attach("owner")
owner.execute("CREATE TABLE lake.t (i INTEGER)")
owner.execute("INSERT INTO lake.t VALUES (1)")

# A reader: attached with USAGE and SELECT, and not before.
sql("CREATE ROLE reader LOGIN PASSWORD 'secret'")
refused(lambda: attach("reader", "secret", READ_ONLY), "permission denied for schema lake")
refused(lambda: attach("reader", "wrong", READ_ONLY), "password authentication failed")
refused(lambda: attach("reader", None, READ_ONLY), "password")
sql("GRANT USAGE ON SCHEMA lake TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA lake TO reader")
assert attach("reader", "secret", READ_ONLY).execute("SELECT i FROM lake.t").fetchall() == [(1,)]
refused(lambda: attach("reader", "secret").execute("INSERT INTO lake.t VALUES (2)"), "permission denied for table")

# Tables that DuckLake makes later for inlined rows are readable by default privileges.
sql("ALTER DEFAULT PRIVILEGES IN SCHEMA lake GRANT SELECT ON TABLES TO reader")
owner.execute("CREATE TABLE lake.later (i INTEGER)")
owner.execute("INSERT INTO lake.later VALUES (2)")
assert attach("reader", "secret", READ_ONLY).execute("SELECT i FROM lake.later").fetchall() == [(2,)]

# A flush drops the table of inlined rows; the reader goes on.
reader = attach("reader", "secret", READ_ONLY)
assert reader.execute("SELECT i FROM lake.t").fetchall() == [(1,)]
owner.execute("CALL ducklake_flush_inlined_data('lake')")
assert reader.execute("SELECT i FROM lake.t").fetchall() == [(1,)]

# A writer that is no owner: rows of old tables, and new tables that are its own.
sql("CREATE ROLE writer LOGIN")
sql("GRANT USAGE, CREATE ON SCHEMA lake TO writer; GRANT ALL ON ALL TABLES IN SCHEMA lake TO writer")
sql("ALTER DEFAULT PRIVILEGES IN SCHEMA lake GRANT ALL ON TABLES TO writer")
sql("ALTER DEFAULT PRIVILEGES FOR ROLE writer IN SCHEMA lake GRANT SELECT ON TABLES TO reader")
writer = attach("writer")
writer.execute("INSERT INTO lake.t VALUES (3)")
writer.execute("CREATE TABLE lake.own (i INTEGER)")
writer.execute("INSERT INTO lake.own VALUES (4)")
writer.execute("UPDATE lake.own SET i = 5")
writer.execute("DELETE FROM lake.t WHERE i = 1")
assert attach("reader", "secret", READ_ONLY).execute("SELECT i FROM lake.t UNION ALL SELECT i FROM lake.own ORDER BY i").fetchall() == [(3,), (5,)]

# A group owns the lake: each of its members may flush, which drops tables that another made.
sql("CREATE ROLE team; CREATE ROLE ann LOGIN IN ROLE team; CREATE ROLE bob LOGIN IN ROLE team; ALTER SCHEMA lake OWNER TO team")
sql("GRANT ALL ON ALL TABLES IN SCHEMA lake TO team")
sql("ALTER DEFAULT PRIVILEGES FOR ROLE ann, bob IN SCHEMA lake GRANT ALL ON TABLES TO team")
ann, bob = attach("ann"), attach("bob")
ann.execute("CREATE TABLE lake.shared (i INTEGER)")
ann.execute("INSERT INTO lake.shared VALUES (6)")
bob.execute("INSERT INTO lake.shared VALUES (7)")
bob.execute("CALL ducklake_flush_inlined_data('lake')")
assert ann.execute("SELECT i FROM lake.shared ORDER BY i").fetchall() == [(6,), (7,)]
refused(lambda: writer.execute("INSERT INTO lake.shared VALUES (8)"), "permission denied")

# A role with CREATE on the database makes a lake of its own, which is nobody else's.
sql("CREATE ROLE maker LOGIN; GRANT CREATE ON DATABASE moraine TO maker")
MADE = "METADATA_SCHEMA 'made'"
maker = attach("maker", options=MADE)
maker.execute("CREATE TABLE lake.t AS SELECT 1 AS i")
assert maker.execute("SELECT i FROM lake.t").fetchall() == [(1,)]
refused(lambda: attach("writer", options=MADE), "permission denied for schema made")

# A role that is gone has no rights left.
sql("DROP OWNED BY reader")
sql("DROP ROLE reader")
refused(lambda: reader.execute("SELECT i FROM lake.own").fetchall(), "permission denied")
print("ok")
