package plan

import (
	"moraine/relation"
	"moraine/sqlmap/bind"
)

// query plans a query; what it reads of queries around it goes to n.
func (b *builder) query(q *bind.Query, n *needs) Node {
	commons := b.with(q.With, n)
	var node Node
	switch {
	case q.Set != bind.NoSet:
		node = b.order(b.setOperation(q, n), q, nil, n)
	case q.Values != nil:
		values := &Values{Columns: len(q.Columns)}
		for _, row := range q.Values {
			values.Rows = append(values.Rows, b.resolveAll(row, newLayout(), n))
		}
		node = b.order(values, q, nil, n)
	default:
		node = b.plainSelect(q, n)
	}
	if len(commons) > 0 {
		return &With{Input: node, Commons: commons}
	}
	return node
}

// plainSelect plans a SELECT in PostgreSQL's order: FROM and WHERE, groups, windows, sets, targets, DISTINCT, ORDER BY,
// LIMIT.
func (b *builder) plainSelect(q *bind.Query, n *needs) Node {
	p := b.from(q.From, conjuncts(q.Where), n)
	if q.Grouped {
		p = b.aggregate(p, q, n)
		if q.Having != nil {
			p = b.filter(p, conjuncts(q.Having), n)
		}
	}
	for i, window := range q.Windows {
		p = b.window(p, q, i, window, n)
	}
	if len(q.SetCalls) > 0 {
		p = b.sets(p, q, n)
	}
	expressions := make([]bind.Expression, len(q.Targets))
	for i := range q.Targets {
		expressions[i] = b.resolve(q.Targets[i].Expression, p.layout, n)
	}
	node := project(p.node, expressions)
	types := make([]relation.Type, len(q.Targets))
	for i := range q.Targets {
		types[i] = q.Targets[i].Expression.Type()
	}
	if q.Distinct {
		node = &Distinct{Input: node, Types: types}
	}
	node = b.order(node, q, types, n)
	if len(q.Locks) > 0 {
		node = &LockRows{Input: node, Locks: q.Locks}
	}
	if len(q.Targets) > q.Visible {
		trimmed := make([]bind.Expression, q.Visible)
		for i := range trimmed {
			trimmed[i] = &Slot{Index: i, From: q.Targets[i].Expression, Of: types[i]}
		}
		node = &Project{Input: node, Expressions: trimmed}
	}
	return node
}

// project computes expressions; nothing is to be done when they are the input's slots in order.
func project(input Node, expressions []bind.Expression) Node {
	identical := input.Width() == len(expressions)
	for i, e := range expressions {
		slot, ok := e.(*Slot)
		identical = identical && ok && slot.Index == i
	}
	if identical {
		return input
	}
	if scan, ok := input.(*Scan); ok && reorder(scan, expressions) {
		return scan
	}
	return &Project{Input: input, Expressions: expressions}
}

// reorder makes a scan give its columns in the order of the expressions, when these are just its columns and its filter
// needs no others.
func reorder(scan *Scan, expressions []bind.Expression) bool {
	if len(scan.Extras) > 0 || scan.Filter != nil || len(expressions) == 0 {
		return false
	}
	columns := make([]int, len(expressions))
	for i, e := range expressions {
		slot, ok := e.(*Slot)
		if !ok {
			return false
		}
		columns[i] = scan.Columns[slot.Index]
	}
	scan.Columns = columns
	return true
}

// order plans DISTINCT ON, ORDER BY and LIMIT over the targets of a query.
func (b *builder) order(node Node, q *bind.Query, types []relation.Type, n *needs) Node {
	var keys []bind.SortKey
	for _, key := range q.OrderBy {
		keys = append(keys, bind.SortKey{Expression: targetSlot(q, key.Target), Descending: key.Descending, NullsFirst: key.NullsFirst})
	}
	empty := newLayout()
	var limit, offset bind.Expression
	if q.Limit != nil {
		limit = b.resolve(q.Limit, empty, n)
	}
	if q.Offset != nil {
		offset = b.resolve(q.Offset, empty, n)
	}
	if len(keys) > 0 {
		sort := &Sort{Input: node, Keys: keys}
		if q.DistinctOn == nil && !q.WithTies {
			sort.Limit, sort.Offset = limit, offset
		}
		node = sort
	}
	if q.DistinctOn != nil {
		on := make([]relation.Type, len(q.DistinctOn))
		for i, place := range q.DistinctOn {
			on[i] = types[place]
		}
		node = &Distinct{Input: node, Slots: q.DistinctOn, Types: on}
	}
	if limit != nil || offset != nil {
		limited := &Limit{Input: node, Limit: limit, Offset: offset}
		if q.WithTies {
			limited.Ties = keys
		}
		node = limited
	}
	return node
}

