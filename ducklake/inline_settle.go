package ducklake

import (
	"bytes"
	"context"
	"slices"

	"moraine/keyspace"
	"moraine/relation"
	"moraine/store"
)

// settle moves to the refuge what tombstones cannot say: they belong to a row id, so that a version ends at the smallest
// one above its begin, whichever version it was written for.
func (r *rowsStaging) settle() error {
	for id, rows := range r.touched {
		for {
			odd := oddRow(id, rows)
			if odd == nil {
				break
			}
			if err := r.takeIn(odd); err != nil {
				return err
			}
		}
	}
	return nil
}

// oddRow gives a row that must leave its chunk so that the others of its id can end where they should; nil when all can.
// The rows of tables that the transaction did not touch stay: then it is the row whose tombstone is in the way.
func oddRow(id uint64, rows []*inlinedRow) *inlinedRow {
	ends := tombstones{id: endsOf(rows)}
	for _, row := range rows {
		end, ended := ends.end(id, row.version.begin)
		if row.gone || ended != row.end.IsNull() && (!ended || end == uint64(row.end.Int())) {
			continue
		}
		if row.table != nil {
			return row
		}
		for _, other := range rows {
			if !other.gone && other.table != nil && ended && other.end == relation.Int(int64(end)) {
				return other
			}
		}
	}
	return nil
}

// endsOf gives the tombstones that the rows of one id need, ascending.
func endsOf(rows []*inlinedRow) (ends []uint64) {
	for _, row := range rows {
		if !row.gone && !row.end.IsNull() {
			ends = append(ends, uint64(row.end.Int()))
		}
	}
	return ascending(ends)
}

// takeIn moves a row to its table's refuge.
func (r *rowsStaging) takeIn(row *inlinedRow) error {
	content := row.row
	if content == nil {
		stored, err := r.storedRow(row.table, row.version)
		if err != nil {
			return err
		}
		content = stored
		content[endOfRowColumn] = row.end
	}
	r.remove(row)
	r.refuges[row.table].inserted = append(r.refuges[row.table].inserted, content)
	return nil
}

// finish adds tombstones, chunks, locators and refuges to the batch.
func (r *rowsStaging) finish(ctx context.Context) error {
	for _, id := range sortedIDs(r.touched) {
		r.putTombstones(id)
	}
	next := map[inlinedChunkGroup]uint64{}
	for _, place := range r.chunks {
		group := inlinedChunkGroup{schema: place.schema, begin: place.key.begin}
		next[group] = max(next[group], place.key.sequence+1)
	}
	for i := range r.chunks {
		if err := r.rewrite(&r.chunks[i], next); err != nil {
			return err
		}
	}
	for _, table := range r.tables {
		if err := r.write(table, next); err != nil {
			return err
		}
		if err := r.finishRefuge(ctx, table); err != nil {
			return err
		}
	}
	return nil
}

func (r *rowsStaging) putTombstones(id uint64) {
	wanted := endsOf(r.touched[id])
	for _, end := range r.old[id] {
		if !slices.Contains(wanted, end) {
			r.batch.Delete(keyspace.InlineRowTombstoneKey(r.id, id, end).Bytes())
		}
	}
	for _, end := range wanted {
		if !slices.Contains(r.old[id], end) {
			r.put(keyspace.InlineRowTombstoneKey(r.id, id, end), &keyspace.InlineInlineDeleteValue{EndSnapshot: end})
		}
	}
}

// inlinedChunkGroup is the chunks that are counted together.
type inlinedChunkGroup struct {
	schema, begin uint64
}

// rewrite takes the rows that are gone out of a stored chunk: the rest, if there is one, becomes new chunks.
func (r *rowsStaging) rewrite(place *chunkPlace, next map[inlinedChunkGroup]uint64) error {
	gone := func(id uint64) bool { return r.removed[place.schema][rowVersion{begin: place.key.begin, row: id}] }
	count := 0
	for id := place.first; id < place.end; id++ {
		if gone(id) {
			count++
		}
	}
	if count == 0 {
		return nil
	}
	table := r.tableOf(place.schema)
	var chunk openChunk
	if err := chunk.open(table.schema, place.storeKey(r.id), place.value); err != nil {
		return err
	}
	r.batch.Delete(place.storeKey(r.id))
	if place.end > place.first {
		r.batch.Delete(keyspace.InlineChunkLocatorKey(r.id, place.end-1, place.schema, place.key.begin, place.key.sequence).Bytes())
	}
	for first := place.first; first < place.end; first++ {
		if gone(first) {
			continue
		}
		builder, id := table.schema.newChunk(), first
		for ; id < place.end && !gone(id); id++ {
			if err := builder.copy(chunk.arrays, int(id-place.first)); err != nil {
				return recordError(place.storeKey(r.id), err)
			}
		}
		if err := r.putChunk(table, place.key.begin, first, builder, next); err != nil {
			return err
		}
		first = id
	}
	return nil
}

