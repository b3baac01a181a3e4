package bind

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
)

// bareName gives the name of a column reference that has one name only.
func bareName(node *pg_query.Node) (string, bool) {
	reference := node.GetColumnRef()
	if reference == nil || len(reference.Fields) != 1 || reference.Fields[0].GetString_() == nil {
		return "", false
	}
	return reference.Fields[0].GetString_().GetSval(), true
}

// ordinal reads a constant that names a result column by its place; the result counts from 0.
func (b *binder) ordinal(constant *pg_query.A_Const, construct string, columns int) (int, error) {
	integer, ok := constant.Val.(*pg_query.A_Const_Ival)
	if !ok || constant.Isnull {
		return 0, b.errorAt(int(constant.Location), pgerror.SyntaxError, "non-integer constant in %s", construct)
	}
	place := int(integer.Ival.GetIval())
	if place < 1 || place > columns {
		return 0, b.errorAt(int(constant.Location), pgerror.InvalidColumnReference, "%s position %d is not in select list", construct, place)
	}
	return place - 1, nil
}

// outputTarget finds the target that a key of ORDER BY, GROUP BY or DISTINCT ON means by name or place; -1 when it is an
// expression. inputFirst tells that a column of FROM goes before a target of that name.
func (b *binder) outputTarget(s *scope, query *Query, node *pg_query.Node, construct string, inputFirst bool) (int, error) {
	if name, ok := bareName(node); ok {
		if inputFirst {
			for _, item := range s.names {
				if item.bare {
					if column, err := b.column(item, name, locationOf(node)); err != nil || column != nil {
						return -1, err
					}
				}
			}
		}
		place := -1
		for i := range query.Visible {
			if query.Targets[i].Name != name {
				continue
			}
			if place >= 0 && !SameExpression(query.Targets[i].Expression, query.Targets[place].Expression) {
				return -1, b.errorAt(locationOf(node), pgerror.AmbiguousColumn, "%s \"%s\" is ambiguous", construct, name)
			}
			if place < 0 {
				place = i
			}
		}
		return place, nil
	}
	if constant := node.GetAConst(); constant != nil {
		return b.ordinal(constant, construct, query.Visible)
	}
	return -1, nil
}

// target finds the target equal to an expression, or adds a hidden one.
func (q *Query) target(expression Expression, location int) int {
	for i := range q.Targets {
		if SameExpression(q.Targets[i].Expression, expression) {
			return i
		}
	}
	q.Targets = append(q.Targets, Target{Name: "?column?", Expression: expression, Location: location})
	return len(q.Targets) - 1
}

func (b *binder) orderBy(s *scope, query *Query, list []*pg_query.Node) error {
	for _, node := range list {
		sort := node.GetSortBy()
		place, err := b.outputTarget(s, query, sort.Node, "ORDER BY", false)
		if err != nil {
			return err
		}
		if place < 0 {
			bound, err := b.expression(s.within(clauseOrder), sort.Node)
			if err != nil {
				return err
			}
			if bound.Type().OID == relation.UnknownOID {
				if bound, err = b.coerceImplicit(bound, relation.TextType, "ORDER BY", locationOf(sort.Node)); err != nil {
					return err
				}
			}
			place = query.target(bound, locationOf(sort.Node))
		}
		key, err := b.sortDirection(sort, query.Targets[place].Expression.Type())
		if err != nil {
			return err
		}
		duplicate := false
		for _, other := range query.OrderBy {
			duplicate = duplicate || other.Target == place
		}
		if !duplicate {
			query.OrderBy = append(query.OrderBy, OrderKey{Target: place, Descending: key.Descending, NullsFirst: key.NullsFirst})
		}
	}
	return nil
}

// sortDirection reads ASC, DESC, USING and NULLS of a sort key, and checks that the type has an order.
func (b *binder) sortDirection(sort *pg_query.SortBy, of relation.Type) (SortKey, error) {
	var key SortKey
	switch sort.SortbyDir {
	case pg_query.SortByDir_SORTBY_DESC:
		key.Descending = true
	case pg_query.SortByDir_SORTBY_USING:
		name := sort.UseOp[len(sort.UseOp)-1].GetString_().GetSval()
		if name != "<" && name != ">" {
			return key, b.errorAt(int(sort.Location), pgerror.WrongObjectType, "operator %s is not a valid ordering operator", name).
				WithHint("Ordering operators must be \"<\" or \">\" members of btree operator families.")
		}
		key.Descending = name == ">"
	}
	switch sort.SortbyNulls {
	case pg_query.SortByNulls_SORTBY_NULLS_FIRST:
		key.NullsFirst = true
	case pg_query.SortByNulls_SORTBY_NULLS_LAST:
	default:
		key.NullsFirst = key.Descending
	}
	if of.OID != relation.UnknownOID && of.OID != relation.RecordOID && function.Comparer(of) == nil {
		return key, b.at(function.NoOrdering(of), locationOf(sort.Node))
	}
	return key, nil
}

// sortKey binds a key of ORDER BY in an aggregate or window: an expression, never a place.
func (b *binder) sortKey(s *scope, node *pg_query.Node) (SortKey, error) {
	sort := node.GetSortBy()
	bound, err := b.expression(s, sort.Node)
	if err != nil {
		return SortKey{}, err
	}
	if bound.Type().OID == relation.UnknownOID {
		if bound, err = b.coerceImplicit(bound, relation.TextType, "ORDER BY", locationOf(sort.Node)); err != nil {
			return SortKey{}, err
		}
	}
	key, err := b.sortDirection(sort, bound.Type())
	key.Expression = bound
	return key, err
}

// distinct binds DISTINCT and DISTINCT ON.
func (b *binder) distinct(s *scope, query *Query, clause []*pg_query.Node) error {
	if len(clause) == 0 {
		return nil
	}
	if clause[0].GetNode() == nil {
		query.Distinct = true
		if len(query.Targets) > query.Visible {
			return b.errorAt(query.Targets[query.Visible].Location, pgerror.InvalidColumnReference, "for SELECT DISTINCT, ORDER BY expressions must appear in select list")
		}
		for i := range query.Visible {
			if err := b.checkEquality(query.Targets[i].Expression.Type()); err != nil {
				return err
			}
		}
		return nil
	}
	query.DistinctOn = []int{}
	for _, node := range clause {
		place, err := b.outputTarget(s, query, node, "DISTINCT ON", false)
		if err != nil {
			return err
		}
		if place < 0 {
			bound, err := b.expression(s.within(clauseDistinct), node)
			if err != nil {
				return err
			}
			place = query.target(bound, locationOf(node))
		}
		if err := b.checkEquality(query.Targets[place].Expression.Type()); err != nil {
			return err
		}
		query.DistinctOn = append(query.DistinctOn, place)
	}
	for i, key := range query.OrderBy {
		if i >= len(query.DistinctOn) {
			break
		}
		if !containsPlace(query.DistinctOn, key.Target) {
			return b.errorAt(locationOf(clause[i]), pgerror.InvalidColumnReference, "SELECT DISTINCT ON expressions must match initial ORDER BY expressions")
		}
	}
	return nil
}

func containsPlace(places []int, place int) bool {
	for _, other := range places {
		if other == place {
			return true
		}
	}
	return false
}

func (b *binder) checkEquality(of relation.Type) error {
	if of.OID == relation.RecordOID || of.OID == relation.UnknownOID || function.HasEquality(of.OID) {
		return nil
	}
	return function.NoEquality(of)
}
