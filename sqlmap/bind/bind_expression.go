package bind

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
)

// expression binds an expression. Literals of unknown type stay so: whoever uses them gives them a type.
func (b *binder) expression(s *scope, node *pg_query.Node) (Expression, error) {
	if err := b.enter(); err != nil {
		return nil, err
	}
	defer b.leave()
	switch n := node.GetNode().(type) {
	case *pg_query.Node_AConst:
		return b.constant(n.AConst)
	case *pg_query.Node_ColumnRef:
		column, err := b.columnReference(s, n.ColumnRef)
		if err != nil {
			return nil, err
		}
		return column.expression, nil
	case *pg_query.Node_ParamRef:
		return b.parameter(int(n.ParamRef.Number), int(n.ParamRef.Location))
	case *pg_query.Node_AExpr:
		return b.operatorExpression(s, n.AExpr)
	case *pg_query.Node_BoolExpr:
		return b.boolean(s, n.BoolExpr)
	case *pg_query.Node_NullTest:
		argument, err := b.expression(s, n.NullTest.Arg)
		if err != nil {
			return nil, err
		}
		return &NullTest{Argument: argument, Negated: n.NullTest.Nulltesttype == pg_query.NullTestType_IS_NOT_NULL}, nil
	case *pg_query.Node_BooleanTest:
		return b.truthTest(s, n.BooleanTest)
	case *pg_query.Node_TypeCast:
		return b.typeCast(s, n.TypeCast)
	case *pg_query.Node_FuncCall:
		return b.functionCall(s, n.FuncCall)
	case *pg_query.Node_SubLink:
		return b.subquery(s, n.SubLink)
	case *pg_query.Node_CaseExpr:
		return b.caseExpression(s, n.CaseExpr)
	case *pg_query.Node_CoalesceExpr:
		arguments, err := b.expressions(s, n.CoalesceExpr.Args)
		if err != nil {
			return nil, err
		}
		of, err := b.coerceAll(arguments, "COALESCE", locationsOf(n.CoalesceExpr.Args)...)
		return &Coalesce{Arguments: arguments, Of: of}, err
	case *pg_query.Node_MinMaxExpr:
		return b.extreme(s, n.MinMaxExpr)
	case *pg_query.Node_AArrayExpr:
		return b.array(s, n.AArrayExpr, relation.Type{})
	case *pg_query.Node_AIndirection:
		return b.indirection(s, n.AIndirection)
	case *pg_query.Node_RowExpr:
		return b.row(s, n.RowExpr)
	case *pg_query.Node_SqlvalueFunction:
		return b.sessionValue(n.SqlvalueFunction)
	case *pg_query.Node_CollateClause:
		return b.collate(s, n.CollateClause)
	case *pg_query.Node_GroupingFunc:
		return b.grouping(s, n.GroupingFunc)
	case *pg_query.Node_SetToDefault:
		return nil, b.errorAt(int(n.SetToDefault.Location), pgerror.SyntaxError, "DEFAULT is not allowed in this context")
	case *pg_query.Node_CurrentOfExpr:
		return nil, pgerror.Unsupported("WHERE CURRENT OF")
	case *pg_query.Node_NamedArgExpr:
		return nil, b.errorAt(int(n.NamedArgExpr.Location), pgerror.SyntaxError, "named arguments are not allowed here")
	}
	return nil, b.unsupportedAt(locationOf(node), constructName(node))
}

// constructName names a kind of node for an error: XmlExpr, JsonObjectConstructor.
func constructName(node *pg_query.Node) string {
	name := strings.TrimPrefix(strings.TrimPrefix(typeText(node.GetNode()), "*pg_query."), "Node_")
	return "expression " + name
}

func (b *binder) expressions(s *scope, nodes []*pg_query.Node) ([]Expression, error) {
	bound := make([]Expression, len(nodes))
	for i, node := range nodes {
		var err error
		if bound[i], err = b.expression(s, node); err != nil {
			return nil, err
		}
	}
	return bound, nil
}

// columnReference resolves a name with its qualifiers to a column, or to a whole row.
func (b *binder) columnReference(s *scope, reference *pg_query.ColumnRef) (*nameColumn, error) {
	location := int(reference.Location)
	if s.clause == clauseDefault {
		return nil, b.errorAt(location, pgerror.FeatureNotSupported, "cannot use column reference in DEFAULT expression")
	}
	fields := reference.Fields
	if isStar(fields) {
		if len(fields) == 1 {
			return nil, b.errorAt(location, pgerror.SyntaxError, "row expansion via \"*\" is not supported here")
		}
		fields = fields[:len(fields)-1]
		schema, alias, err := b.qualifier(fields, location)
		if err != nil {
			return nil, err
		}
		return b.wholeRow(s, schema, alias, location, true)
	}
	last := fields[len(fields)-1].GetString_().GetSval()
	if len(fields) == 1 {
		column, err := b.bareColumn(s, last, location)
		if err != nil || column != nil {
			return located(column, location), err
		}
		return b.wholeRow(s, "", last, location, false)
	}
	schema, alias, err := b.qualifier(fields[:len(fields)-1], location)
	if err != nil {
		return nil, err
	}
	item, err := b.item(s, schema, alias, location)
	if err != nil {
		return nil, err
	}
	if item == nil {
		return nil, b.missingItem(s, schema, alias, location)
	}
	column, err := b.column(item, last, location)
	if err == nil && column == nil {
		return nil, b.missingQualifiedColumn(s, item, last, location)
	}
	return located(column, location), err
}

