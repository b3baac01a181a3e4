package sqlmap

import (
	"context"
	"sync/atomic"
	"time"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/role"
	"moraine/sqlmap/setting"
)

// transaction is the session's transaction under way: a block (BEGIN ... COMMIT), or the implicit transaction of a Query
// message or of the extended messages up to Sync.
type transaction struct {
	block bool
	// multiple tells that the implicit transaction is that of a message with several statements.
	multiple   bool
	failed     bool
	options    relation.TransactionOptions
	isolation  string // as SHOW transaction_isolation prints it
	deferrable bool
	began      time.Time
	settings   setting.State // before the transaction
	savepoints []savepoint
	// handle is nil until a statement reads or writes, so that SET TRANSACTION can still choose its options.
	handle relation.Transaction
	// roleChanges are made durable with the rest.
	roleChanges []role.Change
	// queried tells that a query has run, so that the isolation level is fixed.
	queried bool
	// lookingUp tells that the handle is for definitions only and ends with the message.
	lookingUp bool
	// started tells that the statement under way has been started in the handle.
	started   bool
	announced announcements
}

// savepoint is a named mark.
type savepoint struct {
	name     string
	mark     relation.Mark
	settings setting.State
	roles    int // of roleChanges
	// locks and announced are the advisory locks and announcements of the transaction at that moment.
	locks     int
	announced announcementMark
}

// transactions counts the transactions of this process, for txid_current.
var transactions atomic.Uint64

func (t *transaction) rollback() {
	if t.handle != nil {
		t.handle.Rollback()
		t.handle = nil
	}
}

// begin starts a transaction with the session's default characteristics.
func (s *Session) begin(block bool) {
	name := s.settings.Raw("default_transaction_isolation")
	s.transaction = &transaction{
		block: block, isolation: name, began: time.Now(), settings: s.settings.State(),
		deferrable: s.settings.Raw("default_transaction_deferrable") == "on",
		options: relation.TransactionOptions{
			Isolation: isolationOf(name), ReadOnly: s.options.ReadOnly || s.settings.Raw("default_transaction_read_only") == "on",
		},
	}
	s.function.TransactionTime, s.function.TransactionID = s.transaction.began, transactions.Add(1)
	s.derived.format.TransactionTime, s.function.Format.TransactionTime = s.transaction.began, s.transaction.began
	s.catalog = nil
	s.moment++ // relations belong to their transaction: what was bound before it began is bound anew
}

// handle gives the transaction of the database, which begins with its first use, with the statement started in it.
func (s *Session) handle() (relation.Transaction, error) {
	t := s.transaction
	if t.handle == nil {
		options := t.options
		options.ReadOnly = options.ReadOnly || t.lookingUp
		handle, err := s.connection.Begin(s.context, options)
		if err != nil {
			return nil, err
		}
		t.handle = handle
	}
	if !t.started {
		if err := t.handle.StartStatement(s.context); err != nil {
			return nil, err
		}
		t.started = true
	}
	return t.handle, nil
}

// lookUp binds a statement that is not run yet. The first one of a REPEATABLE READ block is bound in a handle of its own, so
// that the snapshot of the block is pinned by the first statement that reads rows: as late as possible, because a writer whose
// snapshot is not the newest loses its commit.
func (s *Session) lookUp(bind func() error) error {
	t := s.transaction
	if !t.block || t.handle != nil || t.options.Isolation == relation.ReadCommitted {
		return bind()
	}
	t.lookingUp = true
	defer func() {
		t.lookingUp = false
		t.rollback()
		s.catalog = nil
		s.moment++
	}()
	return bind()
}

// startStatement makes what a statement sees: its time, its settings and, under READ COMMITTED, its snapshot.
func (s *Session) startStatement() error {
	if err := s.settlePortals(); err != nil {
		return err
	}
	s.authorize()
	s.derive()
	s.function.StatementTime = time.Now()
	s.catalog = nil
	s.transaction.started = false
	s.moment++
	return nil
}

// commit makes the transaction durable and ends it. On an error it is rolled back.
func (s *Session) commit() error {
	t := s.transaction
	defer s.advisoryLocks.EndTransaction(0)
	if err := s.holdCursors(); err != nil {
		s.rollback()
		return err
	}
	s.endPortals(0)
	s.transaction = nil
	if err := s.commitHandle(t); err != nil {
		s.settings.Restore(t.settings)
		return err
	}
	s.settings.EndLocal()
	s.announce(&t.announced)
	return nil
}

