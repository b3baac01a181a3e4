package bind

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/relation"
	"moraine/sqlmap/function"
)

// resolvedSet is a set-returning function with the arguments of a call, converted to what it takes.
type resolvedSet struct {
	function  *function.SetReturning
	arguments []Expression
}

// qualifiedName gives schema and name of a called function; the schema is "" when none is written.
func qualifiedName(node *pg_query.FuncCall) (schema, name string) {
	name = node.Funcname[len(node.Funcname)-1].GetString_().GetSval()
	if len(node.Funcname) > 1 {
		schema = node.Funcname[0].GetString_().GetSval()
	}
	return schema, name
}

// functionOfLake finds a function of a lake; nil when there is none, or a function of that name is everywhere.
func (b *binder) functionOfLake(schema, name string) (*relation.TableFunction, error) {
	if functionSchemas[schema] || schema == "" && function.Exists(name) {
		return nil, nil
	}
	return b.environment.Function(b.ctx, schema, name)
}

// setReturning finds the set-returning function that a call means; nil when the name is not that of one.
func (b *binder) setReturning(node *pg_query.FuncCall, call *function.Call, arguments []Expression) (*resolvedSet, error) {
	location := int(node.Location)
	found, err := b.functionOfLake(qualifiedName(node))
	if err != nil {
		return nil, err
	}
	if found != nil {
		return b.callOfLake(found, call, arguments, location)
	}
	if !function.IsSetReturning(call.Name) {
		return nil, nil
	}
	set, err := function.ResolveSetReturning(*call)
	if err != nil {
		return nil, b.at(err, location)
	}
	if err := b.convertArguments(arguments, set.Arguments, call.Name, location); err != nil {
		return nil, err
	}
	return &resolvedSet{function: set, arguments: arguments}, nil
}

// callOfLake fits the arguments of a call to the parameters of a lake's function. Arguments that do not fit give 42883.
func (b *binder) callOfLake(found *relation.TableFunction, call *function.Call, arguments []Expression, location int) (*resolvedSet, error) {
	full := make([]Expression, len(found.Parameters))
	for i, argument := range arguments {
		place := i
		if i < len(call.ArgumentNames) && call.ArgumentNames[i] != "" {
			place = slices.IndexFunc(found.Parameters, func(p relation.Parameter) bool { return p.Name == call.ArgumentNames[i] })
		}
		if place < 0 || place >= len(full) || full[place] != nil || call.Variadic {
			return nil, b.at(function.Undefined(call), location)
		}
		full[place] = argument
	}
	set := &function.SetReturning{Name: found.Name, Columns: found.Columns, Call: found.Call}
	for i, parameter := range found.Parameters {
		set.Arguments = append(set.Arguments, parameter.Type)
		switch {
		case full[i] == nil && !parameter.Optional:
			return nil, b.at(function.Undefined(call), location)
		case full[i] == nil:
			full[i] = &Constant{Value: parameter.Default, Of: parameter.Type}
		default:
			converted, err := b.coerce(full[i], parameter.Type, function.CastImplicit, location)
			if err != nil {
				return nil, err
			}
			if converted == nil {
				return nil, b.at(function.Undefined(call), location)
			}
			full[i] = converted
		}
	}
	return &resolvedSet{function: set, arguments: full}, nil
}
