package bind

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
)

// changed begins an UPDATE or DELETE: the scope with the target table, and the query that finds its rows.
func (b *binder) changed(node *pg_query.RangeVar, with *pg_query.WithClause, from []*pg_query.Node, where *pg_query.Node,
	parent *scope) (*scope, *Statement, error) {
	query := &Query{}
	s := newScope(parent, query)
	if err := b.with(s, with); err != nil {
		return nil, nil, err
	}
	target, err := b.writable(node)
	if err != nil {
		return nil, nil, err
	}
	source := sourceOf(target, node.Relname)
	if err := b.applyAlias(source, node.Alias); err != nil {
		return nil, nil, err
	}
	b.addSource(s, source)
	query.From = &Table{Source: source}
	others, err := b.from(s, from)
	if err != nil {
		return nil, nil, err
	}
	if others != nil {
		query.From = &Join{Kind: InnerJoin, Left: query.From, Right: others}
	}
	if where != nil {
		if where.GetCurrentOfExpr() != nil {
			return nil, nil, pgerror.Unsupported("WHERE CURRENT OF")
		}
		if query.Where, err = b.condition(s.within(clauseWhere), where, "WHERE"); err != nil {
			return nil, nil, err
		}
	}
	query.Targets = append(query.Targets, Target{Name: "ctid",
		Expression: &Column{Source: source, Ordinal: IdentityOrdinal, Of: relation.TIDType}})
	for i := range source.Columns {
		query.Targets = append(query.Targets, Target{Name: source.Columns[i].Name,
			Expression: &Column{Source: source, Ordinal: i, Of: source.Columns[i].Type}})
	}
	change := &Change{Relation: target, Row: source}
	return s, &Statement{Query: query, Change: change}, nil
}

// finish closes the query of an UPDATE or DELETE once all its targets are known.
func (b *binder) finish(statement *Statement) {
	query := statement.Query
	query.Visible = len(query.Targets)
	query.Columns = make([]SourceColumn, query.Visible)
	for i := range query.Targets {
		query.Columns[i] = SourceColumn{Name: query.Targets[i].Name, Type: query.Targets[i].Expression.Type()}
	}
}

func (b *binder) update(node *pg_query.UpdateStmt, parent *scope) (*Statement, error) {
	s, statement, err := b.changed(node.Relation, node.WithClause, node.FromClause, node.WhereClause, parent)
	if err != nil {
		return nil, err
	}
	statement.Kind = Update
	change := statement.Change
	assigned, values, err := b.assignments(s.within(clauseUpdate), change.Relation.Definition(), node.TargetList)
	if err != nil {
		return nil, err
	}
	change.Assigned = assigned
	for i, value := range values {
		statement.Query.Targets = append(statement.Query.Targets,
			Target{Name: change.Relation.Definition().Columns[assigned[i]].Name, Expression: value})
	}
	if err := b.returning(s, statement, change.Row, node.ReturningList); err != nil {
		return nil, err
	}
	b.use(change.Relation, Updates|readsIf(node.WhereClause != nil || len(node.ReturningList) > 0 || readsRows(values)))
	b.finish(statement)
	return statement, nil
}

func (b *binder) delete(node *pg_query.DeleteStmt, parent *scope) (*Statement, error) {
	s, statement, err := b.changed(node.Relation, node.WithClause, node.UsingClause, node.WhereClause, parent)
	if err != nil {
		return nil, err
	}
	statement.Kind = Delete
	if err := b.returning(s, statement, statement.Change.Row, node.ReturningList); err != nil {
		return nil, err
	}
	b.use(statement.Change.Relation, Deletes|readsIf(node.WhereClause != nil || len(node.ReturningList) > 0))
	b.finish(statement)
	return statement, nil
}

// assignments binds a SET list.
func (b *binder) assignments(s *scope, definition *relation.Definition, list []*pg_query.Node) ([]int, []Expression, error) {
	var assigned []int
	var values []Expression
	for _, node := range list {
		target := node.GetResTarget()
		if len(target.Indirection) > 0 {
			return nil, nil, b.unsupportedAt(int(target.Location), "assignment to a part of a column")
		}
		ordinal, err := b.targetColumn(definition, target.Name, int(target.Location))
		if err != nil {
			return nil, nil, err
		}
		if containsPlace(assigned, ordinal) {
			return nil, nil, b.errorAt(-1, pgerror.SyntaxError, "multiple assignments to same column \"%s\"", target.Name)
		}
		value, err := b.assignment(s, &definition.Columns[ordinal], target.Val)
		if err != nil {
			return nil, nil, err
		}
		assigned, values = append(assigned, ordinal), append(values, value)
	}
	return assigned, values, nil
}

