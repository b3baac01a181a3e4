package function

import (
	"context"

	"moraine/relation"
)

// Evaluate computes a function of its arguments. A strict function is never called with a NULL argument: the caller gives
// NULL for it.
type Evaluate func(context *Context, arguments []relation.Value) (relation.Value, error)

// Scalar is one overload of a function or operator, resolved for a call.
type Scalar struct {
	Name       string
	Arguments  []relation.Type // what each argument of the call has to be cast to
	Result     relation.Type
	Strict     bool
	Volatility Volatility
	Evaluate   Evaluate
	// Commutator and Negator name the operators that mean the same with swapped arguments or the contrary; "" for
	// functions and where there is none.
	Commutator, Negator string
}

// Volatility is pg_proc.provolatile.
type Volatility byte

// Volatilities.
const (
	Immutable Volatility = 'i'
	Stable    Volatility = 's'
	Volatile  Volatility = 'v'
)

// SetReturning is a function in FROM or in a select list that gives rows.
type SetReturning struct {
	Name      string
	Arguments []relation.Type
	// Columns are the names and types of the result; one for a function of a scalar type, named after the function.
	Columns []relation.Column
	Strict  bool
	// Rows gives all rows of one call; nil for a function of a lake.
	Rows func(context *Context, arguments []relation.Value) ([]relation.Row, error)
	// Call starts a call of a function of a lake.
	Call func(ctx context.Context, arguments []relation.Value) (relation.Cursor, error)
}

// Aggregate is one overload of an aggregate function, resolved for a call.
type Aggregate struct {
	Name      string
	Arguments []relation.Type
	Result    relation.Type
	// IgnoresNulls tells that rows with a NULL argument are skipped before Add.
	IgnoresNulls bool
	// OrderedSet tells that the call needs WITHIN GROUP: its direct arguments come first in Arguments.
	OrderedSet bool
	New        func() Accumulator
}

// Accumulator is the state of one aggregate over one group.
type Accumulator interface {
	Add(context *Context, arguments []relation.Value) error
	Result(context *Context) (relation.Value, error)
}

// Window is one overload of a pure window function (row_number, lag, ...), resolved for a call; aggregates can be window
// functions too.
type Window struct {
	Name      string
	Arguments []relation.Type
	Result    relation.Type
	// Evaluate gives the value for row `row` of the partition.
	Evaluate func(context *Context, partition Partition, row int) (relation.Value, error)
}

// Partition is what a window function sees of its partition: rows in window order.
type Partition interface {
	Length() int
	// Argument gives argument `argument` of the call, evaluated on a row.
	Argument(row, argument int) (relation.Value, error)
	// Peers gives the first row and the row after the last that are equal to row in the window's order.
	Peers(row int) (first, end int)
	// Frame gives the first row and the row after the last of the row's frame.
	Frame(row int) (first, end int)
}
