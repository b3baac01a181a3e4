//go:build slatedb

package main

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"moraine/internal/golden"
	"moraine/server"
	"moraine/store"
)

// TestMigrateTakesAStoreFromItsServer migrates a lake of an object store that a server has open: the server ends. What has
// nothing to migrate keeps its server.
func TestMigrateTakesAStoreFromItsServer(t *testing.T) {
	ctx, directory, path := context.Background(), t.TempDir(), store.Path{Database: server.DefaultDatabase, Schema: "public"}
	golden.Unpack(t, filepath.Join(directory, path.Database, path.Schema))
	location := "file://" + directory
	running, connection := serveLocation(t, location)
	count := func() error { return connection.QueryRow(ctx, "SELECT count(*) FROM ducklake_table").Scan(new(int)) }
	if err := count(); err != nil {
		t.Fatal(err)
	}
	runCommand(t, exitSuccess, []string{"moraine.public: format 9\n"}, "migrate", "--store", location, "--dry-run")
	if err := count(); err != nil {
		t.Errorf("after looking at the lake: %v", err)
	}
	ended := endWhenFenced(running)
	runCommand(t, exitSuccess, []string{"moraine.public: migrated from format 9 to 12\n"}, "migrate", "--store", location)
	<-ended
	if err := count(); err == nil {
		t.Error("the server still answers")
	}
	golden.With(t, location, path, func(lake store.Store) { golden.Compare(t, golden.Dump(t, lake), golden.Migrated(t)) })

	running, connection = serveLocation(t, location)
	runCommand(t, exitSuccess, []string{"moraine.public: format 12 already\n"}, "migrate", "--store", location)
	if err := count(); err != nil {
		t.Errorf("after a migration that had nothing to do: %v", err)
	}
	connection.Close(ctx)
	if err := running.Shutdown(ctx); err != nil {
		t.Error(err)
	}
}

// TestCopyTakesTheTargetFromItsServer copies to a store that a server has: the server ends. When the target has everything, it
// keeps its server.
func TestCopyTakesTheTargetFromItsServer(t *testing.T) {
	ctx, source, location := context.Background(), goldenStore(t), "file://"+t.TempDir()
	running, connection := serveLocation(t, location)
	answers := func() error { return connection.QueryRow(ctx, "SELECT count(*) FROM pg_class").Scan(new(int)) }
	if err := answers(); err != nil {
		t.Fatal(err)
	}
	ended := endWhenFenced(running)
	runCommand(t, exitSuccess, []string{"lakes copied: 2, there already: 0;"}, "copy", "--from", source, "--to", location)
	<-ended
	if err := answers(); err == nil {
		t.Error("the server still answers")
	}

	running, connection = serveLocation(t, location)
	runCommand(t, exitSuccess, []string{"lakes copied: 0, there already: 2;"}, "copy", "--from", source, "--to", location)
	if err := answers(); err != nil {
		t.Errorf("after a copy that had nothing to do: %v", err)
	}
	connection.Close(ctx)
	if err := running.Shutdown(ctx); err != nil {
		t.Error(err)
	}
}

// endWhenFenced ends a server that fails, as its process does.
func endWhenFenced(running *server.Server) (ended chan struct{}) {
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		<-running.Failed()
		_ = running.Shutdown(context.Background()) // it says that it was fenced
	}()
	return ended
}

func serveLocation(t *testing.T, location string) (*server.Server, *pgx.Conn) {
	t.Helper()
	running, err := server.Start(context.Background(), server.Config{Listen: "127.0.0.1:0", Store: location})
	if err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(running.Address())
	if err != nil {
		t.Fatal(err)
	}
	connection, err := pgx.Connect(context.Background(), fmt.Sprintf("host=%s port=%s user=moraine dbname=moraine", host, port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close(context.Background()) })
	return running, connection
}
