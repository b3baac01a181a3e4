package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestCopy makes a backup of a store with something of every kind of record, on each kind of store, and restores it: DuckDB
// reads the same of both, the checks find nothing, and the restored lake goes on.
func TestCopy(t *testing.T) {
	interpreter := python(t)
	onStores(t, func(t *testing.T, kind storeKind) {
		data, statements := t.TempDir()+"/", "../check/testdata/lake.sql"
		original := newServer(t, t.TempDir())
		fill := exec.CommandContext(t.Context(), interpreter, "statements.py", original.connection("moraine"), data, statements)
		if output, err := fill.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		connection := original.connect(t, "moraine")
		for _, statement := range []string{
			"CREATE ROLE reader", `CREATE DATABASE "a.b"`, `CREATE SCHEMA "odd ""name"`, "CREATE TABLE plain(a integer)", "INSERT INTO plain VALUES (1)",
		} {
			query(t, connection, statement)
		}
		want := contents(t, interpreter, original, data)
		backup, restored := kind.new(t), t.TempDir()
		run(t, 2, "in use by another process", "copy", "--from", original.store, "--to", backup)
		original.stop(t)

		run(t, 0, "lakes copied: 5, there already: 0", "copy", "--from", original.store, "--to", backup)
		run(t, 0, "lakes checked: 4, findings: 0", "check", "--store", backup)
		run(t, 0, "lakes copied: 5, there already: 0", "copy", "--from", backup, "--to", restored)
		run(t, 2, "the target has such a lake already", "copy", "--from", backup, "--to", lakeOfAnother(t))
		dumps := map[string]bool{}
		for _, store := range []string{original.store, backup, restored} {
			dumps[run(t, 0, "04", "dump", "--hex", "--store", store, "--lake", "moraine.public")] = true
		}
		if len(dumps) != 1 {
			t.Errorf("the dumps of the three stores are of %d kinds", len(dumps))
		}

		s := newServer(t, restored)
		if got := contents(t, interpreter, s, data); got != want {
			t.Errorf("DuckDB reads\n%s\nof the restored lake, and of the original\n%s", got, want)
		}
		connection = s.connect(t, "moraine")
		if rows := query(t, connection, "SELECT count(*) FROM pg_roles WHERE rolname = 'reader'"); rows[0][0] != "1" {
			t.Error("the role is not in the copy")
		}
		if rows := query(t, connection, "SELECT a FROM plain"); len(rows) != 1 {
			t.Errorf("the plain table has %v", rows)
		}
		grown := contents(t, interpreter, s, data, "INSERT INTO lake.numbers(id) VALUES (12345)")
		if !strings.Contains(grown, "12345") || strings.Count(grown, "\n") <= strings.Count(want, "\n") {
			t.Error("the restored lake does not take rows")
		}
		run(t, 0, "findings: 0", "check", "--connect", s.connection("moraine"))
	})
}

// lakeOfAnother gives a store that has another lake under the first name.
func lakeOfAnother(t *testing.T) string {
	t.Helper()
	s := newServer(t, t.TempDir())
	query(t, s.connect(t, "moraine"), "CREATE TABLE mine(a integer)")
	s.stop(t)
	return s.store
}

// contents gives what DuckDB reads of the lake in the database moraine.
func contents(t *testing.T, interpreter string, s *server, data string, statement ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), interpreter, append([]string{"contents.py", s.connection("moraine"), data}, statement...)...)
	var errors bytes.Buffer
	command.Stderr = &errors
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errors.String())
	}
	return string(output)
}

// run runs a subcommand, looks at its exit status and at a part of what it prints, and gives its output.
func run(t *testing.T, status int, part string, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), serverBinary, arguments...)
	var errors bytes.Buffer
	command.Stderr = &errors
	output, err := command.Output()
	if command.ProcessState == nil {
		t.Fatal(err)
	}
	if got := command.ProcessState.ExitCode(); got != status || !strings.Contains(string(output)+errors.String(), part) {
		t.Fatalf("moraine %s: exit status %d, expected %d and %q; output:\n%.2000s\n%s", strings.Join(arguments, " "), got, status, part, output, errors.String())
	}
	return string(output)
}

