package execute

import (
	"slices"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
	"moraine/sqlmap/plan"
)

// setCall is a set-returning function with its arguments compiled.
type setCall struct {
	set       *function.SetReturning
	arguments []evaluator
	scratch   []relation.Value
}

func (c *compiler) setCall(set *function.SetReturning, arguments []evaluator) setCall {
	return setCall{set: set, arguments: arguments, scratch: make([]relation.Value, len(arguments))}
}

// rows runs the function for a row.
func (s *setCall) rows(r *run, row []relation.Value) ([]relation.Row, error) {
	if s.set.Call != nil {
		return s.rowsOfLake(r, row)
	}
	if err := s.evaluate(row); err != nil {
		return nil, err
	}
	if s.set.Strict && slices.ContainsFunc(s.scratch, relation.Value.IsNull) {
		return nil, nil
	}
	return s.set.Rows(r.functions, s.scratch)
}

// evaluate computes the arguments for a row.
func (s *setCall) evaluate(row []relation.Value) error {
	for i, argument := range s.arguments {
		value, err := argument(row)
		if err != nil {
			return err
		}
		s.scratch[i] = value
	}
	return nil
}

// start starts a function of a lake, or a series, for a row.
func (s *setCall) start(r *run, row []relation.Value) (relation.Cursor, error) {
	if err := s.evaluate(row); err != nil {
		return nil, err
	}
	if isIntegerSeries(s.set) {
		return newSeries(s.scratch)
	}
	return s.set.Call(r.ctx, s.scratch)
}

// rowsOfLake runs a function of a lake and keeps its rows.
func (s *setCall) rowsOfLake(r *run, row []relation.Value) ([]relation.Row, error) {
	cursor, err := s.start(r, row)
	if err != nil {
		return nil, err
	}
	defer cursor.Close()
	store := newRowStore(r, len(s.set.Columns))
	for {
		batch, err := cursor.Next(r.ctx)
		if err != nil || batch == nil {
			return store.rows, err
		}
		for i := range batch.Length {
			if err := store.add(batch.Row(i)); err != nil {
				return nil, err
			}
		}
	}
}

// functionsOperator runs the functions of a FROM item and gives their rows side by side.
type functionsOperator struct {
	run    *run
	node   *plan.Functions
	sets   []setCall
	scalar []evaluator
	reader storeReader
	cursor relation.Cursor // of the only function, one of a lake or a series
}

func (c *compiler) functions(node *plan.Functions) (operator, error) {
	f := &functionsOperator{run: c.run, node: node}
	for _, call := range node.Calls {
		arguments, err := c.compileAll(call.Arguments)
		if err != nil {
			return nil, err
		}
		scalar, err := c.compile(call.Scalar)
		if err != nil {
			return nil, err
		}
		f.sets, f.scalar = append(f.sets, c.setCall(call.Set, arguments)), append(f.scalar, scalar)
	}
	return f, nil
}

func (f *functionsOperator) close() {
	f.reader = storeReader{}
	if f.cursor != nil {
		f.cursor.Close()
		f.cursor = nil
	}
}

func (f *functionsOperator) open() (err error) {
	f.close()
	if calls := f.node.Calls; len(calls) == 1 && !f.node.Ordinality && calls[0].Set != nil &&
		(calls[0].Set.Call != nil || isIntegerSeries(calls[0].Set)) {
		f.cursor, err = f.sets[0].start(f.run, nil)
		return err
	}
	return f.openAll()
}

// openAll runs all functions and puts their rows side by side.
func (f *functionsOperator) openAll() error {
	results := make([][]relation.Row, len(f.node.Calls))
	length := 0
	for i := range f.node.Calls {
		rows, err := f.call(i)
		if err != nil {
			return err
		}
		results[i] = rows
		length = max(length, len(rows))
	}
	f.reader = storeReader{width: f.node.Columns}
	if len(results) == 1 && !f.node.Ordinality {
		f.reader.rows = results[0]
		return nil
	}
	for place := range length {
		row := make(relation.Row, 0, f.node.Columns)
		for i, rows := range results {
			if place < len(rows) {
				row = append(row, rows[place]...)
			} else {
				row = addOrNull(row, nil, f.node.Calls[i].Width)
			}
		}
		if f.node.Ordinality {
			row = append(row, relation.Int(int64(place+1)))
		}
		f.reader.rows = append(f.reader.rows, row)
	}
	return nil
}

