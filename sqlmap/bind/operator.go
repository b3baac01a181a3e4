package bind

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
)

func operatorName(names []*pg_query.Node) string { return names[len(names)-1].GetString_().GetSval() }

// operatorExpression binds an operator, or what the grammar writes like one: IN, BETWEEN, LIKE, ANY, IS DISTINCT FROM.
func (b *binder) operatorExpression(s *scope, node *pg_query.A_Expr) (Expression, error) {
	if len(node.Name) > 1 {
		if schema := node.Name[0].GetString_().GetSval(); schema != "pg_catalog" {
			return nil, b.errorAt(int(node.Location), pgerror.UndefinedFunction, "operator does not exist: %s.%s", schema, operatorName(node.Name))
		}
	}
	location := int(node.Location)
	switch node.Kind {
	case pg_query.A_Expr_Kind_AEXPR_OP:
		return b.plainOperator(s, node)
	case pg_query.A_Expr_Kind_AEXPR_OP_ANY, pg_query.A_Expr_Kind_AEXPR_OP_ALL:
		return b.anyArray(s, node)
	case pg_query.A_Expr_Kind_AEXPR_DISTINCT, pg_query.A_Expr_Kind_AEXPR_NOT_DISTINCT:
		return b.distinctFrom(s, node)
	case pg_query.A_Expr_Kind_AEXPR_NULLIF:
		left, err := b.expression(s, node.Lexpr)
		if err != nil {
			return nil, err
		}
		right, err := b.expression(s, node.Rexpr)
		if err != nil {
			return nil, err
		}
		equal, convertedLeft, convertedRight, err := b.comparison("=", left, right, location)
		if err != nil {
			return nil, err
		}
		return &NullIf{Left: convertedLeft, Right: convertedRight, Equal: equal}, nil
	case pg_query.A_Expr_Kind_AEXPR_IN:
		return b.inList(s, node)
	case pg_query.A_Expr_Kind_AEXPR_LIKE, pg_query.A_Expr_Kind_AEXPR_ILIKE, pg_query.A_Expr_Kind_AEXPR_SIMILAR:
		left, err := b.expression(s, node.Lexpr)
		if err != nil {
			return nil, err
		}
		right, err := b.expression(s, node.Rexpr)
		if err != nil {
			return nil, err
		}
		return b.operator(s, operatorName(node.Name), left, right, location)
	}
	return b.between(s, node)
}

func (b *binder) plainOperator(s *scope, node *pg_query.A_Expr) (Expression, error) {
	name, location := operatorName(node.Name), int(node.Location)
	if node.Lexpr == nil {
		right, err := b.expression(s, node.Rexpr)
		if err != nil {
			return nil, err
		}
		return b.operator(s, name, nil, right, location)
	}
	if link := node.Rexpr.GetSubLink(); link != nil && node.Lexpr.GetRowExpr() != nil &&
		link.SubLinkType == pg_query.SubLinkType_EXPR_SUBLINK {
		return b.rowSubquery(s, node.Lexpr.GetRowExpr(), name, link)
	}
	left, err := b.expression(s, node.Lexpr)
	if err != nil {
		return nil, err
	}
	right, err := b.expression(s, node.Rexpr)
	if err != nil {
		return nil, err
	}
	return b.binary(s, name, left, right, location)
}

// binary applies an operator to two bound sides; two rows are compared field by field.
func (b *binder) binary(s *scope, name string, left, right Expression, location int) (Expression, error) {
	leftRow, leftIsRow := left.(*Row)
	rightRow, rightIsRow := right.(*Row)
	if leftIsRow && rightIsRow && leftRow.Presence == nil && rightRow.Presence == nil {
		return b.compareRows(name, leftRow.Fields, rightRow.Fields, location)
	}
	return b.operator(s, name, left, right, location)
}

