package server

import (
	"crypto/tls"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"moraine/pgwire"
	"moraine/server/lease"
	"moraine/store/engine"
)

// Defaults of [Config].
const (
	DefaultListen = "127.0.0.1:5433"
	DefaultStore  = "moraine-data"
)

// DefaultDatabase is the database that is there from the first start.
const DefaultDatabase = "moraine"

// Bounds of Config.MaxMessageSize, in bytes. The upper one is PostgreSQL's for one value.
const (
	MinMessageSize = 64 << 10
	MaxMessageSize = 1<<30 - 1
)

// Bounds of Config.PollInterval. With the upper one, what the store keeps for its readers is still renewed in time.
const (
	MinPollInterval = 10 * time.Millisecond
	MaxPollInterval = time.Minute
)

// Defaults of [Config].Heartbeat and TakeoverAfter.
const (
	DefaultHeartbeat     = lease.DefaultHeartbeat
	DefaultTakeoverAfter = lease.DefaultTakeoverAfter
)

// NoHeartbeat is the [Config].Heartbeat of a server that makes no claim to its store.
const NoHeartbeat = time.Duration(-1)

// maxSessionsBound bounds Config.MaxSessions: above it, their buffers alone fill the memory of a machine.
const maxSessionsBound = 100_000

// Config says what to serve, and to whom.
type Config struct {
	// Listen is the address to listen on, host:port; port 0 takes a free one.
	Listen string
	// Store names where the lakes are, as [engine.Open] takes it: a directory, which is made when it is missing, or a URL.
	Store string
	// Users may connect, each by its password. Without any, the users of this machine may connect under any name,
	// and of others only roles with passwords.
	Users map[string]pgwire.Verifier
	// TLS is offered to clients when it is not nil.
	TLS *tls.Config
	// MaxSessions and MaxMessageSize (bytes) bound what clients may take; 0 stands for the defaults of pgwire.
	MaxSessions    int
	MaxMessageSize int
	// MaxIdleHold bounds how long a transaction may wait for its client while others wait for its locks: the session is
	// ended then. 0 stands for lake.DefaultMaxIdleHold.
	MaxIdleHold time.Duration
	// ReadOnly serves a store that another server writes: nothing can be written, and the lakes are refreshed every
	// PollInterval, 0 stands for lake.DefaultPollInterval.
	ReadOnly     bool
	PollInterval time.Duration
	// Standby waits until the server that serves the store releases it or is silent, and takes it over then. The store must
	// be shared: a URL.
	Standby bool
	// Heartbeat is the time in which a server on a shared store renews its claim to it, and TakeoverAfter the silence after
	// which a standby takes over; 0 stands for the defaults of package lease. NoHeartbeat as Heartbeat makes no claim: no
	// standby must watch the store then, and a second server on it fences the first when it opens its lakes.
	Heartbeat     time.Duration
	TakeoverAfter time.Duration
	// Version is the version of this build, for version() and server_version.
	Version string
	// Logger gets what an operator should know. The zero value logs nothing.
	Logger zerolog.Logger
}

// Validate checks the values that can be checked before anything is opened.
func (c Config) Validate() error {
	if err := engine.Validate(c.Store); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("listen address %q is not of the form host:port", c.Listen)
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return fmt.Errorf("listen address %q: %q is not a port", c.Listen, port)
	}
	if strings.ContainsAny(host, " /") {
		return fmt.Errorf("listen address %q: %q is not a host", c.Listen, host)
	}
	if c.MaxSessions < 0 || c.MaxSessions > maxSessionsBound {
		return fmt.Errorf("the limit of sessions must be between 1 and %d, not %d", maxSessionsBound, c.MaxSessions)
	}
	if c.MaxMessageSize != 0 && (c.MaxMessageSize < MinMessageSize || c.MaxMessageSize > MaxMessageSize) {
		return fmt.Errorf("the limit of a message must be between %d and %d bytes, not %d", MinMessageSize, MaxMessageSize, c.MaxMessageSize)
	}
	if c.ReadOnly && !engine.Remote(c.Store) {
		return fmt.Errorf("a read-only server needs a store that servers can share, named by a URL; the directory %s belongs to one process (for a shared directory: file:///path)", c.Store)
	}
	if c.PollInterval != 0 && (c.PollInterval < MinPollInterval || c.PollInterval > MaxPollInterval) {
		return fmt.Errorf("the poll interval must be between %s and %s, not %s", MinPollInterval, MaxPollInterval, c.PollInterval)
	}
	if c.MaxIdleHold < 0 {
		return fmt.Errorf("the limit of idle holders of locks must not be negative: %s", c.MaxIdleHold)
	}
	return c.validateFailover()
}

// loopback tells whether nobody but this machine can reach the address.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback()
	}
	return host == "localhost"
}
