package sqlmap

import (
	"strconv"
	"strings"
	"time"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/encoding"
	"moraine/sqlmap/function"
	"moraine/sqlmap/setting"
)

// serverVersionNumber is server_version_num of a "major.minor" version.
func serverVersionNumber(version string) string {
	const minorWidth = 10_000
	text, _, _ := strings.Cut(version, " ")
	majorText, minorText, _ := strings.Cut(text, ".")
	major, _ := strconv.Atoi(majorText)
	minor, _ := strconv.Atoi(minorText)
	return strconv.Itoa(major*minorWidth + minor)
}

// fixedSettings are the parameters whose values the server knows and the client cannot change.
func (s *Session) fixedSettings() map[string]string {
	return map[string]string{
		"server_version":        s.options.Version,
		"server_version_num":    serverVersionNumber(s.options.Version),
		"session_authorization": s.options.User,
		"max_connections":       strconv.Itoa(s.options.MaximumConnections),
		"in_hot_standby":        onOff(s.options.ReadOnly),
	}
}

// derivedSettings is what the session has made of its settings.
type derivedSettings struct {
	generation               uint64
	format                   function.Format
	searchPath               []string // as it is set, without what is searched implicitly
	statementTimeout         time.Duration
	idleTimeout              time.Duration
	idleInTransactionTimeout time.Duration
	minimumSeverity          string
	encoding                 *encoding.Encoding // of the client; nil for UTF-8
}

// derive works out the settings anew if they have changed.
func (s *Session) derive() {
	if s.derived.generation == s.settings.Generation() && s.derived.format.Location != nil {
		return
	}
	location, err := setting.Zone(s.settings.Raw("TimeZone"))
	if err != nil {
		location = time.UTC
	}
	digits, _ := strconv.Atoi(s.settings.Raw("extra_float_digits"))
	path, _ := setting.SplitIdentifiers(s.settings.Raw("search_path"))
	for i, name := range path {
		if name == "$user" {
			path[i] = s.function.User
		}
	}
	s.derived = derivedSettings{
		generation: s.settings.Generation(),
		format: function.Format{
			Location: location, DateStyle: s.settings.Raw("DateStyle"), IntervalStyle: s.settings.Raw("IntervalStyle"),
			ExtraFloatDigits: digits, ByteaOutput: s.settings.Raw("bytea_output"), Catalog: functionCatalog{s},
		},
		searchPath:               path,
		statementTimeout:         s.milliseconds("statement_timeout"),
		idleTimeout:              s.milliseconds("idle_session_timeout"),
		idleInTransactionTimeout: s.milliseconds("idle_in_transaction_session_timeout"),
		minimumSeverity:          s.settings.Raw("client_min_messages"),
		encoding:                 encoding.Find(s.settings.Raw("client_encoding")),
	}
	s.derived.format.TransactionTime = s.function.TransactionTime
	s.function.Format = s.derived.format
	s.connection.SetLockTimeout(s.milliseconds("lock_timeout"))
}

func (s *Session) milliseconds(name string) time.Duration {
	number, _ := strconv.ParseInt(s.settings.Raw(name), 10, 64)
	return time.Duration(number) * time.Millisecond
}

// sends tells whether client_min_messages lets a notice of that severity through.
func (d *derivedSettings) sends(severity string) bool {
	switch d.minimumSeverity {
	case "error":
		return false
	case "warning":
		return severity == pgerror.SeverityWarning
	}
	return true
}

// report tells the client which of the settings that the protocol reports have changed.
func (s *Session) report() {
	if s.options.Report != nil {
		s.settings.Report(s.options.Report)
	}
}

// isolationOf reads a transaction isolation level as settings spell it.
func isolationOf(name string) relation.Isolation {
	switch name {
	case "serializable":
		return relation.Serializable
	case "repeatable read":
		return relation.RepeatableRead
	}
	return relation.ReadCommitted
}
