package execute

import (
	"strings"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/function"
	"moraine/sqlmap/plan"
)

// changeOperator is INSERT, UPDATE or DELETE. Opened, it reads all that it needs, then applies its changes; its rows are
// those of RETURNING.
type changeOperator struct {
	run       *run
	apply     func() error
	returning []evaluator
	results   *rowStore
	reader    storeReader
	scratch   []relation.Value
}

func (c *changeOperator) open() error {
	c.close()
	c.results = newRowStore(c.run, len(c.returning))
	c.run.affected = 0
	if err := c.apply(); err != nil {
		return err
	}
	c.reader = storeReader{rows: c.results.rows, width: len(c.returning)}
	return nil
}

func (c *changeOperator) close() {
	if c.results != nil {
		c.results.clear()
		c.results = nil
	}
	c.reader = storeReader{}
}

func (c *changeOperator) next() (*relation.Batch, error) {
	if c.returning == nil {
		return nil, nil
	}
	return c.reader.next(), nil
}

// returned computes RETURNING over what it reads.
func (c *changeOperator) returned(parts ...[]relation.Value) error {
	if c.returning == nil {
		return nil
	}
	c.scratch = c.scratch[:0]
	for _, part := range parts {
		c.scratch = append(c.scratch, part...)
	}
	row := make([]relation.Value, len(c.returning))
	for i, compute := range c.returning {
		value, err := compute(c.scratch)
		if err != nil {
			return err
		}
		row[i] = value
	}
	return c.results.add(row)
}

func (c *compiler) change(expressions []evaluator) *changeOperator {
	return &changeOperator{run: c.run, returning: expressions}
}

// checkNotNull checks a row for columns that must not be NULL.
func checkNotNull(r *run, definition *relation.Definition, row relation.Row) error {
	for i := range definition.Columns {
		column := &definition.Columns[i]
		if !column.NotNull || !row[i].IsNull() {
			continue
		}
		failure := pgerror.New(pgerror.NotNullViolation, "null value in column \"%s\" of relation \"%s\" violates not-null constraint",
			column.Name, definition.Name).WithDetail("Failing row contains (%s).", describeRow(r, definition, row))
		failure.Schema, failure.Table, failure.Column = definition.Schema, definition.Name, column.Name
		return failure
	}
	return nil
}

// maximumShownBytes is how much of a value an error shows.
const maximumShownBytes = 64

func describeRow(r *run, definition *relation.Definition, row relation.Row) string {
	texts := make([]string, len(row))
	for i := range row {
		if row[i].IsNull() {
			texts[i] = "null"
			continue
		}
		text := function.ToText(definition.Columns[i].Type, row[i], &r.functions.Format)
		if len(text) > maximumShownBytes {
			text = strings.ToValidUTF8(text[:maximumShownBytes], "") + "..."
		}
		texts[i] = text
	}
	return strings.Join(texts, ", ")
}

// update compiles UPDATE.
func (c *compiler) update(node *plan.Update) (operator, error) {
	input, err := c.operator(node.Input)
	if err != nil {
		return nil, err
	}
	returning, err := c.returning(node.Returning)
	if err != nil {
		return nil, err
	}
	operator := c.change(returning)
	operator.apply = func() error { return operator.update(node, input) }
	return operator, nil
}

// returning compiles RETURNING; nil without one.
func (c *compiler) returning(list []bind.Expression) ([]evaluator, error) {
	if list == nil {
		return nil, nil
	}
	return c.compileAll(list)
}

// changedRow is a change that waits until all rows have been read.
type changedRow struct {
	identity relation.RowIdentity
	row      relation.Row
}

func (c *changeOperator) update(node *plan.Update, input operator) error {
	definition := node.Relation.Definition()
	width := len(definition.Columns)
	var changes []changedRow
	err := c.eachChanged(input, func(identity relation.RowIdentity, row []relation.Value) error {
		changed := make(relation.Row, width)
		copy(changed, row[1:1+width])
		for i, ordinal := range node.Assigned {
			changed[ordinal] = row[1+width+i]
		}
		if err := checkNotNull(c.run, definition, changed); err != nil {
			return err
		}
		changes = append(changes, changedRow{identity, changed})
		if err := c.run.keep(rowBytes(changed)); err != nil {
			return err
		}
		return c.returned(changed, row[:1], row[1+width+len(node.Assigned):])
	})
	if err != nil {
		return err
	}
	for i := range changes {
		c.run.release(rowBytes(changes[i].row))
		if err := node.Relation.Update(c.run.ctx, changes[i].identity, changes[i].row); err != nil {
			return err
		}
	}
	c.run.affected = int64(len(changes))
	return nil
}

// eachChanged reads the rows that a change has found, each row of the table once.
func (c *changeOperator) eachChanged(input operator, visit func(relation.RowIdentity, []relation.Value) error) error {
	if err := input.open(); err != nil {
		return err
	}
	defer input.close()
	seen := map[relation.RowIdentity]struct{}{}
	for {
		batch, err := input.next()
		if err != nil || batch == nil {
			return err
		}
		if err := c.run.cancelled(); err != nil {
			return err
		}
		for i := range batch.Length {
			row := batch.Row(i)
			identity, ok := relation.IdentityOfTID(row[0])
			if !ok {
				return pgerror.New(pgerror.InternalError, "a row to change has no identity")
			}
			if _, known := seen[identity]; known {
				continue
			}
			seen[identity] = struct{}{}
			if err := visit(identity, row); err != nil {
				return err
			}
		}
	}
}

// delete compiles DELETE.
func (c *compiler) delete(node *plan.Delete) (operator, error) {
	input, err := c.operator(node.Input)
	if err != nil {
		return nil, err
	}
	returning, err := c.returning(node.Returning)
	if err != nil {
		return nil, err
	}
	operator := c.change(returning)
	operator.apply = func() error { return operator.delete(node, input) }
	return operator, nil
}

func (c *changeOperator) delete(node *plan.Delete, input operator) error {
	width := len(node.Relation.Definition().Columns)
	var identities []relation.RowIdentity
	err := c.eachChanged(input, func(identity relation.RowIdentity, row []relation.Value) error {
		identities = append(identities, identity)
		return c.returned(row[1:1+width], row[:1], row[1+width:])
	})
	if err != nil {
		return err
	}
	var deleted int64
	for _, identity := range identities {
		gone, err := node.Relation.Delete(c.run.ctx, identity)
		if err != nil {
			return err
		}
		if gone {
			deleted++
		}
	}
	c.run.affected = deleted
	return nil
}
