package bind

import (
	"errors"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
	"moraine/sqlmap/parse"
)

// typeName is the name of a type without its modifier, as errors print it.
func typeName(of relation.Type) string {
	return function.FormatType(relation.Type{OID: of.OID, Modifier: -1})
}

// at gives an error without a position that of a location in the statement.
func (b *binder) at(err error, location int) error { return at(err, b.statement, location) }

// at counts the position, which takes a look at the whole message up to there, for errors only.
func at(err error, statement *parse.Statement, location int) error {
	var known *pgerror.Error
	if err != nil && errors.As(err, &known) && known.Position == 0 {
		known.Position = statement.Position(location)
	}
	return err
}

// typeOf resolves the name of a type.
func (b *binder) typeOf(node *pg_query.TypeName) (relation.Type, error) {
	if node.Setof {
		return relation.Type{}, b.errorAt(int(node.Location), pgerror.SyntaxError, "SETOF is not allowed here")
	}
	names := make([]string, len(node.Names))
	for i, name := range node.Names {
		names[i] = name.GetString_().GetSval()
	}
	var modifiers []int32
	for _, modifier := range node.Typmods {
		constant := modifier.GetAConst()
		integer, ok := constant.GetVal().(*pg_query.A_Const_Ival)
		if !ok {
			return relation.Type{}, b.errorAt(int(node.Location), pgerror.SyntaxError, "type modifiers must be simple constants or identifiers")
		}
		modifiers = append(modifiers, integer.Ival.GetIval())
	}
	of, err := function.ResolveTypeName(names, modifiers, len(node.ArrayBounds))
	return of, b.at(err, int(node.Location))
}

// input reads a literal as a value of the type.
func (b *binder) input(of relation.Type, text string) (relation.Value, error) {
	return b.convertConstant(relation.Text(text), of, function.CastExplicit)
}

func (b *binder) convertConstant(value relation.Value, of relation.Type, context function.CastContext) (relation.Value, error) {
	evaluate, ok := function.ResolveCast(relation.UnknownType, of, context)
	if !ok {
		return relation.NULL, function.CannotCast(relation.UnknownType, of)
	}
	if evaluate == nil {
		return value, nil
	}
	return evaluate(b.environment.FunctionContext(), []relation.Value{value})
}

// coerce converts an expression to a type; a nil result and no error mean that there is no such cast in the context.
func (b *binder) coerce(e Expression, to relation.Type, context function.CastContext, location int) (Expression, error) {
	from := e.Type()
	if from == to || from.OID == to.OID && to.Modifier < 0 {
		return e, nil
	}
	switch to.OID {
	case function.AnyOID, relation.UnknownOID:
		return e, nil
	case relation.RecordOID:
		if from.OID == relation.RecordOID {
			return e, nil
		}
	}
	if from.OID == relation.UnknownOID {
		switch literal := e.(type) {
		case *Constant:
			return b.coerceLiteral(literal, to, context, location)
		case *Parameter:
			fixed, err := b.fixParameter(literal, to, location)
			if err != nil || fixed.Type() == to {
				return fixed, err
			}
			return b.coerce(fixed, to, context, location)
		}
	}
	evaluate, ok := function.ResolveCast(from, to, context)
	if !ok {
		return nil, nil
	}
	if constant, isConstant := e.(*Constant); isConstant && evaluate == nil {
		return &Constant{Value: constant.Value, Of: to}, nil
	}
	return &Cast{Argument: e, Evaluate: evaluate, Explicit: context == function.CastExplicit, Of: to}, nil
}

func (b *binder) coerceLiteral(literal *Constant, to relation.Type, context function.CastContext, location int) (Expression, error) {
	if literal.Value.IsNull() {
		return &Constant{Of: to}, nil
	}
	value, err := b.convertConstant(literal.Value, to, context)
	if err != nil {
		if literal.Location > 0 {
			location = int(literal.Location)
		}
		return nil, b.at(err, location)
	}
	return &Constant{Value: value, Of: to}, nil
}

// coerceImplicit converts for a construct; the types have been found to fit.
func (b *binder) coerceImplicit(e Expression, to relation.Type, construct string, location int) (Expression, error) {
	converted, err := b.coerce(e, to, function.CastImplicit, location)
	if err == nil && converted == nil {
		return nil, b.errorAt(location, pgerror.CannotCoerce, "%s could not convert type %s to %s", construct, typeName(e.Type()), typeName(to))
	}
	return converted, err
}

// coerceAssignable converts as to a column, for constructs that ask for one type.
func (b *binder) coerceAssignable(e Expression, to relation.Type, construct string, location int) (Expression, error) {
	converted, err := b.coerce(e, to, function.CastAssignment, location)
	if err == nil && converted == nil {
		return nil, b.errorAt(location, pgerror.DatatypeMismatch, "argument of %s must be type %s, not type %s", construct, typeName(to), typeName(e.Type()))
	}
	return converted, err
}

