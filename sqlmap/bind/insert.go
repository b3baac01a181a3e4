package bind

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/parse"
)

// writable finds the table that a statement changes.
func (b *binder) writable(node *pg_query.RangeVar) (relation.Writable, error) {
	found, err := b.relation(node)
	if err != nil {
		return nil, err
	}
	return b.asWritable(found)
}

func (b *binder) asWritable(found relation.Relation) (relation.Writable, error) {
	definition := found.Definition()
	writable, ok := found.(relation.Writable)
	if !ok || definition.Kind != relation.Table {
		switch {
		case definition.Schema == "pg_catalog":
			return nil, pgerror.New(pgerror.InsufficientPrivilege, "permission denied: \"%s\" is a system catalog", definition.Name)
		case definition.Kind == relation.View:
			return nil, pgerror.New(pgerror.ObjectNotInPrerequisiteState, "cannot change view \"%s\"", definition.Name)
		}
		return nil, pgerror.New(pgerror.WrongObjectType, "cannot change relation \"%s\"", definition.Name)
	}
	b.writes = append(b.writes, writable)
	return writable, nil
}

// insert binds INSERT.
func (b *binder) insert(node *pg_query.InsertStmt, parent *scope) (*Statement, error) {
	holder := &Query{}
	s := newScope(parent, holder)
	if err := b.with(s, node.WithClause); err != nil {
		return nil, err
	}
	target, err := b.writable(node.Relation)
	if err != nil {
		return nil, err
	}
	change := &Change{Relation: target, With: holder.With, Defaults: map[int]Expression{}}
	alias := node.Relation.Relname
	if node.Relation.Alias != nil {
		alias = node.Relation.Alias.Aliasname
	}
	change.Row = sourceOf(target, alias)
	statement := &Statement{Kind: Insert, Change: change}
	columns, err := b.insertColumns(target.Definition(), node.Cols)
	if err != nil {
		return nil, err
	}
	if statement.Query, err = b.insertRows(s, change, columns, node); err != nil {
		return nil, err
	}
	if err := b.fillDefaults(change); err != nil {
		return nil, err
	}
	if node.OnConflictClause != nil {
		if change.OnConflict, err = b.onConflict(s, change, node.OnConflictClause); err != nil {
			return nil, err
		}
	}
	if err := b.returning(s, statement, change.Row, node.ReturningList); err != nil {
		return nil, err
	}
	purpose := Inserts | readsIf(len(node.ReturningList) > 0 || node.OnConflictClause.GetInfer() != nil)
	if change.OnConflict != nil && change.OnConflict.Action == DoUpdate {
		purpose |= Updates
	}
	b.use(target, purpose)
	return statement, nil
}

// insertColumns gives the ordinals of the columns that an INSERT names, or of all.
func (b *binder) insertColumns(definition *relation.Definition, nodes []*pg_query.Node) ([]int, error) {
	if len(nodes) == 0 {
		columns := make([]int, len(definition.Columns))
		for i := range columns {
			columns[i] = i
		}
		return columns, nil
	}
	columns := make([]int, 0, len(nodes))
	for _, node := range nodes {
		target := node.GetResTarget()
		if len(target.Indirection) > 0 {
			return nil, b.unsupportedAt(int(target.Location), "assignment to a part of a column")
		}
		ordinal, err := b.targetColumn(definition, target.Name, int(target.Location))
		if err != nil {
			return nil, err
		}
		if containsPlace(columns, ordinal) {
			return nil, b.errorAt(int(target.Location), pgerror.DuplicateColumn, "column \"%s\" specified more than once", target.Name)
		}
		columns = append(columns, ordinal)
	}
	return columns, nil
}

func (b *binder) targetColumn(definition *relation.Definition, name string, location int) (int, error) {
	ordinal := definition.Ordinal(name)
	if ordinal < 0 {
		if _, _, system := systemColumn(name); system {
			return 0, b.errorAt(location, pgerror.FeatureNotSupported, "cannot assign to system column \"%s\"", name)
		}
		return 0, b.errorAt(location, pgerror.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, definition.Name)
	}
	return ordinal, nil
}

