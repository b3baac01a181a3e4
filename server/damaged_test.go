package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"moraine/internal/golden"
	"moraine/keyspace"
	"moraine/server"
	"moraine/store"
	"moraine/store/engine"
)

// everyRecord gives the records of a lake that has something of every kind: the original's, migrated, and a plain table, a
// row that no record can hold, and definitions of catalog tables beside it.
func everyRecord(t *testing.T) map[string]string {
	t.Helper()
	location := t.TempDir()
	config := server.Config{Listen: "127.0.0.1:0", Store: location}
	stop(t, start(t, config))
	golden.With(t, location, goldenPath, func(lake store.Store) { golden.Fill(t, lake, golden.Migrated(t)) })
	running := start(t, config)
	connection := connect(t, running, "ada")
	for _, statement := range []string{
		"CREATE TABLE notes (id bigint PRIMARY KEY, note text)", "INSERT INTO notes VALUES (1, 'first'), (2, NULL)",
		"ALTER TABLE ducklake_snapshot_changes ADD COLUMN later bigint",
		"INSERT INTO ducklake_tag VALUES (NULL, 1, NULL, 'comment', 'of nothing')",
	} {
		if _, err := connection.Exec(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	connection.Close(context.Background())
	stop(t, running)
	var records map[string]string
	golden.With(t, location, goldenPath, func(lake store.Store) { records = golden.Dump(t, lake) })
	return records
}

// damage is one way in which a value can be wrong; nil when it does not apply.
type damage struct {
	name string
	make func(value []byte) []byte
}

var damages = []damage{
	{"bad magic", func(value []byte) []byte { return changed(value, 0) }},
	{"newer frame", func(value []byte) []byte {
		if !framed(value) {
			return nil
		}
		return changed(value, len(frame)-1)
	}},
	{"truncated frame", func(value []byte) []byte {
		if len(value) < len(frame) {
			return nil
		}
		return bytes.Clone(value[:len(frame)-1])
	}},
	{"truncated message", func(value []byte) []byte {
		if len(value) <= len(frame) {
			return nil
		}
		return bytes.Clone(value[:len(value)-1])
	}},
	{"a value of another kind", otherKind},
	{"an empty value", func([]byte) []byte { return []byte{} }},
}

const frame = "MRNE\x00"

func framed(value []byte) bool { return bytes.HasPrefix(value, []byte(frame)) }

// changed flips the bits of a byte; of a counter, which may have any, it gives nil, and of an empty value something.
func changed(value []byte, at int) []byte {
	switch {
	case len(value) == 0:
		return []byte{0xff}
	case len(value) == 8:
		return nil
	}
	result := bytes.Clone(value)
	result[at] ^= 0xff
	return result
}

// otherKind gives a value whose first field is a number where it should be a text or message, and the reverse. Values
// without fields have nothing by which their kind could be told.
func otherKind(value []byte) []byte {
	if !framed(value) || len(value) == len(frame) {
		return nil
	}
	const bytesType = 2
	if value[len(frame)]&7 == bytesType {
		return keyspace.AppendMessage(nil, &keyspace.HeadValue{SnapshotID: 22, BatchSequence: 9})
	}
	return keyspace.AppendMessage(nil, &keyspace.OptionScopeValue{Options: []keyspace.OptionEntry{{Key: "encrypted", Value: "false"}}})
}

// query is something that a client does; its answer is rows, or nothing for one that is rolled back.
type query struct {
	name, text string
	changes    bool
}

// queries are all reads of a lake, and the commits whose guards read more than the rows that they change.
func queries(t *testing.T) []query {
	var all []query
	for _, table := range append(catalogTableNames(t), "ducklake_inlined_data_5_1", "ducklake_inlined_delete_3", "notes") {
		all = append(all, query{name: table, text: "SELECT * FROM " + table})
	}
	snapshot := "INSERT INTO ducklake_snapshot VALUES (23, now(), 15, 30, 30); " +
		"INSERT INTO ducklake_snapshot_changes (snapshot_id, changes_made) VALUES (23, '%s'); "
	return append(all,
		query{name: "latest", text: "SELECT max(snapshot_id) FROM ducklake_snapshot"},
		query{name: "catalog", text: "SELECT relname FROM pg_class WHERE relkind = 'r'"},
		query{name: "note", text: "SELECT note FROM notes WHERE id = 1"},
		query{name: "delete", changes: true, text: fmt.Sprintf(snapshot, "deleted_from_table:3") +
			"DELETE FROM ducklake_delete_file WHERE delete_file_id = 3; " +
			"INSERT INTO ducklake_delete_file VALUES (28, 3, 23, NULL, 0, 'd', true, 'parquet', 5, 1, 1, NULL, NULL)"},
		query{name: "create", changes: true, text: fmt.Sprintf(snapshot, `created_table:"ops"."t"`) +
			"INSERT INTO ducklake_table VALUES (29, '9ee00bd6-82e0-41f3-8192-97dfc2983eda', 23, NULL, 2, 't', 't/', true)"},
		query{name: "indexed", changes: true, text: fmt.Sprintf(snapshot, "inserted_into_table:4") +
			"INSERT INTO ducklake_data_file VALUES (29, 4, 23, NULL, NULL, 'f', true, 'parquet', 1, 1, 1, 3, NULL, NULL, NULL, NULL)"},
		query{name: "note taken", changes: true, text: "INSERT INTO notes VALUES (2, 'again')"},
	)
}

// needs names, for each kind of record, the queries that cannot be answered without it. What is not named has to give
// its whole answer or an error.
var needs = map[string][]string{
	"sys/format":             {"*"},
	"sys/head":               {"delete", "create"},
	"sys/maintenance_status": {}, // no table shows it
	"snapshot":               {"ducklake_snapshot", "ducklake_snapshot_changes"},
	"current/schema":         {"ducklake_schema", "create"},
	"current/table":          {"ducklake_table", "create"},
	"current/view":           {"ducklake_view", "create"},
	"current/column":         {"ducklake_column", "ducklake_column_tag"},
	"current/partition":      {"ducklake_partition_info", "ducklake_partition_column"},
	"current/file":           {"ducklake_data_file", "ducklake_file_partition_value"},
	"current/delfile":        {"ducklake_delete_file", "delete"},
	"current/fstat":          {"ducklake_file_column_stats", "ducklake_file_variant_stats"},
	"current/tstat":          {"ducklake_table_stats"},
	"current/tcstat":         {"ducklake_table_column_stats"},
	"current/tag":            {"ducklake_tag"},
	"current/option":         {"ducklake_metadata"},
	"current/sort":           {"ducklake_sort_info", "ducklake_sort_expression"},
	"current/macro":          {"ducklake_macro", "ducklake_macro_impl", "ducklake_macro_parameters", "create"},
	"current/mapping":        {"ducklake_column_mapping", "ducklake_name_mapping"},
	"current/index":          {"indexed"},
	"current/gcfile":         {"ducklake_files_scheduled_for_deletion"},
	"history/schema":         {"ducklake_schema"},
	"history/table":          {"ducklake_table"},
	"history/view":           {"ducklake_view"},
	"history/column":         {"ducklake_column"},
	"history/partition":      {"ducklake_partition_info"},
	"history/file":           {"ducklake_data_file"},
	"history/delfile":        {"ducklake_delete_file"},
	"history/sort":           {"ducklake_sort_info"},
	"history/macro":          {"ducklake_macro"},
	"history/index":          {}, // no table shows it
	"inline/schema":          {"ducklake_inlined_data_tables", "ducklake_inlined_data_5_1", "catalog"},
	"inline/live/insert":     {"ducklake_inlined_data_5_1"},
	"inline/live/file_delete": {
		"ducklake_inlined_delete_3", "delete",
	},
	"inline/file_delete_table":  {"ducklake_inlined_delete_3"},
	"inline/schema_dropped":     {"ducklake_inlined_data_tables"},
	"inline/chunk_locator":      {}, // rows are found by their chunks
	"inline/row_tombstone":      {"ducklake_inlined_data_5_1"},
	"index/unique":              {}, // the original's
	"index/multi":               {},
	"schema_version":            {"ducklake_schema_versions"},
	"changelog":                 {}, // of readers beside the writer, who read all records again without it
	"name":                      {}, // of the original's look-ups by name
	"delete_target":             {"delete"},
	"plain tables, counter":     {"*"},
	"plain tables, definition":  {"notes", "note", "catalog"},
	"plain tables, row counter": {},
	"plain tables, row":         {"notes", "note"},
	"plain tables, key":         {}, // that it is there is all that is asked
	"refuge, counter":           {},
	"refuge, row":               {"ducklake_tag"},
	"definitions, generation":   {"ducklake_snapshot", "latest", "catalog", "delete", "create"},
	"definitions, table":        {"ducklake_snapshot", "latest", "catalog", "delete", "create"},
}

// kindOf names the kind of a record in needs.
func kindOf(t *testing.T, key string) string {
	t.Helper()
	if decoded, err := keyspace.DecodeKey([]byte(key)); err == nil {
		return decoded.Kind().String()
	}
	for prefix, kind := range map[string]string{
		"\xe2\x00": "plain tables, counter", "\xe2\x01": "plain tables, definition",
		"\xe2\x03": "plain tables, key", "\xe2\x11\x00": "definitions, generation", "\xe2\x11\x01": "definitions, table",
	} {
		if strings.HasPrefix(key, prefix) {
			return kind
		}
	}
	if strings.HasPrefix(key, "\xe2\x02") {
		if len(key) == 11 { // behind the number of the table
			return "plain tables, row counter"
		}
		return "plain tables, row"
	}
	if strings.HasPrefix(key, "\xe2\x10") {
		if _, rest, _ := strings.Cut(key, "\x00\x01"); rest == "\x00" {
			return "refuge, counter"
		}
		return "refuge, row"
	}
	t.Fatalf("a record of no known kind: %x", key)
	return ""
}

// damagedLake is a lake with one damaged record, in a database of its own.
type damagedLake struct {
	database, kind, key, damage string
}

// fillDamaged makes a lake for each way of damaging a record of each kind, and a sound one.
func fillDamaged(t *testing.T, location string, records map[string]string) (lakes []damagedLake) {
	t.Helper()
	opened, err := engine.Open(context.Background(), location, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	fill := func(database string, records map[string]string) {
		path := store.Path{Database: database, Schema: "public"}
		for _, made := range []store.Path{{Database: database}, path} {
			if err := opened.Create(context.Background(), made); err != nil {
				t.Fatal(err)
			}
		}
		lake, err := opened.Open(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer lake.Close()
		golden.Fill(t, lake, records)
	}
	fill("sound", records)
	seen := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(records)) {
		kind := kindOf(t, key)
		if seen[kind] || !victim(kind, key) {
			continue
		}
		seen[kind] = true
		for _, damage := range damages {
			value := damage.make([]byte(records[key]))
			if value == nil || string(value) == records[key] {
				continue
			}
			broken := maps.Clone(records)
			broken[key] = string(value)
			lake := damagedLake{database: fmt.Sprintf("damaged_%d", len(lakes)), kind: kind, key: key, damage: damage.name}
			lakes = append(lakes, lake)
			fill(lake.database, broken)
		}
	}
	for kind := range needs {
		if !seen[kind] {
			t.Errorf("no record is of kind %s", kind)
		}
	}
	return lakes
}

// victim tells whether a record is one that the queries look at, of kinds of which they look at some only.
func victim(kind, key string) bool {
	switch kind {
	case "snapshot":
		return key == string(keyspace.SnapshotKey(22).Bytes())
	case "inline/schema":
		return key == string(keyspace.InlineSchemaKey(5, 1).Bytes())
	case "inline/live/insert":
		return strings.HasPrefix(key, string(keyspace.Prefix(keyspace.KindInlineInsert, 5)))
	case "current/index":
		return strings.HasPrefix(key, string(keyspace.Prefix(keyspace.KindCurrentIndex, 4)))
	}
	return true
}

// answer runs a query.
func answer(t *testing.T, connection *pgconn.PgConn, asked query) (rows []string, err error) {
	t.Helper()
	text := asked.text
	if asked.changes {
		text = "BEGIN; " + text
	}
	results, err := connection.Exec(context.Background(), text).ReadAll()
	if asked.changes {
		if _, failure := connection.Exec(context.Background(), "ROLLBACK").ReadAll(); failure != nil {
			t.Fatal(failure)
		}
	}
	if err != nil {
		return nil, err
	}
	for _, row := range results[len(results)-1].Rows {
		rows = append(rows, fmt.Sprintf("%q", row))
	}
	slices.Sort(rows)
	return rows, nil
}

// TestADamagedRecordIsNeverAPartialAnswer damages a record of each kind in each way, and does everything that a client can do
// with the lake: what needs the record is refused, with its key and its lake, and what does not need it gives its whole
// answer, or is refused as well.
func TestADamagedRecordIsNeverAPartialAnswer(t *testing.T) {
	config := server.Config{Listen: "127.0.0.1:0", Store: t.TempDir()}
	stop(t, start(t, config))
	lakes := fillDamaged(t, config.Store, everyRecord(t))
	running := start(t, config)
	defer stop(t, running)
	all := queries(t)
	sound, failures := map[string][]string{}, map[string]string{}
	answerAll(t, running, "sound", all, func(asked query, rows []string, err error) {
		sound[asked.name], failures[asked.name] = rows, state(err)
	})
	for name, wanted := range map[string]string{"indexed": "0A000", "note taken": "23505", "delete": "", "create": ""} {
		if failures[name] != wanted {
			t.Fatalf("%s in the sound lake: %s", name, failures[name])
		}
	}
	for _, lake := range lakes {
		answerAll(t, running, lake.database, all, func(asked query, rows []string, err error) {
			needed := slices.Contains(needs[lake.kind], asked.name) || slices.Contains(needs[lake.kind], "*")
			switch {
			case state(err) == "XX001":
				lake.checkNamed(t, asked, err)
			case needed:
				t.Errorf("%s (%s), %s: %d rows, %v", lake.kind, lake.damage, asked.name, len(rows), err)
			case state(err) != failures[asked.name] || !slices.Equal(rows, sound[asked.name]):
				t.Errorf("%s (%s), %s, which should not need it: %d rows instead of %d, %v", lake.kind, lake.damage, asked.name,
					len(rows), len(sound[asked.name]), err)
			}
		})
	}
}

// answerAll asks all queries of the lake of a database.
func answerAll(t *testing.T, running *server.Server, database string, all []query, take func(query, []string, error)) {
	t.Helper()
	host, port, err := net.SplitHostPort(running.Address())
	if err != nil {
		t.Fatal(err)
	}
	connection, err := pgconn.Connect(context.Background(), fmt.Sprintf("host=%s port=%s user=ada dbname=%s", host, port, database))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(context.Background())
	for _, asked := range all {
		rows, err := answer(t, connection, asked)
		take(asked, rows, err)
	}
}

// state gives the SQLSTATE of an error, "" for none.
func state(err error) string {
	var known *pgconn.PgError
	if errors.As(err, &known) {
		return known.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// checkNamed checks that an error names the record and the lake.
func (l *damagedLake) checkNamed(t *testing.T, asked query, err error) {
	t.Helper()
	name := fmt.Sprintf("%x", l.key)
	if decoded, failure := keyspace.DecodeKey([]byte(l.key)); failure == nil {
		name = decoded.String()
	}
	var known *pgconn.PgError
	errors.As(err, &known)
	if !strings.Contains(known.Message, `lake "public"`) || !strings.Contains(known.Message, name) {
		t.Errorf("%s (%s), %s: record %s and its lake are not both named: %s (%s)", l.kind, l.damage, asked.name, name, known.Message, known.Detail)
	}
}
