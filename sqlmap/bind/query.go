package bind

import (
	"moraine/relation"
	"moraine/sqlmap/function"
)

// Source is something in a FROM clause that has columns of its own. Sources are compared by identity.
type Source struct {
	Alias   string
	Columns []SourceColumn
	// Relation is set for a table.
	Relation relation.Relation
}

// SourceColumn is a column of a Source, or of a query's result.
type SourceColumn struct {
	Name string
	Type relation.Type
	// TableOID and Number (attnum) name the column of a table that it is, 0 for anything else.
	TableOID uint32
	Number   int16
}

// Item is one item of a FROM clause: *Table, *Derived, *CommonReference, *Functions or *Join.
type Item interface{ item() }

// Table reads a relation.
type Table struct{ Source *Source }

// Derived is a subquery in FROM.
type Derived struct {
	Source  *Source
	Query   *Query
	Lateral bool
}

// CommonReference reads a common table expression.
type CommonReference struct {
	Source *Source
	Common *Common
}

// Functions is a function in FROM, or ROWS FROM with several.
type Functions struct {
	Source     *Source
	Calls      []FunctionCall
	Ordinality bool
	Lateral    bool
}

// FunctionCall is one function of a Functions item: set-returning, or an expression that gives one row.
type FunctionCall struct {
	Set       *function.SetReturning
	Arguments []Expression
	Scalar    Expression
	// Width is the number of columns it gives.
	Width int
	// Expand tells that the value of Scalar is a record to be taken apart.
	Expand bool
}

// JoinKind is the kind of a Join.
type JoinKind uint8

// Kinds of joins. Semi and Anti are made by the planner.
const (
	InnerJoin JoinKind = iota
	LeftJoin
	RightJoin
	FullJoin
	SemiJoin
	AntiJoin
)

// Join joins two items; a nil On is a cross join.
type Join struct {
	Kind        JoinKind
	Left, Right Item
	On          Expression
}

func (*Table) item()           {}
func (*Derived) item()         {}
func (*CommonReference) item() {}
func (*Functions) item()       {}
func (*Join) item()            {}

// Materialization is what WITH says about keeping the rows of a common table expression.
type Materialization uint8

// What WITH says.
const (
	MaterializeDefault Materialization = iota
	MaterializeAlways
	MaterializeNever
)

// Common is one common table expression. It is compared by identity.
type Common struct {
	Name            string
	Columns         []SourceColumn
	Query           *Query     // nil when Change is set
	Change          *Statement // an INSERT, UPDATE or DELETE
	Recursive       bool       // Query is a set operation whose right side reads this common table
	Materialization Materialization
	References      int
}

// SetKind is the operator of a set operation.
type SetKind uint8

// Set operations.
const (
	NoSet SetKind = iota
	Union
	Intersect
	Except
)

// Target is one column of a query's result.
type Target struct {
	Name       string
	Expression Expression
	Column     SourceColumn // what is known of it for a description
	Location   int          // of a column that only ORDER BY needs, for errors
}

// Query is a SELECT, VALUES or set operation.
type Query struct {
	With []*Common

	// Set operation: Left and Right, whose columns are converted to those of Columns.
	Set         SetKind
	SetAll      bool
	Left, Right *Query

	// VALUES: rows of expressions of the types of Columns.
	Values [][]Expression

	// SELECT.
	From  Item // nil: one row without columns
	Where Expression
	// GroupBy are the grouping expressions; GroupingSets lists, for each set, places in it. Grouped tells that the query is
	// grouped, be it by nothing.
	Grouped      bool
	GroupBy      []Expression
	GroupingSets [][]int
	Having       Expression
	Aggregates   []*AggregateCall
	Windows      []*WindowDefinition
	WindowCalls  []*WindowCall
	SetCalls     []*SetCall
	// Targets are the columns of the result, then those that only ORDER BY and DISTINCT ON need.
	Targets    []Target
	Visible    int // number of targets that are in the result
	Distinct   bool
	DistinctOn []int // places in Targets

	// All kinds.
	OrderBy       []OrderKey
	Limit, Offset Expression // int8, nil for none
	WithTies      bool
	Columns       []SourceColumn // the result
	// Locks are the rows that FOR UPDATE or FOR SHARE locks.
	Locks []Lock
}

// Lock names the target of a query that is the identity of a row to lock.
type Lock struct {
	Target   int
	Relation relation.Lockable
	Clause   string // as it is written: FOR UPDATE
}

// OrderKey is a key of ORDER BY: a place in Targets (or in Columns, for VALUES and set operations).
type OrderKey struct {
	Target     int
	Descending bool
	NullsFirst bool
}

// WindowDefinition is a window: partition, order and frame.
type WindowDefinition struct {
	Name        string
	PartitionBy []Expression
	OrderBy     []SortKey
	Frame       Frame
}

// FrameMode is ROWS, RANGE or GROUPS.
type FrameMode uint8

// Modes of frames.
const (
	RangeFrame FrameMode = iota
	RowsFrame
	GroupsFrame
)

// FrameBoundKind is where a frame starts or ends.
type FrameBoundKind uint8

// Kinds of frame bounds.
const (
	UnboundedPreceding FrameBoundKind = iota
	OffsetPreceding
	CurrentRow
	OffsetFollowing
	UnboundedFollowing
)

// FrameExclusion is the EXCLUDE clause.
type FrameExclusion uint8

// What a frame leaves out.
const (
	ExcludeNothing FrameExclusion = iota
	ExcludeCurrentRow
	ExcludeGroup
	ExcludeTies
)

// Frame is the frame of a window. Offsets are int8 for ROWS and GROUPS. For RANGE with offsets, StartLimit and EndLimit
// compute the bound from the value of the order key (CaseOperand).
type Frame struct {
	Mode                 FrameMode
	Start, End           FrameBoundKind
	StartOffset          Expression
	EndOffset            Expression
	StartLimit, EndLimit Expression
	Exclusion            FrameExclusion
}
