package ducklake

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"moraine/keyspace"
	"moraine/overlay"
	"moraine/relation"
	"moraine/store"
)

// inlinedBase is the stored rows of a table of inlined rows: those in chunks, then those in the table's refuge.
//
// A row version is a place in a chunk. It begins with the chunk's snapshot and ends with the smallest tombstone of its row
// id above that (RFC 0005).
type inlinedBase struct {
	transaction *transaction
	table       *inlinedTable
	snapshot    func(context.Context) (store.Reader, error)
	refuge      overlay.Base
}

func (t *transaction) inlinedBase(table *inlinedTable, snapshot func(context.Context) (store.Reader, error)) *inlinedBase {
	return &inlinedBase{transaction: t, table: table, snapshot: snapshot, refuge: table.rows.Base(snapshot)}
}

// rowVersion names a row in a table of inlined rows.
type rowVersion struct {
	begin, row uint64
}

// key gives the base key of a row version: like those of catalog tables it starts with the table's name.
func (v rowVersion) key(table string) string {
	key := append(append(make([]byte, 0, len(table)+len(markRecord)+2*idSize), table...), markRecord...)
	return string(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(key, v.begin), v.row))
}

func rowVersionOf(table, key string) (rowVersion, bool) {
	rest, ok := strings.CutPrefix(key, table+markRecord)
	if !ok || len(rest) != 2*idSize {
		return rowVersion{}, false
	}
	ids := idsOf([]byte(rest))
	return rowVersion{begin: ids[0], row: ids[1]}, true
}

var _ overlay.BulkBase = (*inlinedBase)(nil)

// chunkKey names a chunk within a table of inlined rows.
type chunkKey struct {
	begin, sequence uint64
}

// Scan implements overlay.Base.
func (b *inlinedBase) Scan(ctx context.Context, request relation.ScanRequest, withKeys bool) (overlay.BaseCursor, error) {
	reader, err := b.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	cursor := &inlinedCursor{base: b, columns: request.Columns, withKeys: withKeys, row: math.MaxInt}
	if slices.Contains(request.Columns, endOfRowColumn) {
		if cursor.tombstones, err = readTombstones(ctx, reader, b.table.id.table, 0, math.MaxUint64); err != nil {
			return nil, b.transaction.corrupt(err)
		}
	}
	if cursor.iterator, err = b.chunks(ctx, reader, request.Predicates); err != nil {
		return nil, err
	}
	if !b.transaction.catalog.noRefuge() {
		cursor.refuge, err = b.refuge.Scan(ctx, relation.ScanRequest{Columns: request.Columns}, withKeys)
		if err != nil {
			cursor.Close()
			return nil, err
		}
	}
	return cursor, nil
}

// chunks iterates over the chunks that predicates on begin_snapshot leave.
func (b *inlinedBase) chunks(ctx context.Context, reader store.Reader, predicates []relation.Predicate) (store.Iterator, error) {
	lower, upper := int64(0), int64(math.MaxInt64)
	for i := range predicates {
		switch predicate := &predicates[i]; {
		case predicate.Column != beginColumn:
		case predicate.Comparison == relation.Equal:
			lower, upper = max(lower, predicate.Values[0].Int()), min(upper, predicate.Values[0].Int())
		default:
			lower, upper = narrow(predicate, lower, upper)
		}
	}
	id := b.table.id
	first := keyspace.Prefix(keyspace.KindInlineInsert, id.table, id.version, uint64(lower))
	last := store.PrefixEnd(keyspace.Prefix(keyspace.KindInlineInsert, id.table, id.version))
	if upper < math.MaxInt64 {
		last = keyspace.Prefix(keyspace.KindInlineInsert, id.table, id.version, uint64(max(upper+1, lower)))
	}
	return reader.Scan(ctx, first, last)
}

// tombstones are the ends of row versions by row id, ascending.
type tombstones map[uint64][]uint64

