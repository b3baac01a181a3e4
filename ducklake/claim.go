package ducklake

import (
	"context"
	"strconv"

	"moraine/overlay"
	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

// claimName names the key of a constraint that a row has: for the lock that keeps it single, and for the keys that a
// transaction has claimed. It answers false when a column is NULL, so that there is no rule.
func claimName(constraint *relation.Constraint, row relation.Row) (string, bool) {
	const keyBytes = 16 // most keys are one number
	name := make([]byte, 0, len(constraint.Name)+len(markClaim)+keyBytes)
	name = append(append(name, constraint.Name...), markClaim...)
	for _, ordinal := range constraint.Columns {
		if row[ordinal].IsNull() {
			return "", false
		}
		name = appendKeyValue(name, row[ordinal])
	}
	return string(name), true
}

// claim makes sure that no other row has the keys of new rows: not among themselves, not in the transaction, and not in
// the latest state, which is what PostgreSQL looks at.
func (t *table) claim(ctx context.Context, constraint *relation.Constraint, rows []relation.Row) error {
	names := make([]string, 0, len(rows))
	claimed := make([]relation.Row, 0, len(rows))
	taken := make(map[string]bool, len(rows))
	for _, row := range rows {
		name, ok := claimName(constraint, row)
		if !ok {
			continue
		}
		if taken[name] || t.claimed[name] && t.holdsOwn(constraint, name) {
			return t.duplicate(constraint, row)
		}
		if err := t.lock(ctx, name); err != nil {
			return err
		}
		taken[name] = true
		names, claimed = append(names, name), append(claimed, row)
	}
	if len(claimed) == 0 {
		return nil
	}
	if err := t.claimStored(ctx, constraint, claimed); err != nil {
		return err
	}
	for _, name := range names {
		t.note(name)
	}
	return nil
}

// note remembers a key of the transaction.
func (t *table) note(name string) {
	if t.claimed == nil {
		t.claimed = map[string]bool{}
	}
	t.claimed[name] = true
}

// holdsOwn tells whether a row that the transaction wrote has a key now.
func (t *table) holdsOwn(constraint *relation.Constraint, name string) bool {
	rows := t.Inserted()
	for _, change := range t.Changes() {
		if change.Row != nil {
			rows = append(rows, change.Row)
		}
	}
	for _, row := range rows {
		if own, ok := claimName(constraint, row); ok && own == name {
			return true
		}
	}
	return false
}

// lock waits for other transactions that have claimed the key. Snapshots need none: the commit ticket orders them.
func (t *table) lock(ctx context.Context, name string) error {
	if t.definition.table.family == snapshots {
		return nil
	}
	return t.transaction.environment.Lock(ctx, name, overlay.ToInsert)
}

// claimStored makes sure that no stored row has the key of a new one, other than those that the transaction has changed. A row
// that another transaction has changed or deleted is waited for: its key may become free.
func (t *table) claimStored(ctx context.Context, constraint *relation.Constraint, rows []relation.Row) error {
	changed, waited := map[string]bool{}, map[string]bool{}
	for _, change := range t.Changes() {
		changed[change.Key] = true
	}
	for {
		var taken conflict
		err := t.transaction.environment.Latest(ctx, func(latest store.Reader) (err error) {
			taken, err = t.conflict(ctx, latest, constraint, rows, changed)
			return err
		})
		switch {
		case err != nil || taken.row == nil:
			return err
		case waited[taken.key]:
			return t.duplicate(constraint, taken.row)
		}
		if err := t.transaction.environment.Lock(ctx, taken.key, overlay.ToInsert); err != nil {
			return err
		}
		waited[taken.key] = true
	}
}

// conflict is a new row whose key a stored row has, and the base key of that; nil when there is none.
type conflict struct {
	row relation.Row
	key string
}

// conflict looks for stored rows with the keys of new ones.
func (t *table) conflict(ctx context.Context, latest store.Reader, constraint *relation.Constraint, rows []relation.Row, changed map[string]bool) (conflict, error) {
	redefined, found := t.transaction.redefined[t.definition.table.name]
	if found && redefined.stored == nil {
		return conflict{}, nil
	}
	base := t.transaction.base(t.definition, func(context.Context) (store.Reader, error) { return latest, nil })
	if len(constraint.Columns) == 1 {
		if free, err := allFree(ctx, base, constraint.Columns[0], rows, changed); free || err != nil {
			return conflict{}, err
		}
	}
	for _, row := range rows {
		request := relation.ScanRequest{Columns: constraint.Columns}
		for _, ordinal := range constraint.Columns {
			request.Predicates = append(request.Predicates, relation.Predicate{
				Column: ordinal, Comparison: relation.Equal, Values: []relation.Value{row[ordinal]},
			})
		}
		key, found, err := base.first(ctx, request, changed)
		if found || err != nil {
			return conflict{row: row, key: key}, err
		}
	}
	return conflict{}, nil
}

// allFree tells, by one scan, whether no stored row has a value of the new rows in a column.
func allFree(ctx context.Context, base *recordBase, column int, rows []relation.Row, changed map[string]bool) (bool, error) {
	wanted := relation.Predicate{Column: column, Comparison: relation.In, Values: make([]relation.Value, len(rows))}
	for i, row := range rows {
		wanted.Values[i] = row[column]
	}
	_, found, err := base.first(ctx, relation.ScanRequest{Columns: []int{column}, Predicates: []relation.Predicate{wanted}}, changed)
	return !found, err
}

// first gives the key of the first row that the predicates admit, other than those of the keys given.
func (b *recordBase) first(ctx context.Context, request relation.ScanRequest, except map[string]bool) (key string, found bool, err error) {
	cursor, err := b.Scan(ctx, request, true)
	if err != nil {
		return "", false, err
	}
	defer cursor.Close()
	for {
		batch, err := cursor.Next(ctx)
		if err != nil || batch == nil {
			return "", false, err
		}
		for i := range batch.Length {
			if !except[batch.Keys[i]] && admits(request, b.layout.columns, batch.Row(i)) {
				return batch.Keys[i], true, nil
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
