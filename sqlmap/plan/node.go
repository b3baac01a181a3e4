package plan

import (
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/function"
)

// Plan is a statement ready to run.
type Plan struct {
	Kind       bind.Kind
	Root       Node
	Columns    []bind.SourceColumn // of the result; none for a change without RETURNING
	Parameters []relation.Type
	Outers     int // number of Outer values
	Commons    int // number of common tables that keep rows
}

// Node is a step of a plan. Its rows have Width values.
type Node interface{ Width() int }

// Slot reads a value of the input row; of a join's condition, of the left row followed by the right one.
type Slot struct {
	Index int
	From  bind.Expression // what the value is, for EXPLAIN; may be nil
	Of    relation.Type
}

// Outer reads a value that a node around this one has set for each of its rows.
type Outer struct {
	Index int
	From  bind.Expression // what the value is, for EXPLAIN
	Of    relation.Type
}

// Assign sets an Outer.
type Assign struct {
	Outer int
	Value bind.Expression
}

// Subplan runs a plan for an expression. Without Assigns its result is the same throughout the execution.
type Subplan struct {
	Kind     bind.SubqueryKind
	Plan     Node
	Assigns  []Assign
	Left     []bind.Expression
	Test     bind.Expression // reads the plan's row as bind.SubqueryColumn
	Nested   bool            // the values of an ArraySubquery are arrays
	Equality bool            // Test is Left[i] = column i for all i, of types whose hash keys agree
	// Recursive tells that it reads a round of recursion: its result may differ each time.
	Recursive bool
	Of        relation.Type
}

// GroupingBits is GROUPING(...): a number for each grouping set, whose place is in Slot.
type GroupingBits struct {
	Set   *Slot
	BySet []int64
}

// Type gives the type of the value.
func (e *Slot) Type() relation.Type { return e.Of }

// Type gives the type of the value.
func (e *Outer) Type() relation.Type { return e.Of }

// Type gives the type of the result.
func (e *Subplan) Type() relation.Type { return e.Of }

// Type is int4.
func (e *GroupingBits) Type() relation.Type { return relation.Int4Type }

// Extra is a value that a scan adds to the columns of its relation.
type Extra uint8

// Extras of scans.
const (
	Identity Extra = iota // ctid
	TableOID              // tableoid
	Presence              // true
)

// Predicate is a condition of a scan that the relation may use. The values are evaluated when the scan starts; a NULL
// makes the scan empty.
type Predicate struct {
	Column     int // ordinal
	Comparison relation.Comparison
	Values     []bind.Expression
	// Array tells that the one value is an array whose elements are the values; NULL elements are left out.
	Array bool
}

// Scan reads a relation: the columns, then the extras.
type Scan struct {
	Relation   relation.Relation
	Alias      string
	Columns    []int // ordinals
	Extras     []Extra
	Predicates []Predicate
	// Identities, when not nil, are tids: only these rows are read. With IdentityArray the one expression is an array.
	Identities    []bind.Expression
	IdentityArray bool
	Filter        bind.Expression // over the scan's row, or nil
	Rows          float64         // estimate
}

// Values gives rows of expressions.
type Values struct {
	Rows    [][]bind.Expression
	Columns int
}

// Filter passes the rows for which the condition holds.
type Filter struct {
	Input     Node
	Condition bind.Expression
}

// Project computes expressions over each row.
type Project struct {
	Input       Node
	Expressions []bind.Expression
}

// HashJoin joins rows whose keys are equal. The build side's rows are kept in a table and read first; the probe side's rows
// are looked up in it. The result row is the left row, then the right one (for semi and anti joins the left row alone).
type HashJoin struct {
	Kind                bind.JoinKind
	Left, Right         Node
	LeftKeys, RightKeys []bind.Expression // over the row of each side
	KeyTypes            []relation.Type
	Condition           bind.Expression // over both rows, or nil
	BuildLeft           bool
	// ScanKey, when not nil, lets the keys of the build side restrict a scan of the probe side.
	ScanKey *ScanKey
}

// ScanKey tells that key Key of a join is column Column of a scan below the probe side.
type ScanKey struct {
	Scan   *Scan
	Column int // ordinal
	Key    int
}

// LoopJoin joins by comparing each pair of rows. With Assigns the right side depends on the left row and is run for each.
type LoopJoin struct {
	Kind        bind.JoinKind
	Left, Right Node
	Assigns     []Assign // over the left row
	Condition   bind.Expression
}

// AggregateCall is an aggregate in an Aggregate node.
type AggregateCall struct {
	Aggregate *function.Aggregate
	Arguments []bind.Expression
	Direct    int
	Distinct  bool
	OrderBy   []bind.SortKey
	Filter    bind.Expression
}

// Aggregate groups its input. Its row is the keys, the results of the calls, and with several sets the number of the set.
type Aggregate struct {
	Input Node
	Keys  []bind.Expression
	Sets  [][]int // nil: one set of all keys
	Calls []AggregateCall
}

// WindowCall is a call in a Window node.
type WindowCall struct {
	Window    *function.Window
	Aggregate *function.Aggregate
	Arguments []bind.Expression
	Filter    bind.Expression
	Of        relation.Type
}

// Window computes window functions over one window; its row is the input row, then the results.
type Window struct {
	Input       Node
	PartitionBy []bind.Expression
	OrderBy     []bind.SortKey
	Frame       bind.Frame
	Calls       []WindowCall
}

// ProjectSet runs set-returning functions side by side; its row is the input row, then a value for each.
type ProjectSet struct {
	Input Node
	Calls []SetCall
}

// SetCall is a set-returning function in a ProjectSet node.
type SetCall struct {
	Function  *function.SetReturning
	Arguments []bind.Expression
}

