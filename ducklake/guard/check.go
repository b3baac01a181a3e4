package guard

import (
	"context"
	"fmt"

	"moraine/keyspace"
	"moraine/store"
)

// check is one commit being checked against the latest state.
type check struct {
	ctx    context.Context
	latest store.Reader
	names  *Directory
	commit *Commit

	head     *keyspace.SnapshotValue // the latest snapshot
	snapshot *keyspace.SnapshotValue // of the commit
	claims   claims
	// computedOn is the snapshot that the client computed the commit on.
	computedOn uint64

	written []entity           // the versions that the commit leaves, live or ended, in its order
	live    map[string]*entity // those that are live, by key
	gone    map[string]bool    // the keys of the live versions that the commit ends, removes or replaces
	stored  map[string]*entity // what get has read; nil for what is not there
	files   map[fileID]*fileChange
}

// Check gives an error for the first rule that the commit would break in the latest state. A lake without snapshots, which
// is about to be made or filled from elsewhere, has nothing to compare with, and takes any commit.
func Check(ctx context.Context, latest store.Reader, names *Directory, commit *Commit) error {
	c := &check{
		ctx: ctx, latest: latest, names: names, commit: commit,
		live: map[string]*entity{}, gone: map[string]bool{}, stored: map[string]*entity{}, files: map[fileID]*fileChange{},
	}
	if found, err := c.readHead(); err != nil || !found {
		return err
	}
	for _, step := range []func() error{
		c.checkSnapshots, c.checkVersions, c.checkNames, c.checkColumns, c.checkParents, c.checkSingles,
		c.checkFiles, c.checkInlined, c.checkStatistics, c.checkIndexes,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// readHead reads the latest snapshot; false when there is none.
func (c *check) readHead() (bool, error) {
	var head keyspace.HeadValue
	if found, err := c.read(keyspace.HeadKey().Bytes(), &head); err != nil || !found {
		return false, err
	}
	c.head = &keyspace.SnapshotValue{}
	return c.read(keyspace.SnapshotKey(head.SnapshotID).Bytes(), c.head)
}

func (c *check) read(key []byte, message keyspace.Message) (bool, error) {
	value, found, err := c.latest.Get(c.ctx, key)
	if err != nil || !found {
		return false, err
	}
	return true, decode(key, value, message)
}

// decode reads a record. The error names it.
func decode(key, value []byte, message keyspace.Message) error {
	err := keyspace.DecodeRecord(key, value, message)
	if err == nil {
		return nil
	}
	if known, failure := keyspace.DecodeKey(key); failure == nil {
		return fmt.Errorf("record %s is corrupt: %w", known, err)
	}
	return fmt.Errorf("record %x is corrupt: %w", key, err)
}

// scan visits the records of a kind whose keys start with ids.
func (c *check) scan(kind keyspace.Kind, visit func(key keyspace.Key, value []byte) error, ids ...uint64) error {
	return scan(c.ctx, c.latest, keyspace.Prefix(kind, ids...), visit)
}

func scan(ctx context.Context, reader store.Reader, prefix []byte, visit func(key keyspace.Key, value []byte) error) error {
	iterator, err := reader.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	defer iterator.Close()
	for iterator.Next() {
		key, err := keyspace.DecodeKey(iterator.Key())
		if err != nil {
			return fmt.Errorf("record %x is corrupt: %w", iterator.Key(), err)
		}
		if err := visit(key, iterator.Value()); err != nil {
			return err
		}
	}
	return iterator.Err()
}

func keyOf(kind keyspace.Kind, ids []uint64) string { return string(keyspace.Prefix(kind, ids...)) }

// get gives the live version of an entity in the latest state; nil when there is none.
func (c *check) get(kind keyspace.Kind, ids ...uint64) (*entity, error) {
	key := keyOf(kind, ids)
	if known, found := c.stored[key]; found {
		return known, nil
	}
	message := keyspace.NewMessage(kind)
	found, err := c.read([]byte(key), message)
	if err != nil {
		return nil, err
	}
	var result *entity
	if found {
		read, _ := entityOf(kind, message)
		result = &read
	}
	c.stored[key] = result
	return result, nil
}

// after gives the live version of an entity as the commit leaves it; nil when there is none.
func (c *check) after(kind keyspace.Kind, ids ...uint64) (*entity, error) {
	key := keyOf(kind, ids)
	if written := c.live[key]; written != nil {
		return written, nil
	}
	if c.gone[key] {
		return nil, nil
	}
	return c.get(kind, ids...)
}

// origin finds what the commit was computed on. A transaction that reads the files that it deletes from computes on what it
// reads. One that repeats a lost commit asks for the changes since the snapshot of its first attempt, and reads no files
// then, unless it rewrites some: DuckLake counts their rows again for the statistics, and compaction is never mixed with
// deletes.
func (c *check) origin() uint64 {
	asked := c.commit.Asked
	if asked.Set && (!c.commit.ReadsFiles || len(c.claims[claimsMerge]) > 0 || len(c.claims[claimsRewrite]) > 0) {
		return min(asked.Value, c.commit.Read)
	}
	return c.commit.Read
}

// old tells whether the commit was computed on an older snapshot than the latest.
func (c *check) old() bool { return c.computedOn < c.head.SnapshotID }
