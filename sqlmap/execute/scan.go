package execute

import (
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/function"
	"moraine/sqlmap/plan"
)

// scanOperator reads a relation and checks what the relation may have left unchecked.
type scanOperator struct {
	run        *run
	node       *plan.Scan
	columns    []int // asked for: those of the node, then those that only predicates read
	predicates []scanPredicate
	identities []evaluator
	extras     []plan.Extra
	filter     evaluator
	width      int
	cursor     relation.Cursor
	checks     []check
	out        relation.Batch
}

// scanPredicate is a predicate whose values are computed when the scan starts.
type scanPredicate struct {
	plan.Predicate
	values []evaluator
}

// check is a predicate of a running scan over the values in one slot.
type check struct {
	slot      int
	of        uint32
	predicate relation.Predicate
	set       map[relation.Value]struct{} // of a long In
}

// shortList is the number of values up to which a list is compared one by one.
const shortList = 8

func (c *compiler) scan(node *plan.Scan) (operator, error) {
	s := &scanOperator{run: c.run, node: node, columns: append([]int(nil), node.Columns...), extras: node.Extras, width: node.Width()}
	for i := range node.Predicates {
		predicate := scanPredicate{Predicate: node.Predicates[i]}
		var err error
		if predicate.values, err = c.compileAll(predicate.Values); err != nil {
			return nil, err
		}
		s.predicates = append(s.predicates, predicate)
		s.slot(predicate.Column)
	}
	var err error
	if s.identities, err = c.compileAll(node.Identities); err != nil {
		return nil, err
	}
	c.run.lend(&s.out)
	s.filter, err = c.compile(node.Filter)
	return s, err
}

// slot gives the place of a column in the relation's batches, and asks for the column when nothing else has.
func (s *scanOperator) slot(column int) int {
	for i, known := range s.columns {
		if known == column {
			return i
		}
	}
	s.columns = append(s.columns, column)
	return len(s.columns) - 1
}

func (s *scanOperator) open() error {
	s.close()
	request := relation.ScanRequest{Columns: s.columns, WithIdentities: s.needsIdentities()}
	s.checks = s.checks[:0]
	for i := range s.predicates {
		predicate, possible, err := s.predicates[i].evaluate()
		if err != nil || !possible {
			return err
		}
		request.Predicates = append(request.Predicates, predicate)
		s.addCheck(predicate)
	}
	if key, ok := s.run.scanKeys[s.node]; ok {
		if len(key.Values) == 0 {
			return nil
		}
		request.Predicates = append(request.Predicates, key)
	}
	if s.node.Identities != nil {
		identities, err := s.evaluateIdentities()
		if err != nil || len(identities) == 0 {
			return err
		}
		request.Identities = identities
	}
	cursor, err := s.node.Relation.Scan(s.run.ctx, request)
	if err != nil {
		return err
	}
	s.cursor = cursor
	return nil
}

func (s *scanOperator) needsIdentities() bool {
	for _, extra := range s.extras {
		if extra == plan.Identity {
			return true
		}
	}
	return false
}

// evaluate computes the values of a predicate; possible is false when no row can pass.
func (p *scanPredicate) evaluate() (predicate relation.Predicate, possible bool, err error) {
	predicate = relation.Predicate{Column: p.Column, Comparison: p.Comparison}
	if len(p.values) > 0 {
		predicate.Values = make([]relation.Value, 0, len(p.values))
	}
	for _, compute := range p.values {
		value, err := compute(nil)
		if err != nil {
			return predicate, false, err
		}
		switch {
		case value.IsNull():
		case p.Array:
			for _, element := range function.OpenArray(value).Elements {
				if !element.IsNull() {
					predicate.Values = append(predicate.Values, element)
				}
			}
		default:
			predicate.Values = append(predicate.Values, value)
		}
	}
	switch p.Comparison {
	case relation.IsNull, relation.IsNotNull:
		return predicate, true, nil
	}
	return predicate, len(predicate.Values) > 0, nil
}

func (s *scanOperator) addCheck(predicate relation.Predicate) {
	of := s.node.Relation.Definition().Columns[predicate.Column].Type.OID
	added := check{slot: s.slot(predicate.Column), of: of, predicate: predicate}
	if len(predicate.Values) > shortList && identityEquality(of) {
		added.set = make(map[relation.Value]struct{}, len(predicate.Values))
		for _, value := range predicate.Values {
			added.set[value] = struct{}{}
		}
	}
	s.checks = append(s.checks, added)
}

func (c *check) holds(value relation.Value) bool {
	if c.set != nil {
		_, ok := c.set[value]
		return ok && !value.IsNull()
	}
	return c.predicate.Holds(c.of, value)
}

// evaluateIdentities computes the rows that "ctid = ..." names, each once.
func (s *scanOperator) evaluateIdentities() ([]relation.RowIdentity, error) {
	var identities []relation.RowIdentity
	known := map[relation.RowIdentity]bool{}
	add := func(tid relation.Value) {
		if identity, ok := relation.IdentityOfTID(tid); ok && !known[identity] {
			known[identity] = true
			identities = append(identities, identity)
		}
	}
	for _, compute := range s.identities {
		value, err := compute(nil)
		if err != nil {
			return nil, err
		}
		if !s.node.IdentityArray {
			add(value)
			continue
		}
		for _, element := range function.OpenArray(value).Elements {
			add(element)
		}
	}
	return identities, nil
}