// compareRows binds a comparison of two lists of expressions.
func (b *binder) compareRows(name string, left, right []Expression, location int) (Expression, error) {
	if len(left) != len(right) {
		return nil, b.errorAt(location, pgerror.SyntaxError, "unequal number of entries in row expressions")
	}
	if len(left) == 0 {
		return nil, b.errorAt(location, pgerror.FeatureNotSupported, "cannot compare rows of zero length")
	}
	if name == "!=" {
		name = "<>"
	}
	switch name {
	case "=", "<>", "<", "<=", ">", ">=":
	default:
		return nil, b.errorAt(location, pgerror.FeatureNotSupported, "could not determine interpretation of row comparison operator %s", name).
			WithHint("Row comparison operators must be associated with btree operator families.")
	}
	row := &RowComparison{Operator: name}
	for i := range left {
		compare, leftField, rightField, err := b.comparison(name, left[i], right[i], location)
		if err != nil {
			return nil, err
		}
		equal, leftField, rightField, err := b.comparison("=", leftField, rightField, location)
		if err != nil {
			return nil, err
		}
		row.Left, row.Right = append(row.Left, leftField), append(row.Right, rightField)
		row.Compare, row.Equal = append(row.Compare, compare), append(row.Equal, equal)
	}
	if len(left) == 1 {
		return &Call{Function: row.Compare[0], Arguments: []Expression{row.Left[0], row.Right[0]}, Operator: name, Of: relation.BoolType}, nil
	}
	return row, nil
}