// coerceToBool converts the condition of a construct.
func (b *binder) coerceToBool(e Expression, construct string, location int) (Expression, error) {
	converted, err := b.coerce(e, relation.BoolType, function.CastImplicit, location)
	if err == nil && (converted == nil || converted.Type().OID != relation.BoolOID) {
		return nil, b.errorAt(location, pgerror.DatatypeMismatch, "argument of %s must be type boolean, not type %s", construct, typeName(e.Type()))
	}
	return converted, err
}

// coerceToColumn converts a value for a column of INSERT or UPDATE.
func (b *binder) coerceToColumn(e Expression, column *relation.Column, location int) (Expression, error) {
	converted, err := b.coerce(e, column.Type, function.CastAssignment, location)
	if err == nil && converted == nil {
		return nil, b.errorAt(location, pgerror.DatatypeMismatch, "column \"%s\" is of type %s but expression is of type %s",
			column.Name, typeName(column.Type), typeName(e.Type())).WithHint("You will need to rewrite or cast the expression.")
	}
	return converted, err
}

// cast binds an explicit cast.
func (b *binder) cast(e Expression, to relation.Type, location int) (Expression, error) {
	converted, err := b.coerce(e, to, function.CastExplicit, location)
	if err == nil && converted == nil {
		return nil, b.at(function.CannotCast(e.Type(), to), location)
	}
	return converted, err
}

// commonType finds the type that a construct gives its branches; text when nothing is known of them. An error points at the
// branch that does not fit, as far as its location is known.
func (b *binder) commonType(branches []Expression, construct string, locations ...int) (relation.Type, error) {
	types := make([]relation.Type, len(branches))
	for i, branch := range branches {
		types[i] = branch.Type()
	}
	of, err := function.CommonType(types, construct)
	if err == nil {
		return of, nil
	}
	for i := range types {
		if _, err := function.CommonType(types[:i+1], construct); err != nil {
			return of, b.at(err, locations[min(i, len(locations)-1)])
		}
	}
	return of, b.at(err, locations[0])
}

// commonOutputType is commonType, with unknown kept when nothing is known and unknowns are not to be resolved.
func (b *binder) commonOutputType(branches []Expression, construct string, location int, unknowns bool) (relation.Type, error) {
	if !unknowns {
		known := false
		for _, branch := range branches {
			known = known || branch.Type().OID != relation.UnknownOID
		}
		if !known {
			return relation.UnknownType, nil
		}
	}
	return b.commonType(branches, construct, location)
}

// coerceAll converts branches to their common type.
func (b *binder) coerceAll(branches []Expression, construct string, locations ...int) (relation.Type, error) {
	of, err := b.commonType(branches, construct, locations...)
	if err != nil {
		return of, err
	}
	for i := range branches {
		if branches[i], err = b.coerceImplicit(branches[i], of, construct, locations[min(i, len(locations)-1)]); err != nil {
			return of, err
		}
	}
	return of, nil
}

// call applies a function to arguments, converted to its types.
func (b *binder) call(scalar *function.Scalar, arguments []Expression, operator string, location int) (Expression, error) {
	for i := range arguments {
		converted, err := b.coerceImplicit(arguments[i], scalar.Arguments[i], scalar.Name, location)
		if err != nil {
			return nil, err
		}
		arguments[i] = converted
	}
	return &Call{Function: scalar, Arguments: arguments, Operator: operator, Of: scalar.Result}, nil
}

// operator applies an operator; left is nil for a prefix operator.
func (b *binder) operator(s *scope, name string, left, right Expression, location int) (Expression, error) {
	var leftType relation.Type
	arguments := []Expression{right}
	if left != nil {
		leftType = left.Type()
		arguments = []Expression{left, right}
	}
	scalar, err := function.ResolveOperator(name, leftType, right.Type())
	if err != nil {
		return nil, b.at(err, location)
	}
	return b.call(scalar, arguments, name, location)
}

// comparison finds an operator that must give bool, and converts both sides for it.
func (b *binder) comparison(name string, left, right Expression, location int) (*function.Scalar, Expression, Expression, error) {
	scalar, err := function.ResolveOperator(name, left.Type(), right.Type())
	if err != nil {
		return nil, nil, nil, b.at(err, location)
	}
	if scalar.Result.OID != relation.BoolOID {
		return nil, nil, nil, b.errorAt(location, pgerror.WrongObjectType, "operator %s must return type boolean", name)
	}
	if left, err = b.coerceImplicit(left, scalar.Arguments[0], name, location); err != nil {
		return nil, nil, nil, err
	}
	if right, err = b.coerceImplicit(right, scalar.Arguments[1], name, location); err != nil {
		return nil, nil, nil, err
	}
	return scalar, left, right, nil
}