// call runs one function.
func (f *functionsOperator) call(i int) ([]relation.Row, error) {
	call := &f.node.Calls[i]
	if call.Set != nil {
		return f.sets[i].rows(f.run, nil)
	}
	value, err := f.scalar[i](nil)
	if err != nil {
		return nil, err
	}
	if !call.Expand {
		return []relation.Row{{value}}, nil
	}
	if value.IsNull() {
		return []relation.Row{make(relation.Row, call.Width)}, nil
	}
	_, fields := function.OpenRecord(value)
	if len(fields) != call.Width {
		return nil, pgerror.New(pgerror.DatatypeMismatch, "function return row and query-specified return row do not match")
	}
	return []relation.Row{fields}, nil
}

func (f *functionsOperator) next() (*relation.Batch, error) {
	if f.cursor != nil {
		return f.cursor.Next(f.run.ctx)
	}
	return f.reader.next(), nil
}

// projectSetOperator runs set-returning functions for each row; the shorter ones are filled up with NULL.
type projectSetOperator struct {
	run     *run
	input   operator
	calls   []setCall
	records [][]relation.Type // of calls with several columns, the types of the fields
	width   int
	batch   *relation.Batch
	row     int
	results [][]relation.Row // of batch's row
	place   int
	length  int
	out     relation.Batch
}

func (c *compiler) projectSet(node *plan.ProjectSet) (operator, error) {
	input, err := c.operator(node.Input)
	if err != nil {
		return nil, err
	}
	p := &projectSetOperator{run: c.run, input: input, width: node.Width(), results: make([][]relation.Row, len(node.Calls))}
	for _, call := range node.Calls {
		arguments, err := c.compileAll(call.Arguments)
		if err != nil {
			return nil, err
		}
		p.calls = append(p.calls, c.setCall(call.Function, arguments))
		var types []relation.Type
		if len(call.Function.Columns) > 1 {
			for _, column := range call.Function.Columns {
				types = append(types, column.Type)
			}
		}
		p.records = append(p.records, types)
	}
	return p, nil
}

func (p *projectSetOperator) open() error {
	p.batch, p.row, p.place, p.length = nil, 0, 0, 0
	return p.input.open()
}

func (p *projectSetOperator) close() { p.input.close() }

func (p *projectSetOperator) next() (*relation.Batch, error) {
	p.out.Reset(p.width)
	for p.out.Length < batchRows {
		if p.place < p.length {
			p.addRow()
			continue
		}
		if p.batch == nil || p.row == p.batch.Length {
			batch, err := p.input.next()
			if err != nil {
				return nil, err
			}
			// At the end the input has reused its last batch, so nothing may look at it again.
			if p.batch, p.row = batch, 0; batch == nil {
				break
			}
		}
		if err := p.run.cancelled(); err != nil {
			return nil, err
		}
		p.place, p.length = 0, 0
		for i := range p.calls {
			rows, err := p.calls[i].rows(p.run, p.batch.Row(p.row))
			if err != nil {
				return nil, err
			}
			p.results[i] = rows
			p.length = max(p.length, len(rows))
		}
		p.row++
	}
	if p.out.Length == 0 {
		return nil, nil
	}
	return &p.out, nil
}

func (p *projectSetOperator) addRow() {
	p.out.Values = append(p.out.Values, p.batch.Row(p.row-1)...)
	for i, rows := range p.results {
		switch {
		case p.place >= len(rows):
			p.out.Values = append(p.out.Values, relation.NULL)
		case p.records[i] != nil:
			p.out.Values = append(p.out.Values, function.NewRecord(p.records[i], rows[p.place]))
		default:
			p.out.Values = append(p.out.Values, rows[p.place][0])
		}
	}
	p.out.Length++
	p.place++
}
