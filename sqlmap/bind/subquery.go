package bind

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
)

// subquery binds a query in an expression.
func (b *binder) subquery(s *scope, node *pg_query.SubLink) (Expression, error) {
	inner := *s
	inner.clause = clauseSelect
	query, err := b.query(node.Subselect.GetSelectStmt(), &inner, resolveUnknowns)
	if err != nil {
		return nil, err
	}
	location := int(node.Location)
	switch node.SubLinkType {
	case pg_query.SubLinkType_EXISTS_SUBLINK:
		return &Subquery{Kind: ExistsSubquery, Query: query, Of: relation.BoolType}, nil
	case pg_query.SubLinkType_EXPR_SUBLINK, pg_query.SubLinkType_ARRAY_SUBLINK:
		if len(query.Columns) != 1 {
			return nil, b.errorAt(location, pgerror.SyntaxError, "subquery must return only one column")
		}
		of := query.Columns[0].Type
		if node.SubLinkType == pg_query.SubLinkType_EXPR_SUBLINK {
			return &Subquery{Kind: ScalarSubquery, Query: query, Of: of}, nil
		}
		if function.ElementType(of).OID != 0 {
			return &Subquery{Kind: ArraySubquery, Query: query, Of: relation.Type{OID: of.OID, Modifier: -1}}, nil
		}
		array, ok := function.ArrayType(of)
		if !ok {
			return nil, b.errorAt(location, pgerror.UndefinedObject, "could not find array type for data type %s", typeName(of))
		}
		return &Subquery{Kind: ArraySubquery, Query: query, Of: array}, nil
	case pg_query.SubLinkType_ANY_SUBLINK, pg_query.SubLinkType_ALL_SUBLINK:
		return b.quantified(s, node, query)
	}
	return nil, b.unsupportedAt(location, "this kind of subquery")
}

// quantified binds x IN (SELECT ...), x operator ANY (SELECT ...) and ALL.
func (b *binder) quantified(s *scope, node *pg_query.SubLink, query *Query) (Expression, error) {
	location := int(node.Location)
	left, err := b.leftSide(s, node.Testexpr)
	if err != nil {
		return nil, err
	}
	name := "="
	if len(node.OperName) > 0 {
		name = operatorName(node.OperName)
	}
	subquery := &Subquery{Kind: AnySubquery, Query: query, Of: relation.BoolType}
	if node.SubLinkType == pg_query.SubLinkType_ALL_SUBLINK {
		subquery.Kind = AllSubquery
	}
	return b.compareWithSubquery(subquery, name, left, location)
}

func (b *binder) leftSide(s *scope, node *pg_query.Node) ([]Expression, error) {
	if row := node.GetRowExpr(); row != nil {
		bound, err := b.row(s, row)
		if err != nil {
			return nil, err
		}
		return bound.Fields, nil
	}
	bound, err := b.expression(s, node)
	return []Expression{bound}, err
}

// compareWithSubquery makes the test of a subquery: its row against the values on the left.
func (b *binder) compareWithSubquery(subquery *Subquery, name string, left []Expression, location int) (Expression, error) {
	columns := subquery.Query.Columns
	switch {
	case len(columns) > len(left):
		return nil, b.errorAt(location, pgerror.SyntaxError, "subquery has too many columns")
	case len(columns) < len(left):
		return nil, b.errorAt(location, pgerror.SyntaxError, "subquery has too few columns")
	}
	right := make([]Expression, len(columns))
	for i := range columns {
		right[i] = &SubqueryColumn{Index: i, Of: columns[i].Type}
	}
	if len(left) == 1 {
		operator, leftValue, rightValue, err := b.comparison(name, left[0], right[0], location)
		if err != nil {
			return nil, err
		}
		subquery.Left = []Expression{leftValue}
		subquery.Test = &Call{Function: operator, Arguments: []Expression{leftValue, rightValue}, Operator: name, Of: relation.BoolType}
		return subquery, nil
	}
	test, err := b.compareRows(name, left, right, location)
	if err != nil {
		return nil, err
	}
	subquery.Left, subquery.Test = test.(*RowComparison).Left, test
	return subquery, nil
}

// rowSubquery binds ROW(...) operator (SELECT ...): the subquery gives one row at most.
func (b *binder) rowSubquery(s *scope, row *pg_query.RowExpr, name string, node *pg_query.SubLink) (Expression, error) {
	left, err := b.row(s, row)
	if err != nil {
		return nil, err
	}
	inner := *s
	inner.clause = clauseSelect
	query, err := b.query(node.Subselect.GetSelectStmt(), &inner, resolveUnknowns)
	if err != nil {
		return nil, err
	}
	subquery := &Subquery{Kind: RowSubquery, Query: query, Of: relation.BoolType}
	return b.compareWithSubquery(subquery, name, left.Fields, int(node.Location))
}
