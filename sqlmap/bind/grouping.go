package bind

import (
	"math/bits"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
)

// maximumGroupingSets bounds what ROLLUP and CUBE expand to, as PostgreSQL does.
const maximumGroupingSets = 4096

// groupBy binds GROUP BY with its grouping sets.
func (b *binder) groupBy(s *scope, query *Query, node *pg_query.SelectStmt) error {
	if len(node.GroupClause) == 0 {
		return nil
	}
	query.Grouped = true
	sets := [][]int{{}}
	special := false
	for _, item := range node.GroupClause {
		alternatives, err := b.groupItem(s, query, item)
		if err != nil {
			return err
		}
		special = special || item.GetGroupingSet() != nil
		if len(sets)*len(alternatives) > maximumGroupingSets {
			return pgerror.New(pgerror.StatementTooComplex, "too many grouping sets present (maximum %d)", maximumGroupingSets)
		}
		product := make([][]int, 0, len(sets)*len(alternatives))
		for _, set := range sets {
			for _, alternative := range alternatives {
				product = append(product, union(set, alternative))
			}
		}
		sets = product
	}
	if node.GroupDistinct {
		sets = distinctSets(sets)
	}
	if special {
		query.GroupingSets = sets
	}
	return nil
}

// groupItem gives the grouping sets of one item of GROUP BY.
func (b *binder) groupItem(s *scope, query *Query, node *pg_query.Node) ([][]int, error) {
	set := node.GetGroupingSet()
	if set == nil {
		places, err := b.groupExpressions(s, query, node)
		return [][]int{places}, err
	}
	if set.Kind == pg_query.GroupingSetKind_GROUPING_SET_EMPTY {
		return [][]int{{}}, nil
	}
	var parts [][][]int
	for _, content := range set.Content {
		part, err := b.groupItem(s, query, content)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	var result [][]int
	switch set.Kind {
	case pg_query.GroupingSetKind_GROUPING_SET_ROLLUP:
		for length := len(parts); length >= 0; length-- {
			prefix := []int{}
			for _, part := range parts[:length] {
				prefix = union(prefix, part[0])
			}
			result = append(result, prefix)
		}
	case pg_query.GroupingSetKind_GROUPING_SET_CUBE:
		if bits.Len(maximumGroupingSets) <= len(parts) {
			return nil, b.errorAt(int(set.Location), pgerror.TooManyColumns, "CUBE is limited to %d elements", bits.Len(maximumGroupingSets)-1)
		}
		for mask := 1<<len(parts) - 1; mask >= 0; mask-- {
			chosen := []int{}
			for i, part := range parts {
				if mask&(1<<(len(parts)-1-i)) != 0 {
					chosen = union(chosen, part[0])
				}
			}
			result = append(result, chosen)
		}
	default:
		for _, part := range parts {
			result = append(result, part...)
		}
	}
	return result, nil
}

// groupExpressions binds a grouping expression, or several in parentheses, and gives their places in query.GroupBy.
func (b *binder) groupExpressions(s *scope, query *Query, node *pg_query.Node) ([]int, error) {
	if row := node.GetRowExpr(); row != nil && row.RowFormat == pg_query.CoercionForm_COERCE_IMPLICIT_CAST {
		var places []int
		for _, argument := range row.Args {
			inner, err := b.groupExpressions(s, query, argument)
			if err != nil {
				return nil, err
			}
			places = union(places, inner)
		}
		return places, nil
	}
	place, err := b.outputTarget(s, query, node, "GROUP BY", true)
	if err != nil {
		return nil, err
	}
	var bound Expression
	if place >= 0 {
		bound = query.Targets[place].Expression
		if call := findAggregate(bound, s.level); call != nil {
			return nil, b.errorAt(locationOf(node), pgerror.GroupingError, "aggregate functions are not allowed in GROUP BY")
		}
	} else if bound, err = b.expression(s.within(clauseGroup), node); err != nil {
		return nil, err
	}
	if bound.Type().OID == relation.UnknownOID {
		if bound, err = b.coerceImplicit(bound, relation.TextType, "GROUP BY", locationOf(node)); err != nil {
			return nil, err
		}
		if place >= 0 {
			query.Targets[place].Expression = bound
		}
	}
	if err := b.checkEquality(bound.Type()); err != nil {
		return nil, b.at(err, locationOf(node))
	}
	for i, other := range query.GroupBy {
		if SameExpression(other, bound) {
			return []int{i}, nil
		}
	}
	query.GroupBy = append(query.GroupBy, bound)
	return []int{len(query.GroupBy) - 1}, nil
}

func union(left, right []int) []int {
	result := append([]int{}, left...)
	for _, place := range right {
		if !containsPlace(result, place) {
			result = append(result, place)
		}
	}
	return result
}

func distinctSets(sets [][]int) [][]int {
	var result [][]int
	for _, set := range sets {
		known := false
		for _, other := range result {
			known = known || len(other) == len(set) && len(union(other, set)) == len(set)
		}
		if !known {
			result = append(result, set)
		}
	}
	return result
}

// checkGrouping checks that a grouped query uses columns only as grouping expressions or in aggregates. Columns that
// depend on a primary key among the grouping expressions join them.
func (b *binder) checkGrouping(s *scope, query *Query) error {
	if err := b.checkGroupingCalls(s, query); err != nil {
		return err
	}
	for i := range query.Targets {
		if err := b.checkGrouped(s, query, query.Targets[i].Expression); err != nil {
			return err
		}
	}
	if query.Having != nil {
		return b.checkGrouped(s, query, query.Having)
	}
	return nil
}

func (b *binder) checkGrouped(s *scope, query *Query, expression Expression) error {
	var failure error
	var visit func(Expression) bool
	visit = func(e Expression) bool {
		if failure != nil {
			return false
		}
		for _, group := range query.GroupBy {
			if SameExpression(group, e) {
				return false
			}
		}
		switch e := e.(type) {
		case *AggregateCall:
			for _, own := range query.Aggregates {
				if own == e {
					return false
				}
			}
		case *WindowCall:
			window := query.Windows[e.Over]
			for _, part := range window.PartitionBy {
				Walk(part, visit)
			}
			for _, key := range window.OrderBy {
				Walk(key.Expression, visit)
			}
		case *Column:
			if s.level.sources[e.Source] && !b.dependsOnKey(query, e) {
				failure = b.ungrouped(query, e)
			}
		}
		return true
	}
	Walk(expression, visit)
	return failure
}

// dependsOnKey tells whether the primary key of the column's table is grouped by, and then groups by the column too.
func (b *binder) dependsOnKey(query *Query, column *Column) bool {
	if column.Source.Relation == nil || len(query.GroupingSets) > 0 {
		return false
	}
	for _, constraint := range column.Source.Relation.Definition().Constraints {
		if constraint.Kind != relation.PrimaryKey {
			continue
		}
		grouped := 0
		for _, ordinal := range constraint.Columns {
			for _, group := range query.GroupBy {
				if other, ok := group.(*Column); ok && other.Source == column.Source && other.Ordinal == ordinal {
					grouped++
					break
				}
			}
		}
		if grouped == len(constraint.Columns) {
			query.GroupBy = append(query.GroupBy, column)
			return true
		}
	}
	return false
}

func (b *binder) ungrouped(query *Query, column *Column) error {
	name := columnName(column)
	if column.Source.Alias != "" {
		name = column.Source.Alias + "." + name
	}
	return b.errorAt(int(column.Location), pgerror.GroupingError,
		"column \"%s\" must appear in the GROUP BY clause or be used in an aggregate function", name)
}

// checkGroupingCalls finds the grouping expressions that GROUPING means.
func (b *binder) checkGroupingCalls(s *scope, query *Query) error {
	for call, arguments := range b.groupingCalls[query] {
		for n, argument := range arguments {
			place := -1
			for i, group := range query.GroupBy {
				if SameExpression(group, argument) {
					place = i
				}
			}
			if place < 0 {
				return b.errorAt(call.locations[n], pgerror.GroupingError, "arguments to GROUPING must be grouping expressions of the associated query level")
			}
			call.Arguments = append(call.Arguments, place)
		}
	}
	return nil
}

func columnName(column *Column) string {
	switch column.Ordinal {
	case IdentityOrdinal:
		return "ctid"
	case TableOrdinal:
		return "tableoid"
	}
	return column.Source.Columns[column.Ordinal].Name
}

// findAggregate finds an aggregate of the level in an expression.
func findAggregate(expression Expression, level *level) *AggregateCall {
	var found *AggregateCall
	Walk(expression, func(e Expression) bool {
		if call, ok := e.(*AggregateCall); ok {
			for _, own := range level.query.Aggregates {
				if own == call {
					found = call
				}
			}
		}
		return found == nil
	})
	return found
}
