package pgwire

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net"
	"sync"
	"time"

	"moraine/pgerror"
)

// ErrServerClosed is what Serve returns after Shutdown.
var ErrServerClosed = errors.New("pgwire: server closed")

// Server accepts connections and runs a session of its handler on each.
type Server struct {
	handler     Handler
	config      Config
	decoySecret []byte
	stopping    chan struct{} // closed by Shutdown

	mutex         sync.Mutex
	listeners     map[net.Listener]struct{}
	connections   map[*connection]struct{}
	sessions      map[uint32]*connection // by process id
	lastProcessID uint32
	empty         chan struct{} // closed when a stopping server has no connections left
}

// NewServer makes a server that opens its sessions with handler.
func NewServer(handler Handler, config Config) *Server {
	secret := make([]byte, 32)
	rand.Read(secret) // never fails
	return &Server{
		handler:     handler,
		config:      config.withDefaults(),
		decoySecret: secret,
		stopping:    make(chan struct{}),
		listeners:   map[net.Listener]struct{}{},
		connections: map[*connection]struct{}{},
		sessions:    map[uint32]*connection{},
		empty:       make(chan struct{}),
	}
}

// Serve accepts connections until Shutdown (ErrServerClosed) or until the listener fails. It closes the listener. It may
// be called for several listeners.
func (s *Server) Serve(listener net.Listener) error {
	defer listener.Close()
	if !s.addListener(listener) {
		return ErrServerClosed
	}
	for {
		socket, err := listener.Accept()
		if err != nil {
			if s.closing() {
				return ErrServerClosed
			}
			if errors.Is(err, net.ErrClosed) {
				return err
			}
			s.config.Logger.Error().Err(err).Msg("connection not accepted")
			select {
			case <-time.After(acceptRetryDelay):
			case <-s.stopping:
			}
			continue
		}
		c := newConnection(s, socket)
		if !s.add(c) {
			socket.Close()
			continue
		}
		go func() {
			defer s.remove(c)
			c.serve()
		}()
	}
}

// Shutdown ends the server. It stops accepting, ends idle sessions with 57P01 and lets the others finish the message that
// they are at. When ctx is done first, statements are cancelled, sessions that do not end within a short time lose their
// connection, and the error of ctx is returned.
func (s *Server) Shutdown(ctx context.Context) error {
	reason := adminShutdown()
	s.stop(reason)
	select {
	case <-s.empty:
		return nil
	case <-ctx.Done():
	}
	s.cutOff(reason, terminationGrace)
	return ctx.Err()
}

// Abort ends the server at once: statements are cancelled, sessions get the reason as their last word, and those that do not
// end within twice the grace are left behind, which is an error.
func (s *Server) Abort(reason *pgerror.Error, grace time.Duration) error {
	s.stop(reason)
	if !s.cutOff(reason, grace) {
		return errors.New("pgwire: sessions do not end")
	}
	return nil
}

// EndSessions ends the sessions that are open, of a server that goes on: statements are cancelled, and sessions get the
// reason as their last word. Those that have not ended after the grace lose their connection, whatever they still wait for.
func (s *Server) EndSessions(reason *pgerror.Error, grace time.Duration) {
	s.mutex.Lock()
	ending := make([]*connection, 0, len(s.sessions))
	for _, c := range s.sessions {
		ending = append(ending, c)
	}
	s.mutex.Unlock()
	for _, c := range ending {
		c.abort(reason)
	}
	time.Sleep(grace)
	for _, c := range ending {
		c.socket.Close() // most are closed already
	}
}

// cutOff ends all sessions of a server that is stopping: after a grace by closing their connections. It tells whether they have
// ended after another one.
func (s *Server) cutOff(reason *pgerror.Error, grace time.Duration) bool {
	s.each(func(c *connection) { c.abort(reason) })
	select {
	case <-s.empty:
		return true
	case <-time.After(grace):
	}
	s.each(func(c *connection) { c.socket.Close() })
	select {
	case <-s.empty:
		return true
	case <-time.After(grace):
		return false
	}
}

func adminShutdown() *pgerror.Error {
	return pgerror.Fatal(pgerror.AdminShutdown, "terminating connection due to administrator command")
}

// stop makes the server accept nothing more and tells its connections to end.
func (s *Server) stop(reason *pgerror.Error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closing() {
		return
	}
	close(s.stopping)
	if len(s.connections) == 0 {
		close(s.empty)
	}
	for c := range s.connections {
		c.drain(reason)
	}
	for listener := range s.listeners {
		listener.Close()
	}
}

func (s *Server) each(do func(*connection)) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for c := range s.connections {
		do(c)
	}
}

func (s *Server) closing() bool {
	select {
	case <-s.stopping:
		return true
	default:
		return false
	}
}

func (s *Server) addListener(listener net.Listener) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.listeners[listener] = struct{}{}
	return !s.closing()
}

// add takes note of a connection; false when there are too many, or no more are wanted.
func (s *Server) add(c *connection) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closing() || len(s.connections) >= s.config.MaxSessions+unauthenticatedConnections {
		return false
	}
	s.connections[c] = struct{}{}
	return true
}

func (s *Server) remove(c *connection) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.connections, c)
	if s.sessions[c.processID] == c {
		delete(s.sessions, c.processID)
	}
	if s.closing() && len(s.connections) == 0 {
		close(s.empty)
	}
}

// admit gives a connection that wants a session its process id, or refuses it with 53300.
func (s *Server) admit(c *connection) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.sessions) >= s.config.MaxSessions {
		return pgerror.Fatal(pgerror.TooManyConnections, "sorry, too many clients already").
			WithDetail("The server has a limit of %d sessions.", s.config.MaxSessions)
	}
	for {
		s.lastProcessID++
		if s.lastProcessID > 1<<31-1 { // clients take it for an int32
			s.lastProcessID = 1
		}
		if _, taken := s.sessions[s.lastProcessID]; !taken {
			break
		}
	}
	c.processID = s.lastProcessID
	s.sessions[c.processID] = c
	return nil
}

// cancelWithKey serves a CancelRequest.
func (s *Server) cancelWithKey(processID uint32, secret []byte) {
	c := s.find(processID)
	if c != nil && subtle.ConstantTimeCompare(c.secret[:], secret) == 1 {
		c.cancelMessage(userRequest())
	}
}

func userRequest() *pgerror.Error {
	return pgerror.New(pgerror.QueryCanceled, "canceling statement due to user request")
}

// Cancel cancels the statement that a session runs, as a CancelRequest does; false when there is no such session.
func (s *Server) Cancel(processID uint32) bool {
	c := s.find(processID)
	if c == nil {
		return false
	}
	c.cancelMessage(userRequest())
	return true
}

// Terminate ends a session with 57P01; false when there is none with that process id.
func (s *Server) Terminate(processID uint32) bool {
	c := s.find(processID)
	if c == nil {
		return false
	}
	c.abort(adminShutdown())
	return true
}

func (s *Server) find(processID uint32) *connection {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.sessions[processID]
}
