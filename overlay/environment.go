package overlay

import (
	"context"

	"moraine/store"
)

// Environment is what the relations of one lake need of the transaction that they belong to.
type Environment interface {
	// Schema gives the name of the schema that the lake is.
	Schema() string
	// OID gives the OID of the lake's relation of that name: the same for a name as long as the server runs.
	OID(name string) uint32
	// Snapshot gives the state that the running statement reads, pinning it when nothing was read before.
	Snapshot(ctx context.Context) (store.Reader, error)
	// Latest gives the newest committed state to read, for constraints that other transactions' commits can break. The
	// reader is valid within the call only.
	Latest(ctx context.Context, read func(store.Reader) error) error
	// BeginWrite must be called before each change. It refuses a read-only transaction (25006) and a second lake
	// (0A000).
	BeginWrite(ctx context.Context) error
	// Lock takes the row lock named by key to the end of the transaction, waiting for whoever holds it. A row that was
	// changed by a commit after the snapshot is 40001 (but see ToInsert), a deadlock 40P01, too long a wait 55P03.
	Lock(ctx context.Context, key string, intent Intent) error
	// Ticket takes the lake's commit ticket to the end of the transaction, first come first served.
	Ticket(ctx context.Context) error
	// Journal registers how to undo the change just made; rolling back to a savepoint calls the functions in reverse.
	Journal(undo func())
}

// Intent is what a transaction does to a row that it locks.
type Intent uint8

// Intents. ToUpdate and ToDelete choose the words of the 40001 that another transaction gets. ToInsert is for the lock of a
// key that a constraint keeps single: it only waits, and its holder then looks at the latest state.
const (
	ToUpdate Intent = iota
	ToDelete
	ToInsert
)
