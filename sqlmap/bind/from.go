package bind

import (
	"fmt"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
)

// from binds a FROM clause: a list of items, joined one after the other.
func (b *binder) from(s *scope, list []*pg_query.Node) (Item, error) {
	var result Item
	for _, node := range list {
		mark := len(s.names)
		item, err := b.fromItem(s, node)
		if err != nil {
			return nil, err
		}
		if err := b.checkAliases(s, mark); err != nil {
			return nil, err
		}
		if result == nil {
			result = item
		} else {
			result = &Join{Kind: InnerJoin, Left: result, Right: item}
		}
	}
	return result, nil
}

// checkAliases refuses an alias among the names from mark on that an earlier one has.
func (b *binder) checkAliases(s *scope, mark int) error {
	for i := mark; i < len(s.names); i++ {
		for j := 0; j < i; j++ {
			left, right := s.names[i], s.names[j]
			if !left.named || !right.named || left.alias != right.alias {
				continue
			}
			if left.source != nil && right.source != nil && left.source.Relation != nil && right.source.Relation != nil &&
				left.source.Relation.Definition().Name == left.alias && right.source.Relation.Definition().Name == right.alias &&
				left.schema != right.schema {
				continue // a.t and b.t may stand side by side
			}
			return pgerror.New(pgerror.DuplicateAlias, "table name \"%s\" specified more than once", left.alias)
		}
	}
	return nil
}

// fromItem binds one item and adds its names to the scope.
func (b *binder) fromItem(s *scope, node *pg_query.Node) (Item, error) {
	if err := b.enter(); err != nil {
		return nil, err
	}
	defer b.leave()
	switch n := node.GetNode().(type) {
	case *pg_query.Node_RangeVar:
		return b.rangeVariable(s, n.RangeVar)
	case *pg_query.Node_RangeSubselect:
		return b.rangeSubquery(s, n.RangeSubselect)
	case *pg_query.Node_RangeFunction:
		return b.rangeFunction(s, n.RangeFunction)
	case *pg_query.Node_JoinExpr:
		return b.join(s, n.JoinExpr)
	case *pg_query.Node_RangeTableSample:
		return nil, b.unsupportedAt(int(n.RangeTableSample.Location), "TABLESAMPLE")
	case *pg_query.Node_RangeTableFunc:
		return nil, b.unsupportedAt(int(n.RangeTableFunc.Location), "XMLTABLE")
	case *pg_query.Node_JsonTable:
		return nil, b.unsupportedAt(int(n.JsonTable.Location), "JSON_TABLE")
	}
	return nil, pgerror.Unsupported(fmt.Sprintf("FROM item %T", node.GetNode()))
}

func (b *binder) addSource(s *scope, source *Source) {
	s.level.sources[source] = true
	s.names = append(s.names, nameOf(source))
}

func (b *binder) rangeVariable(s *scope, node *pg_query.RangeVar) (Item, error) {
	if node.Schemaname == "" {
		for i := len(s.commons) - 1; i >= 0; i-- {
			if s.commons[i].Name == node.Relname {
				return b.commonReference(s, s.commons[i], node)
			}
		}
	}
	found, err := b.relation(node)
	if err != nil {
		return nil, err
	}
	b.use(found, Reads)
	source := sourceOf(found, node.Relname)
	if err := b.applyAlias(source, node.Alias); err != nil {
		return nil, err
	}
	b.addSource(s, source)
	return &Table{Source: source}, nil
}

// relation finds the relation that a name in the statement means.
func (b *binder) relation(node *pg_query.RangeVar) (relation.Relation, error) {
	if node.Catalogname != "" && node.Catalogname != b.environment.FunctionContext().Database {
		return nil, b.errorAt(int(node.Location), pgerror.FeatureNotSupported, "cross-database references are not implemented: \"%s.%s.%s\"",
			node.Catalogname, node.Schemaname, node.Relname)
	}
	found, err := b.environment.Relation(b.ctx, node.Schemaname, node.Relname)
	if pgerror.HasCode(err, pgerror.InsufficientPrivilege) {
		return nil, b.at(err, int(node.Location))
	}
	if err != nil {
		return nil, err
	}
	if found == nil {
		name := node.Relname
		if node.Schemaname != "" {
			name = node.Schemaname + "." + name
		}
		return nil, b.errorAt(int(node.Location), pgerror.UndefinedTable, "relation \"%s\" does not exist", name)
	}
	return found, nil
}

