package pgwire

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"net"
	"os"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"moraine/pgerror"
)

// output collects the messages for one client and sends them when it holds outputBufferSize bytes or is flushed. It is
// the part of a ResultWriter that needs nothing but the way to the client.
type output struct {
	socket  net.Conn  // for deadlines
	stream  io.Writer // the socket, or TLS over it
	timeout time.Duration

	buffer   []byte
	statuses []byte // ParameterStatus messages for the next ReadyForQuery, as PostgreSQL sends them
	failure  error  // of an earlier write: nothing is sent any more

	encodeText func(string) string // into the client's encoding; nil leaves UTF-8

	mutex sync.Mutex
	last  time.Time // no write may take longer; zero is none
}

func newOutput(socket net.Conn, timeout time.Duration) *output {
	return &output{socket: socket, stream: socket, timeout: timeout}
}

// flush sends what was collected.
func (o *output) flush() error {
	rest := o.buffer
	for len(rest) > 0 && o.failure == nil {
		o.extendDeadline()
		n, err := o.stream.Write(rest[:min(len(rest), outputBufferSize)])
		rest = rest[n:]
		if err != nil {
			o.failure = writeError(err, o.timeout)
		}
	}
	if cap(o.buffer) > maxRetainedBuffer {
		o.buffer = nil
	}
	o.buffer = o.buffer[:0]
	return o.failure
}

func writeError(err error, timeout time.Duration) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return pgerror.Fatal(pgerror.ConnectionFailure, "terminating connection because the client has not read for %s", timeout).WithCause(err)
	}
	return pgerror.Fatal(pgerror.ConnectionFailure, "connection to client lost").WithCause(err)
}

func (o *output) extendDeadline() {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	deadline := time.Now().Add(o.timeout)
	if !o.last.IsZero() && o.last.Before(deadline) {
		deadline = o.last
	}
	o.socket.SetWriteDeadline(deadline)
}

// endBy makes all writes, the running one too, end by that time. It may be called from any goroutine.
func (o *output) endBy(last time.Time) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.last = last
	o.socket.SetWriteDeadline(last)
}

// begin appends the head of a message; end fills in its length.
func begin(buffer []byte, kind byte) []byte { return append(buffer, kind, 0, 0, 0, 0) }

// end takes the message that starts at offset start of buffer into the output.
func (o *output) end(buffer []byte, start int) error {
	size := len(buffer) - start - 1
	if size > math.MaxInt32 {
		return pgerror.New(pgerror.ProgramLimitExceeded, "message of %d bytes exceeds the limit of the protocol", size)
	}
	binary.BigEndian.PutUint32(buffer[start+1:], uint32(size))
	o.buffer = buffer
	if len(o.buffer) >= outputBufferSize {
		return o.flush()
	}
	return o.failure
}

// body sends a message whose content is appended by encode. On an error of encode the output stays as it was.
func (o *output) body(kind byte, encode func(buffer []byte) ([]byte, error)) error {
	start := len(o.buffer)
	buffer, err := encode(begin(o.buffer, kind))
	if err != nil {
		return err
	}
	return o.end(buffer, start)
}

// empty sends a message without content.
func (o *output) empty(kind byte) error {
	start := len(o.buffer)
	return o.end(begin(o.buffer, kind), start)
}

// message sends a message that pgproto3 encodes.
func (o *output) message(message pgproto3.BackendMessage) error {
	buffer, err := message.Encode(o.buffer)
	if err != nil {
		return err
	}
	o.buffer = buffer
	return o.failure
}