// end gives where a row version ends; false for a live one.
func (t tombstones) end(row, begin uint64) (uint64, bool) {
	for _, end := range t[row] {
		if end > begin {
			return end, true
		}
	}
	return 0, false
}

// readTombstones reads the tombstones of the row ids from first to last, inclusive.
func readTombstones(ctx context.Context, reader store.Reader, table, first, last uint64) (tombstones, error) {
	prefix := keyspace.Prefix(keyspace.KindInlineRowTombstone, table)
	lower := keyspace.Prefix(keyspace.KindInlineRowTombstone, table, first)
	upper := store.PrefixEnd(keyspace.Prefix(keyspace.KindInlineRowTombstone, table, last))
	iterator, err := reader.Scan(ctx, lower, upper)
	if err != nil {
		return nil, err
	}
	defer iterator.Close()
	found := tombstones{}
	var stored keyspace.InlineInlineDeleteValue
	for iterator.Next() {
		ids := iterator.Key()[len(prefix):]
		if len(ids) != 2*idSize {
			return nil, recordError(bytes.Clone(iterator.Key()), keyspace.ErrCorrupt)
		}
		if err := keyspace.DecodeRecordAliased(iterator.Key(), iterator.Value(), &stored); err != nil {
			return nil, recordError(bytes.Clone(iterator.Key()), err)
		}
		row := binary.BigEndian.Uint64(ids)
		found[row] = append(found[row], binary.BigEndian.Uint64(ids[idSize:]))
	}
	return found, iterator.Err()
}

// openChunk is a chunk whose rows can be read.
type openChunk struct {
	key    chunkKey
	header keyspace.InlineChunkValue
	body   chunkBody
	arrays []inlinedArray
}

// open reads a chunk's record. The arrays lie in value.
func (c *openChunk) open(schema *inlinedSchema, key, value []byte) error {
	if len(key) < 2*idSize {
		return recordError(bytes.Clone(key), keyspace.ErrCorrupt)
	}
	ids := key[len(key)-2*idSize:]
	c.key = chunkKey{begin: binary.BigEndian.Uint64(ids), sequence: binary.BigEndian.Uint64(ids[idSize:])}
	err := keyspace.DecodeMessageAliased(value, &c.header)
	if err == nil {
		err = c.body.parseRecord(&c.header)
	}
	if err == nil {
		c.arrays, err = schema.arraysOf(&c.body, int(c.header.RowCount), c.arrays)
	}
	if err != nil {
		return recordError(bytes.Clone(key), err)
	}
	return nil
}

// read gives the columns of a row.
func (c *openChunk) read(row int, columns []int, tombstones tombstones, strings *arena, to relation.Row) error {
	id := c.header.RowIDStart + uint64(row)
	for i, column := range columns {
		switch column {
		case rowIDColumn:
			to[i] = relation.Int(int64(id))
		case beginColumn:
			to[i] = relation.Int(int64(c.key.begin))
		case endOfRowColumn:
			if end, ended := tombstones.end(id, c.key.begin); ended {
				to[i] = relation.Int(int64(end))
			}
		default:
			value, err := c.arrays[column-headColumns].value(row, strings)
			if err != nil {
				return err
			}
			to[i] = value
		}
	}
	return nil
}

// inlinedCursor reads the chunks in the order of their keys, which is that of insertion.
type inlinedCursor struct {
	base       *inlinedBase
	columns    []int
	withKeys   bool
	tombstones tombstones

	iterator store.Iterator
	chunk    openChunk
	row      int // next row of the chunk
	strings  arena
	refuge   overlay.BaseCursor
	batch    overlay.BaseBatch
}

// Next implements overlay.BaseCursor.
func (c *inlinedCursor) Next(ctx context.Context) (*overlay.BaseBatch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.batch.Reset(len(c.columns))
	for c.batch.Length < batchRows {
		more, err := c.step()
		if err != nil {
			return nil, c.base.transaction.corrupt(err)
		}
		if !more {
			break
		}
	}
	if c.batch.Length > 0 {
		return &c.batch, nil
	}
	return c.nextRefuge(ctx)
}

