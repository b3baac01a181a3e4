//go:build slatedb

package slatedb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"moraine/store"
)

// Defaults of Options for engines that only read.
const (
	// DefaultCheckpointLifetime is how long the writer keeps the files of a state without hearing from its reader.
	DefaultCheckpointLifetime = 10 * time.Minute
	// DefaultTailSize is how many bytes of the log a follower keeps before it opens the writer's newer tables instead. As long as the
	// writer has none, it keeps all that the writer holds unflushed.
	DefaultTailSize = 32 << 20
	// refreshRequests is how many requests to the object store a refresh may take one after the other.
	refreshRequests = 6
)

// openFollower gives a store that reads beside its writer. Drops are marks that a follower does not see: it opens no lake
// that is marked, and hears of a later drop when the objects are gone.
func (e *Engine) openFollower(_ context.Context, path store.Path) (store.Store, error) {
	switch exists, err := e.lakeExists(path); {
	case err != nil:
		return nil, err
	case !exists:
		return nil, store.ErrNotFound
	}
	native, err := e.native.openFollower(folder(path), e.options)
	if err != nil {
		return nil, gone(err)
	}
	return &follower{engine: e, path: path, native: native, references: 1}, nil
}

// gone makes of a lake without objects one that is not there.
func gone(err error) error {
	if errors.Is(err, errNoObject) {
		return fmt.Errorf("%w: %w", store.ErrNotFound, err)
	}
	return err
}

// follower reads a lake beside its writer. It is a store.CostlyFollower.
type follower struct {
	engine *Engine
	path   store.Path
	native nativeFollower

	// mutex is held for reading while the library is called.
	mutex  sync.RWMutex
	closed bool

	counting sync.Mutex
	// references are the open store, its snapshots and their iterators; after the last one the library's follower is closed.
	references int
}

var _ store.CostlyFollower = (*follower)(nil)

// Refresh looks for what writers have made durable since.
func (f *follower) Refresh(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	f.mutex.RLock()
	defer f.mutex.RUnlock()
	if f.closed {
		return false, store.ErrClosed
	}
	moved, err := f.native.refresh()
	return moved, gone(err)
}

// Snapshot pins the state of the last Refresh.
func (f *follower) Snapshot() (store.Snapshot, error) {
	f.mutex.RLock()
	defer f.mutex.RUnlock()
	if f.closed {
		return nil, store.ErrClosed
	}
	native, err := f.native.snapshot()
	if err != nil {
		return nil, err
	}
	f.retain()
	return &snapshot{owner: f, native: native}, nil
}

// Commit is refused.
func (f *follower) Commit(_ context.Context, batch *store.Batch) error {
	if batch.Len() == 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", store.ErrNotApplied, store.ErrReadOnly)
}

// Cost tells what following has taken.
func (f *follower) Cost() store.FollowCost {
	f.mutex.RLock()
	defer f.mutex.RUnlock()
	if f.closed {
		return store.FollowCost{}
	}
	return f.native.cost()
}

// Close gives the store up.
func (f *follower) Close() error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	f.release()
	return nil
}

func (f *follower) watch(err error) error { return err }

func (f *follower) retain() {
	f.counting.Lock()
	defer f.counting.Unlock()
	f.references++
}

func (f *follower) release() {
	f.counting.Lock()
	f.references--
	last := f.references == 0
	f.counting.Unlock()
	if !last {
		return
	}
	if err := f.native.close(); err != nil {
		f.engine.options.Log("slatedb: closing the reader of %s: %v", folder(f.path), err)
	}
}
