//go:build slatedb

package slatedb

import (
	"bytes"
	"context"
	"sync"

	"moraine/store"
)

// The bytes of a scan's pages: the first ones are small, because many scans want little.
const (
	firstPageSize = 16 << 10
	maxPageSize   = 1 << 20
	pageGrowth    = 4
)

// owner is what snapshots and iterators are of: it stays open as long as they are.
type owner interface {
	// watch remembers what an error says about the owner, and gives it back.
	watch(err error) error
	retain()
	release()
}

// snapshot is a pinned state of a lake. An iterator stays usable after it is closed.
type snapshot struct {
	owner  owner
	native nativeSnapshot
	// mutex is held for reading while the snapshot is used.
	mutex  sync.RWMutex
	closed bool
}

// Get gives the value of a key.
func (s *snapshot) Get(_ context.Context, key []byte) ([]byte, bool, error) {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	if s.closed {
		return nil, false, store.ErrClosed
	}
	value, found, err := s.native.get(key)
	return value, found, s.owner.watch(err)
}

// Scan iterates over a range.
func (s *snapshot) Scan(_ context.Context, lower, upper []byte) (store.Iterator, error) {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	if s.closed {
		return nil, store.ErrClosed
	}
	if upper != nil && bytes.Compare(lower, upper) >= 0 {
		return &iterator{ended: true}, nil
	}
	native, err := s.native.scan(lower, upper)
	if err != nil {
		return nil, s.owner.watch(err)
	}
	s.owner.retain()
	return &iterator{owner: s.owner, native: native, lower: bytes.Clone(lower), upper: bytes.Clone(upper), pageSize: firstPageSize}, nil
}

// Close releases the snapshot.
func (s *snapshot) Close() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	err := s.native.close()
	s.owner.release()
	return err
}

// iterator walks over a range by pages. One of an empty range has no owner.
type iterator struct {
	owner        owner
	native       nativeScan
	lower, upper []byte

	page     []byte // the whole page, whose memory is used again
	rest     []byte // what of it comes after the current pair
	pageSize int
	ended    bool // nothing follows the page

	key, value []byte
	err        error
}

// Next moves to the next pair.
func (i *iterator) Next() bool {
	i.key, i.value = nil, nil
	if i.err != nil || len(i.rest) == 0 && !i.fetch() {
		return false
	}
	i.key, i.value, i.rest, i.err = cutPair(i.rest)
	return i.err == nil
}

// fetch gets the next page; false when there is none.
func (i *iterator) fetch() bool {
	if i.ended {
		return false
	}
	page, ended, err := i.native.next(i.page[:0], i.pageSize)
	if err != nil {
		i.err = i.owner.watch(err)
		return false
	}
	i.page, i.rest, i.ended = page, page, ended
	i.pageSize = min(i.pageSize*pageGrowth, maxPageSize)
	return len(page) > 0
}

// SeekGE moves to the first pair at or after key.
func (i *iterator) SeekGE(key []byte) bool {
	if i.key != nil && bytes.Compare(i.key, key) >= 0 {
		return true
	}
	for len(i.rest) > 0 {
		if !i.Next() {
			return false
		}
		if bytes.Compare(i.key, key) >= 0 {
			return true
		}
	}
	if i.ended || i.err != nil || i.upper != nil && bytes.Compare(key, i.upper) >= 0 {
		i.key, i.value, i.ended = nil, nil, true
		return false
	}
	if bytes.Compare(key, i.lower) < 0 {
		return i.Next()
	}
	if err := i.native.seek(key); err != nil {
		i.err = i.owner.watch(err)
		return false
	}
	i.pageSize = firstPageSize
	return i.Next()
}

// Key gives the current key.
func (i *iterator) Key() []byte { return i.key }

// Value gives the current value.
func (i *iterator) Value() []byte { return i.value }

// Err gives the error that ended the iteration.
func (i *iterator) Err() error { return i.err }

// Close ends the iteration.
func (i *iterator) Close() error {
	if i.owner == nil {
		return nil
	}
	err := i.native.close()
	i.owner.release()
	*i = iterator{ended: true}
	return err
}
