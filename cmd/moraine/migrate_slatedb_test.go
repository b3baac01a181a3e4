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

// TestMigrateFencesAServer migrates a lake of an object store that a server has open: the server writes it no more.
func TestMigrateFencesAServer(t *testing.T) {
	ctx, directory, path := context.Background(), t.TempDir(), store.Path{Database: server.DefaultDatabase, Schema: "public"}
	golden.Unpack(t, filepath.Join(directory, path.Database, path.Schema))
	location := "file://" + directory
	running, err := server.Start(ctx, server.Config{Listen: "127.0.0.1:0", Store: location})
	if err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(running.Address())
	if err != nil {
		t.Fatal(err)
	}
	connection, err := pgx.Connect(ctx, fmt.Sprintf("host=%s port=%s user=moraine dbname=moraine", host, port))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(ctx)
	if _, err := connection.Exec(ctx, "SELECT * FROM ducklake_table"); err != nil {
		t.Fatal(err)
	}
	runCommand(t, exitSuccess, []string{"moraine.public: format 9\n"}, "migrate", "--store", location, "--dry-run")
	if _, err := connection.Exec(ctx, "SELECT * FROM ducklake_table"); err != nil {
		t.Errorf("after looking at the lake: %v", err)
	}
	runCommand(t, exitSuccess, []string{"moraine.public: migrated from format 9 to 12\n"}, "migrate", "--store", location)
	if _, err := connection.Exec(ctx, "INSERT INTO ducklake_metadata VALUES ('written', 'by whom', NULL, NULL)"); err == nil {
		t.Error("the server still writes the lake")
	}
	_ = running.Shutdown(ctx) // it says that it was fenced
	golden.With(t, location, path, func(lake store.Store) { golden.Compare(t, golden.Dump(t, lake), golden.Migrated(t)) })
}