func (b *binder) distinctFrom(s *scope, node *pg_query.A_Expr) (Expression, error) {
	negated := node.Kind == pg_query.A_Expr_Kind_AEXPR_NOT_DISTINCT
	left, err := b.expression(s, node.Lexpr)
	if err != nil {
		return nil, err
	}
	right, err := b.expression(s, node.Rexpr)
	if err != nil {
		return nil, err
	}
	for _, sides := range [][2]Expression{{left, right}, {right, left}} {
		if constant, ok := sides[1].(*Constant); ok && constant.Of.OID == relation.UnknownOID && constant.Value.IsNull() {
			return &NullTest{Argument: sides[0], Negated: !negated}, nil
		}
	}
	leftRow, leftIsRow := left.(*Row)
	rightRow, rightIsRow := right.(*Row)
	if !leftIsRow || !rightIsRow || leftRow.Presence != nil || rightRow.Presence != nil {
		return b.distinct2(left, right, negated, int(node.Location))
	}
	if len(leftRow.Fields) != len(rightRow.Fields) {
		return nil, b.errorAt(int(node.Location), pgerror.SyntaxError, "unequal number of entries in row expressions")
	}
	var parts []Expression
	for i := range leftRow.Fields {
		part, err := b.distinct2(leftRow.Fields[i], rightRow.Fields[i], negated, int(node.Location))
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return &Logic{Or: !negated, Arguments: parts}, nil
}

func (b *binder) distinct2(left, right Expression, negated bool, location int) (Expression, error) {
	equal, left, right, err := b.comparison("=", left, right, location)
	if err != nil {
		return nil, err
	}
	return &Distinct{Left: left, Right: right, Equal: equal, Negated: negated}, nil
}

// inList binds x [NOT] IN (a, b, ...).
func (b *binder) inList(s *scope, node *pg_query.A_Expr) (Expression, error) {
	location := int(node.Location)
	negated := operatorName(node.Name) == "<>"
	left, err := b.expression(s, node.Lexpr)
	if err != nil {
		return nil, err
	}
	list, err := b.expressions(s, node.Rexpr.GetList().GetItems())
	if err != nil {
		return nil, err
	}
	if row, ok := left.(*Row); ok {
		return b.rowInList(row, list, negated, location)
	}
	types := make([]relation.Type, 0, len(list)+1)
	for _, e := range append([]Expression{left}, list...) {
		types = append(types, e.Type())
	}
	common, err := function.CommonType(types, "IN")
	if err != nil || len(list) == 1 {
		// Without a common type each element is compared by an operator of its own.
		return b.inAlternatives(s, left, list, negated, location)
	}
	equal, err := function.ResolveOperator("=", common, common)
	if err != nil {
		return nil, b.at(err, location)
	}
	in := &In{Equal: equal, List: make([]Expression, len(list)), Negated: negated}
	if in.Left, err = b.coerceImplicit(left, equal.Arguments[0], "IN", locationOf(node.Lexpr)); err != nil {
		return nil, err
	}
	for i := range list {
		if in.List[i], err = b.coerceImplicit(list[i], common, "IN", locationOf(node.Rexpr.GetList().Items[i])); err != nil {
			return nil, err
		}
		if in.List[i], err = b.coerceImplicit(in.List[i], equal.Arguments[1], "IN", location); err != nil {
			return nil, err
		}
	}
	return in, nil
}

func (b *binder) inAlternatives(s *scope, left Expression, list []Expression, negated bool, location int) (Expression, error) {
	name := "="
	if negated {
		name = "<>"
	}
	alternatives := make([]Expression, len(list))
	for i := range list {
		compared, err := b.operator(s, name, left, list[i], location)
		if err != nil {
			return nil, err
		}
		alternatives[i] = compared
	}
	if len(alternatives) == 1 {
		return alternatives[0], nil
	}
	return &Logic{Or: !negated, Arguments: alternatives}, nil
}

func (b *binder) rowInList(row *Row, list []Expression, negated bool, location int) (Expression, error) {
	name := "="
	if negated {
		name = "<>"
	}
	alternatives := make([]Expression, len(list))
	for i := range list {
		other, ok := list[i].(*Row)
		if !ok {
			return nil, b.unsupportedAt(location, "IN of a row and a value that is no ROW")
		}
		compared, err := b.compareRows(name, row.Fields, other.Fields, location)
		if err != nil {
			return nil, err
		}
		alternatives[i] = compared
	}
	if len(alternatives) == 1 {
		return alternatives[0], nil
	}
	return &Logic{Or: !negated, Arguments: alternatives}, nil
}

// anyArray binds "x operator ANY (array)" and ALL.
func (b *binder) anyArray(s *scope, node *pg_query.A_Expr) (Expression, error) {
	location := int(node.Location)
	name := operatorName(node.Name)
	left, err := b.expression(s, node.Lexpr)
	if err != nil {
		return nil, err
	}
	array, err := b.expression(s, node.Rexpr)
	if err != nil {
		return nil, err
	}
	element := relation.UnknownType
	if array.Type().OID != relation.UnknownOID {
		if element = function.ElementType(array.Type()); element.OID == 0 {
			return nil, b.errorAt(location, pgerror.WrongObjectType, "op ANY/ALL (array) requires array on right side")
		}
	}
	operator, err := function.ResolveOperator(name, left.Type(), element)
	if err != nil {
		return nil, b.at(err, location)
	}
	if operator.Result.OID != relation.BoolOID {
		return nil, b.errorAt(location, pgerror.WrongObjectType, "op ANY/ALL (array) requires operator to yield boolean")
	}
	if left, err = b.coerceImplicit(left, operator.Arguments[0], name, locationOf(node.Lexpr)); err != nil {
		return nil, err
	}
	wanted, ok := function.ArrayType(relation.Type{OID: operator.Arguments[1].OID, Modifier: -1})
	if !ok {
		return nil, b.errorAt(location, pgerror.UndefinedObject, "could not find array type for data type %s", typeName(operator.Arguments[1]))
	}
	switch array.Type().OID {
	case relation.Int2VectorOID, relation.OIDVectorOID:
		// Vectors are arrays of their elements already.
	default:
		if array, err = b.coerceImplicit(array, wanted, name, locationOf(node.Rexpr)); err != nil {
			return nil, err
		}
	}
	all := node.Kind == pg_query.A_Expr_Kind_AEXPR_OP_ALL
	return &AnyArray{Left: left, Array: array, Operator: operator, Name: name, Element: operator.Arguments[1], All: all}, nil
}

// between binds [NOT] BETWEEN [SYMMETRIC] to comparisons.
func (b *binder) between(s *scope, node *pg_query.A_Expr) (Expression, error) {
	location := int(node.Location)
	value, err := b.expression(s, node.Lexpr)
	if err != nil {
		return nil, err
	}
	bounds, err := b.expressions(s, node.Rexpr.GetList().GetItems())
	if err != nil {
		return nil, err
	}
	inside := func(low, high Expression) (Expression, error) {
		return b.pair(s, false, ">=", "<=", value, low, high, location)
	}
	outside := func(low, high Expression) (Expression, error) {
		return b.pair(s, true, "<", ">", value, low, high, location)
	}
	switch node.Kind {
	case pg_query.A_Expr_Kind_AEXPR_BETWEEN:
		return inside(bounds[0], bounds[1])
	case pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN:
		return outside(bounds[0], bounds[1])
	}
	half, symmetric := inside, true
	if node.Kind == pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM {
		half, symmetric = outside, false
	}
	first, err := half(bounds[0], bounds[1])
	if err != nil {
		return nil, err
	}
	second, err := half(bounds[1], bounds[0])
	if err != nil {
		return nil, err
	}
	return &Logic{Or: symmetric, Arguments: []Expression{first, second}}, nil
}

func (b *binder) pair(s *scope, or bool, lowName, highName string, value, low, high Expression, location int) (Expression, error) {
	first, err := b.binary(s, lowName, value, low, location)
	if err != nil {
		return nil, err
	}
	second, err := b.binary(s, highName, value, high, location)
	if err != nil {
		return nil, err
	}
	return &Logic{Or: or, Arguments: []Expression{first, second}}, nil
}
