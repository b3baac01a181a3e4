package rowstore

import (
	"bytes"
	"context"
	"encoding/binary"

	"moraine/keyspace"
	"moraine/overlay"
	"moraine/relation"
	"moraine/store"
)

// Tags behind a prefix.
const (
	counterTag byte = iota
	rowTag
)

// namedTag follows the subspace's byte in the prefixes that NamedPrefix gives; the tags below it are usertable's.
const namedTag byte = 0x10

// numberSize is the length of a row number in a key.
const numberSize = 8

// batchRows is how many rows a batch of a scan holds at most.
const batchRows = 1024

// NamedPrefix gives the prefix, in the subspace of plain tables, of the row store with that name.
func NamedPrefix(name string) []byte {
	prefix := append(keyspace.SubspaceUserTable.Prefix(), namedTag)
	for i := range len(name) {
		prefix = append(prefix, name[i])
		if name[i] == 0x00 {
			prefix = append(prefix, 0xff)
		}
	}
	return append(prefix, 0x00, 0x01)
}

// Rows is the rows of one relation under one prefix. It holds no state and may be used by several goroutines.
type Rows struct {
	prefix []byte
	lower  []byte // of the rows' keys
	codec  *Codec
}

// New makes the row store of a definition under a prefix.
func New(prefix []byte, definition *relation.Definition) *Rows {
	return NewFilled(prefix, definition, nil)
}

// NewFilled is New with the values, by column number, that rows older than a column have in it.
func NewFilled(prefix []byte, definition *relation.Definition, fill map[int16]relation.Value) *Rows {
	prefix = bytes.Clone(prefix)
	return &Rows{prefix: prefix, lower: append(bytes.Clone(prefix), rowTag), codec: NewCodec(definition, fill)}
}

// Base gives the rows as the base of an overlay; snapshot gives the state to read, for each read. The key of a row is its
// key in the store.
func (r *Rows) Base(snapshot func(ctx context.Context) (store.Reader, error)) overlay.Base {
	return &base{rows: r, snapshot: snapshot}
}

// Stage adds inserted rows, under new numbers, and changed ones, by the keys that Base gave them, to the batch. latest is
// the newest committed state. It ends early with store.ErrBatchFull. At most one call for each prefix may go into a batch.
func (r *Rows) Stage(ctx context.Context, latest store.Reader, inserted []relation.Row, changes []overlay.Change, batch *store.Batch) error {
	for _, change := range changes {
		if err := batch.Err(); err != nil {
			return err
		}
		if change.Row == nil {
			batch.Delete([]byte(change.Key))
			continue
		}
		batch.Put([]byte(change.Key), r.codec.Append(nil, change.Row))
	}
	if len(inserted) == 0 {
		return nil
	}
	counter := append(bytes.Clone(r.prefix), counterTag)
	next, err := r.nextNumber(ctx, latest, counter)
	if err != nil {
		return err
	}
	var scratch []byte
	for i, row := range inserted {
		if err := batch.Err(); err != nil {
			return err
		}
		scratch = r.codec.Append(scratch[:0], row)
		batch.Put(r.rowKey(next+uint64(i)), bytes.Clone(scratch))
	}
	batch.Put(counter, binary.BigEndian.AppendUint64(nil, next+uint64(len(inserted))))
	return nil
}

func (r *Rows) nextNumber(ctx context.Context, latest store.Reader, counter []byte) (uint64, error) {
	value, found, err := latest.Get(ctx, counter)
	switch {
	case err != nil:
		return 0, err
	case !found:
		return 0, nil
	case len(value) != numberSize:
		return 0, r.corrupt(counter, corrupt("the row counter has %d bytes", len(value)))
	}
	return binary.BigEndian.Uint64(value), nil
}

// corrupt names a record and the lake, whose schema the definition has.
func (r *Rows) corrupt(key []byte, err error) error {
	return Corrupt(r.codec.definition.Schema, key, err)
}

func (r *Rows) rowKey(number uint64) []byte {
	key := make([]byte, 0, len(r.lower)+numberSize)
	return binary.BigEndian.AppendUint64(append(key, r.lower...), number)
}

// Empty tells whether the state has no row.
func (r *Rows) Empty(ctx context.Context, reader store.Reader) (bool, error) {
	iterator, err := reader.Scan(ctx, r.lower, store.PrefixEnd(r.lower))
	if err != nil {
		return false, err
	}
	defer iterator.Close()
	return !iterator.Next(), iterator.Err()
}

type base struct {
	rows     *Rows
	snapshot func(ctx context.Context) (store.Reader, error)
}

// Number implements overlay.Numbered: the number of a row, which no other row ever has.
func (b *base) Number(key string) (uint64, bool) {
	if len(key) != len(b.rows.lower)+numberSize {
		return 0, false
	}
	return binary.BigEndian.Uint64([]byte(key[len(b.rows.lower):])), true
}

// Get gives the row of a key.
func (b *base) Get(ctx context.Context, key string) (relation.Row, bool, error) {
	reader, err := b.snapshot(ctx)
	if err != nil {
		return nil, false, err
	}
	value, found, err := reader.Get(ctx, []byte(key))
	if err != nil || !found {
		return nil, false, err
	}
	row := make(relation.Row, len(b.rows.codec.fill))
	if err := b.rows.codec.Decode(string(value), row); err != nil {
		return nil, false, b.rows.corrupt([]byte(key), err)
	}
	return row, true, nil
}

// Scan reads all rows; the predicates are left to the caller, which checks them.
func (b *base) Scan(ctx context.Context, request relation.ScanRequest, withKeys bool) (overlay.BaseCursor, error) {
	reader, err := b.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	iterator, err := reader.Scan(ctx, b.rows.lower, store.PrefixEnd(b.rows.lower))
	if err != nil {
		return nil, err
	}
	return &cursor{
		rows: b.rows, iterator: iterator, columns: request.Columns, withKeys: withKeys,
		row: make(relation.Row, len(b.rows.codec.fill)),
	}, nil
}

type cursor struct {
	rows     *Rows
	iterator store.Iterator
	columns  []int
	withKeys bool
	row      relation.Row
	batch    overlay.BaseBatch
}

// Next gives the next batch.
func (c *cursor) Next(ctx context.Context) (*overlay.BaseBatch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.batch.Reset(len(c.columns))
	for c.batch.Length < batchRows && c.iterator.Next() {
		if err := c.rows.codec.Decode(string(c.iterator.Value()), c.row); err != nil {
			return nil, c.rows.corrupt(c.iterator.Key(), err)
		}
		to := c.batch.Append()
		for i, column := range c.columns {
			to[i] = c.row[column]
		}
		if c.withKeys {
			c.batch.Keys = append(c.batch.Keys, string(c.iterator.Key()))
		}
	}
	if err := c.iterator.Err(); err != nil {
		return nil, err
	}
	if c.batch.Length == 0 {
		return nil, nil
	}
	return &c.batch, nil
}

// Close ends the scan.
func (c *cursor) Close() { _ = c.iterator.Close() }
