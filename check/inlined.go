package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"

	"moraine/keyspace"
)

// inlinedTotals counts the versions of inlined rows.
type inlinedTotals struct {
	rows    uint64
	ended   uint64
	damaged bool // some chunk does not decode, so that not all versions are known
}

// chunk is what is kept of a chunk of inlined rows.
type chunk struct {
	schema, begin, sequence uint64
	first, end              uint64 // row ids; end is exclusive
	decoded                 bool
}

func (k *chunk) compare(other *chunk) int {
	return cmp.Or(compareIDs(k.schema, other.schema), compareIDs(k.begin, other.begin), compareIDs(k.sequence, other.sequence))
}

func (k *chunk) ids(t *table) string {
	return fmt.Sprintf("%s schema_version=%d begin_snapshot=%d chunk_seq=%d", t.named(), k.schema, k.begin, k.sequence)
}

// tombstone says that a version of a row ends.
type tombstone struct {
	row, end uint64
}

// inlinedTable is one inlined table by its records.
type inlinedTable struct {
	decoded   bool
	hasSchema bool
	sameAs    keyspace.Optional[uint64]
	dropped   bool // the table, not only its row of the registry
}

// inlinedData checks the inlined rows of the table.
func (t *table) inlinedData(ctx context.Context) error {
	tables, err := t.inlinedTables(ctx)
	if err != nil {
		return err
	}
	chunks, err := t.chunks(ctx, tables)
	if err != nil {
		return err
	}
	if err := t.locators(ctx, chunks); err != nil {
		return err
	}
	ends, err := t.tombstones(ctx)
	if err != nil {
		return err
	}
	chunks = slices.DeleteFunc(chunks, func(k chunk) bool { return !k.decoded })
	slices.SortFunc(chunks, func(a, b chunk) int { return cmp.Or(compareIDs(a.first, b.first), a.compare(&b)) })
	t.endRows(chunks, ends)
	t.overlaps(chunks, ends)
	return nil
}

func inlinedTableName(table, version uint64) string {
	return fmt.Sprintf("ducklake_inlined_data_%d_%d", table, version)
}

// inlinedTables reads which inlined tables there are.
func (t *table) inlinedTables(ctx context.Context) (map[uint64]*inlinedTable, error) {
	tables := map[uint64]*inlinedTable{}
	s := t.sources.inlinedSchemas
	err := s.each(ctx, t.id, func(decoded bool) {
		m := s.message.(*keyspace.InlineSchemaValue)
		found := &inlinedTable{decoded: decoded}
		if decoded {
			found.hasSchema, found.sameAs = len(m.ArrowSchema) > 0, m.SameAsVersion
		}
		tables[s.key.Component(keyspace.SchemaVersion)] = found
	})
	if err != nil {
		return nil, err
	}
	s = t.sources.droppedSchemas
	err = s.each(ctx, t.id, func(decoded bool) {
		m := s.message.(*keyspace.InlineSchemaDroppedValue)
		if found := tables[s.key.Component(keyspace.SchemaVersion)]; found != nil && decoded {
			found.dropped = !m.TableKept
		}
	})
	for _, version := range ascending(tables) {
		t.inlinedTable(version, tables)
	}
	return tables, err
}

func (t *table) inlinedTable(version uint64, tables map[uint64]*inlinedTable) {
	found := tables[version]
	name, ids := inlinedTableName(t.id, version), fmt.Sprintf("%s schema_version=%d", t.named(), version)
	if !found.dropped && t.object == nil {
		t.checker.report(inlinedTableWithoutTable, name, ids, "the table is unknown")
	}
	if !found.decoded {
		return
	}
	switch other := tables[found.sameAs.Value]; {
	case found.hasSchema && found.sameAs.Set:
		t.checker.report(inlinedSchema, name, ids, "it has a schema and names version %d", found.sameAs.Value)
	case !found.hasSchema && !found.sameAs.Set:
		t.checker.report(inlinedSchema, name, ids, "it has no schema")
	case found.sameAs.Set && (other == nil || other.decoded && !other.hasSchema):
		t.checker.report(inlinedSchema, name, ids, "version %d has no schema", found.sameAs.Value)
	}
}

// chunks reads the chunks, in the order of their keys.
func (t *table) chunks(ctx context.Context, tables map[uint64]*inlinedTable) (chunks []chunk, err error) {
	s := t.sources.chunks
	reported := map[uint64]bool{}
	err = s.each(ctx, t.id, func(decoded bool) {
		found := chunk{
			schema: s.key.Component(keyspace.SchemaVersion), begin: s.key.Component(keyspace.BeginSnapshot),
			sequence: s.key.Component(keyspace.ChunkSequence),
		}
		if decoded {
			m := s.message.(*keyspace.InlineChunkValue)
			found.first, found.end = m.RowIDStart, m.RowIDStart+m.RowCount
			if found.decoded = found.end > found.first; !found.decoded {
				t.checker.undecodable(s.iterator.Key(), fmt.Errorf("a chunk of %d rows from row id %d", m.RowCount, m.RowIDStart))
			}
		}
		t.inlined.damaged = t.inlined.damaged || !found.decoded
		chunks = append(chunks, found)
		if of := tables[found.schema]; (of == nil || of.dropped) && !reported[found.schema] {
			reported[found.schema] = true
			t.checker.report(inlinedRowsWithoutTable, inlinedTableName(t.id, found.schema), found.ids(t), "there is no such table")
		}
		if t.checker.headRead && found.begin > t.checker.head.SnapshotID {
			t.checker.report(versionAboveHead, inlinedTableName(t.id, found.schema), found.ids(t), "begins at %d; the head is %d",
				found.begin, t.checker.head.SnapshotID)
		}
		if found.decoded {
			t.inlined.rows = saturated(t.inlined.rows, found.end-found.first)
			t.lastRowID.raise(found.first, found.end-found.first, inlinedTableName(t.id, found.schema), s.ids)
		}
	})
	return chunks, err
}

