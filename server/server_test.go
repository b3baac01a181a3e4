package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/rs/zerolog"

	"moraine/pgwire"
	"moraine/server"
	"moraine/store"
)

func start(t *testing.T, config server.Config) *server.Server {
	t.Helper()
	running, err := server.Start(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	return running
}

func stop(t *testing.T, running *server.Server) {
	t.Helper()
	if err := running.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
}

func connect(t *testing.T, running *server.Server, user string) *pgx.Conn {
	t.Helper()
	connection, err := pgx.Connect(context.Background(), fmt.Sprintf("postgres://%s@%s/moraine?sslmode=disable", user, running.Address()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close(context.Background()) })
	return connection
}

func TestTablesSurviveARestart(t *testing.T) {
	ctx := context.Background()
	config := server.Config{Listen: "127.0.0.1:0", Store: t.TempDir(), Version: "test"}
	running := start(t, config)
	for _, statement := range []string{"CREATE TABLE notes (id bigint, note text)", "INSERT INTO notes VALUES (1, 'first'), (2, NULL)"} {
		if _, err := connect(t, running, "ada").Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	stop(t, running)

	running = start(t, config)
	defer stop(t, running)
	var count int64
	if err := connect(t, running, "ada").QueryRow(ctx, "SELECT count(*) FROM notes").Scan(&count); err != nil || count != 2 {
		t.Errorf("%d rows, %v", count, err)
	}
}

func TestASecondServerOnAStoreIsRefused(t *testing.T) {
	config := server.Config{Listen: "127.0.0.1:0", Store: t.TempDir()}
	running := start(t, config)
	defer stop(t, running)
	_, err := server.Start(context.Background(), config)
	if !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), "in use by another process") {
		t.Errorf("got %v", err)
	}
}

func TestAnAddressInUseIsRefused(t *testing.T) {
	running := start(t, server.Config{Listen: "127.0.0.1:0", Store: t.TempDir()})
	defer stop(t, running)
	config := server.Config{Listen: running.Address(), Store: filepath.Join(t.TempDir(), "store")}
	if _, err := server.Start(context.Background(), config); err == nil || !strings.Contains(err.Error(), "cannot listen on") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(config.Store); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it has made a store: %v", err)
	}
}

