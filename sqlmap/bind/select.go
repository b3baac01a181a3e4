package bind

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
)

// What becomes of result columns of unknown type: text, or left for whoever uses the query.
const (
	keepUnknowns    = false
	resolveUnknowns = true
)

// query binds a SELECT, VALUES or set operation below the scope around it.
func (b *binder) query(node *pg_query.SelectStmt, parent *scope, unknowns bool) (*Query, error) {
	if node == nil {
		return nil, pgerror.Unsupported("this kind of query")
	}
	if err := b.enter(); err != nil {
		return nil, err
	}
	defer b.leave()
	if node.IntoClause != nil {
		return nil, b.errorAt(int(node.IntoClause.Rel.GetLocation()), pgerror.SyntaxError, "SELECT ... INTO is not allowed here")
	}
	query := &Query{}
	s := newScope(parent, query)
	if err := b.with(s, node.WithClause); err != nil {
		return nil, err
	}
	var err error
	switch {
	case node.Op != pg_query.SetOperation_SETOP_NONE:
		err = b.setOperation(s, query, node, unknowns)
	case len(node.ValuesLists) > 0:
		err = b.values(s, query, node, unknowns)
	default:
		err = b.plainSelect(s, query, node, unknowns)
	}
	if err != nil {
		return nil, err
	}
	if len(query.Columns) > maximumColumns {
		return nil, pgerror.New(pgerror.TooManyColumns, "target lists can have at most %d entries", maximumColumns)
	}
	if err := b.limits(s, query, node); err != nil {
		return nil, err
	}
	return query, b.locking(s, query, node.LockingClause)
}

func (b *binder) plainSelect(s *scope, query *Query, node *pg_query.SelectStmt, unknowns bool) error {
	var err error
	if query.From, err = b.from(s, node.FromClause); err != nil {
		return err
	}
	if err = b.windowClause(s, query, node.WindowClause); err != nil {
		return err
	}
	if query.Targets, err = b.targets(s.within(clauseSelect), node.TargetList); err != nil {
		return err
	}
	if node.WhereClause != nil {
		if query.Where, err = b.condition(s.within(clauseWhere), node.WhereClause, "WHERE"); err != nil {
			return err
		}
	}
	if node.HavingClause != nil {
		query.Grouped = true
		if query.Having, err = b.condition(s.within(clauseHaving), node.HavingClause, "HAVING"); err != nil {
			return err
		}
	}
	query.Visible = len(query.Targets)
	if err = b.orderBy(s, query, node.SortClause); err != nil {
		return err
	}
	if err = b.groupBy(s, query, node); err != nil {
		return err
	}
	if unknowns {
		if err = b.resolveTargets(query); err != nil {
			return err
		}
	}
	if err = b.distinct(s, query, node.DistinctClause); err != nil {
		return err
	}
	if len(query.Aggregates) > 0 || len(query.GroupBy) > 0 || len(query.GroupingSets) > 0 {
		query.Grouped = true
	}
	if query.Grouped {
		if err = b.checkGrouping(s, query); err != nil {
			return err
		}
	}
	query.Columns = make([]SourceColumn, query.Visible)
	for i := range query.Columns {
		target := &query.Targets[i]
		query.Columns[i] = target.Column
		query.Columns[i].Name, query.Columns[i].Type = target.Name, target.Expression.Type()
	}
	return nil
}

// resolveTargets gives result columns of unknown type the type text.
func (b *binder) resolveTargets(query *Query) error {
	for i := range query.Targets {
		target := &query.Targets[i]
		if target.Expression.Type().OID != relation.UnknownOID {
			continue
		}
		resolved, err := b.coerceImplicit(target.Expression, relation.TextType, "SELECT", -1)
		if err != nil {
			return err
		}
		target.Expression = resolved
	}
	return nil
}

// condition binds an expression that must be bool.
func (b *binder) condition(s *scope, node *pg_query.Node, construct string) (Expression, error) {
	bound, err := b.expression(s, node)
	if err != nil {
		return nil, err
	}
	return b.coerceToBool(bound, construct, locationOf(node))
}

// targets binds a select list.
func (b *binder) targets(s *scope, list []*pg_query.Node) ([]Target, error) {
	targets := make([]Target, 0, len(list))
	for _, node := range list {
		target := node.GetResTarget()
		if reference := target.Val.GetColumnRef(); reference != nil {
			if isStar(reference.Fields) {
				expanded, err := b.star(s, reference)
				if err != nil {
					return nil, err
				}
				targets = append(targets, expanded...)
				continue
			}
			column, err := b.columnReference(s, reference)
			if err != nil {
				return nil, err
			}
			bound := Target{Name: target.Name, Expression: column.expression, Column: column.column}
			if bound.Name == "" {
				bound.Name = nameOfExpression(target.Val)
			}
			targets = append(targets, bound)
			continue
		}
		if indirection := target.Val.GetAIndirection(); indirection != nil && isStar(indirection.Indirection) {
			expanded, err := b.recordStar(s, indirection)
			if err != nil {
				return nil, err
			}
			targets = append(targets, expanded...)
			continue
		}
		bound, err := b.expression(s, target.Val)
		if err != nil {
			return nil, err
		}
		name := target.Name
		if name == "" {
			name = nameOfExpression(target.Val)
		}
		targets = append(targets, Target{Name: name, Expression: bound})
	}
	return targets, nil
}

func isStar(fields []*pg_query.Node) bool { return fields[len(fields)-1].GetAStar() != nil }