// write adds the new rows of a table as chunks: each has one begin and dense row ids.
func (r *rowsStaging) write(table *inlinedTable, next map[inlinedChunkGroup]uint64) error {
	var builder *chunkBuilder
	var first, last rowVersion
	flush := func() error {
		if builder == nil {
			return nil
		}
		return r.putChunk(table, first.begin, first.row, builder, next)
	}
	for _, row := range r.written[table] {
		if row.gone {
			continue
		}
		if builder == nil || row.version.begin != first.begin || row.version.row != last.row+1 || builder.rows == chunkRows {
			if err := flush(); err != nil {
				return err
			}
			builder, first = table.schema.newChunk(), row.version
		}
		builder.add(row.row)
		last = row.version
	}
	return flush()
}

func (r *rowsStaging) putChunk(table *inlinedTable, begin, first uint64, builder *chunkBuilder, next map[inlinedChunkGroup]uint64) error {
	group := inlinedChunkGroup{schema: table.id.version, begin: begin}
	sequence := next[group]
	next[group]++
	r.put(keyspace.InlineInsertKey(r.id, table.id.version, begin, sequence), &keyspace.InlineChunkValue{
		Body: builder.body(), RowIDStart: first, RowCount: uint64(builder.rows),
	})
	last := first + uint64(builder.rows) - 1
	r.put(keyspace.InlineChunkLocatorKey(r.id, last, table.id.version, begin, sequence), &keyspace.InlineChunkRangeValue{
		RowIDStart: first, SchemaVersion: table.id.version, BeginSnapshot: begin, ChunkSequence: sequence,
	})
	return r.batch.Err()
}

func (r *rowsStaging) finishRefuge(ctx context.Context, table *inlinedTable) error {
	changes := r.refuges[table]
	if table.emptied && !r.transaction.catalog.noRefuge() {
		if err := r.deletePrefix(ctx, inlinedRefugePrefix(table.name)); err != nil {
			return err
		}
	}
	if len(changes.inserted) > 0 {
		r.transaction.catalog.refuges.Store(true)
	}
	return changes.stage(ctx, table.rows, r.latest, r.batch)
}

// deletePrefix removes all keys that start with prefix.
func (s *staging) deletePrefix(ctx context.Context, prefix []byte) error {
	iterator, err := s.latest.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	defer iterator.Close()
	for iterator.Next() {
		s.batch.Delete(bytes.Clone(iterator.Key()))
	}
	return iterator.Err()
}

// schema stages that a table of inlined rows was made, renamed in parts, or dropped. The schema record stays when the table
// goes.
func (s *staging) schema(ctx context.Context, table *inlinedTable) error {
	if !table.hasNewSchema() {
		return nil
	}
	if err := s.keepReferred(ctx, table); err != nil {
		return err
	}
	s.put(keyspace.InlineSchemaKey(table.id.table, table.id.version), &keyspace.InlineSchemaValue{ArrowSchema: table.schema.encoded})
	return nil
}

// keepReferred gives the records that refer to a schema, which is about to be replaced, the schema itself.
func (s *staging) keepReferred(ctx context.Context, table *inlinedTable) error {
	var stored keyspace.InlineSchemaValue
	found, err := readMessage(ctx, s.latest, keyspace.InlineSchemaKey(table.id.table, table.id.version), &stored)
	if err != nil || !found {
		return err
	}
	prefix := keyspace.Prefix(keyspace.KindInlineSchema, table.id.table)
	iterator, err := s.latest.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	defer iterator.Close()
	for iterator.Next() {
		var other keyspace.InlineSchemaValue
		if err := keyspace.DecodeMessage(iterator.Value(), &other); err != nil {
			return recordError(bytes.Clone(iterator.Key()), err)
		}
		ids := registry.idsOfKey(string(iterator.Key()))
		staged := s.transaction.inlined[inlinedID{table: ids[0], version: ids[1]}.name()]
		if staged != nil && staged.hasNewSchema() {
			continue
		}
		if other.SameAsVersion == keyspace.Some(table.id.version) {
			other.ArrowSchema, other.SameAsVersion = stored.ArrowSchema, keyspace.Optional[uint64]{}
			s.batch.Put(bytes.Clone(iterator.Key()), keyspace.AppendMessage(nil, &other))
		}
	}
	return iterator.Err()
}

// registration is one schema version in the registry as a commit wants it.
type registration struct {
	exists     bool // the table is there
	registered bool
	marked     bool // as stored
	kept       bool // as stored
	row        relation.Row
}

// registry stages the rows of the registry and the markers, which follow from them and from which tables there are.
func (s *staging) registry(ctx context.Context) error {
	stage := &registryStaging{staging: s, member: s.member(registry), wanted: map[inlinedID]*registration{}}
	for _, table := range s.transaction.inlined {
		if table.schema != nil && (table.emptied || table.stored != table.present) {
			of, err := stage.of(ctx, table.id)
			if err != nil {
				return err
			}
			of.exists = table.present
		}
	}
	if err := stage.apply(ctx); err != nil {
		return err
	}
	for _, id := range stage.ids() {
		stage.finish(id, stage.wanted[id])
	}
	if err := stage.forget(ctx); err != nil {
		return err
	}
	return s.refuge(ctx, stage.member)
}

