package transfer

import (
	"context"

	"moraine/store"
)

// batchWriter writes to a lake in batches.
type batchWriter struct {
	lake  store.Store
	limit int // bytes of keys and values from which on a batch is written
	batch *store.Batch
	arena []byte // holds the keys and values of the batch
}

func newBatchWriter(lake store.Store, limit int) *batchWriter {
	return &batchWriter{lake: lake, limit: limit, batch: &store.Batch{}}
}

func (w *batchWriter) put(key, value []byte) { w.batch.Put(w.keep(key), w.keep(value)) }

func (w *batchWriter) delete(key []byte) { w.batch.Delete(w.keep(key)) }

// arenaSize is how many bytes are allocated at once for keys and values.
const arenaSize = 1 << 20

// keep copies bytes that are valid for a moment only.
func (w *batchWriter) keep(content []byte) []byte {
	if cap(w.arena)-len(w.arena) < len(content) {
		w.arena = make([]byte, 0, max(len(content), arenaSize))
	}
	start := len(w.arena)
	w.arena = append(w.arena, content...)
	return w.arena[start:len(w.arena):len(w.arena)]
}

// flushFull writes the batch when it is large enough.
func (w *batchWriter) flushFull(ctx context.Context) error {
	if w.batch.Size() < w.limit {
		return nil
	}
	return w.flush(ctx)
}

// flush writes the batch. Once it is on its way, ctx does not stop it.
func (w *batchWriter) flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	batch := w.batch
	w.batch, w.arena = &store.Batch{}, nil
	return w.lake.Commit(context.WithoutCancel(ctx), batch)
}
