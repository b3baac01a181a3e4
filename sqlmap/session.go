package sqlmap

import (
	"context"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/role"
	"moraine/sqlmap/advisory"
	"moraine/sqlmap/function"
	"moraine/sqlmap/notification"
	"moraine/sqlmap/pgcatalog"
	"moraine/sqlmap/setting"
)

// Limits of one session.
const (
	// MaximumPreparedStatements bounds the named prepared statements.
	MaximumPreparedStatements = 10_000
	// MaximumPortals bounds the portals and cursors that are open.
	MaximumPortals = 1_000
	// MaximumSavepoints bounds the savepoints of a transaction.
	MaximumSavepoints = 10_000
	// MaximumChannels bounds the channels that a session listens to.
	MaximumChannels = 10_000
	// MaximumKeptRows bounds the rows that a cursor keeps: one that scrolls, is held, locks rows, or is open in READ COMMITTED.
	MaximumKeptRows = 2_000_000
	// maximumRetries bounds how often READ COMMITTED repeats a statement whose rows others have changed.
	maximumRetries = 100
	// maximumArbiterRetries bounds how often it repeats an INSERT whose ON CONFLICT did not see a key that is taken.
	maximumArbiterRetries = 10
)

// Session is one client's conversation. Its methods are called one at a time, but for Busy, Waiting, Done and Err. Errors carry a
// SQLSTATE (pgerror.From); after an error of any method inside a transaction block the transaction is a failed one.
type Session struct {
	options    Options
	connection relation.Session
	database   relation.DatabaseInfo
	started    time.Time
	settings   *setting.Values
	derived    derivedSettings
	authority  authority

	advisoryLocks *advisory.Owner
	listener      *notification.Listener

	transaction *transaction // nil outside of one
	statements  map[string]*preparedStatement
	portals     map[string]*portal

	// What belongs to the message or statement under way.
	context  context.Context
	out      ResultWriter
	function function.Context
	catalog  *pgcatalog.Catalog
	query    string
	// moment grows when a statement starts and when definitions change: what was bound at another moment is bound anew.
	moment uint64
	// lakeReads counts the tables and functions of lakes that names were found to mean.
	lakeReads uint64

	busy      atomic.Bool
	done      chan struct{}
	closed    chan struct{}
	endOnce   sync.Once
	endReason error
	idleTimer *time.Timer
}

// processStart is when this server started.
var processStart = time.Now()

// NewSession connects to the database and takes the client's parameters: 3D000 for an unknown database, and SET's errors for
// wrong parameters.
func NewSession(ctx context.Context, options Options) (*Session, error) {
	if options.AdvisoryLocks == nil {
		options.AdvisoryLocks = advisory.NewTable()
	}
	if options.Notifications == nil {
		options.Notifications = notification.NewHub()
	}
	connection, err := options.Instance.Connect(ctx, options.Database)
	if err != nil {
		return nil, err
	}
	s := &Session{
		options: options, connection: connection, database: connection.Database(), started: time.Now(),
		statements: map[string]*preparedStatement{}, portals: map[string]*portal{},
		done: make(chan struct{}), closed: make(chan struct{}),
	}
	if s.options.Roles == nil {
		s.options.Roles = role.New()
	}
	s.advisoryLocks, s.listener = options.AdvisoryLocks.NewOwner(), options.Notifications.NewListener(s.database.OID)
	s.settings = setting.New(s.fixedSettings())
	for name, value := range options.Parameters {
		if err := s.settings.SetStartup(name, value); err != nil {
			connection.Close()
			return nil, err
		}
	}
	s.function = function.Context{
		User: options.User, Database: s.database.Name, DatabaseOID: s.database.OID, ProcessID: options.ProcessID,
		ServerStart: processStart, InRecovery: options.ReadOnly, Catalog: functionCatalog{s},
	}
	if address, err := netip.ParseAddrPort(options.RemoteAddress); err == nil {
		s.function.ClientAddress = address
	}
	if address, err := netip.ParseAddrPort(options.LocalAddress); err == nil {
		s.function.ServerAddress = address
	}
	if err := s.logIn(); err != nil {
		connection.Close()
		return nil, err
	}
	s.derive()
	s.report()
	go s.watch()
	return s, nil
}

