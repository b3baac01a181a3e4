package pgwire

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"runtime/debug"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/rs/zerolog"

	"moraine/pgerror"
)

// errTerminated says that the client has said goodbye.
var errTerminated = errors.New("pgwire: client terminated the session")

// connection is one client, from the accepted socket to its end. All of it runs in one goroutine, but for what is said
// to be callable from others.
type connection struct {
	server    *Server
	socket    net.Conn
	encrypted *tls.Conn // nil in clear
	input     *input
	output    *output
	results   resultWriter
	log       zerolog.Logger

	processID uint32
	secret    [4]byte // of BackendKeyData
	session   Session

	skipUntilSync bool // after an error in an extended message
	inSequence    bool // extended messages have come since the last Sync

	mutex    sync.Mutex
	waiting  bool                    // for the client, in input.next
	notified bool                    // notifications wait for the client to be idle
	cancel   context.CancelCauseFunc // of the message under way; nil between messages
	ending   *pgerror.Error          // why the session must end; nil while it need not
	forced   bool                    // it must end even if it is busy
}

func newConnection(server *Server, socket net.Conn) *connection {
	c := &connection{
		server: server,
		socket: socket,
		output: newOutput(socket, server.config.WriteTimeout),
		log:    server.config.Logger.With().Str("client", socket.RemoteAddr().String()).Logger(),
	}
	c.input = newInput(socket, c.clientLost)
	c.results = resultWriter{output: c.output, connection: c}
	rand.Read(c.secret[:]) // never fails
	return c
}

// serve runs the connection to its end.
func (c *connection) serve() {
	defer c.close()
	err := c.run()
	var known *pgerror.Error
	switch {
	case err == nil || err == errTerminated || err == io.EOF || silent(err):
		c.log.Debug().AnErr("reason", err).Msg("connection ended")
		return
	case errors.As(err, &known):
	case err == errTimeout:
		known = pgerror.Fatal(pgerror.ProtocolViolation, "authentication timed out after %s", c.server.config.AuthenticationTimeout)
	case err == errInterrupted:
		known = c.endReason()
	default:
		known = pgerror.Fatal(pgerror.ProtocolViolation, "unexpected end of file within a message").WithCause(err)
	}
	c.log.Debug().AnErr("reason", known).AnErr("cause", known.Unwrap()).Msg("connection ended by the server")
	c.sayGoodbye(known)
}

// sayGoodbye sends the FATAL that ends the connection.
func (c *connection) sayGoodbye(reason *pgerror.Error) {
	fields := c.output.errorFields(reason, pgerror.SeverityFatal)
	if c.send(&fields) == nil && (reason.Code == pgerror.ProtocolViolation || reason.Code == pgerror.ProgramLimitExceeded) {
		c.linger()
	}
}

// linger drops some of what the client still sends, so that it can read the error before its connection is reset.
func (c *connection) linger() {
	if half, ok := c.socket.(interface{ CloseWrite() error }); !ok || half.CloseWrite() != nil {
		return
	}
	c.socket.SetReadDeadline(time.Now().Add(lingerTimeout))
	io.CopyN(io.Discard, c.socket, lingerSize)
}

func (c *connection) close() {
	c.input.unwatch()
	if c.encrypted != nil {
		c.encrypted.Close()
	}
	c.socket.Close()
}

// run gives the reason of the connection's end.
func (c *connection) run() (err error) {
	defer c.recoverPanic(&err)
	startup, err := c.open()
	if err != nil || startup == nil {
		return err
	}
	defer c.closeSession()
	c.log.Debug().Str("user", startup.User).Str("database", startup.Database).Uint32("process_id", c.processID).Msg("session started")

	ended := make(chan struct{})
	defer close(ended)
	go c.watchSession(ended)
	return c.serveMessages()
}

// endOf gives the reason of a session that is done.
func endOf(session Session) *pgerror.Error {
	if err := session.Err(); err != nil {
		return pgerror.From(err)
	}
	return adminShutdown()
}

// recoverPanic makes a panic the end of its own connection only.
func (c *connection) recoverPanic(err *error) {
	if value := recover(); value != nil {
		c.log.Error().Interface("panic", value).Bytes("stack", debug.Stack()).Msg("session panicked")
		*err = pgerror.Fatal(pgerror.InternalError, "internal error: the session has ended").
			WithHint("The server's log says more.")
	}
}

func (c *connection) closeSession() {
	var err error
	defer c.recoverPanic(&err)
	c.session.Close()
}

