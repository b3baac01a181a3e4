// Package conversation is a recorded talk of DuckDB with its catalog server: what the client sent, exchange by exchange.
// It knows the file format and nothing of networks.
package conversation

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// Message is what the client sends in an exchange.
type Message string

// The messages that DuckDB sends. Each exchange ends with the server's ReadyForQuery.
const (
	Query    Message = "query"    // Query, with CopyData and CopyDone when the statement is COPY FROM STDIN
	Parse    Message = "parse"    // Parse of the unnamed statement without parameter types, Sync
	Describe Message = "describe" // Describe of the unnamed statement, Sync
)

// Exchange is one message of the client and all that belongs to it.
type Exchange struct {
	Operation  string   `json:"operation"`  // what the user did, such as "insert"
	Run        int      `json:"run"`        // counts the user's operations, from 1
	Connection int      `json:"connection"` // counts the client's connections, from 1
	Message    Message  `json:"message"`
	Text       string   `json:"text,omitempty"` // SQL
	Data       [][]byte `json:"data,omitempty"` // contents of the CopyData messages
}

// Replace puts a text of the same length in the place of another one, in SQL and in data.
func (e *Exchange) Replace(old, replacement string) {
	e.Text = strings.ReplaceAll(e.Text, old, replacement)
	for i, data := range e.Data {
		e.Data[i] = bytes.ReplaceAll(data, []byte(old), []byte(replacement))
	}
}

// Write writes one exchange a line, as JSON.
func Write(w io.Writer, exchanges []Exchange) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for _, exchange := range exchanges {
		if err := encoder.Encode(exchange); err != nil {
			return err
		}
	}
	return nil
}

// Read reads what Write wrote.
func Read(r io.Reader) ([]Exchange, error) {
	var exchanges []Exchange
	for decoder := json.NewDecoder(bufio.NewReader(r)); ; {
		var exchange Exchange
		switch err := decoder.Decode(&exchange); err {
		case nil:
			exchanges = append(exchanges, exchange)
		case io.EOF:
			return exchanges, nil
		default:
			return nil, err
		}
	}
}
