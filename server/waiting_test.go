package server_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"moraine/pgerror"
	"moraine/server"
)

func execute(t *testing.T, connection *pgx.Conn, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := connection.Exec(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if reported := (*pgconn.PgError)(nil); !errors.As(err, &reported) || reported.Code != code {
		t.Fatalf("error %v, want %s", err, code)
	}
}

func TestLockTimeoutEndsTheStatement(t *testing.T) {
	running := start(t, server.Config{Listen: "127.0.0.1:0", Store: t.TempDir()})
	defer stop(t, running)
	holder, other := connect(t, running, "ada"), connect(t, running, "bob")
	execute(t, holder, "CREATE TABLE notes (id bigint)", "INSERT INTO notes VALUES (1)", "BEGIN", "UPDATE notes SET id = 2")

	execute(t, other, "SET lock_timeout = '1ms'")
	_, err := other.Exec(t.Context(), "UPDATE notes SET id = 3")
	wantCode(t, err, pgerror.LockNotAvailable)
	execute(t, other, "SET lock_timeout = 0", "BEGIN", "SET LOCAL lock_timeout = '1ms'")
	_, err = other.Exec(t.Context(), "UPDATE notes SET id = 3")
	wantCode(t, err, pgerror.LockNotAvailable)
	execute(t, other, "ROLLBACK")
	execute(t, holder, "COMMIT")
	execute(t, other, "UPDATE notes SET id = 3")
}

func TestIdleTransactionLosesTheLocksThatOthersWaitFor(t *testing.T) {
	running := start(t, server.Config{Listen: "127.0.0.1:0", Store: t.TempDir(), MaxIdleHold: time.Millisecond})
	defer stop(t, running)
	idle, other := connect(t, running, "ada"), connect(t, running, "bob")
	execute(t, idle, "CREATE TABLE notes (id bigint)", "INSERT INTO notes VALUES (1)", "BEGIN", "UPDATE notes SET id = 2")

	execute(t, other, "UPDATE notes SET id = id + 10")
	_, err := idle.WaitForNotification(t.Context())
	wantCode(t, err, pgerror.IdleInTransactionSessionTimeout)
	var id int64
	if err := other.QueryRow(t.Context(), "SELECT id FROM notes").Scan(&id); err != nil || id != 11 {
		t.Errorf("id %d, %v; want 11", id, err)
	}
}

func TestFailedTransactionKeepsNoLock(t *testing.T) {
	running := start(t, server.Config{Listen: "127.0.0.1:0", Store: t.TempDir()})
	defer stop(t, running)
	failed, other := connect(t, running, "ada"), connect(t, running, "bob")
	execute(t, failed, "CREATE TABLE notes (id bigint)", "INSERT INTO notes VALUES (1)", "BEGIN", "UPDATE notes SET id = 2")
	_, err := failed.Exec(t.Context(), "SELECT 1/0")
	wantCode(t, err, pgerror.DivisionByZero)
	execute(t, other, "UPDATE notes SET id = id + 10")
	_, err = failed.Exec(t.Context(), "SELECT 1")
	wantCode(t, err, pgerror.InFailedSQLTransaction)
	execute(t, failed, "ROLLBACK", "UPDATE notes SET id = id + 10")
}

func TestPreparedStatementPinsNoSnapshot(t *testing.T) {
	running := start(t, server.Config{Listen: "127.0.0.1:0", Store: t.TempDir()})
	defer stop(t, running)
	reader, writer := connect(t, running, "ada"), connect(t, running, "bob")
	execute(t, writer, "CREATE TABLE notes (id bigint)")
	execute(t, reader, "BEGIN ISOLATION LEVEL REPEATABLE READ")
	if _, err := reader.Prepare(t.Context(), "count", "SELECT count(*) FROM notes"); err != nil {
		t.Fatal(err)
	}
	// The snapshot is that of the first query, and stays.
	for range 2 {
		execute(t, writer, "INSERT INTO notes VALUES (1)")
		var count int64
		if err := reader.QueryRow(t.Context(), "count").Scan(&count); err != nil || count != 1 {
			t.Errorf("%d rows, %v; want 1", count, err)
		}
	}
	execute(t, reader, "COMMIT")
}
