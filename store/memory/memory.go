package memory

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"moraine/store"
)

// Engine holds lakes in memory. The zero value is not usable; see New.
type Engine struct {
	mutex  sync.Mutex
	lakes  map[store.Path]*lake
	closed bool
}

var _ store.Engine = (*Engine)(nil)

// New makes an engine without databases.
func New() *Engine { return &Engine{lakes: map[store.Path]*lake{}} }

// NewStore makes the store of one lake that belongs to no engine.
func NewStore() store.Store { return &lakeStore{lake: &lake{}} }

// lake is an immutable state, and the batches that follow one another onto it.
type lake struct {
	mutex   sync.Mutex
	state   state
	count   int // of the batches that led to the state
	dropped bool
}

// pair is a key with its value.
type pair struct{ key, value []byte }

// state is pairs in the order of their keys; it is never changed.
type state []pair

// Create makes a database or an empty lake.
func (e *Engine) Create(_ context.Context, path store.Path) error {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.closed {
		return store.ErrClosed
	}
	if _, exists := e.lakes[path]; exists {
		return store.ErrExists
	}
	if _, exists := e.lakes[store.Path{Database: path.Database}]; path.Database == "" || path.Schema != "" && !exists {
		return store.ErrNotFound
	}
	e.lakes[path] = &lake{}
	return nil
}

// Drop removes a lake, or a database with all its lakes.
func (e *Engine) Drop(_ context.Context, path store.Path) error {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.closed {
		return store.ErrClosed
	}
	if _, exists := e.lakes[path]; !exists {
		return store.ErrNotFound
	}
	for other, lake := range e.lakes {
		if other == path || path.Schema == "" && other.Database == path.Database {
			lake.drop()
			delete(e.lakes, other)
		}
	}
	return nil
}

func (l *lake) drop() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.dropped = true
}

// List gives all databases and lakes in order.
func (e *Engine) List(context.Context) ([]store.Path, error) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.closed {
		return nil, store.ErrClosed
	}
	return slices.SortedFunc(maps.Keys(e.lakes), store.Path.Compare), nil
}

// Open gives the store of a lake.
func (e *Engine) Open(_ context.Context, path store.Path) (store.Store, error) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.closed {
		return nil, store.ErrClosed
	}
	lake, exists := e.lakes[path]
	if !exists || path.Schema == "" {
		return nil, store.ErrNotFound
	}
	return &lakeStore{lake: lake}, nil
}

// Close makes the engine unusable; the lakes are gone with it.
func (e *Engine) Close() error {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.closed = true
	return nil
}

type lakeStore struct {
	lake   *lake
	closed atomic.Bool
}

// Snapshot gives the present state.
func (s *lakeStore) Snapshot() (store.Snapshot, error) {
	s.lake.mutex.Lock()
	defer s.lake.mutex.Unlock()
	if s.closed.Load() {
		return nil, store.ErrClosed
	}
	if s.lake.dropped {
		return nil, store.ErrNotFound
	}
	return &snapshot{state: s.lake.state}, nil
}

// Commit applies a batch.
func (s *lakeStore) Commit(ctx context.Context, batch *store.Batch) error {
	if batch.Len() == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", store.ErrNotApplied, err)
	}
	s.lake.mutex.Lock()
	defer s.lake.mutex.Unlock()
	if s.closed.Load() {
		return fmt.Errorf("%w: %w", store.ErrNotApplied, store.ErrClosed)
	}
	if s.lake.dropped {
		return fmt.Errorf("%w: %w", store.ErrNotApplied, store.ErrNotFound)
	}
	s.lake.state = s.lake.state.with(batch.Operations())
	s.lake.count++
	return nil
}

// Close gives the store up.
func (s *lakeStore) Close() error {
	s.closed.Store(true)
	return nil
}

// with merges operations into a new state.
func (s state) with(operations []store.Operation) state {
	sorted := slices.Clone(operations)
	slices.SortStableFunc(sorted, func(a, b store.Operation) int { return bytes.Compare(a.Key, b.Key) })
	merged := make(state, 0, len(s)+len(sorted))
	rest := s
	for i, operation := range sorted {
		if i+1 < len(sorted) && bytes.Equal(sorted[i+1].Key, operation.Key) {
			continue // a later operation on the key wins
		}
		before := rest.search(operation.Key)
		merged = append(merged, rest[:before]...)
		rest = rest[before:]
		if len(rest) > 0 && bytes.Equal(rest[0].key, operation.Key) {
			rest = rest[1:]
		}
		if !operation.Delete {
			merged = append(merged, pair{operation.Key, operation.Value})
		}
	}
	return append(merged, rest...)
}

// search gives the index of the first pair at or after key.
func (s state) search(key []byte) int {
	return sort.Search(len(s), func(i int) bool { return bytes.Compare(s[i].key, key) >= 0 })
}

type snapshot struct {
	state  state
	closed atomic.Bool
}

// Get gives the value of a key.
func (s *snapshot) Get(_ context.Context, key []byte) ([]byte, bool, error) {
	if s.closed.Load() {
		return nil, false, store.ErrClosed
	}
	at := s.state.search(key)
	if at == len(s.state) || !bytes.Equal(s.state[at].key, key) {
		return nil, false, nil
	}
	return append([]byte{}, s.state[at].value...), true, nil
}

// Scan iterates over a range.
func (s *snapshot) Scan(_ context.Context, lower, upper []byte) (store.Iterator, error) {
	if s.closed.Load() {
		return nil, store.ErrClosed
	}
	pairs := s.state[s.state.search(lower):]
	if upper != nil {
		pairs = pairs[:pairs.search(upper)]
	}
	return &iterator{pairs: pairs, at: -1}, nil
}

// Close releases the snapshot.
func (s *snapshot) Close() error {
	s.closed.Store(true)
	return nil
}

type iterator struct {
	pairs state
	at    int
}

// Next moves to the next pair.
func (i *iterator) Next() bool {
	if i.at < len(i.pairs) {
		i.at++
	}
	return i.at < len(i.pairs)
}

// SeekGE moves to the first pair at or after key.
func (i *iterator) SeekGE(key []byte) bool {
	start := max(i.at, 0)
	i.at = start + i.pairs[start:].search(key)
	return i.at < len(i.pairs)
}

// Key gives the current key.
func (i *iterator) Key() []byte { return i.pairs[i.at].key }

// Value gives the current value.
func (i *iterator) Value() []byte { return i.pairs[i.at].value }

// Err gives nil: memory does not fail.
func (i *iterator) Err() error { return nil }

// Close does nothing.
func (i *iterator) Close() error { return nil }