// star expands "*" and "table.*".
func (b *binder) star(s *scope, reference *pg_query.ColumnRef) ([]Target, error) {
	location := int(reference.Location)
	var columns []nameColumn
	if len(reference.Fields) == 1 {
		if len(s.names) == 0 {
			return nil, b.errorAt(location, pgerror.SyntaxError, "SELECT * with no tables specified is not valid")
		}
		columns = bareColumns(s.names)
	} else {
		schema, alias, err := b.qualifier(reference.Fields[:len(reference.Fields)-1], location)
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
		columns = item.columns
	}
	targets := make([]Target, len(columns))
	for i := range columns {
		targets[i] = Target{Name: columns[i].name, Expression: columns[i].expression, Column: columns[i].column}
	}
	return targets, nil
}

// qualifier takes apart the names before a column's.
func (b *binder) qualifier(fields []*pg_query.Node, location int) (schema, alias string, err error) {
	names := make([]string, len(fields))
	for i, field := range fields {
		names[i] = field.GetString_().GetSval()
	}
	switch len(names) {
	case 1:
		return "", names[0], nil
	case 2:
		return names[0], names[1], nil
	case 3:
		if names[0] == b.environment.FunctionContext().Database {
			return names[1], names[2], nil
		}
		return "", "", b.errorAt(location, pgerror.FeatureNotSupported, "cross-database references are not implemented: %s",
			strings.Join(names, "."))
	}
	return "", "", b.errorAt(location, pgerror.SyntaxError, "improper qualified name (too many dotted names): %s", strings.Join(names, "."))
}

// recordStar expands "(expression).*".
func (b *binder) recordStar(s *scope, node *pg_query.A_Indirection) ([]Target, error) {
	inner := node.Arg
	if len(node.Indirection) > 1 {
		inner = &pg_query.Node{Node: &pg_query.Node_AIndirection{AIndirection: &pg_query.A_Indirection{
			Arg: node.Arg, Indirection: node.Indirection[:len(node.Indirection)-1]}}}
	}
	record, err := b.expression(s, inner)
	if err != nil {
		return nil, err
	}
	fields := fieldsOf(record)
	if fields == nil {
		return nil, b.errorAt(locationOf(inner), pgerror.WrongObjectType, "type %s is not composite", typeName(record.Type()))
	}
	targets := make([]Target, len(fields))
	for i := range fields {
		targets[i] = Target{Name: fields[i].Name, Expression: fieldOf(record, fields, i)}
	}
	return targets, nil
}

// limits binds LIMIT and OFFSET.
func (b *binder) limits(s *scope, query *Query, node *pg_query.SelectStmt) error {
	var err error
	if query.Limit, err = b.limit(s, clauseLimit, node.LimitCount); err != nil {
		return err
	}
	if query.Offset, err = b.limit(s, clauseOffset, node.LimitOffset); err != nil {
		return err
	}
	query.WithTies = node.LimitOption == pg_query.LimitOption_LIMIT_OPTION_WITH_TIES
	if query.WithTies && len(query.OrderBy) == 0 {
		return pgerror.New(pgerror.SyntaxError, "WITH TIES cannot be specified without ORDER BY clause")
	}
	return nil
}

func (b *binder) limit(s *scope, clause *clause, node *pg_query.Node) (Expression, error) {
	if node == nil || node.GetAConst().GetIsnull() {
		return nil, nil
	}
	bound, err := b.expression(s.within(clause), node)
	if err != nil {
		return nil, err
	}
	if usesSources(bound, s.level.sources) {
		return nil, b.errorAt(locationOf(node), pgerror.InvalidColumnReference, "argument of %s must not contain variables", clause.name)
	}
	return b.coerceAssignable(bound, relation.Int8Type, clause.name, locationOf(node))
}

// values binds a VALUES list.
func (b *binder) values(s *scope, query *Query, node *pg_query.SelectStmt, unknowns bool) error {
	rows := make([][]Expression, len(node.ValuesLists))
	inner := s.within(clauseValues)
	for i, list := range node.ValuesLists {
		items := list.GetList().GetItems()
		if i > 0 && len(items) != len(rows[0]) {
			return b.errorAt(locationOf(node.ValuesLists[i]), pgerror.SyntaxError, "VALUES lists must all be the same length")
		}
		rows[i] = make([]Expression, len(items))
		for j, item := range items {
			if item.GetSetToDefault() != nil {
				return b.errorAt(int(item.GetSetToDefault().Location), pgerror.SyntaxError, "DEFAULT is not allowed in this context")
			}
			bound, err := b.expression(inner, item)
			if err != nil {
				return err
			}
			rows[i][j] = bound
		}
	}
	if len(s.level.query.SetCalls) > 0 {
		return pgerror.New(pgerror.FeatureNotSupported, "set-returning functions are not allowed in VALUES")
	}
	query.Columns = make([]SourceColumn, len(rows[0]))
	for j := range query.Columns {
		column := make([]Expression, len(rows))
		for i := range rows {
			column[i] = rows[i][j]
		}
		of, err := b.commonOutputType(column, "VALUES", locationOf(node.ValuesLists[0].GetList().Items[j]), unknowns)
		if err != nil {
			return err
		}
		for i := range rows {
			if rows[i][j], err = b.coerceImplicit(rows[i][j], of, "VALUES", -1); err != nil {
				return err
			}
		}
		query.Columns[j] = SourceColumn{Name: "column" + decimal(j+1), Type: of}
	}
	query.Values = rows
	return b.outputOrder(s, query, node.SortClause)
}
