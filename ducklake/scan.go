package ducklake

import (
	"bytes"
	"context"
	"encoding/binary"

	"moraine/keyspace"
	"moraine/overlay"
	"moraine/relation"
	"moraine/store"
)

// batchRows is how many rows a batch of a scan holds at most, but for the rows of one record.
const batchRows = 1024

// recordBase is the stored rows of one catalog table: those in records, then those in the table's refuge.
type recordBase struct {
	transaction *transaction
	table       *catalogTable
	layout      *layout
	refuge      *refuge
	snapshot    func(context.Context) (store.Reader, error)
}

// Scan implements overlay.Base.
func (b *recordBase) Scan(ctx context.Context, request relation.ScanRequest, withKeys bool) (overlay.BaseCursor, error) {
	reader, err := b.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	cursor := &recordCursor{
		base: b, columns: request.Columns, withKeys: withKeys,
		rows: b.table.codec.reader(), record: record{message: keyspace.NewMessage(b.table.family.current)},
		textual: b.table.textual(b.layout, request.Columns) || withKeys,
		sieves:  b.sieves(request.Predicates),
	}
	if cursor.plan, err = b.layout.plan(request.Predicates, b.resolver(ctx, reader)); err != nil {
		return nil, b.transaction.corrupt(err)
	}
	cursor.orderByInsertion()
	if b.table == registry {
		if cursor.excluded, err = unregistered(ctx, reader); err != nil {
			return nil, b.transaction.corrupt(err)
		}
	}
	if cursor.leading, err = b.synthetic(ctx, reader); err != nil {
		return nil, err
	}
	if err := cursor.useImage(ctx, reader); err != nil {
		return nil, err
	}
	if err := cursor.open(ctx, reader); err != nil {
		cursor.Close()
		return nil, err
	}
	cursor.refuge, err = b.refuge.scan(ctx, relation.ScanRequest{Columns: request.Columns}, withKeys)
	if err != nil {
		cursor.Close()
		return nil, err
	}
	return cursor, nil
}

// textual tells whether any of the columns has strings, which then must outlive the iterator.
func (t *catalogTable) textual(layout *layout, columns []int) bool {
	for _, ordinal := range columns {
		if layout.fields[ordinal] < 0 {
			return true
		}
		switch layout.columns[ordinal].Type.OID {
		case relation.Int8OID, relation.BoolOID, relation.TimestampTZOID:
		default:
			return true
		}
	}
	return false
}

// side is one of the two ranges that a scan merges: the live records or the ended ones.
type side struct {
	iterator store.Iterator // nil when there is none
	prefix   []byte
	upper    []byte // of the present range, as a whole key; nil means to the end
	fresh    bool   // the iterator has not been moved yet
	ended    bool   // the iterator is at its end
	valid    bool
}

// ids gives the part of the present key behind the kind's leading bytes.
func (s *side) ids() []byte { return s.iterator.Key()[len(s.prefix):] }

func (s *side) close() {
	if s.iterator != nil {
		_ = s.iterator.Close()
		s.iterator = nil
	}
}

// check makes the side invalid when it has left its range.
func (s *side) check(moved bool) error {
	s.valid = moved && (s.upper == nil || bytes.Compare(s.iterator.Key(), s.upper) < 0)
	if !moved {
		s.ended = true
		return s.iterator.Err()
	}
	return nil
}

func (s *side) seek(ids []byte) error {
	return s.check(s.iterator.SeekGE(append(bytes.Clone(s.prefix), ids...)))
}

// enter moves the side to the start of a range. An iterator that stands behind the start already stays.
func (s *side) enter(bounds idRange) error {
	if s.iterator == nil || s.ended {
		return nil
	}
	s.upper = nil
	if bounds.upper != nil {
		s.upper = append(bytes.Clone(s.prefix), bounds.upper...)
	}
	if s.fresh {
		s.fresh = false
		return s.check(s.iterator.Next())
	}
	lower := append(bytes.Clone(s.prefix), bounds.lower...)
	if bytes.Compare(s.iterator.Key(), lower) >= 0 {
		return s.check(true)
	}
	return s.check(s.iterator.SeekGE(lower))
}

