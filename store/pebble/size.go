package pebble

import (
	"context"

	pebbledb "github.com/cockroachdb/pebble/v2"

	"moraine/store"
)

// countedSize bounds, in bytes, how much of a lake is read to tell its size: Pebble's estimate knows only what has left the
// memtables, and so nothing of a small lake.
const countedSize = 1 << 20

// Size gives the bytes of a lake, or of all lakes of a database.
func (e *Engine) Size(ctx context.Context, path store.Path) (int64, error) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.closed {
		return 0, store.ErrClosed
	}
	if _, exists := e.lakes[path]; !exists {
		return 0, store.ErrNotFound
	}
	total := int64(0)
	for other, lake := range e.lakes {
		if other.Schema == "" || other != path && (path.Schema != "" || other.Database != path.Database) {
			continue
		}
		size, err := e.lakeSize(ctx, lake)
		if err != nil {
			return 0, err
		}
		total += size
	}
	return total, nil
}

func (e *Engine) lakeSize(ctx context.Context, lake *lake) (int64, error) {
	lower, upper := numberValue(lake.number), numberValue(lake.number+1)
	estimate, err := e.db.EstimateDiskUsage(lower, upper)
	if err != nil {
		return 0, translate(err)
	}
	counted, err := e.count(ctx, lower, upper)
	return max(int64(estimate), counted), err
}

// count adds up the keys and values of a range until they are countedSize.
func (e *Engine) count(ctx context.Context, lower, upper []byte) (counted int64, err error) {
	pairs, err := e.db.NewIterWithContext(ctx, &pebbledb.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		return 0, translate(err)
	}
	for valid := pairs.First(); valid && counted < countedSize; valid = pairs.Next() {
		counted += int64(len(pairs.Key()) + len(pairs.Value()))
	}
	return counted, translate(pairs.Close())
}
