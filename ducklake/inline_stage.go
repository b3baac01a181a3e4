package ducklake

import (
	"bytes"
	"context"
	"math"
	"slices"

	"moraine/keyspace"
	"moraine/overlay"
	"moraine/relation"
	"moraine/store"
)

// chunkRows is the most rows that a chunk is given.
const chunkRows = 1 << 16

// inlined stages what the transaction did to the tables of inlined rows and deletions, and to their registry.
func (s *staging) inlined(ctx context.Context) error {
	byTable := map[uint64][]*inlinedTable{}
	for _, name := range sortedNames(s.transaction.inlined) {
		table := s.transaction.inlined[name]
		s.remade = s.remade || table.stored != table.present || table.emptied || table.renamed
		if !table.dirty() {
			continue
		}
		if err := s.checkPresent(ctx, table); err != nil {
			return err
		}
		switch {
		case table.schema == nil:
			if err := s.deletions(ctx, table); err != nil {
				return err
			}
		default:
			byTable[table.id.table] = append(byTable[table.id.table], table)
		}
	}
	for _, id := range sortedIDs(byTable) {
		if err := s.inlinedRows(ctx, id, byTable[id]); err != nil {
			return err
		}
	}
	return s.registry(ctx)
}

// checkPresent makes sure that a table whose rows the transaction changes was not dropped meanwhile: its rows would wait, out
// of sight, for the next table of that name.
func (s *staging) checkPresent(ctx context.Context, table *inlinedTable) error {
	if !table.stored || table.emptied {
		return nil // the lock of the table's name is held
	}
	var present bool
	var err error
	if table.schema == nil {
		_, present, err = s.latest.Get(ctx, keyspace.InlineFileDeleteTableKey(table.id.table).Bytes())
	} else {
		var state inlinedState
		state, err = s.transaction.catalog.inlinedStateAt(ctx, s.latest, table.id)
		present = state.exists
	}
	if err == nil && !present {
		err = movedMeanwhile().WithDetail("Table \"%s\" was dropped.", table.name)
	}
	return err
}

