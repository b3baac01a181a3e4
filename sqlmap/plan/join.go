package plan

import (
	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/function"
)

// maximumKeyedRows is how many rows the build side of a join may be expected to have for its keys to restrict the scan of
// the other side; the executor has a limit on the keys themselves.
const maximumKeyedRows = 10000

// joinUnits joins units by inner joins: from the smallest on, always with one that a condition ties to those joined.
func (b *builder) joinUnits(units []*unit, conditions []bind.Expression, n *needs) *part {
	if len(units) == 0 {
		one := &part{node: &Values{Rows: [][]bind.Expression{{}}}, layout: newLayout(), rows: 1}
		return b.filter(one, conditions, n)
	}
	joined := map[*unit]bool{}
	current := b.firstUnit(units)
	joined[current] = true
	result := current.planned
	if current.needs != nil && n != nil {
		n.list = append(n.list, current.needs.list...)
	} else if current.needs != nil {
		b.assigns(current.needs, newLayout(), nil)
	}
	for len(joined) < len(units) {
		next := b.nextUnit(units, joined, conditions)
		joined[next] = true
		var now, later []bind.Expression
		for _, condition := range conditions {
			if b.readsOnly(condition, units, joined) {
				now = append(now, condition)
			} else {
				later = append(later, condition)
			}
		}
		conditions = later
		result = b.joinParts(bind.InnerJoin, result, next.planned, now, next.needs, n)
	}
	return b.filter(result, conditions, n)
}

// dependsOn tells whether a lateral unit reads units that are not joined yet.
func (b *builder) ready(u *unit, units []*unit, joined map[*unit]bool) bool {
	if u.needs == nil {
		return true
	}
	for _, need := range u.needs.list {
		for _, other := range units {
			if other != u && !joined[other] && readsUnit(b.reads(need.expression), other) {
				return false
			}
		}
	}
	return true
}

func (b *builder) firstUnit(units []*unit) *unit {
	var best *unit
	for _, u := range units {
		if b.ready(u, units, nil) && (best == nil || u.planned.rows < best.planned.rows) {
			best = u
		}
	}
	if best == nil {
		b.fail(pgerror.New(pgerror.InternalError, "lateral items depend on each other"))
		return units[0]
	}
	return best
}

func (b *builder) nextUnit(units []*unit, joined map[*unit]bool, conditions []bind.Expression) *unit {
	var best *unit
	bestTied := false
	for _, u := range units {
		if joined[u] || !b.ready(u, units, joined) {
			continue
		}
		tied := u.needs != nil && len(u.needs.list) > 0 || b.tied(u, units, joined, conditions)
		if best == nil || tied && !bestTied || tied == bestTied && u.planned.rows < best.planned.rows {
			best, bestTied = u, tied
		}
	}
	if best == nil {
		b.fail(pgerror.New(pgerror.InternalError, "lateral items depend on each other"))
		for _, u := range units {
			if !joined[u] {
				return u
			}
		}
	}
	return best
}

// tied tells whether an equality ties the unit to those that are joined.
func (b *builder) tied(u *unit, units []*unit, joined map[*unit]bool, conditions []bind.Expression) bool {
	for _, condition := range conditions {
		call, ok := condition.(*bind.Call)
		if !ok || call.Operator != "=" {
			continue
		}
		sources := b.reads(condition)
		if !readsUnit(sources, u) {
			continue
		}
		with := map[*unit]bool{u: true}
		for other := range joined {
			with[other] = true
		}
		if b.readsOnly(condition, units, with) {
			return true
		}
	}
	return false
}

// readsOnly tells whether a condition reads no units but those.
func (b *builder) readsOnly(condition bind.Expression, units []*unit, joined map[*unit]bool) bool {
	sources := b.reads(condition)
	for _, u := range units {
		if !joined[u] && readsUnit(sources, u) {
			return false
		}
	}
	return true
}

