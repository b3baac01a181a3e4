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
	"moraine/store/engine"
	"moraine/store/memory"
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

// TestAMigrationInADirectoryGoesOn does so in a directory that is closed and opened again.
func TestAMigrationInADirectoryGoesOn(t *testing.T) {
	killEverywhere(t, func() string {
		reopening := &reopening{location: t.TempDir()}
		lake, err := reopening.open()
		if err != nil {
			t.Fatal(err)
		}
		golden.Fill(t, lake, golden.Records(t))
		if err := reopening.close(); err != nil {
			t.Fatal(err)
		}
		return reopening.location
	})
}

// killEverywhere kills a migration of new stores at every commit, before and after it is applied.
func killEverywhere(t *testing.T, newStore func() (location string)) {
	t.Helper()
	for _, applied := range []bool{false, true} {
		killed := true
		for at := 1; killed; at++ {
			reopening := &reopening{location: newStore()}
			killed = killOnce(t, reopening.open, at, applied, 2)
			if err := reopening.close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// goldenPath is where a store has the lake.
var goldenPath = store.Path{Database: "lakes", Schema: "golden"}

// reopening is a store that is closed and opened again, as after a death.
type reopening struct {
	location string
	engine   store.Engine
	lake     store.Store
}

func (r *reopening) open() (store.Store, error) {
	if err := r.close(); err != nil {
		return nil, err
	}
	ctx := context.Background()
	var err error
	if r.engine, err = engine.Open(ctx, r.location, engine.Options{}); err != nil {
		return nil, err
	}
	for _, path := range []store.Path{{Database: goldenPath.Database}, goldenPath} {
		if err := r.engine.Create(ctx, path); err != nil && !errors.Is(err, store.ErrExists) {
			return nil, err
		}
	}
	r.lake, err = r.engine.Open(ctx, goldenPath)
	return r.lake, err
}

func (r *reopening) close() error {
	if r.engine == nil {
		return nil
	}
	err := errors.Join(r.lake.Close(), r.engine.Close())
	r.engine = nil
	return err
}

// killOnce runs a migration that dies at a commit, and again to the end; false when it ended before.
func killOnce(t *testing.T, open func() (store.Store, error), at int, applied bool, steps int) bool {
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
	_, err = ducklake.Open(context.Background(), snapshot, goldenPath)
	begun := len(plan.Units) > 0 && plan.Units[0].Begun
	if begun != pgerror.HasCode(err, pgerror.ObjectNotInPrerequisiteState) || !begun && err != nil {
		t.Errorf("under way: %t; opening the lake: %v", begun, err)
	}
}
