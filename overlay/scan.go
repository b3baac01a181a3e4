package overlay

import (
	"context"

	"moraine/relation"
)

// batchRows is how many rows a batch of inserted rows holds at most.
const batchRows = 1024

// Scan reads the base under the changes, then the rows that only their changes bring under the predicates, then the
// inserted rows.
func (t *Table) Scan(ctx context.Context, request relation.ScanRequest) (relation.Cursor, error) {
	if request.Identities != nil {
		if err := t.meet(ctx, request.Identities); err != nil {
			return nil, err
		}
		return &identityCursor{table: t, request: request}, nil
	}
	cursor := &cursor{table: t, request: request, keyed: request.WithIdentities || len(t.order) > 0}
	base := relation.ScanRequest{Columns: request.Columns, Predicates: request.Predicates}
	if cursor.keyed {
		// The predicates are checked here before a row gets an identity, so their columns must be read too.
		base.Columns, cursor.checks = withPredicateColumns(request)
	}
	var err error
	if cursor.base, err = t.base.Scan(ctx, base, cursor.keyed); err != nil {
		return nil, err
	}
	t.cursors++
	cursor.open, cursor.inserted, cursor.changed, cursor.generation = true, t.inserted, t.changed, t.generation
	if len(t.order) > 0 && len(request.Predicates) > 0 {
		cursor.order, cursor.met = t.order, map[string]bool{}
	}
	return cursor, nil
}

// withPredicateColumns adds the columns of the predicates behind those that are wanted; checks says for each predicate
// where its column stands.
func withPredicateColumns(request relation.ScanRequest) (columns, checks []int) {
	columns = append(columns, request.Columns...)
	for i := range request.Predicates {
		at := -1
		for j, column := range columns {
			if column == request.Predicates[i].Column {
				at = j
				break
			}
		}
		if at < 0 {
			at = len(columns)
			columns = append(columns, request.Predicates[i].Column)
		}
		checks = append(checks, at)
	}
	return columns, checks
}

type cursor struct {
	table   *Table
	request relation.ScanRequest
	base    BaseCursor // nil once exhausted
	keyed   bool
	checks  []int
	batch   relation.Batch

	// The changes as they were when the cursor was opened.
	open       bool
	inserted   []insertedRow
	next       int // the next of the inserted rows
	changed    map[string]changedRow
	generation uint64
	// order has the keys of changed that are still to be looked at once the base has ended, and met those that it gave: the
	// base knows of a row only what the predicates say of its stored content.
	order []string
	met   map[string]bool
}

// Next gives the next batch.
func (c *cursor) Next(ctx context.Context) (*relation.Batch, error) {
	for c.base != nil {
		batch, err := c.base.Next(ctx)
		if err != nil {
			return nil, err
		}
		if batch == nil {
			c.base.Close()
			c.base = nil
			break
		}
		if !c.keyed {
			return &batch.Batch, nil
		}
		if c.merge(batch); c.batch.Length > 0 {
			return &c.batch, nil
		}
	}
	if batch := c.nextChanged(); batch != nil {
		return batch, nil
	}
	return c.nextInserted(), nil
}

// merge puts the rows of a base batch that the wanted predicates admit into the cursor's batch, changed ones replaced.
func (c *cursor) merge(base *BaseBatch) {
	width := len(c.request.Columns)
	c.batch.Reset(width)
	for i := range base.Length {
		content, replaced := replacement(c.changed, base.Keys[i])
		if replaced && c.met != nil {
			c.met[base.Keys[i]] = true
		}
		switch {
		case replaced && (content == nil || !c.table.admits(c.request.Predicates, content)):
			continue
		case replaced:
			project(c.batch.Append(), content, c.request.Columns)
		default:
			row := base.Row(i)
			if !c.admits(row) {
				continue
			}
			copy(c.batch.Append(), row[:width])
		}
		if c.request.WithIdentities {
			c.batch.Identities = append(c.batch.Identities, c.table.ofKey(base.Keys[i]))
		}
	}
}

func (c *cursor) admits(row relation.Row) bool {
	for i := range c.request.Predicates {
		predicate := &c.request.Predicates[i]
		if !predicate.Holds(c.table.definition.Columns[predicate.Column].Type.OID, row[c.checks[i]]) {
			return false
		}
	}
	return true
}

