package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sort"
	"sync"
	"testing"

	"moraine/store"
)

// Reopen closes an engine and opens the same data again.
type Reopen func(t *testing.T, engine store.Engine) store.Engine

// Run runs the conformance test; open gives an empty engine. A nil reopen leaves out what must survive a restart.
func Run(t *testing.T, open func(t *testing.T) store.Engine, reopen Reopen) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, engine store.Engine)
	}{
		{"databases and lakes are created, listed and dropped", testRegistry},
		{"keys ascend in byte order within their bounds", testOrderAndBounds},
		{"SeekGE moves forward to a key or its successor", testSeek},
		{"a value belongs to its reader", testOwnership},
		{"a batch is applied in order", testBatchOrder},
		{"lakes do not see each other's keys", testIsolationOfLakes},
		{"a snapshot does not see later batches", testSnapshotIsolation},
		{"a snapshot survives the drop of its lake", testSnapshotSurvivesDrop},
		{"a dropped lake refuses batches and comes back empty", testRecreate},
		{"a batch is seen whole or not at all", testAtomicity},
		{"random batches give the state of a map", testRandomBatches},
		{"a cancelled commit is not applied", testCancelledCommit},
		{"a lake and its database have a size once something was written", testSize},
		{"closed stores and snapshots say so", testClosed},
	} {
		t.Run(test.name, func(t *testing.T) {
			engine := open(t)
			t.Cleanup(func() {
				if err := engine.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			})
			test.run(t, engine)
		})
	}
	if reopen != nil {
		t.Run("what was acknowledged is there after a restart", func(t *testing.T) { testReopen(t, open(t), reopen) })
	}
}

var (
	background = context.Background()
	database   = store.Path{Database: "moraine"}
	first      = store.Path{Database: "moraine", Schema: "public"}
	second     = store.Path{Database: "moraine", Schema: "second"}
)

func testRegistry(t *testing.T, engine store.Engine) {
	wantPaths(t, engine)
	wantError(t, "a lake without its database", engine.Create(background, first), store.ErrNotFound)
	for _, path := range []store.Path{database, second, first, {Database: "mor"}, {Database: "mor\x00", Schema: ""}, {Database: "mor\x00", Schema: "s"}} {
		noError(t, engine.Create(background, path))
		wantError(t, "create again", engine.Create(background, path), store.ErrExists)
	}
	wantPaths(t, engine, store.Path{Database: "mor"}, store.Path{Database: "mor\x00"}, store.Path{Database: "mor\x00", Schema: "s"},
		database, first, second)
	_, err := engine.Open(background, store.Path{Database: "moraine", Schema: "third"})
	wantError(t, "open an unknown lake", err, store.ErrNotFound)
	_, err = engine.Open(background, database)
	wantError(t, "open a database", err, store.ErrNotFound)

	noError(t, engine.Drop(background, second))
	wantError(t, "drop again", engine.Drop(background, second), store.ErrNotFound)
	noError(t, engine.Drop(background, database))
	wantPaths(t, engine, store.Path{Database: "mor"}, store.Path{Database: "mor\x00"}, store.Path{Database: "mor\x00", Schema: "s"})
	_, err = engine.Open(background, first)
	wantError(t, "open a lake of a dropped database", err, store.ErrNotFound)
}

func testOrderAndBounds(t *testing.T, engine store.Engine) {
	lake := createAndOpen(t, engine, first)
	keys := []string{"\x00", "\x00\x00", "a", "a\x00", "a\xff", "b", "\xff", "\xff\xff"}
	put(t, lake, reversed(keys)...)
	for _, test := range []struct {
		lower, upper string
		open         bool
		want         []string
	}{
		{lower: "", open: true, want: keys},
		{lower: "a", upper: "b", want: []string{"a", "a\x00", "a\xff"}},
		{lower: "a\x01", upper: "a\xff", want: nil},
		{lower: "a\x01", upper: "a\xff\x00", want: []string{"a\xff"}},
		{lower: "b", open: true, want: []string{"b", "\xff", "\xff\xff"}},
		{lower: "\xff", upper: "\xff\xff", want: []string{"\xff"}},
		{lower: "b", upper: "b", want: nil},
	} {
		upper := []byte(test.upper)
		if test.open {
			upper = nil
		}
		if got := scanKeys(t, lake, []byte(test.lower), upper); !reflect.DeepEqual(got, test.want) {
			t.Errorf("from %q to %q: %q, want %q", test.lower, upper, got, test.want)
		}
	}
}

