//go:build slatedb

package faults

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"moraine/check"
	"moraine/internal/golden"
	"moraine/migrate"
	"moraine/store"
	"moraine/store/engine"
	"moraine/store/memory"
	"moraine/store/storetest/bucket"
)

// migrationSteps is how many records a step of the interrupted migration takes: there are several steps.
const migrationSteps = 4

var migratedPath = store.Path{Database: "moraine", Schema: "public"}

// dieInMigration lets the migration of the original's store die, and ends it by another process.
func dieInMigration(t *testing.T) {
	prepared := originalStore(t)
	for _, moment := range moments {
		trials(t, moment, prepared, func(t *trial) bool {
			migrating := newProcess(t.T, t.content)
			migrating.endpoint.Use(t.T)
			completed := t.dying(migrating, func() error { return migrateLake(nil) })
			t.proveMigration(completed)
			return completed
		})
	}
}

// originalStore gives a bucket with the store that the original wrote, in format 9.
func originalStore(t *testing.T) *bucket.Bucket {
	t.Helper()
	directory, content := t.TempDir(), bucket.New(t)
	golden.Unpack(t, directory)
	prefix := "store/" + migratedPath.Database + "/" + migratedPath.Schema + "/"
	err := filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(directory, path)
		if err != nil {
			return err
		}
		content.Put(t, prefix+filepath.ToSlash(relative), raw)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// migrateLake migrates the lake as `moraine migrate` does; then it may look at it.
func migrateLake(look func(lake store.Store) error) (err error) {
	ctx := context.Background()
	opened, err := engine.Open(ctx, location, engine.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	lake, err := opened.Open(ctx, migratedPath)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lake.Close()) }()
	if _, err := migrate.Run(ctx, lake, migrate.Options{StepRecords: migrationSteps}); err != nil || look == nil {
		return err
	}
	return look(lake)
}

// proveMigration opens the lake by a server, which refuses it when it is under way; ends the migration; and compares the
// records with those that it must make.
func (t *trial) proveMigration(completed bool) {
	t.Helper()
	before := running(t.T, t.content)
	switch err := execute(before.connect(), "SELECT count(*) FROM ducklake_snapshot"); {
	case err != nil && completed:
		t.Errorf("the migrated lake is not served: %v", err)
	case err != nil && !strings.Contains(err.Error(), "migrat"):
		t.Errorf("a lake whose migration is under way is refused without saying so: %v", err)
	}
	before.stop()

	sound := memory.NewStore()
	golden.Fill(t.T, sound, golden.Migrated(t.T))
	want, err := findings(t.Context(), sound) // the original wrote sums of its own
	if err != nil {
		t.Fatal(err)
	}
	t.content.Connect(t.T).Use(t.T)
	err = migrateLake(func(lake store.Store) error {
		golden.Compare(t.T, golden.Dump(t.T, lake), golden.Migrated(t.T))
		found, err := findings(t.Context(), lake)
		if fmt.Sprint(found) != fmt.Sprint(want) {
			t.Errorf("check finds %v, expected are %v", found, want)
		}
		return err
	})
	if err != nil {
		t.Errorf("the migration does not go on: %v", err)
	}
	after := running(t.T, t.content)
	after.execute(after.connect(), "SELECT count(*) FROM ducklake_snapshot")
	after.stop()
}

// findings checks a lake.
func findings(ctx context.Context, lake store.Store) (found []string, err error) {
	snapshot, err := lake.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snapshot.Close()
	checked, err := check.Run(ctx, snapshot)
	for _, finding := range checked {
		found = append(found, finding.Rule.Name+": "+finding.Found)
	}
	return found, err
}
