package migrate

import (
	"bytes"
	"context"

	"moraine/keyspace"
	"moraine/store"
)

// Bounds of the batch of one step.
const (
	// StepRecords is the most records that a step gives entries.
	StepRecords = 1000
	// stepBytes is how many bytes of entries end a step: names may be long.
	stepBytes = 1 << 20
)

// Options of a migration.
type Options struct {
	// StepRecords is the most records of a step; the constant of that name when 0.
	StepRecords int
	// Progress is told after each batch. Nil means nobody listens.
	Progress func(Progress)
}

// Progress is how far a migration has come.
type Progress struct {
	Unit     string
	From, To uint64
	// Records is how many records this run has given entries; Finished tells that the unit is done.
	Records  int
	Finished bool
}

// Result is what a migration has done.
type Result struct {
	// From and To are the formats before and after; equal when there was nothing to do, and 0 for a lake without a catalog.
	From, To uint64
}

// Run raises a lake to the newest format. Nobody else may have the lake open. After an error, and after a crash at any
// point, running it again goes on where it stopped; when there is nothing to do it writes nothing.
func Run(ctx context.Context, lake store.Store, options Options) (Result, error) {
	if options.StepRecords == 0 {
		options.StepRecords = StepRecords
	}
	r := &run{lake: lake, options: options}
	for first := true; ; first = false {
		if err := ctx.Err(); err != nil {
			return r.result, err
		}
		more, err := r.advance(ctx, first)
		if err != nil || !more {
			return r.result, err
		}
	}
}

// run is one run of migrations.
type run struct {
	lake     store.Store
	options  Options
	result   Result
	progress Progress
}

// advance does what the store says comes next, as one batch; false when there is nothing left.
func (r *run) advance(ctx context.Context, first bool) (more bool, err error) {
	snapshot, err := r.lake.Snapshot()
	if err != nil {
		return false, err
	}
	defer snapshot.Close()
	s, err := readState(ctx, snapshot)
	if err != nil {
		return false, err
	}
	if first {
		r.result.From = s.format.FormatVersion
	}
	r.result.To = s.format.FormatVersion
	if s.unit == nil {
		return false, nil
	}
	if r.progress.From != s.format.FormatVersion {
		r.progress = Progress{Unit: s.unit.name, From: s.format.FormatVersion, To: s.unit.to}
	}
	batch := &store.Batch{}
	if !s.begun {
		err = s.start(ctx, snapshot, batch)
	} else {
		err = r.step(ctx, snapshot, s, batch)
	}
	if err != nil {
		return false, err
	}
	if err := r.lake.Commit(ctx, batch); err != nil {
		return false, err
	}
	if r.options.Progress != nil {
		r.options.Progress(r.progress)
	}
	return true, nil
}

// start puts the marker and moves head, so that whoever knows the head before knows that it is not the latest.
func (s *state) start(ctx context.Context, reader store.Reader, batch *store.Batch) error {
	if err := s.unit.checkEmpty(ctx, reader); err != nil {
		return err
	}
	var head keyspace.HeadValue
	found, err := read(ctx, reader, keyspace.HeadKey(), &head)
	if err != nil {
		return err
	}
	if !found {
		return corrupt(keyspace.HeadKey(), "the lake has a format and no head")
	}
	head.BatchSequence++
	put(batch, keyspace.HeadKey(), &head)
	put(batch, keyspace.MigrationKey(), &keyspace.MigrationValue{FromFormat: s.format.FormatVersion, ToFormat: s.unit.to})
	return nil
}

// checkEmpty refuses entries from before the format that has them: nobody has kept them current.
func (u *unit) checkEmpty(ctx context.Context, reader store.Reader) error {
	prefix := keyspace.Prefix(u.directory)
	iterator, err := reader.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	defer iterator.Close()
	if !iterator.Next() {
		return iterator.Err()
	}
	key, err := keyspace.DecodeKey(iterator.Key())
	if err != nil {
		return err
	}
	return corrupt(key, "the lake has entries of a directory that its format does not have")
}

// step adds the entries of the next records, or finishes the unit when there are none left.
func (r *run) step(ctx context.Context, reader store.Reader, s *state, batch *store.Batch) error {
	cursor, count := s.marker.Cursor, 0
	err := s.unit.walk(ctx, reader, s.marker.Cursor, func(key []byte, message keyspace.Message) bool {
		if entry, found := keyspace.DirectoryEntry(message); found {
			put(batch, entry, &keyspace.EmptyValue{})
		}
		cursor = key
		count++
		return count < r.options.StepRecords && batch.Size() < stepBytes
	})
	if err != nil {
		return err
	}
	r.progress.Records += count
	if bytes.Equal(cursor, s.marker.Cursor) {
		s.format.FormatVersion, s.format.WriterVersion = s.unit.to, keyspace.WriterVersion
		put(batch, keyspace.FormatKey(), &s.format)
		batch.Delete(keyspace.MigrationKey().Bytes())
		r.progress.Finished = true
		return nil
	}
	s.marker.Cursor = cursor
	put(batch, keyspace.MigrationKey(), &s.marker)
	return nil
}

func put(batch *store.Batch, key keyspace.Key, message keyspace.Message) {
	batch.Put(key.Bytes(), keyspace.AppendMessage(nil, message))
}
