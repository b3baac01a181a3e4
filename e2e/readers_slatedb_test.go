//go:build slatedb

package e2e

import (
	"bufio"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"moraine/store/storetest/bucket"
)

// readersLoad is how many pairs are committed while readers watch; in the middle the writer is killed and started again.
const readersLoad = 120

// TestReadOnlyServers lets two read-only servers follow a writer under load. DuckDB on them sees whole commits only, never
// goes back, and sees every acknowledged commit in the end.
func TestReadOnlyServers(t *testing.T) {
	interpreter := python(t)
	media := map[string]func(t *testing.T) string{
		"directory": func(t *testing.T) string { return "file://" + t.TempDir() },
		"bucket": func(t *testing.T) string {
			bucket.New(t).Connect(t).Use(t)
			return "s3://" + bucket.Name + "/lakes"
		},
	}
	for name, medium := range media {
		t.Run(name, func(t *testing.T) {
			writer := newServer(t, medium(t))
			data := t.TempDir() + "/"
			pairs(t, interpreter, writer, data, "create")
			first := newServer(t, writer.store, "--read-only", "--poll-interval", "50ms")
			second := newServer(t, writer.store, "--read-only")
			watchers := []*watcher{watch(t, interpreter, first, data, "READ_ONLY"), watch(t, interpreter, second, data, "")}
			for _, watcher := range watchers {
				watcher.await(t, 0)
			}
			committed := writeForReaders(t, interpreter, writer, data)
			for i, watcher := range watchers {
				watcher.await(t, len(committed.copy()))
				watcher.check(t)
				t.Logf("reader %d saw %d states in %d reads", i, watcher.distinct(), len(watcher.copy()))
			}
			compareCatalogs(t, writer, first)
			refuseWrites(t, interpreter, second, data)
			followRoles(t, writer, second)
			findDatabases(t, writer, second)
			t.Logf("moraine_replication(): %q", query(t, second.connect(t, "moraine"), "SELECT * FROM moraine_replication()"))
		})
	}
}

// writeForReaders commits pairs by two clients, and kills and starts the writer once.
func writeForReaders(t *testing.T, interpreter string, writer *server, data string) *acknowledgements {
	ctx, stop := context.WithCancel(t.Context())
	committed := new(acknowledgements)
	var clients sync.WaitGroup
	clients.Go(func() {
		if err := runDuckWriter(ctx, interpreter, writer, data, 0, committed); err != nil {
			t.Error(err)
		}
	})
	clients.Go(func() {
		if err := runWireWriter(ctx, writer, 1, committed); err != nil {
			t.Error(err)
		}
	})
	awaitCommits(t, committed, readersLoad/2)
	writer.kill(t)
	writer.start(t)
	awaitCommits(t, committed, readersLoad)
	stop()
	clients.Wait()
	return committed
}

func awaitCommits(t *testing.T, committed *acknowledgements, count int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); len(committed.copy()) < count; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("only %d commits in a minute", len(committed.copy()))
		}
	}
}

// seen is what a client of a reader has read at once: how many rows two tables have.
type seen struct{ a, b int }

// watcher is a DuckDB that reads again and again.
type watcher struct {
	mutex sync.Mutex
	seen  []seen
}

func watch(t *testing.T, interpreter string, s *server, data, options string) *watcher {
	t.Helper()
	w := &watcher{}
	ctx, stop := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, interpreter, "readers.py", s.connection("moraine"), data, options, "watch")
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var failure strings.Builder
	command.Stderr = &failure
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		for lines := bufio.NewScanner(output); lines.Scan(); {
			var at float64
			var state seen
			if _, err := fmt.Sscan(lines.Text(), &at, &state.a, &state.b); err != nil {
				if ctx.Err() == nil { // else the line was cut off with its process
					t.Errorf("readers.py says %q: %v", lines.Text(), err)
				}
				continue
			}
			w.mutex.Lock()
			w.seen = append(w.seen, state)
			w.mutex.Unlock()
		}
		if err := command.Wait(); err != nil && ctx.Err() == nil {
			t.Errorf("readers.py: %v\n%s", err, failure.String())
		}
	})
	t.Cleanup(func() {
		stop()
		reading.Wait()
	})
	return w
}

func (w *watcher) copy() []seen {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return slices.Clone(w.seen)
}

// await waits until the reader has seen so many pairs.
func (w *watcher) await(t *testing.T, count int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		states := w.copy()
		if len(states) > 0 && states[len(states)-1].a >= count {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d commits were acknowledged, the reader shows %v", count, states[max(len(states)-1, 0):])
		}
	}
}

