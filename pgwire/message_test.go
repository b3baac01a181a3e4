package pgwire_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"moraine/pgwire"
)

func TestSimpleQuery(t *testing.T) {
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{})
	tests := []struct{ name, query, expected string }{
		{"rows", "rows 2", "T D:0 D:1 C:SELECT_2 Z:I"},
		{"nothing", "", "I Z:I"},
		{"several statements", "begin;rows 1;notice hello", "C:BEGIN T D:0 C:SELECT_1 N:hello C:NOTICE Z:T"},
		{"stops at the first error", "begin;error 22012;rows 1", "C:BEGIN E:ERROR:22012 Z:E"},
		{"an error keeps the session", "error 42601", "E:ERROR:42601 Z:I"},
		{"an error of Go", "plain", "E:ERROR:XX000 Z:I"},
		{"a setting is reported before ReadyForQuery", "set TimeZone UTC", "C:SET S:TimeZone=UTC Z:I"},
		{"COPY OUT in one message", "out 2", "H:1:1 d:35 c C:COPY_2 Z:I"},
		{"fatal", "fatal", "E:FATAL:57P01 EOF"},
		{"panic", "panic", "E:FATAL:XX000 EOF"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			connect(t, address).query(test.query, test.expected)
		})
	}
}

func TestErrorFields(t *testing.T) {
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{})
	c := connect(t, address)
	c.send(&pgproto3.Query{String: "error 23505"})
	message, err := c.Receive()
	if err != nil {
		t.Fatal(err)
	}
	got := *message.(*pgproto3.ErrorResponse)
	expected := pgproto3.ErrorResponse{Severity: "ERROR", SeverityUnlocalized: "ERROR", Code: "23505", Message: "message \uFFFD",
		Detail: "detail", Hint: "hint", Position: 7, Where: "where", SchemaName: "schema", TableName: "table",
		ColumnName: "column", DataTypeName: "type", ConstraintName: "constraint"}
	if !equalErrors(got, expected) {
		t.Errorf("got %+v", got)
	}
}

func equalErrors(a, b pgproto3.ErrorResponse) bool {
	left, _ := a.Encode(nil)
	right, _ := b.Encode(nil)
	return bytes.Equal(left, right)
}

func TestExtendedQuery(t *testing.T) {
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{})
	parse := func(name, query string) pgproto3.FrontendMessage { return &pgproto3.Parse{Name: name, Query: query} }
	bind := func(statement string) pgproto3.FrontendMessage {
		return &pgproto3.Bind{PreparedStatement: statement, Parameters: [][]byte{[]byte("p")}}
	}
	execute := func(rows uint32) pgproto3.FrontendMessage { return &pgproto3.Execute{MaxRows: rows} }
	sync := &pgproto3.Sync{}
	tests := []struct {
		name     string
		messages []pgproto3.FrontendMessage
		expected string
	}{
		{"parse and describe, as DuckDB does",
			[]pgproto3.FrontendMessage{parse("", "rows 1"), sync, &pgproto3.Describe{ObjectType: 'S'}, sync}, "1 Z:I t:0 T Z:I"},
		{"all of a statement",
			[]pgproto3.FrontendMessage{parse("a", "parameter"), bind("a"), &pgproto3.Describe{ObjectType: 'P'}, execute(0),
				&pgproto3.Close{ObjectType: 'S', Name: "a"}, &pgproto3.Close{ObjectType: 'P'}, sync},
			"1 2 T D:p C:SELECT_1 3 3 Z:I"},
		{"no data", []pgproto3.FrontendMessage{parse("", "begin"), &pgproto3.Describe{ObjectType: 'S'}, bind(""),
			&pgproto3.Describe{ObjectType: 'P'}, execute(0), sync}, "1 t:0 n 2 n C:BEGIN Z:T"},
		{"suspended portal", []pgproto3.FrontendMessage{parse("", "rows 3"), bind(""), execute(2), execute(2), sync},
			"1 2 D:0 D:1 s D:2 C:SELECT_3 Z:I"},
		{"negative row count is all", []pgproto3.FrontendMessage{parse("", "rows 2"), bind(""), execute(0xffffffff), sync},
			"1 2 D:0 D:1 C:SELECT_2 Z:I"},
		{"an error skips until Sync", []pgproto3.FrontendMessage{parse("", "syntax"), bind(""), execute(0), &pgproto3.Query{String: "rows 1"},
			&pgproto3.Flush{}, sync, parse("", "rows 0"), sync}, "E:ERROR:42601 Z:I 1 Z:I"},
		{"an error is sent before Sync", []pgproto3.FrontendMessage{bind("unknown")}, "E:ERROR:26000"},
		{"Flush sends what is there", []pgproto3.FrontendMessage{parse("", "rows 1"), &pgproto3.Flush{}}, "1"},
		{"unknown object type", []pgproto3.FrontendMessage{&pgproto3.Describe{ObjectType: 'x'}, sync, &pgproto3.Close{ObjectType: 'x'}, sync},
			"E:ERROR:08P01 Z:I E:ERROR:08P01 Z:I"},
		{"COPY data outside of a COPY is dropped",
			[]pgproto3.FrontendMessage{&pgproto3.CopyData{Data: []byte("x")}, &pgproto3.CopyDone{}, &pgproto3.CopyFail{}, sync}, "Z:I"},
		{"function call", []pgproto3.FrontendMessage{&pgproto3.FunctionCall{Function: 1}}, "E:ERROR:0A000 Z:I"},
		{"terminate", []pgproto3.FrontendMessage{&pgproto3.Terminate{}}, "EOF"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := connect(t, address)
			c.send(test.messages...)
			c.expect(test.expected)
		})
	}
}

