package layered

import (
	"bytes"
	"context"
	"slices"

	"moraine/store"
)

// Reader is a state with batches over it. Add must not run beside another call; reads may run beside one another.
type Reader struct {
	base   store.Reader
	writes writes
}

var _ store.Reader = (*Reader)(nil)

// writes are operations in the order of their keys, one for each key.
type writes []store.Operation

// New shows a state as it is. The state must stay open as long as the reader is used.
func New(base store.Reader) *Reader { return &Reader{base: base} }

// Add puts a batch over what the reader shows. The keys and values stay the batch's, and must not change.
func (r *Reader) Add(batch *store.Batch) { r.writes = r.writes.with(batch.Operations()) }

// with merges operations, given in their order, into new writes.
func (w writes) with(operations []store.Operation) writes {
	sorted := slices.Clone(operations)
	slices.SortStableFunc(sorted, func(a, b store.Operation) int { return bytes.Compare(a.Key, b.Key) })
	merged := make(writes, 0, len(w)+len(sorted))
	rest := w
	for i, operation := range sorted {
		if i+1 < len(sorted) && bytes.Equal(sorted[i+1].Key, operation.Key) {
			continue // a later operation on the key wins
		}
		before, found := rest.search(operation.Key)
		merged = append(append(merged, rest[:before]...), operation)
		if rest = rest[before:]; found {
			rest = rest[1:]
		}
	}
	return append(merged, rest...)
}

// search gives the index of the first write at or after key, and whether it is of the key.
func (w writes) search(key []byte) (at int, found bool) {
	return slices.BinarySearchFunc(w, key, func(operation store.Operation, key []byte) int {
		return bytes.Compare(operation.Key, key)
	})
}

// Get gives the value of a key.
func (r *Reader) Get(ctx context.Context, key []byte) ([]byte, bool, error) {
	at, found := r.writes.search(key)
	switch {
	case !found:
		return r.base.Get(ctx, key)
	case r.writes[at].Delete:
		return nil, false, nil
	}
	return append([]byte{}, r.writes[at].Value...), true, nil
}

// Scan iterates over a range.
func (r *Reader) Scan(ctx context.Context, lower, upper []byte) (store.Iterator, error) {
	base, err := r.base.Scan(ctx, lower, upper)
	if err != nil {
		return nil, err
	}
	from, _ := r.writes.search(lower)
	to := len(r.writes)
	if upper != nil {
		to, _ = r.writes.search(upper)
	}
	if from >= to {
		return base, nil
	}
	return &iterator{base: base, writes: r.writes[from:to]}, nil
}