func targetSlot(q *bind.Query, place int) *Slot {
	if q.Targets != nil {
		return &Slot{Index: place, From: q.Targets[place].Expression, Of: q.Targets[place].Expression.Type()}
	}
	return &Slot{Index: place, Of: q.Columns[place].Type}
}

func (b *builder) setOperation(q *bind.Query, n *needs) Node {
	left, right := b.query(q.Left, n), b.query(q.Right, n)
	types := make([]relation.Type, len(q.Columns))
	for i := range q.Columns {
		types[i] = q.Columns[i].Type
	}
	if q.Set == bind.Union {
		inputs := []Node{left, right}
		if inner, ok := left.(*Append); ok {
			inputs = append(append([]Node(nil), inner.Inputs...), right)
		}
		if q.SetAll {
			return &Append{Inputs: inputs}
		}
		return &Distinct{Input: &Append{Inputs: inputs}, Types: types}
	}
	return &SetOperation{Kind: q.Set, All: q.SetAll, Left: left, Right: right, Types: types}
}

// aggregate plans grouping.
func (b *builder) aggregate(p *part, q *bind.Query, n *needs) *part {
	node := &Aggregate{Input: p.node, Keys: b.resolveAll(q.GroupBy, p.layout, n)}
	l := newLayout()
	l.groups = append([]bind.Expression(nil), q.GroupBy...)
	l.calls = map[bind.Expression]int{}
	for i, group := range q.GroupBy {
		if column, ok := group.(*bind.Column); ok {
			l.columns[columnKey{column.Source, column.Ordinal}] = i
		}
	}
	for i, call := range q.Aggregates {
		planned := AggregateCall{Aggregate: call.Aggregate, Arguments: b.resolveAll(call.Arguments, p.layout, n), Direct: call.Direct,
			Distinct: call.Distinct, OrderBy: b.resolveKeys(call.OrderBy, p.layout, n)}
		if call.Filter != nil {
			planned.Filter = b.resolve(call.Filter, p.layout, n)
		}
		node.Calls = append(node.Calls, planned)
		l.calls[call] = len(q.GroupBy) + i
	}
	if q.GroupingSets != nil {
		node.Sets = q.GroupingSets
	}
	l.grouping = b.groupingBits(q, node)
	rows := 1.0
	if len(q.GroupBy) > 0 {
		rows = max(1, p.rows*0.1)
	}
	return &part{node: node, layout: l, rows: rows}
}

// groupingBits finds the calls of GROUPING and computes their values for each set.
func (b *builder) groupingBits(q *bind.Query, node *Aggregate) map[*bind.GroupingCall]*GroupingBits {
	found := map[*bind.GroupingCall]*GroupingBits{}
	visit := func(e bind.Expression) bool {
		call, ok := e.(*bind.GroupingCall)
		if !ok || found[call] != nil {
			return true
		}
		if node.Sets == nil {
			all := make([]int, len(q.GroupBy))
			for i := range all {
				all[i] = i
			}
			node.Sets = [][]int{all}
		}
		bits := &GroupingBits{Set: &Slot{Index: len(node.Keys) + len(node.Calls), Of: relation.Int4Type}}
		for _, set := range node.Sets {
			var value int64
			for _, argument := range call.Arguments {
				value <<= 1
				if !containsPlace(set, argument) {
					value |= 1
				}
			}
			bits.BySet = append(bits.BySet, value)
		}
		found[call] = bits
		return true
	}
	for i := range q.Targets {
		bind.Walk(q.Targets[i].Expression, visit)
	}
	bind.Walk(q.Having, visit)
	return found
}

