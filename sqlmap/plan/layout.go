package plan

import (
	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/bind"
)

// columnKey names a column of a source.
type columnKey struct {
	source  *bind.Source
	ordinal int
}

// layout tells what is in the slots of a row.
type layout struct {
	columns map[columnKey]int
	// groups are grouping expressions, by slot; calls are aggregates, window functions and set-returning functions.
	groups   []bind.Expression
	calls    map[bind.Expression]int
	grouping map[*bind.GroupingCall]*GroupingBits
}

func newLayout() *layout { return &layout{columns: map[columnKey]int{}} }

// append adds the columns of a row that follows in the slots from offset on.
func (l *layout) append(other *layout, offset int) {
	for key, slot := range other.columns {
		l.columns[key] = slot + offset
	}
}

// need is an expression that the plan around has to give: an Outer.
type need struct {
	expression bind.Expression
	outer      int
}

// needs are what a subplan needs of the plan around it.
type needs struct{ list []need }

// builder makes the plan of one statement.
type builder struct {
	outers   int
	used     map[columnKey]bool // columns that anything in the statement reads
	commons  map[*bind.Common]*Common
	inlined  map[*bind.Source][]bind.Target // sources that were replaced by the expressions of their query
	working  map[*bind.Common]bool          // common tables whose recursive part is being planned
	commonID int
	// workingScans counts the scans of rounds of recursion that have been planned.
	workingScans int
	failure      error
}

// resolve replaces what an expression reads by slots of the layout; what is not there becomes an Outer.
func (b *builder) resolve(e bind.Expression, l *layout, n *needs) bind.Expression {
	return bind.Rewrite(e, func(e bind.Expression) bind.Expression {
		for slot, group := range l.groups {
			if group != nil && bind.SameExpression(group, e) {
				return &Slot{Index: slot, From: e, Of: e.Type()}
			}
		}
		switch e := e.(type) {
		case *bind.Column:
			if slot, ok := l.columns[columnKey{e.Source, e.Ordinal}]; ok {
				return &Slot{Index: slot, From: e, Of: e.Of}
			}
			if targets, ok := b.inlined[e.Source]; ok && e.Ordinal >= 0 {
				return b.resolve(targets[e.Ordinal].Expression, l, n)
			}
			return b.outer(e, n)
		case *bind.AggregateCall, *bind.WindowCall, *bind.SetCall:
			if slot, ok := l.calls[e]; ok {
				return &Slot{Index: slot, From: e, Of: e.Type()}
			}
			return b.outer(e, n)
		case *bind.GroupingCall:
			if bits, ok := l.grouping[e]; ok {
				return bits
			}
			return b.outer(e, n)
		case *bind.Subquery:
			return b.subplan(e, l, n)
		}
		return nil
	})
}

func (b *builder) resolveAll(list []bind.Expression, l *layout, n *needs) []bind.Expression {
	resolved := make([]bind.Expression, len(list))
	for i, e := range list {
		resolved[i] = b.resolve(e, l, n)
	}
	return resolved
}

func (b *builder) resolveKeys(keys []bind.SortKey, l *layout, n *needs) []bind.SortKey {
	resolved := append([]bind.SortKey(nil), keys...)
	for i := range resolved {
		resolved[i].Expression = b.resolve(resolved[i].Expression, l, n)
	}
	return resolved
}

// outer gives the Outer for an expression that is not in the layout.
func (b *builder) outer(e bind.Expression, n *needs) bind.Expression {
	if n == nil {
		b.fail(pgerror.New(pgerror.InternalError, "expression %s cannot be computed where it stands", Text(e)))
		return &bind.Constant{Of: e.Type()}
	}
	for _, known := range n.list {
		if bind.SameExpression(known.expression, e) {
			return &Outer{Index: known.outer, From: e, Of: e.Type()}
		}
	}
	n.list = append(n.list, need{e, b.outers})
	b.outers++
	return &Outer{Index: b.outers - 1, From: e, Of: e.Type()}
}

func (b *builder) fail(err error) {
	if b.failure == nil {
		b.failure = err
	}
}

