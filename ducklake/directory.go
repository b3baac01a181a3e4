package ducklake

import (
	"context"
	"encoding/binary"
	"slices"
	"sort"
	"sync"

	"moraine/keyspace"
	"moraine/store"
)

// directory knows the table of each id that does not lead a key: data files, delete files, column mappings. It is built
// by one scan of the keys, on first use, and kept current by the commits that pass through. An id stays in it after its
// record is gone, so that it serves older snapshots too.
type directory struct {
	kinds map[keyspace.Kind]*idDirectory
}

func (d *directory) init() {
	d.kinds = map[keyspace.Kind]*idDirectory{}
	for _, family := range []*family{dataFiles, deleteFiles, mappings} {
		d.kinds[family.current] = &idDirectory{family: family}
	}
}

// idDirectory is the directory of one family.
type idDirectory struct {
	family *family

	mutex sync.Mutex
	built bool
	// partial tells that commits pass by unseen, so that what it does not know may be anywhere; see directory.follow.
	partial bool
	// from is the count of batches of the states that a partial directory knows: it has missed commits between earlier ones.
	from uint64
	// since is the count of batches (sys/head) of the state that the directory was built from: what it does not know,
	// no state from that one on has.
	since uint64
	runs  []idRun // ascending, disjoint
	added []idRun // by commits since the lake was opened, before the directory was built
	// moved has the ids that were found under several tables.
	moved map[uint64][]uint64
}

// idRun says that all ids from first to last, as far as there are any, belong to one table; in a partial directory there are
// all of them.
type idRun struct {
	first, last uint64
	table       uint64
}

// resolve gives the tables that an id may be in; known is false when it may be in any. The count of batches is that of the
// state that the reader shows; it is asked for when it matters.
func (d *idDirectory) resolve(ctx context.Context, reader store.Reader, count func() (uint64, error), id uint64) (tables []uint64, known bool, err error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.partial {
		if batches, err := count(); err != nil || batches < d.from {
			return nil, false, err
		}
	}
	if !d.built {
		if err := d.build(ctx, reader); err != nil {
			return nil, false, err
		}
	}
	if tables = d.lookup(id); len(tables) > 0 {
		return tables, true, nil
	}
	if d.partial {
		return nil, false, nil
	}
	batches, err := count()
	return nil, batches >= d.since, err
}

func (d *idDirectory) lookup(id uint64) []uint64 {
	at := sort.Search(len(d.runs), func(i int) bool { return d.runs[i].last >= id })
	tables := d.moved[id]
	if at < len(d.runs) && d.runs[at].first <= id {
		return append([]uint64{d.runs[at].table}, tables...)
	}
	return tables
}

// build reads the keys of all records that a state has. Other commits wait in add meanwhile, or have left their ids
// there already.
func (d *idDirectory) build(ctx context.Context, reader store.Reader) error {
	since, err := batchCount(ctx, reader)
	if err != nil {
		return err
	}
	var found []idRun
	kinds := []keyspace.Kind{d.family.current}
	if d.family.versioned() {
		kinds = append(kinds, d.family.history)
	}
	for _, kind := range kinds {
		if found, err = collectIDs(ctx, reader, kind, found); err != nil {
			return err
		}
	}
	slices.SortFunc(found, func(a, b idRun) int {
		if a.first != b.first {
			return compareIDs(a.first, b.first)
		}
		return compareIDs(a.table, b.table)
	})
	d.runs, d.built, d.since = nil, true, since
	for _, run := range found {
		d.insert(run.first, run.table)
	}
	for _, run := range d.added {
		d.insert(run.first, run.table)
	}
	d.runs, d.added = slices.Clip(d.runs), nil
	return nil
}

func collectIDs(ctx context.Context, reader store.Reader, kind keyspace.Kind, found []idRun) ([]idRun, error) {
	prefix := keyspace.Prefix(kind)
	iterator, err := reader.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return nil, err
	}
	defer iterator.Close()
	for iterator.Next() {
		ids := iterator.Key()[len(prefix):]
		if len(ids) < 2*idSize {
			return nil, recordError(iterator.Key(), keyspace.ErrCorrupt)
		}
		id := binary.BigEndian.Uint64(ids[idSize:])
		found = append(found, idRun{first: id, last: id, table: binary.BigEndian.Uint64(ids)})
	}
	return found, iterator.Err()
}

// add records an id of a commit, before the commit can be seen.
func (d *idDirectory) add(id, table uint64) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if !d.built {
		d.added = append(d.added, idRun{first: id, last: id, table: table})
		return
	}
	d.insert(id, table)
}

// insert puts an id into the runs. Ids mostly come in ascending order, so that most extend the last run.
func (d *idDirectory) insert(id, table uint64) {
	if last := len(d.runs) - 1; last < 0 || d.runs[last].last < id {
		if last >= 0 && d.runs[last].table == table && (!d.partial || d.runs[last].last+1 == id) {
			d.runs[last].last = id
			return
		}
		d.runs = append(d.runs, idRun{first: id, last: id, table: table})
		return
	}
	at := sort.Search(len(d.runs), func(i int) bool { return d.runs[i].last >= id })
	switch run := d.runs[at]; {
	case run.first > id:
		d.runs = slices.Insert(d.runs, at, idRun{first: id, last: id, table: table})
	case run.table != table && !slices.Contains(d.moved[id], table):
		if d.moved == nil {
			d.moved = map[uint64][]uint64{}
		}
		d.moved[id] = append(d.moved[id], table)
	}
}

func compareIDs(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// batchCount gives how many batches have made the catalog what it is, by which states are ordered; 0 before the first.
func batchCount(ctx context.Context, reader store.Reader) (uint64, error) {
	var head keyspace.HeadValue
	found, err := readMessage(ctx, reader, keyspace.HeadKey(), &head)
	if !found {
		return 0, err
	}
	return head.BatchSequence + 1, err
}

// resolver gives the ids of the tables for the scans of a family whose ids the directory knows; nil for others.
func (b *recordBase) resolver(ctx context.Context, reader store.Reader) resolver {
	directory, found := b.transaction.catalog.directory.kinds[b.table.family.current]
	if !found {
		return nil
	}
	count := sync.OnceValues(func() (uint64, error) { return batchCount(ctx, reader) })
	return func(id uint64) ([]uint64, bool, error) { return directory.resolve(ctx, reader, count, id) }
}
