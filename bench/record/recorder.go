package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"sync"

	"moraine/bench/conversation"
)

// recorder passes bytes between clients and the server and keeps the exchanges that clients began.
type recorder struct {
	server string

	mutex       sync.Mutex
	operation   string
	run         int // how many operations have begun
	connections int
	exchanges   []conversation.Exchange
}

func (r *recorder) begin(operation string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.operation = operation
	r.run++
}

func (r *recorder) finish() []conversation.Exchange {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.exchanges
}

func (r *recorder) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return // the listener was closed: the recording is over
		}
		server, err := net.Dial("tcp", r.server)
		if err != nil {
			log.Print("record: ", err)
			client.Close()
			continue
		}
		r.mutex.Lock()
		r.connections++
		number := r.connections
		r.mutex.Unlock()
		go func() {
			defer client.Close()
			_, _ = io.Copy(client, server)
		}()
		go func() {
			defer server.Close()
			if err := r.listen(client, server, number); !errors.Is(err, io.EOF) {
				log.Printf("record: connection %d: %v", number, err)
			}
		}()
	}
}

// listen passes on what one client says, message by message, and notes it. It ends with io.EOF when the client does.
func (r *recorder) listen(client io.Reader, server io.Writer, connection int) error {
	for started := false; !started; {
		body, err := readStartup(client, server)
		if err != nil {
			return err
		}
		started = binary.BigEndian.Uint32(body) == 3<<16 // not an SSLRequest or the like
	}
	header := make([]byte, 5)
	for {
		if _, err := io.ReadFull(client, header); err != nil {
			return err
		}
		body := make([]byte, binary.BigEndian.Uint32(header[1:])-4)
		if _, err := io.ReadFull(client, body); err != nil {
			return err
		}
		// Noted before it is passed on, so that the order is that of the answers.
		if err := r.note(connection, header[0], body); err != nil {
			return err
		}
		if _, err := server.Write(append(header, body...)); err != nil {
			return err
		}
	}
}

// readStartup passes on one message without a type byte and returns its body.
func readStartup(client io.Reader, server io.Writer) ([]byte, error) {
	length := make([]byte, 4)
	if _, err := io.ReadFull(client, length); err != nil {
		return nil, err
	}
	body := make([]byte, binary.BigEndian.Uint32(length)-4)
	if _, err := io.ReadFull(client, body); err != nil {
		return nil, err
	}
	_, err := server.Write(append(length, body...))
	return body, err
}

func (r *recorder) note(connection int, kind byte, body []byte) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	add := func(message conversation.Message, text string) {
		r.exchanges = append(r.exchanges, conversation.Exchange{
			Operation: r.operation, Run: r.run, Connection: connection, Message: message, Text: text,
		})
	}
	switch kind {
	case 'Q':
		add(conversation.Query, string(body[:len(body)-1]))
	case 'P': // statement name, text, parameter types: DuckDB uses neither name nor types
		text := string(body[1 : len(body)-3])
		add(conversation.Parse, text)
	case 'D':
		add(conversation.Describe, "")
	case 'd':
		last := &r.exchanges[len(r.exchanges)-1]
		if last.Connection != connection {
			return fmt.Errorf("COPY data of connection %d amid those of %d", connection, last.Connection)
		}
		last.Data = append(last.Data, body)
	case 'S', 'c', 'X': // implied by the exchange
	default:
		return fmt.Errorf("message %q is not one that DuckDB is known to send", kind)
	}
	return nil
}