// assigns splits what a plan needs: what the layout has is set from its row, the rest is needed of the plan around.
func (b *builder) assigns(inner *needs, l *layout, around *needs) []Assign {
	var assigns []Assign
	for _, need := range inner.list {
		if b.available(need.expression, l) {
			assigns = append(assigns, Assign{need.outer, b.resolve(need.expression, l, around)})
			continue
		}
		if around == nil {
			b.outer(need.expression, nil)
			continue
		}
		around.list = append(around.list, need)
	}
	return assigns
}

// available tells whether a needed expression is in the layout.
func (b *builder) available(e bind.Expression, l *layout) bool {
	for _, group := range l.groups {
		if group != nil && bind.SameExpression(group, e) {
			return true
		}
	}
	switch e := e.(type) {
	case *bind.Column:
		if _, ok := l.columns[columnKey{e.Source, e.Ordinal}]; ok {
			return true
		}
		if targets, ok := b.inlined[e.Source]; ok && e.Ordinal >= 0 {
			found := true
			bind.Walk(targets[e.Ordinal].Expression, func(e bind.Expression) bool {
				if column, ok := e.(*bind.Column); ok && !b.available(column, l) {
					found = false
				}
				return found
			})
			return found
		}
		return false
	case *bind.GroupingCall:
		_, ok := l.grouping[e]
		return ok
	}
	_, ok := l.calls[e]
	return ok
}

// subplan plans a query in an expression.
func (b *builder) subplan(e *bind.Subquery, l *layout, n *needs) bind.Expression {
	inner := &needs{}
	scans := b.workingScans
	node := b.query(e.Query, inner)
	sub := &Subplan{Kind: e.Kind, Plan: node, Of: e.Of, Recursive: b.workingScans != scans,
		Nested: e.Kind == bind.ArraySubquery && e.Query.Columns[0].Type.OID == e.Of.OID}
	// What the layout lacks is needed further out, but this subplan has to be run anew when that changes: it is set
	// through an Outer of its own.
	for _, need := range inner.list {
		sub.Assigns = append(sub.Assigns, Assign{need.outer, b.resolve(need.expression, l, n)})
	}
	if e.Test != nil {
		sub.Left = b.resolveAll(e.Left, l, n)
		sub.Test = b.resolve(e.Test, l, n)
		sub.Equality = testIsEquality(e)
	}
	return sub
}

// testIsEquality tells whether a subquery's test can be answered by a hash table of its rows.
func testIsEquality(e *bind.Subquery) bool {
	if e.Kind != bind.AnySubquery {
		return false
	}
	switch test := e.Test.(type) {
	case *bind.Call:
		if test.Operator != "=" {
			return false
		}
		column, ok := test.Arguments[1].(*bind.SubqueryColumn)
		return ok && column.Index == 0 && hashTypesAgree(e.Left[0].Type(), column.Of)
	case *bind.RowComparison:
		if test.Operator != "=" {
			return false
		}
		for i, right := range test.Right {
			column, ok := right.(*bind.SubqueryColumn)
			if !ok || column.Index != i || !hashTypesAgree(test.Left[i].Type(), column.Of) {
				return false
			}
		}
		return true
	}
	return false
}

// hashTypesAgree tells whether equal values of two types have equal hash keys by the type that HashType gives.
func hashTypesAgree(left, right relation.Type) bool {
	return HashType(left).OID == HashType(right).OID
}

// HashType gives the type by whose hash keys values of a type are compared with others: the widest of its family.
func HashType(of relation.Type) relation.Type {
	switch of.OID {
	case relation.Int2OID, relation.Int4OID, relation.Int8OID:
		return relation.Int8Type
	case relation.Float4OID, relation.Float8OID:
		return relation.Float8Type
	case relation.TextOID, relation.VarcharOID, relation.NameOID, relation.UnknownOID:
		return relation.TextType
	}
	return of
}

// isVolatile tells whether an expression gives another value each time.
func isVolatile(e bind.Expression) bool {
	volatile := false
	bind.Walk(e, func(e bind.Expression) bool {
		if call, ok := e.(*bind.Call); ok && call.Function.Volatility == 'v' {
			volatile = true
		}
		return !volatile
	})
	return volatile
}

func queryIsVolatile(q *bind.Query) bool {
	volatile := false
	bind.WalkQuery(q, func(e bind.Expression) bool {
		if call, ok := e.(*bind.Call); ok && call.Function.Volatility == 'v' {
			volatile = true
		}
		return !volatile
	})
	return volatile
}