// step takes a row; false at the end.
func (c *inlinedCursor) step() (bool, error) {
	for c.row >= int(c.chunk.header.RowCount) {
		if !c.iterator.Next() {
			return false, c.iterator.Err()
		}
		value := c.strings.copy(c.iterator.Value())
		if err := c.chunk.open(c.base.table.schema, c.iterator.Key(), value); err != nil {
			return false, err
		}
		c.row = 0
	}
	if err := c.chunk.read(c.row, c.columns, c.tombstones, &c.strings, c.batch.Append()); err != nil {
		return false, recordError(bytes.Clone(c.iterator.Key()), err)
	}
	if c.withKeys {
		version := rowVersion{begin: c.chunk.key.begin, row: c.chunk.header.RowIDStart + uint64(c.row)}
		c.batch.Keys = append(c.batch.Keys, version.key(c.base.table.name))
	}
	c.row++
	return true, nil
}

func (c *inlinedCursor) nextRefuge(ctx context.Context) (*overlay.BaseBatch, error) {
	if c.refuge == nil {
		return nil, nil
	}
	batch, err := c.refuge.Next(ctx)
	if batch != nil {
		for i := range batch.Keys {
			batch.Keys[i] = c.base.table.name + markRefuge + batch.Keys[i]
		}
	}
	return batch, err
}

// Close implements overlay.BaseCursor.
func (c *inlinedCursor) Close() {
	if c.iterator != nil {
		_ = c.iterator.Close()
		c.iterator = nil
	}
	if c.refuge != nil {
		c.refuge.Close()
		c.refuge = nil
	}
}

// Get implements overlay.Base.
func (b *inlinedBase) Get(ctx context.Context, key string) (relation.Row, bool, error) {
	rows, err := b.GetAll(ctx, []string{key})
	if err != nil {
		return nil, false, err
	}
	return rows[0], rows[0] != nil, nil
}

// GetAll implements overlay.BulkBase: one scan of the chunks from the first that is wanted to the last.
func (b *inlinedBase) GetAll(ctx context.Context, keys []string) ([]relation.Row, error) {
	rows := make([]relation.Row, len(keys))
	wanted := make(map[string]int, len(keys))
	first, last := int64(math.MaxInt64), int64(0)
	for i, key := range keys {
		if refugeKey, ok := strings.CutPrefix(key, b.table.name+markRefuge); ok {
			var err error
			if rows[i], _, err = b.refuge.Get(ctx, refugeKey); err != nil {
				return nil, err
			}
		} else if version, ok := rowVersionOf(b.table.name, key); ok {
			wanted[key] = i
			first, last = min(first, int64(version.begin)), max(last, int64(version.begin))
		}
	}
	if len(wanted) == 0 {
		return rows, nil
	}
	columns := make([]int, headColumns+len(b.table.schema.columns))
	for i := range columns {
		columns[i] = i
	}
	cursor, err := b.Scan(ctx, relation.ScanRequest{Columns: columns, Predicates: []relation.Predicate{
		{Column: beginColumn, Comparison: relation.GreaterOrEqual, Values: []relation.Value{relation.Int(first)}},
		{Column: beginColumn, Comparison: relation.LessOrEqual, Values: []relation.Value{relation.Int(last)}},
	}}, true)
	if err != nil {
		return nil, err
	}
	defer cursor.Close()
	for len(wanted) > 0 {
		batch, err := cursor.Next(ctx)
		if err != nil || batch == nil {
			return rows, err
		}
		for i, key := range batch.Keys {
			if place, ok := wanted[key]; ok {
				rows[place] = slices.Clone(batch.Row(i))
				delete(wanted, key)
			}
		}
	}
	return rows, nil
}
