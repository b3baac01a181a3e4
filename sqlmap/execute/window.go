package execute

import (
	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/function"
	"moraine/sqlmap/plan"
)

// windowOperator computes functions over one window: it keeps its input, orders it by partition and order, and adds the
// results to each row.
type windowOperator struct {
	run        *run
	node       *plan.Window
	input      operator
	width      int
	partition  *sorter
	order      *sorter
	calls      []windowCall
	frame      compiledFrame
	store      *rowStore
	partitions [][]keyedRow
	at         int
	results    []relation.Row
	reader     storeReader
}

// windowCall is a call with its arguments compiled.
type windowCall struct {
	plan.WindowCall
	arguments []evaluator
	filter    evaluator
	scratch   []relation.Value
}

// compiledFrame holds what a frame computes.
type compiledFrame struct {
	start, end           evaluator // offsets
	startLimit, endLimit evaluator // RANGE: the bound, out of operand
	operand              *relation.Value
	// compare orders the keys of RANGE with offsets.
	compare func(a, b relation.Value) int
}

func (c *compiler) window(node *plan.Window) (operator, error) {
	input, err := c.operator(node.Input)
	if err != nil {
		return nil, err
	}
	w := &windowOperator{run: c.run, node: node, input: input, width: node.Width()}
	var keys []bind.SortKey
	for _, part := range node.PartitionBy {
		keys = append(keys, bind.SortKey{Expression: part})
	}
	if w.partition, err = c.sorter(keys); err != nil {
		return nil, err
	}
	if w.order, err = c.sorter(node.OrderBy); err != nil {
		return nil, err
	}
	for i := range node.Calls {
		call := windowCall{WindowCall: node.Calls[i], scratch: make([]relation.Value, len(node.Calls[i].Arguments))}
		if call.arguments, err = c.compileAll(call.Arguments); err != nil {
			return nil, err
		}
		if call.filter, err = c.compile(call.Filter); err != nil {
			return nil, err
		}
		w.calls = append(w.calls, call)
	}
	return w, c.frame(&node.Frame, node.OrderBy, &w.frame)
}

func (c *compiler) frame(frame *bind.Frame, order []bind.SortKey, compiled *compiledFrame) error {
	var err error
	if compiled.start, err = c.compile(frame.StartOffset); err != nil {
		return err
	}
	if compiled.end, err = c.compile(frame.EndOffset); err != nil {
		return err
	}
	if frame.StartLimit == nil && frame.EndLimit == nil {
		return nil
	}
	compiled.operand = new(relation.Value)
	outer := c.operand
	c.operand = compiled.operand
	defer func() { c.operand = outer }()
	if compiled.startLimit, err = c.compile(frame.StartLimit); err != nil {
		return err
	}
	compiled.endLimit, err = c.compile(frame.EndLimit)
	compiled.compare = function.Comparer(order[0].Expression.Type())
	return err
}

func (w *windowOperator) close() {
	if w.store != nil {
		w.store.clear()
		w.store = nil
	}
	w.partitions, w.results, w.reader = nil, nil, storeReader{}
}

func (w *windowOperator) open() error {
	w.close()
	w.store = newRowStore(w.run, w.node.Input.Width())
	if err := w.store.addAll(w.input); err != nil {
		return err
	}
	rows := make([]keyedRow, len(w.store.rows))
	for i, row := range w.store.rows {
		keys, err := w.partition.keys(row)
		if err != nil {
			return err
		}
		rows[i] = keyedRow{keys, row}
	}
	w.partition.sortRows(rows)
	w.at = 0
	for start := 0; start < len(rows); {
		end := start + 1
		for end < len(rows) && w.partition.compare(rows[start].keys, rows[end].keys) == 0 {
			end++
		}
		w.partitions = append(w.partitions, rows[start:end])
		start = end
	}
	return nil
}

func (w *windowOperator) next() (*relation.Batch, error) {
	for {
		if batch := w.reader.next(); batch != nil {
			return batch, nil
		}
		if w.at == len(w.partitions) {
			return nil, nil
		}
		if err := w.run.cancelled(); err != nil {
			return nil, err
		}
		rows, err := w.compute(w.partitions[w.at])
		if err != nil {
			return nil, err
		}
		w.at++
		w.reader = storeReader{rows: rows, width: w.width}
	}
}

