package ducklake

import (
	"context"

	"moraine/overlay"
	"moraine/relation"
)

// table is one catalog table of a transaction. It implements relation.Writable.
type table struct {
	*overlay.Table
	transaction *transaction
	definition  *tableDefinition
	// claimed has the names, as claimName gives them, of keys that rows of the transaction have, or have had.
	claimed map[string]bool
}

// Insert implements relation.Writable. The row of a snapshot takes the lake's commit ticket first: whoever loses finds its
// snapshot there, and fails in the batch and not at COMMIT.
func (t *table) Insert(ctx context.Context, rows []relation.Row) error {
	environment := t.transaction.environment
	if err := environment.BeginWrite(ctx); err != nil {
		return err
	}
	if t.definition.table == snapshots.parent && len(rows) > 0 {
		if err := environment.Ticket(ctx); err != nil {
			return err
		}
		t.transaction.minting = true
	}
	for i := range t.definition.definition.Constraints {
		if err := t.claim(ctx, &t.definition.definition.Constraints[i], rows); err != nil {
			return err
		}
	}
	return t.Table.Insert(ctx, rows)
}

// Update implements relation.Writable.
func (t *table) Update(ctx context.Context, identity relation.RowIdentity, row relation.Row) error {
	for i := range t.definition.definition.Constraints {
		constraint := &t.definition.definition.Constraints[i]
		before, err := t.Row(ctx, identity)
		if err != nil {
			return err
		}
		if before == nil {
			continue
		}
		if sameKey(constraint, before, row) {
			if name, ok := claimName(constraint, row); ok {
				t.note(name)
			}
			continue
		}
		if err := t.transaction.environment.BeginWrite(ctx); err != nil {
			return err
		}
		if err := t.claim(ctx, constraint, []relation.Row{row}); err != nil {
			return err
		}
	}
	return t.Table.Update(ctx, identity, row)
}

func sameKey(constraint *relation.Constraint, one, other relation.Row) bool {
	for _, ordinal := range constraint.Columns {
		if one[ordinal] != other[ordinal] {
			return false
		}
	}
	return true
}
