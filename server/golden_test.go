package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"moraine/internal/golden"
	"moraine/migrate"
	"moraine/server"
	"moraine/store"
)

// goldenPath is where the tests put the lake that the original wrote.
var goldenPath = store.Path{Database: server.DefaultDatabase, Schema: "public"}

// serveRecords starts a server on a new directory whose first lake has the records.
func serveRecords(t *testing.T, records map[string]string) *server.Server {
	t.Helper()
	config := server.Config{Listen: "127.0.0.1:0", Store: t.TempDir()}
	stop(t, start(t, config))
	golden.With(t, config.Store, goldenPath, func(lake store.Store) { golden.Fill(t, lake, records) })
	running := start(t, config)
	t.Cleanup(func() { stop(t, running) })
	return running
}

// TestTheOriginalsLakeIsServed serves the lake that the original wrote, in each format, to a client.
func TestTheOriginalsLakeIsServed(t *testing.T) {
	t.Run("as it is", func(t *testing.T) { checkGoldenRows(t, serveRecords(t, golden.Records(t))) })
	t.Run("migrated", func(t *testing.T) { checkGoldenRows(t, serveRecords(t, golden.Migrated(t))) })
}

// checkGoldenStore serves a store that has the lake, migrates it, and serves it again.
func checkGoldenStore(t *testing.T, location string) {
	t.Helper()
	config := server.Config{Listen: "127.0.0.1:0", Store: location}
	running := start(t, config)
	checkGoldenRows(t, running)
	stop(t, running)
	golden.With(t, location, goldenPath, func(lake store.Store) {
		golden.Compare(t, golden.Dump(t, lake), golden.Records(t))
		result, err := migrate.Run(context.Background(), lake, migrate.Options{StepRecords: 2})
		if err != nil || result != (migrate.Result{From: golden.Format, To: 12}) {
			t.Fatalf("%+v, %v", result, err)
		}
	})
	golden.With(t, location, goldenPath, func(lake store.Store) { golden.Compare(t, golden.Dump(t, lake), golden.Migrated(t)) })
	running = start(t, config)
	checkGoldenRows(t, running)
	stop(t, running)
}

func TestTheOriginalsLakeInADirectoryIsMigrated(t *testing.T) {
	location := t.TempDir()
	stop(t, start(t, server.Config{Listen: "127.0.0.1:0", Store: location}))
	golden.With(t, location, goldenPath, func(lake store.Store) { golden.Fill(t, lake, golden.Records(t)) })
	checkGoldenStore(t, location)
}

// catalogTableNames gives the catalog tables, from the specification.
func catalogTableNames(t *testing.T) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "ducklake", "testdata", "ducklake_columns.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(content)) {
		if name, _, _ := strings.Cut(line, "\t"); strings.HasPrefix(name, "ducklake_") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) < 28 {
		t.Fatalf("%d tables", len(names))
	}
	return names
}

// checkGoldenRows compares all catalog tables with the rows that the original's own interface shows.
func checkGoldenRows(t *testing.T, running *server.Server) {
	t.Helper()
	connection := connect(t, running, "ada")
	defer connection.Close(context.Background())
	catalog := golden.Catalog(t)
	for _, name := range catalogTableNames(t) {
		columns := columnsOf(t, connection, name)
		wanted := goldenTexts(t, catalog, name, columns)
		switch name { // the original makes these up, too, or has them in another form
		case "ducklake_metadata":
			wanted = append(wanted, "version|1.0||", "created_by|moraine||")
		case "ducklake_inlined_data_tables":
			wanted = append(wanted, "5|ducklake_inlined_data_5_1|1")
		}
		slices.Sort(wanted)
		if got := textsOf(t, connection, selectTexts(name, columns)); !slices.Equal(got, wanted) {
			t.Errorf("%s has\n%s\nwanted\n%s", name, strings.Join(got, "\n"), strings.Join(wanted, "\n"))
		}
	}
	live := textsOf(t, connection, "SELECT row_id, begin_snapshot FROM ducklake_inlined_data_5_1 WHERE end_snapshot IS NULL")
	if wanted := []string{"0|9", "2|9", "3|9", "4|9"}; !slices.Equal(live, wanted) {
		t.Errorf("the live inlined rows are %v, wanted %v", live, wanted)
	}
	deleted := textsOf(t, connection, "SELECT * FROM ducklake_inlined_delete_3")
	if wanted := []string{"0|9|18"}; !slices.Equal(deleted, wanted) {
		t.Errorf("the inlined deletions are %v, wanted %v", deleted, wanted)
	}
}

type goldenColumn struct {
	name string
	oid  uint32
}

func columnsOf(t *testing.T, connection *pgx.Conn, table string) (columns []goldenColumn) {
	t.Helper()
	rows, err := connection.Query(context.Background(), "SELECT * FROM "+table+" LIMIT 0")
	if err != nil {
		t.Fatal(err)
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for _, field := range rows.FieldDescriptions() {
		columns = append(columns, goldenColumn{field.Name, field.DataTypeOID})
	}
	return columns
}

// selectTexts selects the columns of a table, times as microseconds.
func selectTexts(table string, columns []goldenColumn) string {
	var terms []string
	for _, column := range columns {
		if column.oid == pgtype.TimestamptzOID {
			terms = append(terms, fmt.Sprintf("(extract(epoch from %s) * 1000000)::bigint", column.name))
		} else {
			terms = append(terms, column.name)
		}
	}
	return "SELECT " + strings.Join(terms, ", ") + " FROM " + table
}

// textsOf gives rows as the protocol's texts, joined by a bar, NULL as nothing, sorted.
func textsOf(t *testing.T, connection *pgx.Conn, statement string) (texts []string) {
	t.Helper()
	result := connection.PgConn().ExecParams(context.Background(), statement, nil, nil, nil, nil).Read()
	if result.Err != nil {
		t.Fatalf("%s: %v", statement, result.Err)
	}
	for _, row := range result.Rows {
		var values []string
		for _, value := range row {
			values = append(values, string(value))
		}
		texts = append(texts, strings.Join(values, "|"))
	}
	slices.Sort(texts)
	return texts
}

// goldenTexts gives the rows of catalog.json in that form.
func goldenTexts(t *testing.T, catalog map[string]json.RawMessage, table string, columns []goldenColumn) (texts []string) {
	t.Helper()
	source := table
	if table == "ducklake_snapshot_changes" {
		source = "ducklake_snapshot"
	}
	raw, found := catalog[source]
	if !found {
		return nil
	}
	var rows []map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.UseNumber()
	if err := decoder.Decode(&rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		var values []string
		for _, column := range columns {
			content, found := row[goldenName(table, column)]
			if !found {
				t.Fatalf("%s: no %s in %v", table, column.name, row)
			}
			values = append(values, goldenText(content))
		}
		texts = append(texts, strings.Join(values, "|"))
	}
	return texts
}

func goldenName(table string, column goldenColumn) string {
	switch {
	case column.oid == pgtype.TimestamptzOID:
		return column.name + "_micros"
	case column.name == "type" && table == "ducklake_column_mapping":
		return "map_type"
	case column.name == "type":
		return "macro_type"
	}
	return column.name
}

func goldenText(content any) string {
	switch content {
	case nil:
		return ""
	case true:
		return "t"
	case false:
		return "f"
	}
	return fmt.Sprint(content)
}
