package server

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"moraine/lake"
	"moraine/pgwire"
	"moraine/role"
	"moraine/sqlmap"
	"moraine/sqlmap/advisory"
	"moraine/sqlmap/notification"
)

// postgresVersion is the version of PostgreSQL whose catalogs, types and results are served. Clients choose their
// queries by it.
const postgresVersion = "15.14"

// handler opens a SQL session for each connection.
type handler struct {
	instance    *lake.Instance
	roles       *role.Registry
	locks       *advisory.Table
	hub         *notification.Hub
	version     string // of this build
	maxSessions int
	readOnly    bool
	wire        *pgwire.Server

	mutex    sync.Mutex
	sessions map[uint32]*session // by process id
}

var _ pgwire.Handler = (*handler)(nil)

// newHandler makes a handler of no sessions. Instance, roles and wire are set before the first one is opened.
func newHandler(config Config) *handler {
	maxSessions := config.MaxSessions
	if maxSessions == 0 {
		maxSessions = pgwire.DefaultMaxSessions
	}
	return &handler{
		locks: advisory.NewTable(), hub: notification.NewHub(), version: config.Version, maxSessions: maxSessions,
		readOnly: config.ReadOnly, sessions: map[uint32]*session{},
	}
}

// Open starts a session.
func (h *handler) Open(ctx context.Context, startup pgwire.Startup, report func(name, value string)) (pgwire.Session, error) {
	opened, err := sqlmap.NewSession(ctx, sqlmap.Options{
		Instance:           h.instance,
		Database:           startup.Database,
		User:               startup.User,
		Roles:              h.roles,
		PasswordVerifier:   passwordVerifier,
		Parameters:         startup.Parameters,
		ProcessID:          startup.ProcessID,
		RemoteAddress:      startup.RemoteAddress,
		LocalAddress:       startup.LocalAddress,
		Report:             report,
		Version:            fmt.Sprintf("%s (Moraine %s)", postgresVersion, h.version),
		VersionText:        fmt.Sprintf("PostgreSQL %s (Moraine %s) on %s/%s", postgresVersion, h.version, runtime.GOOS, runtime.GOARCH),
		DatabaseSize:       h.instance.DatabaseSize,
		AdvisoryLocks:      h.locks,
		Notifications:      h.hub,
		Sessions:           h.list,
		SignalBackend:      h.signal,
		MaximumConnections: h.maxSessions,
		ReadOnly:           h.readOnly,
	})
	if err != nil {
		return nil, err
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	added := &session{Session: opened, handler: h, info: sqlmap.SessionInfo{
		ProcessID:       startup.ProcessID,
		User:            startup.User,
		Database:        startup.Database,
		ApplicationName: startup.Parameters["application_name"],
		RemoteAddress:   startup.RemoteAddress,
	}}
	h.sessions[startup.ProcessID] = added
	return added, nil
}

// list gives the sessions that are open.
func (h *handler) list() []sqlmap.SessionInfo {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	sessions := make([]sqlmap.SessionInfo, 0, len(h.sessions))
	for _, open := range h.sessions {
		info := open.info
		info.Waiting = open.Waiting()
		sessions = append(sessions, info)
	}
	return sessions
}

// signal cancels the statement of a session or ends the session; false when there is none.
func (h *handler) signal(processID uint32, terminate bool) bool {
	if terminate {
		return h.wire.Terminate(processID)
	}
	return h.wire.Cancel(processID)
}

func (h *handler) forget(processID uint32) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	delete(h.sessions, processID)
}