// open takes the connection from its first byte to an open session; nil and no error when it asked for none.
func (c *connection) open() (*Startup, error) {
	c.mutex.Lock()
	c.waiting = true
	ending := c.ending
	c.mutex.Unlock()
	if ending != nil {
		return nil, ending
	}
	c.input.setDeadline(time.Now().Add(c.server.config.AuthenticationTimeout))
	startup, err := c.receiveStartup()
	if err != nil || startup == nil {
		return nil, err
	}
	if ready := c.server.config.Ready; ready != nil {
		if err := ready(); err != nil {
			return nil, pgerror.From(err)
		}
	}
	if err := c.server.admit(c); err != nil {
		return nil, err
	}
	startup.ProcessID = c.processID
	if err := c.authenticate(startup.User); err != nil {
		c.logRefusal(startup, err)
		return nil, err
	}
	c.input.setDeadline(time.Time{})
	c.mutex.Lock()
	c.waiting = false
	c.mutex.Unlock()

	ctx := c.begin()
	session, err := c.server.handler.Open(ctx, *startup, c.output.parameterStatus)
	c.finish()
	if err != nil {
		return nil, clientError(ctx, err)
	}
	c.session = session
	if encoder, ok := session.(TextEncoder); ok {
		c.output.encodeText = encoder.EncodeText
	}
	c.output.statuses = appendKeyData(c.output.statuses, c.processID, c.secret)
	return startup, c.output.ready(session.Status())
}

func appendKeyData(buffer []byte, processID uint32, secret [4]byte) []byte {
	// Encoding fails for messages above 1 GB only.
	encoded, _ := (&pgproto3.BackendKeyData{ProcessID: processID, SecretKey: secret[:]}).Encode(buffer)
	return encoded
}

// serveMessages answers message after message.
func (c *connection) serveMessages() error {
	for {
		kind, body, err := c.receive()
		if err != nil {
			return err
		}
		if err := c.handle(kind, body); err != nil {
			return err
		}
	}
}

// receive waits for the next message, or for a reason to end.
func (c *connection) receive() (kind byte, body []byte, err error) {
	for {
		if wrote, err := c.notify(); err != nil {
			return 0, nil, err
		} else if wrote {
			if err := c.output.flush(); err != nil {
				return 0, nil, err
			}
		}
		c.mutex.Lock()
		if c.ending != nil && (c.forced || !c.busy()) {
			defer c.mutex.Unlock()
			return 0, nil, c.ending
		}
		if c.notified && c.idle() {
			c.mutex.Unlock()
			continue
		}
		c.waiting = true
		c.input.resume()
		c.mutex.Unlock()

		kind, body, err = c.input.next(c.messageLimit)

		c.mutex.Lock()
		c.waiting = false
		c.mutex.Unlock()
		if err != errInterrupted {
			return kind, body, err
		}
	}
}

// busy tells whether a session that must end is given the time for more messages: it is between an Execute and the Sync
// that commits it.
func (c *connection) busy() bool { return c.inSequence || c.session.Busy() }

// begin starts the work on a message: its context is cancelled by a CancelRequest, by the end of the client, and when the
// session is forced to end.
func (c *connection) begin() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	c.mutex.Lock()
	c.cancel = cancel
	if c.forced {
		cancel(c.ending)
	}
	c.mutex.Unlock()
	c.input.watch()
	return ctx
}

// finish ends the work on a message.
func (c *connection) finish() {
	c.input.unwatch()
	c.mutex.Lock()
	cancel := c.cancel
	c.cancel = nil
	c.mutex.Unlock()
	cancel(nil)
}

// cancelMessage cancels the message under way, if there is one. Any goroutine may call it.
func (c *connection) cancelMessage(reason *pgerror.Error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.cancel != nil {
		c.cancel(reason)
	}
}

// clientLost is called by the goroutine that watches the client.
func (c *connection) clientLost() {
	c.cancelMessage(pgerror.Fatal(pgerror.ConnectionFailure, "connection to client lost"))
}

// drain ends the session as soon as it is not busy. Any goroutine may call it.
func (c *connection) drain(reason *pgerror.Error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.ending == nil {
		c.ending = reason
	}
	if c.waiting {
		c.input.interrupt()
	}
}

// abort ends the session now: its statement is cancelled. Any goroutine may call it.
func (c *connection) abort(reason *pgerror.Error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !c.forced {
		c.ending, c.forced = reason, true
	}
	if c.cancel != nil {
		c.cancel(c.ending)
	}
	if c.waiting {
		c.input.interrupt()
	}
	c.output.endBy(time.Now().Add(terminationGrace))
}

func (c *connection) endReason() *pgerror.Error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.ending
}
