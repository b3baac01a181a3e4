package bind

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
)

// rangeFunction binds a function in FROM, or several in ROWS FROM.
func (b *binder) rangeFunction(s *scope, node *pg_query.RangeFunction) (Item, error) {
	item := &Functions{Source: &Source{}, Ordinality: node.Ordinality, Lateral: true}
	calls := functionsOf(node)
	if len(node.Coldeflist) > 0 {
		return nil, pgerror.Unsupported("a column definition list")
	}
	inner := b.lateralScope(s, true)
	scalar := len(calls) == 1 && !node.Ordinality
	for _, tree := range calls {
		call, columns, err := b.fromCall(inner, tree)
		if err != nil {
			return nil, err
		}
		call.Width = len(columns)
		item.Calls = append(item.Calls, call)
		name := nameOfExpression(tree)
		if item.Source.Alias == "" {
			item.Source.Alias = name
		}
		if len(columns) == 1 && len(calls) == 1 && columns[0].Name == name && node.Alias != nil {
			columns[0].Name = node.Alias.Aliasname
		}
		scalar = scalar && len(columns) == 1
		for _, column := range columns {
			item.Source.Columns = append(item.Source.Columns, SourceColumn{Name: column.Name, Type: column.Type})
		}
	}
	if node.Ordinality {
		item.Source.Columns = append(item.Source.Columns, SourceColumn{Name: "ordinality", Type: relation.Int8Type})
	}
	if err := b.applyAlias(item.Source, node.Alias); err != nil {
		return nil, err
	}
	b.addSource(s, item.Source)
	s.names[len(s.names)-1].scalar = scalar
	return item, nil
}

// functionsOf gives the calls of a FROM item; unnest of several arrays is a call for each.
func functionsOf(node *pg_query.RangeFunction) []*pg_query.Node {
	var calls []*pg_query.Node
	for _, function := range node.Functions {
		tree := function.GetList().GetItems()[0]
		call := tree.GetFuncCall()
		if call == nil || len(call.Args) < 2 || call.Funcname[len(call.Funcname)-1].GetString_().GetSval() != "unnest" {
			calls = append(calls, tree)
			continue
		}
		for _, argument := range call.Args {
			calls = append(calls, &pg_query.Node{Node: &pg_query.Node_FuncCall{FuncCall: &pg_query.FuncCall{
				Funcname: call.Funcname, Args: []*pg_query.Node{argument}, Location: call.Location}}})
		}
	}
	return calls
}

// fromCall binds one function of FROM and tells the columns that it gives.
func (b *binder) fromCall(s *scope, tree *pg_query.Node) (FunctionCall, []relation.Column, error) {
	if node := tree.GetFuncCall(); node != nil {
		name, err := b.functionName(node)
		if err != nil {
			return FunctionCall{}, nil, err
		}
		found, err := b.functionOfLake(qualifiedName(node))
		if err != nil {
			return FunctionCall{}, nil, err
		}
		if (found != nil || function.IsSetReturning(name)) && node.Over == nil {
			return b.setFromCall(s, name, node)
		}
	}
	bound, err := b.expression(s, tree)
	if err != nil {
		return FunctionCall{}, nil, err
	}
	if bound.Type().OID == relation.UnknownOID {
		if bound, err = b.coerceImplicit(bound, relation.TextType, "FROM", locationOf(tree)); err != nil {
			return FunctionCall{}, nil, err
		}
	}
	if fields := fieldsOf(bound); fields != nil {
		return FunctionCall{Scalar: bound, Expand: true}, append([]relation.Column(nil), fields...), nil
	}
	if bound.Type().OID == relation.RecordOID {
		return FunctionCall{}, nil, b.errorAt(locationOf(tree), pgerror.SyntaxError,
			"a column definition list is required for functions returning \"record\"")
	}
	return FunctionCall{Scalar: bound}, []relation.Column{{Name: nameOfExpression(tree), Type: bound.Type()}}, nil
}

// setFromCall binds a set-returning function of FROM.
func (b *binder) setFromCall(s *scope, name string, node *pg_query.FuncCall) (FunctionCall, []relation.Column, error) {
	if err := b.refuseAggregateClauses(name, node); err != nil {
		return FunctionCall{}, nil, err
	}
	arguments, call, err := b.callArguments(s, name, node)
	if err != nil {
		return FunctionCall{}, nil, err
	}
	resolved, err := b.setReturning(node, call, arguments)
	if err != nil {
		return FunctionCall{}, nil, err
	}
	set := resolved.function
	return FunctionCall{Set: set, Arguments: resolved.arguments}, append([]relation.Column(nil), set.Columns...), nil
}
