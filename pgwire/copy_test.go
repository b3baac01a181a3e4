package pgwire_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"moraine/pgwire"
)

func TestCopyIn(t *testing.T) {
	handler := &scriptHandler{}
	_, address := startServer(t, handler, pgwire.Config{})
	data := func(text string) pgproto3.FrontendMessage { return &pgproto3.CopyData{Data: []byte(text)} }
	done, sync := &pgproto3.CopyDone{}, &pgproto3.Sync{}
	extended := []pgproto3.FrontendMessage{&pgproto3.Parse{Query: "in"}, &pgproto3.Bind{}, &pgproto3.Execute{}, sync}
	failing := []pgproto3.FrontendMessage{&pgproto3.Parse{Query: "in 1"}, &pgproto3.Bind{}, &pgproto3.Execute{}, sync}
	query := func(text string) []pgproto3.FrontendMessage {
		return []pgproto3.FrontendMessage{&pgproto3.Query{String: text}}
	}
	tests := []struct {
		name     string
		start    []pgproto3.FrontendMessage
		started  string
		rest     []pgproto3.FrontendMessage
		expected string
		copied   string
	}{
		{"simple", query("in;rows 1"), "G:0:2", []pgproto3.FrontendMessage{data("a"), data(""), data("bc"), done}, "C:COPY_3 T D:0 C:SELECT_1 Z:I", "abc"},
		{"nothing", query("in"), "G:0:2", []pgproto3.FrontendMessage{done}, "C:COPY_0 Z:I", ""},
		{"the client gives up", query("in"), "G:0:2", []pgproto3.FrontendMessage{data("a"), &pgproto3.CopyFail{Message: "no more"}}, "E:ERROR:57014 Z:I", "a"},
		{"the statement fails", query("in 1"), "G:0:2", []pgproto3.FrontendMessage{data("a"), data("b"), data("c"), done, &pgproto3.Query{String: "rows 0"}},
			"E:ERROR:22P04 Z:I T C:SELECT_0 Z:I", "a"},
		{"the statement fails, then the client", query("in 1"), "G:0:2", []pgproto3.FrontendMessage{data("a"), &pgproto3.CopyFail{}, &pgproto3.Query{}},
			"E:ERROR:22P04 Z:I I Z:I", "a"},
		{"extended, Sync sent ahead", extended, "1 2 G:0:2", []pgproto3.FrontendMessage{data("a"), &pgproto3.Flush{}, done, sync}, "C:COPY_1 Z:I", "a"},
		{"extended, the statement fails", failing, "1 2 G:0:2", []pgproto3.FrontendMessage{data("a"), data("b"), done, sync}, "E:ERROR:22P04 Z:I", "a"},
		{"a message that has no place", query("in"), "G:0:2", query("rows 1"), "E:FATAL:08P01 EOF", ""},
		{"the client leaves", query("in"), "G:0:2", []pgproto3.FrontendMessage{&pgproto3.Terminate{}}, "E:FATAL:08006 EOF", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := connect(t, address)
			session := handler.session()
			c.send(test.start...)
			c.expect(test.started)
			c.send(test.rest...)
			c.expect(test.expected)
			if got := string(session.copied); got != test.copied {
				t.Errorf("the session got %q", got)
			}
		})
	}
}

func TestCopyInOfManySizes(t *testing.T) {
	handler := &scriptHandler{}
	_, address := startServer(t, handler, pgwire.Config{})
	c := connect(t, address)
	c.query("in", "G:0:2")
	var sent bytes.Buffer
	for i, size := range []int{10, 32 << 10, 5, 100_000, 1 << 20, 3 << 20, 1, 70_000} {
		data := []byte(strings.Repeat(string(rune('a'+i)), size))
		sent.Write(data)
		c.send(&pgproto3.CopyData{Data: data})
	}
	c.send(&pgproto3.CopyDone{})
	c.expect("C:COPY_8 Z:I")
	if !bytes.Equal(handler.session().copied, sent.Bytes()) {
		t.Error("the data did not arrive as it was sent")
	}
}

// A cancelled COPY leaves the message that was half received; the session goes on behind it.
func TestCancelWithinCopyIn(t *testing.T) {
	for _, size := range []int{100, 40_000} {
		handler := &scriptHandler{}
		_, address := startServer(t, handler, pgwire.Config{})
		c := connect(t, address)
		c.query("in", "G:0:2")
		encoded, err := (&pgproto3.CopyData{Data: make([]byte, size)}).Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		c.write(encoded[:size/2])
		receive(t, handler.session().started)
		cancelStatement(t, address, c)
		c.expect("E:ERROR:57014 Z:I")
		c.write(encoded[size/2:])
		c.send(&pgproto3.CopyDone{})
		c.query("rows 0", "T C:SELECT_0 Z:I")
	}
}

func TestDisconnectWithinCopyIn(t *testing.T) {
	handler := &scriptHandler{}
	_, address := startServer(t, handler, pgwire.Config{})
	c := connect(t, address)
	c.query("in", "G:0:2")
	c.write([]byte("d\x00\x00"))
	c.socket.Close()
	waitFor(t, "the session to be closed", func() bool { return handler.closed.Load() == 1 })
}
