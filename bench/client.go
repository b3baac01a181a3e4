package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"moraine/bench/conversation"
)

// client is a connection that sends recorded exchanges. It looks into as little of the answers as it can, so that the
// time it takes is the server's.
type client struct {
	connection net.Conn
	reader     *bufio.Reader
	header     [5]byte
	body       []byte
}

// answer is what a server said in an exchange.
type answer struct {
	took time.Duration // from the first byte sent to ReadyForQuery received
	tags []string      // of CommandComplete, such as "INSERT 0 1"
	rows []rowIdentity // the last field of COPY rows, when it was asked for
}

// rowIdentity is a ctid as SQL writes it: (block,offset).
type rowIdentity string

const clientBuffer = 64 << 10 // bytes

func dial(ctx context.Context, s server, database string) (*client, error) {
	var dialer net.Dialer
	connection, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(s.setting("host"), s.setting("port")))
	if err != nil {
		return nil, err
	}
	c := &client{connection: connection, reader: bufio.NewReaderSize(connection, clientBuffer)}
	startup := binary.BigEndian.AppendUint32(make([]byte, 4), 3<<16)
	startup = fmt.Appendf(startup, "user\x00%s\x00database\x00%s\x00\x00", s.setting("user"), database)
	binary.BigEndian.PutUint32(startup, uint32(len(startup)))
	if _, err := connection.Write(startup); err != nil {
		return nil, err
	}
	if _, err := c.receive('Z', false); err != nil {
		connection.Close()
		return nil, err
	}
	return c, nil
}

func (c *client) close() {
	_, _ = c.connection.Write(message('X', nil)) // the server may be gone already
	c.connection.Close()
}

// exchange sends one recorded exchange and takes all of the answer.
func (c *client) exchange(e conversation.Exchange, wantIdentities bool) (answer, error) {
	request := encode(e)
	start := time.Now()
	if _, err := c.connection.Write(request); err != nil {
		return answer{}, err
	}
	if len(e.Data) > 0 {
		if _, err := c.receive('G', false); err != nil {
			return answer{}, err
		}
		for _, data := range e.Data {
			if _, err := c.connection.Write(message('d', data)); err != nil {
				return answer{}, err
			}
		}
		if _, err := c.connection.Write(message('c', nil)); err != nil {
			return answer{}, err
		}
	}
	got, err := c.receive('Z', wantIdentities)
	got.took = time.Since(start)
	return got, err
}

// receive reads messages up to and with the given type. An ErrorResponse on the way is its error.
func (c *client) receive(last byte, wantIdentities bool) (answer, error) {
	var got answer
	var failure error
	for {
		if _, err := io.ReadFull(c.reader, c.header[:]); err != nil {
			return got, err
		}
		kind, length := c.header[0], int(binary.BigEndian.Uint32(c.header[1:]))-4
		switch {
		case kind == 'C' || kind == 'E' || kind == 'd' && wantIdentities:
			if cap(c.body) < length {
				c.body = make([]byte, length)
			}
			c.body = c.body[:length]
			if _, err := io.ReadFull(c.reader, c.body); err != nil {
				return got, err
			}
		default:
			if _, err := c.reader.Discard(length); err != nil {
				return got, err
			}
		}
		switch kind {
		case 'C':
			got.tags = append(got.tags, string(c.body[:length-1]))
		case 'E':
			failure = fmt.Errorf("the server answers: %s", errorText(c.body))
		case 'd':
			if wantIdentities {
				got.rows = appendIdentities(got.rows, c.body)
			}
		}
		if kind == last || kind == 'Z' {
			return got, failure
		}
	}
}

// appendIdentities adds the last field, a binary ctid, of each row in one CopyData of a binary COPY.
func appendIdentities(found []rowIdentity, data []byte) []rowIdentity {
	const signature = "PGCOPY\n\xff\r\n\x00"
	if rest, ok := strings.CutPrefix(string(data), signature); ok {
		data = []byte(rest[8:]) // flags, length of the header's extension
	}
	for len(data) >= 2 {
		fields := int16(binary.BigEndian.Uint16(data))
		data = data[2:]
		var field []byte
		for range fields { // -1 ends the COPY
			length := int32(binary.BigEndian.Uint32(data))
			field, data = data[4:4+max(length, 0)], data[4+max(length, 0):]
		}
		if len(field) == 6 {
			found = append(found, rowIdentity(fmt.Sprintf("(%d,%d)", binary.BigEndian.Uint32(field), binary.BigEndian.Uint16(field[4:]))))
		}
	}
	return found
}

func encode(e conversation.Exchange) []byte {
	switch e.Message {
	case conversation.Parse:
		return append(message('P', fmt.Appendf(nil, "\x00%s\x00\x00\x00", e.Text)), message('S', nil)...)
	case conversation.Describe:
		return append(message('D', []byte("S\x00")), message('S', nil)...)
	default:
		return message('Q', append([]byte(e.Text), 0))
	}
}

func message(kind byte, body []byte) []byte {
	framed := binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)+4))
	return append(framed, body...)
}

// errorText gives the message field of an ErrorResponse.
func errorText(body []byte) string {
	for _, field := range strings.Split(string(body), "\x00") {
		if text, ok := strings.CutPrefix(field, "M"); ok {
			return text
		}
	}
	return string(body)
}
