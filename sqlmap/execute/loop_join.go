package execute

import (
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/plan"
)

// loopJoinOperator compares each pair of rows. The right side is kept, or, when it depends on the left row, run for each.
type loopJoinOperator struct {
	run         *run
	node        *plan.LoopJoin
	left, right operator
	assigns     []evaluator
	condition   evaluator
	leftWidth   int
	rightWidth  int

	table     *rowStore
	matched   []bool
	batch     *relation.Batch
	row       int
	place     int
	started   bool
	found     bool
	reading   bool
	unmatched int
	scratch   []relation.Value
	out       relation.Batch
}

func (c *compiler) loopJoin(node *plan.LoopJoin) (operator, error) {
	left, err := c.operator(node.Left)
	if err != nil {
		return nil, err
	}
	right, err := c.operator(node.Right)
	if err != nil {
		return nil, err
	}
	j := &loopJoinOperator{run: c.run, node: node, left: left, right: right, leftWidth: node.Left.Width(), rightWidth: node.Right.Width()}
	c.run.lend(&j.out)
	for _, assign := range node.Assigns {
		compiled, err := c.compile(assign.Value)
		if err != nil {
			return nil, err
		}
		j.assigns = append(j.assigns, compiled)
	}
	j.condition, err = c.compile(node.Condition)
	return j, err
}

func (j *loopJoinOperator) open() error {
	j.close()
	j.table = newRowStore(j.run, j.rightWidth)
	if len(j.assigns) == 0 {
		if err := j.table.addAll(j.right); err != nil {
			return err
		}
	}
	if j.node.Kind == bind.RightJoin || j.node.Kind == bind.FullJoin {
		j.matched = make([]bool, len(j.table.rows))
	}
	j.batch, j.row, j.started, j.reading, j.unmatched = nil, 0, false, true, 0
	return j.left.open()
}

func (j *loopJoinOperator) close() {
	if j.table == nil {
		return
	}
	if j.reading {
		j.left.close()
	}
	j.table.clear()
	j.table, j.matched, j.reading = nil, nil, false
}

func (j *loopJoinOperator) next() (*relation.Batch, error) {
	j.out.Reset(j.node.Width())
	for j.reading && j.out.Length < batchRows {
		if j.batch == nil || j.row == j.batch.Length {
			batch, err := j.left.next()
			if err != nil {
				return nil, err
			}
			if batch == nil {
				j.left.close()
				j.reading = false
				break
			}
			j.batch, j.row, j.started = batch, 0, false
		}
		if err := j.run.cancelled(); err != nil {
			return nil, err
		}
		if err := j.joinRow(j.batch.Row(j.row)); err != nil {
			return nil, err
		}
	}
	if !j.reading && j.matched != nil {
		for j.unmatched < len(j.table.rows) && j.out.Length < batchRows {
			if !j.matched[j.unmatched] {
				j.out.Values = append(addOrNull(j.out.Values, nil, j.leftWidth), j.table.rows[j.unmatched]...)
				j.out.Length++
			}
			j.unmatched++
		}
	}
	if j.out.Length == 0 {
		return nil, nil
	}
	return &j.out, nil
}

// start makes the right side ready for a left row.
func (j *loopJoinOperator) start(row []relation.Value) error {
	j.started, j.found, j.place = true, false, 0
	if len(j.assigns) == 0 {
		return nil
	}
	for i, assign := range j.assigns {
		value, err := assign(row)
		if err != nil {
			return err
		}
		j.run.outers[j.node.Assigns[i].Outer] = value
	}
	j.table.clear()
	return j.table.addAll(j.right)
}

// joinRow adds the results of one left row; it stops, to be called again, when the batch is full.
func (j *loopJoinOperator) joinRow(row []relation.Value) error {
	if !j.started {
		if err := j.start(row); err != nil {
			return err
		}
	}
	semi := j.node.Kind == bind.SemiJoin || j.node.Kind == bind.AntiJoin
	for j.place < len(j.table.rows) && j.out.Length < batchRows {
		place := j.place
		j.place++
		if j.condition != nil {
			j.scratch = append(append(j.scratch[:0], row...), j.table.rows[place]...)
			pass, err := j.condition(j.scratch)
			if err != nil {
				return err
			}
			if !pass.Bool() {
				continue
			}
		}
		j.found = true
		if semi {
			j.place = len(j.table.rows)
			break
		}
		j.out.Values = append(append(j.out.Values, row...), j.table.rows[place]...)
		j.out.Length++
		if j.matched != nil {
			j.matched[place] = true
		}
	}
	if j.place < len(j.table.rows) {
		return nil
	}
	switch {
	case semi:
		if j.found == (j.node.Kind == bind.SemiJoin) {
			appendRow(&j.out, row)
		}
	case !j.found && (j.node.Kind == bind.LeftJoin || j.node.Kind == bind.FullJoin):
		j.out.Values = addOrNull(append(j.out.Values, row...), nil, j.rightWidth)
		j.out.Length++
	}
	j.row++
	j.started = false
	return nil
}
