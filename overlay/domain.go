package overlay

import (
	"context"

	"moraine/relation"
	"moraine/store"
)

// Domain is one package's part of a lake within one transaction: the relations over the subspaces that it owns. A lake asks
// its domains in turn; each answers for the names that are its own.
type Domain interface {
	// Relation finds a relation by its exact name; nil when this domain has none. The same relation is given each time
	// until a DDL statement changes it.
	Relation(ctx context.Context, name string) (relation.Relation, error)
	// Definitions lists the relations that introspection should show, in order of creation as far as it is known.
	Definitions(ctx context.Context) ([]*relation.Definition, error)

	// CreateTable makes a relation; taken tells that the name belongs to this domain. The caller has checked that the
	// name is free. AlterTable and DropTable change and remove one that Relation gives.
	CreateTable(ctx context.Context, definition *relation.Definition) (taken bool, err error)
	AlterTable(ctx context.Context, name string, definition *relation.Definition, fill map[int16]relation.Value) error
	DropTable(ctx context.Context, name string) error

	// EndMessage checks the rules that a commit must keep, as relation.Transaction.EndMessage says.
	EndMessage(ctx context.Context) error
	// Stage adds the keys of the transaction's changes to the batch. latest is the newest committed state, which no other
	// commit of the lake can change until this one has ended: records that hold several rows are built from it. It may
	// show changes that become durable together with this one, or not at all, but see Serial.
	Stage(ctx context.Context, latest store.Reader, batch *store.Batch) error
	// Committed is called once the batch is durable, before another transaction can see it: what the domain keeps in
	// memory for the lake is brought up to date here.
	Committed()
	// Dirty tells whether there is anything to stage.
	Dirty() bool
	// Serial tells that Stage may remember what it reads of the domain's keys, so that these must be durable by then.
	Serial() bool
}
