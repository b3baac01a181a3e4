package pgwire_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"moraine/pgwire"
)

func TestMessageSizeLimit(t *testing.T) {
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{MaxMessageSize: 50_000})
	c := connect(t, address)
	c.query("notice "+strings.Repeat("x", 49_000), "N:"+strings.Repeat("x", 49_000)+" C:NOTICE Z:I")
	c.write([]byte("Q\x3f\xff\xff\xfe"))
	message, err := c.Receive()
	if err != nil {
		t.Fatal(err)
	}
	response := message.(*pgproto3.ErrorResponse)
	if response.Severity != "FATAL" || response.Code != "54000" || response.Message != "message of 1073741818 bytes exceeds the limit of 50000 bytes" {
		t.Errorf("got %+v", response)
	}
	c.expect("EOF")
}

// A client that goes on sending what was refused can still read why.
func TestRefusedMessageIsSentInFull(t *testing.T) {
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{MaxMessageSize: 1000})
	c := connect(t, address)
	c.send(&pgproto3.Query{String: strings.Repeat("x", 500_000)})
	c.expect("E:FATAL:54000 EOF")
}

// A message gets its memory as its bytes arrive.
func TestAnnouncedSizeIsNotAllocated(t *testing.T) {
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 20 {
		connect(t, address).write([]byte("Q\x0f\xff\x00\x00select"))
	}
	connect(t, address).query("rows 1", "T D:0 C:SELECT_1 Z:I")
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 100<<20 {
		t.Errorf("%d MB were allocated", allocated>>20)
	}
}

func TestSessionLimit(t *testing.T) {
	handler := &scriptHandler{}
	_, address := startServer(t, handler, pgwire.Config{MaxSessions: 2})
	first := connect(t, address)
	second := connect(t, address)
	third := dial(t, address)
	third.startup(map[string]string{"user": "tester"})
	third.expect("E:FATAL:53300 EOF")
	cancelStatement(t, address, second)
	first.send(&pgproto3.Terminate{})
	first.expect("EOF")
	waitFor(t, "a place for a session", func() bool {
		c := dial(t, address)
		c.startup(map[string]string{"user": "tester"})
		return c.next(false) == "R"
	})
}

func TestConnectionsWithoutSessionAreBounded(t *testing.T) {
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{MaxSessions: 1})
	for range 101 {
		dial(t, address)
	}
	waitFor(t, "a connection to be refused", func() bool {
		c := dial(t, address)
		c.Send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "tester"}})
		return c.Flush() != nil || c.next(false) != "R"
	})
}

func TestAuthenticationTimeout(t *testing.T) {
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{AuthenticationTimeout: 10 * time.Millisecond})
	dial(t, address).expect("E:FATAL:08P01 EOF")
	c := dial(t, address)
	c.write([]byte{0, 0, 0, 100, 0})
	c.expect("E:FATAL:08P01 EOF")
}

// A session that was opened in time is not ended by the timeout of its authentication.
func TestAuthenticationTimeoutEndsWithAuthentication(t *testing.T) {
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{AuthenticationTimeout: time.Second})
	c := connect(t, address)
	time.Sleep(1100 * time.Millisecond)
	c.query("rows 0", "T C:SELECT_0 Z:I")
}

func TestClientThatDoesNotRead(t *testing.T) {
	handler := &scriptHandler{}
	_, address := startServer(t, handler, pgwire.Config{WriteTimeout: 20 * time.Millisecond})
	c := connect(t, address)
	c.send(&pgproto3.Query{String: "rows 1000 1000000"})
	waitFor(t, "the session to be closed", func() bool { return handler.closed.Load() == 1 })
}
