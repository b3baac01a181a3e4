package lease

import (
	"context"
	"errors"
	"fmt"

	"moraine/store"
)

// Guard gives an engine that changes and opens lakes only while the lease holds, and that ends the lease when another writer
// has taken one.
func (l *Lease) Guard(engine store.Engine) store.Engine {
	return &guardedEngine{Engine: engine, lease: l}
}

type guardedEngine struct {
	store.Engine
	lease *Lease
}

// guard runs what only the holder of the lease may do.
func (l *Lease) guard(do func() error) error {
	if err := l.Err(); err != nil {
		return fmt.Errorf("%w (%w)", err, store.ErrNotApplied)
	}
	return l.heed(do())
}

// heed ends the lease when the engine says that it was fenced.
func (l *Lease) heed(err error) error {
	if errors.Is(err, store.ErrFenced) {
		l.Fence(err)
		return fmt.Errorf("%w (%w)", l.Err(), err)
	}
	return err
}

func (e *guardedEngine) Create(ctx context.Context, path store.Path) error {
	return e.lease.guard(func() error { return e.Engine.Create(ctx, path) })
}

func (e *guardedEngine) Drop(ctx context.Context, path store.Path) error {
	return e.lease.guard(func() error { return e.Engine.Drop(ctx, path) })
}

func (e *guardedEngine) Open(ctx context.Context, path store.Path) (opened store.Store, err error) {
	err = e.lease.guard(func() (err error) {
		opened, err = e.Engine.Open(ctx, path)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := e.lease.Err(); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return &guardedStore{Store: opened, lease: e.lease}, nil
}

type guardedStore struct {
	store.Store
	lease *Lease
}

func (s *guardedStore) Snapshot() (store.Snapshot, error) {
	snapshot, err := s.Store.Snapshot()
	if err != nil {
		return nil, s.lease.heed(err)
	}
	return &guardedSnapshot{Snapshot: snapshot, lease: s.lease}, nil
}

func (s *guardedStore) Commit(ctx context.Context, batch *store.Batch) error {
	return s.lease.guard(func() error { return s.Store.Commit(ctx, batch) })
}

// guardedSnapshot heeds what reads say: an engine may notice first while it reads that another writer has taken the lake.
type guardedSnapshot struct {
	store.Snapshot
	lease *Lease
}

func (s *guardedSnapshot) Get(ctx context.Context, key []byte) (value []byte, found bool, err error) {
	value, found, err = s.Snapshot.Get(ctx, key)
	return value, found, s.lease.heed(err)
}

func (s *guardedSnapshot) Scan(ctx context.Context, lower, upper []byte) (store.Iterator, error) {
	iterator, err := s.Snapshot.Scan(ctx, lower, upper)
	if err != nil {
		return nil, s.lease.heed(err)
	}
	return &guardedIterator{Iterator: iterator, lease: s.lease}, nil
}

type guardedIterator struct {
	store.Iterator
	lease *Lease
}

func (i *guardedIterator) Err() error { return i.lease.heed(i.Iterator.Err()) }
