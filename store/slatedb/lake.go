//go:build slatedb

package slatedb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"moraine/store"
)

// maxBatchSize is the most bytes of one batch: SlateDB holds it in memory, and writes it as one object.
const maxBatchSize = 512 << 20

// shared is an open SlateDB store. It is closed when nothing refers to it: no lake, no snapshot and no iterator.
type shared struct {
	engine *Engine
	path   store.Path
	native nativeLake
	// references is guarded by engine.mutex.
	references int
}

func (s *shared) retain() {
	s.engine.mutex.Lock()
	defer s.engine.mutex.Unlock()
	s.references++
}

// release gives a reference back. After the last one the store is closed, and removed when it was dropped.
func (s *shared) release() {
	e := s.engine
	e.mutex.Lock()
	if s.references--; s.references > 0 {
		e.mutex.Unlock()
		return
	}
	dropped := e.drops[s.path]
	if dropped != nil && dropped.shared == s {
		e.startRemoval(dropped)
	} else {
		dropped = nil
	}
	e.mutex.Unlock()
	if dropped == nil {
		s.close()
	}
}

func (s *shared) close() {
	if err := s.native.close(); err != nil {
		s.engine.options.Log("slatedb: closing %s: %v", folder(s.path), err)
	}
}

// lake is what one Create has made: a dropped lake and the one that follows it may share a SlateDB store.
type lake struct {
	shared *shared
	// stores and detached are guarded by shared.engine.mutex. A detached lake is no longer in the engine's list.
	stores   int
	detached bool
	// failed says that the lake must be opened again.
	failed atomic.Bool

	// mutex is held for reading by what must not overlap with the end of the lake.
	mutex sync.RWMutex
	// ended says why the lake takes nothing any more: it was dropped, or perhaps, or opened again, or its engine closed.
	ended error
}

func (l *lake) store() store.Store {
	l.shared.engine.mutex.Lock()
	defer l.shared.engine.mutex.Unlock()
	return l.storeLocked()
}

// storeLocked gives one more store; the engine's mutex is held.
func (l *lake) storeLocked() store.Store {
	l.stores++
	return &lakeStore{lake: l}
}

// storeClosed takes a store back. The last one closes the lake.
func (l *lake) storeClosed() {
	e := l.shared.engine
	e.mutex.Lock()
	l.stores--
	last := l.stores == 0 && !l.detached
	if last {
		l.detached = true
		delete(e.lakes, l.shared.path)
	}
	e.mutex.Unlock()
	if last {
		l.shared.release()
	}
}

// end takes the lake out of the engine's list, and tells whether the list's reference is to be given back. The mutexes of the
// engine and the lake are held.
func (l *lake) end(why error) bool {
	l.ended = why
	if l.detached {
		return false
	}
	l.detached = true
	delete(l.shared.engine.lakes, l.shared.path)
	return true
}

func (l *lake) retain()  { l.shared.retain() }
func (l *lake) release() { l.shared.release() }

// watch remembers what an error says about the lake, and gives it back.
func (l *lake) watch(err error) error {
	switch {
	case errors.Is(err, store.ErrFenced):
		e := l.shared.engine
		e.mutex.Lock()
		defer e.mutex.Unlock()
		e.fenced[l.shared.path] = true
	case errors.Is(err, store.ErrReopen):
		l.failed.Store(true)
	}
	return err
}

// lakeStore is one opening of a lake.
type lakeStore struct {
	lake *lake
	// mutex is held for reading while the store is used.
	mutex  sync.RWMutex
	closed bool
}

// Snapshot pins the newest durable state.
func (s *lakeStore) Snapshot() (store.Snapshot, error) {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	if s.closed {
		return nil, store.ErrClosed
	}
	s.lake.mutex.RLock()
	defer s.lake.mutex.RUnlock()
	if s.lake.ended != nil {
		return nil, s.lake.ended
	}
	native, err := s.lake.shared.native.snapshot()
	if err != nil {
		return nil, s.lake.watch(err)
	}
	s.lake.shared.retain()
	return &snapshot{owner: s.lake, native: native}, nil
}

// Commit applies a batch; ErrNotFound when the lake was dropped.
func (s *lakeStore) Commit(ctx context.Context, batch *store.Batch) error {
	if batch.Len() == 0 {
		return nil
	}
	if batch.Size() > maxBatchSize {
		return fmt.Errorf("%w: %w: a batch of %d bytes, at most %d are possible", store.ErrUnavailable, store.ErrNotApplied,
			batch.Size(), maxBatchSize)
	}
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	if s.closed {
		return fmt.Errorf("%w: %w", store.ErrNotApplied, store.ErrClosed)
	}
	s.lake.mutex.RLock()
	defer s.lake.mutex.RUnlock()
	if s.lake.ended != nil {
		return fmt.Errorf("%w: %w", store.ErrNotApplied, s.lake.ended)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", store.ErrNotApplied, err)
	}
	if err := s.lake.shared.engine.checkSpace(batch.Size()); err != nil {
		return err
	}
	return s.lake.watch(s.lake.shared.native.commit(batch))
}

// Close gives the store up.
func (s *lakeStore) Close() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.lake.storeClosed()
	return nil
}
