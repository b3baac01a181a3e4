package sqlmap

import (
	"context"
	"slices"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/execute"
	"moraine/sqlmap/parse"
	"moraine/sqlmap/plan"
)

// query is a SELECT, VALUES, INSERT, UPDATE or DELETE.
type query struct {
	session        *Session
	statement      parse.Statement
	parameterTypes []uint32
	bound          *bind.Statement
	readsLake      bool // a table of a lake, or one of its functions
}

// prepareQuery makes a query ready.
func (s *Session) prepareQuery(statement parse.Statement, parameterTypes []uint32) (*command, error) {
	if known, err := s.knownAnswer(&statement, parameterTypes); known != nil || err != nil {
		return known, err
	}
	q := &query{session: s, statement: statement, parameterTypes: parameterTypes}
	if err := q.bind(); err != nil {
		return nil, err
	}
	bound := q.bound
	made := &command{parameters: bound.Parameters, columns: bound.Columns, changes: len(bound.Writes) > 0, run: q.run}
	switch {
	case bound.Kind != bind.Select && len(bound.Columns) == 0:
		made.columns = nil
	case made.columns == nil:
		made.columns = []bind.SourceColumn{} // rows without columns
	}
	return made, nil
}

func (q *query) bind() error {
	before := q.session.lakeReads
	defer func() { q.readsLake = q.session.lakeReads != before }()
	bound, err := bind.Bind(q.session.context, names{q.session}, q.statement, q.parameterTypes)
	q.bound = bound
	return err
}

// verbs are the kinds of statements as command tags and errors name them.
var verbs = map[bind.Kind]string{bind.Select: "SELECT", bind.Insert: "INSERT", bind.Update: "UPDATE", bind.Delete: "DELETE"}

// run opens the rows of a query, or makes its changes.
func (q *query) run(arguments []relation.Value) (*result, error) {
	if len(q.bound.Writes) > 0 {
		return q.change(arguments)
	}
	if err := q.checkLocks(); err != nil {
		return nil, err
	}
	if len(q.bound.Query.Locks) > 0 && q.session.transaction.options.Isolation == relation.ReadCommitted {
		return q.lock(arguments)
	}
	cursor, err := q.open(arguments)
	if err != nil {
		return nil, err
	}
	return &result{rows: q.record(cursor), tag: counted("SELECT")}, nil
}

// open plans the query and opens its rows. The functions keep the session's state of this moment.
func (q *query) open(arguments []relation.Value) (execute.Cursor, error) {
	s := q.session
	if err := s.requireUses(q.bound.Uses); err != nil {
		return nil, err
	}
	planned, err := plan.Build(s.context, q.bound)
	if err != nil {
		return nil, err
	}
	s.transaction.queried = true
	functions := s.function
	functions.Query, functions.Done = s.query, s.context.Done()
	return execute.Open(s.context, planned, &functions, arguments)
}

// checkWrites gives 25006 for changes of other tables than temporary ones in a read-only transaction.
func (q *query) checkWrites() error {
	for _, table := range q.bound.Writes {
		if table.Definition().Persistence != relation.Temporary {
			return q.session.readOnly(verbs[q.bound.Kind])
		}
	}
	return nil
}

// checkLocks gives 25006 for row locks of other tables than temporary ones in a read-only transaction.
func (q *query) checkLocks() error {
	for _, lock := range q.bound.Query.Locks {
		if lock.Relation.Definition().Persistence != relation.Temporary {
			return q.session.readOnly("SELECT " + lock.Clause)
		}
	}
	return nil
}

// lock runs a query with FOR UPDATE or FOR SHARE to its end: it cannot be repeated once the client has rows of it.
func (q *query) lock(arguments []relation.Value) (*result, error) {
	var list *rowList
	err := q.repeat(func() error {
		cursor, err := q.open(arguments)
		if err != nil {
			return err
		}
		defer cursor.Close()
		list = &rowList{width: len(q.bound.Columns)}
		return list.addAll(q.session.context, cursor)
	})
	if err != nil {
		return nil, err
	}
	return &result{rows: list, tag: counted("SELECT")}, nil
}

// change makes the changes of a query.
func (q *query) change(arguments []relation.Value) (*result, error) {
	if err := q.checkWrites(); err != nil {
		return nil, err
	}
	var rows *changedRows
	err := q.repeat(func() (err error) {
		rows, err = q.attempt(arguments)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &result{rows: rows, tag: rows.tag(q.bound.Kind)}, nil
}

// repeat makes attempts at a statement. Under READ COMMITTED one that meets rows which others have changed since its snapshot is
// undone and run again on a new one.
func (q *query) repeat(attempt func() error) error {
	s := q.session
	handle, err := s.handle()
	if err != nil {
		return err
	}
	mark := handle.Savepoint()
	for repeated := 0; ; repeated++ {
		err := attempt()
		if err == nil || s.transaction.options.Isolation != relation.ReadCommitted || repeated >= q.retries(err) {
			return err
		}
		if err := handle.RollbackTo(s.context, mark); err != nil {
			return err
		}
		if err := s.startStatement(); err != nil {
			return err
		}
		if handle, err = s.handle(); err != nil {
			return err
		}
		if err := q.bind(); err != nil {
			return err
		}
	}
}

// retries tells how often an error is worth another attempt. A key that ON CONFLICT looks for and did not find may have been
// inserted since: a newer snapshot shows it.
func (q *query) retries(err error) int {
	switch failure := pgerror.From(err); {
	case failure.Code == pgerror.SerializationFailure:
		return maximumRetries
	case failure.Code != pgerror.UniqueViolation || q.bound.Change == nil || q.bound.Change.OnConflict == nil:
		return 0
	case slices.ContainsFunc(q.bound.Change.OnConflict.Constraints, func(arbiter relation.Constraint) bool {
		return arbiter.Name == failure.Constraint
	}):
		return maximumArbiterRetries
	}
	return 0
}

// attempt runs the query up to its first row, by when all its changes are made.
func (q *query) attempt(arguments []relation.Value) (*changedRows, error) {
	cursor, err := q.open(arguments)
	if err != nil {
		return nil, err
	}
	first, err := cursor.Next(q.session.context)
	if err != nil {
		cursor.Close()
		return nil, err
	}
	return &changedRows{Cursor: cursor, first: first, begun: true}, nil
}

// changedRows gives the rows of RETURNING. The first batch has been read already: the changes are made with it.
type changedRows struct {
	execute.Cursor
	first *relation.Batch
	begun bool
}

// Next gives the next batch, nil at the end.
func (r *changedRows) Next(ctx context.Context) (*relation.Batch, error) {
	if r.begun {
		r.begun = false
		return r.first, nil
	}
	if r.first == nil {
		return nil, nil
	}
	return r.Cursor.Next(ctx)
}

func (r *changedRows) tag(kind bind.Kind) func(int) string {
	return func(sent int) string {
		switch kind {
		case bind.Select:
			return counted("SELECT")(sent)
		case bind.Insert:
			return counted("INSERT 0")(int(r.RowsAffected()))
		}
		return counted(verbs[kind])(int(r.RowsAffected()))
	}
}
