package lake

import (
	"context"

	"moraine/overlay"
	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

// part is one lake within one transaction, and the environment of its domains.
type part struct {
	transaction *Transaction
	lake        *lake
	// created tells that this transaction makes the schema: the lake is in memory until COMMIT, and nobody else knows it.
	created bool
	domains []overlay.Domain
	turn    turn

	pinned *snapshot
	stale  bool        // the next read pins again (READ COMMITTED)
	older  []*snapshot // pinned by earlier statements, of which cursors may be open

	// changed holds the rows that the transaction has locked to change them.
	changed map[string]overlay.Intent
}

var _ overlay.Environment = (*part)(nil)

func newPart(transaction *Transaction, lake *lake, created bool) *part {
	result := &part{transaction: transaction, lake: lake, created: created, changed: map[string]overlay.Intent{}}
	for _, catalog := range lake.catalogs {
		result.domains = append(result.domains, catalog.Begin(result))
	}
	return result
}

// Schema gives the name of the schema.
func (p *part) Schema() string { return p.lake.schema }

// OID gives the OID of a relation's name.
func (p *part) OID(name string) uint32 {
	return p.transaction.session.database.relations.oid(p.lake.schema, name)
}

// Snapshot gives the state that the running statement reads.
func (p *part) Snapshot(ctx context.Context) (store.Reader, error) {
	if p.pinned == nil {
		p.awaitTurn(ctx)
	}
	if p.pinned == nil || p.stale {
		if err := p.pin(); err != nil {
			return nil, err
		}
	}
	return p.pinned.Snapshot, nil
}

// pin pins the published snapshot, keeping the one before for open cursors.
func (p *part) pin() error {
	pinned, err := p.lake.pin()
	if err != nil {
		return err
	}
	p.stale = false
	switch {
	case p.pinned == pinned:
		p.lake.unpin(pinned)
	case p.pinned != nil:
		p.older = append(p.older, p.pinned)
		if len(p.older) > maximumPins {
			p.lake.unpin(p.older[0])
			p.older = p.older[1:]
		}
	}
	p.pinned = pinned
	return nil
}

// Latest gives the newest committed state.
func (p *part) Latest(_ context.Context, read func(store.Reader) error) error {
	latest, err := p.lake.pin()
	if err != nil {
		return err
	}
	defer p.lake.unpin(latest)
	return read(latest.Snapshot)
}

// BeginWrite refuses a read-only transaction, a second lake, and a lake that takes no commits.
func (p *part) BeginWrite(ctx context.Context) error {
	t := p.transaction
	if err := t.checkWritable(); err != nil {
		return err
	}
	if err := p.lake.writable(); err != nil {
		return err
	}
	if before := t.written; before != nil && before != p && before.dirty() && t.reaches(before) {
		return pgerror.New(pgerror.FeatureNotSupported, "writing schemas %q and %q in one transaction is not supported",
			before.lake.schema, p.lake.schema).
			WithHint("Each schema is a lake with a store of its own; commit the changes of one before writing the other.")
	}
	t.written = p
	return nil
}

// Lock takes the lock of a row. Who comes too late is told so before it waits, as in PostgreSQL.
func (p *part) Lock(ctx context.Context, key string, intent overlay.Intent) error {
	if p.created {
		return nil
	}
	if _, err := p.Snapshot(ctx); err != nil {
		return err
	}
	if intent != overlay.ToInsert {
		if err := p.lake.checkUnchanged(key, p.pinned); err != nil {
			return err
		}
	}
	name := lockName{kind: rowLock, lake: p.lake, key: key}
	if err := p.transaction.acquire(ctx, name, false); err != nil {
		return err
	}
	if intent == overlay.ToInsert {
		return nil
	}
	if err := p.lake.checkUnchanged(key, p.pinned); err != nil {
		return err
	}
	before, present := p.changed[key]
	if present && before == intent {
		return nil
	}
	p.changed[key] = intent
	p.Journal(func() {
		// The row is not changed after all. The lock may stay for a while.
		if delete(p.changed, key); present {
			p.changed[key] = before
		}
	})
	return nil
}

// Journal registers how to undo a change.
func (p *part) Journal(undo func()) { p.transaction.journal = append(p.transaction.journal, undo) }

func (p *part) dirty() bool {
	for _, domain := range p.domains {
		if domain.Dirty() {
			return true
		}
	}
	return false
}

// find asks the domains for a relation.
func (p *part) find(ctx context.Context, name string) (relation.Relation, overlay.Domain, error) {
	for _, domain := range p.domains {
		found, err := domain.Relation(ctx, name)
		if err != nil || found != nil {
			return found, domain, storeError(err)
		}
	}
	return nil, nil, nil
}

// definitions asks the domains for all relations.
func (p *part) definitions(ctx context.Context) ([]*relation.Definition, error) {
	var all []*relation.Definition
	for _, domain := range p.domains {
		definitions, err := domain.Definitions(ctx)
		if err != nil {
			return nil, storeError(err)
		}
		all = append(all, definitions...)
	}
	return all, nil
}

// createTable gives a table to the first domain that takes it.
func (p *part) createTable(ctx context.Context, definition *relation.Definition) error {
	for _, domain := range p.domains {
		if taken, err := domain.CreateTable(ctx, definition); taken || err != nil {
			return storeError(err)
		}
	}
	return pgerror.Unsupported("a table named " + definition.Name)
}

// close releases the snapshots and the lake.
func (p *part) close() {
	if p.pinned != nil {
		p.lake.unpin(p.pinned)
	}
	for _, pinned := range p.older {
		p.lake.unpin(pinned)
	}
	p.pinned, p.older = nil, nil
	if p.created {
		p.lake.close()
		return
	}
	p.transaction.session.database.release(p.lake)
}