// insertRows binds the source of the rows; nil for DEFAULT VALUES.
func (b *binder) insertRows(s *scope, change *Change, columns []int, node *pg_query.InsertStmt) (*Query, error) {
	definition := change.Relation.Definition()
	source := node.SelectStmt.GetSelectStmt()
	if source == nil {
		return nil, nil
	}
	plain := len(source.ValuesLists) > 0 && source.SortClause == nil && source.LimitCount == nil && source.LimitOffset == nil &&
		source.WithClause == nil && len(source.LockingClause) == 0
	if plain {
		return b.insertValues(s, change, columns, node, source)
	}
	query, err := b.query(source, operandScope(s), keepUnknowns)
	if err != nil {
		return nil, err
	}
	if err := b.checkWidth(len(query.Columns), columns, node, func(i int) int { return firstTargetLocation(source) }); err != nil {
		return nil, err
	}
	change.Columns = columns[:len(query.Columns)]
	row := &Source{Columns: query.Columns}
	outer := &Query{From: &Derived{Source: row, Query: query}, Visible: len(query.Columns)}
	for i := range query.Columns {
		column := &definition.Columns[change.Columns[i]]
		if query.Columns[i].Type.OID == relation.UnknownOID {
			// A literal of the select list takes the type of the column that it goes to.
			wanted := append([]SourceColumn(nil), query.Columns...)
			wanted[i].Type = column.Type
			if err := b.convertColumns(query, wanted, "INSERT"); err != nil {
				return nil, err
			}
			row.Columns = query.Columns
		}
		var value Expression = &Column{Source: row, Ordinal: i, Of: query.Columns[i].Type}
		if value, err = b.coerceToColumn(value, column, firstTargetLocation(source)); err != nil {
			return nil, err
		}
		outer.Targets = append(outer.Targets, Target{Name: column.Name, Expression: value})
		outer.Columns = append(outer.Columns, SourceColumn{Name: column.Name, Type: column.Type})
	}
	return outer, nil
}

// insertValues binds VALUES directly: each value takes the type of its column, and DEFAULT is allowed.
func (b *binder) insertValues(s *scope, change *Change, columns []int, node *pg_query.InsertStmt, source *pg_query.SelectStmt) (*Query, error) {
	definition := change.Relation.Definition()
	inner := s.within(clauseValues)
	query := &Query{}
	for i, list := range source.ValuesLists {
		items := list.GetList().GetItems()
		if i == 0 {
			if err := b.checkWidth(len(items), columns, node, func(i int) int { return locationOf(items[i]) }); err != nil {
				return nil, err
			}
			change.Columns = columns[:len(items)]
			for _, ordinal := range change.Columns {
				query.Columns = append(query.Columns, SourceColumn{Name: definition.Columns[ordinal].Name, Type: definition.Columns[ordinal].Type})
			}
		} else if len(items) != len(change.Columns) {
			return nil, b.errorAt(locationOf(list), pgerror.SyntaxError, "VALUES lists must all be the same length")
		}
		row := make([]Expression, len(items))
		for j, item := range items {
			column := &definition.Columns[change.Columns[j]]
			var err error
			if item.GetSetToDefault() != nil {
				row[j], err = b.defaultOf(column)
			} else if row[j], err = b.expression(inner, item); err == nil {
				row[j], err = b.coerceToColumn(row[j], column, locationOf(item))
			}
			if err != nil {
				return nil, err
			}
		}
		query.Values = append(query.Values, row)
	}
	if calls := s.level.query.SetCalls; len(calls) > 0 {
		return nil, b.unsupportedAt(locationOf(source.ValuesLists[0]), "a set-returning function in the VALUES of INSERT")
	}
	return query, nil
}

// checkWidth compares the number of values with that of the columns.
func (b *binder) checkWidth(width int, columns []int, node *pg_query.InsertStmt, location func(int) int) error {
	if width > len(columns) {
		return b.errorAt(location(len(columns)), pgerror.SyntaxError, "INSERT has more expressions than target columns")
	}
	if width < len(columns) && len(node.Cols) > 0 {
		return b.errorAt(locationOf(node.Cols[width]), pgerror.SyntaxError, "INSERT has more target columns than expressions")
	}
	return nil
}

// fillDefaults binds the defaults of the columns that the source does not give.
func (b *binder) fillDefaults(change *Change) error {
	definition := change.Relation.Definition()
	for ordinal := range definition.Columns {
		column := &definition.Columns[ordinal]
		if column.Default == "" || containsPlace(change.Columns, ordinal) {
			continue
		}
		value, err := b.defaultOf(column)
		if err != nil {
			return err
		}
		if change.Defaults == nil {
			change.Defaults = map[int]Expression{}
		}
		change.Defaults[ordinal] = value
	}
	return nil
}

