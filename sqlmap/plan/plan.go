package plan

import (
	"context"

	"moraine/sqlmap/bind"
)

// Build plans a bound statement.
func Build(ctx context.Context, statement *bind.Statement) (*Plan, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b := &builder{used: map[columnKey]bool{}, commons: map[*bind.Common]*Common{}, inlined: map[*bind.Source][]bind.Target{},
		working: map[*bind.Common]bool{}}
	b.collectUsed(statement)
	root := b.statement(statement, nil)
	if b.failure != nil {
		return nil, b.failure
	}
	return &Plan{Kind: statement.Kind, Root: root, Columns: statement.Columns, Parameters: statement.Parameters,
		Outers: b.outers, Commons: b.commonID}, nil
}

// collectUsed notes the columns that anything in a statement reads, so that scans give those and no others.
func (b *builder) collectUsed(statement *bind.Statement) {
	note := func(e bind.Expression) bool {
		if column, ok := e.(*bind.Column); ok {
			b.used[columnKey{column.Source, column.Ordinal}] = true
		}
		return true
	}
	var collect func(*bind.Statement)
	collect = func(statement *bind.Statement) {
		bind.WalkQuery(statement.Query, note)
		b.collectChanges(statement.Query, collect)
		change := statement.Change
		if change == nil {
			return
		}
		for _, common := range change.With {
			bind.WalkQuery(common.Query, note)
			b.collectChanges(common.Query, collect)
			if common.Change != nil {
				collect(common.Change)
			}
		}
		for i := range change.Returning {
			bind.Walk(change.Returning[i].Expression, note)
		}
		for _, value := range change.Defaults {
			bind.Walk(value, note)
		}
		if conflict := change.OnConflict; conflict != nil {
			bind.Walk(conflict.Where, note)
			for _, value := range conflict.Assignments {
				bind.Walk(value, note)
			}
		}
	}
	collect(statement)
}

// collectChanges finds the data-modifying common tables of a query.
func (b *builder) collectChanges(q *bind.Query, collect func(*bind.Statement)) {
	if q == nil {
		return
	}
	for _, common := range q.With {
		if common.Change != nil {
			collect(common.Change)
		}
	}
}

// statement plans any statement; n is what it may need of the plan around it.
func (b *builder) statement(statement *bind.Statement, n *needs) Node {
	change := statement.Change
	switch statement.Kind {
	case bind.Insert:
		return b.insert(statement, n)
	case bind.Update:
		input, with := b.changedRows(statement, n)
		return withCommons(&Update{Input: input, Relation: change.Relation, Assigned: change.Assigned,
			Returning: b.returning(change, n)}, with)
	case bind.Delete:
		input, with := b.changedRows(statement, n)
		return withCommons(&Delete{Input: input, Relation: change.Relation, Returning: b.returning(change, n)}, with)
	}
	return b.query(statement.Query, n)
}

func withCommons(node Node, commons []*Common) Node {
	if len(commons) == 0 {
		return node
	}
	return &With{Input: node, Commons: commons}
}

// changedRows plans the query of UPDATE or DELETE; its common tables stay outside, where RETURNING sees them too.
func (b *builder) changedRows(statement *bind.Statement, n *needs) (Node, []*Common) {
	q := *statement.Query
	commons := b.with(q.With, n)
	q.With = nil
	return b.query(&q, n), commons
}

// returning resolves RETURNING over the changed row, its identity and the columns of others.
func (b *builder) returning(change *bind.Change, n *needs) []bind.Expression {
	if change.Returning == nil {
		return nil
	}
	l := newLayout()
	width := len(change.Row.Columns)
	for i := range width {
		l.columns[columnKey{change.Row, i}] = i
	}
	l.columns[columnKey{change.Row, bind.IdentityOrdinal}] = width
	for i, other := range change.Others {
		l.columns[columnKey{other.Source, other.Ordinal}] = width + 1 + i
	}
	resolved := make([]bind.Expression, len(change.Returning))
	for i := range change.Returning {
		resolved[i] = b.resolve(b.tableOID(change, change.Returning[i].Expression), l, n)
	}
	return resolved
}

func (b *builder) insert(statement *bind.Statement, n *needs) Node {
	change := statement.Change
	commons := b.with(change.With, n)
	node := &Insert{Relation: change.Relation, Columns: change.Columns, Literals: change.Literals, Defaults: map[int]bind.Expression{}}
	if statement.Query != nil {
		node.Input = b.query(statement.Query, n)
	}
	for ordinal, value := range change.Defaults {
		node.Defaults[ordinal] = b.resolve(value, newLayout(), n)
	}
	node.Returning = b.returning(change, n)
	if conflict := change.OnConflict; conflict != nil {
		node.Conflict = &Conflict{Action: conflict.Action, Constraints: conflict.Constraints, Assigned: conflict.Assigned}
		l := newLayout()
		if conflict.Action == bind.DoUpdate {
			for i := range conflict.Existing.Columns {
				l.columns[columnKey{conflict.Existing, i}] = i
				l.columns[columnKey{conflict.Excluded, i}] = len(conflict.Existing.Columns) + i
			}
		}
		for _, value := range conflict.Assignments {
			node.Conflict.Assignments = append(node.Conflict.Assignments, b.resolve(value, l, n))
		}
		if conflict.Where != nil {
			node.Conflict.Where = b.resolve(conflict.Where, l, n)
		}
	}
	return withCommons(node, commons)
}
