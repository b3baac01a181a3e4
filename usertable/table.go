package usertable

import (
	"context"
	"slices"

	"moraine/overlay"
	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

// table is a plain table in a transaction: its rows, and the constraints on them.
type table struct {
	*overlay.Table
	transaction *Transaction
	stored      *storedTable
	constraints []*constraint
	// strict tells that the table has a rule since this transaction's ALTER TABLE that rows committed by others
	// meanwhile may break.
	strict bool
}

var _ relation.Writable = (*table)(nil)

func newTable(transaction *Transaction, stored *storedTable, rows *overlay.Table) *table {
	result := &table{Table: rows, transaction: transaction, stored: stored}
	for i := range stored.definition.Constraints {
		result.constraints = append(result.constraints, newConstraint(result, i))
	}
	return result
}

// Insert adds rows.
func (t *table) Insert(ctx context.Context, rows []relation.Row) error {
	if err := t.Environment().BeginWrite(ctx); err != nil {
		return err
	}
	if err := t.claim(ctx, rows); err != nil {
		return err
	}
	return t.Table.Insert(ctx, rows)
}

// Update replaces a row.
func (t *table) Update(ctx context.Context, identity relation.RowIdentity, row relation.Row) error {
	if err := t.Environment().BeginWrite(ctx); err != nil {
		return err
	}
	before, err := t.before(ctx, identity)
	if err != nil {
		return err
	}
	if err := t.Table.Update(ctx, identity, row); err != nil || before == nil {
		return err
	}
	for _, constraint := range t.constraints {
		if err := constraint.release(ctx, before, row); err != nil {
			return err
		}
	}
	return t.claim(ctx, []relation.Row{row})
}

// Delete removes a row.
func (t *table) Delete(ctx context.Context, identity relation.RowIdentity) (bool, error) {
	if err := t.Environment().BeginWrite(ctx); err != nil {
		return false, err
	}
	before, err := t.before(ctx, identity)
	if err != nil {
		return false, err
	}
	deleted, err := t.Table.Delete(ctx, identity)
	if err != nil || !deleted || before == nil {
		return deleted, err
	}
	for _, constraint := range t.constraints {
		if err := constraint.release(ctx, before, nil); err != nil {
			return false, err
		}
	}
	return true, nil
}

// before gives a row as it is before a change, which only constraints ask for.
func (t *table) before(ctx context.Context, identity relation.RowIdentity) (relation.Row, error) {
	if len(t.constraints) == 0 {
		return nil, nil
	}
	return t.Row(ctx, identity)
}

// alter gives the table under another definition, with the transaction's changes carried over.
func (t *table) alter(ctx context.Context, definition *relation.Definition, fill map[int16]relation.Value) (*table, error) {
	stored, err := t.alteredDefinition(definition, fill)
	if err != nil {
		return nil, err
	}
	var base overlay.Base = overlay.NoRows{}
	if stored.number != 0 {
		base = stored.rows.Base(t.Environment().Snapshot)
	}
	result := newTable(t.transaction, stored, t.Derive(stored.definition, base, t.converter(stored)))
	result.strict = t.strict || addsNotNull(t.Definition(), stored.definition)
	for i, constraint := range result.constraints {
		before := slices.Index(t.stored.constraints, stored.constraints[i])
		if before >= 0 {
			constraint.adopt(t.constraints[before])
			continue
		}
		result.strict = true
		if err := constraint.build(ctx); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// alteredDefinition gives the new stored form. A constraint that was there before, on the same columns, keeps its number
// and so its entries.
func (t *table) alteredDefinition(definition *relation.Definition, fill map[int16]relation.Value) (*storedTable, error) {
	owned := *definition
	owned.OID, owned.Schema = t.Environment().OID(definition.Name), t.Environment().Schema()
	owned.Persistence, owned.OnCommit = t.Definition().Persistence, t.Definition().OnCommit
	values := map[int16]relation.Value{}
	before := columnsByNumber(t.Definition())
	for _, column := range owned.Columns {
		old, present := before[column.Number]
		switch {
		case present && old.Type != column.Type:
			return nil, pgerror.Unsupported("changing the type of a column in place")
		case present:
			if value, filled := t.stored.fill[column.Number]; filled {
				values[column.Number] = value
			}
		case !fill[column.Number].IsNull():
			values[column.Number] = fill[column.Number]
		}
	}
	constraints, next := make([]uint64, len(owned.Constraints)), t.stored.next
	for i := range owned.Constraints {
		kept := t.sameConstraint(&owned, &owned.Constraints[i])
		if kept >= 0 {
			constraints[i] = t.stored.constraints[kept]
			continue
		}
		constraints[i] = next
		next++
	}
	return newStoredTable(t.stored.number, &owned, values, constraints, next), nil
}

// sameConstraint finds the constraint of the present definition that is on the same columns and has the same kind and name
// or, once renamed, the same kind.
func (t *table) sameConstraint(definition *relation.Definition, constraint *relation.Constraint) int {
	numbers := columnNumbers(definition, constraint)
	return slices.IndexFunc(t.Definition().Constraints, func(old relation.Constraint) bool {
		return old.Kind == constraint.Kind && slices.Equal(columnNumbers(t.Definition(), &old), numbers) &&
			(old.Name == constraint.Name || !hasConstraint(definition, old.Name))
	})
}

func columnNumbers(definition *relation.Definition, constraint *relation.Constraint) (numbers []int16) {
	for _, ordinal := range constraint.Columns {
		numbers = append(numbers, definition.Columns[ordinal].Number)
	}
	return numbers
}

func hasConstraint(definition *relation.Definition, name string) bool {
	return slices.ContainsFunc(definition.Constraints, func(constraint relation.Constraint) bool { return constraint.Name == name })
}

func columnsByNumber(definition *relation.Definition) map[int16]relation.Column {
	columns := make(map[int16]relation.Column, len(definition.Columns))
	for _, column := range definition.Columns {
		columns[column.Number] = column
	}
	return columns
}

func addsNotNull(before, after *relation.Definition) bool {
	columns := columnsByNumber(before)
	return slices.ContainsFunc(after.Columns, func(column relation.Column) bool {
		return column.NotNull && !columns[column.Number].NotNull
	})
}

// converter gives the function that brings a row of the present definition into the form of another.
func (t *table) converter(stored *storedTable) func(relation.Row) relation.Row {
	ordinals := map[int16]int{}
	for i, column := range t.Definition().Columns {
		ordinals[column.Number] = i
	}
	return func(row relation.Row) relation.Row {
		converted := make(relation.Row, len(stored.definition.Columns))
		for i, column := range stored.definition.Columns {
			if from, present := ordinals[column.Number]; present {
				converted[i] = row[from]
				continue
			}
			converted[i] = stored.fill[column.Number]
		}
		return converted
	}
}

// checkUnchanged makes sure that nobody has committed rows since the snapshot, when the table has new rules.
func (t *table) checkUnchanged(ctx context.Context, latest store.Reader) error {
	if !t.strict || t.stored.number == 0 {
		return nil
	}
	snapshot, err := t.Environment().Snapshot(ctx)
	if err != nil {
		return err
	}
	same, err := sameKeys(ctx, snapshot, latest, numbered(rowsTag, t.stored.number))
	if err == nil && !same {
		err = changedMeanwhile()
	}
	return err
}

func changedMeanwhile() error {
	return pgerror.New(pgerror.SerializationFailure, "could not serialize access due to concurrent update")
}
