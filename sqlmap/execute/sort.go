package execute

import (
	"slices"

	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/function"
	"moraine/sqlmap/plan"
)

// sorter compares rows by sort keys.
type sorter struct {
	compute  []evaluator
	comparer []func(a, b relation.Value) int
	order    []bind.SortKey
}

func (c *compiler) sorter(keys []bind.SortKey) (*sorter, error) {
	s := &sorter{order: keys}
	var err error
	if s.compute, err = c.compileKeys(keys); err != nil {
		return nil, err
	}
	for i := range keys {
		compare := function.Comparer(keys[i].Expression.Type())
		if compare == nil {
			return nil, function.NoOrdering(keys[i].Expression.Type())
		}
		s.comparer = append(s.comparer, compare)
	}
	return s, nil
}

// keys computes the keys of a row.
func (s *sorter) keys(row []relation.Value) ([]relation.Value, error) {
	keys := make([]relation.Value, len(s.compute))
	for i, compute := range s.compute {
		value, err := compute(row)
		if err != nil {
			return nil, err
		}
		keys[i] = value
	}
	return keys, nil
}

// compare orders two lists of keys.
func (s *sorter) compare(left, right []relation.Value) int {
	for i := range s.comparer {
		result := 0
		switch {
		case left[i].IsNull() && right[i].IsNull():
			continue
		case left[i].IsNull():
			result = 1
			if s.order[i].NullsFirst {
				result = -1
			}
		case right[i].IsNull():
			result = -1
			if s.order[i].NullsFirst {
				result = 1
			}
		default:
			result = s.comparer[i](left[i], right[i])
			if s.order[i].Descending {
				result = -result
			}
		}
		if result != 0 {
			return result
		}
	}
	return 0
}

// keyedRow is a row with its sort keys.
type keyedRow struct {
	keys []relation.Value
	row  relation.Row
}

// sortRows orders rows by keys; equal rows keep their order.
func (s *sorter) sortRows(rows []keyedRow) {
	slices.SortStableFunc(rows, func(left, right keyedRow) int { return s.compare(left.keys, right.keys) })
}

// sortOperator orders its input.
type sortOperator struct {
	run           *run
	input         operator
	width         int
	sorter        *sorter
	limit, offset evaluator
	store         *rowStore
	reader        storeReader
}

func (c *compiler) sort(node *plan.Sort) (operator, error) {
	input, err := c.operator(node.Input)
	if err != nil {
		return nil, err
	}
	s := &sortOperator{run: c.run, input: input, width: node.Width()}
	c.run.lend(&s.reader.batch)
	if s.sorter, err = c.sorter(node.Keys); err != nil {
		return nil, err
	}
	if s.limit, err = c.compile(node.Limit); err != nil {
		return nil, err
	}
	s.offset, err = c.compile(node.Offset)
	return s, err
}

func (s *sortOperator) close() {
	if s.store != nil {
		s.store.clear()
		s.store = nil
	}
	s.reader.rows, s.reader.at = nil, 0
}

func (s *sortOperator) open() error {
	s.close()
	count, skip, unbounded, err := bounds(s.limit, s.offset)
	if err != nil {
		return err
	}
	wanted := -1
	if !unbounded && count < 1<<20 && skip < 1<<20 {
		wanted = int(count + skip)
	}
	s.store = newRowStore(s.run, s.width)
	if err := s.input.open(); err != nil {
		return err
	}
	defer s.input.close()
	var rows []keyedRow
	for {
		batch, err := s.input.next()
		if err != nil {
			return err
		}
		if batch == nil {
			break
		}
		if err := s.run.cancelled(); err != nil {
			return err
		}
		for i := range batch.Length {
			if err := s.store.add(batch.Row(i)); err != nil {
				return err
			}
			row := s.store.rows[len(s.store.rows)-1]
			keys, err := s.sorter.keys(row)
			if err != nil {
				return err
			}
			rows = append(rows, keyedRow{keys, row})
		}
		if wanted >= 0 && len(rows) > 2*wanted+batchRows {
			if rows, err = s.cut(rows, wanted); err != nil {
				return err
			}
		}
	}
	s.sorter.sortRows(rows)
	sorted := make([]relation.Row, len(rows))
	for i := range rows {
		sorted[i] = rows[i].row
	}
	s.reader.rows, s.reader.width = sorted, s.width
	return nil
}

// cut keeps the first rows in order and forgets the others.
func (s *sortOperator) cut(rows []keyedRow, wanted int) ([]keyedRow, error) {
	s.sorter.sortRows(rows)
	kept := newRowStore(s.run, s.width)
	cut := make([]keyedRow, 0, wanted)
	for _, row := range rows[:wanted] {
		if err := kept.add(row.row); err != nil {
			return nil, err
		}
		cut = append(cut, keyedRow{row.keys, kept.rows[len(kept.rows)-1]})
	}
	s.store.clear()
	s.store = kept
	return cut, nil
}

func (s *sortOperator) next() (*relation.Batch, error) { return s.reader.next(), nil }
