package overlay

import (
	"context"

	"moraine/relation"
)

// Base is the stored rows of a relation as the transaction's snapshot has them. Each row has a key: a string that names it
// for as long as nobody changes it, in every transaction alike, which is also the name of its row lock.
type Base interface {
	// Scan starts a read. It honours Columns and may use Predicates (the overlay checks them again when it matters);
	// Identities and WithIdentities are not set.
	Scan(ctx context.Context, request relation.ScanRequest, withKeys bool) (BaseCursor, error)
	// Get gives the whole row of a key; false when the snapshot has none.
	Get(ctx context.Context, key string) (relation.Row, bool, error)
}

// BulkBase is a base that finds many rows at once in less time than one after the other.
type BulkBase interface {
	Base
	// GetAll gives the whole rows of keys, all different, in their order; nil for those that the snapshot does not have.
	GetAll(ctx context.Context, keys []string) ([]relation.Row, error)
}

// BaseCursor gives the batches of a base scan, under the rules of relation.Cursor.
type BaseCursor interface {
	Next(ctx context.Context) (*BaseBatch, error)
	Close()
}

// BaseBatch is a batch with the key of each row, when asked for.
type BaseBatch struct {
	relation.Batch
	Keys []string
}

// Reset empties the batch for rows of that width and keeps its memory.
func (b *BaseBatch) Reset(width int) {
	b.Batch.Reset(width)
	b.Keys = b.Keys[:0]
}

// NoRows is the base of a relation that the snapshot does not have: a table made by the transaction itself.
type NoRows struct{}

// Scan gives an empty cursor.
func (NoRows) Scan(context.Context, relation.ScanRequest, bool) (BaseCursor, error) {
	return noRowsCursor{}, nil
}

// Get finds nothing.
func (NoRows) Get(context.Context, string) (relation.Row, bool, error) { return nil, false, nil }

type noRowsCursor struct{}

func (noRowsCursor) Next(context.Context) (*BaseBatch, error) { return nil, nil }
func (noRowsCursor) Close()                                   {}
