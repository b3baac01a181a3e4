package e2e

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// answerTimeout is how long the server may take to answer something that it must refuse.
const answerTimeout = 20 * time.Second

// rawConnection speaks bytes to the server.
type rawConnection struct {
	net.Conn
	t *testing.T
}

func (s *server) dialRaw(t *testing.T) *rawConnection {
	t.Helper()
	connection, err := net.Dial("tcp", s.address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	if err := connection.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
		t.Fatal(err)
	}
	return &rawConnection{connection, t}
}

// send writes bytes; the server may close the connection meanwhile.
func (c *rawConnection) send(data []byte) { _, _ = c.Write(data) }

// startUp begins a session and reads up to ReadyForQuery.
func (c *rawConnection) startUp(database string) {
	c.t.Helper()
	body := binary.BigEndian.AppendUint32(nil, 3<<16)
	body = append(body, "user\x00postgres\x00database\x00"+database+"\x00\x00"...)
	c.send(append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+4)), body...))
	for {
		kind, _, err := c.receive()
		if err != nil {
			c.t.Fatalf("starting a session: %v", err)
		}
		if kind == 'Z' {
			return
		}
	}
}

// receive reads one message.
func (c *rawConnection) receive() (kind byte, body []byte, err error) {
	header := make([]byte, 5)
	if _, err := io.ReadFull(c, header); err != nil {
		return 0, nil, err
	}
	body = make([]byte, binary.BigEndian.Uint32(header[1:])-4)
	_, err = io.ReadFull(c, body)
	return header[0], body, err
}

// refusal reads to the end of the connection and gives the SQLSTATE of the last error on the way, or "" when there was
// none. A connection that stays open fails the test.
func (c *rawConnection) refusal() string {
	c.t.Helper()
	state := ""
	for {
		kind, body, err := c.receive()
		var timeout net.Error
		switch {
		case errors.As(err, &timeout) && timeout.Timeout():
			c.t.Fatal("the server neither answers nor closes the connection")
		case err != nil:
			return state
		case kind == 'E':
			state = errorField(body, 'C')
		}
	}
}

func errorField(body []byte, field byte) string {
	for part := range bytes.SplitSeq(body, []byte{0}) {
		if len(part) > 0 && part[0] == field {
			return string(part[1:])
		}
	}
	return ""
}

// message frames a body.
func message(kind byte, body []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)+4)), body...)
}

// TestHostileBytes sends what no client should. The server must end or refuse that connection, with an error where the
// protocol has one, and serve the next client.
func TestHostileBytes(t *testing.T) {
	s := newServer(t, t.TempDir())
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 64<<10)
	for i := range noise {
		noise[i] = byte(random.UintN(256))
	}
	const protocolViolation = "08P01"
	for _, test := range []struct {
		name    string
		started bool // whether the bytes come after the startup
		data    []byte
		states  []string // acceptable SQLSTATEs; "" is a closed connection without an error
	}{
		{"noise instead of a startup", false, noise, []string{"", protocolViolation, "0A000"}},
		{"an HTTP request", false, []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), []string{"", protocolViolation, "0A000"}},
		{"a startup of 1 GB", false, binary.BigEndian.AppendUint32(nil, 1<<30), []string{"", protocolViolation}},
		{"a startup of 3 bytes", false, binary.BigEndian.AppendUint32(nil, 3), []string{"", protocolViolation}},
		{"protocol 9.9", false, []byte("\x00\x00\x00\x08\x00\x09\x00\x09"), []string{"0A000"}},
		{"noise in a session", true, noise, []string{protocolViolation}},
		{"an unknown message", true, message('?', []byte("what")), []string{protocolViolation}},
		{"a message of 1 GB", true, binary.BigEndian.AppendUint32([]byte{'Q'}, 1<<30), []string{protocolViolation, "54000"}},
		{"a message of 2 bytes", true, binary.BigEndian.AppendUint32([]byte{'Q'}, 2), []string{protocolViolation}},
		{"a negative length", true, binary.BigEndian.AppendUint32([]byte{'Q'}, 1<<31+5), []string{protocolViolation}},
		{"a Bind without its end", true, message('B', []byte("\x00\x00\x00\x01")), []string{protocolViolation, "26000"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := s.dialRaw(t)
			if test.started {
				c.startUp("moraine")
			}
			c.send(test.data)
			// A message that is wrong inside only fails itself: the end of the session is asked for behind it.
			c.send(append(message('S', nil), message('X', nil)...))
			if state := c.refusal(); !slices.Contains(test.states, state) {
				t.Errorf("the server answers with SQLSTATE %q, expected one of %q", state, test.states)
			}
			s.checkAnswers(t)
		})
	}
}

