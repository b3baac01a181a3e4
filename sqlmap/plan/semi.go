package plan

import "moraine/sqlmap/bind"

// semiJoin is a condition EXISTS, NOT EXISTS or IN over a subquery that can be a join.
type semiJoin struct {
	condition bind.Expression // as it was written
	kind      bind.JoinKind
	query     *bind.Query
	// inside are conditions on the subquery's rows alone, across those that tie them to the rows outside.
	inside, across []bind.Expression
}

// asSemiJoin takes such a condition apart; nil when it is none, or when no equality ties the subquery to the units.
func (b *builder) asSemiJoin(condition bind.Expression, units []*unit) *semiJoin {
	semi := &semiJoin{condition: condition, kind: bind.SemiJoin}
	inner := condition
	if not, ok := condition.(*bind.Not); ok {
		inner, semi.kind = not.Argument, bind.AntiJoin
	}
	subquery, ok := inner.(*bind.Subquery)
	if !ok || !plainQuery(subquery.Query) {
		return nil
	}
	conditions := conjuncts(subquery.Query.Where)
	switch subquery.Kind {
	case bind.ExistsSubquery:
	case bind.AnySubquery:
		if semi.kind == bind.AntiJoin {
			return nil // NOT IN is NULL, not true, when the subquery has a NULL
		}
		for _, part := range conjuncts(rowEquality(subquery.Test)) {
			conditions = append(conditions, bind.Rewrite(part, func(e bind.Expression) bind.Expression {
				if column, ok := e.(*bind.SubqueryColumn); ok {
					return subquery.Query.Targets[column.Index].Expression
				}
				return nil
			}))
		}
	default:
		return nil
	}
	semi.query = subquery.Query
	sources := map[*bind.Source]bool{}
	collectSources(subquery.Query.From, sources)
	equality := false
	for _, part := range conditions {
		if containsSubquery(part) {
			return nil
		}
		outside := false
		for _, unit := range units {
			outside = outside || readsUnit(b.reads(part), unit)
		}
		if !outside {
			semi.inside = append(semi.inside, part)
			continue
		}
		semi.across = append(semi.across, part)
		if call, ok := part.(*bind.Call); ok && call.Operator == "=" && b.readsAny(part, sources) {
			equality = true
		}
	}
	if !equality {
		return nil
	}
	return semi
}

// plainQuery tells whether a subquery gives the rows of its FROM clause that pass WHERE, and nothing else.
func plainQuery(q *bind.Query) bool {
	if q.Set != bind.NoSet || q.Values != nil || q.From == nil || q.Grouped || len(q.WindowCalls) > 0 || len(q.SetCalls) > 0 ||
		q.Limit != nil || q.Offset != nil || len(q.Locks) > 0 || len(q.With) > 0 || q.DistinctOn != nil {
		return false
	}
	for i := range q.Targets {
		if isVolatile(q.Targets[i].Expression) || containsSubquery(q.Targets[i].Expression) {
			return false
		}
	}
	return true
}

// rowEquality takes the equality of two rows apart into those of their fields.
func rowEquality(test bind.Expression) bind.Expression {
	row, ok := test.(*bind.RowComparison)
	if !ok || row.Operator != "=" {
		return test
	}
	parts := &bind.Logic{}
	for i := range row.Left {
		parts.Arguments = append(parts.Arguments, &bind.Call{Function: row.Equal[i],
			Arguments: []bind.Expression{row.Left[i], row.Right[i]}, Operator: "=", Of: row.Type()})
	}
	return parts
}

// semiJoin joins a part with the subquery of a condition, or, when the subquery needs more of the part than its
// conditions, checks the condition row by row.
func (b *builder) semiJoin(p *part, semi *semiJoin, n *needs) *part {
	inner := &needs{}
	right := b.from(semi.query.From, semi.inside, inner)
	for _, need := range inner.list {
		if b.available(need.expression, p.layout) {
			return b.filter(p, []bind.Expression{semi.condition}, n)
		}
	}
	if len(inner.list) > 0 {
		if n == nil {
			return b.filter(p, []bind.Expression{semi.condition}, n)
		}
		n.list = append(n.list, inner.list...)
	}
	joined := b.joinParts(semi.kind, p, right, semi.across, nil, n)
	joined.rows = p.rows
	return joined
}
