package lake

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"moraine/ducklake"
	"moraine/overlay"
	"moraine/pgerror"
	"moraine/store"
	"moraine/usertable"
)

// catalog is a domain's part of an open lake.
type catalog interface {
	Begin(environment overlay.Environment) overlay.Domain
}

// openers open the domains of a lake, in the order in which they are asked for a name.
var openers = []func(ctx context.Context, reader store.Reader, path store.Path) (catalog, error){
	func(ctx context.Context, reader store.Reader, path store.Path) (catalog, error) {
		return ducklake.Open(ctx, reader, path)
	},
	func(ctx context.Context, reader store.Reader, path store.Path) (catalog, error) {
		return usertable.Open(ctx, reader, path.Schema)
	},
}

// lake is an open lake.
type lake struct {
	schema   string
	store    store.Store
	catalogs []catalog

	commits commitQueue

	mutex     sync.Mutex
	published *snapshot // nil once closed
	history   history
	// ended says why the lake takes no more commits.
	ended error
	// reopens tells that the next transaction must open the lake again.
	reopens atomic.Bool

	following *following // nil where this server writes

	references int       // the transactions that use it; guarded by database.mutex
	lastUsed   time.Time // guarded by database.mutex
}

// openLake opens the domains of a store, which belongs to the lake afterwards.
func openLake(ctx context.Context, path store.Path, opened store.Store) (*lake, error) {
	pinned, err := opened.Snapshot()
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	result := &lake{schema: path.Schema, store: opened, history: newHistory(), lastUsed: time.Now()}
	first := reading{pinned, result}
	result.published = &snapshot{Snapshot: first, references: 1}
	if err := checkComplete(ctx, first); err != nil {
		return nil, errors.Join(err, first.Close(), opened.Close())
	}
	for _, open := range openers {
		catalog, err := open(ctx, first, path)
		if err != nil {
			return nil, errors.Join(err, first.Close(), opened.Close())
		}
		result.catalogs = append(result.catalogs, catalog)
	}
	return result, nil
}

// end refuses commits from now on; the first reason stays.
func (l *lake) end(reason error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.ended == nil {
		l.ended = reason
	}
}

// endForReopening refuses commits, and lets the next transaction open the lake again.
func (l *lake) endForReopening() {
	l.end(toBeReopened(l.schema))
	l.reopens.Store(true)
}

// writable gives the reason why the lake takes no commits, nil when it does.
func (l *lake) writable() error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return copied(l.ended)
}

// close gives up the store. Snapshots that are pinned stay readable.
func (l *lake) close() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.published == nil {
		return
	}
	l.dereference(l.published)
	l.published = nil
	if l.following != nil {
		l.following.stop() // its goroutine closes the store
		return
	}
	_ = l.store.Close() // it flushes nothing
}

func droppedSchema(schema string) error {
	return pgerror.New(pgerror.InvalidSchemaName, "schema %q was dropped by another session", schema)
}