// TestCutOff leaves in the middle of messages and statements.
func TestCutOff(t *testing.T) {
	s := newServer(t, t.TempDir())
	query(t, s.connect(t, "moraine"), "CREATE TABLE kept(id integer)")
	whole := message('Q', []byte("INSERT INTO kept VALUES (1)\x00"))
	for length := 1; length < len(whole); length++ {
		c := s.dialRaw(t)
		c.startUp("moraine")
		c.send(whole[:length])
		c.Close()
	}
	c := s.dialRaw(t)
	c.startUp("moraine")
	c.send(message('Q', []byte("BEGIN; INSERT INTO kept VALUES (2)\x00")))
	c.Close()
	s.checkAnswers(t)
	if rows := query(t, s.connect(t, "moraine"), "SELECT count(*) FROM kept"); rows[0][0] != "0" {
		t.Errorf("%s rows were kept of statements that did not arrive whole", rows[0][0])
	}
}

// TestExcessiveStatements sends statements that are too large or too deep. They are done or refused with an error of
// class 54 (a limit) or 53 (resources); the session and the server go on.
func TestExcessiveStatements(t *testing.T) {
	s := newServer(t, t.TempDir())
	const large = 50 << 20 // bytes
	for _, test := range []struct{ name, text, want string }{
		{"a literal of 50 MB", "SELECT length('" + strings.Repeat("x", large) + "')", "52428800"},
		{"50 MB of rows", "CREATE TEMPORARY TABLE large(a integer, b text); INSERT INTO large VALUES " +
			strings.Repeat("(1,'some text of a row'),", large/24) + "(1,'last'); SELECT count(*) FROM large", "2184534"},
		{"100 000 parentheses", "SELECT " + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000), "1"},
		{"10 000 additions", "SELECT 1" + strings.Repeat("+1", 10_000), "10001"},
		{"100 000 additions", "SELECT 1" + strings.Repeat("+1", 100_000), "100001"},
		{"100 000 conditions", "SELECT 1 WHERE true" + strings.Repeat(" OR NOT true", 100_000), "1"},
		{"10 000 nested queries", strings.Repeat("SELECT * FROM (", 10_000) + "SELECT 1" + strings.Repeat(") x", 10_000), "1"},
		{"100 000 statements", strings.Repeat("SELECT 1;", 100_000), "1"},
		{"100 000 columns", "SELECT 1" + strings.Repeat(",1", 99_999), "1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			connection := s.connect(t, "moraine")
			rows, err := tryQuery(t.Context(), connection, test.text)
			switch state := sqlState(err); {
			case err == nil && (len(rows) != 1 || rows[0][0] != test.want):
				t.Errorf("the result is %.100v, expected %s", rows, test.want)
			case err != nil && !strings.HasPrefix(state, "54") && !strings.HasPrefix(state, "53"):
				t.Errorf("the error is %.500s, expected one of class 54 or 53", err)
			case err != nil:
				t.Logf("refused: %.200s", err)
			}
			if rows := query(t, connection, "SELECT 7"); rows[0][0] != "7" {
				t.Errorf("the session answers %v afterwards", rows)
			}
			s.checkAnswers(t)
		})
	}
}

func TestUnknownDatabase(t *testing.T) {
	s := newServer(t, t.TempDir())
	for _, name := range []string{"no_such_database", "", "\xff\xfe", strings.Repeat("x", 5000)} {
		connection := s.connection("'" + name + "'")
		if name == "" {
			connection = s.keywords() + " dbname=postgres_has_no_such_database"
		}
		_, err := pgconn.Connect(t.Context(), connection)
		if state := sqlState(err); state != "3D000" {
			t.Errorf("connecting to %.20q: SQLSTATE %s, expected 3D000", name, state)
		}
	}
	s.checkAnswers(t)
}

// TestCancelledClients opens many sessions that leave in all ways at once.
func TestCancelledClients(t *testing.T) {
	s := newServer(t, t.TempDir())
	const clients = 60
	done := make(chan struct{})
	for i := range clients {
		go func() {
			defer func() { done <- struct{}{} }()
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(20+5*i)*time.Millisecond)
			defer cancel()
			connection, err := pgconn.Connect(ctx, s.connection("moraine"))
			if err != nil {
				return // its time was up before it was in
			}
			defer connection.Close(context.Background())
			_, _ = tryQuery(ctx, connection, "SELECT pg_sleep(60)") // ends with its context
		}()
	}
	for range clients {
		<-done
	}
	s.checkAnswers(t)
}