// locators compares the locators with the chunks.
func (t *table) locators(ctx context.Context, chunks []chunk) error {
	s := t.sources.locators
	located := make([]bool, len(chunks))
	err := s.each(ctx, t.id, func(decoded bool) {
		place := chunk{
			schema: s.key.Component(keyspace.SchemaVersion), begin: s.key.Component(keyspace.BeginSnapshot),
			sequence: s.key.Component(keyspace.ChunkSequence),
		}
		at, found := slices.BinarySearchFunc(chunks, place, func(a, b chunk) int { return a.compare(&b) })
		if !found {
			t.checker.report(locatorWithoutChunk, "", s.ids(), "there is no such chunk")
			return
		}
		k, last := &chunks[at], s.key.Component(keyspace.RowIDEnd)
		first := s.message.(*keyspace.InlineChunkRangeValue).RowIDStart
		if k.decoded && decoded && (k.first != first || k.end-1 != last) {
			t.checker.report(locatorWithoutChunk, "", s.ids(), "the chunk has the row ids %d to %d, the locator %d to %d", k.first, k.end-1, first, last)
			return
		}
		located[at] = true
	})
	for i := range chunks {
		if !located[i] {
			t.checker.report(chunkWithoutLocator, inlinedTableName(t.id, chunks[i].schema), chunks[i].ids(t), "there is no locator with its row ids")
		}
	}
	return err
}

// tombstones reads the tombstones, by row and end.
func (t *table) tombstones(ctx context.Context) (ends []tombstone, err error) {
	s := t.sources.tombstones
	err = s.each(ctx, t.id, func(bool) {
		ends = append(ends, tombstone{row: s.key.Component(keyspace.RowID), end: s.key.Component(keyspace.EndSnapshot)})
	})
	return ends, err
}

// endRows puts the tombstones to the versions of rows, which end at the first one above their begin. The chunks are in the
// order of their row ids.
func (t *table) endRows(chunks []chunk, ends []tombstone) {
	var open []*chunk // those that may hold the row
	next := 0
	for start := 0; start < len(ends); {
		row := ends[start].row
		limit := start
		for limit < len(ends) && ends[limit].row == row {
			limit++
		}
		for ; next < len(chunks) && chunks[next].first <= row; next++ {
			open = append(open, &chunks[next])
		}
		open = slices.DeleteFunc(open, func(k *chunk) bool { return k.end <= row })
		t.endRow(open, ends[start:limit])
		start = limit
	}
}

// endRow puts the tombstones of one row, ascending, to the chunks that hold it.
func (t *table) endRow(chunks []*chunk, ends []tombstone) {
	for _, k := range chunks {
		if ends[len(ends)-1].end > k.begin {
			t.inlined.ended++
		}
	}
	for i, of := range ends {
		before := uint64(0)
		if i > 0 {
			before = ends[i-1].end
		}
		used := slices.ContainsFunc(chunks, func(k *chunk) bool { return k.begin < of.end && (i == 0 || k.begin >= before) })
		if !used && !t.inlined.damaged {
			t.checker.report(tombstoneWithoutRow, "", fmt.Sprintf("%s row_id=%d end_snapshot=%d", t.named(), of.row, of.end),
				"no version of the row ends there")
		}
	}
}

// overlaps looks for rows of which two versions are live at once: the older one needs a tombstone up to the begin of the
// newer one.
func (t *table) overlaps(chunks []chunk, ends []tombstone) {
	var open []*chunk
	for i := range chunks {
		k := &chunks[i]
		open = slices.DeleteFunc(open, func(other *chunk) bool { return other.end <= k.first })
		for _, other := range open {
			older, newer := other, k
			if newer.begin < older.begin {
				older, newer = newer, older
			}
			if row, found := liveTwice(older.begin, newer.begin, k.first, min(k.end, other.end), ends); found {
				t.checker.report(overlappingInlinedRows, inlinedTableName(t.id, newer.schema), fmt.Sprintf("%s row_id=%d", t.named(), row),
					"the version from %d is live when the one from %d begins", older.begin, newer.begin)
			}
		}
		open = append(open, k)
	}
}

// liveTwice gives the first row, of those from first up to end, that no tombstone ends above older and not above newer.
func liveTwice(older, newer, first, end uint64, ends []tombstone) (row uint64, found bool) {
	at := sort.Search(len(ends), func(i int) bool { return ends[i].row >= first })
	for row = first; row < end; row++ {
		ended := false
		for ; at < len(ends) && ends[at].row == row; at++ {
			ended = ended || ends[at].end > older && ends[at].end <= newer
		}
		if !ended {
			return row, true
		}
	}
	return 0, false
}