// joinParts joins two parts on conditions; lateral is what the right part needs of the left one.
func (b *builder) joinParts(kind bind.JoinKind, left, right *part, conditions []bind.Expression, lateral, n *needs) *part {
	l := newLayout()
	l.append(left.layout, 0)
	if kind != bind.SemiJoin && kind != bind.AntiJoin {
		l.append(right.layout, left.node.Width())
	}
	both := newLayout()
	both.append(left.layout, 0)
	both.append(right.layout, left.node.Width())
	result := &part{layout: l}
	if lateral != nil && len(lateral.list) > 0 {
		assigns := b.assigns(lateral, left.layout, n)
		if len(assigns) > 0 {
			if kind == bind.RightJoin || kind == bind.FullJoin {
				b.fail(pgerror.New(pgerror.InvalidColumnReference, "invalid reference to FROM-clause entry in a lateral item").
					WithDetail("The combining JOIN type must be INNER or LEFT for a LATERAL reference."))
			}
			result.node = &LoopJoin{Kind: kind, Left: left.node, Right: right.node, Assigns: assigns,
				Condition: conjunction(b.resolveAll(conditions, both, n))}
			result.rows = left.rows * max(1, right.rows)
			return result
		}
	}
	keys := b.hashKeys(left, right, conditions, n)
	if len(keys.left) == 0 {
		result.node = &LoopJoin{Kind: kind, Left: left.node, Right: right.node, Condition: conjunction(b.resolveAll(conditions, both, n))}
		result.rows = left.rows * right.rows
		if len(conditions) > 0 {
			result.rows *= 0.3
		}
		return result
	}
	join := &HashJoin{Kind: kind, Left: left.node, Right: right.node, LeftKeys: keys.left, RightKeys: keys.right,
		KeyTypes: keys.types, Condition: conjunction(b.resolveAll(keys.rest, both, n))}
	switch kind {
	case bind.SemiJoin, bind.AntiJoin:
		join.BuildLeft = false
	default:
		join.BuildLeft = left.rows < right.rows
	}
	b.restrictProbe(join, left, right)
	result.node, result.rows = join, max(left.rows, right.rows)
	return result
}

// hashKeys are the equalities among the conditions of a join that a hash table can answer, and the other conditions.
type hashKeys struct {
	left, right []bind.Expression
	types       []relation.Type
	rest        []bind.Expression
}

func (b *builder) hashKeys(left, right *part, conditions []bind.Expression, n *needs) hashKeys {
	var keys hashKeys
	for _, condition := range conditions {
		call, ok := condition.(*bind.Call)
		if !ok || call.Operator != "=" || !hashTypesAgree(call.Arguments[0].Type(), call.Arguments[1].Type()) ||
			!function.HasEquality(call.Arguments[0].Type().OID) || call.Arguments[0].Type().OID == relation.RecordOID {
			keys.rest = append(keys.rest, condition)
			continue
		}
		first, second := call.Arguments[0], call.Arguments[1]
		if !b.computable(first, left.layout, right.layout) || !b.computable(second, right.layout, left.layout) {
			first, second = second, first
		}
		if !b.computable(first, left.layout, right.layout) || !b.computable(second, right.layout, left.layout) {
			keys.rest = append(keys.rest, condition)
			continue
		}
		keys.left = append(keys.left, b.resolve(first, left.layout, n))
		keys.right = append(keys.right, b.resolve(second, right.layout, n))
		keys.types = append(keys.types, HashType(first.Type()))
	}
	return keys
}

// computable tells whether an expression reads something of its own side and nothing of the other.
func (b *builder) computable(e bind.Expression, own, other *layout) bool {
	reads, foreign := false, false
	for source := range b.reads(e) {
		for key := range own.columns {
			reads = reads || key.source == source
		}
		for key := range other.columns {
			foreign = foreign || key.source == source
		}
	}
	return reads && !foreign
}

// restrictProbe looks for a scan on the probe side that the keys of the build side can restrict: its rows without a match
// must not be in the result.
func (b *builder) restrictProbe(join *HashJoin, left, right *part) {
	build, probe, keys := left, right, join.RightKeys
	if !join.BuildLeft {
		build, probe, keys = right, left, join.LeftKeys
	}
	var preserved bool
	switch join.Kind {
	case bind.LeftJoin:
		preserved = !join.BuildLeft
	case bind.RightJoin:
		preserved = join.BuildLeft
	case bind.FullJoin, bind.AntiJoin:
		preserved = true
	}
	if preserved || build.rows > maximumKeyedRows {
		return
	}
	for i, key := range keys {
		slot, ok := key.(*Slot)
		if !ok {
			continue
		}
		if scan, column := selectiveScan(probe.node, slot.Index); scan != nil {
			join.ScanKey = &ScanKey{Scan: scan, Column: column, Key: i}
			return
		}
	}
}

