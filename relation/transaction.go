package relation

import (
	"context"
	"time"
)

// Instance is all databases of one server.
type Instance interface {
	// Databases lists the databases by name.
	Databases(ctx context.Context) ([]DatabaseInfo, error)
	// Connect opens a session on a database; 3D000 when there is none of that name.
	Connect(ctx context.Context, database string) (Session, error)
	// CreateDatabase makes a database with an empty schema public; 42P04 when it exists.
	CreateDatabase(ctx context.Context, name string) error
	// DropDatabase removes it with all its lakes; 55006 while other sessions use it unless force; 3D000 when there is
	// none.
	DropDatabase(ctx context.Context, name string, force bool) error
}

// DatabaseInfo is one database of an instance.
type DatabaseInfo struct {
	OID  uint32
	Name string
}

// Session is one client's connection to a database. It owns the client's temporary tables. Not for concurrent use, but for
// Waiting.
type Session interface {
	Database() DatabaseInfo
	// Begin starts a transaction; the snapshot is pinned by its first read or write.
	Begin(ctx context.Context, options TransactionOptions) (Transaction, error)
	// DropTemporary drops all temporary tables (DISCARD TEMP). Not within a transaction.
	DropTemporary(ctx context.Context) error
	// Done is closed when the server ends the session from its side (DROP DATABASE ... FORCE); Err then says why.
	Done() <-chan struct{}
	Err() error
	// SetLockTimeout limits each wait for a lock from now on: 55P03 when it is over. 0 leaves the server's own limit.
	SetLockTimeout(timeout time.Duration)
	// SetActive tells whether a message of the client is worked on, or the session waits for the next one: who keeps others
	// waiting for its locks and is idle for too long is ended (25P03).
	SetActive(active bool)
	// Waiting tells whether a statement of the session waits for a lock now. It may be called from any goroutine.
	Waiting() bool
	Close()
}

// Isolation is a transaction isolation level.
type Isolation uint8

// Isolation levels. Serializable is run as RepeatableRead.
const (
	ReadCommitted Isolation = iota
	RepeatableRead
	Serializable
)

// TransactionOptions are those of BEGIN.
type TransactionOptions struct {
	Isolation Isolation
	ReadOnly  bool
}

// ReadOnlyServerHint is what to do about a write that a read-only server refuses.
const ReadOnlyServerHint = "This server was started with --read-only. Connect to the server that writes the store."

// SchemaInfo is one schema of a database: a lake, or the session's schema of temporary tables.
type SchemaInfo struct {
	OID       uint32
	Name      string
	Temporary bool
}

// TemporarySchema is the name by which a transaction knows the session's own schema of temporary tables.
const TemporarySchema = "pg_temp"

// Transaction is one transaction over the schemas of a database. Reads see one snapshot (each statement its own under
// ReadCommitted) and the transaction's own writes. It writes at most one lake (0A000 at the first statement that would
// write a second) and temporary tables. Not for concurrent use. pg_catalog and information_schema are not part of it.
type Transaction interface {
	// StartStatement is called before each statement; under ReadCommitted the next read pins a new snapshot.
	StartStatement(ctx context.Context) error
	// Schemas lists the schemas.
	Schemas(ctx context.Context) ([]SchemaInfo, error)
	// Relation finds a relation by exact names; nil and no error when there is none. A relation of kind Table is a
	// Writable.
	Relation(ctx context.Context, schema, name string) (Relation, error)
	// Definitions lists the relations of a schema, ordered by OID.
	Definitions(ctx context.Context, schema string) ([]*Definition, error)
	// Function finds a function that a schema's lake offers, by exact names; nil and no error when there is none.
	Function(ctx context.Context, schema, name string) (*TableFunction, error)

	// CreateSchema makes an empty lake; 42P06 when it exists.
	CreateSchema(ctx context.Context, name string) error
	// DropSchema drops a lake with all that it holds; 3F000 when there is none, 2BP01 when it has relations and cascade
	// is false.
	DropSchema(ctx context.Context, name string, cascade bool) error
	// CreateTable makes a table from a definition without OID; 42P07 when the name is taken, 3F000 when there is no such
	// schema. In TemporarySchema it makes a temporary table.
	CreateTable(ctx context.Context, definition *Definition) error
	// DropTable removes a table; 42P01 when there is none.
	DropTable(ctx context.Context, schema, name string) error
	// AlterTable puts another definition in the place of a table's. Columns are matched by Number: those with a new
	// number are added (every present row gets fill's value for it), those that are gone are dropped; names, defaults,
	// constraints, comments and NOT NULL may differ. A changed type is converted by the caller beforehand: 0A000 here.
	AlterTable(ctx context.Context, schema, name string, definition *Definition, fill map[int16]Value) error

	// Savepoint marks the state of the transaction; RollbackTo undoes what was written since the mark (which stays
	// valid), and Unlock then gives up the locks that were taken since: who runs a statement again keeps what it has waited
	// for. Marks are released with the transaction.
	Savepoint() Mark
	RollbackTo(ctx context.Context, mark Mark) error
	Unlock(mark Mark)

	// EndMessage is called at the end of each protocol message in which no statement failed: it checks the rules of a
	// commit once a snapshot row was inserted, while an error can still reach the client in its batch.
	EndMessage(ctx context.Context) error
	// Commit makes the writes durable as one batch and ends the transaction, on error too (then rolled back).
	Commit(ctx context.Context) error
	// Rollback ends the transaction. It is harmless after Commit.
	Rollback()
	// Writes tells whether the transaction has changed anything.
	Writes() bool
}

// Mark is a place in a transaction's history: of its writes, and of its locks.
type Mark struct {
	Writes int
	Locks  uint64
}
