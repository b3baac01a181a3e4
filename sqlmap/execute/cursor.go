package execute

import (
	"context"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
	"moraine/sqlmap/plan"
)

// batchRows is how many rows an operator gathers before it gives them on: few enough for the rows of a wide join to stay in
// the processor's cache.
const batchRows = 128

// Cursor gives the rows of an execution.
type Cursor interface {
	// Next gives the next batch, never an empty one, or nil at the end. The batch is valid until the next call.
	Next(ctx context.Context) (*relation.Batch, error)
	Close()
	// RowsAffected is the number of rows that INSERT, UPDATE or DELETE has changed, or that Next has given for other
	// statements. It is final once Next has given nil.
	RowsAffected() int64
}

// Open starts a plan. Parameters are values of the types of plan.Parameters. A statement that changes rows does so during the
// first call of Next.
func Open(ctx context.Context, p *plan.Plan, functions *function.Context, parameters []relation.Value) (Cursor, error) {
	if len(parameters) != len(p.Parameters) {
		return nil, pgerror.New(pgerror.ProtocolViolation, "the statement has %d parameters, %d were given", len(p.Parameters), len(parameters))
	}
	r := &run{ctx: ctx, functions: functions, parameters: parameters, outers: make([]relation.Value, p.Outers),
		commons: make([]*commonState, p.Commons)}
	c := &compiler{run: r}
	root, err := c.operator(p.Root)
	if err != nil {
		return nil, err
	}
	return &cursor{run: r, root: root}, nil
}

// run is what the operators and closures of one execution share.
type run struct {
	ctx        context.Context // of the call of Next that is going on
	functions  *function.Context
	parameters []relation.Value
	outers     []relation.Value
	commons    []*commonState
	// scanKeys are keys that a join has found for a scan below it.
	scanKeys map[*plan.Scan]relation.Predicate
	memory   int64
	loans    []loan
	affected int64
}

// operator is a node of a plan in an execution.
type operator interface {
	// open starts the operator, again if it has been started before.
	open() error
	// next gives the next batch, never an empty one, or nil at the end; it is valid until the next call.
	next() (*relation.Batch, error)
	// close releases what the operator holds; it may be opened again.
	close()
}

type cursor struct {
	run          *run
	root         operator
	opened, done bool
	given        int64
}

// Next gives the next batch.
func (c *cursor) Next(ctx context.Context) (*relation.Batch, error) {
	if c.done {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, pgerror.From(err)
	}
	c.run.ctx = ctx
	if !c.opened {
		c.opened = true
		if err := c.root.open(); err != nil {
			c.Close()
			return nil, err
		}
	}
	batch, err := c.root.next()
	if err != nil || batch == nil {
		c.Close()
		return nil, err
	}
	c.given += int64(batch.Length)
	return batch, nil
}

// Close ends the execution.
func (c *cursor) Close() {
	if c.done {
		return
	}
	if c.opened {
		c.root.close()
	}
	c.run.takeBack()
	c.done = true
}

// RowsAffected counts the rows.
func (c *cursor) RowsAffected() int64 {
	switch c.root.(type) {
	case *changeOperator:
		return c.run.affected
	}
	if with, ok := c.root.(*withOperator); ok {
		if _, change := with.input.(*changeOperator); change {
			return c.run.affected
		}
	}
	return c.given
}

// cancelled tells whether the client has cancelled the statement. Operators that work for long between batches ask it.
func (r *run) cancelled() error {
	if err := r.ctx.Err(); err != nil {
		return pgerror.From(err)
	}
	return nil
}
