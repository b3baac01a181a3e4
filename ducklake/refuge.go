package ducklake

import (
	"context"

	"moraine/overlay"
	"moraine/relation"
	"moraine/rowstore"
	"moraine/store"
)

// refugeName starts the names of the row stores that the refuges are.
const refugeName = "ducklake refuge "

// refuge is the rows of one catalog table that no record can hold.
type refuge struct {
	table *catalogTable
	base  overlay.Base
	// empty tells that no refuge of the lake ever had a row, so that there is nothing to read.
	empty func() bool
}

func newRefuge(table *catalogTable, rows *rowstore.Rows, snapshot func(context.Context) (store.Reader, error), empty func() bool) *refuge {
	return &refuge{table: table, base: rows.Base(snapshot), empty: empty}
}

func (r *refuge) scan(ctx context.Context, request relation.ScanRequest, withKeys bool) (overlay.BaseCursor, error) {
	if r.empty() {
		return nil, nil
	}
	cursor, err := r.base.Scan(ctx, request, withKeys)
	if err != nil {
		return nil, err
	}
	return &refugeCursor{BaseCursor: cursor, table: r.table}, nil
}

func (r *refuge) get(ctx context.Context, key string) (relation.Row, bool, error) {
	return r.base.Get(ctx, key)
}

// refugeCursor gives the rows the keys that the table's base has for them.
type refugeCursor struct {
	overlay.BaseCursor
	table *catalogTable
}

// Next implements overlay.BaseCursor.
func (c *refugeCursor) Next(ctx context.Context) (*overlay.BaseBatch, error) {
	batch, err := c.BaseCursor.Next(ctx)
	if batch != nil {
		for i := range batch.Keys {
			batch.Keys[i] = c.table.refugeKey(batch.Keys[i])
		}
	}
	return batch, err
}

// refugeChanges collects what a commit does to a refuge.
type refugeChanges struct {
	inserted []relation.Row
	changes  []overlay.Change
}

func (r *refugeChanges) stage(ctx context.Context, rows *rowstore.Rows, latest store.Reader, batch *store.Batch) error {
	if len(r.inserted) == 0 && len(r.changes) == 0 {
		return nil
	}
	return rows.Stage(ctx, latest, r.inserted, r.changes, batch)
}
