package function

import (
	"net/netip"
	"time"

	"moraine/relation"
)

// Context is what functions may know of the session, the transaction and the statement that call them.
type Context struct {
	TransactionTime time.Time // now()
	StatementTime   time.Time // statement_timestamp()
	User            string
	Database        string
	DatabaseOID     uint32
	ProcessID       uint32
	// SessionUser is who connected; User when empty.
	SessionUser string
	// TransactionID is txid_current(); 0 as long as the transaction has none.
	TransactionID uint64
	// ServerStart is pg_postmaster_start_time().
	ServerStart time.Time
	// InRecovery is pg_is_in_recovery().
	InRecovery bool
	// ClientAddress and ServerAddress are the ends of the connection; the zero AddrPort for a Unix-domain socket.
	ClientAddress, ServerAddress netip.AddrPort
	// Query is the text of the message that is being run.
	Query string
	// Done is closed when the statement is to stop; nil means never.
	Done <-chan struct{}
	// Format holds the settings that decide how values are read and written.
	Format Format
	// Catalog answers questions about relations, schemas and settings.
	Catalog Catalog
}

// Format is the settings that values are written and read by.
type Format struct {
	Location         *time.Location // TimeZone
	DateStyle        string         // "ISO, MDY" and the others of PostgreSQL
	IntervalStyle    string         // "postgres" and the others
	ExtraFloatDigits int
	ByteaOutput      string // "hex" or "escape"
	// Catalog names what regclass and its like show; nil makes them show numbers.
	Catalog Catalog
	// TransactionTime is what the inputs 'now', 'today', 'tomorrow' and 'yesterday' mean; the wall clock when zero.
	TransactionTime time.Time
}

// DefaultFormat is PostgreSQL's default in UTC.
func DefaultFormat() Format {
	return Format{Location: time.UTC, DateStyle: "ISO, MDY", IntervalStyle: "postgres", ExtraFloatDigits: 1, ByteaOutput: "hex"}
}

// Catalog answers what functions such as to_regclass, current_setting and format_type ask. It is implemented by the
// session.
type Catalog interface {
	// RelationOID finds a relation by a possibly qualified name, by the search path; 0 when there is none.
	RelationOID(schema, name string) (uint32, error)
	// RelationName gives schema and name of a relation and whether it is visible without its schema; ok is false when
	// there is none.
	RelationName(oid uint32) (schema, name string, visible, ok bool)
	// Definition gives a relation's definition; nil when there is none.
	Definition(oid uint32) *relation.Definition
	// SchemaOID and SchemaName translate schemas; 0 and "" when there is none.
	SchemaOID(name string) uint32
	SchemaName(oid uint32) string
	// SearchPath gives the schemas that are searched, with pg_catalog when implicit is true.
	SearchPath(implicit bool) []string
	// Setting gives a run-time parameter; ok is false when there is none.
	Setting(name string) (value string, ok bool)
	// SetSetting changes one, for the transaction only when local is true.
	SetSetting(name, value string, local bool) error
	// DatabaseSize gives the bytes that the database takes on its store, as near as the store can tell.
	DatabaseSize(name string) (int64, error)
}

// Roles is implemented by a Catalog that knows roles; without it there is one, which may do everything.
type Roles interface {
	// RoleOID and RoleName translate roles; 0 and "" when there is none.
	RoleOID(name string) uint32
	RoleName(oid uint32) string
	// CurrentRole gives the OID of the current user.
	CurrentRole() uint32
	// DatabaseOID finds a database; 0 when there is none.
	DatabaseOID(name string) uint32
	// HasPrivilege tells whether a role has a privilege, by its word in SQL, on a "table", "schema" or "database", and with
	// grantable whether it may pass it on; found is false when there is no such object.
	HasPrivilege(role uint32, kind string, object uint32, privilege string, grantable bool) (has, found bool)
	// HasRole tells whether a role is a member of another, or with usage whether it has its privileges.
	HasRole(role, of uint32, usage bool) bool
}

// RelationSizer is implemented by a Catalog that can tell the bytes of a relation; without it they are estimated from the
// number of rows.
type RelationSizer interface {
	RelationSize(oid uint32) (int64, error)
}

// Server is implemented by a Catalog that knows the server its session belongs to.
type Server interface {
	// VersionText is what version() gives.
	VersionText() string
	// SignalBackend cancels the statement of another session, or ends that session; false when there is no such session.
	SignalBackend(processID uint32, terminate bool) (found bool, err error)
}

// AdvisoryLocks is implemented by a Catalog whose session can take advisory locks. The key is PostgreSQL's: one 64-bit
// number, or two 32-bit ones.
type AdvisoryLocks interface {
	// LockAdvisory takes a lock, to the end of the transaction or of the session; without wait it gives false when another
	// session holds it.
	LockAdvisory(key AdvisoryKey, shared, transaction, wait bool) (taken bool, err error)
	// UnlockAdvisory gives back a lock of the session; false when it was not held.
	UnlockAdvisory(key AdvisoryKey, shared bool) (held bool, err error)
	// UnlockAllAdvisory gives back all locks of the session.
	UnlockAllAdvisory()
}

// Channels is implemented by a Catalog whose session can send and get notifications.
type Channels interface {
	// Notify sends a notification when the transaction commits.
	Notify(channel, payload string) error
	// ListeningChannels gives the channels that the session listens to.
	ListeningChannels() []string
}

// AdvisoryKey names an advisory lock.
type AdvisoryKey struct {
	High, Low uint32
	Pair      bool // given as two numbers
}
