"""Runs a script of the tour with the real DuckDB and prints it with the results that it got.

    tour.py --connection 'host=127.0.0.1 port=5454 user=moraine' SCRIPT        run, print
    tour.py --check --connection ... SCRIPT                                    the same, and check the lakes at the end
    tour.py --record FOLDER...                                                 run all, write the results into the scripts

A script is a list of blocks, separated by blank lines: a command, its input, a line of four dashes, and the result as
PostgreSQL 15 gave it. A test runs the script against Moraine and compares the whole text. Commands:

    attach CLIENT [database=X]      a new DuckDB of that name attaches the lake as `lake`; input: options of ATTACH
    detach CLIENT                   ends that DuckDB
    sql CLIENT                      SQL of that DuckDB
    server [database=X]             SQL sent to the server by itself, in one simple query
    psql [database=X]               input of psql
    catalog [database=X] [schema=S] the rows of every ducklake_* table, read through DuckDB's postgres extension
    database X                      makes one more database, that `database=X` names
    moment NAME                     keeps the time of now; ${NAME} in later input stands for it
    files                           the files under the data folder
    restart                         ends all clients; with --restarts, then asks the caller to start the server anew: prints
                                    `restart` on standard error and waits for a line

Input may name ${connection} (libpq keywords with dbname), ${data} (the data folder, with a slash at the end) and ${database}.
Rows are sorted unless the statement has an ORDER BY. What differs from run to run is replaced: UUIDs are numbered in
the order of their appearance, times of today are <now>, encryption keys <key>, and folders as in the input.
"""
import argparse
import contextlib
import datetime
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import duckdb
import psycopg

from lakeclient import attach_lake, open_duckdb

SEPARATOR = "----"
SERVER_ERROR = "ERROR: "
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:[+-]\d\d(?::?\d\d)?)?")
ENCRYPTION_KEY = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{22}==")

# A file of deletes holds the path of its data file many times, and compresses as that path happens to.
UNSTEADY = {("ducklake_delete_file", "file_size_bytes")}


class Block:
    """One command of a script: its words, its input, its result."""

    def __init__(self, text):
        head, _, result = text.partition(SEPARATOR + "\n")
        lines = head.rstrip("\n").split("\n")
        self.comments = [line for line in lines if line.startswith("#")]
        command, *body = [line for line in lines if not line.startswith("#")]
        self.words = [word for word in command.split() if "=" not in word]
        self.settings = dict(word.split("=", 1) for word in command.split() if "=" in word)
        self.head = head
        self.input = "\n".join(body)
        self.result = result

    def render(self):
        return f"{self.head}{SEPARATOR}\n{self.result}"


def read_blocks(text):
    """Splits a script at its blank lines; a block of nothing but comments is kept as it is."""
    for part in text.strip("\n").split("\n\n"):
        if all(line.startswith("#") for line in part.split("\n")):
            yield part + "\n"
        else:
            yield Block(part + "\n")


class Normaliser:
    """Replaces what differs between two runs of one script."""

    def __init__(self, fixed):
        self.fixed = fixed
        self.uuids = {}
        self.started = datetime.datetime.now(datetime.timezone.utc)

    def blur(self, text):
        """Replaces all but the identity of UUIDs: what rows are sorted by."""
        for value, name in self.fixed:
            text = text.replace(value, name)
        text = TIME.sub(self._time, text)
        return ENCRYPTION_KEY.sub("<key>", text)

    def number(self, text):
        """Replaces UUIDs by the order of their appearance."""
        return UUID.sub(lambda m: f"<uuid {self.uuids.setdefault(m.group(), len(self.uuids) + 1)}>", text)

    def _time(self, match):
        text = match.group()
        with contextlib.suppress(ValueError):
            value = datetime.datetime.fromisoformat(text)
            value = value.replace(tzinfo=value.tzinfo or datetime.timezone.utc)
            if abs(value - self.started) < datetime.timedelta(days=1):
                return "<now>"
        return text


def sort_key(value):
    """Orders NULL first, then numbers, then text."""
    if value is None:
        return (0, 0, "")
    if re.fullmatch(r"-?\d+", value):
        return (1, int(value), "")
    return (2, 0, UUID.sub("<uuid>", value))


