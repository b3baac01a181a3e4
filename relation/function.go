package relation

import "context"

// TableFunction is a function of a lake that gives rows, called in FROM or in a select list: moraine_check() and its like.
// A lake has one function of a name at most. It is valid for the transaction that gave it, as a [Relation] is.
//
// Every function is volatile: it is called once for each time that the statement gets to it, never folded into a constant.
type TableFunction struct {
	Name string
	// Parameters are in the order of positional notation; each can be named too (f(schema => 'x')). Those with a default
	// come last.
	Parameters []Parameter
	// Columns are the columns of the result, numbered from 1. A function of a scalar type has one, named after it.
	Columns []Column
	// Call runs the function. It gets a value for each parameter, of the parameter's type, NULL if the caller says so.
	//
	// It may write, under the rules of a [Writable]: what it changes, it has changed before it returns the cursor, which
	// the caller need not read to the end; in a read-only transaction it gives 25006.
	Call func(ctx context.Context, arguments []Value) (Cursor, error)
}

// Parameter is one parameter of a function.
type Parameter struct {
	Name string
	Type Type
	// Optional parameters may be left out of a call and are Default then.
	Optional bool
	Default  Value
}

// NewRowCursor gives rows that are in memory already, of that many columns each, in batches.
func NewRowCursor(width int, rows []Row) Cursor { return &rowCursor{width: width, rows: rows} }

type rowCursor struct {
	width int
	rows  []Row
	batch Batch
}

// rowCursorBatch is how many rows a batch of a row cursor has.
const rowCursorBatch = 1024

// Next gives the next batch.
func (c *rowCursor) Next(ctx context.Context) (*Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(c.rows) == 0 {
		return nil, nil
	}
	c.batch.Reset(c.width)
	for _, row := range c.rows[:min(rowCursorBatch, len(c.rows))] {
		copy(c.batch.Append(), row)
	}
	c.rows = c.rows[c.batch.Length:]
	return &c.batch, nil
}

// Close forgets the rows.
func (c *rowCursor) Close() { c.rows = nil }
