package lake

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
	"moraine/store/pebble"
)

// ledger is what the sessions of the test below know to be committed: rows of table u, by id.
type ledger struct {
	mutex sync.Mutex
	rows  map[int64]bool
}

func (l *ledger) add(id int64) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.rows[id] = true
}

func (l *ledger) copy() map[int64]bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return maps.Clone(l.rows)
}

// TestGroupsUnderFailuresAndCrashes lets many sessions commit at once while the store refuses some flushes, and loses power
// now and then. A transaction adds 1 to an account that others want too, and a row of its own to another table; so in every
// state, also after a crash, the accounts hold as much as there are rows, and every acknowledged row is there.
func TestGroupsUnderFailuresAndCrashes(t *testing.T) {
	const accounts, sessions, commits, crashes, refused = 12, 12, 40, 5, 7
	disk := vfs.NewCrashableMem()
	opened, err := pebble.Open("data", pebble.Options{FileSystem: disk, CacheSize: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	engine := &faultyEngine{Engine: opened}
	instance, err := Open(background, engine, Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{T: t, instance: instance, engine: engine}
	f.createTable(integers("public", "t"))
	f.createTable(integers("public", "u", relation.Constraint{Name: "u_pkey", Kind: relation.PrimaryKey, Columns: []int{0}}))
	setup := f.connect().begin(relation.RepeatableRead)
	for id := range int64(accounts) {
		setup.insert("t", id, "0/0")
	}
	setup.commit()
	engine.fails = func(flush int64) error {
		time.Sleep(time.Millisecond) // as long as a disk takes, so that commits meet
		if flush%refused == 0 {
			return errRefused
		}
		return nil
	}

	known := &ledger{rows: map[int64]bool{}}
	var working sync.WaitGroup
	for session := range sessions {
		working.Go(func() {
			random := rand.New(rand.NewPCG(uint64(session), 0))
			for commit := range commits {
				id := int64(session*commits + commit)
				if addRow(t, instance, relation.Isolation(session%2), id, random.Int64N(accounts)) {
					known.add(id)
				}
			}
		})
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range crashes {
		acknowledged := known.copy()
		crashed := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: random.IntN(101), RNG: random})
		f.wantAfterCrash(crashed, acknowledged)
		wantWhole(t, instance, acknowledged, false)
	}
	working.Wait()
	wantWhole(t, instance, known.rows, true)
	f.wantAfterCrash(disk.CrashClone(vfs.CrashCloneCfg{}), known.rows)
	t.Logf("%d flushes for %d commits", engine.flushes.Load(), sessions*commits)
	setup.session.Close()
	instance.Close()
	if err := opened.Close(); err != nil {
		t.Error(err)
	}
}

// addRow commits one transaction, again when others came first; false when the store has refused it.
func addRow(t *testing.T, instance *Instance, isolation relation.Isolation, id, account int64) bool {
	for {
		err := inTransaction(instance, relation.TransactionOptions{Isolation: isolation}, func(transaction relation.Transaction) error {
			found, err := transaction.Relation(background, "public", "u")
			if err != nil {
				return err
			}
			if err := found.(relation.Writable).Insert(background, []relation.Row{{relation.Int(id), relation.Text("")}}); err != nil {
				return err
			}
			return addTo(transaction, account, 1)
		})
		switch {
		case err == nil:
			return true
		case pgerror.HasCode(err, pgerror.DiskFull):
			return false
		case !pgerror.HasCode(err, pgerror.SerializationFailure):
			t.Errorf("row %d: %v", id, err)
			return false
		}
	}
}

// wantAfterCrash opens what is left on a disk.
func (f *fixture) wantAfterCrash(disk *vfs.MemFS, acknowledged map[int64]bool) {
	f.Helper()
	engine, err := pebble.Open("data", pebble.Options{FileSystem: disk, CacheSize: 8 << 20})
	if err != nil {
		f.Fatal(err)
	}
	var instance *Instance
	if instance, err = Open(background, store.Engine(engine), Options{}); err != nil {
		f.Fatal(err)
	}
	wantWhole(f.T, instance, acknowledged, false)
	instance.Close()
	if err := engine.Close(); err != nil {
		f.Error(err)
	}
}

// wantWhole checks one state: it has the rows, with exact no others, and the accounts hold their number.
func wantWhole(t *testing.T, instance *Instance, rows map[int64]bool, exact bool) {
	t.Helper()
	found, sum := map[int64]bool{}, int64(0)
	err := inTransaction(instance, relation.TransactionOptions{Isolation: relation.RepeatableRead, ReadOnly: true}, func(transaction relation.Transaction) error {
		err := eachAccount(transaction, func(_ relation.Writable, _ relation.RowIdentity, row relation.Row) (bool, error) {
			var balance int64
			_, err := fmt.Sscanf(row[1].Text(), "%d", &balance)
			sum += balance
			return false, err
		})
		if err != nil {
			return err
		}
		return eachRowOf(transaction, "u", func(_ relation.Writable, _ relation.RowIdentity, row relation.Row) (bool, error) {
			if found[row[0].Int()] {
				t.Errorf("row %d is there twice", row[0].Int())
			}
			found[row[0].Int()] = true
			return false, nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if sum != int64(len(found)) {
		t.Errorf("the accounts hold %d, and there are %d rows", sum, len(found))
	}
	for id := range rows {
		if !found[id] {
			t.Errorf("row %d was acknowledged, and is gone", id)
		}
	}
	if exact && len(found) != len(rows) {
		t.Errorf("%d rows, and %d were acknowledged", len(found), len(rows))
	}
}
