package pgwire

import "context"

// Handler opens sessions. The server calls it once for each connection that has been authenticated.
type Handler interface {
	// Open starts a session. An error is sent as a FATAL ErrorResponse and the connection ends (3D000 for an unknown
	// database). Settings that the client must hear of are given to report before Open returns, and later whenever they
	// change.
	Open(ctx context.Context, startup Startup, report func(name, value string)) (Session, error)
}

// Startup is what the client said when it connected.
type Startup struct {
	User          string
	Database      string            // the user's name when the client gave none
	Parameters    map[string]string // the other run-time parameters, "options" already split into settings
	RemoteAddress string
	LocalAddress  string // of the server's end of the connection
	ProcessID     uint32 // of BackendKeyData
}

// Session is one client's conversation, message by message; calls never overlap. An error of a method becomes an
// ErrorResponse (see pgerror.From); ctx is cancelled by a CancelRequest, with the statement's 57014 as its cause.
type Session interface {
	// Simple runs the statements of one Query message. Everything that they give is written to out.
	Simple(ctx context.Context, query string, out ResultWriter) error

	// Parse makes a prepared statement; parameter types of 0 are inferred. The empty name is the unnamed statement.
	Parse(ctx context.Context, name, query string, parameterTypes []uint32) error
	// DescribeStatement gives the types of the parameters and the fields of the result; no fields (nil) is NoData.
	DescribeStatement(ctx context.Context, name string) (parameterTypes []uint32, fields []Field, err error)
	// Bind makes a portal. Formats are as in the message: none (all text), one (for all) or one each; a nil parameter is
	// NULL. The parameters belong to the session afterwards.
	Bind(ctx context.Context, portal, statement string, parameterFormats []int16, parameters [][]byte, resultFormats []int16) error
	// DescribePortal gives the fields of a portal's result, formats filled in; nil is NoData.
	DescribePortal(ctx context.Context, portal string) ([]Field, error)
	// Execute runs a portal until maxRows rows (0: all) were written; suspended tells that there may be more. The
	// RowDescription is not written.
	Execute(ctx context.Context, portal string, maxRows int, out ResultWriter) (suspended bool, err error)
	CloseStatement(ctx context.Context, name string) error
	ClosePortal(ctx context.Context, name string) error
	// Sync ends a sequence of extended messages: an implicit transaction is committed, or rolled back when failed is
	// true (a message of the sequence gave an error).
	Sync(ctx context.Context, failed bool) error

	// Status is the byte of ReadyForQuery: 'I' idle, 'T' in a transaction, 'E' in a failed one.
	Status() byte
	// Busy tells whether ending the session now would cut off a commit or another statement under way; it may be called
	// from another goroutine (graceful shutdown).
	Busy() bool
	// Done is closed when the session must end although its client has not said so; Err gives the FATAL to send.
	Done() <-chan struct{}
	Err() error
	// Close ends the session and rolls back what is open.
	Close()
}

// TextEncoder is a Session whose client may have another encoding than UTF-8. It translates the texts of its results itself.
type TextEncoder interface {
	// EncodeText translates what the protocol sends: errors, names, tags.
	EncodeText(text string) string
}

// Field describes one column of a result, as in RowDescription.
type Field struct {
	Name         string
	TableOID     uint32
	Number       int16 // attnum in the table; 0 when not a plain column
	TypeOID      uint32
	TypeSize     int16
	TypeModifier int32
	Format       int16 // 0 text, 1 binary
}

// ResultWriter takes what a statement gives. Rows are appended straight to the connection's output buffer, which is
// flushed when it is full.
type ResultWriter interface {
	// Fields writes a RowDescription.
	Fields(fields []Field) error
	// Row writes a DataRow: encode appends the body, that is the int16 count of values, then each value's int32 length
	// (-1 for NULL) and bytes. On an error of encode nothing is written.
	Row(encode func(buffer []byte) ([]byte, error)) error
	// Complete writes a CommandComplete.
	Complete(tag string) error
	// Empty writes an EmptyQueryResponse.
	Empty() error
	// Notice writes a NoticeResponse.
	Notice(notice error) error

	// CopyOut writes a CopyOutResponse for that many columns, all in format 1 when binary.
	CopyOut(binary bool, columns int) error
	// CopyData writes one CopyData: encode appends its whole content.
	CopyData(encode func(buffer []byte) ([]byte, error)) error
	// CopyOutDone writes a CopyDone.
	CopyOutDone() error
	// CopyIn writes a CopyInResponse, flushes, and gives the data that the client sends.
	CopyIn(binary bool, columns int) (CopyReader, error)
}

// CopyReader gives the contents of the client's CopyData messages.
type CopyReader interface {
	// Next gives the content of the next CopyData, valid until the next call; io.EOF after CopyDone; 57014 after CopyFail
	// with the client's reason.
	Next(ctx context.Context) ([]byte, error)
}