// commitHandle makes what the transaction has written durable, and the changes of roles after it.
func (s *Session) commitHandle(t *transaction) error {
	commit := func() error {
		if t.handle == nil {
			return nil
		}
		return t.handle.Commit(s.context)
	}
	if len(t.roleChanges) == 0 {
		return commit()
	}
	err := s.options.Roles.Commit(s.context, t.roleChanges, commit)
	if err != nil {
		t.rollback() // which does nothing once it has been committed
	}
	return err
}

// rollback ends the transaction without its writes and settings.
func (s *Session) rollback() {
	t := s.transaction
	s.closePortals(func(p *portal) bool { return p.transaction == t })
	s.transaction = nil
	t.rollback()
	s.advisoryLocks.EndTransaction(0)
	s.settings.Restore(t.settings)
}

// fail marks that a message failed: a block becomes a failed one, an implicit transaction is rolled back.
func (s *Session) fail() {
	switch t := s.transaction; {
	case t == nil:
	case t.block:
		t.failed = true
		s.endPortals(len(t.savepoints))
		// Nobody has to wait for its locks until the client ends the block, or goes back to a savepoint.
		if last := len(t.savepoints) - 1; last >= 0 && s.undoTo(&t.savepoints[last]) == nil {
			break
		}
		if len(t.savepoints) == 0 {
			t.rollback()
			s.advisoryLocks.EndTransaction(0)
		}
	default:
		s.rollback()
	}
}

// endMessage ends a message or a sequence of messages without an error. A block goes on once its rules have been checked; an
// implicit transaction is committed.
func (s *Session) endMessage() error {
	t := s.transaction
	if t == nil || t.failed {
		return nil
	}
	if t.handle != nil {
		if err := t.handle.EndMessage(s.context); err != nil {
			return err
		}
	}
	if !t.block {
		return s.commit()
	}
	return nil
}

// aborted is the error for a statement in a failed block.
func aborted() error {
	return pgerror.New(pgerror.InFailedSQLTransaction, "current transaction is aborted, commands ignored until end of transaction block")
}

// readOnly gives the error for a command that writes in a read-only transaction.
func (s *Session) readOnly(command string) error {
	if !s.transaction.options.ReadOnly {
		return nil
	}
	err := pgerror.New(pgerror.ReadOnlySQLTransaction, "cannot execute %s in a read-only transaction", command)
	if s.options.ReadOnly {
		return err.WithHint(relation.ReadOnlyServerHint)
	}
	return err
}

// duringRecovery gives the error for a command that a read-only transaction may run, but not a server that only reads. The
// words are PostgreSQL's.
func (s *Session) duringRecovery(command string) error {
	if !s.options.ReadOnly {
		return nil
	}
	return pgerror.New(pgerror.ReadOnlySQLTransaction, "cannot execute %s during recovery", command).WithHint(relation.ReadOnlyServerHint)
}

// inBlock tells whether statements are run together: in a block, or in the implicit transaction of several statements.
func (s *Session) inBlock() bool {
	return s.transaction != nil && (s.transaction.block || s.transaction.multiple)
}

// outsideBlock gives the error for a command that needs a transaction block and is not in one.
func (s *Session) outsideBlock(command string) error {
	if !s.inBlock() {
		return pgerror.New(pgerror.NoActiveSQLTransaction, "%s can only be used in transaction blocks", command)
	}
	return nil
}

// insideBlock gives the error for a command that cannot run in a transaction block.
func (s *Session) insideBlock(command string) error {
	if s.inBlock() {
		return pgerror.New(pgerror.ActiveSQLTransaction, "%s cannot run inside a transaction block", command)
	}
	return nil
}

// withTimeout limits the context of a statement to statement_timeout.
func (s *Session) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	s.derive()
	if s.derived.statementTimeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, s.derived.statementTimeout,
		pgerror.New(pgerror.QueryCanceled, "canceling statement due to statement timeout"))
}

// cause puts the reason of a cancelled context in the place of an error that only tells of the cancellation.
func cause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && (pgerror.From(err).Code == pgerror.QueryCanceled || pgerror.From(err).Code == pgerror.InternalError) {
		return context.Cause(ctx)
	}
	return err
}