func (b *binder) assignment(s *scope, column *relation.Column, node *pg_query.Node) (Expression, error) {
	if multiple := node.GetMultiAssignRef(); multiple != nil {
		return b.multipleAssignment(s, column, multiple)
	}
	if node.GetSetToDefault() != nil {
		return b.defaultOf(column)
	}
	value, err := b.expression(s, node)
	if err != nil {
		return nil, err
	}
	return b.coerceToColumn(value, column, locationOf(node))
}

// multipleAssignment binds one column of SET (a, b) = ....
func (b *binder) multipleAssignment(s *scope, column *relation.Column, node *pg_query.MultiAssignRef) (Expression, error) {
	place, width := int(node.Colno)-1, int(node.Ncolumns)
	if row := node.Source.GetRowExpr(); row != nil {
		if len(row.Args) != width {
			return nil, b.errorAt(int(row.Location), pgerror.SyntaxError, "number of columns does not match number of values")
		}
		return b.assignment(s, column, row.Args[place])
	}
	link := node.Source.GetSubLink()
	if link == nil {
		return nil, b.errorAt(locationOf(node.Source), pgerror.FeatureNotSupported,
			"source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression")
	}
	inner := *s
	inner.clause = clauseSelect
	query, err := b.query(link.Subselect.GetSelectStmt(), &inner, resolveUnknowns)
	if err != nil {
		return nil, err
	}
	if len(query.Columns) != width {
		return nil, b.errorAt(int(link.Location), pgerror.SyntaxError, "number of columns does not match number of values")
	}
	source := &Source{Columns: query.Columns}
	only := &Query{From: &Derived{Source: source, Query: query}, Visible: 1, Columns: query.Columns[place : place+1],
		Targets: []Target{{Name: query.Columns[place].Name,
			Expression: &Column{Source: source, Ordinal: place, Of: query.Columns[place].Type}}}}
	value := &Subquery{Kind: ScalarSubquery, Query: only, Of: query.Columns[place].Type}
	return b.coerceToColumn(value, column, int(link.Location))
}

// returning binds RETURNING over the changed row and the other sources of the statement.
func (b *binder) returning(s *scope, statement *Statement, row *Source, list []*pg_query.Node) error {
	if len(list) == 0 {
		return nil
	}
	change := statement.Change
	inner := s.within(clauseReturning)
	if statement.Kind == Insert {
		inner = newScope(s.parent, &Query{}).within(clauseReturning)
		inner.commons = s.commons
		b.addSource(inner, row)
	}
	var err error
	if change.Returning, err = b.targets(inner, list); err != nil {
		return err
	}
	holder := &Query{Targets: change.Returning}
	if err := b.resolveTargets(holder); err != nil {
		return err
	}
	for i := range change.Returning {
		target := &change.Returning[i]
		column := target.Column
		column.Name, column.Type = target.Name, target.Expression.Type()
		statement.Columns = append(statement.Columns, column)
		Walk(target.Expression, func(e Expression) bool {
			reference, ok := e.(*Column)
			if !ok || !inner.level.sources[reference.Source] {
				return true
			}
			if reference.Source != row {
				b.addOther(statement, reference)
			} else if reference.Ordinal == IdentityOrdinal && statement.Kind == Insert {
				err = b.unsupportedAt(int(reference.Location), "ctid in the RETURNING of INSERT")
			}
			return true
		})
	}
	return err
}

// addOther makes the query of a change give a column that RETURNING reads.
func (b *binder) addOther(statement *Statement, column *Column) {
	for _, other := range statement.Change.Others {
		if SameExpression(other, column) {
			return
		}
	}
	statement.Change.Others = append(statement.Change.Others, column)
	statement.Query.Targets = append(statement.Query.Targets, Target{Name: columnName(column), Expression: column})
}
