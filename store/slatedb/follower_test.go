//go:build slatedb

package slatedb_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"moraine/store"
	"moraine/store/slatedb"
	"moraine/store/storetest/bucket"
)

// counter is the key that says how many batches a state has.
const counter = "\x02count"

// history is what a writer has been acknowledged: the state after each batch.
type history struct {
	random *rand.Rand
	states []map[string]string
	filler string // makes the writer's memtable full now and then
}

func newHistory(seed uint64, fillerSize int) *history {
	return &history{
		random: rand.New(rand.NewPCG(seed, 1)), states: []map[string]string{{}}, filler: strings.Repeat("x", fillerSize),
	}
}

// commit writes a random batch of puts and deletes over a few segments.
func (h *history) commit(t *testing.T, lake store.Store) {
	t.Helper()
	next := maps.Clone(h.states[len(h.states)-1])
	batch := &store.Batch{}
	for range 1 + h.random.IntN(8) {
		key := fmt.Sprintf("%c%03d", 2+h.random.IntN(4), h.random.IntN(120))
		if h.random.IntN(3) == 0 {
			delete(next, key)
			batch.Delete([]byte(key))
			continue
		}
		next[key] = strconv.Itoa(h.random.Int())
		batch.Put([]byte(key), []byte(next[key]))
	}
	next["\x06filler"] = fmt.Sprint(len(h.states), h.filler)
	next[counter] = strconv.Itoa(len(h.states))
	batch.Put([]byte("\x06filler"), []byte(next["\x06filler"]))
	batch.Put([]byte(counter), []byte(next[counter]))
	noError(t, lake.Commit(background, batch))
	h.states = append(h.states, next)
}

// shown gives the number of the state that a snapshot shows, which must be one that was acknowledged, whole.
func (h *history) shown(t *testing.T, snapshot store.Snapshot) int {
	t.Helper()
	value, found, err := snapshot.Get(background, []byte(counter))
	noError(t, err)
	number := 0
	if found {
		number, err = strconv.Atoi(string(value))
		noError(t, err)
	}
	if number >= len(h.states) {
		t.Fatalf("state %d is shown, only %d were acknowledged", number, len(h.states)-1)
	}
	h.compare(t, snapshot, h.states[number])
	return number
}

func (h *history) compare(t *testing.T, snapshot store.Snapshot, want map[string]string) {
	t.Helper()
	keys := slices.Sorted(maps.Keys(want))
	iterator, err := snapshot.Scan(background, nil, nil)
	noError(t, err)
	defer iterator.Close()
	for _, key := range keys {
		if !iterator.Next() || string(iterator.Key()) != key || string(iterator.Value()) != want[key] {
			t.Fatalf("key %q: found %q, %v", key, iterator.Key(), iterator.Err())
		}
	}
	if iterator.Next() || iterator.Err() != nil {
		t.Fatalf("one more key: %q, %v", iterator.Key(), iterator.Err())
	}
	for range 5 {
		key := fmt.Sprintf("%c%03d", 2+h.random.IntN(4), h.random.IntN(120))
		value, found, err := snapshot.Get(background, []byte(key))
		if wanted, present := want[key]; err != nil || found != present || string(value) != wanted {
			t.Fatalf("get %q: %q, %v, %v", key, value, found, err)
		}
		h.seek(t, snapshot, keys, key)
	}
}

// seek walks over a range with a seek in between.
func (h *history) seek(t *testing.T, snapshot store.Snapshot, keys []string, lower string) {
	t.Helper()
	upper := lower[:1] + "110"
	iterator, err := snapshot.Scan(background, []byte(lower), []byte(upper))
	noError(t, err)
	defer iterator.Close()
	target := lower
	for range h.random.IntN(3) {
		if iterator.Next() {
			target = string(iterator.Key()) + "\x00"
		}
	}
	target = max(target, fmt.Sprintf("%c%03d", lower[0], h.random.IntN(120)))
	at, _ := slices.BinarySearch(keys, target)
	found := iterator.SeekGE([]byte(target))
	noError(t, iterator.Err())
	if wanted := at < len(keys) && keys[at] < upper && target < upper; found != wanted || found && string(iterator.Key()) != keys[at] {
		t.Fatalf("seek %q in [%q, %q): found %v %q", target, lower, upper, found, iterator.Key())
	}
}

// pinned is a snapshot that a follower has given, and the state that it showed then.
type pinned struct {
	store.Snapshot
	number int
}

// refresh refreshes a follower and pins what it shows then: the newest state.
func (h *history) refresh(t *testing.T, follower store.Follower) pinned {
	t.Helper()
	_, err := follower.Refresh(background)
	noError(t, err)
	snapshot, err := follower.Snapshot()
	noError(t, err)
	newest := len(h.states) - 1
	if number := h.shown(t, snapshot); number != newest {
		t.Fatalf("state %d is shown after a refresh, %d was acknowledged before", number, newest)
	}
	return pinned{snapshot, newest}
}

