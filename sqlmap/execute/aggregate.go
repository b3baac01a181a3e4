package execute

import (
	"encoding/binary"

	"moraine/relation"
	"moraine/sqlmap/function"
	"moraine/sqlmap/plan"
)

// aggregateOperator groups its input by a hash table.
type aggregateOperator struct {
	run     *run
	node    *plan.Aggregate
	input   operator
	keys    []evaluator
	calls   []aggregateCall
	sets    [][]int
	writer  keyWriter
	scratch []relation.Value
	masked  []relation.Value
	maximum *maximum // nil when only the rows can tell

	groups map[string]*group
	order  []*group // in the order of their first rows
	bytes  int64
	at     int
	out    relation.Batch
}

// aggregateCall is a call with its arguments compiled.
type aggregateCall struct {
	plan.AggregateCall
	arguments []evaluator
	filter    evaluator
	sorter    *sorter
	writer    keyWriter // of the arguments, for DISTINCT
	scratch   []relation.Value
}

// group is the state of one group.
type group struct {
	set    int
	keys   []relation.Value
	states []aggregateState
}

// aggregateState is the state of one call in one group.
type aggregateState struct {
	accumulator function.Accumulator
	seen        map[string]struct{} // argument lists, for DISTINCT
	rows        []keyedRow          // arguments, for ORDER BY
}

// groupBytes is about what a group takes beside its keys.
const groupBytes = 128

func (c *compiler) aggregate(node *plan.Aggregate) (operator, error) {
	input, err := c.operator(node.Input)
	if err != nil {
		return nil, err
	}
	a := &aggregateOperator{run: c.run, node: node, input: input, sets: node.Sets, maximum: maximumOf(node)}
	if a.sets == nil {
		all := make([]int, len(node.Keys))
		for i := range all {
			all[i] = i
		}
		a.sets = [][]int{all}
	}
	if a.keys, err = c.compileAll(node.Keys); err != nil {
		return nil, err
	}
	types := make([]relation.Type, len(node.Keys))
	for i, key := range node.Keys {
		types[i] = key.Type()
	}
	a.writer, a.scratch, a.masked = newKeyWriter(types), make([]relation.Value, len(types)), make([]relation.Value, len(types))
	for i := range node.Calls {
		call, err := c.aggregateCall(&node.Calls[i])
		if err != nil {
			return nil, err
		}
		a.calls = append(a.calls, call)
	}
	return a, nil
}

func (c *compiler) aggregateCall(node *plan.AggregateCall) (aggregateCall, error) {
	call := aggregateCall{AggregateCall: *node, scratch: make([]relation.Value, len(node.Arguments))}
	var err error
	if call.arguments, err = c.compileAll(node.Arguments); err != nil {
		return call, err
	}
	if call.filter, err = c.compile(node.Filter); err != nil {
		return call, err
	}
	if len(node.OrderBy) > 0 {
		if call.sorter, err = c.sorter(node.OrderBy); err != nil {
			return call, err
		}
	}
	if node.Distinct {
		types := make([]relation.Type, len(node.Arguments))
		for i, argument := range node.Arguments {
			types[i] = argument.Type()
		}
		call.writer = newKeyWriter(types)
	}
	return call, nil
}

func (a *aggregateOperator) newGroup(set int, keys []relation.Value) (*group, error) {
	g := &group{set: set, keys: append([]relation.Value(nil), keys...), states: make([]aggregateState, len(a.calls))}
	for i := range a.calls {
		g.states[i].accumulator = a.calls[i].Aggregate.New()
		if a.calls[i].Distinct {
			g.states[i].seen = map[string]struct{}{}
		}
	}
	a.order = append(a.order, g)
	return g, a.keep(rowBytes(keys) + groupBytes*int64(1+len(a.calls)))
}

func (a *aggregateOperator) keep(bytes int64) error {
	a.bytes += bytes
	return a.run.keep(bytes)
}

func (a *aggregateOperator) close() {
	a.run.release(a.bytes)
	a.groups, a.order, a.bytes = nil, nil, 0
}

