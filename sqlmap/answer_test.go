package sqlmap

import (
	"strings"
	"testing"

	"moraine/sqlmap/parse"
)

// columnsOf lists the columns of the tables of a name, as clients ask for them.
func columnsOf(name string) string {
	return "select n.nspname, relname, attname, typname, attnotnull from pg_class c join pg_namespace n on relnamespace = n.oid" +
		" join pg_attribute a on attrelid = c.oid join pg_type t on atttypid = t.oid" +
		" where attnum > 0 and relname = '" + name + "' order by 1, 2, attnum"
}

const everyColumn = "select relname, attname from pg_class c join pg_attribute a on attrelid = c.oid where attnum > 0 and c.oid >= 16384 order by 1, attnum"

func TestAnswersFollowDefinitions(t *testing.T) {
	f := newFixture(t)
	const none = "nspname:19 relname:19 attname:19 typname:19 attnotnull:16\n"
	single := columnsOf("answered")
	for range 2 {
		f.expect("a", single, none+"SELECT 0\n[I]")
		f.expect("a", everyColumn, "relname:19 attname:19\nSELECT 0\n[I]")
	}
	f.expect("a", "begin; create table answered (id int4 not null)", "BEGIN\nCREATE TABLE\n[T]")
	for range 2 {
		f.expect("a", single, none+"public|answered|id|int4|t\nSELECT 1\n[T]")
		f.expect("b", single, none+"SELECT 0\n[I]")
		f.expect("a", everyColumn, "relname:19 attname:19\nanswered|id\nSELECT 1\n[T]")
		f.expect("b", everyColumn, "relname:19 attname:19\nSELECT 0\n[I]")
	}
	f.expect("a", "commit", "COMMIT\n[I]")
	f.expect("b", single, none+"public|answered|id|int4|t\nSELECT 1\n[I]")
	f.expect("b", "alter table answered add column name text", "ALTER TABLE\n[I]")
	for range 2 {
		f.expect("a", single, none+"public|answered|id|int4|t\npublic|answered|name|text|f\nSELECT 2\n[I]")
		f.expect("a", everyColumn, "relname:19 attname:19\nanswered|id\nanswered|name\nSELECT 2\n[I]")
	}
	f.expect("b", "create schema other; create table other.answered (x bool)", "CREATE SCHEMA\nCREATE TABLE\n[I]")
	f.expect("a", single, none+"other|answered|x|bool|f\npublic|answered|id|int4|t\npublic|answered|name|text|f\nSELECT 3\n[I]")
	f.expect("b", "drop table answered; drop schema other cascade", "DROP TABLE\nNOTICE 00000 drop cascades to table other.answered\nDROP SCHEMA\n[I]")
	f.expect("a", single, none+"SELECT 0\n[I]")
	f.expect("a", everyColumn, "relname:19 attname:19\nSELECT 0\n[I]")
}

func TestAnswersOfASnapshotStay(t *testing.T) {
	f := newFixture(t)
	f.expect("a", "begin isolation level repeatable read; "+everyColumn, "BEGIN\nrelname:19 attname:19\nSELECT 0\n[T]")
	f.expect("b", "create table later (id int4)", "CREATE TABLE\n[I]")
	f.expect("b", everyColumn, "relname:19 attname:19\nlater|id\nSELECT 1\n[I]")
	f.expect("a", everyColumn, "relname:19 attname:19\nSELECT 0\n[T]")
	f.expect("a", "commit; "+everyColumn, "COMMIT\nrelname:19 attname:19\nlater|id\nSELECT 1\n[I]")
}

func TestAnswersBelongToTheirSession(t *testing.T) {
	f := newFixture(t)
	const query = "select count(*) from pg_class where relname = 'mine'"
	f.expect("a", query, "count:20\n0\nSELECT 1\n[I]")
	f.expect("a", "create temporary table mine (id int4)", "CREATE TABLE\n[I]")
	for range 2 {
		f.expect("a", query, "count:20\n1\nSELECT 1\n[I]")
		f.expect("b", query, "count:20\n0\nSELECT 1\n[I]")
	}
	const setting = "select setting from pg_settings where name = 'application_name'"
	f.expect("a", "set application_name = 'first'; "+setting, "SET\nsetting:25\nfirst\nSELECT 1\n[I]")
	f.expect("a", "set application_name = 'second'; "+setting, "SET\nsetting:25\nsecond\nSELECT 1\n[I]")
}

func TestNamesOfCatalogsThatTablesTakeAreNotAnsweredFromMemory(t *testing.T) {
	f := newFixture(t)
	const query = "select count(*) from pg_namespace where nspname = 'nosuch'"
	f.expect("a", query, "count:20\n0\nSELECT 1\n[I]")
	f.expect("a", "create table public.pg_namespace (nspname text); insert into public.pg_namespace values ('nosuch')", "CREATE TABLE\nINSERT 0 1\n[I]")
	f.expect("a", query, "count:20\n0\nSELECT 1\n[I]")
	f.expect("a", "set search_path = public, pg_catalog; "+query, "SET\ncount:20\n1\nSELECT 1\n[I]")
	f.expect("a", "insert into public.pg_namespace values ('nosuch'); "+query, "INSERT 0 1\ncount:20\n2\nSELECT 1\n[I]")
}

// TestAnswersAreKept holds the queries that DuckDB sends most to the kind whose answers are kept.
func TestAnswersAreKept(t *testing.T) {
	f := newFixture(t)
	session := f.session("a")
	for _, query := range []string{columnsOf("kept"), everyColumn,
		"SELECT pg_namespace.oid, tablename, indexname FROM pg_indexes JOIN pg_namespace ON (schemaname=nspname) ORDER BY pg_namespace.oid",
		"SELECT n.oid, enumtypid, typname, enumlabel FROM pg_enum e JOIN pg_type t ON e.enumtypid = t.oid JOIN pg_namespace AS n ON (typnamespace=n.oid) ORDER BY n.oid, enumtypid, enumsortorder",
	} {
		if answer := f.simple("a", query); strings.Contains(answer, "ERROR") {
			t.Fatal(answer)
		}
		f.expect("a", "begin", "BEGIN\n[T]")
		statements, err := parse.Parse(query)
		if err != nil {
			t.Fatal(err)
		}
		session.context = t.Context()
		if err := session.startStatement(); err != nil {
			t.Fatal(err)
		}
		if known, err := session.knownAnswer(&statements[0], nil); known == nil || err != nil {
			t.Errorf("the answer is not kept: %v, %v: %s", known, err, query)
		}
		f.expect("a", "rollback", "ROLLBACK\n[I]")
	}
}

func TestAnswersFollowPrivileges(t *testing.T) {
	f := newFixture(t)
	const query = "select relacl is null from pg_class where relname = 'granted'"
	f.expect("a", "create table granted (id int4)", "CREATE TABLE\n[I]")
	f.expect("a", query, "?column?:16\nt\nSELECT 1\n[I]")
	f.expect("b", "grant select on granted to public", "GRANT\n[I]")
	f.expect("a", query, "?column?:16\nf\nSELECT 1\n[I]")
}
