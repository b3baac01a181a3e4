package memory

import (
	"context"

	"moraine/store"
)

// Size gives the bytes of the keys and values of a lake, or of all lakes of a database.
func (e *Engine) Size(_ context.Context, path store.Path) (int64, error) {
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
		if other == path || path.Schema == "" && other.Database == path.Database {
			total += lake.size()
		}
	}
	return total, nil
}

func (l *lake) size() int64 {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	size := 0
	for _, pair := range l.state {
		size += len(pair.key) + len(pair.value)
	}
	return int64(size)
}