// located gives a column reference its place in the text.
func located(column *nameColumn, location int) *nameColumn {
	if column == nil {
		return nil
	}
	if reference, ok := column.expression.(*Column); ok {
		placed := *reference
		placed.Location = int32(location)
		return &nameColumn{column.name, &placed, column.column}
	}
	return column
}

// wholeRow makes the row of a FROM item.
func (b *binder) wholeRow(s *scope, schema, alias string, location int, qualified bool) (*nameColumn, error) {
	item, err := b.item(s, schema, alias, location)
	if err != nil {
		return nil, err
	}
	if item == nil {
		if qualified {
			return nil, b.missingItem(s, schema, alias, location)
		}
		return nil, b.missingColumn(s, alias, location)
	}
	if item.scalar {
		// A function that gives one column of a scalar type: its alias means the value.
		return located(&nameColumn{alias, item.columns[0].expression, item.columns[0].column}, location), nil
	}
	row := &Row{}
	columns := make([]relation.Column, len(item.columns))
	for i := range item.columns {
		expression := item.columns[i].expression
		row.Fields = append(row.Fields, expression)
		columns[i] = relation.Column{Name: item.columns[i].name, Type: expression.Type()}
	}
	row.Of = function.RecordType(columns)
	if item.source != nil {
		row.Presence = &Column{Source: item.source, Ordinal: PresenceOrdinal, Of: relation.BoolType}
	}
	return &nameColumn{name: alias, expression: row}, nil
}

// fieldsOf gives the columns of a record as far as they are known; nil for anything else.
func fieldsOf(e Expression) []relation.Column {
	columns, _ := function.RecordColumns(e.Type())
	return columns
}

func fieldOf(record Expression, fields []relation.Column, index int) Expression {
	if row, ok := record.(*Row); ok && row.Presence == nil {
		return row.Fields[index]
	}
	return &Field{Record: record, Index: index, Name: fields[index].Name, Of: fields[index].Type}
}

func (b *binder) boolean(s *scope, node *pg_query.BoolExpr) (Expression, error) {
	name := map[pg_query.BoolExprType]string{pg_query.BoolExprType_AND_EXPR: "AND", pg_query.BoolExprType_OR_EXPR: "OR",
		pg_query.BoolExprType_NOT_EXPR: "NOT"}[node.Boolop]
	arguments := make([]Expression, len(node.Args))
	for i, argument := range node.Args {
		var err error
		if arguments[i], err = b.condition(s, argument, name); err != nil {
			return nil, err
		}
	}
	if node.Boolop == pg_query.BoolExprType_NOT_EXPR {
		return &Not{Argument: arguments[0]}, nil
	}
	return &Logic{Or: node.Boolop == pg_query.BoolExprType_OR_EXPR, Arguments: arguments}, nil
}

func (b *binder) truthTest(s *scope, node *pg_query.BooleanTest) (Expression, error) {
	test := &TruthTest{}
	name := ""
	switch node.Booltesttype {
	case pg_query.BoolTestType_IS_TRUE:
		name = "IS TRUE"
	case pg_query.BoolTestType_IS_NOT_TRUE:
		name, test.Negated = "IS NOT TRUE", true
	case pg_query.BoolTestType_IS_FALSE:
		name, test.Is = "IS FALSE", False
	case pg_query.BoolTestType_IS_NOT_FALSE:
		name, test.Is, test.Negated = "IS NOT FALSE", False, true
	case pg_query.BoolTestType_IS_UNKNOWN:
		name, test.Is = "IS UNKNOWN", Unknown
	default:
		name, test.Is, test.Negated = "IS NOT UNKNOWN", Unknown, true
	}
	var err error
	test.Argument, err = b.condition(s, node.Arg, name)
	return test, err
}

