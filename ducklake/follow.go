package ducklake

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"

	"moraine/keyspace"
	"moraine/overlay"
	"moraine/store"
)

// foldedKeys is the most changed keys that are read one by one: dropping what is kept in memory costs less than more of them.
const foldedKeys = 4 * changelogKeys

// Follow brings what the catalog keeps in memory from one state of the lake to a later one, which another server has made,
// before the later one can be seen. before is nil for the state that the catalog was opened with. A catalog that follows is
// never written. overlay.ErrOlder when the states are in the wrong order.
//
// The changelog names the current records that a snapshot changed (RFC 0009). It tells all when each batch between the two
// has made one snapshot, and each of these has its record; otherwise the images are dropped, and read again on first use.
func (c *Catalog) Follow(ctx context.Context, before, after store.Reader) (overlay.Advance, error) {
	to, err := positionOf(ctx, after)
	if err != nil {
		return overlay.Advance{}, err
	}
	advance := overlay.Advance{Position: to, Kind: overlay.Unchanged}
	if before == nil {
		c.directory.follow()
		return advance, nil
	}
	from, err := positionOf(ctx, before)
	if err != nil {
		return advance, err
	}
	if to.Batches < from.Batches || to.Snapshot < from.Snapshot {
		return advance, overlay.ErrOlder
	}
	// The refuges are no part of the changelog.
	if found, err := anyRefuge(ctx, after); err != nil {
		return advance, err
	} else if found {
		c.refuges.Store(true)
	}
	if to == from {
		return advance, nil
	}
	c.inlinedList.changed(to.Batches) // nor are the schemas of inlined tables
	keys, complete, err := changedBetween(ctx, after, from, to)
	if err != nil {
		return advance, err
	}
	if !complete {
		advance.Kind = overlay.ByRescan
		c.statistics.drop(to.Batches)
		c.directory.forget(to.Batches)
		return advance, nil
	}
	advance.Kind, advance.Keys = overlay.ByChangelog, len(keys)
	c.directory.learn(keys)
	return advance, c.statistics.follow(ctx, after, to.Batches, keys)
}

// positionOf reads the head of a state.
func positionOf(ctx context.Context, reader store.Reader) (overlay.Position, error) {
	var head keyspace.HeadValue
	found, err := readMessage(ctx, reader, keyspace.HeadKey(), &head)
	if err != nil || !found {
		return overlay.Position{}, err
	}
	return overlay.Position{Snapshot: head.SnapshotID, Batches: head.BatchSequence + 1}, nil
}

// changedBetween gives the keys of current records that the batches between two positions have changed, each once; complete is false when
// the changelog does not tell.
func changedBetween(ctx context.Context, reader store.Reader, from, to overlay.Position) (keys [][]byte, complete bool, err error) {
	snapshots := to.Snapshot - from.Snapshot
	if from.Batches == 0 || snapshots != to.Batches-from.Batches || snapshots > changelogWindow {
		return nil, false, nil
	}
	for id := from.Snapshot + 1; id <= to.Snapshot; id++ {
		var changed keyspace.ChangelogValue
		found, err := readMessage(ctx, reader, keyspace.ChangelogKey(id), &changed)
		if err != nil || !found {
			return nil, false, err
		}
		keys = append(keys, changed.Keys...)
		if len(keys) > foldedKeys {
			return nil, false, nil
		}
	}
	slices.SortFunc(keys, bytes.Compare)
	return slices.CompactFunc(keys, bytes.Equal), true, nil
}

// follow makes the directory one that does not hear of all ids: records that a commit puts into history at once are in
// no changelog. What it does not know may be anywhere then.
func (d *directory) follow() {
	for _, ids := range d.kinds {
		ids.mutex.Lock()
		ids.partial = true
		ids.mutex.Unlock()
	}
}

// forget makes the directory one of the states from one on, which commits have led to that it does not know.
func (d *directory) forget(batches uint64) {
	for _, ids := range d.kinds {
		ids.mutex.Lock()
		ids.built, ids.from = false, batches
		ids.runs, ids.added, ids.moved = nil, nil, nil
		ids.mutex.Unlock()
	}
}

// learn adds the ids that changed keys name.
func (d *directory) learn(keys [][]byte) {
	for kind, ids := range d.kinds {
		prefix := keyspace.Prefix(kind)
		for _, key := range keys {
			if id, found := bytes.CutPrefix(key, prefix); found && len(id) >= 2*idSize {
				ids.add(binary.BigEndian.Uint64(id[idSize:]), binary.BigEndian.Uint64(id))
			}
		}
	}
}

// follow brings the images up to date with a state in which the records of some keys have changed, before it can be seen.
func (s *statisticsImages) follow(ctx context.Context, reader store.Reader, batch uint64, keys [][]byte) error {
	prefix := keyspace.Prefix(keyspace.KindCurrentFileColumnStats)
	var changed [][]byte
	for _, key := range keys {
		if bytes.HasPrefix(key, prefix) {
			changed = append(changed, key)
		}
	}
	if len(changed) == 0 || s.unused(batch) {
		return nil
	}
	operations := make([]store.Operation, 0, len(changed))
	for _, key := range changed {
		value, found, err := reader.Get(ctx, key)
		if err != nil {
			s.drop(batch)
			return err
		}
		operations = append(operations, store.Operation{Key: key, Value: value, Delete: !found})
	}
	s.commit(batch, statisticsChanges(operations))
	return nil
}

// unused tells whether there is no image to bring up to date. None of an earlier state can come from now on.
func (s *statisticsImages) unused(batch uint64) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.images) > 0 || len(s.readers) > 0 {
		return false
	}
	s.last = batch
	return true
}

// drop forgets all images, those that are being collected too. None of an earlier state can come from now on.
func (s *statisticsImages) drop(batch uint64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	clear(s.images)
	clear(s.readers)
	s.memory, s.last = 0, batch
}