// sourceOf makes the source of a relation.
func sourceOf(found relation.Relation, alias string) *Source {
	definition := found.Definition()
	source := &Source{Alias: alias, Relation: found, Columns: make([]SourceColumn, len(definition.Columns))}
	for i := range definition.Columns {
		column := &definition.Columns[i]
		source.Columns[i] = SourceColumn{Name: column.Name, Type: column.Type, TableOID: definition.OID, Number: column.Number}
	}
	return source
}

// applyAlias renames a source and, from the left, its columns.
func (b *binder) applyAlias(source *Source, alias *pg_query.Alias) error {
	if alias == nil {
		return nil
	}
	source.Alias = alias.Aliasname
	if len(alias.Colnames) > len(source.Columns) {
		return pgerror.New(pgerror.InvalidColumnReference, "table \"%s\" has %d columns available but %d columns specified",
			alias.Aliasname, len(source.Columns), len(alias.Colnames))
	}
	for i, name := range alias.Colnames {
		source.Columns[i].Name = name.GetString_().GetSval()
	}
	return nil
}

func (b *binder) commonReference(s *scope, common *Common, node *pg_query.RangeVar) (Item, error) {
	common.References++
	if common.Columns == nil {
		if common.Change != nil {
			return nil, b.errorAt(int(node.Location), pgerror.FeatureNotSupported,
				"WITH query \"%s\" does not have a RETURNING clause", common.Name)
		}
		return nil, b.errorAt(int(node.Location), pgerror.InvalidRecursion,
			"recursive reference to query \"%s\" must not appear within its non-recursive term", common.Name)
	}
	source := &Source{Alias: node.Relname, Columns: append([]SourceColumn(nil), common.Columns...)}
	if err := b.applyAlias(source, node.Alias); err != nil {
		return nil, err
	}
	b.addSource(s, source)
	return &CommonReference{Source: source, Common: common}, nil
}

func (b *binder) rangeSubquery(s *scope, node *pg_query.RangeSubselect) (Item, error) {
	parent := b.lateralScope(s, node.Lateral)
	query, err := b.query(node.Subquery.GetSelectStmt(), parent, resolveUnknowns)
	if err != nil {
		return nil, err
	}
	source := &Source{Columns: append([]SourceColumn(nil), query.Columns...)}
	if err := b.applyAlias(source, node.Alias); err != nil {
		return nil, err
	}
	b.addSource(s, source)
	return &Derived{Source: source, Query: query, Lateral: node.Lateral}, nil
}

// lateralScope is the scope around an item of FROM: with the items before it when it is LATERAL.
func (b *binder) lateralScope(s *scope, lateral bool) *scope {
	outer := *s
	outer.clause = clauseFunctions
	if !lateral {
		outer.hidden, outer.names = s.names, nil
	}
	return &outer
}

func (b *binder) join(s *scope, node *pg_query.JoinExpr) (Item, error) {
	mark := len(s.names)
	left, err := b.fromItem(s, node.Larg)
	if err != nil {
		return nil, err
	}
	middle := len(s.names)
	right, err := b.fromItem(s, node.Rarg)
	if err != nil {
		return nil, err
	}
	if err := b.checkAliases(s, middle); err != nil {
		return nil, err
	}
	join := &Join{Left: left, Right: right}
	switch node.Jointype {
	case pg_query.JoinType_JOIN_INNER:
		join.Kind = InnerJoin
	case pg_query.JoinType_JOIN_LEFT:
		join.Kind = LeftJoin
	case pg_query.JoinType_JOIN_RIGHT:
		join.Kind = RightJoin
	case pg_query.JoinType_JOIN_FULL:
		join.Kind = FullJoin
	default:
		return nil, pgerror.Unsupported(node.Jointype.String())
	}
	names, err := b.joinNames(s, node, join, mark, middle)
	if err != nil {
		return nil, err
	}
	if node.Quals != nil {
		on := s.within(clauseJoin)
		on.names, on.hidden = s.names[mark:], s.names[:mark]
		if join.On, err = b.condition(on, node.Quals, "JOIN/ON"); err != nil {
			return nil, err
		}
	}
	s.names = append(s.names[:mark:mark], names...)
	return join, nil
}

