package pgwire

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"moraine/pgerror"
)

// errInterrupted says that a wait for the client was ended by interrupt. Nothing is lost: the next call goes on.
var errInterrupted = errors.New("pgwire: wait for the client interrupted")

// errTimeout says that the client did not send anything before the deadline.
var errTimeout = errors.New("pgwire: client sent nothing in time")

// past is a deadline that ends a read at once.
var past = time.Unix(1, 0)

// input cuts what a client sends into messages. One goroutine calls next; interrupt may come from any. Between watch and
// unwatch it reads ahead, to notice that the client has gone.
type input struct {
	socket net.Conn  // for deadlines
	stream io.Reader // the socket, or TLS over it

	buffer     []byte // buffer[start:end] was received and is not yet used
	start, end int
	large      []byte // the body of a message that does not fit into buffer
	largeKind  byte   // 0 when no large message is being received
	largeSize  int
	failure    error // what ended the stream while it was read ahead

	mutex       sync.Mutex
	deadline    time.Time // for each read; zero is none
	interrupted bool
	armed       bool // between watch and unwatch
	watcher     chan struct{}
	timer       *time.Timer
	lost        func() // called by the watcher when the stream has ended
}

func newInput(socket net.Conn, lost func()) *input {
	in := &input{socket: socket, stream: socket, buffer: make([]byte, inputBufferSize), lost: lost}
	in.timer = time.AfterFunc(time.Hour, in.startWatcher)
	in.timer.Stop()
	return in
}

// protocolMessageSize is the largest length that PostgreSQL takes for one of a message (PQ_LARGE_MESSAGE_LIMIT), in bytes.
const protocolMessageSize = 1<<30 - 2

// messageLimits gives the largest body of each message that may come, 0 for one that may not.
type messageLimits func(kind byte) int

// next gives the next message. The body is valid until the next call. At the end of the stream it gives io.EOF, within a
// message io.ErrUnexpectedEOF; a frame that breaks the protocol or a limit gives a FATAL.
func (in *input) next(limits messageLimits) (kind byte, body []byte, err error) {
	if in.largeKind == 0 {
		if err := in.require(5); err != nil {
			return 0, nil, err
		}
		kind = in.buffer[in.start]
		size, err := bodySize(kind, binary.BigEndian.Uint32(in.buffer[in.start+1:]), limits)
		if err != nil {
			return 0, nil, err
		}
		if 5+size <= len(in.buffer) {
			if err := in.require(5 + size); err != nil {
				return 0, nil, err
			}
			body = in.buffer[in.start+5 : in.start+5+size : in.start+5+size]
			in.start += 5 + size
			return kind, body, nil
		}
		in.startLarge(kind, size)
	}
	return in.finishLarge()
}

func bodySize(kind byte, length uint32, limits messageLimits) (int, error) {
	limit := limits(kind)
	if limit == 0 {
		return 0, pgerror.Fatal(pgerror.ProtocolViolation, "invalid frontend message type %d", kind)
	}
	if length < 4 || length > protocolMessageSize {
		return 0, pgerror.Fatal(pgerror.ProtocolViolation, "invalid message length %d", int32(length))
	}
	if size := int(length - 4); size <= limit {
		return size, nil
	}
	return 0, pgerror.Fatal(pgerror.ProgramLimitExceeded, "message of %d bytes exceeds the limit of %d bytes", length-4, limit).
		WithDetail("The message is of type %q. The connection was closed without reading it.", string(rune(kind)))
}

// startLarge begins a message that does not fit into the buffer with the part of it that is there.
func (in *input) startLarge(kind byte, size int) {
	in.largeKind, in.largeSize = kind, size
	if step := min(size, largeMessageStep); cap(in.large) < step || cap(in.large) > maxRetainedBuffer {
		in.large = make([]byte, 0, step)
	}
	in.large = append(in.large[:0], in.buffer[in.start+5:in.end]...)
	in.start, in.end = 0, 0
}

