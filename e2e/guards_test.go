package e2e

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestGuards lets two DuckDBs write what would corrupt a lake.
func TestGuards(t *testing.T) {
	onStores(t, guardStore)
}

func guardStore(t *testing.T, kind storeKind) {
	interpreter := python(t)
	s := newServer(t, kind.new(t))
	for name, want := range map[string]string{
		"delete":  "refused deleted-since\n99 99 4943\n",
		"merge":   "refused deleted-since\n198 198 9886\n",
		"rewrite": "refused deleted-since\n1 1 99\n",
		"flush":   "refused rows-deleted-twice\n99 99 4943\n",
		"apart":   "committed\n50 50 3725\n",
		"rename":  "refused overlapping-versions\n100 100 4950\n",
	} {
		t.Run(name, func(t *testing.T) {
			connection := s.connect(t, "moraine")
			query(t, connection, "CREATE DATABASE "+name)
			command := exec.CommandContext(t.Context(), interpreter, "guards.py", s.connection(name), t.TempDir()+"/", name)
			output, err := command.CombinedOutput()
			if err != nil || string(output) != want {
				t.Errorf("%v\n%s\nwanted\n%s", err, output, want)
			}
			for _, finding := range query(t, s.connect(t, name), "SELECT rule, ids, found FROM moraine_check() WHERE severity = 'error'") {
				t.Errorf("the lake has the finding %s", finding)
			}
		})
	}
}

// TestGuardsOfStatements sends batches like DuckLake's that DuckLake would not: each is refused in its message, and nothing of
// it is there afterwards.
func TestGuardsOfStatements(t *testing.T) {
	interpreter := python(t)
	s := newServer(t, t.TempDir())
	prepare := exec.CommandContext(t.Context(), interpreter, "guards.py", s.connection("moraine"), t.TempDir()+"/", "apart")
	if output, err := prepare.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	connection := s.connect(t, "moraine")
	latest := query(t, connection, "SELECT snapshot_id, schema_version, next_catalog_id, next_file_id FROM ducklake_snapshot ORDER BY snapshot_id DESC LIMIT 1")[0]
	var snapshot, version, catalog, file int
	if _, err := fmt.Sscan(strings.Join(latest, " "), &snapshot, &version, &catalog, &file); err != nil {
		t.Fatal(err)
	}
	table := query(t, connection, "SELECT table_id FROM ducklake_table WHERE table_name = 't'")[0][0]
	data := query(t, connection, "SELECT data_file_id FROM ducklake_data_file WHERE table_id = "+table)[0][0]
	mint := fmt.Sprintf("INSERT INTO ducklake_snapshot VALUES (%d, NOW(), %d, %d, %d);"+
		"INSERT INTO ducklake_snapshot_changes VALUES (%[1]d, '', NULL, NULL, NULL);", snapshot+1, version, catalog+9, file+9)
	for _, test := range []struct{ name, statements, rule string }{
		{"a second live delete file", fmt.Sprintf("INSERT INTO ducklake_delete_file VALUES (%d, %s, %d, NULL, %s, 'd', true, 'parquet', 1, 1, 1, NULL, NULL)",
			file, table, snapshot+1, data), "several-delete-files"},
		{"a table of the same name", fmt.Sprintf("INSERT INTO ducklake_table VALUES (%d, '01a22bfe-d171-7415-851d-cbc9d33135d8', %d, NULL, 0, 'T', 't/', true)",
			catalog, snapshot+1), "duplicate-relation-name"},
		{"a file of no table", fmt.Sprintf("INSERT INTO ducklake_data_file VALUES (%d, 999, %d, NULL, NULL, 'f', true, 'parquet', 1, 1, 1, 0, NULL, NULL, NULL, NULL)",
			file, snapshot+1), "live-without-table"},
		{"an id beyond the counter", fmt.Sprintf("INSERT INTO ducklake_table VALUES (%d, '01a22bfe-d171-7415-851d-cbc9d33135d8', %d, NULL, 0, 'w', 'w/', true)",
			catalog+9, snapshot+1), "id-beyond-counter"},
		{"row ids given out again", "UPDATE ducklake_table_stats SET next_row_id = 1 WHERE table_id = " + table, "next-row-id"},
	} {
		t.Run(test.name, func(t *testing.T) {
			query(t, connection, "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ")
			_, err := tryQuery(t.Context(), connection, mint+test.statements)
			var refusal *pgconn.PgError
			if !errors.As(err, &refusal) || !strings.Contains(refusal.Message, "guard "+test.rule+": ") {
				t.Errorf("got %v, wanted %s", err, test.rule)
			}
			query(t, connection, "COMMIT")
			if got := query(t, connection, "SELECT max(snapshot_id) FROM ducklake_snapshot")[0][0]; got != latest[0] {
				t.Errorf("snapshot %s is there", got)
			}
		})
	}
}
