//go:build slatedb

package server_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/rs/zerolog"

	"moraine/pgerror"
	"moraine/server"
	"moraine/store"
	"moraine/store/engine"
)

// patience bounds how long a test waits for what must come.
const patience = time.Minute

// shared gives the configuration of a server on a store that others share, with times so long that nobody takes over by itself.
func shared(t *testing.T) server.Config {
	t.Helper()
	return server.Config{
		Listen: "127.0.0.1:0", Store: "file://" + t.TempDir(), Heartbeat: 100 * time.Millisecond, TakeoverAfter: 10 * time.Minute, Version: "test",
	}
}

// wantFatal fails unless an error is a FATAL with a code, and one that DuckLake does not answer by another try. It gives the
// text of the error.
func wantFatal(t *testing.T, err error, codes ...string) string {
	t.Helper()
	var failure *pgconn.PgError
	if !errors.As(err, &failure) || !slices.Contains(codes, failure.Code) || failure.Severity != "FATAL" {
		t.Fatalf("the error is %v, not a FATAL %s", err, codes)
	}
	text := &pgerror.Error{Message: failure.Message, Detail: failure.Detail, Hint: failure.Hint}
	if text.Retried() {
		t.Errorf("DuckLake would try again after %+v", failure)
	}
	return strings.Join([]string{failure.Message, failure.Detail, failure.Hint}, "\n")
}

func wantFailed(t *testing.T, running *server.Server) {
	t.Helper()
	select {
	case <-running.Failed():
	case <-time.After(patience):
		t.Fatal("the server does not end")
	}
}

// dial tries to connect.
func dial(running *server.Server) error {
	connection, err := pgconn.Connect(context.Background(), fmt.Sprintf("postgres://ada@%s/moraine?sslmode=disable", running.Address()))
	if err == nil {
		err = connection.Close(context.Background())
	}
	return err
}

func TestStandby(t *testing.T) {
	config := shared(t)
	first := start(t, config)
	session := connect(t, first, "ada")
	if _, err := session.Exec(context.Background(), "CREATE TABLE notes AS SELECT 7 AS id"); err != nil {
		t.Fatal(err)
	}
	config.Standby = true
	var standby, spare *server.Server
	for _, s := range []**server.Server{&standby, &spare} {
		*s = start(t, config)
		var text string
		for deadline := time.Now().Add(patience); !strings.Contains(text, first.Address()); {
			text = wantFatal(t, dial(*s), "57P03")
			if time.Now().After(deadline) {
				t.Fatalf("the standby does not name the server that serves: %s", text)
			}
		}
	}
	stop(t, spare) // without a turn
	stop(t, first)
	for deadline := time.Now().Add(patience); dial(standby) != nil; {
		if time.Now().After(deadline) {
			t.Fatal("the standby does not take over from a server that has ended in good order")
		}
	}
	var id int
	if err := connect(t, standby, "ada").QueryRow(context.Background(), "SELECT id FROM notes").Scan(&id); err != nil || id != 7 {
		t.Errorf("the standby reads %d, %v", id, err)
	}
	stop(t, standby)
}

func TestSecondServerOnASharedStore(t *testing.T) {
	config := shared(t)
	first := start(t, config)
	idle, inTransaction := connect(t, first, "ada"), connect(t, first, "ada")
	if _, err := inTransaction.Exec(context.Background(), "BEGIN; CREATE TABLE notes (id bigint)"); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		<-first.Failed()
		_ = first.Shutdown(context.Background()) // its reason is what the test looks at
	}()
	second := start(t, config)
	<-ended
	_, err := idle.Exec(context.Background(), "SELECT 1")
	if text := wantFatal(t, err, "57P01"); !strings.Contains(text, second.Address()) {
		t.Errorf("the fenced server does not say by whom: %s", text)
	}
	_, err = inTransaction.Exec(context.Background(), "COMMIT")
	wantFatal(t, err, "57P01")
	if _, err := connect(t, second, "ada").Exec(context.Background(), "CREATE TABLE notes (id bigint)"); err != nil {
		t.Error(err)
	}
	stop(t, second)
}

// A writer that is no server fences as well: its only sign is what the engine says.
func TestAnotherWriterOnASharedStore(t *testing.T) {
	for _, heartbeat := range []time.Duration{100 * time.Millisecond, server.NoHeartbeat} {
		t.Run(heartbeat.String(), func(t *testing.T) {
			config := shared(t)
			config.Heartbeat = heartbeat
			running := start(t, config)
			writer, reader := connect(t, running, "ada"), connect(t, running, "ada")
			if _, err := writer.Exec(context.Background(), "CREATE TABLE notes (id bigint)"); err != nil {
				t.Fatal(err)
			}
			takeLake(t, config.Store)
			_, err := writer.Exec(context.Background(), "INSERT INTO notes VALUES (1)")
			wantFatal(t, err, "57P01", "57P03") // the second while the server finds out who it was
			wantFailed(t, running)
			_, err = reader.Exec(context.Background(), "SELECT * FROM notes")
			wantFatal(t, err, "57P01")
			_ = running.Shutdown(context.Background())
		})
	}
}

// takeLake opens the lake of a store for writing.
func takeLake(t *testing.T, location string) {
	t.Helper()
	other, err := engine.Open(context.Background(), location, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opened, err := other.Open(context.Background(), store.Path{Database: "moraine", Schema: "public"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(opened.Close(), other.Close()); err != nil {
			t.Error(err)
		}
	})
}

func TestFencedServerSaysByWhom(t *testing.T) {
	config := shared(t)
	log := &lockedBuffer{}
	config.Logger = zerolog.New(log)
	first := start(t, config)
	go func() {
		<-first.Failed()
		_ = first.Shutdown(context.Background())
	}()
	second := start(t, config)
	defer stop(t, second)
	wanted := []string{"taking the store over", "this server is fenced", second.Address(), first.Address()}
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		missing := ""
		for _, text := range wanted {
			if !strings.Contains(log.String(), text) {
				missing = text
			}
		}
		if missing == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the log does not say %q:\n%s", missing, log)
		}
	}
}