// selectiveScan finds the scan whose selective column is in a slot of a node's row.
func selectiveScan(node Node, slot int) (*Scan, int) {
	switch node := node.(type) {
	case *Scan:
		if slot >= len(node.Columns) {
			return nil, 0
		}
		for _, selective := range node.Relation.Definition().Selective {
			if selective == node.Columns[slot] && relation.Pushable(node.Relation.Definition().Columns[selective].Type.OID) {
				return node, selective
			}
		}
	case *Filter:
		return selectiveScan(node.Input, slot)
	case *HashJoin:
		width := node.Left.Width()
		if slot < width && (node.Kind == bind.InnerJoin || node.Kind == bind.LeftJoin || node.Kind == bind.SemiJoin || node.Kind == bind.AntiJoin) {
			return selectiveScan(node.Left, slot)
		}
		if slot >= width && (node.Kind == bind.InnerJoin || node.Kind == bind.RightJoin) {
			return selectiveScan(node.Right, slot-width)
		}
	case *Project:
		if inner, ok := node.Expressions[slot].(*Slot); ok {
			return selectiveScan(node.Input, inner.Index)
		}
	}
	return nil, 0
}

// outerJoin plans LEFT, RIGHT and FULL JOIN. Conditions from above go to the side whose rows are all kept; those of ON go to
// the other side, where they read it alone.
func (b *builder) outerJoin(join *bind.Join, above []bind.Expression, n *needs) *part {
	leftSources, rightSources := map[*bind.Source]bool{}, map[*bind.Source]bool{}
	collectSources(join.Left, leftSources)
	collectSources(join.Right, rightSources)
	var leftOnly, rightOnly, rest, on []bind.Expression
	for _, condition := range above {
		switch {
		case join.Kind == bind.LeftJoin && !b.readsAny(condition, rightSources):
			leftOnly = append(leftOnly, condition)
		case join.Kind == bind.RightJoin && !b.readsAny(condition, leftSources):
			rightOnly = append(rightOnly, condition)
		default:
			rest = append(rest, condition)
		}
	}
	for _, condition := range conjuncts(join.On) {
		switch {
		case join.Kind == bind.LeftJoin && !b.readsAny(condition, leftSources):
			rightOnly = append(rightOnly, condition)
		case join.Kind == bind.RightJoin && !b.readsAny(condition, rightSources):
			leftOnly = append(leftOnly, condition)
		default:
			on = append(on, condition)
		}
	}
	left := b.side(join.Left, leftOnly, join.Kind != bind.LeftJoin, n)
	rightNeeds := n
	var lateral *needs
	if isLateral(join.Right) {
		lateral = &needs{}
		rightNeeds = lateral
	}
	right := b.side(join.Right, rightOnly, join.Kind != bind.RightJoin, rightNeeds)
	joined := b.joinParts(join.Kind, left, right, on, lateral, n)
	return b.filter(joined, rest, n)
}

// side plans one side of an outer join; nullable tells that the join may fill in its columns.
func (b *builder) side(item bind.Item, conditions []bind.Expression, nullable bool, n *needs) *part {
	var units []*unit
	conditions = b.flatten(item, conditions, &units, nullable)
	var remaining []bind.Expression
	for _, condition := range conditions {
		if only := b.onlyUnit(units, condition); only != nil {
			only.conditions = append(only.conditions, condition)
		} else {
			remaining = append(remaining, condition)
		}
	}
	for _, unit := range units {
		b.planUnit(unit, n)
	}
	return b.joinUnits(units, remaining, n)
}

func (b *builder) readsAny(e bind.Expression, sources map[*bind.Source]bool) bool {
	for source := range b.reads(e) {
		if sources[source] {
			return true
		}
	}
	return false
}
