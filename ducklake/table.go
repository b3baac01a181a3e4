package ducklake

import (
	"context"
	"strconv"

	"moraine/overlay"
	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

// table is one catalog table of a transaction. It implements relation.Writable.
type table struct {
	*overlay.Table
	transaction *transaction
	definition  *tableDefinition
	// claimed has the keys of constraints that rows of the transaction have, or have had.
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
	if err := t.refuseIndexedFiles(ctx, rows); err != nil {
		return err
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
			t.note(constraint, row)
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

// constraintKey gives what rows of a constraint must differ in; false when a column is NULL, so that there is no rule.
func constraintKey(constraint *relation.Constraint, row relation.Row) (string, bool) {
	var key []byte
	for _, ordinal := range constraint.Columns {
		if row[ordinal].IsNull() {
			return "", false
		}
		key = appendNatural(key, row[ordinal])
	}
	return string(key), true
}

// claim makes sure that no other row has the keys of new rows: not among themselves, not in the transaction, and not in
// the latest state, which is what PostgreSQL looks at.
func (t *table) claim(ctx context.Context, constraint *relation.Constraint, rows []relation.Row) error {
	taken := map[string]bool{}
	var claimed []relation.Row
	for _, row := range rows {
		key, ok := constraintKey(constraint, row)
		if !ok {
			continue
		}
		if taken[key] || t.claimed[constraint.Name+key] && t.holdsOwn(constraint, key) {
			return t.duplicate(constraint, row)
		}
		if err := t.lock(ctx, constraint, key); err != nil {
			return err
		}
		taken[key] = true
		claimed = append(claimed, row)
	}
	if len(claimed) == 0 {
		return nil
	}
	changed := map[string]bool{}
	for _, change := range t.Changes() {
		changed[change.Key] = true
	}
	err := t.transaction.environment.Latest(ctx, func(latest store.Reader) error {
		return t.claimStored(ctx, latest, constraint, claimed, changed)
	})
	if err != nil {
		return err
	}
	for _, row := range claimed {
		t.note(constraint, row)
	}
	return nil
}

// note remembers the key of a row of the transaction.
func (t *table) note(constraint *relation.Constraint, row relation.Row) {
	if key, ok := constraintKey(constraint, row); ok {
		if t.claimed == nil {
			t.claimed = map[string]bool{}
		}
		t.claimed[constraint.Name+key] = true
	}
}

// holdsOwn tells whether a row that the transaction wrote has a key now.
func (t *table) holdsOwn(constraint *relation.Constraint, key string) bool {
	rows := t.Inserted()
	for _, change := range t.Changes() {
		if change.Row != nil {
			rows = append(rows, change.Row)
		}
	}
	for _, row := range rows {
		if own, ok := constraintKey(constraint, row); ok && own == key {
			return true
		}
	}
	return false
}

// lock waits for other transactions that have claimed the key. Snapshots need none: the commit ticket orders them.
func (t *table) lock(ctx context.Context, constraint *relation.Constraint, key string) error {
	if t.definition.table.family == snapshots {
		return nil
	}
	return t.transaction.environment.Lock(ctx, constraint.Name+markClaim+key, overlay.ToInsert)
}

// claimStored looks for stored rows with the keys of new ones, other than those that the transaction has changed.
func (t *table) claimStored(ctx context.Context, latest store.Reader, constraint *relation.Constraint, rows []relation.Row, changed map[string]bool) error {
	redefined, found := t.transaction.redefined[t.definition.table.name]
	if found && redefined.stored == nil {
		return nil
	}
	base := t.transaction.base(t.definition, func(context.Context) (store.Reader, error) { return latest, nil })
	for _, row := range rows {
		request := relation.ScanRequest{Columns: constraint.Columns}
		for _, ordinal := range constraint.Columns {
			request.Predicates = append(request.Predicates, relation.Predicate{
				Column: ordinal, Comparison: relation.Equal, Values: []relation.Value{row[ordinal]},
			})
		}
		duplicate, err := base.holds(ctx, request, changed)
		if err != nil {
			return err
		}
		if duplicate {
			return t.duplicate(constraint, row)
		}
	}
	return nil
}

// holds tells whether there is a row that the predicates admit, other than those of the keys given.
func (b *recordBase) holds(ctx context.Context, request relation.ScanRequest, except map[string]bool) (bool, error) {
	cursor, err := b.Scan(ctx, request, true)
	if err != nil {
		return false, err
	}
	defer cursor.Close()
	for {
		batch, err := cursor.Next(ctx)
		if err != nil || batch == nil {
			return false, err
		}
		for i := range batch.Length {
			if !except[batch.Keys[i]] && admits(request, b.layout.columns, batch.Row(i)) {
				return true, nil
			}
		}
	}
}

// admits tells whether the predicates of a request, which name the columns asked for in their order, hold for a row.
func admits(request relation.ScanRequest, columns []relation.Column, row relation.Row) bool {
	for i := range request.Predicates {
		predicate := &request.Predicates[i]
		if !predicate.Holds(columns[predicate.Column].Type.OID, row[i]) {
			return false
		}
	}
	return true
}

func (t *table) duplicate(constraint *relation.Constraint, row relation.Row) error {
	names, values := "", ""
	for i, ordinal := range constraint.Columns {
		if i > 0 {
			names, values = names+", ", values+", "
		}
		names += t.definition.definition.Columns[ordinal].Name
		values += shown(t.definition.definition.Columns[ordinal].Type.OID, row[ordinal])
	}
	definition := t.definition.definition
	return pgerror.New(pgerror.UniqueViolation, "duplicate key value violates unique constraint \"%s\"", constraint.Name).
		WithDetail("Key (%s)=(%s) already exists.", names, values).
		WithConstraint(definition.Schema, definition.Name, constraint.Name)
}

// shown prints a value of a key, as PostgreSQL does for the types that keys of catalog tables have.
func shown(oid uint32, value relation.Value) string {
	switch oid {
	case relation.UUIDOID:
		return formatUUID(value.Text())
	case relation.BoolOID:
		if value.Bool() {
			return "t"
		}
		return "f"
	case relation.Int2OID, relation.Int4OID, relation.Int8OID:
		return strconv.FormatInt(value.Int(), 10)
	}
	return value.Text()
}
