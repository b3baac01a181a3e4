package bind

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
)

// functionSchemas are the schemas that hold functions.
var functionSchemas = map[string]bool{"pg_catalog": true, "information_schema": true}

// functionCall binds a call of any function.
func (b *binder) functionCall(s *scope, node *pg_query.FuncCall) (Expression, error) {
	name, err := b.functionName(node)
	if err != nil {
		return nil, err
	}
	location := int(node.Location)
	aggregate, window := function.IsAggregate(name), function.IsWindow(name)
	switch {
	case node.Over != nil:
		return b.windowCall(s, name, node)
	case window && !aggregate:
		return nil, b.errorAt(location, pgerror.WrongObjectType, "window function %s requires an OVER clause", name)
	case aggregate:
		return b.aggregateCall(s, name, node)
	}
	if err := b.refuseAggregateClauses(name, node); err != nil {
		return nil, err
	}
	arguments, call, err := b.callArguments(s, name, node)
	if err != nil {
		return nil, err
	}
	set, err := b.setReturning(node, call, arguments)
	if err != nil {
		return nil, err
	}
	if set != nil {
		return b.setCall(s, set, location)
	}
	scalar, err := function.Resolve(*call)
	if err != nil {
		return nil, b.at(err, location)
	}
	bound, err := b.call(scalar, arguments, "", location)
	if err != nil {
		return nil, err
	}
	return bound, nil
}

// functionName gives the name without its schema, which is one that holds functions. Other schemas may be those of a
// lake with a function of that name.
func (b *binder) functionName(node *pg_query.FuncCall) (string, error) {
	schema, name := qualifiedName(node)
	if schema == "" {
		return name, nil
	}
	if found, err := b.functionOfLake(schema, name); found != nil || err != nil {
		return name, err
	}
	if !functionSchemas[schema] {
		return "", b.errorAt(int(node.Location), pgerror.UndefinedFunction, "function %s.%s does not exist", schema, name).
			WithHint("No function matches the given name and argument types. You might need to add explicit type casts.")
	}
	return name, nil
}

// refuseAggregateClauses refuses what only aggregates may have.
func (b *binder) refuseAggregateClauses(name string, node *pg_query.FuncCall) error {
	clause := ""
	switch {
	case node.AggStar:
		return b.errorAt(int(node.Location), pgerror.WrongObjectType, "%s(*) specified, but %s is not an aggregate function", name, name)
	case node.AggDistinct:
		clause = "DISTINCT"
	case node.AggWithinGroup:
		clause = "WITHIN GROUP"
	case len(node.AggOrder) > 0:
		clause = "ORDER BY"
	case node.AggFilter != nil:
		clause = "FILTER"
	default:
		return nil
	}
	return b.errorAt(int(node.Location), pgerror.WrongObjectType, "%s specified, but %s is not an aggregate function", clause, name)
}

// callArguments binds the arguments of a call and describes it for resolution.
func (b *binder) callArguments(s *scope, name string, node *pg_query.FuncCall) ([]Expression, *function.Call, error) {
	call := &function.Call{Name: name, Variadic: node.FuncVariadic, Star: node.AggStar}
	arguments := make([]Expression, len(node.Args))
	for i, argument := range node.Args {
		if named := argument.GetNamedArgExpr(); named != nil {
			if call.ArgumentNames == nil {
				call.ArgumentNames = make([]string, len(node.Args))
			}
			call.ArgumentNames[i], argument = named.Name, named.Arg
		}
		bound, err := b.expression(s, argument)
		if err != nil {
			return nil, nil, err
		}
		arguments[i] = bound
		call.Arguments = append(call.Arguments, bound.Type())
	}
	return arguments, call, nil
}

// setCall binds a set-returning function in an expression.
func (b *binder) setCall(s *scope, resolved *resolvedSet, location int) (Expression, error) {
	if !s.clause.sets || s.inAggregate || s.inWindow {
		return nil, b.errorAt(location, pgerror.FeatureNotSupported, "set-returning functions are not allowed in %s", s.clause.name)
	}
	set := resolved.function
	bound := &SetCall{Function: set, Arguments: resolved.arguments, Of: set.Columns[0].Type}
	if len(set.Columns) > 1 {
		bound.Of = function.RecordType(set.Columns)
	}
	query := s.level.query
	for _, other := range query.SetCalls {
		if set.Call == nil && sameCall(other, bound) {
			return other, nil
		}
	}
	query.SetCalls = append(query.SetCalls, bound)
	return bound, nil
}

func (b *binder) convertArguments(arguments []Expression, types []relation.Type, construct string, location int) error {
	for i := range arguments {
		converted, err := b.coerceImplicit(arguments[i], types[i], construct, location)
		if err != nil {
			return err
		}
		arguments[i] = converted
	}
	return nil
}

