package lake

import (
	"cmp"
	"context"
	"slices"

	"moraine/overlay"
	"moraine/pgerror"
	"moraine/relation"
)

// Transaction is one transaction of a session.
type Transaction struct {
	session *Session
	options relation.TransactionOptions
	owner   owner
	journal []func()

	parts     map[string]*part // the lakes in use that were there before, by schema
	changes   []schemaChange   // CREATE SCHEMA and DROP SCHEMA, in order
	temporary *temporaryPart   // nil until used
	written   *part            // the part that was written last
	finished  bool
}

var _ relation.Transaction = (*Transaction)(nil)

func newTransaction(session *Session, options relation.TransactionOptions) *Transaction {
	return &Transaction{session: session, options: options, owner: owner{session: session}, parts: map[string]*part{}}
}

// StartStatement lets the next read of a READ COMMITTED transaction pin new snapshots.
func (t *Transaction) StartStatement(context.Context) error {
	if err := t.checkOpen(); err != nil {
		return err
	}
	if t.options.Isolation == relation.ReadCommitted {
		for _, part := range t.parts {
			part.stale = true
		}
	}
	return nil
}

func (t *Transaction) checkOpen() error {
	if t.finished {
		return pgerror.New(pgerror.NoActiveSQLTransaction, "the transaction has ended")
	}
	return t.session.checkServed()
}

func (t *Transaction) checkWritable() error {
	if err := t.checkOpen(); err != nil {
		return err
	}
	if err := t.session.database.instance.checkWritable(); err != nil {
		return err
	}
	if t.options.ReadOnly {
		return pgerror.New(pgerror.ReadOnlySQLTransaction, "cannot write in a read-only transaction")
	}
	return nil
}

// acquire takes a lock to the end of the transaction.
func (t *Transaction) acquire(ctx context.Context, name lockName, urgent bool) error {
	return t.session.database.locks.acquire(ctx, name, &t.owner, urgent)
}

func (t *Transaction) holds(name lockName) bool {
	return t.session.database.locks.holds(name, &t.owner)
}

// Relation finds a relation.
func (t *Transaction) Relation(ctx context.Context, schema, name string) (relation.Relation, error) {
	found, _, err := t.find(ctx, schema, name)
	return found, err
}

// find gives a relation and the domain that it belongs to; nil when there is none.
func (t *Transaction) find(ctx context.Context, schema, name string) (relation.Relation, overlay.Domain, error) {
	if err := t.checkOpen(); err != nil {
		return nil, nil, err
	}
	if schema == relation.TemporarySchema {
		part, err := t.temporaryPart(ctx)
		if err != nil {
			return nil, nil, err
		}
		found, err := part.tables.Relation(ctx, name)
		return found, part.tables, err
	}
	part, err := t.part(ctx, schema)
	if err != nil || part == nil {
		return nil, nil, err
	}
	return part.find(ctx, name)
}

// Definitions lists the relations of a schema by OID.
func (t *Transaction) Definitions(ctx context.Context, schema string) ([]*relation.Definition, error) {
	if err := t.checkOpen(); err != nil {
		return nil, err
	}
	definitions, err := t.definitions(ctx, schema)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(definitions, func(a, b *relation.Definition) int { return cmp.Compare(a.OID, b.OID) })
	return definitions, nil
}

func (t *Transaction) definitions(ctx context.Context, schema string) ([]*relation.Definition, error) {
	if schema == relation.TemporarySchema {
		part, err := t.temporaryPart(ctx)
		if err != nil {
			return nil, err
		}
		return part.tables.Definitions(ctx)
	}
	part, err := t.part(ctx, schema)
	if err != nil || part == nil {
		return nil, err
	}
	return part.definitions(ctx)
}

// CreateTable makes a table.
func (t *Transaction) CreateTable(ctx context.Context, definition *relation.Definition) error {
	found, _, err := t.find(ctx, definition.Schema, definition.Name)
	if err != nil {
		return err
	}
	if found != nil && !relation.IsDropped(found) {
		return pgerror.New(pgerror.DuplicateTable, "relation %q already exists", definition.Name)
	}
	if definition.Schema == relation.TemporarySchema {
		temporary := *definition
		temporary.Persistence = relation.Temporary
		_, err := t.temporary.tables.CreateTable(ctx, &temporary)
		return err
	}
	part, err := t.part(ctx, definition.Schema)
	if err != nil {
		return err
	}
	if part == nil {
		return unknownSchema(definition.Schema)
	}
	if err := part.BeginWrite(ctx); err != nil {
		return err
	}
	return part.createTable(ctx, definition)
}

