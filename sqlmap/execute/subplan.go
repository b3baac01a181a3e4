package execute

import (
	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/function"
	"moraine/sqlmap/plan"
)

// subplan is a query in an expression. Its result is kept as long as the values that it depends on stay the same.
type subplan struct {
	run     *run
	node    *plan.Subplan
	root    operator
	assigns []evaluator
	last    []relation.Value // of assigns
	known   bool             // the result below belongs to last

	value relation.Value // of a scalar, EXISTS or ARRAY subquery
	rows  *rowStore      // of ANY and ALL
	// With Equality: the rows' keys, and whether a row has a NULL.
	keys    map[string]struct{}
	hasNull bool

	left    []evaluator
	writer  keyWriter
	scratch []relation.Value
	test    evaluator
	row     []relation.Value // what test reads
}

func (c *compiler) subplan(node *plan.Subplan) (evaluator, error) {
	s := &subplan{run: c.run, node: node, last: make([]relation.Value, len(node.Assigns))}
	inner := &compiler{run: c.run}
	var err error
	if s.root, err = inner.operator(node.Plan); err != nil {
		return nil, err
	}
	for _, assign := range node.Assigns {
		compiled, err := c.compile(assign.Value)
		if err != nil {
			return nil, err
		}
		s.assigns = append(s.assigns, compiled)
	}
	if s.left, err = c.compileAll(node.Left); err != nil {
		return nil, err
	}
	if node.Equality {
		types := make([]relation.Type, len(node.Left))
		for i, left := range node.Left {
			types[i] = plan.HashType(left.Type())
		}
		s.writer, s.scratch = newKeyWriter(types), make([]relation.Value, len(types))
	}
	if node.Test != nil {
		outer := c.subrow
		c.subrow = &s.row
		s.test, err = c.compile(node.Test)
		c.subrow = outer
	}
	return s.evaluate, err
}

// evaluate gives the value of the subquery for a row of the query around it.
func (s *subplan) evaluate(row []relation.Value) (relation.Value, error) {
	if err := s.prepare(row); err != nil {
		return relation.NULL, err
	}
	switch s.node.Kind {
	case bind.AnySubquery, bind.AllSubquery:
		if s.keys != nil {
			return s.lookup(row)
		}
		return s.compareRows(row)
	case bind.RowSubquery:
		if len(s.rows.rows) == 0 {
			return relation.NULL, nil
		}
		s.row = s.rows.rows[0]
		return s.test(row)
	}
	return s.value, nil
}

// prepare runs the subquery unless its result is known.
func (s *subplan) prepare(row []relation.Value) error {
	same := s.known && !s.node.Recursive
	for i, assign := range s.assigns {
		value, err := assign(row)
		if err != nil {
			return err
		}
		if value != s.last[i] {
			same = false
		}
		s.last[i] = value
	}
	if same {
		return nil
	}
	for i := range s.assigns {
		s.run.outers[s.node.Assigns[i].Outer] = s.last[i]
	}
	if err := s.run.cancelled(); err != nil {
		return err
	}
	s.known = false
	if err := s.execute(); err != nil {
		return err
	}
	s.known = true
	return nil
}

func (s *subplan) execute() error {
	switch s.node.Kind {
	case bind.ExistsSubquery:
		return s.executeExists()
	case bind.ScalarSubquery:
		return s.executeScalar()
	}
	if s.rows != nil {
		s.rows.clear()
	}
	s.rows = newRowStore(s.run, s.node.Plan.Width())
	if err := s.rows.addAll(s.root); err != nil {
		return err
	}
	switch {
	case s.node.Kind == bind.RowSubquery && len(s.rows.rows) > 1:
		return moreThanOneRow()
	case s.node.Kind == bind.ArraySubquery:
		return s.makeArray()
	case s.node.Equality:
		return s.makeKeys()
	}
	return nil
}

func moreThanOneRow() error {
	return pgerror.New(pgerror.CardinalityViolation, "more than one row returned by a subquery used as an expression")
}

func (s *subplan) executeExists() error {
	if err := s.root.open(); err != nil {
		return err
	}
	defer s.root.close()
	batch, err := s.root.next()
	s.value = relation.Bool(batch != nil)
	return err
}

func (s *subplan) executeScalar() error {
	if err := s.root.open(); err != nil {
		return err
	}
	defer s.root.close()
	s.value = relation.NULL
	for count := 0; ; {
		batch, err := s.root.next()
		if err != nil || batch == nil {
			return err
		}
		if count += batch.Length; count > 1 {
			return moreThanOneRow()
		}
		s.value = batch.Values[0]
	}
}

func (s *subplan) makeArray() error {
	values := make([]relation.Value, len(s.rows.rows))
	for i, row := range s.rows.rows {
		values[i] = row[0]
	}
	s.rows.clear()
	element := function.ElementType(s.node.Of).OID
	var err error
	if s.node.Nested {
		s.value, err = function.NewNestedArray(element, values)
	} else {
		s.value = function.NewArray(element, values)
	}
	return err
}

// makeKeys puts the rows into a table of keys.
func (s *subplan) makeKeys() error {
	s.keys, s.hasNull = make(map[string]struct{}, len(s.rows.rows)), false
	for _, row := range s.rows.rows {
		for _, value := range row {
			s.hasNull = s.hasNull || value.IsNull()
		}
		s.keys[string(s.writer.write(row))] = struct{}{}
	}
	if s.hasNull && len(s.left) > 1 {
		// A row with some NULLs may still differ for certain: only a comparison tells.
		s.keys = nil
		return nil
	}
	return nil
}

// lookup answers an equality with ANY row by the table of keys.
func (s *subplan) lookup(row []relation.Value) (relation.Value, error) {
	if len(s.rows.rows) == 0 {
		return relation.Bool(false), nil
	}
	for i, left := range s.left {
		value, err := left(row)
		if err != nil {
			return relation.NULL, err
		}
		if value.IsNull() {
			if len(s.left) > 1 {
				return s.compareRows(row)
			}
			return relation.NULL, nil
		}
		s.scratch[i] = value
	}
	if _, found := s.keys[string(s.writer.write(s.scratch))]; found {
		return relation.Bool(true), nil
	}
	if s.hasNull {
		return relation.NULL, nil
	}
	return relation.Bool(false), nil
}

// compareRows tests each row.
func (s *subplan) compareRows(row []relation.Value) (relation.Value, error) {
	decisive := s.node.Kind == bind.AnySubquery
	unknown := false
	for _, candidate := range s.rows.rows {
		s.row = candidate
		value, err := s.test(row)
		if err != nil {
			return relation.NULL, err
		}
		if value.IsNull() {
			unknown = true
		} else if value.Bool() == decisive {
			return value, nil
		}
	}
	if unknown {
		return relation.NULL, nil
	}
	return relation.Bool(!decisive), nil
}