// defaultOf binds the default expression of a column; NULL when it has none.
func (b *binder) defaultOf(column *relation.Column) (Expression, error) {
	if column.Default == "" {
		return &Constant{Of: column.Type}, nil
	}
	statements, err := parse.Parse("SELECT " + column.Default)
	if err != nil {
		return nil, err
	}
	if len(statements) != 1 || len(statements[0].Tree.GetSelectStmt().GetTargetList()) != 1 {
		return nil, pgerror.New(pgerror.InternalError, "default of column \"%s\" is not one expression", column.Name)
	}
	outer := b.statement
	b.statement = &statements[0]
	defer func() { b.statement = outer }()
	tree := statements[0].Tree.GetSelectStmt().TargetList[0].GetResTarget().Val
	value, err := b.expression(newScope(nil, &Query{}).within(clauseDefault), tree)
	if err != nil {
		return nil, err
	}
	return b.coerceToColumn(value, column, -1)
}

// onConflict binds ON CONFLICT.
func (b *binder) onConflict(s *scope, change *Change, node *pg_query.OnConflictClause) (*OnConflict, error) {
	conflict := &OnConflict{}
	definition := change.Relation.Definition()
	var err error
	if conflict.Constraints, err = b.arbiters(definition, node); err != nil {
		return nil, err
	}
	if node.Action != pg_query.OnConflictAction_ONCONFLICT_UPDATE {
		return conflict, nil
	}
	if node.Infer == nil {
		return nil, b.errorAt(int(node.Location), pgerror.SyntaxError, "ON CONFLICT DO UPDATE requires inference specification or constraint name").
			WithHint("For example, ON CONFLICT (column_name).")
	}
	conflict.Action = DoUpdate
	conflict.Existing, conflict.Excluded = change.Row, sourceOf(change.Relation, "excluded")
	inner := newScope(s.parent, &Query{})
	inner.commons = s.commons
	inner.clause = clauseConflict
	b.addSource(inner, conflict.Existing)
	b.addSource(inner, conflict.Excluded)
	// Bare names mean the present row.
	inner.names[1].bare = false
	conflict.Assigned, conflict.Assignments, err = b.assignments(inner, definition, node.TargetList)
	if err != nil {
		return nil, err
	}
	if node.WhereClause != nil {
		conflict.Where, err = b.condition(inner, node.WhereClause, "WHERE")
	}
	return conflict, err
}

// arbiters finds the constraints that ON CONFLICT means.
func (b *binder) arbiters(definition *relation.Definition, node *pg_query.OnConflictClause) ([]relation.Constraint, error) {
	if node.Infer == nil {
		return definition.Constraints, nil
	}
	if node.Infer.Conname != "" {
		for _, constraint := range definition.Constraints {
			if constraint.Name == node.Infer.Conname {
				return []relation.Constraint{constraint}, nil
			}
		}
		return nil, b.errorAt(int(node.Infer.Location), pgerror.UndefinedObject, "constraint \"%s\" for table \"%s\" does not exist",
			node.Infer.Conname, definition.Name)
	}
	if node.Infer.WhereClause != nil {
		return nil, b.unsupportedAt(int(node.Infer.Location), "ON CONFLICT with a predicate")
	}
	var columns []int
	for _, element := range node.Infer.IndexElems {
		name := element.GetIndexElem().GetName()
		if name == "" {
			return nil, b.unsupportedAt(int(node.Infer.Location), "ON CONFLICT on an expression")
		}
		ordinal := definition.Ordinal(name)
		if ordinal < 0 {
			return nil, b.errorAt(int(node.Infer.Location), pgerror.UndefinedColumn, "column \"%s\" does not exist", name)
		}
		columns = union(columns, []int{ordinal})
	}
	for _, constraint := range definition.Constraints {
		if len(constraint.Columns) == len(columns) && len(union(columns, constraint.Columns)) == len(columns) {
			return []relation.Constraint{constraint}, nil
		}
	}
	return nil, pgerror.New(pgerror.InvalidColumnReference,
		"there is no unique or exclusion constraint matching the ON CONFLICT specification")
}
