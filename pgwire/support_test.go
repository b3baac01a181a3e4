package pgwire_test

import (
	"context"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"moraine/pgwire"
)

// patience bounds how long a test waits for what must come. It is not a measure of speed.
const patience = 20 * time.Second

// startServer runs a server for the test and gives its address.
func startServer(t testing.TB, handler pgwire.Handler, config pgwire.Config) (*pgwire.Server, string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := pgwire.NewServer(handler, config)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		server.Shutdown(ctx)
		if err := <-served; err != pgwire.ErrServerClosed {
			t.Errorf("Serve gave %v", err)
		}
	})
	return server, listener.Addr().String()
}

// client is the frontend of pgproto3 over a socket of the test.
type client struct {
	*pgproto3.Frontend
	t         testing.TB
	socket    net.Conn
	processID uint32
	secret    []byte
}

func dial(t testing.TB, address string) *client {
	t.Helper()
	socket, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	socket.SetDeadline(time.Now().Add(patience))
	return &client{Frontend: pgproto3.NewFrontend(socket, socket), t: t, socket: socket}
}

// connect dials and goes through startup.
func connect(t testing.TB, address string) *client {
	t.Helper()
	c := dial(t, address)
	c.startup(map[string]string{"user": "tester", "database": "moraine"})
	c.expect("R K Z:I")
	return c
}

func (c *client) startup(parameters map[string]string) {
	c.t.Helper()
	c.send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: parameters})
}

func (c *client) send(messages ...pgproto3.FrontendMessage) {
	c.t.Helper()
	for _, message := range messages {
		c.Send(message)
	}
	if err := c.Flush(); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) write(bytes []byte) {
	c.t.Helper()
	if _, err := c.socket.Write(bytes); err != nil {
		c.t.Fatal(err)
	}
}

// query sends a Query and checks what comes back, in the words of expect.
func (c *client) query(query, expected string) {
	c.t.Helper()
	c.send(&pgproto3.Query{String: query})
	c.expect(expected)
}

// expect checks the next messages, each one word: R authentication, K key, T row description, D:value, C:TAG (blanks as
// underscores), E:SEVERITY:CODE, N:message, Z:status, s, n, 1, 2, 3, t:count, I, H, d:length, c, G, S:name=value, v, EOF.
// ParameterStatus messages are left out unless they are expected next.
func (c *client) expect(expected string) {
	c.t.Helper()
	for i, word := range strings.Fields(expected) {
		got := c.next(strings.HasPrefix(word, "S:"))
		if got != word {
			c.t.Fatalf("message %d: got %s, expected %s of %q", i+1, got, word, expected)
		}
	}
}

func (c *client) next(wantStatus bool) string {
	c.t.Helper()
	for {
		message, err := c.Receive()
		if err != nil {
			if strings.Contains(err.Error(), "EOF") {
				return "EOF"
			}
			return "error(" + err.Error() + ")"
		}
		if _, ok := message.(*pgproto3.ParameterStatus); ok && !wantStatus {
			continue
		}
		return c.describe(message)
	}
}

// settled waits until the process has no more goroutines than before.
func settled(t *testing.T, before int) {
	t.Helper()
	for deadline := time.Now().Add(patience); runtime.NumGoroutine() > before; {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
		time.Sleep(time.Millisecond)
	}
}

// receive waits for a value.
func receive[T any](t testing.TB, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(patience):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}
