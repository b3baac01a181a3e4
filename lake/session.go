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

// Session is one client's connection to a database. Only terminate and Waiting may be called from another goroutine.
type Session struct {
	database    *database
	scope       string // of the OIDs of its temporary tables
	temporary   temporaryTables
	transaction *Transaction // the open one

	// A session whose transaction held the ticket of a lake in vain goes before others for a while.
	lostLake *lake
	lostAt   time.Time

	waiting atomic.Bool

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
	if err := s.Err(); err != nil {
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

// Waiting tells whether a statement of the session waits for a lock.
func (s *Session) Waiting() bool { return s.waiting.Load() }

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

// hasLost tells whether the session has just held the ticket of a lake in vain.
func (s *Session) hasLost(lake *lake) bool {
	return s.lostLake == lake && time.Since(s.lostAt) < loserWindow
}
