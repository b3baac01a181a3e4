package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"moraine/pgerror"
	"moraine/server/lease"
	"moraine/store"
	"moraine/store/engine"
)

const (
	// fencedGrace is how long the sessions of a server that was fenced may take to end, and as long again once their
	// connections are closed.
	fencedGrace = 250 * time.Millisecond
	// doubtInterval is the time between two looks whether the lease still holds. Statements look for themselves; this is for
	// those that wait for a store that does not answer.
	doubtInterval = 50 * time.Millisecond
	// releaseLimit bounds how long the end of a server waits for its last word in the store, and for requests before it.
	releaseLimit = 15 * time.Second
	// maximumFailures is how many failures a server may have that nobody asks for.
	maximumFailures = 3
)

// validateFailover checks the values of heartbeats and standby servers.
func (c Config) validateFailover() error {
	if c.Heartbeat < 0 {
		if c.Standby {
			return errors.New("a standby server needs heartbeats: it takes over when those of the other server stop")
		}
		return nil
	}
	if err := lease.Validate(c.Heartbeat, c.TakeoverAfter); err != nil {
		return err
	}
	switch {
	case c.Standby && !engine.Remote(c.Store):
		return fmt.Errorf("a standby server needs a store that servers can share, named by a URL; the directory %s belongs to one process (for a shared directory: file:///path)", c.Store)
	case c.Standby && c.ReadOnly:
		return errors.New("a read-only server takes nothing over: it cannot be a standby")
	}
	return nil
}

// readiness is whether clients are let in. The zero value is that of a server that starts. Safe for concurrent use.
type readiness struct{ current atomic.Pointer[func() error] }

func (r *readiness) set(check func() error) { r.current.Store(&check) }

// check gives nil when clients are let in, and otherwise the FATAL for them.
func (r *readiness) check() error {
	if check := r.current.Load(); check != nil {
		return (*check)()
	}
	return pgerror.Fatal(pgerror.CannotConnectNow, "the database system is starting up")
}

func startFailed() *pgerror.Error {
	return pgerror.Fatal(pgerror.CannotConnectNow, "the database system could not start")
}

// standby waits in the background for its turn.
type standby struct {
	stop context.CancelFunc
	done chan struct{}
}

// standBy begins to wait until the store is to be taken over, and serves it then.
func (s *Server) standBy(objects store.Objects) {
	ctx, stop := context.WithCancel(context.Background())
	s.standby = &standby{stop: stop, done: make(chan struct{})}
	s.readiness.set(inStandby(nil))
	s.config.Logger.Info().Str("address", s.Address()).Str("store", engine.Redacted(s.config.Store)).Str("version", s.config.Version).
		Msg("standing by")
	go func() {
		defer close(s.standby.done)
		held, err := lease.Await(ctx, s.leaseConfig(objects), func(holder lease.Holder) {
			s.readiness.set(inStandby(&holder))
			s.config.Logger.Info().Str("by", holder.String()).Msg("the store is served by another server")
		})
		if err == nil {
			s.lease = held
			err = s.serve(ctx)
		}
		s.unsettled = errors.Is(err, lease.ErrUnsettled)
		if err != nil && ctx.Err() == nil {
			s.failed <- fmt.Errorf("the store could not be taken over: %w", err)
		}
	}()
}

// end ends the waiting.
func (s *standby) end() {
	if s != nil {
		s.stop()
		<-s.done
	}
}

// inStandby gives the readiness of a server that waits; the holder is nil while it does not know who serves.
func inStandby(holder *lease.Holder) func() error {
	return func() error {
		refusal := pgerror.Fatal(pgerror.CannotConnectNow, "the database system is in standby mode")
		if holder == nil {
			return refusal.WithDetail("This server serves as soon as it knows that no other one does.")
		}
		return refusal.WithDetail("It takes over when %s ends.", holder).WithHint("%s", holder.Hint())
	}
}

// leaseConfig says how this server holds the store.
func (s *Server) leaseConfig(objects store.Objects) lease.Config {
	return lease.Config{
		Objects: objects, Address: reachable(s.Address()), Heartbeat: s.config.Heartbeat, TakeoverAfter: s.config.TakeoverAfter,
		Logger: s.config.Logger,
	}
}

// reachable gives the address under which other machines find a listener: the machine's name where it listens on all of its
// addresses.
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsUnspecified() {
		return address
	}
	name, err := os.Hostname()
	if err != nil {
		return address
	}
	return net.JoinHostPort(name, port)
}

// fencing is what is known once another server has taken over.
type fencing struct {
	done sync.WaitGroup // of the goroutine that waits for it
	left error          // says that sessions have not ended; set before done
}

// watchLease ends all sessions when the lease is in doubt, because another server may answer by now, and the server when it is
// lost.
func (s *Server) watchLease() {
	doubts := time.NewTicker(doubtInterval)
	defer doubts.Stop()
	doubted := false
	for {
		select {
		case <-s.stopping:
			return
		case <-s.lease.Lost():
			s.endFenced(pgerror.From(s.lease.Err()))
			return
		case <-doubts.C:
			err := s.lease.Err()
			if err != nil && !doubted {
				reason := pgerror.From(err)
				s.config.Logger.Error().Err(reason).Str("detail", reason.Detail).Msg("nothing is answered until the store can be reached: sessions are ended")
				s.wire.EndSessions(reason, fencedGrace)
			}
			doubted = err != nil
		}
	}
}

// endFenced ends the sessions of a server that another one has replaced.
func (s *Server) endFenced(reason *pgerror.Error) {
	s.config.Logger.Error().Err(reason).Str("detail", reason.Detail).Uint64("epoch", s.lease.Epoch()).
		Msg("this server is fenced: its sessions are ended")
	s.fencing.left = s.wire.Abort(reason, fencedGrace)
	s.failed <- reason
}