// recordCursor reads the records of a family in the order of their ids, the ended versions of an entity before the live
// one, and gives the rows of one table.
type recordCursor struct {
	base     *recordBase
	columns  []int
	withKeys bool
	textual  bool
	plan     scanPlan
	next     int // range
	sieves   []sieve

	rows    rowReader
	record  record
	current side
	history side

	image     *imageScan
	collector *imageCollector
	ordering  bool
	gathered  []gatheredRecord

	leading   []keyedRow
	excluded  map[string]bool // ids of records that are not rows
	strings   arena
	scratch   []byte
	key       []byte // of the present record
	scratchID [maxComponents]uint64
	names     map[string]int
	whole     relation.Row // the row being named
	refuge    overlay.BaseCursor
	batch     overlay.BaseBatch
}

// maxComponents is the number of ids in the longest key of a family.
const maxComponents = 3

// keyedRow is a whole row with its base key.
type keyedRow struct {
	key string
	row relation.Row
}

func (c *recordCursor) open(ctx context.Context, reader store.Reader) error {
	if len(c.plan.ranges) == 0 {
		return nil
	}
	family := c.base.table.family
	if err := c.openSide(ctx, reader, &c.current, family.current); err != nil {
		return err
	}
	if !family.versioned() {
		return nil
	}
	err := c.openSide(ctx, reader, &c.history, family.history)
	if err != nil {
		c.current.close()
	}
	return err
}

func (c *recordCursor) openSide(ctx context.Context, reader store.Reader, side *side, kind keyspace.Kind) (err error) {
	ranges := c.plan.ranges
	side.prefix, side.fresh = keyspace.Prefix(kind, c.base.table.scope...), true
	upper := store.PrefixEnd(side.prefix)
	if last := ranges[len(ranges)-1].upper; last != nil {
		upper = append(bytes.Clone(side.prefix), last...)
	}
	side.iterator, err = reader.Scan(ctx, append(bytes.Clone(side.prefix), ranges[0].lower...), upper)
	return err
}

// Next implements overlay.BaseCursor.
func (c *recordCursor) Next(ctx context.Context) (*overlay.BaseBatch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.batch.Reset(len(c.columns))
	c.takeLeading()
	for c.batch.Length < batchRows {
		more, err := c.step()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
	}
	if c.batch.Length > 0 {
		return &c.batch, nil
	}
	if c.refuge == nil {
		return nil, nil
	}
	return c.refuge.Next(ctx)
}

func (c *recordCursor) takeLeading() {
	for _, leading := range c.leading {
		row := c.batch.Append()
		for i, ordinal := range c.columns {
			row[i] = leading.row[ordinal]
		}
		if c.withKeys {
			c.batch.Keys = append(c.batch.Keys, leading.key)
		}
	}
	c.leading = nil
}

// step takes the rows of one record; false at the end.
func (c *recordCursor) step() (bool, error) {
	switch {
	case c.image != nil:
		return c.stepImage()
	case c.ordering:
		if err := c.gather(); err != nil {
			return false, err
		}
	}
	if len(c.gathered) > 0 {
		return true, c.takeGathered()
	}
	record, more, err := c.fetch()
	if err != nil || !more || record == nil {
		return more, err
	}
	return true, c.take(record)
}

// fetch moves to the next record. It gives nil and more when the key that it came to has no row of the table.
func (c *recordCursor) fetch() (record []byte, more bool, err error) {
	for !c.current.valid && !c.history.valid {
		if c.next == len(c.plan.ranges) {
			c.finishImage()
			return nil, false, nil
		}
		bounds := c.plan.ranges[c.next]
		c.next++
		if err := c.current.enter(bounds); err != nil {
			return nil, false, err
		}
		if err := c.history.enter(bounds); err != nil {
			return nil, false, err
		}
	}
	side := &c.current
	if c.history.valid && (!c.current.valid || bytes.Compare(c.entityOf(&c.history), c.current.ids()) <= 0) {
		side = &c.history
	}
	if c.plan.skipped && side == &c.current {
		if here, err := c.skip(); err != nil || !here {
			return nil, true, err
		}
	}
	record, err = c.read(side)
	return record, true, err
}

