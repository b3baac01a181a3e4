package pgwire_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"moraine/pgwire"
)

// waitFor waits until something is so.
func waitFor(t testing.TB, what string, isSo func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !isSo(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// cancelStatement sends a CancelRequest for the client's session and waits until the server has taken it.
func cancelStatement(t testing.TB, address string, c *client) {
	t.Helper()
	canceller := dial(t, address)
	canceller.send(&pgproto3.CancelRequest{ProcessID: c.processID, SecretKey: c.secret})
	canceller.expect("EOF")
}

func TestCancelRequest(t *testing.T) {
	handler := &scriptHandler{}
	_, address := startServer(t, handler, pgwire.Config{})
	c := connect(t, address)
	c.send(&pgproto3.Query{String: "begin;wait;rows 1"})
	receive(t, handler.session().started)
	cancelStatement(t, address, c)
	c.expect("C:BEGIN E:ERROR:57014 Z:E")
	c.query("rows 0", "T C:SELECT_0 Z:E")
}

func TestCancelRequestForExtendedQuery(t *testing.T) {
	handler := &scriptHandler{}
	_, address := startServer(t, handler, pgwire.Config{})
	c := connect(t, address)
	c.send(&pgproto3.Parse{Query: "wait"}, &pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Sync{})
	receive(t, handler.session().started)
	cancelStatement(t, address, c)
	c.expect("1 2 E:ERROR:57014 Z:I")
}

func TestCancelRequestNeedsTheKey(t *testing.T) {
	handler := &scriptHandler{}
	_, address := startServer(t, handler, pgwire.Config{})
	c := connect(t, address)
	session := handler.session()
	c.send(&pgproto3.Query{String: "hold"})
	receive(t, session.started)
	wrong := *c
	wrong.secret = binary.BigEndian.AppendUint32(nil, binary.BigEndian.Uint32(c.secret)+1)
	cancelStatement(t, address, &wrong)
	wrong.secret = nil
	canceller := dial(t, address)
	canceller.send(&pgproto3.CancelRequest{ProcessID: c.processID, SecretKey: c.secret[:2]})
	canceller.expect("E:FATAL:08P01 EOF")
	close(session.release)
	c.expect("C:HOLD Z:I")
}

func TestSignals(t *testing.T) {
	handler := &scriptHandler{}
	server, address := startServer(t, handler, pgwire.Config{})
	c := connect(t, address)
	if server.Cancel(c.processID+1) || server.Terminate(c.processID+1) {
		t.Error("a session that does not exist was found")
	}
	c.send(&pgproto3.Query{String: "wait"})
	receive(t, handler.session().started)
	if !server.Cancel(c.processID) {
		t.Error("the session was not found")
	}
	c.expect("E:ERROR:57014 Z:I")
	if !server.Terminate(c.processID) {
		t.Error("the session was not found")
	}
	c.expect("E:FATAL:57P01 EOF")
}

func TestCancelRequestBetweenStatementsDoesNothing(t *testing.T) {
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{})
	c := connect(t, address)
	cancelStatement(t, address, c)
	c.query("rows 0", "T C:SELECT_0 Z:I")
}

func TestDisconnectCancelsTheStatement(t *testing.T) {
	handler := &scriptHandler{}
	_, address := startServer(t, handler, pgwire.Config{})
	c := connect(t, address)
	c.send(&pgproto3.Query{String: "wait"}, &pgproto3.Query{String: "rows 1"})
	receive(t, handler.session().started)
	c.socket.Close()
	waitFor(t, "the session to be closed", func() bool { return handler.closed.Load() == 1 })
}

// What a client sends ahead while a statement runs is read by another goroutine and must be answered afterwards.
func TestMessagesSentAheadAreKept(t *testing.T) {
	for _, encrypted := range []bool{false, true} {
		for _, size := range []int{10, 20_000, 100_000} {
			t.Run(fmt.Sprintf("encrypted=%v size=%d", encrypted, size), func(t *testing.T) {
				handler := &scriptHandler{}
				_, address := startServer(t, handler, pgwire.Config{TLS: testTLS(t)})
				c := dial(t, address)
				if encrypted {
					c.encrypt()
				}
				c.startup(map[string]string{"user": "tester"})
				c.expect("R K Z:I")
				sendAhead(t, c, handler.session(), strings.Repeat("x", size))
			})
		}
	}
}

func sendAhead(t *testing.T, c *client, session *scriptSession, text string) {
	t.Helper()
	c.send(&pgproto3.Query{String: "hold"})
	receive(t, session.started)
	for range 3 {
		c.send(&pgproto3.Query{String: "notice " + text})
	}
	// Long enough for the watch to begin; shorter would test less, not fail.
	time.Sleep(100 * time.Millisecond)
	close(session.release)
	c.expect("C:HOLD Z:I")
	for range 3 {
		c.expect("N:" + text + " C:NOTICE Z:I")
	}
}
