package layered_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"moraine/store"
	"moraine/store/layered"
	"moraine/store/memory"
)

var background = context.Background()

// TestShowsWhatTheBatchesWouldMake puts random batches over a random state, and writes the same into a store.
func TestShowsWhatTheBatchesWouldMake(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		written := memory.NewStore()
		commit(t, written, randomBatch(random, random.IntN(30)))
		base := snapshotOf(t, written)
		reader := layered.New(base)
		for range random.IntN(5) {
			batch := randomBatch(random, random.IntN(12))
			reader.Add(batch)
			commit(t, written, batch)
		}
		want := snapshotOf(t, written)
		for range 20 {
			lower, upper := randomKey(random), randomKey(random)
			if random.IntN(3) == 0 {
				upper = nil
			}
			moves := randomMoves(random)
			if got, want := walk(t, reader, lower, upper, moves), walk(t, want, lower, upper, moves); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, from %q to %q, moves %q:\n got %q\nwant %q", seed, lower, upper, moves, got, want)
			}
			gotValue, gotFound, err := reader.Get(background, lower)
			wantValue, wantFound, _ := want.Get(background, lower)
			if err != nil || gotFound != wantFound || string(gotValue) != string(wantValue) {
				t.Fatalf("seed %d, key %q: %q %v %v, want %q %v", seed, lower, gotValue, gotFound, err, wantValue, wantFound)
			}
		}
	}
}

func TestAValueBelongsToItsReader(t *testing.T) {
	reader := layered.New(snapshotOf(t, memory.NewStore()))
	batch := &store.Batch{}
	batch.Put([]byte("key"), []byte("value"))
	reader.Add(batch)
	value, _, _ := reader.Get(background, []byte("key"))
	value[0] = 'X'
	if again, _, _ := reader.Get(background, []byte("key")); string(again) != "value" {
		t.Errorf("value %q after a reader has changed its own", again)
	}
}

func TestAFailureOfTheStateEndsTheWalk(t *testing.T) {
	failure := errors.New("the medium failed")
	reader := layered.New(failing{failure})
	batch := &store.Batch{}
	batch.Put([]byte("b"), nil)
	reader.Add(batch)
	for _, move := range []func(store.Iterator) bool{
		store.Iterator.Next, func(i store.Iterator) bool { return i.SeekGE([]byte("a")) },
	} {
		iterator, err := reader.Scan(background, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if move(iterator) || !errors.Is(iterator.Err(), failure) {
			t.Errorf("a walk over a failed state goes on, error %v", iterator.Err())
		}
	}
	if _, _, err := reader.Get(background, []byte("a")); !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
}

// walk moves an iterator, by Next for an empty move and else by SeekGE, and gives what it shows.
func walk(t *testing.T, reader store.Reader, lower, upper []byte, moves []string) (shown []string) {
	t.Helper()
	iterator, err := reader.Scan(background, lower, upper)
	if err != nil {
		t.Fatal(err)
	}
	defer iterator.Close()
	current := ""
	for _, move := range moves {
		more := false
		switch {
		case move == "":
			more = iterator.Next()
		case move >= current:
			more = iterator.SeekGE([]byte(move))
		default:
			continue // SeekGE does not go back
		}
		if !more {
			break
		}
		current = string(iterator.Key())
		shown = append(shown, fmt.Sprintf("%s=%s", current, iterator.Value()))
	}
	if iterator.Err() != nil {
		t.Fatal(iterator.Err())
	}
	return shown
}

func randomMoves(random *rand.Rand) []string {
	moves := make([]string, 30)
	for i := range moves {
		if random.IntN(4) == 0 {
			moves[i] = string(randomKey(random))
		}
	}
	return moves
}

func randomKey(random *rand.Rand) []byte { return fmt.Appendf(nil, "%02d", random.IntN(40)) }

func randomBatch(random *rand.Rand, operations int) *store.Batch {
	batch := &store.Batch{}
	for range operations {
		if random.IntN(3) == 0 {
			batch.Delete(randomKey(random))
			continue
		}
		batch.Put(randomKey(random), fmt.Appendf(nil, "%d", random.Int()))
	}
	return batch
}

func commit(t *testing.T, to store.Store, batch *store.Batch) {
	t.Helper()
	if err := to.Commit(background, batch); err != nil {
		t.Fatal(err)
	}
}

func snapshotOf(t *testing.T, of store.Store) store.Snapshot {
	t.Helper()
	snapshot, err := of.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = snapshot.Close() })
	return snapshot
}

// failing is a state of which nothing can be read.
type failing struct{ err error }

func (f failing) Get(context.Context, []byte) ([]byte, bool, error) { return nil, false, f.err }

func (f failing) Scan(context.Context, []byte, []byte) (store.Iterator, error) {
	return failedIterator(f), nil
}

type failedIterator struct{ err error }

func (failedIterator) Next() bool         { return false }
func (failedIterator) SeekGE([]byte) bool { return false }
func (failedIterator) Key() []byte        { return nil }
func (failedIterator) Value() []byte      { return nil }
func (f failedIterator) Err() error       { return f.err }
func (failedIterator) Close() error       { return nil }
