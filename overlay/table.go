package overlay

import (
	"context"
	"maps"
	"slices"

	"moraine/relation"
)

// Table is one relation of a transaction: the rows of a Base under the transaction's own inserts, updates and deletes. It
// implements relation.Writable without constraints; a domain that has some wraps it.
type Table struct {
	definition  *relation.Definition
	environment Environment
	base        Base
	memory      *Memory

	changes
	identities
}

// changes is what a transaction has done to a table. An open cursor reads the changes that there were when it started, so
// they are copied before the first change behind an open cursor.
type changes struct {
	inserted []insertedRow
	changed  map[string]changedRow
	order    []string // the keys of changed, in the order of first change

	generation uint64 // counts the copies
	cursors    int    // open cursors that read this copy
}

type insertedRow struct {
	row      relation.Row // nil once deleted
	identity relation.RowIdentity
	numbered bool
}

type changedRow struct {
	row relation.Row // nil when deleted
	// undone tells that a rollback to a savepoint took the change back.
	undone bool
}

// NewTable makes an overlay without changes, whose memory is counted.
func NewTable(definition *relation.Definition, environment Environment, base Base, memory *Memory) *Table {
	return &Table{
		definition: definition, environment: environment, base: base, memory: memory,
		changes: changes{changed: map[string]changedRow{}}, identities: newIdentities(base),
	}
}

// Derive makes an overlay with another definition and base, under the same changes with each row converted. Identities
// are not carried over, and t is not changed.
func (t *Table) Derive(definition *relation.Definition, base Base, convert func(relation.Row) relation.Row) *Table {
	derived := NewTable(definition, t.environment, base, t.memory)
	for _, row := range t.Inserted() {
		derived.inserted = append(derived.inserted, insertedRow{row: convert(row)})
	}
	for _, change := range t.Changes() {
		if change.Row != nil {
			change.Row = convert(change.Row)
		}
		derived.changed[change.Key] = changedRow{row: change.Row}
		derived.order = append(derived.order, change.Key)
	}
	return derived
}

// Definition describes the relation.
func (t *Table) Definition() *relation.Definition { return t.definition }

// Environment gives the transaction that the table belongs to.
func (t *Table) Environment() Environment { return t.environment }

// Insert adds rows.
func (t *Table) Insert(ctx context.Context, rows []relation.Row) error {
	if err := t.environment.BeginWrite(ctx); err != nil {
		return err
	}
	size := sizeOf(rows...)
	if err := t.memory.take(size); err != nil {
		return err
	}
	before := len(t.inserted)
	for _, row := range rows {
		t.inserted = append(t.inserted, insertedRow{row: row})
	}
	after := len(t.inserted)
	t.environment.Journal(func() {
		// The places stay taken: an identity must not come to name another row.
		t.own()
		for i := before; i < after; i++ {
			t.inserted[i].row = nil
		}
		t.memory.release(size)
	})
	return nil
}

// Update replaces a row.
func (t *Table) Update(ctx context.Context, identity relation.RowIdentity, row relation.Row) error {
	_, err := t.change(ctx, identity, row, ToUpdate)
	return err
}

// Delete removes a row; false when this transaction has already removed it.
func (t *Table) Delete(ctx context.Context, identity relation.RowIdentity) (bool, error) {
	return t.change(ctx, identity, nil, ToDelete)
}

// Lock takes the row's lock to the end of the transaction and leaves the row as it is.
func (t *Table) Lock(ctx context.Context, identity relation.RowIdentity) error {
	if err := t.environment.BeginWrite(ctx); err != nil {
		return err
	}
	location, known := t.locate(identity)
	if !known || location.inserted >= 0 {
		return nil // a row of this transaction is its own
	}
	return t.environment.Lock(ctx, location.key, ToUpdate)
}