func TestVersionAndSessions(t *testing.T) {
	ctx := context.Background()
	running := start(t, server.Config{Listen: "127.0.0.1:0", Store: t.TempDir(), Version: "1.2.3"})
	defer stop(t, running)
	ada := connect(t, running, "ada")
	connect(t, running, "eve")

	var version string
	if err := ada.QueryRow(ctx, "SELECT version()").Scan(&version); err != nil || !strings.HasPrefix(version, "PostgreSQL 15") || !strings.Contains(version, "Moraine") {
		t.Errorf("version() is %q, %v", version, err)
	}
	if status := ada.PgConn().ParameterStatus("server_version"); !strings.HasPrefix(status, "15") || !strings.HasSuffix(status, "(Moraine 1.2.3)") {
		t.Errorf("server_version is %q", status)
	}
	var users []string
	rows, err := ada.Query(ctx, "SELECT usename FROM pg_stat_activity WHERE usename IN ('ada', 'eve') ORDER BY usename")
	if err == nil {
		users, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	if err != nil || strings.Join(users, " ") != "ada eve" {
		t.Errorf("sessions of %v, %v", users, err)
	}
}

func TestActivityTellsWhoWaitsForALock(t *testing.T) {
	ctx := context.Background()
	running := start(t, server.Config{Listen: "127.0.0.1:0", Store: t.TempDir()})
	defer stop(t, running)
	ada, eve, observer := connect(t, running, "ada"), connect(t, running, "eve"), connect(t, running, "bob")
	for _, statement := range []string{"CREATE TABLE notes (id bigint)", "INSERT INTO notes VALUES (1)", "BEGIN", "UPDATE notes SET id = 2"} {
		if _, err := ada.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	waiting := func() (users []string) {
		rows, err := observer.Query(ctx, "SELECT usename FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event = 'transactionid'")
		if err == nil {
			users, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		if err != nil {
			t.Fatal(err)
		}
		return users
	}
	if users := waiting(); len(users) != 0 {
		t.Errorf("%v wait, and nobody does", users)
	}
	updated := make(chan error, 1)
	go func() {
		_, err := eve.Exec(ctx, "UPDATE notes SET id = 3")
		updated <- err
	}()
	for deadline := time.Now().Add(time.Minute); strings.Join(waiting(), " ") != "eve"; {
		if time.Now().After(deadline) {
			t.Fatal("eve does not wait")
		}
	}
	if _, err := ada.Exec(ctx, "COMMIT"); err != nil {
		t.Fatal(err)
	}
	if err := <-updated; err != nil {
		t.Error(err)
	}
	if users := waiting(); len(users) != 0 {
		t.Errorf("%v wait, and nobody does", users)
	}
}

// lockedBuffer is a log that several goroutines write.
type lockedBuffer struct {
	mutex  sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(line []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.buffer.Write(line)
}

func (b *lockedBuffer) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.buffer.String()
}

func TestWarningsAboutUsers(t *testing.T) {
	verifier, err := pgwire.NewVerifier("secret")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, listen      string
		users             map[string]pgwire.Verifier
		local, reachables bool
	}{
		{"loopback without users", "127.0.0.1:0", nil, true, false},
		{"all addresses without users", "0.0.0.0:0", nil, true, true},
		{"all addresses with users", "0.0.0.0:0", map[string]pgwire.Verifier{"ada": verifier}, false, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			log := &lockedBuffer{}
			stop(t, start(t, server.Config{Listen: test.listen, Store: t.TempDir(), Users: test.users, Logger: zerolog.New(log)}))
			if got := strings.Contains(log.String(), "no users are configured"); got != test.local {
				t.Errorf("warned of local users: %v", got)
			}
			if got := strings.Contains(log.String(), "other machines can reach"); got != test.reachables {
				t.Errorf("warned of other machines: %v", got)
			}
		})
	}
}

func TestADatabaseHasASize(t *testing.T) {
	ctx := context.Background()
	running := start(t, server.Config{Listen: "127.0.0.1:0", Store: t.TempDir()})
	defer stop(t, running)
	client := connect(t, running, "ada")
	var before, after int64
	if err := client.QueryRow(ctx, "SELECT pg_database_size(current_database())").Scan(&before); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Exec(ctx, "CREATE TABLE notes AS SELECT repeat('x', 1000) FROM generate_series(1, 100)"); err != nil {
		t.Fatal(err)
	}
	if err := client.QueryRow(ctx, "SELECT pg_database_size(oid) FROM pg_database WHERE datname = 'moraine'").Scan(&after); err != nil {
		t.Fatal(err)
	}
	if after < before+100_000 {
		t.Errorf("%d bytes before and %d after 100 kB were written", before, after)
	}
	_, err := client.Exec(ctx, "SELECT pg_database_size('nowhere')")
	if err == nil || !strings.Contains(err.Error(), "3D000") {
		t.Errorf("got %v for a database that is not there", err)
	}
}

// A client that waits gets notifications at once, one in a transaction at its end.
func TestNotifications(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	running := start(t, server.Config{Listen: "127.0.0.1:0", Store: t.TempDir()})
	defer stop(t, running)
	sender, listener := connect(t, running, "ada"), connect(t, running, "ada")
	execute := func(client *pgx.Conn, statements ...string) {
		t.Helper()
		for _, statement := range statements {
			if _, err := client.Exec(ctx, statement); err != nil {
				t.Fatal(err)
			}
		}
	}
	expect := func(client *pgx.Conn, channel, payload string) {
		t.Helper()
		got, err := client.WaitForNotification(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if got.PID != sender.PgConn().PID() || got.Channel != channel || got.Payload != payload {
			t.Fatalf("got %+v, want %s %q", got, channel, payload)
		}
	}
	execute(listener, "LISTEN news")
	execute(sender, "LISTEN news", "BEGIN", "NOTIFY news, 'undone'", "ROLLBACK")
	sent := make(chan error, 1)
	go func() {
		_, err := sender.Exec(ctx, "BEGIN; NOTIFY news, 'first'; NOTIFY news, 'first'; NOTIFY other; COMMIT")
		sent <- err
	}()
	expect(listener, "news", "first")
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	expect(sender, "news", "first")
	execute(listener, "BEGIN", "SELECT 1")
	execute(sender, "SELECT pg_notify('news', 'second')", "NOTIFY news")
	execute(listener, "COMMIT")
	expect(listener, "news", "second")
	expect(listener, "news", "")
}

func TestAdvisoryLocksAreWaitedFor(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	running := start(t, server.Config{Listen: "127.0.0.1:0", Store: t.TempDir()})
	defer stop(t, running)
	holder, waiter := connect(t, running, "ada"), connect(t, running, "ada")
	if _, err := holder.Exec(ctx, "SELECT pg_advisory_lock(1)"); err != nil {
		t.Fatal(err)
	}
	result := make(chan error, 1)
	go func() {
		_, err := waiter.Exec(ctx, "SELECT pg_advisory_xact_lock(1)")
		result <- err
	}()
	for waiting := int64(0); waiting == 0; {
		err := holder.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'").Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
	}
	// The end of a session gives back its locks.
	if err := holder.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-result; err != nil {
		t.Error(err)
	}
}

func TestAClientWithAnotherEncoding(t *testing.T) {
	ctx := context.Background()
	running := start(t, server.Config{Listen: "127.0.0.1:0", Store: t.TempDir()})
	defer stop(t, running)
	client := connect(t, running, "ada").PgConn()
	for _, test := range []struct{ query, field, value, message string }{
		{"SET client_encoding = 'LATIN1'", "", "", ""},
		{"SELECT '\xe9' || length('\xe9') AS \"\xfc\"", "\xfc", "\xe91", ""},
		{"SELECT \"\xe9\"", "", "", "column \"\xe9\" does not exist"},
	} {
		results, err := client.Exec(ctx, test.query).ReadAll()
		if test.message != "" {
			var failure *pgconn.PgError
			if !errors.As(err, &failure) || failure.Message != test.message {
				t.Errorf("%q: got %v", test.query, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if test.field != "" && (results[0].FieldDescriptions[0].Name != test.field || string(results[0].Rows[0][0]) != test.value) {
			t.Errorf("%q: got %q in %q", test.query, results[0].Rows, results[0].FieldDescriptions[0].Name)
		}
	}
}