func testSeek(t *testing.T, engine store.Engine) {
	lake := createAndOpen(t, engine, first)
	put(t, lake, "a", "c", "e", "g", "i")
	snapshot := openSnapshot(t, lake)
	iterator, err := snapshot.Scan(background, []byte("b"), []byte("h"))
	noError(t, err)
	defer func() { noError(t, iterator.Close()) }()
	for _, step := range []struct{ seek, want string }{
		{"a", "c"}, {"", "e"}, {"e", "e"}, {"f", "g"}, {"", ""},
	} {
		moved := false
		if step.seek == "" {
			moved = iterator.Next()
		} else {
			moved = iterator.SeekGE([]byte(step.seek))
		}
		if moved != (step.want != "") || moved && string(iterator.Key()) != step.want {
			t.Fatalf("step %+v: moved %v", step, moved)
		}
	}
	noError(t, iterator.Err())
	past, err := snapshot.Scan(background, nil, []byte("h"))
	noError(t, err)
	defer func() { noError(t, past.Close()) }()
	if past.SeekGE([]byte("i")) {
		t.Errorf("a seek past the upper bound found %q", past.Key())
	}
}

func testOwnership(t *testing.T, engine store.Engine) {
	lake := createAndOpen(t, engine, first)
	put(t, lake, "k")
	snapshot := openSnapshot(t, lake)
	value, found, err := snapshot.Get(background, []byte("k"))
	noError(t, err)
	if !found {
		t.Fatal("key not found")
	}
	for i := range value {
		value[i] = 'X'
	}
	again, _, err := snapshot.Get(background, []byte("k"))
	noError(t, err)
	if string(again) != valueOf("k") {
		t.Errorf("the stored value became %q", again)
	}
}

func testBatchOrder(t *testing.T, engine store.Engine) {
	lake := createAndOpen(t, engine, first)
	batch := &store.Batch{}
	batch.Put([]byte("a"), []byte("1"))
	batch.Put([]byte("b"), []byte("1"))
	batch.Put([]byte("a"), []byte("2"))
	batch.Delete([]byte("b"))
	batch.Delete([]byte("c"))
	batch.Put([]byte("c"), []byte{})
	noError(t, lake.Commit(background, batch))
	wantState(t, lake, map[string]string{"a": "2", "c": ""})
	noError(t, lake.Commit(background, &store.Batch{}))
	wantState(t, lake, map[string]string{"a": "2", "c": ""})
}

func testIsolationOfLakes(t *testing.T, engine store.Engine) {
	one, two := createAndOpen(t, engine, first), createAndOpen(t, engine, second)
	put(t, one, "\x00", "k", "\xff\xff\xff\xff\xff\xff\xff\xff\xff")
	wantState(t, two, map[string]string{})
	put(t, two, "other")
	noError(t, engine.Drop(background, second))
	if got := scanKeys(t, one, nil, nil); len(got) != 3 {
		t.Errorf("the lake has %q after another was dropped", got)
	}
}

func testSnapshotIsolation(t *testing.T, engine store.Engine) {
	lake := createAndOpen(t, engine, first)
	put(t, lake, "a", "b")
	snapshot := openSnapshot(t, lake)
	iterator, err := snapshot.Scan(background, nil, nil)
	noError(t, err)
	defer func() { noError(t, iterator.Close()) }()
	batch := &store.Batch{}
	batch.Delete([]byte("a"))
	batch.Put([]byte("b"), []byte("new"))
	batch.Put([]byte("c"), []byte("new"))
	noError(t, lake.Commit(background, batch))
	before := map[string]string{"a": valueOf("a"), "b": valueOf("b")}
	if got := stateOf(t, snapshot); !reflect.DeepEqual(got, before) {
		t.Errorf("the snapshot has %q", got)
	}
	if got := drain(t, iterator); !reflect.DeepEqual(got, before) {
		t.Errorf("the open iterator gave %q", got)
	}
	wantState(t, lake, map[string]string{"b": "new", "c": "new"})
}