def error_text(error):
    """Returns what an error says, without the excerpt of the statement and without guesses at what was meant."""
    lines = str(error).strip().split("\n")
    told = list(itertools.takewhile(lambda line: line and not line.startswith(("LINE", "Did you mean")), lines))[:2]
    # DuckDB puts the statement, which may be long, in front of what the server said.
    told += [line[line.index(SERVER_ERROR):] for line in lines[2:] if SERVER_ERROR in line]
    return " / ".join(told)


class Tour:
    """The state of one script's run: its databases, its data folder, its clients."""

    def __init__(self, server, name, folder, restarts):
        self.server = server
        self.restarts = restarts
        self.prefix = f"tour_{name}_{os.getpid()}"
        self.folder = folder
        self.databases = []
        self.clients = {}
        self.moments = {}
        self.normaliser = Normaliser([(folder, "${data}"), (server, "${server}"), (self.prefix, "${database}")])
        self.run_database("")

    def close(self):
        for duck in self.clients.values():
            duck.close()
        with self.administration() as connection:
            for database in self.databases:
                connection.execute(f"DROP DATABASE {database} WITH (FORCE)")

    def findings(self):
        """Returns what moraine_check() finds in the lakes that the script has left."""
        found = []
        for database in self.databases:
            with psycopg.connect(f"{self.server} dbname={database}", autocommit=True) as connection:
                schemas = connection.execute("SELECT nspname FROM pg_namespace"
                                             " WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'").fetchall()
                for (schema,) in schemas:
                    found += connection.execute("SELECT rule, catalog_table, ids, found FROM moraine_check(%s)", [schema])
        return found

    def administration(self):
        return psycopg.connect(f"{self.server} dbname=moraine", autocommit=True)

    def database(self, block):
        suffix = block.settings.get("database")
        return f"{self.prefix}_{suffix}" if suffix else self.prefix

    def connection(self, block):
        return f"{self.server} dbname={self.database(block)}"

    def substitute(self, text, block):
        values = {"connection": self.connection(block), "data": self.folder, "database": self.prefix, **self.moments}
        for name, value in values.items():
            text = text.replace("${" + name + "}", value)
        return text

    def run(self, block):
        """Runs one block and returns its result, normalised."""
        command, *arguments = block.words
        text = self.substitute(block.input, block)
        try:
            lines = getattr(self, f"command_{command}")(block, text, *arguments)
        except (duckdb.Error, psycopg.Error) as error:
            lines = [self.normaliser.blur(f"error: {error_text(error)}")]
        return "".join(self.normaliser.number(line) + "\n" for line in lines)

    def command_attach(self, block, options, client):
        self.command_detach(block, "", client)
        self.clients[client] = open_duckdb()
        attach_lake(self.clients[client], self.connection(block), self.folder, options)
        return ["ok"]

    def command_detach(self, block, text, client):
        if client in self.clients:
            self.clients.pop(client).close()
        return ["ok"]

    def command_sql(self, block, text, client):
        duck = self.clients[client]
        lines = []
        for statement in duck.extract_statements(text):
            lines += self.statement(duck, statement)
        return lines or ["ok"]

    def statement(self, duck, statement):
        if statement.type != duckdb.StatementType.SELECT:
            rows = duck.execute(statement).fetchall() if statement.expected_result_type else []
            return self.rows([[None if v is None else str(v) for v in row] for row in rows], statement.query)
        # DuckDB itself makes the text of each value.
        query = statement.query.strip().rstrip(";")
        rows = duck.execute(f"SELECT COLUMNS(*)::VARCHAR FROM ({query}\n)").fetchall()
        return self.rows(rows, query) or ["no rows"]

    def rows(self, rows, query):
        rows = [[None if value is None else self.normaliser.blur(value) for value in row] for row in rows]
        if not re.search(r"order\s+by", query, re.IGNORECASE):
            rows.sort(key=lambda row: [sort_key(value) for value in row])
        return [" | ".join("NULL" if value is None else value.replace("\n", "\\n") for value in row) for row in rows]

    def command_server(self, block, text):
        lines = []
        with psycopg.connect(self.connection(block), autocommit=True) as connection:
            cursor = psycopg.ClientCursor(connection)
            cursor.execute(text)
            while True:
                if cursor.description:
                    rows = [[None if v is None else str(v) for v in row] for row in cursor.fetchall()]
                    lines += self.rows(rows, text) or ["no rows"]
                else:
                    lines.append(cursor.statusmessage)
                if not cursor.nextset():
                    return lines

    def command_psql(self, block, text):
        done = subprocess.run(["psql", "-X", "-q", self.connection(block)], input=text + "\n", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, cwd=self.folder, env=os.environ | {"LC_ALL": "C.UTF-8"})
        return [self.normaliser.blur(line) for line in done.stdout.rstrip("\n").split("\n") if line] or ["no output"]

    def command_catalog(self, block, text):
        duck = open_duckdb()
        try:
            duck.execute(f"ATTACH '{self.connection(block)}' AS server (TYPE postgres)")
            schema = block.settings.get("schema", "public")
            return [line for table in self.catalog_tables(duck, schema) for line in self.dump(duck, schema, table)]
        finally:
            duck.close()

    def catalog_tables(self, duck, schema):
        found = duck.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = 'server' AND schema_name = ?"
            " AND table_name LIKE 'ducklake%' ORDER BY table_name", [schema]).fetchall()
        return [table for (table,) in found]

    def dump(self, duck, schema, table):
        columns = duck.execute(f'DESCRIBE server."{schema}"."{table}"').fetchall()
        selected = ", ".join("'<size>'" if (table, column[0]) in UNSTEADY else f'"{column[0]}"::VARCHAR' for column in columns)
        rows = duck.execute(f'SELECT {selected} FROM server."{schema}"."{table}"').fetchall()
        header = f"{table}({', '.join(f'{column[0]} {column[1]}' for column in columns)})"
        return [header] + ["  " + line for line in self.rows(rows, "")]

    def command_database(self, block, text, suffix):
        return self.run_database(suffix)

    def run_database(self, suffix):
        name = f"{self.prefix}_{suffix}" if suffix else self.prefix
        with self.administration() as connection:
            connection.execute(f"CREATE DATABASE {name}")
        self.databases.append(name)
        return ["ok"]

    def command_moment(self, block, text, name):
        time.sleep(0.02)  # so that no snapshot falls on the moment
        self.moments[name] = datetime.datetime.now(datetime.timezone.utc).isoformat(sep=" ")
        time.sleep(0.02)
        return ["ok"]

    def command_restart(self, block, text):
        while self.clients:
            self.clients.popitem()[1].close()
        if self.restarts:
            print("restart", file=sys.stderr, flush=True)
            sys.stdin.readline()
        return ["ok"]

    def command_files(self, block, text):
        paths = [str(path.relative_to(self.folder)) for path in pathlib.Path(self.folder).rglob("*") if path.is_file()]
        return sorted(UUID.sub("<uuid>", path) for path in paths) or ["no files"]


