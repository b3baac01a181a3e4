package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"moraine/internal/golden"
	"moraine/keyspace"
	"moraine/server"
	"moraine/store"
)

// runCommand runs a subcommand and looks at its exit status and at parts of what it prints.
func runCommand(t *testing.T, status int, parts []string, arguments ...string) {
	t.Helper()
	var output, log bytes.Buffer
	got := run(context.Background(), arguments, noEnvironment, &output, &log)
	printed := output.String() + log.String()
	if got != status {
		t.Errorf("%v: exit status %d, expected %d\n%s", arguments, got, status, printed)
	}
	for _, part := range parts {
		if !strings.Contains(printed, part) {
			t.Errorf("%v: %q is missing in\n%s", arguments, part, printed)
		}
	}
}

func TestMigrate(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "store")
	path := store.Path{Database: "lakes", Schema: "golden"}
	other := store.Path{Database: "lakes", Schema: "an.other"}
	golden.With(t, directory, path, func(lake store.Store) { golden.Fill(t, lake, golden.Records(t)) })
	golden.With(t, directory, other, func(store.Store) {})

	runCommand(t, exitSuccess, []string{
		"lakes.golden: format 9\n    format 9 to 11, directory of names: 7 records\n    format 11 to 12, directory of delete targets: 1 record\n",
		"lakes.\"an.other\": no catalog, nothing to migrate\n", "lakes: 2, to migrate: 1, failed: 0\n",
	}, "migrate", "--store", directory, "--dry-run")
	golden.With(t, directory, path, func(lake store.Store) { golden.Compare(t, golden.Dump(t, lake), golden.Records(t)) })

	runCommand(t, exitSuccess, []string{
		"lakes.golden: format 9 to 11, directory of names: 7 records done\n", "lakes.golden: migrated from format 9 to 12\n",
		"lakes: 1, migrated: 1, failed: 0\n",
	}, "migrate", "--store", directory, "--database", "lakes", "--schema", "golden")
	golden.With(t, directory, path, func(lake store.Store) { golden.Compare(t, golden.Dump(t, lake), golden.Migrated(t)) })

	runCommand(t, exitSuccess, []string{"lakes.golden: format 12 already\n", "migrated: 0"}, "migrate", "--store", directory)
	runCommand(t, exitUsage, []string{"there is no such lake"}, "migrate", "--store", directory, "--schema", "none")
	runCommand(t, exitUsage, []string{"there is no store at"}, "migrate", "--store", directory+"-none")
	if _, err := os.Stat(directory + "-none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the command has made a store: %v", err)
	}
}

// TestMigrateGoesOnWithOtherLakes damages one of two lakes.
func TestMigrateGoesOnWithOtherLakes(t *testing.T) {
	directory := t.TempDir()
	damaged := golden.Records(t)
	damaged[string(keyspace.TableEntity(3).Current().Bytes())] = "damage"
	golden.With(t, directory, store.Path{Database: "lakes", Schema: "a"}, func(lake store.Store) { golden.Fill(t, lake, damaged) })
	golden.With(t, directory, store.Path{Database: "lakes", Schema: "b"}, func(lake store.Store) { golden.Fill(t, lake, golden.Records(t)) })
	runCommand(t, exitFailure, []string{
		"moraine: lakes.a: record current/table(3) is corrupt", "lakes.b: migrated from format 9 to 12", "lakes: 2, migrated: 1, failed: 1",
	}, "migrate", "--store", directory)
}

// TestAServerRefusesALakeBeingMigrated starts a server on a store with a migration under way: the lake is refused, and the
// hint is the command that finishes it. A store that a server has open is not migrated.
func TestAServerRefusesALakeBeingMigrated(t *testing.T) {
	directory, path := t.TempDir(), store.Path{Database: server.DefaultDatabase, Schema: "public"}
	records := golden.Records(t)
	records[string(keyspace.MigrationKey().Bytes())] = string(keyspace.AppendMessage(nil, &keyspace.MigrationValue{FromFormat: 9, ToFormat: 11}))
	golden.With(t, directory, path, func(lake store.Store) { golden.Fill(t, lake, records) })
	_, err := askServer(t, directory, func() {
		runCommand(t, exitUsage, []string{"in use by another process", "stop the server first"}, "migrate", "--store", directory)
	})
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || refused.Code != "55000" ||
		!strings.Contains(refused.Hint, "moraine migrate --store STORE --database moraine --schema public") {
		t.Fatalf("the lake being migrated: %v", err)
	}
	words := strings.Fields(refused.Hint[strings.Index(refused.Hint, "migrate --store"):])
	words[2] = directory
	runCommand(t, exitSuccess, []string{"moraine.public: migrated from format 9 to 12"}, words...)
	if names, err := askServer(t, directory, func() {}); err != nil || names != 7 {
		t.Errorf("%d tables, %v", names, err)
	}
}

// askServer starts a server on a directory, counts the tables of its first lake, and stops it.
func askServer(t *testing.T, directory string, meanwhile func()) (count int, err error) {
	t.Helper()
	running, err := server.Start(context.Background(), server.Config{Listen: "127.0.0.1:0", Store: directory})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := running.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	meanwhile()
	host, port, err := net.SplitHostPort(running.Address())
	if err != nil {
		t.Fatal(err)
	}
	connection, err := pgx.Connect(context.Background(), fmt.Sprintf("host=%s port=%s user=moraine dbname=moraine", host, port))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(context.Background())
	err = connection.QueryRow(context.Background(), "SELECT count(*) FROM ducklake_table").Scan(&count)
	return count, err
}
