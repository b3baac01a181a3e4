//go:build slatedb

package faults

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"moraine/server"
	"moraine/store"
	"moraine/store/engine"
	"moraine/store/storetest/bucket"
)

// storeVariable names a store of another server than the one in this process, whose credentials and endpoint the environment
// has: its folders of this test stay.
const storeVariable = "MORAINE_FAULTS_STORE"

// anyStore gives the store that the environment names, or a new bucket, and a name that nobody has used there.
func anyStore(t *testing.T) string {
	t.Helper()
	named := os.Getenv(storeVariable)
	if named == "" {
		bucket.New(t).Connect(t).Use(t)
	}
	return fmt.Sprintf("%s/faults-%d", cmp.Or(named, "s3://"+bucket.Name), time.Now().UnixNano())
}

// Of so many objects, each is written by so many clients at once that want it to be absent.
const (
	contendedObjects   = 40
	contendingClients  = 16
	contendingSessions = 2 // engines, each with its own connections
)

// TestOneOfManyWritesWins is what all fencing rests on: of the clients that write an object on the condition that it is absent,
// one succeeds.
func TestOneOfManyWritesWins(t *testing.T) {
	location := anyStore(t)
	var sessions []store.Objects
	for range contendingSessions {
		opened, err := engine.Open(t.Context(), location, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := opened.Close(); err != nil {
				t.Error(err)
			}
		}()
		sessions = append(sessions, opened.(store.Objects))
	}
	for object := range contendedObjects {
		name := fmt.Sprintf("contended/%d", object)
		var winners atomic.Int32
		var group sync.WaitGroup
		for client := range contendingClients {
			group.Go(func() {
				switch err := sessions[client%contendingSessions].PutObject(context.Background(), name, fmt.Append(nil, client), true); {
				case err == nil:
					winners.Add(1)
				case !errors.Is(err, store.ErrExists):
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		group.Wait()
		if count := winners.Load(); count != 1 {
			t.Errorf("%d of %d clients have written %s: this store cannot keep lakes", count, contendingClients, name)
		}
	}
}

// TestTakeoverOnAnyStore makes a lake, commits to it by many sessions, takes it over by another server, and checks it.
func TestTakeoverOnAnyStore(t *testing.T) {
	location := anyStore(t)
	current := &trial{T: t, files: map[string]int{}}
	begin := func() *process {
		p := &process{t: t, up: make(chan struct{}), dead: make(chan struct{})}
		running, err := server.Start(t.Context(), config(location))
		if err != nil {
			t.Fatal(err)
		}
		p.server, p.address, p.launched = running, running.Address(), true
		close(p.up)
		return p
	}
	first := begin()
	if err := genesis(t)(t.Context(), first.connect()); err != nil {
		t.Fatal(err)
	}
	fill(t, t.Context(), first.connect())
	current.load(first)
	second := begin()
	current.prove(second, nil)
	current.refused(execute(first.connect(), commitFiles("stale", 1)), "a commit of a writer that was fenced")
	first.stop()
	second.stop()
	third := begin()
	current.prove(third, nil)
	third.stop()
}
