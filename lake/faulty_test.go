package lake

import (
	"context"
	"sync"
	"sync/atomic"
	"syscall"

	"moraine/store"
)

const errNoSpace = syscall.ENOSPC

// faultyEngine lets commits fail on demand, and counts open snapshots.
type faultyEngine struct {
	store.Engine
	mutex     sync.Mutex
	failure   error
	panics    atomic.Bool
	snapshots atomic.Int64
}

func (e *faultyEngine) fail(failure error) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.failure = failure
}

func (e *faultyEngine) Open(ctx context.Context, path store.Path) (store.Store, error) {
	opened, err := e.Engine.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return &faultyStore{Store: opened, engine: e}, nil
}

type faultyStore struct {
	store.Store
	engine *faultyEngine
}

func (s *faultyStore) Commit(ctx context.Context, batch *store.Batch) error {
	if s.engine.panics.Load() {
		panic("the store panics")
	}
	s.engine.mutex.Lock()
	failure := s.engine.failure
	s.engine.mutex.Unlock()
	if failure != nil {
		return failure
	}
	return s.Store.Commit(ctx, batch)
}

func (s *faultyStore) Snapshot() (store.Snapshot, error) {
	opened, err := s.Store.Snapshot()
	if err != nil {
		return nil, err
	}
	s.engine.snapshots.Add(1)
	return &countedSnapshot{Snapshot: opened, engine: s.engine}, nil
}

type countedSnapshot struct {
	store.Snapshot
	engine *faultyEngine
}

func (s *countedSnapshot) Close() error {
	s.engine.snapshots.Add(-1)
	return s.Snapshot.Close()
}
