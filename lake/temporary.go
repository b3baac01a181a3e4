package lake

import (
	"context"

	"moraine/overlay"
	"moraine/relation"
	"moraine/store"
	"moraine/store/memory"
	"moraine/usertable"
)

// temporaryTables are the committed temporary tables of a session: a store in memory. The zero value has none.
type temporaryTables struct {
	store   store.Store // nil until first used
	catalog *usertable.Catalog
	size    int64 // bytes of keys and values
}

func (t *temporaryTables) open(ctx context.Context) error {
	if t.store != nil {
		return nil
	}
	opened := memory.NewStore()
	first, err := opened.Snapshot()
	if err != nil {
		return err
	}
	defer first.Close()
	if t.catalog, err = usertable.Open(ctx, first, relation.TemporarySchema); err != nil {
		return err
	}
	t.store = opened
	return nil
}

func (t *temporaryTables) clear() { *t = temporaryTables{} }

// commit applies a transaction's batch.
func (t *temporaryTables) commit(ctx context.Context, batch *store.Batch) error {
	if batch == nil || batch.Len() == 0 {
		return nil
	}
	if err := t.store.Commit(ctx, batch); err != nil {
		return err
	}
	state, err := t.store.Snapshot()
	if err != nil {
		return err
	}
	defer state.Close()
	iterator, err := state.Scan(ctx, nil, nil)
	if err != nil {
		return err
	}
	defer iterator.Close()
	t.size = 0
	for iterator.Next() {
		t.size += int64(len(iterator.Key()) + len(iterator.Value()))
	}
	return iterator.Err()
}

// temporaryPart is the temporary tables within one transaction, and their environment. Nobody else sees them, so there is
// nothing to lock, and a read-only transaction may write them.
type temporaryPart struct {
	transaction *Transaction
	state       store.Snapshot
	tables      *usertable.Transaction
}

var _ overlay.Environment = (*temporaryPart)(nil)

// temporaryPart gives the part of the transaction that is the temporary tables.
func (t *Transaction) temporaryPart(ctx context.Context) (*temporaryPart, error) {
	if t.temporary != nil {
		return t.temporary, nil
	}
	tables := &t.session.temporary
	if err := tables.open(ctx); err != nil {
		return nil, err
	}
	state, err := tables.store.Snapshot()
	if err != nil {
		return nil, err
	}
	t.temporary = &temporaryPart{transaction: t, state: state}
	t.temporary.tables = tables.catalog.BeginTemporary(t.temporary, tables.size)
	return t.temporary, nil
}

// Schema gives the name by which transactions know the schema.
func (p *temporaryPart) Schema() string { return relation.TemporarySchema }

// OID gives the OID of a temporary table's name.
func (p *temporaryPart) OID(name string) uint32 {
	return p.transaction.session.database.relations.oid(p.transaction.session.scope, name)
}

// Snapshot gives the committed temporary tables.
func (p *temporaryPart) Snapshot(context.Context) (store.Reader, error) { return p.state, nil }

// Latest gives the same: only this transaction writes.
func (p *temporaryPart) Latest(_ context.Context, read func(store.Reader) error) error {
	return read(p.state)
}

// BeginWrite refuses nothing but a transaction that has ended.
func (p *temporaryPart) BeginWrite(context.Context) error { return p.transaction.checkOpen() }

// Lock locks nothing.
func (p *temporaryPart) Lock(context.Context, string, overlay.Intent) error { return nil }

// Ticket is not needed.
func (p *temporaryPart) Ticket(context.Context) error { return nil }

// Journal registers how to undo a change.
func (p *temporaryPart) Journal(undo func()) {
	p.transaction.journal = append(p.transaction.journal, undo)
}

// stage gives the batch of the transaction's changes, nil when it has not used temporary tables.
func (p *temporaryPart) stage(ctx context.Context) (*store.Batch, error) {
	if p == nil {
		return nil, nil
	}
	if err := p.tables.ApplyOnCommit(ctx); err != nil {
		return nil, err
	}
	batch := &store.Batch{}
	if !p.tables.Dirty() {
		return batch, nil
	}
	return batch, p.tables.Stage(ctx, p.state, batch)
}
