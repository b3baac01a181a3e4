package server

import (
	"context"
	"errors"
	"fmt"
	"net"

	"moraine/lake"
	"moraine/pgwire"
	"moraine/role"
	"moraine/server/lease"
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
	// lease is the right to serve the store; nil where servers do not share it or this one only reads, and before it is taken.
	lease     *lease.Lease
	readiness readiness
	standby   *standby // nil where it is none
	handler   *handler
	listener  net.Listener
	wire      *pgwire.Server
	failed    chan error // gets what ended the serving

	stopping  chan struct{} // closed by Shutdown
	fencing   fencing
	unsettled bool // requests to the engine are under way that nobody waits for: it is not closed
}

// Start opens the store and serves it, or waits for its turn in the background as a standby. The context bounds the start
// only.
func Start(ctx context.Context, config Config) (*Server, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	s := &Server{config: config, failed: make(chan error, maximumFailures), stopping: make(chan struct{})}
	// The address comes first: a server that cannot have it must not make a store, or take one from another server.
	if err := s.listen(ctx); err != nil {
		return nil, err
	}
	s.handler = newHandler(config)
	s.wire = pgwire.NewServer(s.handler, pgwire.Config{
		TLS:            config.TLS,
		Users:          config.Users,
		Account:        func(user string) (pgwire.Verifier, bool) { return account(s.roles, user) },
		Ready:          s.readiness.check,
		MaxMessageSize: config.MaxMessageSize,
		MaxSessions:    config.MaxSessions,
		Logger:         config.Logger,
	})
	s.handler.wire = s.wire
	go func() {
		if err := s.wire.Serve(s.listener); err != pgwire.ErrServerClosed {
			s.failed <- fmt.Errorf("no more connections can be accepted: %w", err)
		}
	}()
	if err := s.open(ctx); err != nil {
		close(s.stopping)
		return nil, errors.Join(err, s.wire.Abort(startFailed(), fencedGrace), s.closeStore())
	}
	return s, nil
}

// open opens the engine, and takes the store or stands by for it.
func (s *Server) open(ctx context.Context) error {
	engine, err := engine.Open(ctx, s.config.Store, engine.Options{ReadOnly: s.config.ReadOnly, Log: s.log})
	if errors.Is(err, store.ErrLocked) {
		return &storeInUse{store: s.config.Store, cause: err}
	}
	if err != nil {
		return err
	}
	s.engine = engine
	objects, shared := engine.(store.Objects)
	switch {
	case s.config.Standby:
		s.standBy(objects)
		return nil
	case !shared || s.config.ReadOnly:
	case s.config.Heartbeat < 0:
		s.lease = lease.Unclaimed(s.leaseConfig(objects))
	default:
		if s.lease, err = lease.Acquire(ctx, s.leaseConfig(objects)); err != nil {
			s.unsettled = errors.Is(err, lease.ErrUnsettled)
			return err
		}
	}
	return s.serve(ctx)
}

func (s *Server) log(format string, arguments ...any) {
	s.config.Logger.Error().Str("store", engine.Redacted(s.config.Store)).Msgf(format, arguments...)
}

// serve opens the lakes, and lets clients in.
func (s *Server) serve(ctx context.Context) error {
	lakes, serving := s.engine, func() error { return nil }
	if s.lease != nil {
		lakes, serving = s.lease.Guard(s.engine), s.lease.Err
		s.fencing.done.Go(s.watchLease)
	}
	if err := s.openRoles(ctx, lakes); err != nil {
		return err
	}
	instance, err := lake.Open(ctx, lakes, lake.Options{
		MaxIdleHold: s.config.MaxIdleHold, ReadOnly: s.config.ReadOnly, PollInterval: s.config.PollInterval,
		Serving: serving, Log: s.log,
	})
	if err != nil {
		return err
	}
	s.instance = instance
	s.handler.instance, s.handler.roles = instance, s.roles
	s.warnOfOpenDoors()
	s.readiness.set(serving)
	event := s.config.Logger.Info().Str("address", s.Address()).Str("store", engine.Redacted(s.config.Store)).Str("version", s.config.Version)
	if s.lease != nil {
		event = event.Uint64("epoch", s.lease.Epoch())
	}
	event.Msg("serving")
	return nil
}

// openRoles opens the roles, or follows those of the server that writes them.
func (s *Server) openRoles(ctx context.Context, engine store.Engine) (err error) {
	if !s.config.ReadOnly {
		s.roles, err = openRoles(ctx, engine)
		return err
	}
	if s.following, err = followRoles(ctx, engine, s.config.PollInterval, s.log); err != nil {
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

// Failed gives the error that ended the serving: no connection can be accepted, or another server has taken over.
// Shutdown must still be called.
func (s *Server) Failed() <-chan error { return s.failed }

// Shutdown ends the server: sessions finish the message they are at until ctx is done, then they are cut off. The store
// is closed in any case. What goes wrong is logged, too.
func (s *Server) Shutdown(ctx context.Context) error {
	close(s.stopping)
	s.standby.end()
	s.fencing.done.Wait()
	if s.fencing.left != nil { // sessions that use the store: it is safe without being closed, as after a crash
		return s.fencing.left
	}
	cutOff := s.wire.Shutdown(ctx)
	if cutOff != nil {
		s.config.Logger.Warn().Err(cutOff).Msg("statements were cut off")
	}
	closing := s.closeStore()
	if closing != nil {
		s.config.Logger.Error().Err(closing).Str("store", engine.Redacted(s.config.Store)).Msg("the store was not closed well")
	}
	s.config.Logger.Info().Str("store", engine.Redacted(s.config.Store)).Msg("stopped")
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
	if s.lease != nil {
		ctx, cancel := context.WithTimeout(context.Background(), releaseLimit)
		defer cancel()
		if err := s.lease.Release(ctx); err != nil {
			return errors.Join(closing, err)
		}
	}
	if s.engine == nil || s.unsettled {
		return closing
	}
	return errors.Join(closing, s.engine.Close())
}
