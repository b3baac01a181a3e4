package lake

import (
	"context"

	"moraine/store"
)

// reading is a state of a store whose failures are errors for clients.
type reading struct {
	store.Snapshot
	lake *lake
}

// Get gives the value of a key.
func (r reading) Get(ctx context.Context, key []byte) (value []byte, found bool, err error) {
	value, found, err = r.Snapshot.Get(ctx, key)
	return value, found, r.lake.readError(err)
}

// Scan iterates over a range of keys.
func (r reading) Scan(ctx context.Context, lower, upper []byte) (store.Iterator, error) {
	iterator, err := r.Snapshot.Scan(ctx, lower, upper)
	if err != nil {
		return nil, r.lake.readError(err)
	}
	return &scanning{iterator, r.lake}, nil
}

// scanning is an iteration of a reading.
type scanning struct {
	store.Iterator
	lake *lake
}

// Err gives the error that ended the iteration, or nil.
func (s *scanning) Err() error { return s.lake.readError(s.Iterator.Err()) }

// readError turns an error into one for a client. An engine may close the states of a store that it has given up.
func (l *lake) readError(err error) error {
	if err != nil && l.reopens.Load() {
		return toBeReopened(l.schema)
	}
	return storeError(err)
}