// entityOf gives the ids of the entity at a side, without where its version ended.
func (c *recordCursor) entityOf(side *side) []byte {
	ids := side.ids()
	return ids[:min(len(ids), c.base.table.idBytes())]
}

// skip moves the live side to the next record whose last id is the wanted one; here tells that it stands there.
func (c *recordCursor) skip() (here bool, err error) {
	ids := c.current.ids()
	size := c.base.table.idBytes()
	if len(ids) != size {
		return true, nil // taking the record will refuse the key
	}
	last := binary.BigEndian.Uint64(ids[size-idSize:])
	if last == c.plan.skip {
		return true, nil
	}
	target := append(c.scratch[:0], ids[:size-idSize]...)
	if last > c.plan.skip {
		before := target[:size-2*idSize]
		middle := binary.BigEndian.Uint64(target[size-2*idSize:]) + 1
		if middle == 0 {
			c.scratch = target
			return false, c.current.seek(store.PrefixEnd(before))
		}
		target = binary.BigEndian.AppendUint64(before, middle)
	}
	c.scratch = binary.BigEndian.AppendUint64(target, c.plan.skip)
	return false, c.current.seek(c.scratch)
}

// read reads the record at a side, nil for one that has no row of the table, and moves on.
func (c *recordCursor) read(side *side) ([]byte, error) {
	table := c.base.table
	key, value := side.iterator.Key(), side.iterator.Value()
	ids := side.ids()
	if !c.wellFormed(side, ids) || len(value) == 0 {
		return nil, c.base.corrupt(key, nil)
	}
	if !c.passes(value) {
		return nil, side.check(side.iterator.Next())
	}
	for i := range table.idBytes() / idSize {
		c.scratchID[i] = binary.BigEndian.Uint64(ids[i*idSize:])
	}
	c.key = append(c.key[:0], key...)
	if c.textual {
		value = c.strings.copy(value)
		c.collect(value)
	} else {
		c.scratch = append(c.scratch[:0], value...)
		value = c.scratch
	}
	ended := side == &c.history
	if err := side.check(side.iterator.Next()); err != nil {
		return nil, err
	}
	if c.hidden() || table.embedded() && ended && c.continued() {
		return nil, nil
	}
	return value, nil
}

// take gives the rows of a record, whose key is the present one.
func (c *recordCursor) take(value []byte) error {
	if err := keyspace.DecodeRecordAliased(c.key, value, c.record.message); err != nil {
		return c.base.corrupt(c.key, err)
	}
	c.record.ids = c.scratchID[:c.base.table.idBytes()/idSize]
	return c.emit()
}

// hidden tells whether the record just read is no row of the table.
func (c *recordCursor) hidden() bool {
	return len(c.excluded) > 0 && c.excluded[string(idBytesOf(c.scratchID[:c.base.table.idBytes()/idSize]))]
}

func (c *recordCursor) wellFormed(side *side, ids []byte) bool {
	size := c.base.table.idBytes()
	if side == &c.history {
		size += idSize
	}
	return len(ids) == size
}

// continued tells whether the next record is a newer version of the entity just read. An entity's embedded rows are those
// of its newest version: they are carried along (RFC 0012), and the older copies say nothing new.
func (c *recordCursor) continued() bool {
	for _, side := range []*side{&c.history, &c.current} {
		if !side.valid {
			continue
		}
		ids, same := c.entityOf(side), true
		for i := 0; i*idSize < len(ids) && same; i++ {
			same = binary.BigEndian.Uint64(ids[i*idSize:]) == c.scratchID[i]
		}
		if same {
			return true
		}
	}
	return false
}

