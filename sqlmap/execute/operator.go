package execute

import (
	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/plan"
)

// operator compiles a node of a plan.
func (c *compiler) operator(node plan.Node) (operator, error) {
	switch node := node.(type) {
	case *plan.Scan:
		return c.scan(node)
	case *plan.Values:
		return c.values(node)
	case *plan.Filter:
		input, err := c.operator(node.Input)
		if err != nil {
			return nil, err
		}
		condition, err := c.compile(node.Condition)
		filter := &filterOperator{input: input, condition: condition}
		c.run.lend(&filter.out)
		return filter, err
	case *plan.Project:
		input, err := c.operator(node.Input)
		if err != nil {
			return nil, err
		}
		expressions, err := c.compileAll(node.Expressions)
		project := &projectOperator{input: input, expressions: expressions}
		c.run.lend(&project.out)
		return project, err
	case *plan.HashJoin:
		return c.hashJoin(node)
	case *plan.LoopJoin:
		return c.loopJoin(node)
	case *plan.Aggregate:
		return c.aggregate(node)
	case *plan.Window:
		return c.window(node)
	case *plan.ProjectSet:
		return c.projectSet(node)
	case *plan.Sort:
		return c.sort(node)
	case *plan.Distinct:
		return c.distinctRows(node)
	case *plan.Limit:
		return c.limit(node)
	case *plan.LockRows:
		input, err := c.operator(node.Input)
		return &lockOperator{run: c.run, input: input, locks: node.Locks}, err
	case *plan.Append:
		return c.appendNode(node)
	case *plan.SetOperation:
		return c.setOperation(node)
	case *plan.Functions:
		return c.functions(node)
	case *plan.With:
		return c.with(node)
	case *plan.CommonScan:
		return c.commonScan(node)
	case *plan.Insert:
		return c.insert(node)
	case *plan.Update:
		return c.update(node)
	case *plan.Delete:
		return c.delete(node)
	}
	return nil, pgerror.New(pgerror.InternalError, "plan node %s cannot be run", describe(node))
}

// lockOperator locks the rows that it passes.
type lockOperator struct {
	run   *run
	input operator
	locks []bind.Lock
}

func (l *lockOperator) open() error { return l.input.open() }
func (l *lockOperator) close()      { l.input.close() }

func (l *lockOperator) next() (*relation.Batch, error) {
	batch, err := l.input.next()
	if err != nil || batch == nil {
		return nil, err
	}
	for i := range batch.Length {
		for _, lock := range l.locks {
			identity, ok := relation.IdentityOfTID(batch.Row(i)[lock.Target])
			if !ok {
				continue // a row that an outer join has filled in
			}
			if err := lock.Relation.Lock(l.run.ctx, identity); err != nil {
				return nil, err
			}
		}
	}
	return batch, nil
}

// appendOperator gives the rows of several inputs.
type appendOperator struct {
	inputs []operator
	at     int
}

func (c *compiler) appendNode(node *plan.Append) (operator, error) {
	a := &appendOperator{at: len(node.Inputs)}
	for _, input := range node.Inputs {
		compiled, err := c.operator(input)
		if err != nil {
			return nil, err
		}
		a.inputs = append(a.inputs, compiled)
	}
	return a, nil
}

func (a *appendOperator) open() error {
	a.at = 0
	return a.inputs[0].open()
}

func (a *appendOperator) close() {
	if a.at < len(a.inputs) {
		a.inputs[a.at].close()
	}
	a.at = len(a.inputs)
}

func (a *appendOperator) next() (*relation.Batch, error) {
	for a.at < len(a.inputs) {
		batch, err := a.inputs[a.at].next()
		if err != nil || batch != nil {
			return batch, err
		}
		a.inputs[a.at].close()
		a.at++
		if a.at < len(a.inputs) {
			if err := a.inputs[a.at].open(); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// limitOperator passes some rows.
type limitOperator struct {
	input         operator
	limit, offset evaluator
	ties          *sorter
	skip, left    int64
	unbounded     bool
	last          []relation.Value // keys of the last row within the limit
	out           relation.Batch
	done          bool
}

func (c *compiler) limit(node *plan.Limit) (operator, error) {
	input, err := c.operator(node.Input)
	if err != nil {
		return nil, err
	}
	l := &limitOperator{input: input}
	if l.limit, err = c.compile(node.Limit); err != nil {
		return nil, err
	}
	if l.offset, err = c.compile(node.Offset); err != nil {
		return nil, err
	}
	if node.Ties != nil {
		l.ties, err = c.sorter(node.Ties)
	}
	return l, err
}

// bounds computes LIMIT and OFFSET; a limit of NULL or without an expression is none.
func bounds(limit, offset evaluator) (count, skip int64, unbounded bool, err error) {
	unbounded = true
	if limit != nil {
		value, err := limit(nil)
		if err != nil {
			return 0, 0, false, err
		}
		if !value.IsNull() {
			unbounded, count = false, value.Int()
			if count < 0 {
				return 0, 0, false, pgerror.New(pgerror.InvalidRowCountInLimitClause, "LIMIT must not be negative")
			}
		}
	}
	if offset != nil {
		value, err := offset(nil)
		if err != nil {
			return 0, 0, false, err
		}
		if skip = value.Int(); skip < 0 {
			return 0, 0, false, pgerror.New(pgerror.InvalidRowCountInOffsetClause, "OFFSET must not be negative")
		}
	}
	return count, skip, unbounded, nil
}

func (l *limitOperator) open() error {
	var err error
	l.done, l.last = false, nil
	if l.left, l.skip, l.unbounded, err = bounds(l.limit, l.offset); err != nil {
		return err
	}
	return l.input.open()
}

func (l *limitOperator) close() { l.input.close() }

func (l *limitOperator) next() (*relation.Batch, error) {
	for !l.done {
		if !l.unbounded && l.left == 0 && (l.ties == nil || l.last == nil) {
			break
		}
		batch, err := l.input.next()
		if err != nil || batch == nil {
			return nil, err
		}
		if l.skip == 0 && (l.unbounded || l.ties == nil && int64(batch.Length) <= l.left) {
			l.left -= int64(batch.Length)
			return batch, nil
		}
		if err := l.take(batch); err != nil {
			return nil, err
		}
		if l.out.Length > 0 {
			return &l.out, nil
		}
	}
	return nil, nil
}

// take copies the rows of a batch that lie within the bounds, or are ties of the last of them.
func (l *limitOperator) take(batch *relation.Batch) error {
	l.out.Reset(batch.Width)
	for i := range batch.Length {
		row := batch.Row(i)
		switch {
		case l.skip > 0:
			l.skip--
			continue
		case l.unbounded:
		case l.left > 0:
			l.left--
			if l.left == 0 && l.ties != nil {
				keys, err := l.ties.keys(row)
				if err != nil {
					return err
				}
				l.last = keys
			}
		case l.ties == nil || l.last == nil:
			l.done = true
			return nil
		default:
			keys, err := l.ties.keys(row)
			if err != nil {
				return err
			}
			if l.ties.compare(keys, l.last) != 0 {
				l.done = true
				return nil
			}
		}
		appendRow(&l.out, row)
	}
	return nil
}