func (b *binder) typeCast(s *scope, node *pg_query.TypeCast) (Expression, error) {
	to, err := b.typeOf(node.TypeName)
	if err != nil {
		return nil, err
	}
	location := int(node.Location)
	if location < 0 {
		location = int(node.TypeName.Location)
	}
	if array := node.Arg.GetAArrayExpr(); array != nil && function.ElementType(to).OID != 0 {
		bound, err := b.array(s, array, to)
		if err != nil {
			return nil, err
		}
		return b.cast(bound, to, location)
	}
	bound, err := b.expression(s, node.Arg)
	if err != nil {
		return nil, err
	}
	return b.cast(bound, to, location)
}

func (b *binder) caseExpression(s *scope, node *pg_query.CaseExpr) (Expression, error) {
	bound := &Case{}
	var operand *CaseOperand
	if node.Arg != nil {
		argument, err := b.expression(s, node.Arg)
		if err != nil {
			return nil, err
		}
		if argument.Type().OID == relation.UnknownOID {
			if argument, err = b.coerceImplicit(argument, relation.TextType, "CASE", int(node.Location)); err != nil {
				return nil, err
			}
		}
		bound.Operand, operand = argument, &CaseOperand{Of: argument.Type()}
	}
	var results []Expression
	locations := []int{locationOf(node.Defresult)}
	for _, branch := range node.Args {
		when := branch.GetCaseWhen()
		var condition Expression
		var err error
		if operand != nil {
			value, err := b.expression(s, when.Expr)
			if err != nil {
				return nil, err
			}
			condition, err = b.operator(s, "=", operand, value, locationOf(when.Expr))
			if err != nil {
				return nil, err
			}
			if condition, err = b.coerceToBool(condition, "CASE/WHEN", locationOf(when.Expr)); err != nil {
				return nil, err
			}
		} else if condition, err = b.condition(s, when.Expr, "CASE/WHEN"); err != nil {
			return nil, err
		}
		result, err := b.expression(s, when.Result)
		if err != nil {
			return nil, err
		}
		bound.Whens = append(bound.Whens, When{Condition: condition})
		results, locations = append(results, result), append(locations, locationOf(when.Result))
	}
	// PostgreSQL looks at ELSE first when it settles the type.
	var otherwise Expression = &Constant{Of: relation.UnknownType}
	if node.Defresult != nil {
		var err error
		if otherwise, err = b.expression(s, node.Defresult); err != nil {
			return nil, err
		}
	}
	branches := append([]Expression{otherwise}, results...)
	of, err := b.coerceAll(branches, "CASE", locations...)
	if err != nil {
		return nil, err
	}
	bound.Of = of
	if node.Defresult != nil {
		bound.Else = branches[0]
	}
	for i := range bound.Whens {
		bound.Whens[i].Result = branches[i+1]
	}
	return bound, nil
}

func (b *binder) extreme(s *scope, node *pg_query.MinMaxExpr) (Expression, error) {
	arguments, err := b.expressions(s, node.Args)
	if err != nil {
		return nil, err
	}
	greatest := node.Op == pg_query.MinMaxOp_IS_GREATEST
	name := "LEAST"
	if greatest {
		name = "GREATEST"
	}
	of, err := b.coerceAll(arguments, name, locationsOf(node.Args)...)
	if err != nil {
		return nil, err
	}
	if function.Comparer(of) == nil {
		return nil, pgerror.New(pgerror.UndefinedFunction, "could not identify a comparison function for type %s", typeName(of)).
			WithPosition(b.statement.Position(int(node.Location)))
	}
	return &Extreme{Greatest: greatest, Arguments: arguments, Of: of}, nil
}

// array binds ARRAY[...]; into is the array type it is cast to, or the zero type.
func (b *binder) array(s *scope, node *pg_query.A_ArrayExpr, into relation.Type) (Expression, error) {
	location := int(node.Location)
	elements := make([]Expression, len(node.Elements))
	nested := false
	for i, element := range node.Elements {
		var err error
		if inner := element.GetAArrayExpr(); inner != nil {
			elements[i], err = b.array(s, inner, into)
			nested = true
		} else {
			elements[i], err = b.expression(s, element)
		}
		if err != nil {
			return nil, err
		}
		nested = nested || function.ElementType(elements[i].Type()).OID != 0
	}
	if into.OID != 0 {
		to := function.ElementType(into)
		if nested {
			to = into
		}
		for i := range elements {
			var err error
			if elements[i], err = b.cast(elements[i], to, locationOf(node.Elements[i])); err != nil {
				return nil, err
			}
		}
		return &ArrayConstructor{Elements: elements, Nested: nested, Of: relation.Type{OID: into.OID, Modifier: -1}}, nil
	}
	if len(elements) == 0 {
		return nil, b.errorAt(location, pgerror.IndeterminateDatatype, "cannot determine type of empty array").
			WithHint("Explicitly cast to the desired type, for example ARRAY[]::integer[].")
	}
	of, err := b.coerceAll(elements, "ARRAY", locationsOf(node.Elements)...)
	if err != nil {
		return nil, err
	}
	if nested {
		return &ArrayConstructor{Elements: elements, Nested: true, Of: of}, nil
	}
	array, ok := function.ArrayType(of)
	if !ok {
		return nil, b.errorAt(location, pgerror.UndefinedObject, "could not find array type for data type %s", typeName(of))
	}
	return &ArrayConstructor{Elements: elements, Of: array}, nil
}

