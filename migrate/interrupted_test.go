package migrate_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"moraine/ducklake"
	"moraine/internal/golden"
	"moraine/migrate"
	"moraine/pgerror"
	"moraine/store"
	"moraine/store/memory"
	"moraine/store/pebble"
)

var errKilled = errors.New("killed")

// failing ends at a commit, counted from 1: after it was applied, or before.
type failing struct {
	store.Store
	at      int
	applied bool
	commits int
}

func (f *failing) Commit(ctx context.Context, batch *store.Batch) error {
	f.commits++
	if f.commits != f.at {
		return f.Store.Commit(ctx, batch)
	}
	if f.applied {
		if err := f.Store.Commit(ctx, batch); err != nil {
			return err
		}
	}
	return errKilled
}

// reopened gives the store of a lake, as it is opened again after each death.
type reopened func() (store.Store, error)

// TestAMigrationThatWasKilledGoesOn kills a migration at every commit, before and after it is applied, and a second time
// in what follows. Whatever came in between, the records are the same in the end, and in between nobody serves the lake.
func TestAMigrationThatWasKilledGoesOn(t *testing.T) {
	for _, steps := range []int{1, 3, migrate.StepRecords} {
		for _, applied := range []bool{false, true} {
			t.Run(fmt.Sprintf("steps of %d, applied %t", steps, applied), func(t *testing.T) {
				for at := 1; ; at++ {
					lake := memory.NewStore()
					golden.Fill(t, lake, golden.Records(t))
					if !killOnce(t, func() (store.Store, error) { return lake, nil }, at, applied, steps) {
						break
					}
				}
			})
		}
	}
}

// TestAMigrationInPebbleGoesOn does so in a directory that is closed and opened again.
func TestAMigrationInPebbleGoesOn(t *testing.T) {
	for at := 1; ; at++ {
		folder, path := t.TempDir(), store.Path{Database: "lakes", Schema: "golden"}
		var engine store.Engine
		var lake store.Store
		open := func() (store.Store, error) {
			if engine != nil {
				if err := errors.Join(lake.Close(), engine.Close()); err != nil {
					return nil, err
				}
			}
			var err error
			if engine, err = pebble.Open(folder, pebble.Options{}); err != nil {
				return nil, err
			}
			for _, path := range []store.Path{{Database: path.Database}, path} {
				if err := engine.Create(context.Background(), path); err != nil && !errors.Is(err, store.ErrExists) {
					return nil, err
				}
			}
			lake, err = engine.Open(context.Background(), path)
			return lake, err
		}
		first, err := open()
		if err != nil {
			t.Fatal(err)
		}
		golden.Fill(t, first, golden.Records(t))
		killed := killOnce(t, open, at, at%2 == 0, 2)
		if err := errors.Join(lake.Close(), engine.Close()); err != nil {
			t.Fatal(err)
		}
		if !killed {
			break
		}
	}
}

// killOnce runs a migration that dies at a commit, and again to the end; false when it ended before.
func killOnce(t *testing.T, open reopened, at int, applied bool, steps int) bool {
	t.Helper()
	options := migrate.Options{StepRecords: steps}
	lake, err := open()
	if err != nil {
		t.Fatal(err)
	}
	_, err = run(&failing{Store: lake, at: at, applied: applied}, options)
	killed := errors.Is(err, errKilled)
	if err != nil && !killed {
		t.Fatal(err)
	}
	if lake, err = open(); err != nil {
		t.Fatal(err)
	}
	checkServed(t, lake)
	result, err := run(lake, options)
	if err != nil || result.To != 12 {
		t.Fatalf("killed at commit %d: %+v, %v", at, result, err)
	}
	golden.Compare(t, golden.Dump(t, lake), golden.Migrated(t))
	checkServed(t, lake)
	return killed
}

// checkServed opens the lake as a server does: it is refused when there is a marker, and served otherwise.
func checkServed(t *testing.T, lake store.Store) {
	t.Helper()
	snapshot, err := lake.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	plan, err := migrate.Inspect(context.Background(), snapshot)
	if err != nil {
		t.Fatal(err)
	}
	_, err = ducklake.Open(context.Background(), snapshot, store.Path{Database: "lakes", Schema: "golden"})
	begun := len(plan.Units) > 0 && plan.Units[0].Begun
	if begun != pgerror.HasCode(err, pgerror.ObjectNotInPrerequisiteState) || !begun && err != nil {
		t.Errorf("under way: %t; opening the lake: %v", begun, err)
	}
}