// emit appends the rows of the present record to the batch.
func (c *recordCursor) emit() error {
	table, layout, record := c.base.table, c.base.layout, &c.record
	count := table.codec.count(record.message)
	if c.withKeys && table.embedded() {
		clear(c.names)
	}
	for i := range count {
		row := c.batch.Append()
		if err := c.rows.read(record, i, layout, c.columns, &c.strings, row); err != nil {
			return c.base.corrupt(c.key, err)
		}
		if !c.withKeys {
			continue
		}
		key, err := c.rowKey(i)
		if err != nil {
			return err
		}
		c.batch.Keys = append(c.batch.Keys, key)
	}
	return nil
}

func (c *recordCursor) rowKey(index int) (string, error) {
	table, layout := c.base.table, c.base.layout
	if !table.embedded() {
		return table.recordKey(string(c.key)), nil
	}
	if c.names == nil {
		c.names, c.whole = map[string]int{}, make(relation.Row, len(layout.ordinals))
	}
	if err := c.rows.read(&c.record, index, layout, layout.ordinals, &c.strings, c.whole); err != nil {
		return "", c.base.corrupt(c.key, err)
	}
	name := embeddedName{ids: string(idBytesOf(c.record.ids)), content: layout.contentOf(c.whole)}
	name.ordinal = c.names[name.content]
	c.names[name.content]++
	return table.embeddedKey(name), nil
}

// Close implements overlay.BaseCursor.
func (c *recordCursor) Close() {
	if c.collector != nil {
		c.collector.cancel()
		c.collector = nil
	}
	c.current.close()
	c.history.close()
	if c.refuge != nil {
		c.refuge.Close()
		c.refuge = nil
	}
}

// Get implements overlay.Base.
func (b *recordBase) Get(ctx context.Context, key string) (relation.Row, bool, error) {
	if refugeKey, ok := b.table.refugeKeyOf(key); ok {
		return b.refuge.get(ctx, refugeKey)
	}
	reader, err := b.snapshot(ctx)
	if err != nil {
		return nil, false, err
	}
	if name, ok := b.table.syntheticNameOf(key); ok {
		return b.getSynthetic(ctx, reader, name)
	}
	if storeKey, ok := b.table.recordKeyOf(key); ok {
		return b.getRecord(ctx, reader, storeKey)
	}
	name, ok := b.table.embeddedNameOf(key)
	if !ok {
		return nil, false, nil
	}
	entity, err := loadEntity(ctx, reader, b.table.family, b.layouts(), name.ids)
	if err != nil {
		return nil, false, b.transaction.corrupt(err)
	}
	child := entity.child(b.table, name)
	if child == nil {
		return nil, false, nil
	}
	return child.row, true, nil
}

// layouts gives the table's own layout, and the standard one for the other tables of its family.
func (b *recordBase) layouts() layouts {
	return func(table *catalogTable) *layout {
		if table == b.table {
			return b.layout
		}
		return table.standardLayout
	}
}

// corrupt makes an error of a record that could not be read.
func (b *recordBase) corrupt(key []byte, cause error) error {
	if cause == nil {
		cause = keyspace.ErrCorrupt
	}
	return b.transaction.corrupt(recordError(bytes.Clone(key), cause))
}

func (b *recordBase) getRecord(ctx context.Context, reader store.Reader, storeKey string) (relation.Row, bool, error) {
	value, found, err := reader.Get(ctx, []byte(storeKey))
	if err != nil || !found {
		return nil, false, err
	}
	message := keyspace.NewMessage(b.table.family.current)
	if err := keyspace.DecodeRecordAliased([]byte(storeKey), value, message); err != nil {
		return nil, false, b.corrupt([]byte(storeKey), err)
	}
	rows, err := readRows(b.table, &record{ids: b.table.idsOfKey(storeKey), message: message}, b.layout)
	if err != nil {
		return nil, false, b.corrupt([]byte(storeKey), err)
	}
	return rows[0], true, nil
}