// nextChanged gives changed rows that the base has not given although their content is wanted now.
func (c *cursor) nextChanged() *relation.Batch {
	c.batch.Reset(len(c.request.Columns))
	for len(c.order) > 0 && c.batch.Length < batchRows {
		key := c.order[0]
		c.order = c.order[1:]
		content, replaced := replacement(c.changed, key)
		if !replaced || content == nil || c.met[key] || !c.table.admits(c.request.Predicates, content) {
			continue
		}
		project(c.batch.Append(), content, c.request.Columns)
		if c.request.WithIdentities {
			c.batch.Identities = append(c.batch.Identities, c.table.ofKey(key))
		}
	}
	if c.batch.Length == 0 {
		return nil
	}
	return &c.batch
}

func (c *cursor) nextInserted() *relation.Batch {
	c.batch.Reset(len(c.request.Columns))
	for c.next < len(c.inserted) && c.batch.Length < batchRows {
		index := c.next
		c.next++
		row := c.inserted[index].row
		if row == nil || !c.table.admits(c.request.Predicates, row) {
			continue
		}
		project(c.batch.Append(), row, c.request.Columns)
		if c.request.WithIdentities {
			c.batch.Identities = append(c.batch.Identities, c.table.identityOfInserted(index))
		}
	}
	if c.batch.Length == 0 {
		return nil
	}
	return &c.batch
}

// Close ends the scan.
func (c *cursor) Close() {
	if c.base != nil {
		c.base.Close()
		c.base = nil
	}
	if c.open && c.generation == c.table.generation {
		c.table.cursors--
	}
	c.open, c.inserted, c.changed, c.order, c.met = false, nil, nil, nil, nil
}

func (t *Table) admits(predicates []relation.Predicate, row relation.Row) bool {
	for i := range predicates {
		column := predicates[i].Column
		if !predicates[i].Holds(t.definition.Columns[column].Type.OID, row[column]) {
			return false
		}
	}
	return true
}

func project(to, row relation.Row, columns []int) {
	for i, column := range columns {
		to[i] = row[column]
	}
}

// identityCursor reads the rows of given identities.
type identityCursor struct {
	table   *Table
	request relation.ScanRequest
	next    int
	batch   relation.Batch
}

// Next gives the next batch.
func (c *identityCursor) Next(ctx context.Context) (*relation.Batch, error) {
	for c.next < len(c.request.Identities) {
		identities := c.request.Identities[c.next:min(c.next+batchRows, len(c.request.Identities))]
		c.next += len(identities)
		rows, err := c.table.rows(ctx, identities)
		if err != nil {
			return nil, err
		}
		c.batch.Reset(len(c.request.Columns))
		for i, row := range rows {
			if row == nil || !c.table.admits(c.request.Predicates, row) {
				continue
			}
			project(c.batch.Append(), row, c.request.Columns)
			if c.request.WithIdentities {
				c.batch.Identities = append(c.batch.Identities, identities[i])
			}
		}
		if c.batch.Length > 0 {
			return &c.batch, nil
		}
	}
	return nil, nil
}

// Close does nothing.
func (c *identityCursor) Close() {}

// rows gives the present content of rows, nil for those that are not there.
func (t *Table) rows(ctx context.Context, identities []relation.RowIdentity) ([]relation.Row, error) {
	rows := make([]relation.Row, len(identities))
	bulk, isBulk := t.base.(BulkBase)
	var keys []string
	var places []int // in rows, of keys
	for i, identity := range identities {
		if key, stored := t.storedKey(identity); stored && isBulk {
			keys, places = append(keys, key), append(places, i)
			continue
		}
		var err error
		if rows[i], err = t.Row(ctx, identity); err != nil {
			return nil, err
		}
	}
	if len(keys) == 0 {
		return rows, nil
	}
	found, err := bulk.GetAll(ctx, keys)
	if err != nil {
		return nil, err
	}
	for i, place := range places {
		rows[place] = found[i]
	}
	return rows, nil
}

// storedKey gives the key of a row that is as the base has it.
func (t *Table) storedKey(identity relation.RowIdentity) (string, bool) {
	location, known := t.locate(identity)
	if !known || location.inserted >= 0 {
		return "", false
	}
	_, replaced := replacement(t.changed, location.key)
	return location.key, !replaced
}
