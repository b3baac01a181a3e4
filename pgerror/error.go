package pgerror

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Severities of an error, as the protocol spells them.
const (
	SeverityError   = "ERROR"
	SeverityFatal   = "FATAL"
	SeverityPanic   = "PANIC"
	SeverityWarning = "WARNING"
	SeverityNotice  = "NOTICE"
)

// RetryWords are the words that make DuckLake repeat a commit when the lower-case text of an error contains one.
var RetryWords = []string{"primary key", "unique", "conflict", "concurrent"}

// Error is one error or notice for a client. The zero value of each field but Code and Message means absent.
type Error struct {
	Severity string // SeverityError when empty
	Code     string // SQLSTATE, five characters
	Message  string
	Detail   string
	Hint     string
	Position int    // 1-based, in characters of the statement text; 0 means none
	Where    string // context, such as "COPY t, line 3"

	Schema     string
	Table      string
	Column     string
	DataType   string
	Constraint string

	cause error
}

// New builds an ERROR with a formatted message.
func New(code, format string, arguments ...any) *Error {
	return &Error{Severity: SeverityError, Code: code, Message: fmt.Sprintf(format, arguments...)}
}

// Fatal builds a FATAL: the connection ends after it.
func Fatal(code, format string, arguments ...any) *Error {
	return &Error{Severity: SeverityFatal, Code: code, Message: fmt.Sprintf(format, arguments...)}
}

// Unsupported builds the 0A000 for a construct that Moraine does not have, naming it.
func Unsupported(construct string) *Error {
	return New(FeatureNotSupported, "%s is not supported", construct)
}

// Error gives severity, message and SQLSTATE in one line.
func (e *Error) Error() string {
	severity := e.Severity
	if severity == "" {
		severity = SeverityError
	}
	return severity + ": " + e.Message + " (SQLSTATE " + e.Code + ")"
}

// Unwrap gives the cause set by WithCause.
func (e *Error) Unwrap() error { return e.cause }

// WithDetail sets the DETAIL line.
func (e *Error) WithDetail(format string, arguments ...any) *Error {
	e.Detail = fmt.Sprintf(format, arguments...)
	return e
}

// WithHint sets the HINT line.
func (e *Error) WithHint(format string, arguments ...any) *Error {
	e.Hint = fmt.Sprintf(format, arguments...)
	return e
}

// WithPosition sets the 1-based character position in the statement text; 0 leaves it unset.
func (e *Error) WithPosition(position int) *Error {
	e.Position = position
	return e
}

// WithConstraint names the violated constraint and its table.
func (e *Error) WithConstraint(schema, table, constraint string) *Error {
	e.Schema, e.Table, e.Constraint = schema, table, constraint
	return e
}

// WithCause keeps the error underneath for logs; it is not sent to the client.
func (e *Error) WithCause(cause error) *Error {
	e.cause = cause
	return e
}

// From turns any error into one for a client. A cancelled context is 57014, an *Error stays as it is (a copy is never
// made), and everything else is XX000 with the text of the error.
func From(err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return New(QueryCanceled, "canceling statement due to user request").WithCause(err)
	}
	return New(InternalError, "%s", err.Error()).WithCause(err)
}

// HasCode tells whether err carries the SQLSTATE.
func HasCode(err error, code string) bool {
	var known *Error
	return errors.As(err, &known) && known.Code == code
}

// Retried tells whether DuckLake would repeat a commit that failed with this error.
func (e *Error) Retried() bool {
	text := strings.ToLower(e.Message + "\n" + e.Detail + "\n" + e.Hint + "\n" + e.Where)
	for _, word := range RetryWords {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
