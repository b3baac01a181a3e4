//go:build slatedb

package faults

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"moraine/bench/conversation"
)

// What DuckDB sent for its first ATTACH and its first CREATE TABLE.
const recordedConversation = "../../bench/testdata/conversation.jsonl"

// recorded gives the statements of one of the user's operations: those that change the catalog, and the transaction around them.
func recorded(t testing.TB, operation string, run int) []conversation.Exchange {
	t.Helper()
	file, err := os.Open(recordedConversation)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	exchanges, err := conversation.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	var changes []conversation.Exchange
	for _, exchange := range exchanges {
		if exchange.Operation != operation || exchange.Run != run || exchange.Message != conversation.Query {
			continue
		}
		switch word, _, _ := strings.Cut(exchange.Text, " "); {
		case word == "BEGIN":
			exchange.Text, _, _ = strings.Cut(exchange.Text, ";")
		case word == "INSERT", word == "CREATE", word == "COMMIT", word == "COPY" && len(exchange.Data) > 0:
		default:
			continue
		}
		changes = append(changes, exchange)
	}
	return changes
}

// replay sends recorded statements, each of which must succeed.
func replay(ctx context.Context, client *pgconn.PgConn, exchanges []conversation.Exchange) error {
	for _, exchange := range exchanges {
		if err := send(ctx, client, exchange); err != nil {
			return fmt.Errorf("%.60s: %w", exchange.Text, err)
		}
	}
	return nil
}

func send(ctx context.Context, client *pgconn.PgConn, exchange conversation.Exchange) error {
	if len(exchange.Data) == 0 {
		_, err := client.Exec(ctx, exchange.Text).ReadAll()
		return err
	}
	_, err := client.CopyFrom(ctx, bytes.NewReader(bytes.Join(exchange.Data, nil)), exchange.Text)
	return err
}

// firstTable is the id of the table that the recorded CREATE TABLE makes.
const firstTable = 1

// genesis makes the catalog as the first ATTACH of DuckDB does, in one transaction.
func genesis(t testing.TB) func(ctx context.Context, client *pgconn.PgConn) error {
	exchanges := recorded(t, "first attach", 1)
	exchanges = exchanges[:lastCommit(exchanges)+1]
	return func(ctx context.Context, client *pgconn.PgConn) error { return replay(ctx, client, exchanges) }
}

func lastCommit(exchanges []conversation.Exchange) int {
	for i, exchange := range exchanges {
		if exchange.Text == "COMMIT" {
			return i
		}
	}
	return len(exchanges) - 1
}

// fill makes the first table with a file of its own, and the two plain tables of pairs.
func fill(t testing.TB, ctx context.Context, client *pgconn.PgConn) {
	t.Helper()
	if err := replay(ctx, client, recorded(t, "create table", 2)); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"CREATE TABLE pair_a (id text PRIMARY KEY)", "CREATE TABLE pair_b (id text PRIMARY KEY)", firstFile,
	} {
		if _, err := client.Exec(ctx, statement).ReadAll(); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// firstFile is the commit that gives the first table its statistics.
const firstFile = `BEGIN;
INSERT INTO ducklake_snapshot VALUES (2, now(), 1, 2, 1);
INSERT INTO ducklake_table_stats VALUES (1, 10, 10, 100);
INSERT INTO ducklake_table_column_stats VALUES (1, 1, false, NULL, '1', '9', NULL);
INSERT INTO ducklake_data_file VALUES (0, 1, 2, NULL, NULL, 'first', true, 'parquet', 10, 100, 10, 0, NULL, NULL, NULL, NULL);
INSERT INTO ducklake_file_column_stats VALUES (0, 1, 1, 10, 10, 0, '1', '9', NULL, NULL);
INSERT INTO ducklake_snapshot_changes VALUES (2, 'inserted_into_table:1', 'first', NULL, NULL);
COMMIT`

// commitFiles is a commit as DuckLake makes it: so many files of ten rows for the first table, with their statistics, and a
// snapshot that bears the commit's name.
func commitFiles(name string, files int) string {
	return fmt.Sprintf(`BEGIN;
INSERT INTO ducklake_snapshot SELECT snapshot_id + 1, now(), schema_version, next_catalog_id, next_file_id + %[2]d
	FROM ducklake_snapshot WHERE snapshot_id = (SELECT max(snapshot_id) FROM ducklake_snapshot);
INSERT INTO ducklake_data_file SELECT next_file_id - n, 1, snapshot_id, NULL, NULL, '%[1]s/' || n, true, 'parquet', 10, 100, 10,
	next_row_id + 10 * (%[2]d - n), NULL, NULL, NULL, NULL
	FROM ducklake_snapshot, ducklake_table_stats, generate_series(1, %[2]d) AS n
	WHERE table_id = 1 AND snapshot_id = (SELECT max(snapshot_id) FROM ducklake_snapshot);
INSERT INTO ducklake_file_column_stats SELECT next_file_id - n, 1, 1, 10, 10, 0, '1', '9', NULL, NULL
	FROM ducklake_snapshot, generate_series(1, %[2]d) AS n WHERE snapshot_id = (SELECT max(snapshot_id) FROM ducklake_snapshot);
UPDATE ducklake_table_stats SET record_count = record_count + 10 * %[2]d, next_row_id = next_row_id + 10 * %[2]d,
	file_size_bytes = file_size_bytes + 100 * %[2]d WHERE table_id = 1;
INSERT INTO ducklake_snapshot_changes SELECT max(snapshot_id), 'inserted_into_table:1', '%[1]s', NULL, NULL FROM ducklake_snapshot;
COMMIT`, name, files)
}

// commitPair is a commit to plain tables, which many sessions can make at once.
func commitPair(name string) string {
	return fmt.Sprintf("BEGIN; INSERT INTO pair_a VALUES ('%[1]s'); INSERT INTO pair_b VALUES ('%[1]s'); COMMIT", name)
}

// dropTable ends the first table and all that belongs to it, as DuckLake's DROP TABLE does.
func dropTable() string {
	statements := []string{"BEGIN", `INSERT INTO ducklake_snapshot SELECT snapshot_id + 1, now(), schema_version + 1, next_catalog_id, next_file_id
	FROM ducklake_snapshot WHERE snapshot_id = (SELECT max(snapshot_id) FROM ducklake_snapshot)`}
	for _, ended := range [][2]string{
		{"ducklake_table", "table_id"}, {"ducklake_partition_info", "table_id"}, {"ducklake_column", "table_id"},
		{"ducklake_column_tag", "table_id"}, {"ducklake_data_file", "table_id"}, {"ducklake_delete_file", "table_id"},
		{"ducklake_tag", "object_id"}, {"ducklake_sort_info", "table_id"},
	} {
		statements = append(statements, fmt.Sprintf(
			"UPDATE %s SET end_snapshot = (SELECT max(snapshot_id) FROM ducklake_snapshot) WHERE end_snapshot IS NULL AND %s IN (%d)",
			ended[0], ended[1], firstTable))
	}
	statements = append(statements,
		"INSERT INTO ducklake_snapshot_changes SELECT max(snapshot_id), 'dropped_table:1', 'drop', NULL, NULL FROM ducklake_snapshot", "COMMIT")
	return strings.Join(statements, ";\n")
}