// TestKilledCopy kills a copy as it is about to end the first of two lakes, and another one as it is about to end the
// second. No part of the target is served until the same command has finished it.
func TestKilledCopy(t *testing.T) {
	source := newServer(t, t.TempDir())
	connection := source.connect(t, "moraine")
	for _, schema := range []string{"first", "second"} {
		query(t, connection, fmt.Sprintf("CREATE SCHEMA %s; CREATE TABLE %[1]s.t(a integer, b text)", schema))
		query(t, connection, fmt.Sprintf("INSERT INTO %s.t SELECT g, repeat('x', 100) FROM generate_series(1, 3000) g", schema))
	}
	query(t, connection, "CREATE TABLE public.t(a integer)")
	source.stop(t)
	target := newServer(t, t.TempDir())
	target.stop(t)
	arguments := []string{"copy", "--from", source.store, "--to", target.store, "--database", "moraine", "--batch-size", "4KiB"}
	for _, printed := range []string{
		"copying moraine.first (1 of 3)\n",
		"copying moraine.first (1 of 3)\nverifying moraine.first (1 of 3)\ncopying moraine.public (2 of 3)\nverifying moraine.public (2 of 3)\ncopying moraine.second (3 of 3)\n",
	} {
		killWhenItHasPrinted(t, printed, arguments...)
		run(t, 2, "unfinished copy", "check", "--store", target.store)
		run(t, 0, "the lake is an unfinished copy from "+source.store, "info", "--store", target.store)
		wantUnfinished(t, target)
	}
	dropUnfinished(t, arguments)
	whole := t.TempDir()
	killWhenItHasPrinted(t, "copying moraine.first (1 of 5)\n", "copy", "--from", source.store, "--to", whole, "--batch-size", "4KiB")
	run(t, 1, "the roles of the server: the lake is an unfinished copy", "serve", "--listen", "127.0.0.1:0", "--store", whole)
	run(t, 2, "unfinished copy", "copy", "--from", target.store, "--to", t.TempDir())
	run(t, 2, "from another store", "copy", "--from", lakeOfAnother(t), "--to", target.store, "--lake", "moraine.public")
	run(t, 0, "lakes copied: 3, there already: 0", arguments...)
	run(t, 0, "findings: 0", "check", "--store", target.store)
	target.start(t)
	for _, schema := range []string{"first", "second"} {
		if rows := query(t, target.connect(t, "moraine"), fmt.Sprintf("SELECT count(*), sum(a) FROM %s.t", schema)); rows[0][0] != "3000" || rows[0][1] != "4501500" {
			t.Errorf("the copy of %s has %v", schema, rows)
		}
	}
}

// wantUnfinished starts a server on an unfinished copy, which must say what it is, and take nothing.
func wantUnfinished(t *testing.T, target *server) {
	t.Helper()
	target.start(t)
	defer target.stop(t)
	for _, statement := range []string{"SELECT count(*) FROM first.t", "CREATE TABLE second.mine(a integer)", "SELECT count(*) FROM ducklake_snapshot"} {
		connection, err := pgconn.Connect(t.Context(), target.connection("moraine"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = tryQuery(t.Context(), connection, statement)
		if state := sqlState(err); state != "55000" || !strings.Contains(err.Error(), "unfinished copy") {
			t.Errorf("%s: %v", statement, err)
		}
		_ = connection.Close(t.Context())
	}
}

// dropUnfinished gives unfinished copies up by SQL.
func dropUnfinished(t *testing.T, arguments []string) {
	t.Helper()
	target := newServer(t, t.TempDir())
	target.stop(t)
	arguments = slices.Clone(arguments)
	arguments[slices.Index(arguments, "--to")+1] = target.store
	killWhenItHasPrinted(t, "copying moraine.first (1 of 3)\n", arguments...)
	target.start(t)
	connection := target.connect(t, "postgres")
	dropping := target.connect(t, "moraine")
	query(t, dropping, "DROP SCHEMA first CASCADE")
	query(t, dropping, "CREATE SCHEMA first")
	query(t, dropping, "CREATE TABLE first.mine(a integer)")
	_ = dropping.Close(t.Context())
	query(t, connection, "DROP DATABASE moraine WITH (FORCE)")
	target.stop(t)
	run(t, 0, "lakes copied: 3, there already: 0", arguments...)
}

// killWhenItHasPrinted runs a subcommand that can print so much and no more, because what reads its log is full then, and
// kills it. So the moment does not depend on how fast it is.
func killWhenItHasPrinted(t *testing.T, printed string, arguments ...string) {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer writer.Close()
	const pageSize = 4096 // the least that a pipe holds
	if _, _, failed := syscall.Syscall(syscall.SYS_FCNTL, writer.Fd(), syscall.F_SETPIPE_SZ, pageSize); failed != 0 {
		t.Fatal(failed)
	}
	if _, err := writer.Write(make([]byte, pageSize-len(printed))); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), serverBinary, arguments...)
	command.Stderr = writer
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(startTimeout); waiting(t, reader) < pageSize; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the command does not print what was expected")
		}
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err == nil {
		t.Error("the command had ended before it was killed")
	}
	content := make([]byte, pageSize)
	if _, err := reader.Read(content); err != nil || !bytes.HasSuffix(content, []byte(printed)) {
		t.Errorf("error %v; printed:\n%s", err, bytes.TrimLeft(content, "\x00"))
	}
}

// waiting gives the number of bytes that a pipe holds.
func waiting(t *testing.T, reader *os.File) int {
	t.Helper()
	var count int32
	if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, reader.Fd(), syscall.TIOCINQ, uintptr(unsafe.Pointer(&count))); failed != 0 {
		t.Fatal(failed)
	}
	return int(count)
}

// TestDumpIntoAPipeThatIsClosed reads the first line of a dump and no more.
func TestDumpIntoAPipeThatIsClosed(t *testing.T) {
	s := newServer(t, t.TempDir())
	query(t, s.connect(t, "moraine"), "CREATE TABLE t(a integer, b text); INSERT INTO t SELECT g, repeat('x', 100) FROM generate_series(1, 5000) g")
	s.stop(t)
	shell := exec.CommandContext(t.Context(), "bash", "-c", `set -o pipefail; "$0" dump --store "$1" --lake moraine.public --hex | head -1; echo "$?"`,
		serverBinary, s.store)
	output, err := shell.CombinedOutput()
	lines := strings.Split(string(output), "\n")
	if err != nil || len(lines) != 3 || !strings.HasPrefix(lines[0], "e2") || lines[1] != "0" {
		t.Errorf("%v: %.500s", err, output)
	}
}
