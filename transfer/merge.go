package transfer

import (
	"bytes"
	"context"
	"errors"

	"moraine/inspect"
	"moraine/store"
)

// progressInterval is the number of records between two reports of progress, which are looks at the context, too.
const progressInterval = 1 << 10

// cursor walks over the records of a lake, in the order of their keys, but for the mark and the format.
type cursor struct {
	store.Iterator
	valid bool
	err   error // that ended the walk
	// visit is given every record, also those that are left out.
	visit       func(key, value []byte)
	keys, bytes int64
}

func openCursor(ctx context.Context, reader store.Reader, visit func(key, value []byte)) (*cursor, error) {
	pairs, err := reader.Scan(ctx, nil, nil)
	if err != nil {
		return nil, err
	}
	c := &cursor{Iterator: pairs, visit: visit}
	c.advance()
	return c, nil
}

func (c *cursor) advance() {
	for c.valid = c.Next(); c.valid; c.valid = c.Next() {
		key, value := c.Key(), c.Value()
		c.keys++
		c.bytes += int64(len(key) + len(value))
		if c.visit != nil {
			c.visit(key, value)
		}
		if !bytes.Equal(key, markKey) && !bytes.Equal(key, formatKey) {
			return
		}
	}
	c.err = c.Err()
}

// merge makes a lake of which target is a snapshot hold what source holds, and counts what it read from there.
func (l *lakeCopy) merge(ctx context.Context, source, target store.Snapshot, lake store.Store) error {
	l.counter = inspect.NewCounter()
	from, err := openCursor(ctx, source, func(key, value []byte) {
		l.counter.Add(key, value)
		if bytes.Equal(key, formatKey) {
			l.format = bytes.Clone(value)
		}
	})
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := openCursor(ctx, target, nil)
	if err != nil {
		return err
	}
	defer to.Close()
	writer := newBatchWriter(lake, l.options.BatchSize)
	l.progress(Copying, 0, 0)
	for steps := 1; from.valid || to.valid; steps++ {
		// What a source that has failed does not show must not be deleted.
		if err := errors.Join(from.err, to.err); err != nil {
			return err
		}
		if steps%progressInterval == 0 {
			l.progress(Copying, from.keys, from.bytes)
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		l.step(from, to, writer)
		if err := writer.flushFull(ctx); err != nil {
			return err
		}
	}
	if err := errors.Join(from.err, to.err); err != nil {
		return err
	}
	return writer.flush(ctx)
}

// step writes what the lesser of the two present records asks for, and moves on.
func (l *lakeCopy) step(from, to *cursor, writer *batchWriter) {
	switch order := compareCursors(from, to); {
	case order < 0:
		writer.put(from.Key(), from.Value())
		l.result.Put++
		from.advance()
	case order > 0:
		writer.delete(to.Key())
		l.result.Deleted++
		to.advance()
	default:
		if !bytes.Equal(from.Value(), to.Value()) {
			writer.put(from.Key(), from.Value())
			l.result.Put++
		}
		from.advance()
		to.advance()
	}
}

// compareCursors compares the present keys of two cursors of which one at least has one.
func compareCursors(a, b *cursor) int {
	switch {
	case !a.valid:
		return 1
	case !b.valid:
		return -1
	}
	return bytes.Compare(a.Key(), b.Key())
}

// count makes the census of a lake. Of an unfinished copy it is the census of the lake that it will be.
func (l *lakeCopy) count(ctx context.Context, phase Phase, reader store.Reader) (inspect.Census, error) {
	pairs, err := reader.Scan(ctx, nil, nil)
	if err != nil {
		return inspect.Census{}, err
	}
	defer pairs.Close()
	counter := inspect.NewCounter()
	keys, size := int64(0), int64(0)
	l.progress(phase, 0, 0)
	for pairs.Next() {
		key, value := pairs.Key(), pairs.Value()
		if keys++; keys%progressInterval == 0 {
			l.progress(phase, keys, size)
			if err := ctx.Err(); err != nil {
				return inspect.Census{}, err
			}
		}
		size += int64(len(key) + len(value))
		if phase == Verifying {
			switch {
			case bytes.Equal(key, markKey):
				continue
			case bytes.Equal(key, formatKey) && l.format == nil:
				continue
			case bytes.Equal(key, formatKey):
				value = l.format
			}
		}
		counter.Add(key, value)
	}
	return counter.Census(), pairs.Err()
}
