package overlay

import (
	"context"

	"moraine/relation"
)

// Table is one relation of a transaction: the rows of a Base under the transaction's own inserts, updates and deletes. It
// implements relation.Writable without constraints; a domain that has some wraps it.
type Table struct {
	definition  *relation.Definition
	environment Environment
	base        Base

	inserted []insertedRow
	changed  map[string]*changedRow
	order    []*changedRow // in the order of first change

	// A row gets its identity when a scan first asks for it.
	located []location
	numbers map[string]relation.RowIdentity
}

type insertedRow struct {
	row      relation.Row // nil once deleted
	identity relation.RowIdentity
	numbered bool
}

type changedRow struct {
	key string
	row relation.Row // nil when deleted
	// undone tells that a rollback to a savepoint took the change back.
	undone bool
}

// location is where the row of an identity lies: a base row by key, or an inserted one by index.
type location struct {
	key      string
	inserted int // -1 for a base row
}

// NewTable makes an overlay without changes.
func NewTable(definition *relation.Definition, environment Environment, base Base) *Table {
	return &Table{
		definition: definition, environment: environment, base: base,
		changed: map[string]*changedRow{}, numbers: map[string]relation.RowIdentity{},
	}
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
	before := len(t.inserted)
	for _, row := range rows {
		t.inserted = append(t.inserted, insertedRow{row: row})
	}
	t.environment.Journal(func() {
		for i := before; i < len(t.inserted); i++ {
			t.inserted[i] = insertedRow{}
		}
		t.inserted = t.inserted[:before]
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

func (t *Table) change(ctx context.Context, identity relation.RowIdentity, row relation.Row, intent Intent) (bool, error) {
	if err := t.environment.BeginWrite(ctx); err != nil {
		return false, err
	}
	if uint64(identity) >= uint64(len(t.located)) {
		return false, nil
	}
	location := t.located[identity]
	if location.inserted >= 0 {
		return t.changeInserted(location.inserted, row), nil
	}
	if err := t.environment.Lock(ctx, location.key, intent); err != nil {
		return false, err
	}
	return t.changeBase(location.key, row), nil
}

func (t *Table) changeInserted(index int, row relation.Row) bool {
	if index >= len(t.inserted) || t.inserted[index].row == nil {
		return false
	}
	before := t.inserted[index].row
	t.inserted[index].row = row
	t.environment.Journal(func() { t.inserted[index].row = before })
	return true
}

func (t *Table) changeBase(key string, row relation.Row) bool {
	change, present := t.changed[key]
	if present && !change.undone {
		if change.row == nil {
			return false
		}
		before := change.row
		change.row = row
		t.environment.Journal(func() { change.row = before })
		return true
	}
	if !present {
		change = &changedRow{key: key}
		t.changed[key] = change
		t.order = append(t.order, change)
	}
	change.row, change.undone = row, false
	t.environment.Journal(func() { change.row, change.undone = nil, true })
	return true
}

// Change is what became of one base row: Row is its new content, or nil when it was deleted.
type Change struct {
	Key string
	Row relation.Row
}

// Changes gives the changed base rows in the order in which they were first changed.
func (t *Table) Changes() []Change {
	changes := make([]Change, 0, len(t.order))
	for _, change := range t.order {
		if !change.undone {
			changes = append(changes, Change{Key: change.key, Row: change.row})
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

// Dirty tells whether there is any change.
func (t *Table) Dirty() bool {
	for i := range t.inserted {
		if t.inserted[i].row != nil {
			return true
		}
	}
	for _, change := range t.order {
		if !change.undone {
			return true
		}
	}
	return false
}

// row gives the content of a base row as changed by the transaction: replaced tells that content stands in its place
// (nil when deleted).
func (t *Table) replacement(key string) (content relation.Row, replaced bool) {
	change, present := t.changed[key]
	if !present || change.undone {
		return nil, false
	}
	return change.row, true
}

func (t *Table) identityOfKey(key string) relation.RowIdentity {
	if identity, known := t.numbers[key]; known {
		return identity
	}
	identity := relation.RowIdentity(len(t.located))
	t.located = append(t.located, location{key: key, inserted: -1})
	t.numbers[key] = identity
	return identity
}

func (t *Table) identityOfInserted(index int) relation.RowIdentity {
	row := &t.inserted[index]
	if !row.numbered {
		row.identity, row.numbered = relation.RowIdentity(len(t.located)), true
		t.located = append(t.located, location{inserted: index})
	}
	return row.identity
}