// Fields writes a RowDescription.
func (o *output) Fields(fields []Field) error {
	if len(fields) > math.MaxInt16 {
		return pgerror.New(pgerror.TooManyColumns, "a result cannot have %d columns", len(fields))
	}
	start := len(o.buffer)
	buffer := binary.BigEndian.AppendUint16(begin(o.buffer, 'T'), uint16(len(fields)))
	for i := range fields {
		field := &fields[i]
		buffer = o.appendText(buffer, field.Name)
		buffer = binary.BigEndian.AppendUint32(buffer, field.TableOID)
		buffer = binary.BigEndian.AppendUint16(buffer, uint16(field.Number))
		buffer = binary.BigEndian.AppendUint32(buffer, field.TypeOID)
		buffer = binary.BigEndian.AppendUint16(buffer, uint16(field.TypeSize))
		buffer = binary.BigEndian.AppendUint32(buffer, uint32(field.TypeModifier))
		buffer = binary.BigEndian.AppendUint16(buffer, uint16(field.Format))
	}
	return o.end(buffer, start)
}

// Row writes a DataRow.
func (o *output) Row(encode func(buffer []byte) ([]byte, error)) error { return o.body('D', encode) }

// Complete writes a CommandComplete.
func (o *output) Complete(tag string) error {
	start := len(o.buffer)
	return o.end(o.appendText(begin(o.buffer, 'C'), tag), start)
}

// Empty writes an EmptyQueryResponse.
func (o *output) Empty() error { return o.empty('I') }

// Notice writes a NoticeResponse.
func (o *output) Notice(notice error) error {
	known := pgerror.From(notice)
	severity := known.Severity
	if severity == "" {
		severity = pgerror.SeverityNotice
	}
	response := pgproto3.NoticeResponse(o.errorFields(known, severity))
	return o.message(&response)
}

// CopyOut writes a CopyOutResponse.
func (o *output) CopyOut(binary bool, columns int) error { return o.copyResponse('H', binary, columns) }

func (o *output) copyResponse(kind byte, binaryFormat bool, columns int) error {
	if columns > math.MaxInt16 {
		return pgerror.New(pgerror.TooManyColumns, "COPY cannot have %d columns", columns)
	}
	var format byte
	if binaryFormat {
		format = 1
	}
	start := len(o.buffer)
	buffer := append(begin(o.buffer, kind), format)
	buffer = binary.BigEndian.AppendUint16(buffer, uint16(columns))
	for range columns {
		buffer = append(buffer, 0, format)
	}
	return o.end(buffer, start)
}

// CopyData writes one CopyData.
func (o *output) CopyData(encode func(buffer []byte) ([]byte, error)) error {
	return o.body('d', encode)
}

// CopyOutDone writes a CopyDone.
func (o *output) CopyOutDone() error { return o.empty('c') }

// parameterDescription writes the types of a prepared statement's parameters.
func (o *output) parameterDescription(types []uint32) error {
	start := len(o.buffer)
	buffer := binary.BigEndian.AppendUint16(begin(o.buffer, 't'), uint16(len(types)))
	for _, oid := range types {
		buffer = binary.BigEndian.AppendUint32(buffer, oid)
	}
	return o.end(buffer, start)
}

// parameterStatus keeps the new value of a setting for the next ReadyForQuery.
func (o *output) parameterStatus(name, value string) {
	start := len(o.statuses)
	o.statuses = begin(o.statuses, 'S')
	o.statuses = o.appendText(o.appendText(o.statuses, name), value)
	binary.BigEndian.PutUint32(o.statuses[start+1:], uint32(len(o.statuses)-start-1))
}

// ready writes a ReadyForQuery and sends everything.
func (o *output) ready(status byte) error {
	if len(o.statuses) > 0 {
		o.buffer = append(o.buffer, o.statuses...)
		o.statuses = o.statuses[:0]
	}
	start := len(o.buffer)
	if err := o.end(append(begin(o.buffer, 'Z'), status), start); err != nil {
		return err
	}
	return o.flush()
}

// appendText appends a string as the protocol wants it: without zero bytes, and one at its end.
func (o *output) appendText(buffer []byte, text string) []byte {
	buffer = append(buffer, o.text(text)...)
	return append(buffer, 0)
}