// joinNames gives the items by which the result of a join is named, and makes the condition of USING and NATURAL.
func (b *binder) joinNames(s *scope, node *pg_query.JoinExpr, join *Join, mark, middle int) ([]*nameItem, error) {
	left, right := bareColumns(s.names[mark:middle]), bareColumns(s.names[middle:])
	var using []string
	if node.IsNatural {
		for i := range left {
			for j := range right {
				if left[i].name == right[j].name {
					using = append(using, left[i].name)
					break
				}
			}
		}
	}
	for _, name := range node.UsingClause {
		using = append(using, name.GetString_().GetSval())
	}
	inside := s.names[mark:]
	if len(using) == 0 && node.Alias == nil {
		return inside, nil
	}
	merged, err := b.mergeColumns(s, join, using, left, right)
	if err != nil {
		return nil, err
	}
	whole := &nameItem{bare: true, columns: append([]nameColumn(nil), merged...)}
	for _, columns := range [][]nameColumn{left, right} {
		for i := range columns {
			if !contains(using, columns[i].name) {
				whole.columns = append(whole.columns, columns[i])
			}
		}
	}
	if node.Alias != nil {
		whole.alias, whole.named = node.Alias.Aliasname, true
		if len(node.Alias.Colnames) > len(whole.columns) {
			return nil, pgerror.New(pgerror.SyntaxError, "column alias list for \"%s\" has too many entries", whole.alias)
		}
		for i, name := range node.Alias.Colnames {
			whole.columns[i].name = name.GetString_().GetSval()
		}
		return []*nameItem{whole}, nil
	}
	names := make([]*nameItem, 0, len(inside)+2)
	for _, item := range inside {
		if item.named {
			hidden := *item
			hidden.bare = false
			names = append(names, &hidden)
		}
	}
	if node.JoinUsingAlias != nil {
		names = append(names, &nameItem{alias: node.JoinUsingAlias.Aliasname, named: true, columns: merged})
	}
	return append(names, whole), nil
}

// mergeColumns makes the common columns of USING and adds their equality to the join's condition.
func (b *binder) mergeColumns(s *scope, join *Join, using []string, left, right []nameColumn) ([]nameColumn, error) {
	var merged []nameColumn
	var conditions []Expression
	for _, name := range using {
		leftColumn, err := b.usingColumn(left, name, "left")
		if err != nil {
			return nil, err
		}
		rightColumn, err := b.usingColumn(right, name, "right")
		if err != nil {
			return nil, err
		}
		equal, err := b.operator(s, "=", leftColumn.expression, rightColumn.expression, -1)
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, equal)
		common, err := b.commonType([]Expression{leftColumn.expression, rightColumn.expression}, "JOIN/USING", -1)
		if err != nil {
			return nil, err
		}
		column := nameColumn{name: name, column: SourceColumn{Name: name, Type: common}}
		leftValue, err := b.coerceImplicit(leftColumn.expression, common, "JOIN/USING", -1)
		if err != nil {
			return nil, err
		}
		rightValue, err := b.coerceImplicit(rightColumn.expression, common, "JOIN/USING", -1)
		if err != nil {
			return nil, err
		}
		switch join.Kind {
		case FullJoin:
			column.expression = &Coalesce{Arguments: []Expression{leftValue, rightValue}, Of: common}
		case RightJoin:
			column.expression = rightValue
			if rightValue == rightColumn.expression {
				column.column = rightColumn.column
			}
		default:
			column.expression = leftValue
			if leftValue == leftColumn.expression {
				column.column = leftColumn.column
			}
		}
		column.column.Name = name
		merged = append(merged, column)
	}
	join.On = conjunction(conditions)
	return merged, nil
}

func (b *binder) usingColumn(columns []nameColumn, name, side string) (*nameColumn, error) {
	var found *nameColumn
	for i := range columns {
		if columns[i].name != name {
			continue
		}
		if found != nil {
			return nil, pgerror.New(pgerror.AmbiguousColumn, "common column name \"%s\" appears more than once in %s table", name, side)
		}
		found = &columns[i]
	}
	if found == nil {
		return nil, pgerror.New(pgerror.UndefinedColumn, "column \"%s\" specified in USING clause does not exist in %s table", name, side)
	}
	return found, nil
}

// bareColumns are the columns that "*" gives.
func bareColumns(items []*nameItem) []nameColumn {
	var columns []nameColumn
	for _, item := range items {
		if item.bare {
			columns = append(columns, item.columns...)
		}
	}
	return columns
}

func contains(names []string, name string) bool {
	for _, other := range names {
		if other == name {
			return true
		}
	}
	return false
}

// conjunction joins conditions by AND; nil for none.
func conjunction(conditions []Expression) Expression {
	switch len(conditions) {
	case 0:
		return nil
	case 1:
		return conditions[0]
	}
	return &Logic{Arguments: conditions}
}
