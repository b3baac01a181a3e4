package pgwire

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"moraine/pgerror"
)

// Codes that stand in the place of a protocol version in the first packet of a connection.
const (
	codeTLSRequest    = 80877103
	codeGSSAPIRequest = 80877104
	codeCancelRequest = 80877102
)

const (
	protocolMajor = 3
	// protocolVersion is the newest version that is spoken, 3.0, as its major number times 65536 plus its minor number.
	protocolVersion = protocolMajor << 16
	// directTLSByte begins a TLS handshake: a client that was told so (sslnegotiation=direct) does not ask first.
	directTLSByte = 0x16
	// protocolALPN is the name of the protocol within TLS.
	protocolALPN = "postgresql"
)

// receiveStartup brings a connection to its startup packet. It gives nil and no error when the connection has no more to
// say: it was a CancelRequest.
func (c *connection) receiveStartup() (*Startup, error) {
	if err := c.acceptDirectTLS(); err != nil {
		return nil, err
	}
	for range maxStartupRounds {
		packet, err := c.input.startupPacket()
		if err != nil {
			return nil, err
		}
		switch code := binary.BigEndian.Uint32(packet); code {
		case codeTLSRequest:
			err = c.answerTLSRequest()
		case codeGSSAPIRequest:
			err = c.answer('N')
		case codeCancelRequest:
			var request pgproto3.CancelRequest
			if err := request.Decode(packet); err != nil {
				return nil, pgerror.Fatal(pgerror.ProtocolViolation, "malformed cancel request").WithCause(err)
			}
			c.server.cancelWithKey(request.ProcessID, request.SecretKey)
			return nil, nil
		default:
			return c.parseStartup(code, packet)
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, pgerror.Fatal(pgerror.ProtocolViolation, "no startup packet after %d requests", maxStartupRounds)
}

// answer sends the one byte that answers a request for encryption.
func (c *connection) answer(letter byte) error {
	if c.input.received() > 0 {
		return pgerror.Fatal(pgerror.ProtocolViolation, "received unencrypted data after an encryption request").
			WithDetail("This could be either a client-software bug or evidence of an attempted man-in-the-middle attack.")
	}
	c.output.buffer = append(c.output.buffer, letter)
	return c.output.flush()
}

func (c *connection) answerTLSRequest() error {
	if c.server.config.TLS == nil || c.encrypted != nil {
		return c.answer('N')
	}
	if err := c.answer('S'); err != nil {
		return err
	}
	return c.startTLS(c.socket)
}

// acceptDirectTLS starts TLS when that is what the client has begun with. Such a client must name the protocol by ALPN.
func (c *connection) acceptDirectTLS() error {
	if c.server.config.TLS == nil {
		return nil
	}
	first, err := c.input.peek()
	if err != nil || first != directTLSByte {
		return err
	}
	if err := c.startTLS(&replayed{Conn: c.socket, first: c.input.take()}); err != nil {
		return err
	}
	if c.encrypted.ConnectionState().NegotiatedProtocol != protocolALPN {
		return pgerror.Fatal(pgerror.ProtocolViolation, "received direct TLS connection without ALPN protocol %q", protocolALPN)
	}
	return nil
}

func (c *connection) startTLS(transport net.Conn) error {
	encrypted := tls.Server(transport, c.server.config.TLS)
	if err := encrypted.Handshake(); err != nil {
		return &handshakeError{err}
	}
	c.encrypted = encrypted
	c.input.stream, c.output.stream = encrypted, encrypted
	return nil
}

// handshakeError ends a connection without a word: there is no way to say one that the client would understand.
type handshakeError struct{ error }

// replayed is a connection whose first bytes were read already.
type replayed struct {
	net.Conn
	first []byte
}

func (r *replayed) Read(into []byte) (int, error) {
	if len(r.first) == 0 {
		return r.Conn.Read(into)
	}
	n := copy(into, r.first)
	r.first = r.first[n:]
	return n, nil
}

// parseStartup reads a startup packet (section "Message Formats", StartupMessage) and answers what the client asks for
// beyond protocol 3.0 with a NegotiateProtocolVersion.
func (c *connection) parseStartup(version uint32, packet []byte) (*Startup, error) {
	if version>>16 != protocolMajor {
		return nil, pgerror.Fatal(pgerror.FeatureNotSupported, "unsupported frontend protocol %d.%d: server supports %d.0",
			version>>16, version&0xffff, protocolMajor)
	}
	// The decoder knows some minor versions only; all have the form of the first.
	packet = slices.Clone(packet)
	binary.BigEndian.PutUint32(packet, protocolVersion)
	var message pgproto3.StartupMessage
	if string(packet[4:]) != "\x00" { // the decoder knows no empty list of parameters
		if err := message.Decode(packet); err != nil {
			return nil, pgerror.Fatal(pgerror.ProtocolViolation, "invalid startup packet layout").WithCause(err)
		}
	}

	startup := &Startup{Parameters: map[string]string{}, RemoteAddress: c.socket.RemoteAddr().String(), LocalAddress: c.socket.LocalAddr().String()}
	var unknown []string
	for name, value := range message.Parameters {
		switch {
		case name == "user":
			startup.User = value
		case name == "database":
			startup.Database = value
		case name == "replication":
			if !slices.Contains([]string{"false", "off", "no", "0"}, strings.ToLower(value)) {
				return nil, pgerror.Fatal(pgerror.FeatureNotSupported, "replication connections are not supported")
			}
		case strings.HasPrefix(name, "_pq_."):
			unknown = append(unknown, name)
		case name != "options":
			startup.Parameters[name] = value
		}
	}
	if err := addOptions(startup.Parameters, message.Parameters["options"]); err != nil {
		return nil, err
	}
	if startup.User == "" {
		return nil, pgerror.Fatal(pgerror.InvalidAuthorization, "no user name specified in startup packet")
	}
	if startup.Database == "" {
		startup.Database = startup.User
	}
	if version > protocolVersion || len(unknown) > 0 {
		slices.Sort(unknown)
		return startup, c.output.message(&pgproto3.NegotiateProtocolVersion{NewestMinorProtocol: protocolVersion, UnrecognizedOptions: unknown})
	}
	return startup, nil
}

// addOptions adds the settings of the startup parameter "options": -c name=value or --name=value. A parameter of its own
// goes before an option of the same name.
func addOptions(parameters map[string]string, options string) error {
	words := splitOptions(options)
	given := map[string]string{}
	for i := 0; i < len(words); i++ {
		word := words[i]
		var setting string
		switch {
		case word == "-c" && i+1 < len(words):
			i++
			setting = words[i]
		case strings.HasPrefix(word, "--"):
			setting = word[len("--"):]
		case strings.HasPrefix(word, "-c"):
			setting = word[len("-c"):]
		}
		name, value, found := strings.Cut(setting, "=")
		if !found || name == "" {
			return pgerror.Fatal(pgerror.SyntaxError, "invalid command-line argument for server process: %s", word).
				WithHint("Options have the form -c name=value or --name=value.")
		}
		given[strings.ReplaceAll(name, "-", "_")] = value
	}
	for name, value := range given {
		if _, set := parameters[name]; !set {
			parameters[name] = value
		}
	}
	return nil
}

// splitOptions cuts at white space; a backslash makes the next character part of the word.
func splitOptions(options string) []string {
	var words []string
	var word strings.Builder
	inWord, escaped := false, false
	for _, character := range []byte(options) {
		switch {
		case escaped:
			word.WriteByte(character)
			escaped = false
		case character == '\\':
			inWord, escaped = true, true
		case strings.IndexByte(" \t\n\r\f\v", character) >= 0:
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
		default:
			inWord = true
			word.WriteByte(character)
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}

// silent tells whether a connection that failed with err before its session began ends without an ErrorResponse: the
// client has gone, or cannot read it.
func silent(err error) bool {
	if _, ok := err.(*handshakeError); ok {
		return true
	}
	return err == io.EOF
}