func testSnapshotSurvivesDrop(t *testing.T, engine store.Engine) {
	lake := createAndOpen(t, engine, first)
	put(t, lake, "a", "b")
	snapshot := openSnapshot(t, lake)
	noError(t, engine.Drop(background, first))
	if got := stateOf(t, snapshot); len(got) != 2 {
		t.Errorf("after the drop the snapshot has %q", got)
	}
}

func testRecreate(t *testing.T, engine store.Engine) {
	old := createAndOpen(t, engine, first)
	put(t, old, "a")
	noError(t, engine.Drop(background, first))
	fresh := createAndOpen(t, engine, first)
	batch := &store.Batch{}
	batch.Put([]byte("late"), nil)
	err := old.Commit(background, batch)
	wantError(t, "commit to a dropped lake", err, store.ErrNotFound)
	wantError(t, "commit to a dropped lake", err, store.ErrNotApplied)
	_, err = old.Snapshot()
	wantError(t, "snapshot of a dropped lake", err, store.ErrNotFound)
	wantState(t, fresh, map[string]string{})
}

// testAtomicity has writers that each rewrite a group of keys in one batch, and readers that never find a mixed group.
func testAtomicity(t *testing.T, engine store.Engine) {
	const writers, commits, groupSize = 4, 25, 8
	lake := createAndOpen(t, engine, first)
	var writing, reading sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		reading.Go(func() {
			for {
				checkGroups(t, lake)
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for writer := range writers {
		writing.Go(func() {
			for commit := range commits {
				batch := &store.Batch{}
				for member := range groupSize {
					batch.Put(fmt.Appendf(nil, "%d/%d", writer, member), fmt.Appendf(nil, "%d", commit))
				}
				if err := lake.Commit(background, batch); err != nil {
					t.Errorf("commit: %v", err)
				}
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()
	if got := scanKeys(t, lake, nil, nil); len(got) != writers*groupSize {
		t.Errorf("%d keys, want %d", len(got), writers*groupSize)
	}
}

func checkGroups(t *testing.T, lake store.Store) {
	snapshot, err := lake.Snapshot()
	if err != nil {
		t.Errorf("snapshot: %v", err)
		return
	}
	values := map[byte]string{}
	for key, value := range stateOf(t, snapshot) {
		if other, seen := values[key[0]]; seen && other != value {
			t.Errorf("group %c has members of commits %s and %s", key[0], other, value)
		}
		values[key[0]] = value
	}
	if err := snapshot.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func testRandomBatches(t *testing.T, engine store.Engine) {
	lake := createAndOpen(t, engine, first)
	random := rand.New(rand.NewPCG(1, 2))
	want := map[string]string{}
	for round := range 50 {
		batch := &store.Batch{}
		for range random.IntN(20) {
			key := fmt.Sprintf("%02x", random.IntN(64))
			if random.IntN(3) == 0 {
				batch.Delete([]byte(key))
				delete(want, key)
				continue
			}
			value := fmt.Sprintf("%d of %d", random.IntN(1000), round)
			batch.Put([]byte(key), []byte(value))
			want[key] = value
		}
		noError(t, lake.Commit(background, batch))
		wantState(t, lake, want)
	}
}

func testCancelledCommit(t *testing.T, engine store.Engine) {
	lake := createAndOpen(t, engine, first)
	ctx, cancel := context.WithCancel(background)
	cancel()
	batch := &store.Batch{}
	batch.Put([]byte("a"), nil)
	err := lake.Commit(ctx, batch)
	wantError(t, "commit", err, context.Canceled)
	wantError(t, "commit", err, store.ErrNotApplied)
	wantState(t, lake, map[string]string{})
}

func testClosed(t *testing.T, engine store.Engine) {
	lake := createAndOpen(t, engine, first)
	snapshot, err := lake.Snapshot()
	noError(t, err)
	noError(t, snapshot.Close())
	_, _, err = snapshot.Get(background, []byte("a"))
	wantError(t, "get", err, store.ErrClosed)
	_, err = snapshot.Scan(background, nil, nil)
	wantError(t, "scan", err, store.ErrClosed)
	other, err := engine.Open(background, first)
	noError(t, err)
	noError(t, other.Close())
	_, err = other.Snapshot()
	wantError(t, "snapshot", err, store.ErrClosed)
	batch := &store.Batch{}
	batch.Put([]byte("a"), nil)
	wantError(t, "commit", other.Commit(background, batch), store.ErrClosed)
	wantState(t, lake, map[string]string{})
}

func testReopen(t *testing.T, engine store.Engine, reopen Reopen) {
	one, two := createAndOpen(t, engine, first), createAndOpen(t, engine, second)
	put(t, one, "a", "b")
	put(t, two, "gone")
	noError(t, one.Close())
	noError(t, two.Close())
	noError(t, engine.Drop(background, second))
	engine = reopen(t, engine)
	wantPaths(t, engine, database, first)
	one = mustOpen(t, engine, first)
	wantState(t, one, map[string]string{"a": valueOf("a"), "b": valueOf("b")})
	two = createAndOpen(t, engine, second)
	wantState(t, two, map[string]string{})
	put(t, two, "new")
	noError(t, one.Close())
	noError(t, two.Close())
	engine = reopen(t, engine)
	wantState(t, mustOpen(t, engine, second), map[string]string{"new": valueOf("new")})
	noError(t, engine.Close())
}

func createAndOpen(t *testing.T, engine store.Engine, path store.Path) store.Store {
	t.Helper()
	if err := engine.Create(background, store.Path{Database: path.Database}); err != nil && !errors.Is(err, store.ErrExists) {
		t.Fatal(err)
	}
	noError(t, engine.Create(background, path))
	return mustOpen(t, engine, path)
}

func mustOpen(t *testing.T, engine store.Engine, path store.Path) store.Store {
	t.Helper()
	lake, err := engine.Open(background, path)
	noError(t, err)
	return lake
}

// openSnapshot gives a snapshot that is closed at the end of the test, before its engine.
func openSnapshot(t *testing.T, lake store.Store) store.Snapshot {
	t.Helper()
	snapshot, err := lake.Snapshot()
	noError(t, err)
	t.Cleanup(func() { _ = snapshot.Close() })
	return snapshot
}

func put(t *testing.T, lake store.Store, keys ...string) {
	t.Helper()
	batch := &store.Batch{}
	for _, key := range keys {
		batch.Put([]byte(key), []byte(valueOf(key)))
	}
	noError(t, lake.Commit(background, batch))
}

func valueOf(key string) string { return "value of " + key }

func reversed(keys []string) []string {
	result := append([]string(nil), keys...)
	sort.Sort(sort.Reverse(sort.StringSlice(result)))
	return result
}

func scanKeys(t *testing.T, lake store.Store, lower, upper []byte) (keys []string) {
	t.Helper()
	snapshot, err := lake.Snapshot()
	noError(t, err)
	defer snapshot.Close()
	iterator, err := snapshot.Scan(background, lower, upper)
	noError(t, err)
	defer iterator.Close()
	for iterator.Next() {
		keys = append(keys, string(iterator.Key()))
	}
	noError(t, iterator.Err())
	return keys
}

func drain(t *testing.T, iterator store.Iterator) map[string]string {
	state := map[string]string{}
	for iterator.Next() {
		state[string(iterator.Key())] = string(iterator.Value())
	}
	if err := iterator.Err(); err != nil {
		t.Errorf("iterate: %v", err)
	}
	return state
}

// stateOf reads a snapshot by a scan and checks each pair by Get. It may be called from any goroutine.
func stateOf(t *testing.T, reader store.Reader) map[string]string {
	iterator, err := reader.Scan(background, nil, nil)
	if err != nil {
		t.Errorf("scan: %v", err)
		return nil
	}
	defer iterator.Close()
	state := drain(t, iterator)
	for key, want := range state {
		if value, found, err := reader.Get(background, []byte(key)); err != nil || !found || string(value) != want {
			t.Errorf("get %q: %q, %v, %v; the scan gave %q", key, value, found, err, want)
		}
	}
	return state
}

func wantState(t *testing.T, lake store.Store, want map[string]string) {
	t.Helper()
	snapshot, err := lake.Snapshot()
	noError(t, err)
	defer snapshot.Close()
	if got := stateOf(t, snapshot); !reflect.DeepEqual(got, want) {
		t.Fatalf("state %q, want %q", got, want)
	}
}

func wantPaths(t *testing.T, engine store.Engine, want ...store.Path) {
	t.Helper()
	got, err := engine.List(background)
	noError(t, err)
	if len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Fatalf("paths %q, want %q", got, want)
	}
}

func wantError(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("%s: error %v, want %v", what, err, want)
	}
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