func (t *Table) change(ctx context.Context, identity relation.RowIdentity, row relation.Row, intent Intent) (bool, error) {
	if err := t.environment.BeginWrite(ctx); err != nil {
		return false, err
	}
	location, known := t.locate(identity)
	if !known {
		return false, nil
	}
	if location.inserted >= 0 {
		return t.changeInserted(location.inserted, row)
	}
	if err := t.environment.Lock(ctx, location.key, intent); err != nil {
		return false, err
	}
	return t.changeBase(location.key, row)
}

func (t *Table) changeInserted(index int, row relation.Row) (bool, error) {
	before := t.inserted[index].row
	if before == nil {
		return false, nil
	}
	size := sizeOf(row)
	if err := t.memory.take(size); err != nil {
		return false, err
	}
	t.own()
	t.inserted[index].row = row
	t.environment.Journal(func() {
		t.own()
		t.inserted[index].row = before
		t.memory.release(size)
	})
	return true, nil
}

func (t *Table) changeBase(key string, row relation.Row) (bool, error) {
	before, present := t.changed[key]
	if present && !before.undone && before.row == nil {
		return false, nil
	}
	size := sizeOf(row)
	if !present {
		size += int64(len(key))
	}
	if err := t.memory.take(size); err != nil {
		return false, err
	}
	t.own()
	if !present {
		before.undone = true
		t.order = append(t.order, key)
	}
	t.changed[key] = changedRow{row: row}
	t.environment.Journal(func() {
		t.own()
		t.changed[key] = before
		t.memory.release(size)
	})
	return true, nil
}

// own makes sure that no open cursor reads the changes that are about to be changed in place.
func (t *Table) own() {
	if t.cursors == 0 {
		return
	}
	t.inserted, t.changed, t.order = slices.Clone(t.inserted), maps.Clone(t.changed), slices.Clone(t.order)
	t.generation++
	t.cursors = 0
}

// Change is what became of one base row: Row is its new content, or nil when it was deleted.
type Change struct {
	Key string
	Row relation.Row
}

// Changes gives the changed base rows in the order in which they were first changed.
func (t *Table) Changes() []Change {
	changes := make([]Change, 0, len(t.order))
	for _, key := range t.order {
		if change := t.changed[key]; !change.undone {
			changes = append(changes, Change{Key: key, Row: change.row})
		}
	}
	return changes
}

// Inserted gives the rows that were inserted and not deleted again, in order.
func (t *Table) Inserted() []relation.Row {
	rows := make([]relation.Row, 0, len(t.inserted))
	for i := range t.inserted {
		if t.inserted[i].row != nil {
			rows = append(rows, t.inserted[i].row)
		}
	}
	return rows
}

// InsertedCount gives about how many rows were inserted: those that were deleted again count too.
func (t *Table) InsertedCount() int { return len(t.inserted) }

// Dirty tells whether there is any change.
func (t *Table) Dirty() bool {
	for i := range t.inserted {
		if t.inserted[i].row != nil {
			return true
		}
	}
	for _, change := range t.changed {
		if !change.undone {
			return true
		}
	}
	return false
}

// Row gives the present content of a row, nil when there is none.
func (t *Table) Row(ctx context.Context, identity relation.RowIdentity) (relation.Row, error) {
	location, known := t.locate(identity)
	if !known {
		return nil, nil
	}
	if location.inserted >= 0 {
		return t.inserted[location.inserted].row, nil
	}
	if content, replaced := replacement(t.changed, location.key); replaced {
		return content, nil
	}
	row, _, err := t.base.Get(ctx, location.key)
	return row, err
}

// replacement gives the content that stands in the place of a base row (nil when deleted), if it was changed.
func replacement(changed map[string]changedRow, key string) (content relation.Row, replaced bool) {
	change, present := changed[key]
	if !present || change.undone {
		return nil, false
	}
	return change.row, true
}

func (t *Table) identityOfInserted(index int) relation.RowIdentity {
	row := &t.inserted[index]
	if !row.numbered {
		row.identity, row.numbered = t.addLocal(location{inserted: index}), true
	}
	return row.identity
}