// finishLarge receives the rest of a large message. Memory grows with what has arrived, not with what was announced.
func (in *input) finishLarge() (byte, []byte, error) {
	for len(in.large) < in.largeSize {
		if len(in.large) == cap(in.large) {
			grown := make([]byte, len(in.large), min(in.largeSize, 2*cap(in.large)))
			copy(grown, in.large)
			in.large = grown
		}
		have := len(in.large)
		n, err := in.read(in.large[have:min(in.largeSize, cap(in.large))])
		in.large = in.large[:have+n]
		if err != nil {
			return 0, nil, withinMessage(err)
		}
	}
	kind := in.largeKind
	in.largeKind = 0
	body := in.large
	if cap(in.large) > maxRetainedBuffer {
		in.large = nil
	}
	return kind, body, nil
}

// startupPacket gives the first packet of a connection without its length; it has no kind.
func (in *input) startupPacket() ([]byte, error) {
	if err := in.require(4); err != nil {
		return nil, err
	}
	size := int64(binary.BigEndian.Uint32(in.buffer[in.start:])) - 4
	if size < 4 || size > maxStartupPacketSize {
		return nil, pgerror.Fatal(pgerror.ProtocolViolation, "invalid length of startup packet").
			WithHint("This port speaks the PostgreSQL protocol.")
	}
	if err := in.require(4 + int(size)); err != nil {
		return nil, err
	}
	packet := in.buffer[in.start+4 : in.start+4+int(size)]
	in.start += 4 + int(size)
	return packet, nil
}

// peek gives the next byte and leaves it there.
func (in *input) peek() (byte, error) {
	if err := in.require(1); err != nil {
		return 0, err
	}
	return in.buffer[in.start], nil
}

// take gives what was received and is not yet used, and forgets it.
func (in *input) take() []byte {
	taken := in.buffer[in.start:in.end]
	in.buffer, in.start, in.end = make([]byte, inputBufferSize), 0, 0
	return taken
}

// received gives the number of bytes that are there and not yet used.
func (in *input) received() int { return in.end - in.start }

// complete tells whether the next message is there, so that next will not wait.
func (in *input) complete() bool {
	if in.largeKind != 0 || in.received() < 5 {
		return false
	}
	length := int64(binary.BigEndian.Uint32(in.buffer[in.start+1:]))
	return int64(in.received()) >= 1+length
}

// require waits until that many bytes, at most len(buffer), are there.
func (in *input) require(size int) error {
	for in.received() < size {
		if in.start > 0 && in.start+size > len(in.buffer) || in.start == in.end {
			in.compact()
		}
		n, err := in.read(in.buffer[in.end:])
		in.end += n
		if err != nil && in.received() < size {
			if in.received() > 0 {
				return withinMessage(err)
			}
			return err
		}
	}
	return nil
}

func (in *input) compact() {
	in.end = copy(in.buffer, in.buffer[in.start:in.end])
	in.start = 0
}

func withinMessage(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// read reads once from the stream.
func (in *input) read(into []byte) (int, error) {
	if in.failure != nil {
		return 0, in.failure
	}
	n, err := in.stream.Read(into)
	if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	in.mutex.Lock()
	defer in.mutex.Unlock()
	if in.interrupted {
		return n, errInterrupted
	}
	return n, errTimeout
}

// setDeadline bounds each read from now on; the zero time does not.
func (in *input) setDeadline(deadline time.Time) {
	in.mutex.Lock()
	defer in.mutex.Unlock()
	in.deadline = deadline
	if !in.interrupted {
		in.socket.SetReadDeadline(deadline)
	}
}

// interrupt ends the wait in next, now or when it begins, until resume. It may come at any time, so whoever gets
// errInterrupted looks for a reason and otherwise goes on.
func (in *input) interrupt() {
	in.mutex.Lock()
	defer in.mutex.Unlock()
	in.interrupted = true
	in.socket.SetReadDeadline(past)
}

// resume lets next wait again.
func (in *input) resume() {
	in.mutex.Lock()
	defer in.mutex.Unlock()
	if in.interrupted {
		in.interrupted = false
		in.socket.SetReadDeadline(in.deadline)
	}
}
