package execute

import (
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/plan"
)

// distinctOperator passes the first of equal rows.
type distinctOperator struct {
	run     *run
	input   operator
	slots   []int
	writer  keyWriter
	scratch []relation.Value
	seen    map[string]struct{}
	bytes   int64
	out     relation.Batch
}

func (c *compiler) distinctRows(node *plan.Distinct) (operator, error) {
	input, err := c.operator(node.Input)
	return &distinctOperator{run: c.run, input: input, slots: node.Slots, writer: newKeyWriter(node.Types),
		scratch: make([]relation.Value, len(node.Types))}, err
}

func (d *distinctOperator) open() error {
	d.seen = map[string]struct{}{}
	return d.input.open()
}

func (d *distinctOperator) close() {
	d.input.close()
	d.run.release(d.bytes)
	d.seen, d.bytes = nil, 0
}

func (d *distinctOperator) next() (*relation.Batch, error) {
	for {
		batch, err := d.input.next()
		if err != nil || batch == nil {
			return nil, err
		}
		d.out.Reset(batch.Width)
		for i := range batch.Length {
			row := batch.Row(i)
			values := []relation.Value(row)
			if d.slots != nil {
				for i, slot := range d.slots {
					d.scratch[i] = row[slot]
				}
				values = d.scratch
			}
			key := d.writer.write(values)
			if _, known := d.seen[string(key)]; known {
				continue
			}
			d.seen[string(key)] = struct{}{}
			d.bytes += int64(len(key)) + valueBytes
			if err := d.run.keep(int64(len(key)) + valueBytes); err != nil {
				return nil, err
			}
			appendRow(&d.out, row)
		}
		if d.out.Length > 0 {
			return &d.out, nil
		}
	}
}

// setOperator is INTERSECT or EXCEPT: it counts the rows of the right side, then passes or drops rows of the left one.
type setOperator struct {
	run         *run
	node        *plan.SetOperation
	left, right operator
	writer      keyWriter
	counts      map[string]int64
	given       map[string]struct{} // rows that have passed, without ALL
	bytes       int64
	out         relation.Batch
}

func (c *compiler) setOperation(node *plan.SetOperation) (operator, error) {
	left, err := c.operator(node.Left)
	if err != nil {
		return nil, err
	}
	right, err := c.operator(node.Right)
	return &setOperator{run: c.run, node: node, left: left, right: right, writer: newKeyWriter(node.Types)}, err
}

func (s *setOperator) open() error {
	s.counts, s.given = map[string]int64{}, map[string]struct{}{}
	if err := s.right.open(); err != nil {
		return err
	}
	defer s.right.close()
	for {
		batch, err := s.right.next()
		if err != nil {
			return err
		}
		if batch == nil {
			return s.left.open()
		}
		for i := range batch.Length {
			key := s.writer.write(batch.Row(i))
			if _, known := s.counts[string(key)]; !known {
				if err := s.keep(key); err != nil {
					return err
				}
			}
			s.counts[string(key)]++
		}
	}
}

func (s *setOperator) keep(key []byte) error {
	s.bytes += int64(len(key)) + valueBytes
	return s.run.keep(int64(len(key)) + valueBytes)
}

func (s *setOperator) close() {
	s.left.close()
	s.run.release(s.bytes)
	s.counts, s.given, s.bytes = nil, nil, 0
}

func (s *setOperator) next() (*relation.Batch, error) {
	for {
		batch, err := s.left.next()
		if err != nil || batch == nil {
			return nil, err
		}
		s.out.Reset(batch.Width)
		for i := range batch.Length {
			pass, err := s.passes(s.writer.write(batch.Row(i)))
			if err != nil {
				return nil, err
			}
			if pass {
				appendRow(&s.out, batch.Row(i))
			}
		}
		if s.out.Length > 0 {
			return &s.out, nil
		}
	}
}

// passes tells whether a row of the left side is in the result. With ALL each row of the right side answers for one.
func (s *setOperator) passes(key []byte) (bool, error) {
	count := s.counts[string(key)]
	if s.node.All {
		if count > 0 {
			s.counts[string(key)]--
		}
		return (count > 0) == (s.node.Kind == bind.Intersect), nil
	}
	if (count > 0) != (s.node.Kind == bind.Intersect) {
		return false, nil
	}
	if _, known := s.given[string(key)]; known {
		return false, nil
	}
	s.given[string(key)] = struct{}{}
	return true, s.keep(key)
}
