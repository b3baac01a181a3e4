package pgwire

import (
	"crypto/tls"
	"slices"
	"time"

	"github.com/rs/zerolog"
)

// Defaults of the limits in [Config].
const (
	// DefaultMaxMessageSize bounds one message of a client, that is, one statement or one row of parameters.
	DefaultMaxMessageSize = 256 << 20
	// DefaultMaxSessions bounds the sessions that are open at once.
	DefaultMaxSessions = 500
	// DefaultAuthenticationTimeout bounds the time from accepting a connection to the end of its authentication.
	DefaultAuthenticationTimeout = 60 * time.Second
	// DefaultWriteTimeout bounds the time in which a client must take one buffer of output.
	DefaultWriteTimeout = 5 * time.Minute
)

// Limits that nobody has asked to change. The first three are PostgreSQL's (MAX_STARTUP_PACKET_LENGTH,
// PQ_SMALL_MESSAGE_LIMIT, PG_MAX_AUTH_TOKEN_LENGTH).
const (
	// maxStartupPacketSize bounds the first packet of a connection, in bytes after its length.
	maxStartupPacketSize = 10_000
	// maxShortMessageSize bounds the messages that hold only names and numbers.
	maxShortMessageSize = 10_000
	// maxAuthenticationMessageSize bounds what a client sends to prove who it is.
	maxAuthenticationMessageSize = 65_535
	// maxStartupRounds bounds the requests (TLS, GSSAPI, startup) with which a connection may begin.
	maxStartupRounds = 4
	// unauthenticatedConnections is how many connections there may be beyond MaxSessions: those that are still starting,
	// that ask to cancel a statement, or that are about to be told that there are too many.
	unauthenticatedConnections = 100

	// inputBufferSize holds short messages, and bounds what is read ahead while a statement runs.
	inputBufferSize = 32 << 10
	// largeMessageStep is how much memory a large message gets before its bytes have arrived.
	largeMessageStep = 1 << 20
	// outputBufferSize is how much output is collected before it is sent.
	outputBufferSize = 64 << 10
	// maxRetainedBuffer is the largest buffer that is kept for the next message.
	maxRetainedBuffer = 1 << 20

	// disconnectWatchDelay is how long a statement runs before the connection is watched for the client's end. Short
	// statements are spared the goroutine.
	disconnectWatchDelay = 50 * time.Millisecond
	// terminationGrace is how long a session that was told to end may take to do so, and its client to read why.
	terminationGrace = 5 * time.Second
	// lingerTimeout and lingerSize bound how long and how much is read and dropped after a client broke the protocol.
	// Closing a socket that has unread bytes would take the error away from the client.
	lingerTimeout = time.Second
	lingerSize    = 1 << 20
	// acceptRetryDelay is how long a failed accept (too many open files) waits for the next attempt.
	acceptRetryDelay = 100 * time.Millisecond
)

// Config says how a [Server] treats its clients. A zero value stands for the default.
type Config struct {
	// TLS is offered to clients that ask for it; nil refuses their request, and they go on in clear or give up.
	TLS *tls.Config
	// Users are the names that may connect and how each proves who it is. Without any, everyone on this machine is let in
	// under any name that has no Account, and nobody else.
	Users map[string]Verifier
	// Account gives how a user who is not in Users proves who it is; false for one without a password. It is asked at each
	// login, and may be nil.
	Account func(user string) (Verifier, bool)

	// Ready tells whether sessions are served at present: its error is the FATAL that a client gets before it is
	// authenticated. It may be nil.
	Ready func() error

	// MaxMessageSize bounds one message, in bytes.
	MaxMessageSize int
	// MaxSessions bounds the sessions open at once; one more is refused with 53300.
	MaxSessions int
	// AuthenticationTimeout bounds how long a connection may take to become a session.
	AuthenticationTimeout time.Duration
	// WriteTimeout bounds how long a client may leave output untaken before its session ends.
	WriteTimeout time.Duration

	// Logger gets sessions at level debug, clients that are not let in at level warn, and internal errors at level error. The zero value logs nothing.
	Logger zerolog.Logger
}

func (c Config) withDefaults() Config {
	if c.MaxMessageSize <= 0 {
		c.MaxMessageSize = DefaultMaxMessageSize
	}
	if c.MaxSessions <= 0 {
		c.MaxSessions = DefaultMaxSessions
	}
	if c.AuthenticationTimeout <= 0 {
		c.AuthenticationTimeout = DefaultAuthenticationTimeout
	}
	if c.WriteTimeout <= 0 {
		c.WriteTimeout = DefaultWriteTimeout
	}
	if c.TLS != nil && !slices.Contains(c.TLS.NextProtos, protocolALPN) {
		c.TLS = c.TLS.Clone()
		c.TLS.NextProtos = append(c.TLS.NextProtos, protocolALPN)
	}
	return c
}
