package memory

import (
	"context"
	"fmt"
	"sync"

	"moraine/store"
)

// Reader gives the lakes of the engine as a process beside its writer would have them: for reading only. Its stores are
// [store.Follower]s. Closing it leaves the engine open.
func (e *Engine) Reader() store.Engine { return &reader{writer: e} }

type reader struct{ writer *Engine }

// Create is refused.
func (r *reader) Create(context.Context, store.Path) error { return refused() }

// Drop is refused.
func (r *reader) Drop(context.Context, store.Path) error { return refused() }

// List gives all databases and lakes in order.
func (r *reader) List(ctx context.Context) ([]store.Path, error) { return r.writer.List(ctx) }

// Size gives the bytes of a lake or database.
func (r *reader) Size(ctx context.Context, path store.Path) (int64, error) {
	return r.writer.Size(ctx, path)
}

// Close does nothing.
func (r *reader) Close() error { return nil }

// Open gives a follower of a lake, in the lake's present state.
func (r *reader) Open(ctx context.Context, path store.Path) (store.Store, error) {
	opened, err := r.writer.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	f := &follower{lakeStore: opened.(*lakeStore)}
	if _, err := f.Refresh(ctx); err != nil {
		return nil, err
	}
	return f, nil
}

// follower shows the state that its last refresh has found.
type follower struct {
	*lakeStore
	mutex sync.Mutex
	state state
	count int // of the batches that led to it
}

var _ store.Follower = (*follower)(nil)

// Refresh takes the present state.
func (f *follower) Refresh(context.Context) (moved bool, err error) {
	f.lake.mutex.Lock()
	defer f.lake.mutex.Unlock()
	if f.closed.Load() {
		return false, store.ErrClosed
	}
	if f.lake.dropped {
		return false, store.ErrNotFound
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	moved = f.count != f.lake.count
	f.state, f.count = f.lake.state, f.lake.count
	return moved, nil
}

// Snapshot pins the state of the last refresh.
func (f *follower) Snapshot() (store.Snapshot, error) {
	if f.closed.Load() {
		return nil, store.ErrClosed
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return &snapshot{state: f.state}, nil
}

// Commit is refused.
func (f *follower) Commit(_ context.Context, batch *store.Batch) error {
	if batch.Len() == 0 {
		return nil
	}
	return refused()
}

func refused() error { return fmt.Errorf("%w: %w", store.ErrNotApplied, store.ErrReadOnly) }
