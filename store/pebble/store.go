package pebble

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	pebbledb "github.com/cockroachdb/pebble/v2"

	"moraine/store"
)

// lakeStore is a lake in the engine: its keys behind its number.
type lakeStore struct {
	engine *Engine
	lake   *lake
	prefix [numberSize]byte
	closed atomic.Bool
}

// Snapshot pins the present state.
func (s *lakeStore) Snapshot() (store.Snapshot, error) {
	s.lake.mutex.RLock()
	defer s.lake.mutex.RUnlock()
	if s.closed.Load() {
		return nil, store.ErrClosed
	}
	if s.lake.dropped {
		return nil, store.ErrNotFound
	}
	return &snapshot{pebble: s.engine.db.NewSnapshot(), prefix: s.prefix}, nil
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
	s.lake.mutex.RLock()
	defer s.lake.mutex.RUnlock()
	if s.closed.Load() {
		return fmt.Errorf("%w: %w", store.ErrNotApplied, store.ErrClosed)
	}
	if s.lake.dropped {
		return fmt.Errorf("%w: %w", store.ErrNotApplied, store.ErrNotFound)
	}
	return s.engine.apply(ctx, s.translateBatch(batch))
}

func (s *lakeStore) translateBatch(batch *store.Batch) *pebbledb.Batch {
	const overhead = numberSize + 8 // the kind, and two lengths
	result := s.engine.db.NewBatchWithSize(batch.Size() + overhead*batch.Len())
	for _, operation := range batch.Operations() {
		if operation.Delete {
			deferred := result.DeleteDeferred(numberSize + len(operation.Key))
			s.putKey(deferred.Key, operation.Key)
			_ = deferred.Finish() // never fails on a batch without index
			continue
		}
		deferred := result.SetDeferred(numberSize+len(operation.Key), len(operation.Value))
		s.putKey(deferred.Key, operation.Key)
		copy(deferred.Value, operation.Value)
		_ = deferred.Finish()
	}
	return result
}

func (s *lakeStore) putKey(to, key []byte) {
	copy(to, s.prefix[:])
	copy(to[numberSize:], key)
}

// Close gives the store up.
func (s *lakeStore) Close() error {
	s.closed.Store(true)
	return nil
}

// snapshot is a Pebble snapshot seen from one lake. An iterator stays usable after it is closed, as Pebble's do.
type snapshot struct {
	pebble *pebbledb.Snapshot
	prefix [numberSize]byte
	closed atomic.Bool
}

// Get gives the value of a key.
func (s *snapshot) Get(_ context.Context, key []byte) ([]byte, bool, error) {
	if s.closed.Load() {
		return nil, false, store.ErrClosed
	}
	stored := make([]byte, numberSize+len(key))
	copy(stored, s.prefix[:])
	copy(stored[numberSize:], key)
	value, closer, err := s.pebble.Get(stored)
	if errors.Is(err, pebbledb.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, translate(err)
	}
	owned := make([]byte, len(value))
	copy(owned, value)
	return owned, true, translate(closer.Close())
}

// Scan iterates over a range.
func (s *snapshot) Scan(_ context.Context, lower, upper []byte) (store.Iterator, error) {
	if s.closed.Load() {
		return nil, store.ErrClosed
	}
	bounds := make([]byte, 0, 2*numberSize+len(lower)+len(upper))
	bounds = append(append(bounds, s.prefix[:]...), lower...)
	split := len(bounds)
	if upper == nil {
		bounds = binary.BigEndian.AppendUint64(bounds, binary.BigEndian.Uint64(s.prefix[:])+1)
	} else {
		bounds = append(append(bounds, s.prefix[:]...), upper...)
	}
	options := &pebbledb.IterOptions{LowerBound: bounds[:split:split], UpperBound: bounds[split:]}
	pebble, err := s.pebble.NewIter(options)
	if err != nil {
		return nil, translate(err)
	}
	return &iterator{pebble: pebble, prefix: s.prefix}, nil
}

// Close releases the snapshot.
func (s *snapshot) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	return translate(s.pebble.Close())
}

// iterator walks over keys of one lake and hides its number.
type iterator struct {
	pebble  *pebbledb.Iterator
	prefix  [numberSize]byte
	started bool
	seek    []byte
}

// Next moves to the next pair.
func (i *iterator) Next() bool {
	if !i.started {
		i.started = true
		return i.pebble.First()
	}
	return i.pebble.Next()
}

// SeekGE moves to the first pair at or after key.
func (i *iterator) SeekGE(key []byte) bool {
	i.started = true
	i.seek = append(append(i.seek[:0], i.prefix[:]...), key...)
	return i.pebble.SeekGE(i.seek)
}

// Key gives the current key.
func (i *iterator) Key() []byte { return i.pebble.Key()[numberSize:] }

// Value gives the current value.
func (i *iterator) Value() []byte { return i.pebble.Value() }

// Err gives the error that ended the iteration.
func (i *iterator) Err() error { return translate(i.pebble.Error()) }

// Close ends the iteration.
func (i *iterator) Close() error { return translate(i.pebble.Close()) }