func (s *scanOperator) next() (*relation.Batch, error) {
	for s.cursor != nil {
		batch, err := s.cursor.Next(s.run.ctx)
		if err != nil {
			return nil, err
		}
		if batch == nil {
			s.close()
			break
		}
		if err := s.run.cancelled(); err != nil {
			return nil, err
		}
		if len(s.extras) == 0 && s.filter == nil && len(s.columns) == s.width && s.allPass(batch) {
			return batch, nil
		}
		if err := s.copyPassing(batch); err != nil {
			return nil, err
		}
		if s.out.Length > 0 {
			return &s.out, nil
		}
	}
	return nil, nil
}

func (s *scanOperator) allPass(batch *relation.Batch) bool {
	for i := range s.checks {
		check := &s.checks[i]
		for place := check.slot; place < len(batch.Values); place += batch.Width {
			if !check.holds(batch.Values[place]) {
				return false
			}
		}
	}
	return true
}

// copyPassing puts the rows that pass into s.out, with extras.
func (s *scanOperator) copyPassing(batch *relation.Batch) error {
	s.out.Reset(s.width)
	columns := len(s.node.Columns)
rows:
	for i := range batch.Length {
		row := batch.Row(i)
		for c := range s.checks {
			if !s.checks[c].holds(row[s.checks[c].slot]) {
				continue rows
			}
		}
		start := len(s.out.Values)
		s.out.Values = append(s.out.Values, row[:columns]...)
		for _, extra := range s.extras {
			s.out.Values = append(s.out.Values, s.extra(extra, batch, i))
		}
		if s.filter != nil {
			pass, err := s.filter(s.out.Values[start:])
			if err != nil {
				return err
			}
			if !pass.Bool() {
				s.out.Values = s.out.Values[:start]
				continue
			}
		}
		s.out.Length++
	}
	return nil
}

func (s *scanOperator) extra(extra plan.Extra, batch *relation.Batch, row int) relation.Value {
	switch extra {
	case plan.Identity:
		return batch.Identities[row].TID()
	case plan.TableOID:
		return relation.Int(int64(s.node.Relation.Definition().OID))
	}
	return relation.Bool(true)
}

func (s *scanOperator) close() {
	if s.cursor != nil {
		s.cursor.Close()
		s.cursor = nil
	}
}

// valuesOperator gives rows of expressions.
type valuesOperator struct {
	rows [][]evaluator
	at   int
	out  relation.Batch
}

func (c *compiler) values(node *plan.Values) (operator, error) {
	v := &valuesOperator{rows: make([][]evaluator, len(node.Rows))}
	for i, row := range node.Rows {
		var err error
		if v.rows[i], err = c.compileAll(row); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (v *valuesOperator) open() error { v.at = 0; return nil }
func (v *valuesOperator) close()      {}

func (v *valuesOperator) next() (*relation.Batch, error) {
	if v.at == len(v.rows) {
		return nil, nil
	}
	v.out.Reset(len(v.rows[0]))
	for v.at < len(v.rows) && v.out.Length < batchRows {
		for _, compute := range v.rows[v.at] {
			value, err := compute(nil)
			if err != nil {
				return nil, err
			}
			v.out.Values = append(v.out.Values, value)
		}
		v.out.Length++
		v.at++
	}
	return &v.out, nil
}

// filterOperator passes the rows for which a condition holds.
type filterOperator struct {
	input     operator
	condition evaluator
	out       relation.Batch
}

func (f *filterOperator) open() error { return f.input.open() }
func (f *filterOperator) close()      { f.input.close() }

func (f *filterOperator) next() (*relation.Batch, error) {
	for {
		batch, err := f.input.next()
		if err != nil || batch == nil {
			return nil, err
		}
		f.out.Reset(batch.Width)
		for i := range batch.Length {
			row := batch.Row(i)
			pass, err := f.condition(row)
			if err != nil {
				return nil, err
			}
			if pass.Bool() {
				appendRow(&f.out, row)
			}
		}
		if f.out.Length > 0 {
			return &f.out, nil
		}
	}
}

// projectOperator computes expressions over each row.
type projectOperator struct {
	input       operator
	expressions []evaluator
	out         relation.Batch
}

func (p *projectOperator) open() error { return p.input.open() }
func (p *projectOperator) close()      { p.input.close() }

func (p *projectOperator) next() (*relation.Batch, error) {
	batch, err := p.input.next()
	if err != nil || batch == nil {
		return nil, err
	}
	p.out.Reset(len(p.expressions))
	for i := range batch.Length {
		row := batch.Row(i)
		for _, compute := range p.expressions {
			value, err := compute(row)
			if err != nil {
				return nil, err
			}
			p.out.Values = append(p.out.Values, value)
		}
		p.out.Length++
	}
	return &p.out, nil
}

// compileKeys compiles the expressions of sort keys.
func (c *compiler) compileKeys(keys []bind.SortKey) ([]evaluator, error) {
	compiled := make([]evaluator, len(keys))
	for i := range keys {
		var err error
		if compiled[i], err = c.compile(keys[i].Expression); err != nil {
			return nil, err
		}
	}
	return compiled, nil
}
