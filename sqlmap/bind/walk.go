package bind

// children gives the expressions directly below one, in the order that withChildren takes them. The query of a Subquery is
// not among them.
func children(e Expression) []Expression {
	switch e := e.(type) {
	case *Call:
		return e.Arguments
	case *Cast:
		return []Expression{e.Argument}
	case *Logic:
		return e.Arguments
	case *Not:
		return []Expression{e.Argument}
	case *NullTest:
		return []Expression{e.Argument}
	case *TruthTest:
		return []Expression{e.Argument}
	case *Case:
		parts := []Expression{e.Operand, e.Else}
		for _, when := range e.Whens {
			parts = append(parts, when.Condition, when.Result)
		}
		return parts
	case *Coalesce:
		return e.Arguments
	case *Extreme:
		return e.Arguments
	case *NullIf:
		return []Expression{e.Left, e.Right}
	case *Distinct:
		return []Expression{e.Left, e.Right}
	case *In:
		return append([]Expression{e.Left}, e.List...)
	case *AnyArray:
		return []Expression{e.Left, e.Array}
	case *ArrayConstructor:
		return e.Elements
	case *Subscript:
		parts := []Expression{e.Array}
		for _, bound := range e.Bounds {
			parts = append(parts, bound.Lower, bound.Upper)
		}
		return parts
	case *Row:
		return append([]Expression{e.Presence}, e.Fields...)
	case *RowComparison:
		return append(append([]Expression(nil), e.Left...), e.Right...)
	case *Field:
		return []Expression{e.Record}
	case *Subquery:
		return append([]Expression{e.Test}, e.Left...)
	case *AggregateCall:
		parts := append([]Expression{e.Filter}, e.Arguments...)
		for _, key := range e.OrderBy {
			parts = append(parts, key.Expression)
		}
		return parts
	case *WindowCall:
		return append([]Expression{e.Filter}, e.Arguments...)
	case *SetCall:
		return e.Arguments
	}
	return nil
}

// withChildren copies an expression with others below it.
func withChildren(e Expression, parts []Expression) Expression {
	switch e := e.(type) {
	case *Call:
		copied := *e
		copied.Arguments = parts
		return &copied
	case *Cast:
		copied := *e
		copied.Argument = parts[0]
		return &copied
	case *Logic:
		return &Logic{Or: e.Or, Arguments: parts}
	case *Not:
		return &Not{Argument: parts[0]}
	case *NullTest:
		return &NullTest{Argument: parts[0], Negated: e.Negated}
	case *TruthTest:
		return &TruthTest{Argument: parts[0], Is: e.Is, Negated: e.Negated}
	case *Case:
		copied := &Case{Operand: parts[0], Else: parts[1], Of: e.Of}
		for i := 2; i < len(parts); i += 2 {
			copied.Whens = append(copied.Whens, When{parts[i], parts[i+1]})
		}
		return copied
	case *Coalesce:
		return &Coalesce{Arguments: parts, Of: e.Of}
	case *Extreme:
		return &Extreme{Greatest: e.Greatest, Arguments: parts, Of: e.Of}
	case *NullIf:
		return &NullIf{Left: parts[0], Right: parts[1], Equal: e.Equal}
	case *Distinct:
		return &Distinct{Left: parts[0], Right: parts[1], Equal: e.Equal, Negated: e.Negated}
	case *In:
		return &In{Left: parts[0], List: parts[1:], Equal: e.Equal, Negated: e.Negated}
	case *AnyArray:
		copied := *e
		copied.Left, copied.Array = parts[0], parts[1]
		return &copied
	case *ArrayConstructor:
		return &ArrayConstructor{Elements: parts, Nested: e.Nested, Of: e.Of}
	case *Subscript:
		copied := &Subscript{Array: parts[0], Slice: e.Slice, Of: e.Of}
		for i := 1; i < len(parts); i += 2 {
			copied.Bounds = append(copied.Bounds, Bound{parts[i], parts[i+1]})
		}
		return copied
	case *Row:
		return &Row{Presence: parts[0], Fields: parts[1:], Of: e.Of}
	case *RowComparison:
		copied := *e
		copied.Left, copied.Right = parts[:len(e.Left)], parts[len(e.Left):]
		return &copied
	case *Field:
		copied := *e
		copied.Record = parts[0]
		return &copied
	case *Subquery:
		copied := *e
		copied.Test, copied.Left = parts[0], parts[1:]
		return &copied
	case *AggregateCall:
		copied := *e
		copied.Filter, copied.Arguments = parts[0], parts[1:1+len(e.Arguments)]
		copied.OrderBy = append([]SortKey(nil), e.OrderBy...)
		for i := range copied.OrderBy {
			copied.OrderBy[i].Expression = parts[1+len(e.Arguments)+i]
		}
		return &copied
	case *WindowCall:
		copied := *e
		copied.Filter, copied.Arguments = parts[0], parts[1:]
		return &copied
	case *SetCall:
		copied := *e
		copied.Arguments = parts
		return &copied
	}
	return e
}

