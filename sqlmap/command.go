package sqlmap

import (
	"strconv"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/parse"
)

// command is a statement made ready to run in the present transaction.
type command struct {
	parameters []relation.Type
	columns    []bind.SourceColumn // nil for a command without rows
	// run runs it, or opens the rows that it will give.
	run func(arguments []relation.Value) (*result, error)
	// changes tells that the statement writes.
	changes bool
	// binary tells that its rows go out in the binary format in the simple protocol too: it fetches from a binary cursor.
	binary bool
}

// result is what a command gave.
type result struct {
	rows relation.Cursor // nil for none
	// tag gives the command tag once that many rows were sent.
	tag func(sent int) string
}

// done is the result of a command without rows.
func done(tag string) *result { return &result{tag: func(int) string { return tag }} }

// counted gives tags such as "SELECT 3".
func counted(tag string) func(int) string {
	return func(sent int) string { return tag + " " + strconv.Itoa(sent) }
}

// utility makes a command without parameters and rows.
func utility(tag string, run func() error) *command {
	return &command{run: func([]relation.Value) (*result, error) {
		if err := run(); err != nil {
			return nil, err
		}
		return done(tag), nil
	}}
}

// tagged is utility for what finds out its tag when it runs.
func tagged(run func() (string, error)) *command {
	return &command{run: func([]relation.Value) (*result, error) {
		tag, err := run()
		if err != nil {
			return nil, err
		}
		return done(tag), nil
	}}
}

// controlOf gives the transaction control of a statement, nil for any other statement.
func controlOf(statement *parse.Statement) *pg_query.TransactionStmt {
	if statement.Tree == nil {
		return nil
	}
	if node, ok := statement.Tree.GetNode().(*pg_query.Node_TransactionStmt); ok {
		return node.TransactionStmt
	}
	return nil
}

// admit gives 25P02 for a statement that a failed block does not accept.
func (s *Session) admit(statement *parse.Statement) error {
	if s.transaction == nil || !s.transaction.failed {
		return nil
	}
	if control := controlOf(statement); control != nil && endsFailedBlock(control) {
		return nil
	}
	return aborted()
}

// prepare makes a statement ready to run. Except for transaction control it needs a transaction under way.
func (s *Session) prepare(statement parse.Statement, parameterTypes []uint32) (*command, error) {
	if statement.Literals != nil {
		return s.prepareQuery(statement, parameterTypes)
	}
	switch node := statement.Tree.GetNode().(type) {
	case *pg_query.Node_SelectStmt:
		if into := node.SelectStmt.IntoClause; into != nil {
			return s.createTableAs(statement, parameterTypes, node.SelectStmt, into)
		}
		return s.prepareQuery(statement, parameterTypes)
	case *pg_query.Node_InsertStmt, *pg_query.Node_UpdateStmt, *pg_query.Node_DeleteStmt, *pg_query.Node_MergeStmt:
		return s.prepareQuery(statement, parameterTypes)
	case *pg_query.Node_TransactionStmt:
		return tagged(func() (string, error) { return s.transactionControl(node.TransactionStmt) }), nil
	case *pg_query.Node_CopyStmt:
		return s.copyCommand(statement, parameterTypes, node.CopyStmt)
	case *pg_query.Node_ExplainStmt:
		return s.explain(statement, parameterTypes, node.ExplainStmt)
	}
	if command, err := s.prepareSession(statement, parameterTypes); command != nil || err != nil {
		return command, err
	}
	return s.prepareDefinition(statement, parameterTypes)
}

// prepareSession makes the commands ready that work on the session: settings, cursors, prepared statements.
func (s *Session) prepareSession(statement parse.Statement, parameterTypes []uint32) (*command, error) {
	switch node := statement.Tree.GetNode().(type) {
	case *pg_query.Node_VariableSetStmt:
		return s.set(node.VariableSetStmt), nil
	case *pg_query.Node_VariableShowStmt:
		return s.show(node.VariableShowStmt)
	case *pg_query.Node_PrepareStmt:
		return utility("PREPARE", func() error { return s.prepareStatement(statement, node.PrepareStmt) }), nil
	case *pg_query.Node_ExecuteStmt:
		return s.executeStatement(&statement, node.ExecuteStmt)
	case *pg_query.Node_DeallocateStmt:
		return tagged(func() (string, error) { return s.deallocate(node.DeallocateStmt) }), nil
	case *pg_query.Node_DeclareCursorStmt:
		return s.declareCursor(statement, parameterTypes, node.DeclareCursorStmt)
	case *pg_query.Node_FetchStmt:
		return s.fetch(node.FetchStmt)
	case *pg_query.Node_ClosePortalStmt:
		return tagged(func() (string, error) { return s.closeCursor(node.ClosePortalStmt) }), nil
	case *pg_query.Node_DiscardStmt:
		return tagged(func() (string, error) { return s.discard(node.DiscardStmt) }), nil
	case *pg_query.Node_UnlistenStmt:
		return s.unlisten(node.UnlistenStmt), nil
	case *pg_query.Node_ConstraintsSetStmt:
		// No constraint is deferrable, so there is nothing to set for all of them.
		if len(node.ConstraintsSetStmt.Constraints) > 0 {
			return nil, pgerror.Unsupported("a deferrable constraint")
		}
		return utility("SET CONSTRAINTS", func() error {
			if s.inBlock() {
				return nil
			}
			return s.warn(pgerror.NoActiveSQLTransaction, "SET CONSTRAINTS can only be used in transaction blocks")
		}), nil
	}
	return nil, nil
}
