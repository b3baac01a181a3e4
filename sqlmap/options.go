package sqlmap

import (
	"context"

	"moraine/relation"
	"moraine/role"
	"moraine/sqlmap/advisory"
	"moraine/sqlmap/notification"
)

// Options says for whom a session is and on what it works.
type Options struct {
	// Instance holds the databases; NewSession connects to Database in it (3D000 when there is none of that name).
	Instance relation.Instance
	Database string
	User     string
	// Roles are the roles of the server; nil for a session that knows none but the owner.
	Roles *role.Registry
	// PasswordVerifier gives what is kept of a password; nil when roles can have none.
	PasswordVerifier func(password string) (string, error)
	// Parameters are the run-time parameters of the startup message, by name; "options" is already split into them.
	Parameters map[string]string
	ProcessID  uint32
	// RemoteAddress and LocalAddress are the ends of the client's connection, host:port; anything else for a Unix socket.
	RemoteAddress, LocalAddress string
	// Report hears of each setting that the protocol reports by ParameterStatus: all of them before NewSession returns,
	// later each one that changes.
	Report func(name, value string)
	// Version is server_version, such as "15.14 (Moraine 1.0)": PostgreSQL's version first, for clients choose their
	// catalog queries by it.
	Version string
	// VersionText is what version() gives; it begins with "PostgreSQL ".
	VersionText string
	// DatabaseSize gives the bytes that a database takes on its store; nil when that is not known.
	DatabaseSize func(ctx context.Context, database string) (int64, error)
	// Sessions lists the sessions of the server for pg_stat_activity; nil shows this session alone.
	Sessions func() []SessionInfo
	// AdvisoryLocks and Notifications are what the sessions of the server share; nil gives the session its own.
	AdvisoryLocks *advisory.Table
	Notifications *notification.Hub
	// SignalBackend serves pg_cancel_backend and pg_terminate_backend: it tells whether there is such a session. nil when
	// the server cannot do it.
	SignalBackend func(processID uint32, terminate bool) bool
	// ReadOnly says that the server only reads what another one writes. Its sessions say of themselves what those of a
	// standby of PostgreSQL do.
	ReadOnly bool
	// MaximumConnections is what max_connections shows.
	MaximumConnections int
}

// SessionInfo describes one session of the server.
type SessionInfo struct {
	ProcessID       uint32
	User            string
	Database        string
	ApplicationName string
	RemoteAddress   string
	Waiting         bool // for a lock
}