type registryStaging struct {
	*staging
	member *member
	wanted map[inlinedID]*registration
}

func (r *registryStaging) ids() []inlinedID {
	ids := make([]inlinedID, 0, len(r.wanted))
	for id := range r.wanted {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b inlinedID) int {
		if a.table != b.table {
			return compareIDs(a.table, b.table)
		}
		return compareIDs(a.version, b.version)
	})
	return ids
}

// of gives the registration of a schema version, as stored at first.
func (r *registryStaging) of(ctx context.Context, id inlinedID) (*registration, error) {
	if known := r.wanted[id]; known != nil {
		return known, nil
	}
	of := &registration{}
	var schema keyspace.InlineSchemaValue
	found, err := readMessage(ctx, r.latest, keyspace.InlineSchemaKey(id.table, id.version), &schema)
	if err != nil {
		return nil, err
	}
	var marker keyspace.InlineSchemaDroppedValue
	if of.marked, err = readMessage(ctx, r.latest, keyspace.InlineSchemaDroppedKey(id.table, id.version), &marker); err != nil {
		return nil, err
	}
	of.kept = marker.TableKept
	of.exists, of.registered = found && (!of.marked || of.kept), found && !of.marked
	r.wanted[id] = of
	return of, nil
}

// apply brings the changes of the registry's rows.
func (r *registryStaging) apply(ctx context.Context) error {
	var arriving []relation.Row
	if r.member.emptied() {
		if err := r.deregisterAll(ctx); err != nil {
			return err
		}
	}
	if r.member.changes != nil {
		for _, change := range r.member.changes.Changes() {
			stays, err := r.depart(ctx, change.Key)
			if err != nil {
				return err
			}
			if stays != "" {
				change.Key = stays
				r.member.refuge.changes = append(r.member.refuge.changes, change)
			} else if change.Row != nil {
				arriving = append(arriving, change.Row)
			}
		}
		arriving = append(arriving, r.member.changes.Inserted()...)
	}
	for _, row := range arriving {
		if err := r.arrive(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

// depart deregisters the row of a base key; stays is its key in the refuge, when it is there.
func (r *registryStaging) depart(ctx context.Context, key string) (stays string, err error) {
	if refugeKey, ok := registry.refugeKeyOf(key); ok {
		return refugeKey, nil
	}
	storeKey, ok := registry.recordKeyOf(key)
	if !ok {
		return "", nil
	}
	ids := registry.idsOfKey(storeKey)
	of, err := r.of(ctx, inlinedID{table: ids[0], version: ids[1]})
	if err == nil {
		of.registered = false
	}
	return "", err
}

func (r *registryStaging) deregisterAll(ctx context.Context) error {
	prefix := keyspace.Prefix(keyspace.KindInlineSchema)
	iterator, err := r.latest.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	defer iterator.Close()
	for iterator.Next() {
		ids := registry.idsOfKey(string(iterator.Key()))
		of, err := r.of(ctx, inlinedID{table: ids[0], version: ids[1]})
		if err != nil {
			return err
		}
		of.registered = false
	}
	return iterator.Err()
}

// arrive registers a table, or moves the row to the refuge when there is no such table, it is registered already, or the
// row has columns of its own.
func (r *registryStaging) arrive(ctx context.Context, row relation.Row) error {
	ids, ok := locateRegistered(row, r.member.wanted)
	if ok && len(r.member.wanted.columns) == len(registry.standard) {
		of, err := r.of(ctx, inlinedID{table: ids[0], version: ids[1]})
		if err != nil {
			return err
		}
		if of.exists && !of.registered {
			of.registered, of.row = true, row
			return nil
		}
	}
	r.member.refuge.inserted = append(r.member.refuge.inserted, row)
	return nil
}

// finish stages the marker of a schema version. A row whose table goes stays, in the refuge.
func (r *registryStaging) finish(id inlinedID, of *registration) {
	if of.registered && !of.exists {
		row := of.row
		if row == nil {
			row = r.registeredRow(id)
		}
		r.member.refuge.inserted = append(r.member.refuge.inserted, row)
		of.registered = false
	}
	key := keyspace.InlineSchemaDroppedKey(id.table, id.version)
	switch {
	case of.registered && of.marked:
		r.batch.Delete(key.Bytes())
	case !of.registered && (!of.marked || of.kept != of.exists):
		r.put(key, &keyspace.InlineSchemaDroppedValue{TableKept: of.exists})
	}
}

// registeredRow is the row of the registry that a schema record is.
func (r *registryStaging) registeredRow(id inlinedID) relation.Row {
	row := make(relation.Row, len(r.member.wanted.columns))
	for i, column := range r.member.wanted.columns {
		switch column.Name {
		case "table_id":
			row[i] = relation.Int(int64(id.table))
		case "schema_version":
			row[i] = relation.Int(int64(id.version))
		case "table_name":
			row[i] = relation.Text(id.name())
		}
	}
	return row
}