// check fails the test when a state was half of a commit, or older than the one before.
func (w *watcher) check(t *testing.T) {
	t.Helper()
	before := seen{}
	for _, state := range w.copy() {
		if state.a != state.b || state.a < before.a {
			t.Errorf("the reader shows %v after %v", state, before)
		}
		before = state
	}
}

func (w *watcher) distinct() int {
	states := w.copy()
	return len(slices.Compact(states))
}

// compareCatalogs holds every row of the catalog on a reader, which has followed commit by commit, to the writer's.
func compareCatalogs(t *testing.T, writer, reader *server) {
	t.Helper()
	rows := func(s *server, statement string) []string {
		var printed []string
		for _, row := range query(t, s.connect(t, "moraine"), statement) {
			printed = append(printed, strings.Join(row, "|"))
		}
		slices.Sort(printed)
		return printed
	}
	const tables = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'ducklake%'"
	names := rows(writer, tables)
	if found := rows(reader, tables); !slices.Equal(found, names) || len(names) < 28 {
		t.Errorf("tables of the writer %v, of the reader %v", names, found)
	}
	for _, name := range names {
		if wanted, found := rows(writer, "SELECT * FROM "+name), rows(reader, "SELECT * FROM "+name); !slices.Equal(wanted, found) {
			t.Errorf("%s has %d rows on the writer and %d others on the reader", name, len(wanted), len(found))
		}
	}
	if findings := rows(reader, "SELECT * FROM moraine_check()"); len(findings) > 0 {
		t.Errorf("the check on the reader finds %q", findings)
	}
}

// followRoles makes a role that may not log in at the writer, and waits for the reader to refuse it.
func followRoles(t *testing.T, writer, reader *server) {
	t.Helper()
	query(t, writer.connect(t, "moraine"), "CREATE ROLE barred NOLOGIN")
	awaitAnswer(t, reader, "moraine user=barred", "SELECT 1", func(_ [][]string, err error) bool { return sqlState(err) == "28000" })
}

// refuseWrites tries to write by DuckDB and by SQL.
func refuseWrites(t *testing.T, interpreter string, s *server, data string) {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), interpreter, "readers.py", s.connection("moraine"), data, "", "write").CombinedOutput()
	if err != nil {
		t.Fatalf("readers.py: %v\n%s", err, output)
	}
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	for _, line := range lines {
		if !strings.Contains(line, "in a read-only transaction") || !strings.Contains(line, "--read-only") {
			t.Errorf("DuckDB says: %s", line)
		}
	}
	connection := s.connect(t, "moraine")
	for _, statement := range []string{
		"INSERT INTO ducklake_snapshot VALUES (1000, now(), 1, 1, 1)", "CREATE TABLE t (i int)", "CREATE DATABASE d", "DROP SCHEMA public CASCADE",
		"DELETE FROM ducklake_data_file", "CREATE ROLE r", "LISTEN c",
	} {
		if _, err := tryQuery(t.Context(), connection, statement); sqlState(err) != "25006" {
			t.Errorf("%s: %v, want 25006", statement, err)
		}
	}
	if rows := query(t, connection, "SELECT pg_is_in_recovery()"); rows[0][0] != "t" {
		t.Errorf("pg_is_in_recovery() is %v", rows)
	}
}

// findDatabases makes and drops a database at the writer, and waits for the reader to know.
func findDatabases(t *testing.T, writer, reader *server) {
	t.Helper()
	query(t, writer.connect(t, "moraine"), "CREATE DATABASE made")
	made := writer.connect(t, "made")
	query(t, made, "CREATE TABLE t (i int)")
	query(t, made, "INSERT INTO t VALUES (42)")
	_ = made.Close(t.Context())
	want := "[[42]] <nil>"
	awaitAnswer(t, reader, "made", "SELECT i FROM t", func(rows [][]string, err error) bool { return fmt.Sprint(rows, err) == want })
	query(t, writer.connect(t, "moraine"), "DROP DATABASE made")
	awaitAnswer(t, reader, "made", "SELECT 1", func(_ [][]string, err error) bool { return sqlState(err) == "3D000" })
}

// awaitAnswer repeats a query on new connections until it gives what is wanted.
func awaitAnswer(t *testing.T, s *server, database, statement string, wanted func([][]string, error) bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		var rows [][]string
		connection, err := pgconn.Connect(t.Context(), s.connection(database))
		if err == nil {
			rows, err = tryQuery(t.Context(), connection, statement)
			_ = connection.Close(t.Context())
		}
		if wanted(rows, err) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s on database %s gives %v, %v", statement, database, rows, err)
		}
	}
}