// aggregateCall binds a call of an aggregate and gives it to the query that its arguments belong to.
func (b *binder) aggregateCall(s *scope, name string, node *pg_query.FuncCall) (Expression, error) {
	location := int(node.Location)
	if s.inAggregate {
		return nil, b.errorAt(location, pgerror.GroupingError, "aggregate function calls cannot be nested")
	}
	inner := *s
	inner.inAggregate = true
	arguments, call, err := b.callArguments(&inner, name, node)
	if err != nil {
		return nil, err
	}
	bound := &AggregateCall{Star: node.AggStar, Distinct: node.AggDistinct}
	var keys []SortKey
	for _, sort := range node.AggOrder {
		key, err := b.sortKey(&inner, sort)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	if node.AggWithinGroup {
		bound.Direct = len(arguments)
		for i := range keys {
			arguments = append(arguments, keys[i].Expression)
			call.Arguments = append(call.Arguments, keys[i].Expression.Type())
		}
	}
	resolved, err := function.ResolveAggregate(*call)
	if err != nil {
		return nil, b.at(err, location)
	}
	switch {
	case resolved.OrderedSet && !node.AggWithinGroup:
		return nil, b.errorAt(location, pgerror.WrongObjectType, "WITHIN GROUP is required for ordered-set aggregate %s", name)
	case !resolved.OrderedSet && node.AggWithinGroup:
		return nil, b.errorAt(location, pgerror.WrongObjectType, "%s is not an ordered-set aggregate, so it cannot have WITHIN GROUP", name)
	}
	if err := b.convertArguments(arguments, resolved.Arguments, name, location); err != nil {
		return nil, err
	}
	bound.Aggregate, bound.Arguments, bound.OrderBy, bound.Of = resolved, arguments, keys, resolved.Result
	if node.AggWithinGroup {
		for i := range keys {
			keys[i].Expression = arguments[bound.Direct+i]
		}
	} else if bound.Distinct {
		if err := b.checkDistinctOrder(bound, node); err != nil {
			return nil, err
		}
	}
	if node.AggFilter != nil {
		filter := inner.within(clauseFilter)
		if bound.Filter, err = b.condition(filter, node.AggFilter, "FILTER"); err != nil {
			return nil, err
		}
	}
	return b.placeAggregate(s, bound, location)
}

// checkDistinctOrder checks that an aggregate with DISTINCT is ordered by its arguments only.
func (b *binder) checkDistinctOrder(call *AggregateCall, node *pg_query.FuncCall) error {
	for i := range call.OrderBy {
		known := false
		for _, argument := range call.Arguments {
			known = known || SameExpression(withoutCast(argument), withoutCast(call.OrderBy[i].Expression))
		}
		if !known {
			return b.errorAt(locationOf(node.AggOrder[i].GetSortBy().Node), pgerror.InvalidColumnReference,
				"in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list")
		}
	}
	for _, argument := range call.Arguments {
		if err := b.checkEquality(argument.Type()); err != nil {
			return b.at(err, int(node.Location))
		}
	}
	return nil
}

func withoutCast(e Expression) Expression {
	for {
		cast, ok := e.(*Cast)
		if !ok || cast.Evaluate != nil {
			return e
		}
		e = cast.Argument
	}
}

// placeAggregate finds the query of an aggregate: the innermost whose columns its arguments use, or this one. There it
// must stand in a clause that may have aggregates.
func (b *binder) placeAggregate(s *scope, call *AggregateCall, location int) (Expression, error) {
	owner := s
	for candidate := s; candidate != nil; candidate = candidate.parent {
		if b.usesLevel(call, candidate.level) {
			owner = candidate
			break
		}
	}
	if !owner.clause.aggregates {
		return nil, b.errorAt(location, pgerror.GroupingError, "aggregate functions are not allowed in %s", owner.clause.name)
	}
	query := owner.level.query
	query.Grouped = true
	for _, other := range query.Aggregates {
		if sameCall(other, call) {
			return other, nil
		}
	}
	query.Aggregates = append(query.Aggregates, call)
	return call, nil
}

// usesLevel tells whether a call's arguments use columns of a level.
func (b *binder) usesLevel(call *AggregateCall, level *level) bool {
	parts := append([]Expression(nil), call.Arguments...)
	if call.Filter != nil {
		parts = append(parts, call.Filter)
	}
	for _, key := range call.OrderBy {
		parts = append(parts, key.Expression)
	}
	for _, part := range parts {
		if usesSources(part, level.sources) {
			return true
		}
	}
	return false
}
