package bind

import (
	"moraine/relation"
	"moraine/sqlmap/function"
)

// Expression is a typed expression. Trees are immutable once bound.
type Expression interface {
	// Type is the type of the value.
	Type() relation.Type
}

// Constant is a value known when the statement is bound.
type Constant struct {
	Value    relation.Value
	Of       relation.Type
	Location int32 // in the statement's tree, for errors; 0 when it is not known
}

// Parameter is $Number (from 1).
type Parameter struct {
	Number int
	Of     relation.Type
}

// Column is a column of a source in the FROM clause of this query or one around it. Ordinal is the place in
// Source.Columns, or one of the system columns.
type Column struct {
	Source   *Source
	Ordinal  int
	Location int32 // in the statement's tree, for errors
	Of       relation.Type
}

// Ordinals that are not places in Source.Columns.
const (
	IdentityOrdinal = -1   // the system column ctid
	TableOrdinal    = -6   // the system column tableoid
	PresenceOrdinal = -100 // true; NULL where an outer join fills in for a missing row
)

// Call is a function, operator or cast function applied to arguments that are already of its types.
type Call struct {
	Function  *function.Scalar
	Arguments []Expression
	// Operator is the name when the call was written as an operator.
	Operator string
	Of       relation.Type
}

// Cast converts a value. Evaluate takes the argument, which is not NULL; it is nil when the value stays as it is.
type Cast struct {
	Argument Expression
	Evaluate function.Evaluate
	Explicit bool
	Of       relation.Type
}

// Logic is AND or OR of two or more bool expressions.
type Logic struct {
	Or        bool
	Arguments []Expression
}

// Not is the negation of a bool.
type Not struct{ Argument Expression }

// NullTest is IS [NOT] NULL. For a row it looks at each field.
type NullTest struct {
	Argument Expression
	Negated  bool
}

// Truth is the value a TruthTest asks for.
type Truth uint8

// What IS TRUE, IS FALSE and IS UNKNOWN ask for.
const (
	True Truth = iota
	False
	Unknown
)

// TruthTest is IS [NOT] TRUE, FALSE or UNKNOWN.
type TruthTest struct {
	Argument Expression
	Is       Truth
	Negated  bool
}

// Case is CASE; a simple CASE is bound to its comparisons.
type Case struct {
	// Operand, when there is one, is evaluated once and read by the conditions as CaseOperand.
	Operand Expression
	Whens   []When
	Else    Expression // nil gives NULL
	Of      relation.Type
}

// When is one branch of a Case.
type When struct{ Condition, Result Expression }

// CaseOperand is the operand of the Case around it.
type CaseOperand struct{ Of relation.Type }

// Coalesce is the first argument that is not NULL.
type Coalesce struct {
	Arguments []Expression
	Of        relation.Type
}

// Extreme is GREATEST or LEAST.
type Extreme struct {
	Greatest  bool
	Arguments []Expression
	Of        relation.Type
}

// NullIf is NULL when Equal holds for the arguments, else the first of them.
type NullIf struct {
	Left, Right Expression
	Equal       *function.Scalar
}

// Distinct is IS [NOT] DISTINCT FROM: Equal, with NULL equal to itself.
type Distinct struct {
	Left, Right Expression
	Equal       *function.Scalar
	Negated     bool // IS NOT DISTINCT FROM
}

// In is [NOT] IN over a list of expressions of one type.
type In struct {
	Left    Expression
	List    []Expression
	Equal   *function.Scalar
	Negated bool
}

// AnyArray is "Left operator ANY (array)" or ALL.
type AnyArray struct {
	Left, Array Expression
	Operator    *function.Scalar
	Name        string
	Element     relation.Type
	All         bool
}

// ArrayConstructor is ARRAY[...]. Nested tells that the elements are arrays that become the dimensions of one.
type ArrayConstructor struct {
	Elements []Expression
	Nested   bool
	Of       relation.Type
}

// Subscript is array[i], array[i:j] and so on; the bounds are int4.
type Subscript struct {
	Array Expression
	// Slice tells that the result is an array; a Lower or Upper of a slice may be nil.
	Slice  bool
	Bounds []Bound
	Of     relation.Type
}

// Bound is one subscript: only Upper is set without a slice.
type Bound struct{ Lower, Upper Expression }

// Row is ROW(...) or a whole row: a record.
type Row struct {
	Fields []Expression
	// Presence, when set, makes the whole row NULL where it is NULL: the rows an outer join fills in.
	Presence Expression
	Of       relation.Type
}

// RowComparison compares two lists of expressions from left to right. For the ordering operators Equal decides whether the
// next pair is looked at.
type RowComparison struct {
	Operator    string // "=", "<>", "<", "<=", ">", ">="
	Left, Right []Expression
	Compare     []*function.Scalar // of the operator
	Equal       []*function.Scalar
}

// Field is (record).name.
type Field struct {
	Record Expression
	Index  int
	Name   string
	Of     relation.Type
}

// SubqueryKind says what a Subquery gives.
type SubqueryKind uint8