func containsPlace(places []int, place int) bool {
	for _, other := range places {
		if other == place {
			return true
		}
	}
	return false
}

// window plans the calls over one window.
func (b *builder) window(p *part, q *bind.Query, place int, definition *bind.WindowDefinition, n *needs) *part {
	node := &Window{Input: p.node, PartitionBy: b.resolveAll(definition.PartitionBy, p.layout, n),
		OrderBy: b.resolveKeys(definition.OrderBy, p.layout, n), Frame: definition.Frame}
	frame := &node.Frame
	for _, part := range []*bind.Expression{&frame.StartOffset, &frame.EndOffset, &frame.StartLimit, &frame.EndLimit} {
		if *part != nil {
			*part = b.resolve(*part, p.layout, n)
		}
	}
	l := p.layout.extended()
	for _, call := range q.WindowCalls {
		if call.Over != place {
			continue
		}
		planned := WindowCall{Window: call.Window, Aggregate: call.Aggregate, Arguments: b.resolveAll(call.Arguments, p.layout, n), Of: call.Of}
		if call.Filter != nil {
			planned.Filter = b.resolve(call.Filter, p.layout, n)
		}
		l.calls[call] = p.node.Width() + len(node.Calls)
		node.Calls = append(node.Calls, planned)
	}
	if len(node.Calls) == 0 {
		return p
	}
	return &part{node: node, layout: l, rows: p.rows}
}

// extended copies a layout so that calls can be added to it.
func (l *layout) extended() *layout {
	copied := *l
	copied.calls = map[bind.Expression]int{}
	for call, slot := range l.calls {
		copied.calls[call] = slot
	}
	return &copied
}

// sets plans the set-returning functions of a select list; one in the arguments of another is run before it.
func (b *builder) sets(p *part, q *bind.Query, n *needs) *part {
	pending := q.SetCalls
	for len(pending) > 0 {
		node := &ProjectSet{Input: p.node}
		l := p.layout.extended()
		var later []*bind.SetCall
		for _, call := range pending {
			if containsCall(call, pending) {
				later = append(later, call)
				continue
			}
			l.calls[call] = p.node.Width() + len(node.Calls)
			node.Calls = append(node.Calls, SetCall{Function: call.Function, Arguments: b.resolveAll(call.Arguments, p.layout, n)})
		}
		p = &part{node: node, layout: l, rows: p.rows * 10}
		pending = later
	}
	return p
}

func containsCall(call *bind.SetCall, others []*bind.SetCall) bool {
	found := false
	for _, argument := range call.Arguments {
		bind.Walk(argument, func(e bind.Expression) bool {
			for _, other := range others {
				if e == bind.Expression(other) {
					found = true
				}
			}
			return !found
		})
	}
	return found
}

// with plans the common tables of a WITH clause that keep their rows.
func (b *builder) with(list []*bind.Common, n *needs) []*Common {
	var planned []*Common
	for _, common := range list {
		if b.inlineCommon(common) || common.References == 0 && common.Change == nil {
			continue
		}
		kept := &Common{Index: b.commonID, Name: common.Name}
		b.commonID++
		b.commons[common] = kept
		switch {
		case common.Change != nil:
			kept.Change = true
			kept.Plan = b.statement(common.Change, n)
		case common.Recursive:
			b.recursive(common, kept, n)
		default:
			kept.Plan = b.query(common.Query, n)
		}
		planned = append(planned, kept)
	}
	return planned
}

func (b *builder) recursive(common *bind.Common, kept *Common, n *needs) {
	q := common.Query
	outer := b.with(q.With, n)
	kept.Plan = b.query(q.Left, n)
	b.working[common] = true
	next := b.query(q.Right, n)
	b.working[common] = false
	if len(outer) > 0 {
		kept.Plan = &With{Input: kept.Plan, Commons: outer}
	}
	types := make([]relation.Type, len(q.Columns))
	for i := range q.Columns {
		types[i] = q.Columns[i].Type
	}
	kept.Recursive = &Recursion{Next: next, All: q.SetAll, Types: types}
}
