package lake

import (
	"context"

	"moraine/store"
)

// reading is a state of a store whose failures are errors for clients.
type reading struct{ store.Snapshot }

// Get gives the value of a key.
func (r reading) Get(ctx context.Context, key []byte) (value []byte, found bool, err error) {
	value, found, err = r.Snapshot.Get(ctx, key)
	return value, found, storeError(err)
}

// Scan iterates over a range of keys.
func (r reading) Scan(ctx context.Context, lower, upper []byte) (store.Iterator, error) {
	iterator, err := r.Snapshot.Scan(ctx, lower, upper)
	if err != nil {
		return nil, storeError(err)
	}
	return &scanning{iterator}, nil
}

// scanning is an iteration of a reading.
type scanning struct{ store.Iterator }

// Err gives the error that ended the iteration, or nil.
func (s *scanning) Err() error { return storeError(s.Iterator.Err()) }