// TestFollowersShowAcknowledgedStates lets followers refresh at random beside a writer, which is replaced now and then, fills
// its memtable and compacts. What a follower shows is always a whole state that was acknowledged, not older than it was when the
// refresh began, and a pinned one stays as it is.
func TestFollowersShowAcknowledgedStates(t *testing.T) {
	onMedia(t, func(t *testing.T, url string) {
		path := store.Path{Database: "d", Schema: "s"}
		engine := openAt(t, url, slatedb.Options{})
		noError(t, engine.Create(background, store.Path{Database: "d"}))
		noError(t, engine.Create(background, path))
		lake, err := engine.Open(background, path)
		noError(t, err)
		h := newHistory(7, 500<<10)
		h.commit(t, lake)

		var followers []store.CostlyFollower
		for _, tail := range []int64{1, 4 << 20, 1 << 30} {
			reader := openAt(t, url, slatedb.Options{ReadOnly: true, TailSize: tail})
			opened, err := reader.Open(background, path)
			noError(t, err)
			followers = append(followers, opened.(store.CostlyFollower))
			t.Cleanup(func() {
				noError(t, opened.Close())
				noError(t, reader.Close())
			})
		}
		var pins []pinned
		for range 250 {
			switch h.random.IntN(8) {
			case 0, 1, 2, 3:
				h.commit(t, lake)
			case 4, 5, 6:
				pins = append(pins, h.refresh(t, followers[h.random.IntN(len(followers))]))
			case 7:
				if h.random.IntN(4) == 0 {
					// Another writer takes over; the first one need not even know.
					taking := openAt(t, url, slatedb.Options{})
					taken, err := taking.Open(background, path)
					noError(t, err)
					noError(t, lake.Close())
					noError(t, engine.Close())
					engine, lake = taking, taken
				}
				for len(pins) > 6 {
					at := h.random.IntN(len(pins))
					h.compare(t, pins[at], h.states[pins[at].number])
					noError(t, pins[at].Close())
					pins = slices.Delete(pins, at, at+1)
				}
			}
		}
		for _, pin := range pins {
			h.compare(t, pin, h.states[pin.number])
			noError(t, pin.Close())
		}
		for i, follower := range followers {
			t.Logf("follower %d: %+v after %d batches", i, follower.Cost(), len(h.states)-1)
		}
		noError(t, lake.Close())
		noError(t, engine.Close())
	})
}

func TestFollowersRefuseToWrite(t *testing.T) {
	onMedia(t, func(t *testing.T, url string) {
		lake := create(t, opened(t, url), public)
		noError(t, put(lake, "\x02a"))
		reader := openAt(t, url, slatedb.Options{ReadOnly: true})
		follower := open(t, reader, public)
		defer reader.Close()
		for what, err := range map[string]error{
			"commit": put(follower, "\x02b"),
			"create": reader.Create(background, store.Path{Database: "other"}),
			"drop":   reader.Drop(background, public),
		} {
			wantError(t, what, err, store.ErrReadOnly, store.ErrNotApplied)
		}
		noError(t, put(lake, "\x02c"))
		noError(t, follower.Close())
	})
}

// TestFollowersLoseADroppedLake drops a lake that is followed, and makes another one in its place.
func TestFollowersLoseADroppedLake(t *testing.T) {
	onMedia(t, func(t *testing.T, url string) {
		engine := opened(t, url)
		create(t, engine, store.Path{Database: public.Database, Schema: "other"})
		noError(t, engine.Create(background, public))
		lake, err := engine.Open(background, public)
		noError(t, err)
		noError(t, put(lake, "\x02a", "\x02b"))
		reader := openAt(t, url, slatedb.Options{ReadOnly: true})
		t.Cleanup(func() { noError(t, reader.Close()) })
		followed, err := reader.Open(background, public)
		noError(t, err)
		noError(t, lake.Close())
		noError(t, engine.Drop(background, public))
		listed, err := reader.List(background)
		noError(t, err)
		if slices.Contains(listed, public) {
			t.Errorf("the dropped lake is listed: %v", listed)
		}
		noError(t, engine.Create(background, public)) // which waits until the objects are gone
		remade := open(t, engine, public)
		for i := range 20 {
			noError(t, put(remade, fmt.Sprintf("\x02new %d", i)))
		}
		_, err = followed.(store.Follower).Refresh(background)
		wantError(t, "refresh of the dropped lake", err, store.ErrNotFound)
		_, err = followed.(store.Follower).Refresh(background)
		wantError(t, "once more", err, store.ErrNotFound)
		noError(t, followed.Close())
		again := open(t, reader, public)
		snapshot, err := again.Snapshot()
		noError(t, err)
		defer snapshot.Close()
		if _, found, err := snapshot.Get(background, []byte("\x02a")); found || err != nil {
			t.Errorf("a key of the dropped lake: %v, %v", found, err)
		}
		if _, found, err := snapshot.Get(background, []byte("\x02new 19")); !found || err != nil {
			t.Errorf("a key of the new lake: %v, %v", found, err)
		}
		_, err = reader.Open(background, store.Path{Database: public.Database, Schema: "none"})
		wantError(t, "open of no lake", err, store.ErrNotFound)
	})
}