// compute orders a partition and adds the results to its rows.
func (w *windowOperator) compute(rows []keyedRow) ([]relation.Row, error) {
	for i := range rows {
		keys, err := w.order.keys(rows[i].row)
		if err != nil {
			return nil, err
		}
		rows[i].keys = keys
	}
	w.order.sortRows(rows)
	p := &partition{window: w, rows: rows}
	p.findPeers()
	if err := p.findOffsets(); err != nil {
		return nil, err
	}
	results := make([]relation.Row, len(rows))
	for i := range rows {
		results[i] = make(relation.Row, w.width)
		copy(results[i], rows[i].row)
	}
	for i := range w.calls {
		p.call = &w.calls[i]
		slot := w.node.Input.Width() + i
		if err := p.evaluate(results, slot); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// partition is the rows of one partition in window order. It is a function.Partition for the call that is computed.
type partition struct {
	window     *windowOperator
	call       *windowCall
	rows       []keyedRow
	peerFirst  []int
	peerEnd    []int
	groups     []int // first row of each group of peers
	group      []int // group of each row
	startValue relation.Value
	endValue   relation.Value
	failure    error
}

// findPeers finds the groups of rows that are equal in the window's order.
func (p *partition) findPeers() {
	count := len(p.rows)
	p.peerFirst, p.peerEnd, p.group = make([]int, count), make([]int, count), make([]int, count)
	for start := 0; start < count; {
		end := start + 1
		for end < count && p.window.order.compare(p.rows[start].keys, p.rows[end].keys) == 0 {
			end++
		}
		for i := start; i < end; i++ {
			p.peerFirst[i], p.peerEnd[i], p.group[i] = start, end, len(p.groups)
		}
		p.groups = append(p.groups, start)
		start = end
	}
}

// findOffsets computes the offsets of the frame, which are the same for all rows.
func (p *partition) findOffsets() error {
	for _, bound := range []struct {
		compute evaluator
		value   *relation.Value
		name    string
	}{{p.window.frame.start, &p.startValue, "starting"}, {p.window.frame.end, &p.endValue, "ending"}} {
		if bound.compute == nil {
			continue
		}
		value, err := bound.compute(nil)
		if err != nil {
			return err
		}
		if value.IsNull() {
			return pgerror.New(pgerror.NullValueNotAllowed, "frame %s offset must not be null", bound.name)
		}
		if p.window.node.Frame.Mode != bind.RangeFrame && value.Int() < 0 {
			return pgerror.New("22013", "frame %s offset must not be negative", bound.name)
		}
		*bound.value = value
	}
	return nil
}

// Length is the number of rows.
func (p *partition) Length() int { return len(p.rows) }

// Argument evaluates an argument of the call on a row.
func (p *partition) Argument(row, argument int) (relation.Value, error) {
	return p.call.arguments[argument](p.rows[row].row)
}

// Peers gives the rows that are equal to row in the window's order.
func (p *partition) Peers(row int) (first, end int) { return p.peerFirst[row], p.peerEnd[row] }

// Frame gives the frame of a row, without its exclusion.
func (p *partition) Frame(row int) (first, end int) {
	frame := &p.window.node.Frame
	first = p.bound(row, frame.Start, p.startValue, p.window.frame.startLimit, false)
	end = p.bound(row, frame.End, p.endValue, p.window.frame.endLimit, true)
	return first, max(first, end)
}

// bound gives the row where a frame starts, or the row after its end.
func (p *partition) bound(row int, kind bind.FrameBoundKind, offset relation.Value, limit evaluator, end bool) int {
	mode := p.window.node.Frame.Mode
	switch kind {
	case bind.UnboundedPreceding:
		return 0
	case bind.UnboundedFollowing:
		return len(p.rows)
	case bind.CurrentRow:
		switch {
		case mode == bind.RowsFrame && end:
			return row + 1
		case mode == bind.RowsFrame:
			return row
		case end:
			return p.peerEnd[row]
		}
		return p.peerFirst[row]
	}
	distance := offset.Int()
	if kind == bind.OffsetPreceding {
		distance = -distance
	}
	switch mode {
	case bind.RowsFrame:
		place := int64(row) + distance
		if end {
			place++
		}
		return int(min(max(place, 0), int64(len(p.rows))))
	case bind.GroupsFrame:
		group := int64(p.group[row]) + distance
		if end {
			group++
		}
		switch {
		case group <= 0:
			return 0
		case group >= int64(len(p.groups)):
			return len(p.rows)
		}
		return p.groups[group]
	}
	return p.rangeBound(row, limit, end)
}

// rangeBound finds where the order key reaches the limit that belongs to a row. NULL keys are peers of each other only.
func (p *partition) rangeBound(row int, limit evaluator, end bool) int {
	key := p.rows[row].keys[0]
	if key.IsNull() {
		if end {
			return p.peerEnd[row]
		}
		return p.peerFirst[row]
	}
	*p.window.frame.operand = key
	value, err := limit(p.rows[row].row)
	if err != nil {
		p.failure = err
		return 0
	}
	order := &p.window.order.order[0]
	place := 0
	for place < len(p.rows) {
		other := p.rows[place].keys[0]
		if other.IsNull() {
			if order.NullsFirst {
				place++
				continue
			}
			break
		}
		result := p.window.frame.compare(other, value)
		if order.Descending {
			result = -result
		}
		if result > 0 || result == 0 && !end {
			break
		}
		place++
	}
	return place
}

// excluded tells whether the frame's exclusion leaves a row out.
func (p *partition) excluded(row, other int) bool {
	switch p.window.node.Frame.Exclusion {
	case bind.ExcludeCurrentRow:
		return row == other
	case bind.ExcludeGroup:
		return p.group[row] == p.group[other]
	case bind.ExcludeTies:
		return row != other && p.group[row] == p.group[other]
	}
	return false
}

// evaluate computes the call for each row.
func (p *partition) evaluate(results []relation.Row, slot int) error {
	if p.call.Aggregate != nil {
		return p.aggregate(results, slot)
	}
	var view function.Partition = p
	if p.window.node.Frame.Exclusion != bind.ExcludeNothing {
		view = &excludingPartition{partition: p}
	}
	for i := range p.rows {
		if excluding, ok := view.(*excludingPartition); ok {
			excluding.choose(i)
		}
		value, err := p.call.Window.Evaluate(p.window.run.functions, view, i)
		if err == nil {
			err = p.failure
		}
		if err != nil {
			return err
		}
		results[i][slot] = value
	}
	return nil
}

// aggregate computes an aggregate over the frame of each row. While the frames only grow at their end, one accumulator
// goes on from row to row.
func (p *partition) aggregate(results []relation.Row, slot int) error {
	var accumulator function.Accumulator
	first, end := 0, 0
	var last relation.Value
	for i := range p.rows {
		frameFirst, frameEnd := p.Frame(i)
		if p.failure != nil {
			return p.failure
		}
		exclusion := p.window.node.Frame.Exclusion != bind.ExcludeNothing
		if accumulator == nil || exclusion || frameFirst != first || frameEnd < end {
			accumulator, first, end = p.call.Aggregate.New(), frameFirst, frameFirst
		} else if frameEnd == end {
			results[i][slot] = last
			continue
		}
		for ; end < frameEnd; end++ {
			if exclusion && p.excluded(i, end) {
				continue
			}
			if err := p.add(accumulator, end); err != nil {
				return err
			}
		}
		value, err := accumulator.Result(p.window.run.functions)
		if err != nil {
			return err
		}
		results[i][slot], last = value, value
	}
	return nil
}

// add gives a row to an aggregate.
func (p *partition) add(accumulator function.Accumulator, row int) error {
	values := p.rows[row].row
	if p.call.filter != nil {
		pass, err := p.call.filter(values)
		if err != nil || !pass.Bool() {
			return err
		}
	}
	for i, argument := range p.call.arguments {
		value, err := argument(values)
		if err != nil {
			return err
		}
		if value.IsNull() && p.call.Aggregate.IgnoresNulls {
			return nil
		}
		p.call.scratch[i] = value
	}
	return accumulator.Add(p.window.run.functions, p.call.scratch)
}

// excludingPartition shows first_value, last_value and nth_value the frame of one row without what is excluded. Other
// functions do not look at frames.
type excludingPartition struct {
	*partition
	members []int // rows of the frame
}

func (p *excludingPartition) choose(row int) {
	p.members = p.members[:0]
	first, end := p.partition.Frame(row)
	for other := first; other < end; other++ {
		if !p.excluded(row, other) {
			p.members = append(p.members, other)
		}
	}
}

// Frame gives the frame as places of rows that Argument understands: numbers from the length of the partition on.
func (p *excludingPartition) Frame(int) (first, end int) {
	return len(p.rows), len(p.rows) + len(p.members)
}

// Argument evaluates an argument on a row of the partition or on a member of the frame.
func (p *excludingPartition) Argument(row, argument int) (relation.Value, error) {
	if row >= len(p.rows) {
		row = p.members[row-len(p.rows)]
	}
	return p.partition.Argument(row, argument)
}
