package bind

import (
	"strconv"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
)

func decimal(number int) string { return strconv.Itoa(number) }

// setOperation binds UNION, INTERSECT and EXCEPT.
func (b *binder) setOperation(s *scope, query *Query, node *pg_query.SelectStmt, unknowns bool) error {
	recursion := b.recursion
	if recursion != nil && recursion.depth != b.depth {
		recursion = nil
	}
	left, err := b.query(node.Larg, operandScope(s), keepUnknowns)
	if err != nil {
		return err
	}
	if recursion != nil {
		if err := b.startRecursion(recursion, left); err != nil {
			return err
		}
	}
	right, err := b.query(node.Rarg, operandScope(s), keepUnknowns)
	if err != nil {
		return err
	}
	name := ""
	switch node.Op {
	case pg_query.SetOperation_SETOP_UNION:
		query.Set, name = Union, "UNION"
	case pg_query.SetOperation_SETOP_INTERSECT:
		query.Set, name = Intersect, "INTERSECT"
	default:
		query.Set, name = Except, "EXCEPT"
	}
	query.SetAll = node.All
	if len(left.Columns) != len(right.Columns) {
		return b.errorAt(firstTargetLocation(node.Rarg), pgerror.SyntaxError, "each %s query must have the same number of columns", name)
	}
	query.Left, query.Right = left, right
	query.Columns = make([]SourceColumn, len(left.Columns))
	for i := range query.Columns {
		standIns := []Expression{columnStandIn(left, i), columnStandIn(right, i)}
		of, err := b.commonOutputType(standIns, name, targetLocation(node.Rarg, i), unknowns)
		if err != nil {
			return err
		}
		query.Columns[i] = SourceColumn{Name: left.Columns[i].Name, Type: of}
		if !query.SetAll && of.OID != relation.UnknownOID && !function.HasEquality(of.OID) && of.OID != relation.RecordOID {
			return function.NoEquality(of)
		}
	}
	if err := b.convertColumns(left, query.Columns, name); err != nil {
		return err
	}
	if err := b.convertColumns(right, query.Columns, name); err != nil {
		return err
	}
	return b.outputOrder(s, query, node.SortClause)
}

// operandScope is the scope around an operand of a set operation: that around the operation, with its common tables.
func operandScope(s *scope) *scope {
	operand := *s
	operand.names = nil
	return &operand
}

func firstTargetLocation(node *pg_query.SelectStmt) int { return targetLocation(node, 0) }

// targetLocation gives the location of a result column of a query, of the leftmost operand of a set operation.
func targetLocation(node *pg_query.SelectStmt, place int) int {
	for node.GetLarg() != nil {
		node = node.Larg
	}
	if place < len(node.GetTargetList()) {
		return locationOf(node.TargetList[place].GetResTarget().Val)
	}
	return -1
}

// columnStandIn is an expression with the type of a query's column.
func columnStandIn(query *Query, i int) Expression {
	if query.Targets != nil {
		return query.Targets[i].Expression
	}
	return &SubqueryColumn{Index: i, Of: query.Columns[i].Type}
}

// convertColumns makes a query give the types of columns.
func (b *binder) convertColumns(query *Query, columns []SourceColumn, construct string) error {
	for i := range columns {
		of := columns[i].Type
		if query.Columns[i].Type == of {
			continue
		}
		switch {
		case query.Values != nil:
			for _, row := range query.Values {
				converted, err := b.coerceImplicit(row[i], of, construct, -1)
				if err != nil {
					return err
				}
				row[i] = converted
			}
		case query.Set != NoSet:
			// An inner set operation compares in its own type; the outer one converts what comes out of it.
			if query.Columns[i].Type.OID == relation.UnknownOID {
				for _, inner := range []*Query{query.Left, query.Right} {
					if err := b.convertColumn(inner, i, columns, construct); err != nil {
						return err
					}
				}
				break
			}
			return b.wrap(query, columns, construct)
		default:
			if err := b.convertTarget(query, i, of, construct); err != nil {
				return err
			}
		}
		query.Columns[i].Type = of
	}
	return nil
}

// convertColumn converts column i alone.
func (b *binder) convertColumn(query *Query, i int, columns []SourceColumn, construct string) error {
	only := append([]SourceColumn(nil), query.Columns...)
	only[i].Type = columns[i].Type
	return b.convertColumns(query, only, construct)
}

// convertTarget converts a target. One that DISTINCT or ORDER BY also looks at is converted on top of the query, so that
// they keep their meaning.
func (b *binder) convertTarget(query *Query, i int, of relation.Type, construct string) error {
	used := query.Distinct || len(query.DistinctOn) > 0
	for _, key := range query.OrderBy {
		used = used || key.Target == i
	}
	if used && query.Targets[i].Expression.Type().OID != relation.UnknownOID {
		columns := append([]SourceColumn(nil), query.Columns...)
		columns[i].Type = of
		return b.wrap(query, columns, construct)
	}
	converted, err := b.coerceImplicit(query.Targets[i].Expression, of, construct, -1)
	if err != nil {
		return err
	}
	query.Targets[i].Expression = converted
	return nil
}

// wrap turns the query into a SELECT over itself that converts its columns.
func (b *binder) wrap(query *Query, columns []SourceColumn, construct string) error {
	inner := *query
	source := &Source{Columns: inner.Columns}
	outer := Query{From: &Derived{Source: source, Query: &inner}, Visible: len(columns)}
	for i := range columns {
		var value Expression = &Column{Source: source, Ordinal: i, Of: inner.Columns[i].Type}
		converted, err := b.coerceImplicit(value, columns[i].Type, construct, -1)
		if err != nil {
			return err
		}
		outer.Targets = append(outer.Targets, Target{Name: columns[i].Name, Expression: converted})
	}
	outer.Columns = append([]SourceColumn(nil), columns...)
	*query = outer
	return nil
}

// outputOrder binds ORDER BY of VALUES and set operations: by names and places of the result only.
func (b *binder) outputOrder(s *scope, query *Query, list []*pg_query.Node) error {
	for _, node := range list {
		sort := node.GetSortBy()
		place := -1
		if name, ok := bareName(sort.Node); ok {
			for i := range query.Columns {
				if query.Columns[i].Name == name {
					if place >= 0 {
						return b.errorAt(locationOf(sort.Node), pgerror.AmbiguousColumn, "ORDER BY \"%s\" is ambiguous", name)
					}
					place = i
				}
			}
			if place < 0 {
				return b.missingColumn(s, name, locationOf(sort.Node))
			}
		} else if constant := sort.Node.GetAConst(); constant != nil {
			ordinal, err := b.ordinal(constant, "ORDER BY", len(query.Columns))
			if err != nil {
				return err
			}
			place = ordinal
		} else {
			if query.Values != nil {
				return b.unsupportedAt(locationOf(sort.Node), "ORDER BY an expression over VALUES")
			}
			return b.errorAt(locationOf(sort.Node), pgerror.FeatureNotSupported, "invalid UNION/INTERSECT/EXCEPT ORDER BY clause").
				WithDetail("Only result column names can be used, not expressions or functions.").
				WithHint("Add the expression/function to every SELECT, or move the UNION into a FROM clause.")
		}
		key, err := b.sortDirection(sort, query.Columns[place].Type)
		if err != nil {
			return err
		}
		query.OrderBy = append(query.OrderBy, OrderKey{Target: place, Descending: key.Descending, NullsFirst: key.NullsFirst})
	}
	return nil
}