// TestSnapshotsOutliveTheirFollower reads on after the follower was closed.
func TestSnapshotsOutliveTheirFollower(t *testing.T) {
	onMedia(t, func(t *testing.T, url string) {
		lake := create(t, opened(t, url), public)
		noError(t, put(lake, "\x02a", "\x03b"))
		reader := openAt(t, url, slatedb.Options{ReadOnly: true})
		followed, err := reader.Open(background, public)
		noError(t, err)
		snapshot, err := followed.Snapshot()
		noError(t, err)
		iterator, err := snapshot.Scan(background, nil, nil)
		noError(t, err)
		noError(t, followed.Close())
		if _, err := followed.Snapshot(); !errors.Is(err, store.ErrClosed) {
			t.Errorf("a snapshot of a closed follower: %v", err)
		}
		value, found, err := snapshot.Get(background, []byte("\x03b"))
		if err != nil || !found || !bytes.Equal(value, []byte("\x03b")) {
			t.Errorf("get %q, %v, %v", value, found, err)
		}
		noError(t, snapshot.Close())
		if first, second := iterator.Next(), iterator.Next(); !first || !second || iterator.Next() {
			t.Errorf("the iterator: %q, %v", iterator.Key(), iterator.Err())
		}
		noError(t, iterator.Close())
		noError(t, reader.Close())
	})
}

// TestFollowersWithoutTheRightToWrite refuses all writes of a reader: it follows without the checkpoints that it would
// make otherwise.
func TestFollowersWithoutTheRightToWrite(t *testing.T) {
	lakes := bucket.New(t)
	url := "s3://" + bucket.Name + "/some/prefix"
	lakes.Connect(t).Use(t)
	lake := create(t, opened(t, url), public)
	h := newHistory(3, 1<<20)
	h.commit(t, lake)

	endpoint := lakes.Connect(t)
	endpoint.Use(t)
	var refused atomic.Int64
	endpoint.Disturb(func(write bool) bucket.Fault {
		if write {
			refused.Add(1)
			return bucket.Fault{Status: http.StatusForbidden}
		}
		return bucket.Fault{}
	})
	reader := openAt(t, url, slatedb.Options{ReadOnly: true, TailSize: 1})
	t.Cleanup(func() { noError(t, reader.Close()) })
	follower := open(t, reader, public).(store.CostlyFollower)
	var pins []pinned
	for range 40 {
		h.commit(t, lake)
		pins = append(pins, h.refresh(t, follower))
	}
	// The writer's tables are written beside its commits.
	for deadline := time.Now().Add(time.Minute); follower.Cost().Bases < 2; time.Sleep(10 * time.Millisecond) {
		_, err := follower.Refresh(background)
		noError(t, err)
		if time.Now().After(deadline) {
			t.Fatalf("no newer tables: %+v", follower.Cost())
		}
	}
	for _, pin := range pins {
		h.compare(t, pin, h.states[pin.number])
		noError(t, pin.Close())
	}
	if refused.Load() == 0 {
		t.Error("no write was tried")
	}
}

// TestFollowersOnAFaultyBucket lets requests of a reader fail while it refreshes: it keeps the state that it has, and
// the next refresh that succeeds shows the newest.
func TestFollowersOnAFaultyBucket(t *testing.T) {
	lakes := bucket.New(t)
	url := "s3://" + bucket.Name + "/some/prefix"
	lakes.Connect(t).Use(t)
	lake := create(t, opened(t, url), public)
	h := newHistory(5, 1<<20)
	h.commit(t, lake)
	endpoint := lakes.Connect(t)
	endpoint.Use(t)
	reader := openAt(t, url, slatedb.Options{ReadOnly: true, TailSize: 1})
	t.Cleanup(func() { noError(t, reader.Close()) })
	follower := open(t, reader, public).(store.Follower)
	shown, failures := h.refresh(t, follower), 0
	var requests atomic.Int64
	for range 60 {
		h.commit(t, lake)
		endpoint.Disturb(func(write bool) bucket.Fault {
			if requests.Add(1)%13 == 0 && !write {
				return bucket.Fault{Status: http.StatusForbidden}
			}
			return bucket.Fault{}
		})
		_, err := follower.Refresh(background)
		endpoint.Disturb(nil)
		if err == nil {
			noError(t, shown.Close())
			shown = h.refresh(t, follower)
			continue
		}
		failures++
		wantError(t, "refresh", err, store.ErrUnavailable)
		snapshot, err := follower.Snapshot()
		noError(t, err)
		if number := h.shown(t, snapshot); number != shown.number {
			t.Errorf("state %d is shown after a failure, %d was before", number, shown.number)
		}
		noError(t, snapshot.Close())
	}
	noError(t, shown.Close())
	noError(t, h.refresh(t, follower).Close())
	if failures == 0 {
		t.Error("no refresh has failed")
	}
	t.Logf("%d of 60 refreshes failed", failures)
}