func TestSyncTellsWhetherTheSequenceFailed(t *testing.T) {
	handler := &scriptHandler{}
	_, address := startServer(t, handler, pgwire.Config{})
	c := connect(t, address)
	c.send(&pgproto3.Parse{Query: "rows 1"}, &pgproto3.Sync{}, &pgproto3.Parse{Query: "syntax"}, &pgproto3.Sync{})
	c.expect("1 Z:I E:ERROR:42601 Z:I")
	if got := handler.session().syncs; len(got) != 2 || got[0] || !got[1] {
		t.Errorf("Sync was called with %v", got)
	}
}

func TestFailingSync(t *testing.T) {
	handler := &scriptHandler{}
	_, address := startServer(t, handler, pgwire.Config{})
	c := connect(t, address)
	handler.session().failSync = true
	c.send(&pgproto3.Sync{})
	c.expect("E:ERROR:40001 Z:I")
}

// A portal keeps its parameters although messages that follow use the same buffers.
func TestParametersOutliveTheirMessage(t *testing.T) {
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{})
	c := connect(t, address)
	c.send(&pgproto3.Parse{Query: "parameter"}, &pgproto3.Bind{Parameters: [][]byte{[]byte("kept")}}, &pgproto3.Flush{})
	c.expect("1 2")
	for range 3 {
		c.send(&pgproto3.Parse{Name: "other", Query: strings.Repeat("z", 20_000)}, &pgproto3.Flush{})
		c.expect("1")
	}
	c.send(&pgproto3.Execute{}, &pgproto3.Sync{})
	c.expect("D:kept C:SELECT_1 Z:I")
}

func TestMalformedMessages(t *testing.T) {
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{})
	tests := []struct {
		name     string
		bytes    string
		expected string
	}{
		{"query without end", "Q\x00\x00\x00\x05x", "E:ERROR:08P01 Z:I"},
		{"query with a zero byte", "Q\x00\x00\x00\x07a\x00b", "E:ERROR:08P01 Z:I"},
		{"bind that promises more", "B\x00\x00\x00\x08\x00\x00\x00\x05" + "S\x00\x00\x00\x04", "E:ERROR:08P01 Z:I"},
		{"parse without end", "P\x00\x00\x00\x05a" + "S\x00\x00\x00\x04", "E:ERROR:08P01 Z:I"},
		{"execute without count", "E\x00\x00\x00\x05\x00" + "S\x00\x00\x00\x04", "E:ERROR:08P01 Z:I"},
		{"describe of nothing", "D\x00\x00\x00\x04" + "S\x00\x00\x00\x04", "E:ERROR:08P01 Z:I"},
		{"unknown type", "!\x00\x00\x00\x04", "E:FATAL:08P01 EOF"},
		{"length below 4", "Q\x00\x00\x00\x03", "E:FATAL:08P01 EOF"},
		{"negative length", "Q\xff\xff\xff\xff", "E:FATAL:08P01 EOF"},
		{"longer than any message", "Q\x40\x00\x00\x00", "E:FATAL:08P01 EOF"},
		{"long Sync", "S\x00\x01\x00\x00", "E:FATAL:54000 EOF"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := connect(t, address)
			c.write([]byte(test.bytes))
			c.expect(test.expected)
		})
	}
}

func TestStatementsOfManySizes(t *testing.T) {
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{})
	c := connect(t, address)
	for _, size := range []int{1, 32<<10 - 7, 32<<10 - 6, 32<<10 - 5, 32 << 10, 1<<20 - 6, 1 << 20, 1<<20 + 1, 50 << 20, 3, 40_000} {
		comment := strings.Repeat("-", size)
		c.query("notice "+comment, "N:"+comment+" C:NOTICE Z:I")
	}
}

func TestRowsOfManySizes(t *testing.T) {
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{})
	c := connect(t, address)
	for _, size := range []string{"1", "65000", "65536", "1000000", "20000000"} {
		c.send(&pgproto3.Query{String: "rows 3 " + size})
		c.expect("T")
		for range 3 {
			message, err := c.Receive()
			if err != nil {
				t.Fatal(err)
			}
			if row := message.(*pgproto3.DataRow); strings.Trim(string(row.Values[0][1:]), "x") != "" {
				t.Fatalf("row of %s bytes is damaged", size)
			}
		}
		c.expect("C:SELECT_3 Z:I")
	}
}

func TestPgx(t *testing.T) {
	_, address := startServer(t, &scriptHandler{}, pgwire.Config{})
	ctx := context.Background()
	connection, err := pgx.Connect(ctx, "postgres://tester@"+address+"/moraine?sslmode=prefer")
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(ctx)
	rows, err := connection.Query(ctx, "rows 1000")
	if err != nil {
		t.Fatal(err)
	}
	values, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(values) != 1000 || values[999] != "999" {
		t.Fatalf("%d values, %v", len(values), err)
	}
	batch := &pgx.Batch{}
	for range 10 {
		batch.Queue("rows 1")
	}
	if err := connection.SendBatch(ctx, batch).Close(); err != nil {
		t.Fatal(err)
	}
	if version := connection.PgConn().ParameterStatus("server_version"); version != "15.0" {
		t.Errorf("server_version is %q", version)
	}
}

func BenchmarkRoundTrip(b *testing.B) {
	_, address := startServer(b, &scriptHandler{}, pgwire.Config{})
	c := connect(b, address)
	message, err := (&pgproto3.Query{String: "begin"}).Encode(nil)
	if err != nil {
		b.Fatal(err)
	}
	answer := make([]byte, 100)
	b.ReportAllocs()
	for b.Loop() {
		c.write(message)
		if _, err := c.socket.Read(answer); err != nil {
			b.Fatal(err)
		}
	}
}