// row binds ROW(...).
func (b *binder) row(s *scope, node *pg_query.RowExpr) (*Row, error) {
	row := &Row{}
	var columns []relation.Column
	for _, argument := range node.Args {
		if reference := argument.GetColumnRef(); reference != nil && isStar(reference.Fields) {
			expanded, err := b.star(s, reference)
			if err != nil {
				return nil, err
			}
			for _, target := range expanded {
				row.Fields = append(row.Fields, target.Expression)
			}
			continue
		}
		field, err := b.expression(s, argument)
		if err != nil {
			return nil, err
		}
		row.Fields = append(row.Fields, field)
	}
	for i, field := range row.Fields {
		columns = append(columns, relation.Column{Name: "f" + decimal(i+1), Type: field.Type()})
	}
	row.Of = function.RecordType(columns)
	return row, nil
}

// indirection binds subscripts and field selections.
func (b *binder) indirection(s *scope, node *pg_query.A_Indirection) (Expression, error) {
	bound, err := b.expression(s, node.Arg)
	if err != nil {
		return nil, err
	}
	location := locationOf(node.Arg)
	for i := 0; i < len(node.Indirection); i++ {
		if name := node.Indirection[i].GetString_(); name != nil {
			if bound, err = b.field(bound, name.GetSval(), location); err != nil {
				return nil, err
			}
			continue
		}
		if node.Indirection[i].GetAStar() != nil {
			return nil, b.errorAt(location, pgerror.SyntaxError, "row expansion via \"*\" is not supported here")
		}
		var bounds []*pg_query.A_Indices
		for i < len(node.Indirection) && node.Indirection[i].GetAIndices() != nil {
			bounds = append(bounds, node.Indirection[i].GetAIndices())
			i++
		}
		i--
		if bound, err = b.subscript(s, bound, bounds, location); err != nil {
			return nil, err
		}
	}
	return bound, nil
}

func (b *binder) field(record Expression, name string, location int) (Expression, error) {
	fields := fieldsOf(record)
	for i := range fields {
		if fields[i].Name == name {
			return fieldOf(record, fields, i), nil
		}
	}
	if record.Type().OID == relation.RecordOID {
		return nil, b.errorAt(location, pgerror.UndefinedColumn, "could not identify column \"%s\" in record data type", name)
	}
	return nil, b.errorAt(location, pgerror.WrongObjectType, "column notation .%s applied to type %s, which is not a composite type",
		name, typeName(record.Type()))
}

func (b *binder) subscript(s *scope, array Expression, indices []*pg_query.A_Indices, location int) (Expression, error) {
	element := function.ElementType(array.Type())
	if element.OID == 0 {
		if array.Type().OID == relation.JSONBOID {
			return nil, b.unsupportedAt(location, "subscripting of jsonb")
		}
		return nil, b.errorAt(location, pgerror.DatatypeMismatch, "cannot subscript type %s because it does not support subscripting",
			typeName(array.Type()))
	}
	bound := &Subscript{Array: array, Of: element}
	for _, index := range indices {
		bound.Slice = bound.Slice || index.IsSlice
	}
	for _, index := range indices {
		lower, err := b.arrayBound(s, index.Lidx)
		if err != nil {
			return nil, err
		}
		upper, err := b.arrayBound(s, index.Uidx)
		if err != nil {
			return nil, err
		}
		if bound.Slice && !index.IsSlice {
			lower = &Constant{Value: relation.Int(1), Of: relation.Int4Type}
		}
		bound.Bounds = append(bound.Bounds, Bound{lower, upper})
	}
	if bound.Slice {
		bound.Of = array.Type()
		switch bound.Of.OID {
		case relation.Int2VectorOID, relation.OIDVectorOID:
			bound.Of, _ = function.ArrayType(element)
		}
	}
	return bound, nil
}

func (b *binder) arrayBound(s *scope, node *pg_query.Node) (Expression, error) {
	if node == nil {
		return nil, nil
	}
	bound, err := b.expression(s, node)
	if err != nil {
		return nil, err
	}
	converted, err := b.coerce(bound, relation.Int4Type, function.CastAssignment, locationOf(node))
	if err == nil && converted == nil {
		return nil, b.errorAt(locationOf(node), pgerror.DatatypeMismatch, "array subscript must have type integer")
	}
	return converted, err
}
