package bind

import (
	"context"

	"moraine/relation"
	"moraine/sqlmap/function"
	"moraine/sqlmap/parse"
)

// Environment is where the binder looks up relations and what functions know of the session.
type Environment interface {
	// Relation finds a relation; schema "" means the search path, pg_catalog and temporary tables included. Nil and no error
	// when there is none.
	Relation(ctx context.Context, schema, name string) (relation.Relation, error)
	// Function finds a function of a lake; schema "" means the search path. Nil and no error when there is none. The
	// functions that every session has are not among them: they come first.
	Function(ctx context.Context, schema, name string) (*relation.TableFunction, error)
	// FunctionContext is what constants are converted by.
	FunctionContext() *function.Context
}

// Restricted is an Environment that can tell that the user may not do everything.
type Restricted interface {
	Environment
	Restricted() bool
}

// Kind says what a statement does.
type Kind uint8

// Kinds of statements.
const (
	Select Kind = iota // VALUES too
	Insert
	Update
	Delete
)

// Statement is a bound statement.
type Statement struct {
	Kind Kind
	// Columns describe the result: of SELECT and VALUES, or of RETURNING (none without it).
	Columns []SourceColumn
	// Parameters are the types of $1, $2, ...
	Parameters []relation.Type
	// Query is a SELECT's, or the rows of INSERT (nil with Literals and for DEFAULT VALUES), or for UPDATE and DELETE the
	// rows to change: its targets are described at Change.
	Query *Query
	// Change is set for Insert, Update and Delete.
	Change *Change
	// Writes lists the relations that the statement changes, data-modifying WITH included.
	Writes []relation.Writable
	// Uses lists what the statement does with relations, when the environment is Restricted.
	Uses []Use
}

// Change says what INSERT, UPDATE or DELETE does with its rows.
type Change struct {
	Relation relation.Writable
	// With are the common tables in front of an INSERT; UPDATE and DELETE have them in their query.
	With []*Common

	// Columns are, for INSERT, the ordinals of the columns that the source's columns go to, in order.
	Columns  []int
	Literals *Literals
	// Defaults give the columns that get no value from the source, by ordinal; nil gives NULL.
	Defaults   map[int]Expression
	OnConflict *OnConflict

	// Assigned are, for UPDATE, the ordinals of the columns that change. The query gives the row's ctid, then all columns of
	// the old row, then the new values of Assigned, then what RETURNING needs of other sources. DELETE gives ctid and old row.
	Assigned []int

	// Returning is over Row (INSERT, or the new row of UPDATE and the old one of DELETE) and Others.
	Returning []Target
	Row       *Source
	// Others are columns of other sources that Returning reads; they follow in the query's targets.
	Others []*Column
}

// ConflictAction is what INSERT does with a row whose key is there.
type ConflictAction uint8

// What ON CONFLICT does.
const (
	DoNothing ConflictAction = iota
	DoUpdate
)

// OnConflict is the clause of that name.
type OnConflict struct {
	Action ConflictAction
	// Constraints are those whose violation the clause means: all without a target.
	Constraints []relation.Constraint
	// Existing and Excluded are the sources by which Assignments and Where read the present row and the proposed one.
	Existing, Excluded *Source
	Assigned           []int
	Assignments        []Expression
	Where              Expression
}

// Literals are the rows of an INSERT that the literal reader read, with a converter for each column.
type Literals struct {
	Insert     *parse.LiteralInsert
	Statement  parse.Statement
	Converters []LiteralConverter
}
