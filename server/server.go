package server

import (
	"context"
	"errors"
	"fmt"
	"net"

	"moraine/lake"
	"moraine/pgwire"
	"moraine/role"
	"moraine/sqlmap/advisory"
	"moraine/sqlmap/notification"
	"moraine/store"
	"moraine/store/engine"
)

// Server is a running Moraine.
type Server struct {
	config   Config
	engine   store.Engine
	instance *lake.Instance
	roles    *role.Registry
	// following keeps the roles up with the server that writes them; nil where this one does.
	following *followingRoles
	listener  net.Listener
	wire      *pgwire.Server
	served    chan error // gets what ended the accepting of connections
}

// Start opens the store and serves it. The context bounds the start only.
func Start(ctx context.Context, config Config) (*Server, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	s := &Server{config: config, served: make(chan error, 1)}
	// The address comes first: a server that cannot have it must not make a store, or take one from another server.
	if err := s.listen(ctx); err != nil {
		return nil, err
	}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.closeStore(), s.listener.Close())
	}
	handler := &handler{
		instance: s.instance, roles: s.roles, locks: advisory.NewTable(), hub: notification.NewHub(),
		version: config.Version, maxSessions: config.MaxSessions, readOnly: config.ReadOnly, sessions: map[uint32]*session{},
	}
	if handler.maxSessions == 0 {
		handler.maxSessions = pgwire.DefaultMaxSessions
	}
	s.wire = pgwire.NewServer(handler, pgwire.Config{
		TLS:            config.TLS,
		Users:          config.Users,
		Account:        func(user string) (pgwire.Verifier, bool) { return account(s.roles, user) },
		MaxMessageSize: config.MaxMessageSize,
		MaxSessions:    config.MaxSessions,
		Logger:         config.Logger,
	})
	handler.wire = s.wire
	s.warnOfOpenDoors()
	go func() { s.served <- s.wire.Serve(s.listener) }()
	config.Logger.Info().Str("address", s.Address()).Str("store", config.Store).Str("version", config.Version).Msg("serving")
	return s, nil
}

// open opens the engine and the lakes in it.
func (s *Server) open(ctx context.Context) error {
	log := func(format string, arguments ...any) {
		s.config.Logger.Error().Str("store", engine.Redacted(s.config.Store)).Msgf(format, arguments...)
	}
	engine, err := engine.Open(ctx, s.config.Store, engine.Options{ReadOnly: s.config.ReadOnly, Log: log})
	if errors.Is(err, store.ErrLocked) {
		return &storeInUse{store: s.config.Store, cause: err}
	}
	if err != nil {
		return err
	}
	s.engine = engine
	if err := s.openRoles(ctx, log); err != nil {
		return err
	}
	s.instance, err = lake.Open(ctx, engine, lake.Options{
		MaxIdleHold: s.config.MaxIdleHold, ReadOnly: s.config.ReadOnly, PollInterval: s.config.PollInterval, Log: log,
	})
	return err
}

// openRoles opens the roles, or follows those of the server that writes them.
func (s *Server) openRoles(ctx context.Context, log func(format string, arguments ...any)) (err error) {
	if !s.config.ReadOnly {
		s.roles, err = openRoles(ctx, s.engine)
		return err
	}
	if s.following, err = followRoles(ctx, s.engine, s.config.PollInterval, log); err != nil {
		return err
	}
	s.roles = s.following.registry
	return nil
}

// storeInUse says in one sentence what store.ErrLocked means to an operator.
type storeInUse struct {
	store string
	cause error
}

func (e *storeInUse) Error() string {
	return fmt.Sprintf("the store %s is in use by another process", e.store)
}
func (e *storeInUse) Unwrap() error { return e.cause }

func (s *Server) listen(ctx context.Context) error {
	var listening net.ListenConfig
	listener, err := listening.Listen(ctx, "tcp", s.config.Listen)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", s.config.Listen, err)
	}
	s.listener = listener
	return nil
}

// warnOfOpenDoors says who is let in when no users are configured.
func (s *Server) warnOfOpenDoors() {
	if len(s.config.Users) > 0 {
		return
	}
	s.config.Logger.Warn().Msg("no users are configured: every user of this machine is let in under any name that is no role with a password")
	if !loopback(s.Address()) {
		s.config.Logger.Warn().Str("address", s.Address()).Msg("other machines can reach this address, and are refused but for roles with passwords")
	}
}

// Address gives the address that clients connect to, host:port.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Failed gives the error that ended the accepting of connections. Shutdown must still be called.
func (s *Server) Failed() <-chan error { return s.served }

// Shutdown ends the server: sessions finish the message they are at until ctx is done, then they are cut off. The store
// is closed in any case. What goes wrong is logged, too.
func (s *Server) Shutdown(ctx context.Context) error {
	cutOff := s.wire.Shutdown(ctx)
	if cutOff != nil {
		s.config.Logger.Warn().Err(cutOff).Msg("statements were cut off")
	}
	closing := s.closeStore()
	if closing != nil {
		s.config.Logger.Error().Err(closing).Str("store", s.config.Store).Msg("the store was not closed well")
	}
	s.config.Logger.Info().Str("store", s.config.Store).Msg("stopped")
	return errors.Join(cutOff, closing)
}

func (s *Server) closeStore() error {
	if s.instance != nil {
		s.instance.Close()
	}
	var closing error
	if s.roles != nil {
		closing = s.roles.Close()
	}
	if s.following != nil {
		s.following.close()
	}
	if s.engine == nil {
		return closing
	}
	return errors.Join(closing, s.engine.Close())
}
