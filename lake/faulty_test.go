package lake

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"moraine/store"
)

const errNoSpace = syscall.ENOSPC

// faultyEngine lets commits fail on demand, and counts open snapshots.
type faultyEngine struct {
	store.Engine
	mutex   sync.Mutex
	failure error
	panics  atomic.Bool
	// applies lets commits that fail be in the store nevertheless.
	applies atomic.Bool
	// readPanics lets reads of single keys panic.
	readPanics atomic.Bool
	snapshots  atomic.Int64
	gate       *gate // nil when commits are not held up
	flushes    atomic.Int64
	// fails says what is to become of a flush, by its number; nil when all go on.
	fails func(flush int64) error
}

// gate holds commits up until they are told what is to become of them.
type gate struct {
	arrived chan struct{}
	answers chan error
	opened  chan struct{}
}

// hold lets commits wait for answers from now on, or lets them all go on.
func (e *faultyEngine) hold(held bool) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	switch {
	case held:
		e.gate = &gate{arrived: make(chan struct{}, 100), answers: make(chan error), opened: make(chan struct{})}
	case e.gate != nil:
		close(e.gate.opened)
		e.gate = nil
	}
}

// awaitFlush returns once a commit waits for its answer.
func (e *faultyEngine) awaitFlush(t *testing.T) {
	t.Helper()
	select {
	case <-e.gate.arrived:
	case <-time.After(time.Minute):
		t.Fatal("no commit reaches the store")
	}
}

// answer lets the store answer the commit that waits, or answers it with a failure.
func (e *faultyEngine) answer(failure error) { e.gate.answers <- failure }

func (g *gate) pass() (failure error) {
	g.arrived <- struct{}{}
	select {
	case failure = <-g.answers:
	case <-g.opened:
	}
	return failure
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
	flush := s.engine.flushes.Add(1)
	if s.engine.panics.Load() {
		panic("the store panics")
	}
	s.engine.mutex.Lock()
	failure, gate := s.engine.failure, s.engine.gate
	s.engine.mutex.Unlock()
	switch {
	case gate != nil:
		failure = gate.pass()
	case s.engine.fails != nil:
		failure = s.engine.fails(flush)
	}
	if failure != nil && s.engine.applies.Load() {
		return errors.Join(failure, s.Store.Commit(ctx, batch))
	}
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

func (s *countedSnapshot) Get(ctx context.Context, key []byte) ([]byte, bool, error) {
	if s.engine.readPanics.Load() {
		panic("the store panics")
	}
	return s.Snapshot.Get(ctx, key)
}

func (s *countedSnapshot) Close() error {
	s.engine.snapshots.Add(-1)
	return s.Snapshot.Close()
}
