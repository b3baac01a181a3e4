package function

import (
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