func (a *aggregateOperator) open() error {
	a.close()
	a.groups, a.at = map[string]*group{}, 0
	if err := a.emptySets(); err != nil {
		return err
	}
	if known, err := a.takeMaximum(); known || err != nil {
		return err
	}
	if err := a.input.open(); err != nil {
		return err
	}
	defer a.input.close()
	for {
		batch, err := a.input.next()
		if err != nil || batch == nil {
			return err
		}
		if err := a.run.cancelled(); err != nil {
			return err
		}
		for i := range batch.Length {
			if err := a.addRow(batch.Row(i)); err != nil {
				return err
			}
		}
	}
}

// emptySets makes the groups of sets without keys, which exist without any row.
func (a *aggregateOperator) emptySets() error {
	for set, places := range a.sets {
		if len(places) > 0 {
			continue
		}
		clear(a.masked)
		g, err := a.newGroup(set, a.masked)
		if err != nil {
			return err
		}
		a.groups[string(a.groupKey(set, a.masked))] = g
	}
	return nil
}

// groupKey gives the key of a group in the table.
func (a *aggregateOperator) groupKey(set int, keys []relation.Value) []byte {
	a.writer.write(keys)
	if len(a.sets) > 1 {
		a.writer.raw = binary.BigEndian.AppendUint32(a.writer.raw, uint32(set))
	}
	return a.writer.raw
}

func (a *aggregateOperator) addRow(row []relation.Value) error {
	for i, key := range a.keys {
		value, err := key(row)
		if err != nil {
			return err
		}
		a.scratch[i] = value
	}
	for set, places := range a.sets {
		keys := a.scratch
		if len(places) < len(a.keys) {
			clear(a.masked)
			for _, place := range places {
				a.masked[place] = a.scratch[place]
			}
			keys = a.masked
		}
		raw := a.groupKey(set, keys)
		g := a.groups[string(raw)]
		if g == nil {
			key := string(raw)
			var err error
			if g, err = a.newGroup(set, keys); err != nil {
				return err
			}
			a.groups[key] = g
		}
		for i := range a.calls {
			if err := a.accumulate(&a.calls[i], &g.states[i], row); err != nil {
				return err
			}
		}
	}
	return nil
}

// accumulate adds a row to a call's state.
func (a *aggregateOperator) accumulate(call *aggregateCall, state *aggregateState, row []relation.Value) error {
	if call.filter != nil {
		pass, err := call.filter(row)
		if err != nil || !pass.Bool() {
			return err
		}
	}
	for i, argument := range call.arguments {
		value, err := argument(row)
		if err != nil {
			return err
		}
		if value.IsNull() && call.Aggregate.IgnoresNulls && i >= call.Direct {
			return nil
		}
		call.scratch[i] = value
	}
	if state.seen != nil {
		key := call.writer.write(call.scratch)
		if _, known := state.seen[string(key)]; known {
			return nil
		}
		state.seen[string(key)] = struct{}{}
		if err := a.keep(int64(len(key)) + valueBytes); err != nil {
			return err
		}
	}
	if call.sorter == nil {
		return state.accumulator.Add(a.run.functions, call.scratch)
	}
	keys, err := call.sorter.keys(row)
	if err != nil {
		return err
	}
	state.rows = append(state.rows, keyedRow{keys, append([]relation.Value(nil), call.scratch...)})
	return a.keep(rowBytes(keys) + rowBytes(call.scratch))
}

// result finishes a call in a group.
func (a *aggregateOperator) result(call *aggregateCall, state *aggregateState) (relation.Value, error) {
	if call.sorter != nil {
		call.sorter.sortRows(state.rows)
		for _, row := range state.rows {
			if err := state.accumulator.Add(a.run.functions, row.row); err != nil {
				return relation.NULL, err
			}
		}
	}
	return state.accumulator.Result(a.run.functions)
}

func (a *aggregateOperator) next() (*relation.Batch, error) {
	if a.at >= len(a.order) {
		return nil, nil
	}
	a.out.Reset(a.node.Width())
	for a.at < len(a.order) && a.out.Length < batchRows {
		g := a.order[a.at]
		a.at++
		a.out.Values = append(a.out.Values, g.keys...)
		for i := range a.calls {
			value, err := a.result(&a.calls[i], &g.states[i])
			if err != nil {
				return nil, err
			}
			a.out.Values = append(a.out.Values, value)
		}
		if a.node.Sets != nil {
			a.out.Values = append(a.out.Values, relation.Int(int64(g.set)))
		}
		a.out.Length++
	}
	return &a.out, nil
}