// Sort orders its input. Limit, when set, tells that only so many rows (with Offset) are wanted.
type Sort struct {
	Input         Node
	Keys          []bind.SortKey
	Limit, Offset bind.Expression
}

// Distinct passes the first of the rows that are equal in the slots (all slots when nil).
type Distinct struct {
	Input Node
	Slots []int
	Types []relation.Type // of the slots
}

// Limit passes rows from Offset on. With ties, further rows that are equal to the last in Ties pass too.
type Limit struct {
	Input         Node
	Limit, Offset bind.Expression
	Ties          []bind.SortKey
}

// LockRows locks the rows whose identities are in slots of its input.
type LockRows struct {
	Input Node
	Locks []bind.Lock // Target is the slot
}

// Append gives the rows of one input after the other.
type Append struct{ Inputs []Node }

// SetOperation is UNION, INTERSECT or EXCEPT with its counting of duplicates.
type SetOperation struct {
	Kind        bind.SetKind
	All         bool
	Left, Right Node
	Types       []relation.Type
}

// Functions runs functions and gives their rows side by side.
type Functions struct {
	Calls      []FunctionCall
	Ordinality bool
	Columns    int
}

// FunctionCall is a function of a Functions node.
type FunctionCall struct {
	Set       *function.SetReturning
	Arguments []bind.Expression
	Scalar    bind.Expression
	Expand    bool
	Width     int
}

// With runs Input after the common tables have been made ready. The data-modifying ones run first, to their end.
type With struct {
	Input   Node
	Commons []*Common
}

// Common is a common table whose rows are kept. It is run when it is first read.
type Common struct {
	Index     int
	Name      string
	Plan      Node
	Change    bool // runs whether it is read or not
	Recursive *Recursion
}

// Recursion is the recursive part of a common table: Plan gives the first rows, Next further ones out of those of the
// round before.
type Recursion struct {
	Next  Node
	All   bool
	Types []relation.Type
}

// CommonScan reads the rows of a common table; within its own recursive part, those of the round before.
type CommonScan struct {
	Common  *Common
	Working bool
	Columns int
}

// Insert adds rows; its own rows are those of RETURNING.
type Insert struct {
	Input     Node // nil with Literals, and for DEFAULT VALUES
	Relation  relation.Writable
	Columns   []int // ordinal of each column of Input
	Literals  *bind.Literals
	Defaults  map[int]bind.Expression
	Conflict  *Conflict
	Returning []bind.Expression // over the new row
}

// Conflict is ON CONFLICT. Assignments and Where are over the present row, then the proposed one.
type Conflict struct {
	Action      bind.ConflictAction
	Constraints []relation.Constraint
	Assigned    []int
	Assignments []bind.Expression
	Where       bind.Expression
}

// Update changes rows. Input gives the identity, the old row, the new values of Assigned and what RETURNING needs beside.
// Returning is over the new row, the identity, then the values beside.
type Update struct {
	Input     Node
	Relation  relation.Writable
	Assigned  []int
	Returning []bind.Expression
}

// Delete removes rows. Input gives the identity, the old row, and what RETURNING needs beside; Returning is over the old
// row, the identity, then the values beside.
type Delete struct {
	Input     Node
	Relation  relation.Writable
	Returning []bind.Expression
}

// Width counts columns and extras.
func (n *Scan) Width() int { return len(n.Columns) + len(n.Extras) }

// Width is that of the rows.
func (n *Values) Width() int { return n.Columns }

// Width is that of the input.
func (n *Filter) Width() int { return n.Input.Width() }

// Width counts the expressions.
func (n *Project) Width() int { return len(n.Expressions) }

// Width is that of both sides, or of the left one for semi and anti joins.
func (n *HashJoin) Width() int { return joinWidth(n.Kind, n.Left, n.Right) }

// Width is that of both sides, or of the left one for semi and anti joins.
func (n *LoopJoin) Width() int { return joinWidth(n.Kind, n.Left, n.Right) }

func joinWidth(kind bind.JoinKind, left, right Node) int {
	if kind == bind.SemiJoin || kind == bind.AntiJoin {
		return left.Width()
	}
	return left.Width() + right.Width()
}

// Width counts keys, calls and the number of the set.
func (n *Aggregate) Width() int {
	width := len(n.Keys) + len(n.Calls)
	if n.Sets != nil {
		width++
	}
	return width
}

// Width is that of the input and the calls.
func (n *Window) Width() int { return n.Input.Width() + len(n.Calls) }

// Width is that of the input and the calls.
func (n *ProjectSet) Width() int { return n.Input.Width() + len(n.Calls) }

// Width is that of the input.
func (n *Sort) Width() int { return n.Input.Width() }

// Width is that of the input.
func (n *Distinct) Width() int { return n.Input.Width() }

// Width is that of the input.
func (n *Limit) Width() int { return n.Input.Width() }

// Width is that of the input.
func (n *LockRows) Width() int { return n.Input.Width() }

// Width is that of each input.
func (n *Append) Width() int { return n.Inputs[0].Width() }

// Width is that of each side.
func (n *SetOperation) Width() int { return n.Left.Width() }

// Width is that of the functions' columns and the ordinality.
func (n *Functions) Width() int { return n.Columns }

// Width is that of the input.
func (n *With) Width() int { return n.Input.Width() }

// Width is that of the common table.
func (n *CommonScan) Width() int { return n.Columns }

// Width is that of RETURNING.
func (n *Insert) Width() int { return len(n.Returning) }

// Width is that of RETURNING.
func (n *Update) Width() int { return len(n.Returning) }

// Width is that of RETURNING.
func (n *Delete) Width() int { return len(n.Returning) }
