package server_test

import (
	"bufio"
	"context"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"moraine/server"
	"moraine/store"
	"moraine/store/pebble"
)

// startRecordedLake starts a server with the recorded lake of package check as the schema public.
func startRecordedLake(t *testing.T) *server.Server {
	t.Helper()
	config := server.Config{Listen: "127.0.0.1:0", Store: t.TempDir()}
	stop(t, start(t, config))
	loadLake(t, config.Store, "../check/testdata/lake.tsv")
	running := start(t, config)
	t.Cleanup(func() { stop(t, running) })
	return running
}

func loadLake(t *testing.T, folder, path string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	engine, err := pebble.Open(folder, pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	lake, err := engine.Open(context.Background(), store.Path{Database: "moraine", Schema: "public"})
	if err != nil {
		t.Fatal(err)
	}
	defer lake.Close()
	batch := &store.Batch{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), "\t")
		batch.Put(fromHex(t, key), fromHex(t, value))
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if err := lake.Commit(context.Background(), batch); err != nil {
		t.Fatal(err)
	}
}

func fromHex(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// findings runs a statement and gives its rows, of text each.
func findings(t *testing.T, connection *pgx.Conn, statement string) [][]string {
	t.Helper()
	rows, err := connection.Query(context.Background(), statement)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]string, error) {
		var texts []string
		for _, value := range row.RawValues() {
			texts = append(texts, string(value))
		}
		return texts, nil
	})
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return found
}

func TestCheckFunction(t *testing.T) {
	connection := connect(t, startRecordedLake(t), "ada")
	for _, statement := range []string{
		"SELECT * FROM moraine_check()",
		"SELECT * FROM public.moraine_check()",
		"SELECT * FROM moraine_check(schema => 'public')",
	} {
		if found := findings(t, connection, statement); len(found) > 0 {
			t.Errorf("%s: %v", statement, found)
		}
	}
	for _, statement := range []string{
		"UPDATE ducklake_table_stats SET record_count = 0",
		"CREATE SCHEMA other",
	} {
		if _, err := connection.Exec(context.Background(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if found := findings(t, connection, "SELECT * FROM other.moraine_check()"); len(found) > 0 {
		t.Errorf("an empty schema has %v", found)
	}
	if found := findings(t, connection, "SELECT ids FROM moraine_check() WHERE rule = 'record-count' ORDER BY 1"); len(found) != 3 || found[0][0] != "table_id=1" {
		t.Errorf("the damaged lake has %v", found)
	}
	_, err := connection.Exec(context.Background(), "SELECT * FROM moraine_check('none')")
	if err == nil || !strings.Contains(err.Error(), "3F000") {
		t.Errorf("an unknown schema gives %v", err)
	}
}

// TestCheckBesideAWriter checks the lake again and again while commits go on: each check sees whole commits.
func TestCheckBesideAWriter(t *testing.T) {
	const commits = 60
	running := startRecordedLake(t)
	writer, checker := connect(t, running, "ada"), connect(t, running, "bob")
	written := make(chan error, 1)
	go func() {
		var err error
		for commit := 0; commit < commits && err == nil; commit++ {
			_, err = writer.Exec(context.Background(), commitStatements)
		}
		written <- err
	}()
	for checks := 0; ; checks++ {
		if found := findings(t, checker, "SELECT * FROM moraine_check()"); len(found) > 0 {
			t.Fatalf("check %d: %v", checks, found)
		}
		select {
		case err := <-written:
			if err != nil {
				t.Fatal(err)
			}
			if found := findings(t, checker, "SELECT count(*)::text FROM ducklake_data_file WHERE path = 'written'"); found[0][0] != "60" {
				t.Errorf("%v files were written", found)
			}
			return
		default:
		}
	}
}

// commitStatements add a data file to the table 1 and take the one before away, as a commit of DuckLake does.
const commitStatements = `
BEGIN;
INSERT INTO ducklake_snapshot SELECT snapshot_id + 1, now(), schema_version, next_catalog_id, next_file_id + 1
	FROM ducklake_snapshot WHERE snapshot_id = (SELECT max(snapshot_id) FROM ducklake_snapshot);
INSERT INTO ducklake_snapshot_changes SELECT max(snapshot_id), 'inserted_into_table:1' FROM ducklake_snapshot;
UPDATE ducklake_data_file SET end_snapshot = (SELECT max(snapshot_id) FROM ducklake_snapshot) WHERE path = 'written' AND end_snapshot IS NULL;
INSERT INTO ducklake_data_file SELECT next_file_id - 1, 1, snapshot_id, NULL, NULL, 'written', true, 'parquet', 10, 100, 10, next_row_id, NULL, NULL, NULL, NULL
	FROM ducklake_snapshot, ducklake_table_stats WHERE table_id = 1 AND snapshot_id = (SELECT max(snapshot_id) FROM ducklake_snapshot);
INSERT INTO ducklake_file_column_stats SELECT next_file_id - 1, 1, 1, 10, 10, 0, '1', '9', NULL, NULL
	FROM ducklake_snapshot WHERE snapshot_id = (SELECT max(snapshot_id) FROM ducklake_snapshot);
UPDATE ducklake_table_stats SET record_count = record_count + 10, next_row_id = next_row_id + 10, file_size_bytes = file_size_bytes + 100 WHERE table_id = 1;
COMMIT`