func sortedNames[V any](byName map[string]V) []string {
	names := make([]string, 0, len(byName))
	for name := range byName {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func sortedIDs[V any](byID map[uint64]V) []uint64 {
	ids := make([]uint64, 0, len(byID))
	for id := range byID {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// deletesInlined tells whether the transaction ends inlined rows, or deletes rows of data files inline.
func (t *transaction) deletesInlined() bool {
	for _, table := range t.inlined {
		if table.schema == nil && len(table.Inserted()) > 0 {
			return true
		}
		if table.schema == nil {
			continue
		}
		for _, change := range table.Changes() {
			if change.Row != nil && !change.Row[endOfRowColumn].IsNull() {
				return true
			}
		}
	}
	return false
}

// inlinedRow is a version of an inlined row as a commit wants it.
type inlinedRow struct {
	table   *inlinedTable // nil for tables that the transaction did not touch
	schema  uint64        // version
	version rowVersion
	end     relation.Value
	row     relation.Row // of a row that is written anew; nil for one in a stored chunk
	gone    bool         // not wanted in a chunk
}

// rowsStaging is the inlined rows of one DuckLake table, of all its schema versions, in a commit: they share tombstones.
type rowsStaging struct {
	*staging
	id     uint64
	tables []*inlinedTable

	chunks  []chunkPlace
	old     tombstones
	touched map[uint64][]*inlinedRow // by row id
	// written are the new rows that chunks take, by table, in order.
	written map[*inlinedTable][]*inlinedRow
	refuges map[*inlinedTable]*refugeChanges
	// removed are the versions that leave their chunks, by schema version.
	removed map[uint64]map[rowVersion]bool
}

// chunkPlace is a stored chunk.
type chunkPlace struct {
	schema     uint64
	key        chunkKey
	first, end uint64 // row ids; end is exclusive
	value      []byte // nil unless the chunk's table was touched
}

func (s *staging) inlinedRows(ctx context.Context, id uint64, tables []*inlinedTable) error {
	stage := &rowsStaging{
		staging: s, id: id, tables: tables, touched: map[uint64][]*inlinedRow{},
		written: map[*inlinedTable][]*inlinedRow{}, refuges: map[*inlinedTable]*refugeChanges{},
		removed: map[uint64]map[rowVersion]bool{},
	}
	for _, table := range tables {
		stage.refuges[table] = &refugeChanges{}
		stage.removed[table.id.version] = map[rowVersion]bool{}
	}
	if err := stage.readStored(ctx); err != nil {
		return err
	}
	if err := stage.apply(); err != nil {
		return err
	}
	if err := stage.settle(); err != nil {
		return err
	}
	if err := stage.finish(ctx); err != nil {
		return err
	}
	for _, table := range tables {
		if err := s.schema(ctx, table); err != nil {
			return err
		}
	}
	return nil
}

// wantedIDs gives the row ids that the transaction touches; all tells that every stored row is.
func (r *rowsStaging) wantedIDs() (ids map[uint64]bool, changed, all bool) {
	ids = map[uint64]bool{}
	for _, table := range r.tables {
		all = all || table.emptied
		for _, change := range table.Changes() {
			if version, ok := rowVersionOf(table.name, change.Key); ok {
				ids[version.row], changed = true, true
			}
		}
		for _, row := range table.Inserted() {
			if !row[rowIDColumn].IsNull() && row[rowIDColumn].Int() >= 0 {
				ids[uint64(row[rowIDColumn].Int())] = true
				changed = changed || !row[endOfRowColumn].IsNull()
			}
		}
	}
	return ids, changed, all
}

// readStored reads the chunks and tombstones that the commit has to look at. New live rows under new ids, which is what an
// INSERT writes, only need those of their own snapshots.
func (r *rowsStaging) readStored(ctx context.Context) (err error) {
	ids, changed, all := r.wantedIDs()
	first, last := uint64(0), uint64(math.MaxUint64)
	if !all && len(ids) > 0 {
		sorted := sortedIDs(ids)
		first, last = sorted[0], sorted[len(sorted)-1]
	}
	if r.old, err = readTombstones(ctx, r.latest, r.id, first, last); err != nil {
		return err
	}
	for id := range ids {
		changed = changed || len(r.old[id]) > 0
	}
	if changed || all {
		if err := r.readChunks(ctx, keyspace.Prefix(keyspace.KindInlineInsert, r.id)); err != nil {
			return err
		}
	} else if err := r.readOwnChunks(ctx); err != nil {
		return err
	}
	for _, chunk := range r.chunks {
		for id := chunk.first; id < chunk.end; id++ {
			if all || ids[id] {
				r.touched[id] = append(r.touched[id], &inlinedRow{
					table: r.tableOf(chunk.schema), schema: chunk.schema, version: rowVersion{begin: chunk.key.begin, row: id},
				})
			}
		}
	}
	for _, rows := range r.touched {
		for _, row := range rows {
			if end, ended := r.old.end(row.version.row, row.version.begin); ended {
				row.end = relation.Int(int64(end))
			}
		}
	}
	return nil
}

func (r *rowsStaging) readOwnChunks(ctx context.Context) error {
	for _, table := range r.tables {
		begins := map[uint64]bool{}
		for _, row := range table.Inserted() {
			if begin := row[beginColumn]; !begin.IsNull() && begin.Int() >= 0 {
				begins[uint64(begin.Int())] = true
			}
		}
		for _, begin := range sortedIDs(begins) {
			prefix := keyspace.Prefix(keyspace.KindInlineInsert, r.id, table.id.version, begin)
			if err := r.readChunks(ctx, prefix); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *rowsStaging) readChunks(ctx context.Context, prefix []byte) error {
	iterator, err := r.latest.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	defer iterator.Close()
	var header keyspace.InlineChunkValue
	var body chunkBody
	for iterator.Next() {
		key, err := keyspace.DecodeKey(iterator.Key())
		if err != nil {
			return recordError(bytes.Clone(iterator.Key()), err)
		}
		err = keyspace.DecodeMessageAliased(iterator.Value(), &header)
		if err == nil {
			err = body.parseRecord(&header)
		}
		if err != nil {
			return recordError(bytes.Clone(iterator.Key()), err)
		}
		place := chunkPlace{
			schema: key.Component(keyspace.SchemaVersion), first: header.RowIDStart, end: header.RowIDStart + header.RowCount,
			key: chunkKey{begin: key.Component(keyspace.BeginSnapshot), sequence: key.Component(keyspace.ChunkSequence)},
		}
		if r.tableOf(place.schema) != nil {
			place.value = bytes.Clone(iterator.Value())
		}
		r.chunks = append(r.chunks, place)
	}
	return iterator.Err()
}

func (r *rowsStaging) tableOf(schema uint64) *inlinedTable {
	for _, table := range r.tables {
		if table.id.version == schema {
			return table
		}
	}
	return nil
}

// apply brings the changes of the transaction to the rows.
func (r *rowsStaging) apply() error {
	for _, table := range r.tables {
		if table.emptied {
			for _, rows := range r.touched {
				for _, row := range rows {
					if row.table == table {
						r.remove(row)
					}
				}
			}
		}
		for _, change := range table.Changes() {
			if err := r.applyChange(table, change); err != nil {
				return err
			}
		}
		for _, row := range table.Inserted() {
			r.insert(table, row)
		}
	}
	return nil
}

func (r *rowsStaging) applyChange(table *inlinedTable, change overlay.Change) error {
	version, ok := rowVersionOf(table.name, change.Key)
	if !ok {
		key := change.Key[len(table.name)+len(markRefuge):]
		r.refuges[table].changes = append(r.refuges[table].changes, overlay.Change{Key: key, Row: change.Row})
		return nil
	}
	stored := r.find(table, version)
	if stored == nil {
		return movedMeanwhile()
	}
	if change.Row != nil {
		before, err := r.storedRow(table, version)
		if err != nil {
			return err
		}
		if slices.Equal(before[:endOfRowColumn], change.Row[:endOfRowColumn]) && slices.Equal(before[headColumns:], change.Row[headColumns:]) {
			stored.end = change.Row[endOfRowColumn]
			return nil
		}
	}
	r.remove(stored)
	if change.Row != nil {
		r.insert(table, change.Row)
	}
	return nil
}

// storedRow reads a row out of its chunk.
func (r *rowsStaging) storedRow(table *inlinedTable, version rowVersion) (relation.Row, error) {
	for _, place := range r.chunks {
		if place.schema != table.id.version || place.key.begin != version.begin || version.row < place.first || version.row >= place.end {
			continue
		}
		var chunk openChunk
		if err := chunk.open(table.schema, place.storeKey(r.id), place.value); err != nil {
			return nil, err
		}
		row := make(relation.Row, headColumns+len(table.schema.columns))
		columns := make([]int, len(row))
		for i := range columns {
			columns[i] = i
		}
		var strings arena
		return row, chunk.read(int(version.row-place.first), columns, r.old, &strings, row)
	}
	return nil, corruptChunk("a row that was there is not any more")
}

func (p *chunkPlace) storeKey(table uint64) []byte {
	return keyspace.InlineInsertKey(table, p.schema, p.key.begin, p.key.sequence).Bytes()
}

// find gives a row version of a table that is wanted in a chunk.
func (r *rowsStaging) find(table *inlinedTable, version rowVersion) *inlinedRow {
	for _, row := range r.touched[version.row] {
		if row.schema == table.id.version && row.version == version && !row.gone {
			return row
		}
	}
	return nil
}

// remove takes a row out of its chunk.
func (r *rowsStaging) remove(row *inlinedRow) {
	row.gone = true
	if row.row == nil {
		r.removed[row.schema][row.version] = true
	}
}

// insert adds a new row, to the refuge when no chunk can hold it.
func (r *rowsStaging) insert(table *inlinedTable, row relation.Row) {
	id, begin, end := row[rowIDColumn], row[beginColumn], row[endOfRowColumn]
	version := rowVersion{begin: uint64(begin.Int()), row: uint64(id.Int())}
	fits := !id.IsNull() && id.Int() >= 0 && !begin.IsNull() && begin.Int() >= 0 && (end.IsNull() || end.Int() > begin.Int())
	for i := range table.schema.columns {
		fits = fits && table.schema.columns[i].fits(row[headColumns+i])
	}
	if !fits || r.find(table, version) != nil {
		r.refuges[table].inserted = append(r.refuges[table].inserted, row)
		return
	}
	added := &inlinedRow{table: table, schema: table.id.version, version: version, end: end, row: row}
	r.touched[version.row] = append(r.touched[version.row], added)
	r.written[table] = append(r.written[table], added)
}
