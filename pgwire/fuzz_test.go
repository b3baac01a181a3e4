package pgwire_test

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"moraine/pgwire"
)

// FuzzConnection sends anything to a connection, from its first byte or within a session. Whatever it is, the connection
// ends when the client stops, and the server goes on.
func FuzzConnection(f *testing.F) {
	f.Add(false, packet(version30, whoAmI))
	f.Add(false, packet(tlsRequest, ""))
	f.Add(false, []byte("GET / HTTP/1.1\r\n\r\n"))
	messages := []pgproto3.FrontendMessage{
		&pgproto3.Query{String: "begin;rows 3;out 2"}, &pgproto3.Parse{Query: "parameter", ParameterOIDs: []uint32{25}},
		&pgproto3.Bind{Parameters: [][]byte{[]byte("x"), nil}}, &pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{MaxRows: 1},
		&pgproto3.Flush{}, &pgproto3.Sync{}, &pgproto3.Query{String: "in 2"}, &pgproto3.CopyData{Data: []byte("a\tb\n")},
		&pgproto3.CopyFail{Message: "x"}, &pgproto3.CopyDone{}, &pgproto3.FunctionCall{}, &pgproto3.Terminate{},
	}
	var all []byte
	for _, message := range messages {
		one, err := message.Encode(nil)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, one...)
		f.Add(true, one)
	}
	f.Add(true, all)

	_, address := startServer(f, &tameHandler{}, pgwire.Config{MaxMessageSize: 1 << 20})
	f.Fuzz(func(t *testing.T, inSession bool, bytes []byte) {
		socket, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer socket.Close()
		socket.SetDeadline(time.Now().Add(patience))
		if inSession {
			bytes = append(packet(version30, whoAmI), bytes...)
		}
		go func() {
			socket.Write(bytes)
			socket.(*net.TCPConn).CloseWrite()
		}()
		if _, err := io.Copy(io.Discard, socket); err != nil {
			if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
				t.Fatal("the connection did not end")
			}
		}
	})
}

// tameHandler opens sessions that do not panic by themselves.
type tameHandler struct{ scriptHandler }