// Kinds of subqueries.
const (
	ScalarSubquery SubqueryKind = iota // the value of its one row, NULL without a row
	ExistsSubquery
	AnySubquery   // Test holds for a row
	AllSubquery   // Test holds for all rows
	ArraySubquery // an array of its values
	RowSubquery   // Test for its one row, NULL without a row
)

// Subquery is a query in an expression.
type Subquery struct {
	Kind  SubqueryKind
	Query *Query
	// Left and Test belong to AnySubquery, AllSubquery and RowSubquery: Test compares the values of Left with the subquery's row, which
	// it reads as SubqueryColumn.
	Left []Expression
	Test Expression
	Of   relation.Type
}

// SubqueryColumn is a column of the row that a Subquery's Test looks at.
type SubqueryColumn struct {
	Index int
	Of    relation.Type
}

// SessionValue is CURRENT_DATE, CURRENT_USER and the like.
type SessionValue struct {
	Name string // in lower case, as it is written
	Of   relation.Type
}

// AggregateCall is a call of an aggregate function. It is compared by identity.
type AggregateCall struct {
	Aggregate *function.Aggregate
	Arguments []Expression
	// Direct is the number of leading Arguments that are evaluated once for each group (ordered-set aggregates).
	Direct   int
	Distinct bool
	OrderBy  []SortKey
	Filter   Expression
	Star     bool // count(*)
	Of       relation.Type
}

// GroupingCall is GROUPING(...): a bit for each argument that is not in the grouping set. Arguments are places in
// Query.GroupBy.
type GroupingCall struct {
	Arguments []int
	locations []int // of the arguments, for errors
}

// WindowCall is a call of a window function or of an aggregate over a window. It is compared by identity.
type WindowCall struct {
	Window    *function.Window // nil for an aggregate
	Aggregate *function.Aggregate
	Arguments []Expression
	Filter    Expression
	Star      bool
	Over      int // place in Query.Windows
	Of        relation.Type
}

// SetCall is a set-returning function in a select list. It is compared by identity.
type SetCall struct {
	Function  *function.SetReturning
	Arguments []Expression
	Of        relation.Type
}

// SortKey is one key of an ordering.
type SortKey struct {
	Expression Expression
	Descending bool
	NullsFirst bool
}

// Type gives the type of the constant.
func (e *Constant) Type() relation.Type { return e.Of }

// Type gives the type of the parameter.
func (e *Parameter) Type() relation.Type { return e.Of }

// Type gives the type of the column.
func (e *Column) Type() relation.Type { return e.Of }

// Type gives the type of the result.
func (e *Call) Type() relation.Type { return e.Of }

// Type gives the type of the result.
func (e *Cast) Type() relation.Type { return e.Of }

// Type is bool.
func (e *Logic) Type() relation.Type { return relation.BoolType }

// Type is bool.
func (e *Not) Type() relation.Type { return relation.BoolType }

// Type is bool.
func (e *NullTest) Type() relation.Type { return relation.BoolType }

// Type is bool.
func (e *TruthTest) Type() relation.Type { return relation.BoolType }

// Type gives the common type of the branches.
func (e *Case) Type() relation.Type { return e.Of }

// Type gives the type of the operand.
func (e *CaseOperand) Type() relation.Type { return e.Of }

// Type gives the common type of the arguments.
func (e *Coalesce) Type() relation.Type { return e.Of }

// Type gives the common type of the arguments.
func (e *Extreme) Type() relation.Type { return e.Of }

// Type gives the type of the first argument.
func (e *NullIf) Type() relation.Type { return e.Left.Type() }

// Type is bool.
func (e *Distinct) Type() relation.Type { return relation.BoolType }

// Type is bool.
func (e *In) Type() relation.Type { return relation.BoolType }

// Type is bool.
func (e *AnyArray) Type() relation.Type { return relation.BoolType }

// Type gives the array type.
func (e *ArrayConstructor) Type() relation.Type { return e.Of }

// Type gives the element type, or the array type of a slice.
func (e *Subscript) Type() relation.Type { return e.Of }

// Type is a record or a row type.
func (e *Row) Type() relation.Type { return e.Of }

// Type is bool.
func (e *RowComparison) Type() relation.Type { return relation.BoolType }

// Type gives the type of the field.
func (e *Field) Type() relation.Type { return e.Of }

// Type gives the type of the result.
func (e *Subquery) Type() relation.Type { return e.Of }

// Type gives the type of the column.
func (e *SubqueryColumn) Type() relation.Type { return e.Of }

// Type gives the type of the value.
func (e *SessionValue) Type() relation.Type { return e.Of }

// Type gives the type of the result.
func (e *AggregateCall) Type() relation.Type { return e.Of }

// Type is int4.
func (e *GroupingCall) Type() relation.Type { return relation.Int4Type }

// Type gives the type of the result.
func (e *WindowCall) Type() relation.Type { return e.Of }

// Type gives the type of the set's rows.
func (e *SetCall) Type() relation.Type { return e.Of }