def run_script(server, path, check=False, restarts=False):
    """Returns the text of the script at `path` with the results that `server` gives."""
    with tempfile.TemporaryDirectory(prefix="tour-") as folder:
        tour = Tour(server, path.stem, folder + "/", restarts)
        try:
            parts = []
            for block in read_blocks(path.read_text()):
                if isinstance(block, Block):
                    block.result = tour.run(block)
                    block = block.render()
                parts.append(block)
            if check and (found := tour.findings()):
                raise SystemExit("\n".join(f"{path.name} leaves {finding}" for finding in found))
        finally:
            tour.close()
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--connection", help="libpq keywords without dbname")
    parser.add_argument("--check", action="store_true", help="fail when moraine_check() finds something at the end of a script")
    parser.add_argument("--record", action="store_true", help="write the results into the scripts")
    parser.add_argument("--restarts", action="store_true", help="let the caller start the server anew where a script says so")
    parser.add_argument("paths", type=pathlib.Path, nargs="+", metavar="path", help="a script, or a folder of scripts")
    arguments = parser.parse_args()
    connection = arguments.connection or os.environ["POSTGRES_CONNECTION"]
    for path in itertools.chain.from_iterable(sorted(p.glob("*.txt")) if p.is_dir() else [p] for p in arguments.paths):
        text = run_script(connection, path, arguments.check, arguments.restarts)
        if arguments.record:
            path.write_text(text)
            print(f"recorded {path.name}", flush=True)
        else:
            sys.stdout.write(text)


if __name__ == "__main__":
    main()