// DropTable removes a table.
func (t *Transaction) DropTable(ctx context.Context, schema, name string) error {
	domain, err := t.domainOf(ctx, schema, name)
	if err != nil {
		return err
	}
	return storeError(domain.DropTable(ctx, name))
}

// AlterTable changes a table's definition.
func (t *Transaction) AlterTable(ctx context.Context, schema, name string, definition *relation.Definition, fill map[int16]relation.Value) error {
	domain, err := t.domainOf(ctx, schema, name)
	if err != nil {
		return err
	}
	if definition.Name != name {
		if taken, _, err := t.find(ctx, schema, definition.Name); err != nil {
			return err
		} else if taken != nil {
			return pgerror.New(pgerror.DuplicateTable, "relation %q already exists", definition.Name)
		}
	}
	return storeError(domain.AlterTable(ctx, name, definition, fill))
}

// domainOf finds the domain of a table that is to be changed.
func (t *Transaction) domainOf(ctx context.Context, schema, name string) (overlay.Domain, error) {
	found, domain, err := t.find(ctx, schema, name)
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		return nil, pgerror.New(pgerror.UndefinedTable, "table %q does not exist", name)
	case schema == relation.TemporarySchema:
		return domain, nil
	}
	part, err := t.part(ctx, schema)
	if err != nil {
		return nil, err
	}
	return domain, part.BeginWrite(ctx)
}

// Savepoint marks the present state.
func (t *Transaction) Savepoint() relation.Mark {
	return relation.Mark{Writes: len(t.journal), Locks: t.session.database.locks.taken(&t.owner)}
}

// RollbackTo undoes what was written since the mark.
func (t *Transaction) RollbackTo(_ context.Context, mark relation.Mark) error {
	if err := t.checkOpen(); err != nil {
		return err
	}
	if mark.Writes < 0 || mark.Writes > len(t.journal) {
		return pgerror.New(pgerror.InvalidSavepointSpecification, "the savepoint is gone")
	}
	for len(t.journal) > mark.Writes {
		last := len(t.journal) - 1
		undo := t.journal[last]
		t.journal[last] = nil
		t.journal = t.journal[:last]
		undo()
	}
	return nil
}

// Unlock gives up the locks that were taken since the mark.
func (t *Transaction) Unlock(mark relation.Mark) {
	t.session.database.locks.releaseSince(&t.owner, mark.Locks)
}

// EndMessage checks the rules that a commit must keep.
func (t *Transaction) EndMessage(ctx context.Context) error {
	part := t.written
	if part == nil || !t.reaches(part) {
		return nil
	}
	for _, domain := range part.domains {
		if err := domain.EndMessage(ctx); err != nil {
			return storeError(err)
		}
	}
	return nil
}

// Writes tells whether the transaction has changed anything.
func (t *Transaction) Writes() bool {
	return t.dirtyPart() != nil || len(t.changes) > 0 || t.temporary != nil && t.temporary.tables.Dirty()
}

// dirtyPart gives the part that has changes to commit; there is at most one.
func (t *Transaction) dirtyPart() *part {
	if t.written != nil && t.reaches(t.written) && t.written.dirty() {
		return t.written
	}
	return nil
}

// Rollback ends the transaction without its writes.
func (t *Transaction) Rollback() {
	if t.finished {
		return
	}
	t.finish(false)
}

// finish releases everything that the transaction holds.
func (t *Transaction) finish(committed bool) {
	t.finished = true
	t.session.transaction = nil
	for _, part := range t.parts {
		part.learn(committed)
		part.close()
	}
	t.closeCreated()
	if t.temporary != nil {
		_ = t.temporary.state.Close() // memory does not fail
	}
	t.session.database.locks.release(&t.owner)
	t.journal = nil
}