// watch passes on that the database ends the session.
func (s *Session) watch() {
	select {
	case <-s.connection.Done():
		s.end(s.connection.Err())
	case <-s.closed:
	}
}

// end makes Done and Err tell that the session has to end.
func (s *Session) end(reason error) {
	s.endOnce.Do(func() {
		s.endReason = reason
		close(s.done)
	})
}

// Status is the byte of ReadyForQuery: 'I' idle, 'T' in a transaction block, 'E' in a failed one.
func (s *Session) Status() byte {
	switch {
	case s.transaction == nil || !s.transaction.block:
		return 'I'
	case s.transaction.failed:
		return 'E'
	}
	return 'T'
}

// Waiting tells whether the session waits for a lock. It may be called from any goroutine.
func (s *Session) Waiting() bool { return s.connection.Waiting() || s.advisoryLocks.Waiting() }

// Busy tells whether a message is being worked on. It may be called from any goroutine.
func (s *Session) Busy() bool { return s.busy.Load() }

// Done is closed when the session has to end although its client did not ask for it.
func (s *Session) Done() <-chan struct{} { return s.done }

// Err tells why, once Done is closed.
func (s *Session) Err() error {
	select {
	case <-s.done:
		return s.endReason
	default:
		return nil
	}
}

// Close rolls back what is open and gives up the connection to the database.
func (s *Session) Close() {
	s.stopIdleTimer()
	s.closePortals(func(*portal) bool { return true })
	if s.transaction != nil {
		s.transaction.rollback()
		s.transaction = nil
	}
	s.advisoryLocks.EndTransaction(0)
	s.advisoryLocks.UnlockAll()
	s.listener.UnlistenAll()
	close(s.closed)
	s.connection.Close()
}

// enter begins the work on a message; what it returns ends it.
func (s *Session) enter(ctx context.Context, out ResultWriter) func() {
	s.stopIdleTimer()
	s.busy.Store(true)
	s.connection.SetActive(true)
	s.context, s.out = ctx, out
	return func() {
		s.out = nil
		s.connection.SetActive(false)
		s.busy.Store(false)
	}
}

// leave ends a sequence of messages that is answered by ReadyForQuery: the client hears of changed settings, and from now
// on its idling counts.
func (s *Session) leave() {
	s.report()
	s.startIdleTimer()
}

// notice sends a notice or warning, unless client_min_messages keeps it back.
func (s *Session) notice(severity, code, format string, arguments ...any) error {
	return s.notify(pgerror.New(code, format, arguments...), severity)
}

func (s *Session) notify(notice *pgerror.Error, severity string) error {
	if s.out == nil || !s.derived.sends(severity) {
		return nil
	}
	notice.Severity = severity
	return s.out.Notice(notice)
}

func (s *Session) warn(code, format string, arguments ...any) error {
	return s.notice(pgerror.SeverityWarning, code, format, arguments...)
}

// startIdleTimer begins to count the time that the client idles, where a setting limits it.
func (s *Session) startIdleTimer() {
	limit, code, reason := s.derived.idleTimeout, "57P05", "terminating connection due to idle-session timeout"
	if s.transaction != nil && s.transaction.block {
		limit = s.derived.idleInTransactionTimeout
		code, reason = pgerror.IdleInTransactionSessionTimeout, "terminating connection due to idle-in-transaction timeout"
	}
	if limit > 0 {
		s.idleTimer = time.AfterFunc(limit, func() { s.end(pgerror.Fatal(code, "%s", reason)) })
	}
}

func (s *Session) stopIdleTimer() {
	if s.idleTimer != nil {
		s.idleTimer.Stop()
		s.idleTimer = nil
	}
}
