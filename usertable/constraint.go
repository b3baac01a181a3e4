package usertable

import (
	"context"

	"moraine/overlay"
	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

// maximumKey is how many bytes a key of a constraint may have, as in a B-tree of PostgreSQL.
const maximumKey = 2704

// constraint keeps the keys of one primary key or unique constraint single.
type constraint struct {
	table  *table
	index  int // in the definition
	number uint64
	// states says what the transaction has made of a key; a key that it has not touched is not there.
	states map[string]keyState
}

type keyState uint8

const (
	untouched keyState = iota
	taken              // a row of this transaction has it
	released           // the row that had it was changed or deleted
)

func newConstraint(table *table, index int) *constraint {
	return &constraint{table: table, index: index, number: table.stored.constraints[index], states: map[string]keyState{}}
}

// adopt takes over what the transaction did under the definition before.
func (c *constraint) adopt(before *constraint) {
	for key, state := range before.states {
		c.states[key] = state
	}
}

func (c *constraint) definition() *relation.Definition { return c.table.stored.definition }

func (c *constraint) columns() []int { return c.definition().Constraints[c.index].Columns }

func (c *constraint) key(row relation.Row) (string, bool) {
	return keyOf(c.definition(), c.columns(), row)
}

// claimed is a key that must not be in the latest state.
type claimed struct {
	constraint *constraint
	key        string
	row        relation.Row
}

// claim takes the keys of rows about to be inserted; 23505 when one is taken. It waits for other transactions that have
// inserted or released one of the keys.
func (t *table) claim(ctx context.Context, rows []relation.Row) error {
	var claims []claimed
	for _, constraint := range t.constraints {
		for _, row := range rows {
			key, complete := constraint.key(row)
			if !complete {
				continue
			}
			before, err := constraint.take(ctx, key, row)
			if err != nil {
				return err
			}
			if before == untouched && t.stored.number != 0 {
				claims = append(claims, claimed{constraint, key, row})
			}
		}
	}
	if len(claims) == 0 {
		return nil
	}
	return t.Environment().Latest(ctx, func(latest store.Reader) error {
		for _, claim := range claims {
			_, found, err := latest.Get(ctx, claim.constraint.entryKey(t.stored.number, claim.key))
			if err != nil {
				return err
			}
			if found {
				return claim.constraint.violation(claim.row)
			}
		}
		return nil
	})
}

func (c *constraint) take(ctx context.Context, key string, row relation.Row) (before keyState, err error) {
	if len(key) > maximumKey {
		return 0, pgerror.New(pgerror.ProgramLimitExceeded, "index row size %d exceeds btree version 4 maximum %d for index %q",
			len(key), maximumKey, c.definition().Constraints[c.index].Name).
			WithDetail("Values larger than 1/3 of a buffer page cannot be indexed.")
	}
	before = c.states[key]
	if before == taken {
		return before, c.violation(row)
	}
	if err := c.lock(ctx, key); err != nil {
		return before, err
	}
	c.set(key, taken)
	return before, nil
}

// release gives up the key of a row that becomes another row, or none.
func (c *constraint) release(ctx context.Context, before, after relation.Row) error {
	key, complete := c.key(before)
	if !complete {
		return nil
	}
	if err := c.lock(ctx, key); err != nil {
		return err
	}
	c.set(key, released)
	return nil
}

func (c *constraint) set(key string, state keyState) {
	before, present := c.states[key]
	c.states[key] = state
	c.table.Environment().Journal(func() {
		if present {
			c.states[key] = before
			return
		}
		delete(c.states, key)
	})
}

// lock waits for other transactions that have the key in hand. Nobody else knows a table that is not yet committed.
func (c *constraint) lock(ctx context.Context, key string) error {
	if c.table.stored.number == 0 {
		return nil
	}
	return c.table.Environment().Lock(ctx, string(c.entryKey(c.table.stored.number, key)), overlay.ToInsert)
}

func (c *constraint) entryKey(table uint64, key string) []byte {
	return uniqueKey(table, c.number, key)
}

// build takes the keys of all rows that the table has; 23505 when two have the same. Nobody else knows the constraint yet,
// so the keys are not locked.
func (c *constraint) build(ctx context.Context) error {
	return c.eachRow(ctx, func(row relation.Row) error {
		key, complete := c.key(row)
		if !complete {
			return nil
		}
		if c.states[key] == taken {
			return c.duplicated(row)
		}
		c.set(key, taken)
		return nil
	})
}

func (c *constraint) duplicated(row relation.Row) error {
	name := c.definition().Constraints[c.index].Name
	failure := pgerror.New(pgerror.UniqueViolation, "could not create unique index %q", name).
		WithConstraint(c.definition().Schema, c.definition().Name, name)
	if text, known := describeKey(c.definition(), c.columns(), row); known {
		failure = failure.WithDetail("Key %s is duplicated.", text)
	}
	return failure
}

func (c *constraint) eachRow(ctx context.Context, visit func(relation.Row) error) error {
	request := relation.ScanRequest{}
	for i := range c.definition().Columns {
		request.Columns = append(request.Columns, i)
	}
	cursor, err := c.table.Scan(ctx, request)
	if err != nil {
		return err
	}
	defer cursor.Close()
	for {
		batch, err := cursor.Next(ctx)
		if err != nil || batch == nil {
			return err
		}
		for i := range batch.Length {
			if err := visit(batch.Row(i)); err != nil {
				return err
			}
		}
	}
}

func (c *constraint) violation(row relation.Row) error {
	definition := c.definition()
	name := definition.Constraints[c.index].Name
	violation := pgerror.New(pgerror.UniqueViolation, "duplicate key value violates unique constraint %q", name).
		WithConstraint(definition.Schema, definition.Name, name)
	if text, known := describeKey(definition, c.columns(), row); known {
		violation = violation.WithDetail("Key %s already exists.", text)
	}
	return violation
}

// stage puts and deletes the entries of the touched keys.
func (c *constraint) stage(table uint64, batch *store.Batch) {
	for key, state := range c.states {
		if state == taken {
			batch.Put(c.entryKey(table, key), []byte{})
			continue
		}
		batch.Delete(c.entryKey(table, key))
	}
}
