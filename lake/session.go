package lake

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"moraine/pgerror"
	"moraine/relation"
)

// Session is one client's connection to a database. Only terminate, Waiting and idle may be called from
// another goroutine.
type Session struct {
	database    *database
	scope       string // of the OIDs of its temporary tables
	temporary   temporaryTables
	transaction *Transaction // the open one

	forecast    forecast
	lockTimeout time.Duration // 0 for none but the server's

	waiting   atomic.Bool
	idleSince atomic.Int64 // when it began to wait for its client, in Unix nanoseconds; 0 while a message is worked on

	mutex sync.Mutex
	err   error
	done  chan struct{}
}

var _ relation.Session = (*Session)(nil)

func newSession(database *database, number uint64) *Session {
	return &Session{database: database, scope: fmt.Sprintf("pg_temp_%d", number), done: make(chan struct{})}
}

// Database tells which database it is.
func (s *Session) Database() relation.DatabaseInfo { return s.database.info }

// Begin starts a transaction; a session has one at a time.
func (s *Session) Begin(_ context.Context, options relation.TransactionOptions) (relation.Transaction, error) {
	if err := s.checkServed(); err != nil {
		return nil, err
	}
	if s.transaction != nil {
		return nil, pgerror.New(pgerror.ActiveSQLTransaction, "there is already a transaction in progress")
	}
	s.transaction = newTransaction(s, options)
	return s.transaction, nil
}

// DropTemporary drops all temporary tables.
func (s *Session) DropTemporary(context.Context) error {
	if s.transaction != nil {
		return pgerror.New(pgerror.ActiveSQLTransaction, "temporary tables cannot be dropped together within a transaction")
	}
	s.temporary.clear()
	s.database.relations.release(s.scope)
	return nil
}

// Done is closed when the server ends the session.
func (s *Session) Done() <-chan struct{} { return s.done }

// Err says why the server has ended the session.
func (s *Session) Err() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.err
}

// checkServed gives the reason why the session may not be answered any more, or not now.
func (s *Session) checkServed() error {
	if err := s.Err(); err != nil {
		return err
	}
	return s.database.instance.options.Serving()
}

// Waiting tells whether a statement of the session waits for a lock.
func (s *Session) Waiting() bool { return s.waiting.Load() }

// SetLockTimeout limits each wait for a lock from now on; 0 leaves the server's own limit.
func (s *Session) SetLockTimeout(timeout time.Duration) { s.lockTimeout = timeout }

// SetActive tells whether a message of the client is worked on, or the session waits for the next one.
func (s *Session) SetActive(active bool) {
	since := int64(0)
	if !active {
		since = time.Now().UnixNano()
	}
	s.idleSince.Store(since)
}

// idle gives how long the session has waited for its client; 0 while it works. It may be called from any goroutine.
func (s *Session) idle() time.Duration {
	since := s.idleSince.Load()
	if since == 0 {
		return 0
	}
	return time.Since(time.Unix(0, since))
}

func (s *Session) terminate(reason error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.err == nil {
		s.err = reason
		close(s.done)
	}
}

// Close rolls back what is open and forgets the session. It may be called twice.
func (s *Session) Close() {
	if s.transaction != nil {
		s.transaction.Rollback()
	}
	s.temporary.clear()
	s.database.relations.release(s.scope)
	s.database.leave(s)
}
