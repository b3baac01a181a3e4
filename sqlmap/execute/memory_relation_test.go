package execute_test

import (
	"context"
	"strings"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
)

// memoryRelation is a table in memory: a relation.Writable that uses predicates on its selective columns only and checks
// unique constraints.
type memoryRelation struct {
	definition *relation.Definition
	rows       map[relation.RowIdentity]relation.Row
	order      []relation.RowIdentity
	next       relation.RowIdentity
	// scanned counts the rows that scans have given.
	scanned int
	locked  []relation.RowIdentity
	// greatest has the columns, by ordinal, whose greatest value is known without a scan.
	greatest map[int]relation.Value
}

var (
	_ relation.Writable = (*memoryRelation)(nil)
	_ relation.Lockable = (*memoryRelation)(nil)
	_ relation.Maximal  = (*memoryRelation)(nil)
)

func newMemoryRelation(definition *relation.Definition) *memoryRelation {
	return &memoryRelation{definition: definition, rows: map[relation.RowIdentity]relation.Row{}}
}

func (m *memoryRelation) Maximum(_ context.Context, column int) (relation.Value, bool, error) {
	value, known := m.greatest[column]
	return value, known, nil
}

func (m *memoryRelation) Definition() *relation.Definition { return m.definition }

func (m *memoryRelation) Scan(_ context.Context, request relation.ScanRequest) (relation.Cursor, error) {
	batch := &relation.Batch{}
	batch.Reset(len(request.Columns))
	wanted := map[relation.RowIdentity]bool{}
	for _, identity := range request.Identities {
		wanted[identity] = true
	}
rows:
	for _, identity := range m.order {
		row, present := m.rows[identity]
		if !present || request.Identities != nil && !wanted[identity] {
			continue
		}
		for i := range request.Predicates {
			predicate := &request.Predicates[i]
			if m.selective(predicate.Column) && !predicate.Holds(m.definition.Columns[predicate.Column].Type.OID, row[predicate.Column]) {
				continue rows
			}
		}
		given := batch.Append()
		for i, column := range request.Columns {
			given[i] = row[column]
		}
		batch.Identities = append(batch.Identities, identity)
	}
	m.scanned += batch.Length
	return &memoryCursor{batch: batch}, nil
}

func (m *memoryRelation) selective(column int) bool {
	for _, selective := range m.definition.Selective {
		if selective == column {
			return true
		}
	}
	return false
}

type memoryCursor struct{ batch *relation.Batch }

// memoryBatchRows is small, so that tests cross the borders of batches.
const memoryBatchRows = 3

func (c *memoryCursor) Next(context.Context) (*relation.Batch, error) {
	if c.batch == nil || c.batch.Length == 0 {
		return nil, nil
	}
	length := min(c.batch.Length, memoryBatchRows)
	part := &relation.Batch{Width: c.batch.Width, Length: length, Values: c.batch.Values[:length*c.batch.Width],
		Identities: c.batch.Identities[:length]}
	c.batch = &relation.Batch{Width: c.batch.Width, Length: c.batch.Length - length, Values: c.batch.Values[length*c.batch.Width:],
		Identities: c.batch.Identities[length:]}
	return part, nil
}

func (c *memoryCursor) Close() { c.batch = nil }

func (m *memoryRelation) Insert(_ context.Context, rows []relation.Row) error {
	for _, row := range rows {
		if err := m.checkUnique(row, nil); err != nil {
			return err
		}
		m.rows[m.next] = row
		m.order = append(m.order, m.next)
		m.next++
	}
	return nil
}

func (m *memoryRelation) checkUnique(row relation.Row, except *relation.RowIdentity) error {
	format := function.DefaultFormat()
	for _, constraint := range m.definition.Constraints {
		for identity, other := range m.rows {
			if except != nil && identity == *except {
				continue
			}
			same := true
			for _, column := range constraint.Columns {
				same = same && !row[column].IsNull() && row[column] == other[column]
			}
			if same {
				var names, values []string
				for _, column := range constraint.Columns {
					names = append(names, m.definition.Columns[column].Name)
					values = append(values, function.ToText(m.definition.Columns[column].Type, row[column], &format))
				}
				return pgerror.New(pgerror.UniqueViolation, "duplicate key value violates unique constraint \"%s\"", constraint.Name).
					WithDetail("Key (%s)=(%s) already exists.", strings.Join(names, ", "), strings.Join(values, ", "))
			}
		}
	}
	return nil
}

func (m *memoryRelation) Update(_ context.Context, identity relation.RowIdentity, row relation.Row) error {
	if err := m.checkUnique(row, &identity); err != nil {
		return err
	}
	m.rows[identity] = row
	return nil
}

func (m *memoryRelation) Lock(_ context.Context, identity relation.RowIdentity) error {
	m.locked = append(m.locked, identity)
	return nil
}

func (m *memoryRelation) Delete(_ context.Context, identity relation.RowIdentity) (bool, error) {
	_, present := m.rows[identity]
	delete(m.rows, identity)
	return present, nil
}
