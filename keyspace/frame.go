package keyspace

import "fmt"

// A stored value is a frame of five bytes, a magic and the version of the encoding, then a protobuf message. Index and
// directory entries have no frame.
const (
	frameMagic   = "MRNE"
	frameVersion = 0
	frameSize    = len(frameMagic) + 1
)

// Message is the content of a stored value: one of the message types of this package.
type Message interface {
	// Append appends the message to dst, without frame: fields in ascending order, defaults left out.
	Append(dst []byte) []byte
	// decode overwrites the message with the payload, what follows the frame. Slices are reused; aliased, strings and
	// byte slices lie in the payload.
	decode(payload []byte, aliased bool) error
	// name is the name of the message in the specification.
	name() string
}

// message is the constructor of a kind's message, for the table of layouts.
func message[T any, Pointer interface {
	*T
	Message
}]() Message {
	return Pointer(new(T))
}

// AppendMessage appends a stored value: the frame, where the message has one, and the message.
func AppendMessage(dst []byte, m Message) []byte {
	if framed(m) {
		dst = append(dst, frameMagic...)
		dst = append(dst, frameVersion)
	}
	return m.Append(dst)
}

// DecodeMessage reads a stored value into a message, which it overwrites; slices of the message are reused. The message
// shares no memory with value. The error wraps [ErrCorrupt], and the message is then of no use.
func DecodeMessage(value []byte, m Message) error { return decodeMessage(value, m, false) }

// DecodeMessageAliased is DecodeMessage without copies, for scans: strings and byte slices of the message lie in value and
// are valid as long as value is neither changed nor reused, so what is to be kept must be cloned. With a message that is
// reused from value to value it allocates nothing.
func DecodeMessageAliased(value []byte, m Message) error { return decodeMessage(value, m, true) }

func decodeMessage(value []byte, m Message, aliased bool) error {
	payload := value
	if framed(m) {
		switch {
		case len(value) < frameSize:
			return fmt.Errorf("%w: %s of %d bytes: expected a frame of %d", ErrCorrupt, m.name(), len(value), frameSize)
		case string(value[:len(frameMagic)]) != frameMagic:
			return fmt.Errorf("%w: %s starts with %x: expected %x", ErrCorrupt, m.name(), value[:len(frameMagic)], frameMagic)
		case value[frameSize-1] != frameVersion:
			return fmt.Errorf("%w: %s has encoding version %d: only %d is known", ErrCorrupt, m.name(), value[frameSize-1], frameVersion)
		}
		payload = value[frameSize:]
	}
	if err := m.decode(payload, aliased); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrCorrupt, m.name(), err)
	}
	return nil
}

// framed says whether the stored values of a message have the frame.
func framed(m Message) bool {
	switch m.(type) {
	case *IndexUniqueValue, *EmptyValue:
		return false
	}
	return true
}

// NewMessage gives an empty message of the type that values of the kind have; nil for a number that is no kind.
func NewMessage(kind Kind) Message {
	newMessage := kind.layout().newMessage
	if newMessage == nil {
		return nil
	}
	return newMessage()
}

// DecodeValue reads the value stored under a key, as the message type of the key's kind.
func DecodeValue(key Key, value []byte) (Message, error) {
	m := NewMessage(key.kind)
	if m == nil {
		return nil, fmt.Errorf("%w: a value without a key", ErrCorrupt)
	}
	if err := DecodeMessage(value, m); err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return m, nil
}

// EncodeValue gives the value to store under a key. It is an error when values of the key's kind have another message.
func EncodeValue(key Key, m Message) ([]byte, error) {
	expected := NewMessage(key.kind)
	if expected == nil || expected.name() != m.name() {
		return nil, fmt.Errorf("keyspace: %s cannot be stored under %s", m.name(), key)
	}
	return AppendMessage(nil, m), nil
}