// Rewrite replaces, from the top down, each expression for which replace gives another one; below a replaced one it does
// not go on. Queries of subqueries are left alone.
func Rewrite(e Expression, replace func(Expression) Expression) Expression {
	if e == nil {
		return nil
	}
	if other := replace(e); other != nil {
		return other
	}
	parts := children(e)
	var rewritten []Expression
	for i, part := range parts {
		if part == nil {
			continue
		}
		other := Rewrite(part, replace)
		if other != part && rewritten == nil {
			rewritten = append([]Expression(nil), parts...)
		}
		if rewritten != nil {
			rewritten[i] = other
		}
	}
	if rewritten == nil {
		return e
	}
	return withChildren(e, rewritten)
}

// Walk visits an expression and, as long as visit answers true, what is below it, queries of subqueries included.
func Walk(e Expression, visit func(Expression) bool) {
	if e == nil || !visit(e) {
		return
	}
	for _, part := range children(e) {
		Walk(part, visit)
	}
	if subquery, ok := e.(*Subquery); ok {
		WalkQuery(subquery.Query, visit)
	}
}

// WalkQuery visits all expressions of a query and of the queries below it.
func WalkQuery(q *Query, visit func(Expression) bool) {
	if q == nil {
		return
	}
	for _, common := range q.With {
		WalkQuery(common.Query, visit)
		if common.Change != nil {
			WalkQuery(common.Change.Query, visit)
		}
	}
	WalkQuery(q.Left, visit)
	WalkQuery(q.Right, visit)
	for _, row := range q.Values {
		for _, value := range row {
			Walk(value, visit)
		}
	}
	walkItem(q.From, visit)
	for _, part := range []Expression{q.Where, q.Having, q.Limit, q.Offset} {
		Walk(part, visit)
	}
	for _, group := range q.GroupBy {
		Walk(group, visit)
	}
	for _, window := range q.Windows {
		for _, part := range window.PartitionBy {
			Walk(part, visit)
		}
		for _, key := range window.OrderBy {
			Walk(key.Expression, visit)
		}
		Walk(window.Frame.StartOffset, visit)
		Walk(window.Frame.EndOffset, visit)
	}
	for _, call := range q.Aggregates {
		Walk(call, visit)
	}
	for i := range q.Targets {
		Walk(q.Targets[i].Expression, visit)
	}
}

func walkItem(item Item, visit func(Expression) bool) {
	switch item := item.(type) {
	case *Derived:
		WalkQuery(item.Query, visit)
	case *Functions:
		for _, call := range item.Calls {
			Walk(call.Scalar, visit)
			for _, argument := range call.Arguments {
				Walk(argument, visit)
			}
		}
	case *Join:
		walkItem(item.Left, visit)
		walkItem(item.Right, visit)
		Walk(item.On, visit)
	}
}

// usesSources tells whether an expression reads a column of one of the sources.
func usesSources(e Expression, sources map[*Source]bool) bool {
	found := false
	Walk(e, func(e Expression) bool {
		if column, ok := e.(*Column); ok && sources[column.Source] {
			found = true
		}
		return !found
	})
	return found
}
