package pgwire_test

import (
	"context"
	"errors"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"moraine/pgerror"
	"moraine/pgwire"
)

// shutdown starts Shutdown and gives its result.
func shutdown(server *pgwire.Server, ctx context.Context) <-chan error {
	result := make(chan error, 1)
	go func() { result <- server.Shutdown(ctx) }()
	return result
}

func TestShutdownEndsIdleSessions(t *testing.T) {
	handler := &scriptHandler{}
	server, address := startServer(t, handler, pgwire.Config{})
	idle, inTransaction, starting := connect(t, address), connect(t, address), dial(t, address)
	inTransaction.query("begin", "C:BEGIN Z:T")
	starting.write([]byte{0})
	if err := receive(t, shutdown(server, context.Background())); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*client{idle, inTransaction} {
		c.expect("E:FATAL:57P01 EOF")
	}
	if closed := handler.closed.Load(); closed != 2 {
		t.Errorf("%d sessions were closed", closed)
	}
	if _, err := net.Dial("tcp", address); err == nil {
		t.Error("the server still accepts connections")
	}
}

func TestShutdownLetsAMessageFinish(t *testing.T) {
	handler := &scriptHandler{}
	server, address := startServer(t, handler, pgwire.Config{})
	c := connect(t, address)
	session := handler.session()
	c.send(&pgproto3.Query{String: "hold"}, &pgproto3.Query{String: "rows 1"})
	receive(t, session.started)
	result := shutdown(server, context.Background())
	waitFor(t, "the server to stop accepting", func() bool {
		socket, err := net.Dial("tcp", address)
		if err == nil {
			socket.Close()
		}
		return err != nil
	})
	close(session.release)
	c.expect("C:HOLD Z:I E:FATAL:57P01 EOF")
	if err := receive(t, result); err != nil {
		t.Error(err)
	}
}

// The Sync that commits what was executed is waited for.
func TestShutdownLetsASequenceFinish(t *testing.T) {
	handler := &scriptHandler{}
	server, address := startServer(t, handler, pgwire.Config{})
	idle, c := connect(t, address), connect(t, address)
	c.send(&pgproto3.Parse{Query: "rows 1"}, &pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Flush{})
	c.expect("1 2 D:0 C:SELECT_1")
	result := shutdown(server, context.Background())
	idle.expect("E:FATAL:57P01 EOF")
	c.send(&pgproto3.Sync{})
	c.expect("Z:I E:FATAL:57P01 EOF")
	if err := receive(t, result); err != nil {
		t.Error(err)
	}
}

func TestShutdownCancelsAtItsDeadline(t *testing.T) {
	handler := &scriptHandler{}
	server, address := startServer(t, handler, pgwire.Config{})
	c := connect(t, address)
	c.send(&pgproto3.Query{String: "wait"})
	receive(t, handler.session().started)
	ctx, cancel := context.WithCancel(context.Background())
	result := shutdown(server, ctx)
	cancel()
	c.expect("E:FATAL:57P01 EOF")
	if err := receive(t, result); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown gave %v", err)
	}
}

func TestShutdownWithoutConnections(t *testing.T) {
	server, _ := startServer(t, &scriptHandler{}, pgwire.Config{})
	for range 2 {
		if err := server.Shutdown(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Serve(listener); err != pgwire.ErrServerClosed {
		t.Errorf("Serve gave %v", err)
	}
}

func TestSessionThatIsDone(t *testing.T) {
	for _, statement := range []string{"", "wait", "in"} {
		handler := &scriptHandler{}
		_, address := startServer(t, handler, pgwire.Config{})
		c := connect(t, address)
		session := handler.session()
		if statement != "" {
			c.send(&pgproto3.Query{String: statement})
			receive(t, session.started)
		}
		if statement == "in" {
			c.expect("G:0:2")
		}
		close(session.done)
		c.expect("E:FATAL:57P01 EOF")
	}
}

func TestNoGoroutineIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	handler := &scriptHandler{}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := pgwire.NewServer(handler, pgwire.Config{})
	go server.Serve(listener)
	address := listener.Addr().String()
	for _, query := range []string{"rows 1", "panic", "fatal", "in", "wait", "hold", ""} {
		c := connect(t, address)
		session := handler.session()
		c.send(&pgproto3.Query{String: query})
		if query == "wait" || query == "hold" {
			receive(t, session.started)
		}
		if query == "hold" {
			close(session.release)
		} else {
			c.socket.Close()
		}
	}
	dial(t, address).write([]byte("garbage"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	server.Shutdown(ctx)
	settled(t, before)
	if opened := len(handler.sessions); handler.closed.Load() != int64(opened) {
		t.Errorf("%d of %d sessions were closed", handler.closed.Load(), opened)
	}
}

func TestAbortTellsEverySessionWhy(t *testing.T) {
	handler := &scriptHandler{}
	server, address := startServer(t, handler, pgwire.Config{})
	idle, working := connect(t, address), connect(t, address)
	working.send(&pgproto3.Query{String: "wait"})
	receive(t, handler.session().started)
	if err := server.Abort(pgerror.Fatal("57P05", "enough"), patience); err != nil {
		t.Error(err)
	}
	for _, c := range []*client{idle, working} {
		c.expect("E:FATAL:57P05 EOF")
	}
}

func TestEndSessions(t *testing.T) {
	handler := &scriptHandler{}
	server, address := startServer(t, handler, pgwire.Config{})
	idle, stuck := connect(t, address), connect(t, address)
	session := handler.session()
	stuck.send(&pgproto3.Query{String: "hold"}) // which no cancellation ends
	receive(t, session.started)
	server.EndSessions(pgerror.Fatal("57P05", "enough"), time.Millisecond)
	idle.expect("E:FATAL:57P05 EOF")
	stuck.expect("EOF")
	close(session.release)
	connect(t, address)
}

// A server that is not ready says so before it asks who the client is.
func TestNotReady(t *testing.T) {
	ready := make(chan struct{})
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{Ready: func() error {
		select {
		case <-ready:
			return nil
		default:
			return pgerror.Fatal(pgerror.CannotConnectNow, "not yet")
		}
	}})
	refused := dial(t, address)
	refused.startup(map[string]string{"user": "tester"})
	refused.expect("E:FATAL:57P03 EOF")
	close(ready)
	connect(t, address)
}
