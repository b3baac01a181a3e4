//go:build slatedb && original

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"moraine/internal/golden"
	"moraine/keyspace"
	"moraine/migrate"
	"moraine/store"
)

// TestTheOriginalReads lets DuckDB fill a lake of format 9, which is the only one that the original implementation (crate
// moraine 0.7.0) opens, and compares every row that the original finds in the store with those that this server shows.
// MORAINE_ORIGINAL_READER names the built program of folder original.
func TestTheOriginalReads(t *testing.T) {
	reader := os.Getenv("MORAINE_ORIGINAL_READER")
	if reader == "" {
		t.Fatal("MORAINE_ORIGINAL_READER names no program: make original builds and names it")
	}
	folder, data := t.TempDir(), t.TempDir()+"/"
	s := newServer(t, "file://"+folder)
	fill := func(statements string) {
		command := exec.CommandContext(t.Context(), python(t), "statements.py", s.connection("moraine"), data, statements)
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
	}
	fill("/dev/null") // makes the catalog
	s.stop(t)
	lowerFormat(t, s.store, store.Path{Database: "moraine", Schema: "public"})
	s.start(t)
	fill("../check/testdata/lake.sql")
	wanted := catalogLines(t, s.connect(t, "moraine"))
	s.stop(t)

	output, err := exec.CommandContext(t.Context(), reader, folder+"/moraine/public").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	got := strings.Split(strings.TrimSpace(string(output)), "\n")
	slices.Sort(got)
	t.Logf("%d rows", len(got))
	for _, line := range got {
		if !slices.Contains(wanted, line) {
			t.Errorf("only the original has %s", line)
		}
	}
	for _, line := range wanted {
		if !slices.Contains(got, line) {
			t.Errorf("the original lacks %s", line)
		}
	}

	golden.With(t, s.store, store.Path{Database: "moraine", Schema: "public"}, func(lake store.Store) {
		if _, err := migrate.Run(t.Context(), lake, migrate.Options{}); err != nil {
			t.Fatal(err)
		}
	})
	if output, err := exec.CommandContext(t.Context(), reader, folder+"/moraine/public").CombinedOutput(); err == nil {
		t.Errorf("the original reads a lake of format 12:\n%s", output)
	} else {
		t.Logf("format 12: %s", output)
	}
}

// lowerFormat makes a new lake one of format 9, by taking away what later formats add.
func lowerFormat(t *testing.T, location string, path store.Path) {
	t.Helper()
	golden.With(t, location, path, func(lake store.Store) {
		snapshot, err := lake.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer snapshot.Close()
		batch := new(store.Batch)
		for _, subspace := range []keyspace.Subspace{keyspace.SubspaceName, keyspace.SubspaceDeleteTarget} {
			entries, err := snapshot.Scan(t.Context(), subspace.Prefix(), store.PrefixEnd(subspace.Prefix()))
			if err != nil {
				t.Fatal(err)
			}
			for entries.Next() {
				batch.Delete(slices.Clone(entries.Key()))
			}
			if err := entries.Err(); err != nil {
				t.Fatal(err)
			}
			entries.Close()
		}
		format := keyspace.FormatValue{FormatVersion: keyspace.OldestFormat, WriterVersion: keyspace.WriterVersion}
		batch.Put(keyspace.FormatKey().Bytes(), keyspace.AppendMessage(nil, &format))
		if err := lake.Commit(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	})
}

// catalogLines gives the rows of all catalog tables and inlined tables in the form in which the reader prints them.
func catalogLines(t *testing.T, connection *pgconn.PgConn) (lines []string) {
	t.Helper()
	tables := query(t, connection, "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname ~ '^ducklake_' "+
		"AND relname !~ '^ducklake_inlined_delete' UNION "+
		"SELECT 'ducklake_inlined_delete_' || table_id FROM ducklake_table JOIN pg_class ON relname = 'ducklake_inlined_delete_' || table_id "+
		"WHERE end_snapshot IS NULL")
	for _, table := range tables {
		lines = append(lines, tableLines(t, connection, table[0])...)
	}
	slices.Sort(lines)
	return lines
}

func tableLines(t *testing.T, connection *pgconn.PgConn, table string) (lines []string) {
	t.Helper()
	columns := query(t, connection, "SELECT attname, atttypid::regtype FROM pg_attribute JOIN pg_class ON attrelid = pg_class.oid "+
		"WHERE relname = '"+table+"' AND attnum > 0 ORDER BY attname")
	var terms []string
	for _, column := range columns {
		term := column[0]
		switch column[1] {
		case "timestamp with time zone":
			term = fmt.Sprintf("(extract(epoch from %s) * 1000000)::bigint", term)
		case "boolean":
			term = fmt.Sprintf("CASE WHEN %[1]q THEN 't' WHEN NOT %[1]q THEN 'f' END", term)
		case "bytea": // texts, in inlined tables
			term = fmt.Sprintf("encode(%q, 'hex')", term)
		default:
			term = fmt.Sprintf("%q", term)
		}
		terms = append(terms, fmt.Sprintf(`'%s=' || coalesce((%s)::text, '\N')`, column[0], term))
	}
	for _, row := range query(t, connection, "SELECT "+strings.Join(terms, " || '|' || ")+" FROM "+table) {
		lines = append(lines, table+"|"+strings.ReplaceAll(row[0], "\n", " "))
	}
	return lines
}
