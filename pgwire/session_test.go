package pgwire_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"moraine/pgerror"
	"moraine/pgwire"
)

// scriptHandler opens sessions that understand a few words in the place of SQL.
type scriptHandler struct {
	mutex    sync.Mutex
	startups []pgwire.Startup
	sessions []*scriptSession
	closed   atomic.Int64
}

func (h *scriptHandler) Open(ctx context.Context, startup pgwire.Startup, report func(name, value string)) (pgwire.Session, error) {
	if startup.Database == "nowhere" {
		return nil, pgerror.New(pgerror.InvalidCatalogName, "database %q does not exist", startup.Database)
	}
	report("server_version", "15.0")
	report("client_encoding", "UTF8")
	session := &scriptSession{handler: h, report: report, done: make(chan struct{}), release: make(chan struct{}),
		started: make(chan struct{}, 16), statements: map[string]string{}, portals: map[string]*scriptPortal{}}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.startups = append(h.startups, startup)
	h.sessions = append(h.sessions, session)
	return session, nil
}

// session gives the newest session.
func (h *scriptHandler) session() *scriptSession {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.sessions[len(h.sessions)-1]
}

func (h *scriptHandler) startup() pgwire.Startup {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.startups[len(h.startups)-1]
}

type scriptPortal struct {
	statement  string
	parameters [][]byte
	position   int
}

// scriptSession runs statements separated by semicolons:
//
//	rows N [SIZE]   N rows of one text column
//	error CODE      an ERROR with every field
//	fatal, panic, plain    other ways to fail
//	begin, commit   change the status
//	set NAME VALUE  reports a setting
//	notice TEXT
//	wait            until the context is cancelled, whose cause is the error
//	hold            until release is closed, whatever the context says
//	out N           COPY OUT of N tuples, the header with the first
//	in [N]          COPY IN; with N it fails after N messages
//	parameter       one row with the first parameter
type scriptSession struct {
	handler *scriptHandler
	report  func(name, value string)

	status     byte
	statements map[string]string
	portals    map[string]*scriptPortal
	copied     []byte
	syncs      []bool
	failSync   bool

	busy    atomic.Bool
	started chan struct{} // gets a value when wait or hold begins
	release chan struct{}
	done    chan struct{}
}

var testField = pgwire.Field{Name: "value", TypeOID: 25, TypeSize: -1, TypeModifier: -1}

func appendRow(buffer, value []byte) []byte {
	buffer = binary.BigEndian.AppendUint16(buffer, 1)
	buffer = binary.BigEndian.AppendUint32(buffer, uint32(len(value)))
	return append(buffer, value...)
}

func (s *scriptSession) Simple(ctx context.Context, query string, out pgwire.ResultWriter) error {
	statements := strings.Split(query, ";")
	if strings.TrimSpace(query) == "" {
		return out.Empty()
	}
	for _, statement := range statements {
		if err := s.run(ctx, strings.TrimSpace(statement), out, true); err != nil {
			if s.status == 'T' {
				s.status = 'E'
			}
			return err
		}
	}
	return nil
}

func (s *scriptSession) run(ctx context.Context, statement string, out pgwire.ResultWriter, describe bool) error {
	word, rest, _ := strings.Cut(statement, " ")
	switch word {
	case "rows":
		return s.rows(rest, out, describe)
	case "begin":
		s.status = 'T'
		return out.Complete("BEGIN")
	case "commit":
		s.status = 'I'
		return out.Complete("COMMIT")
	case "set":
		name, value, _ := strings.Cut(rest, " ")
		s.report(name, value)
		return out.Complete("SET")
	case "notice":
		if err := out.Notice(&pgerror.Error{Severity: pgerror.SeverityNotice, Code: pgerror.SuccessfulCompletion, Message: rest}); err != nil {
			return err
		}
		return out.Complete("NOTICE")
	case "wait":
		s.started <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	case "hold":
		s.busy.Store(true)
		defer s.busy.Store(false)
		s.started <- struct{}{}
		<-s.release
		return out.Complete("HOLD")
	case "out":
		return s.copyOut(rest, out)
	case "in":
		return s.copyIn(ctx, rest, out)
	default:
		return s.fail(word, rest)
	}
}

func (s *scriptSession) fail(word, rest string) error {
	switch word {
	case "error":
		return &pgerror.Error{Code: rest, Message: "message\x00 \xff", Detail: "detail", Hint: "hint", Position: 7, Where: "where",
			Schema: "schema", Table: "table", Column: "column", DataType: "type", Constraint: "constraint"}
	case "fatal":
		return pgerror.Fatal(pgerror.AdminShutdown, "the end")
	case "panic":
		panic("script says so")
	case "plain":
		return errors.New("plain error")
	}
	return pgerror.New(pgerror.SyntaxError, "unknown word %q", word)
}

func (s *scriptSession) rows(arguments string, out pgwire.ResultWriter, describe bool) error {
	number, size, _ := strings.Cut(arguments, " ")
	count, _ := strconv.Atoi(number)
	width, _ := strconv.Atoi(size)
	if describe {
		if err := out.Fields([]pgwire.Field{testField}); err != nil {
			return err
		}
	}
	for i := range count {
		value := []byte(strconv.Itoa(i))
		value = append(value, strings.Repeat("x", max(0, width-len(value)))...)
		if err := out.Row(func(buffer []byte) ([]byte, error) { return appendRow(buffer, value), nil }); err != nil {
			return err
		}
	}
	return out.Complete(fmt.Sprintf("SELECT %d", count))
}

func (s *scriptSession) copyOut(arguments string, out pgwire.ResultWriter) error {
	count, _ := strconv.Atoi(arguments)
	if err := out.CopyOut(true, 1); err != nil {
		return err
	}
	err := out.CopyData(func(buffer []byte) ([]byte, error) {
		buffer = append(buffer, "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
		for i := range count {
			buffer = appendRow(buffer, []byte(strconv.Itoa(i)))
		}
		return append(buffer, 0xff, 0xff), nil
	})
	if err != nil {
		return err
	}
	if err := out.CopyOutDone(); err != nil {
		return err
	}
	return out.Complete(fmt.Sprintf("COPY %d", count))
}

func (s *scriptSession) copyIn(ctx context.Context, arguments string, out pgwire.ResultWriter) error {
	limit := -1
	if arguments != "" {
		limit, _ = strconv.Atoi(arguments)
	}
	reader, err := out.CopyIn(false, 2)
	if err != nil {
		return err
	}
	s.copied = s.copied[:0]
	select {
	case s.started <- struct{}{}:
	default:
	}
	for messages := 0; ; messages++ {
		if messages == limit {
			return pgerror.New(pgerror.BadCopyFileFormat, "bad data")
		}
		data, err := reader.Next(ctx)
		if err == io.EOF {
			return out.Complete(fmt.Sprintf("COPY %d", messages))
		}
		if err != nil {
			return err
		}
		s.copied = append(s.copied, data...)
	}
}

func (s *scriptSession) Parse(ctx context.Context, name, query string, parameterTypes []uint32) error {
	if strings.HasPrefix(query, "syntax") {
		return pgerror.New(pgerror.SyntaxError, "syntax error").WithPosition(1)
	}
	s.statements[name] = query
	return nil
}

func (s *scriptSession) DescribeStatement(ctx context.Context, name string) ([]uint32, []pgwire.Field, error) {
	query, found := s.statements[name]
	if !found {
		return nil, nil, pgerror.New(pgerror.InvalidSQLStatementName, "prepared statement %q does not exist", name)
	}
	if query == "parameter" {
		return []uint32{25}, []pgwire.Field{testField}, nil
	}
	if strings.HasPrefix(query, "rows") {
		return nil, []pgwire.Field{testField}, nil
	}
	return nil, nil, nil
}

func (s *scriptSession) Bind(ctx context.Context, portal, statement string, parameterFormats []int16, parameters [][]byte, resultFormats []int16) error {
	query, found := s.statements[statement]
	if !found {
		return pgerror.New(pgerror.InvalidSQLStatementName, "prepared statement %q does not exist", statement)
	}
	s.portals[portal] = &scriptPortal{statement: query, parameters: parameters}
	return nil
}

func (s *scriptSession) DescribePortal(ctx context.Context, name string) ([]pgwire.Field, error) {
	portal, found := s.portals[name]
	if !found {
		return nil, pgerror.New(pgerror.InvalidCursorName, "portal %q does not exist", name)
	}
	if portal.statement == "parameter" || strings.HasPrefix(portal.statement, "rows") {
		return []pgwire.Field{testField}, nil
	}
	return nil, nil
}

func (s *scriptSession) Execute(ctx context.Context, name string, maxRows int, out pgwire.ResultWriter) (bool, error) {
	portal, found := s.portals[name]
	if !found {
		return false, pgerror.New(pgerror.InvalidCursorName, "portal %q does not exist", name)
	}
	if portal.statement == "parameter" {
		err := out.Row(func(buffer []byte) ([]byte, error) { return appendRow(buffer, portal.parameters[0]), nil })
		if err != nil {
			return false, err
		}
		return false, out.Complete("SELECT 1")
	}
	if strings.HasPrefix(portal.statement, "rows") && maxRows > 0 {
		count, _ := strconv.Atoi(strings.TrimPrefix(portal.statement, "rows "))
		for given := 0; portal.position < count; given++ {
			if given == maxRows {
				return true, nil
			}
			value := []byte(strconv.Itoa(portal.position))
			portal.position++
			if err := out.Row(func(buffer []byte) ([]byte, error) { return appendRow(buffer, value), nil }); err != nil {
				return false, err
			}
		}
		return false, out.Complete(fmt.Sprintf("SELECT %d", count))
	}
	return false, s.run(ctx, portal.statement, out, false)
}

func (s *scriptSession) CloseStatement(ctx context.Context, name string) error {
	delete(s.statements, name)
	return nil
}

func (s *scriptSession) ClosePortal(ctx context.Context, name string) error {
	delete(s.portals, name)
	return nil
}

func (s *scriptSession) Sync(ctx context.Context, failed bool) error {
	s.syncs = append(s.syncs, failed)
	if s.failSync {
		return pgerror.New(pgerror.SerializationFailure, "could not commit")
	}
	return nil
}

func (s *scriptSession) Status() byte {
	if s.status == 0 {
		return 'I'
	}
	return s.status
}

func (s *scriptSession) Busy() bool            { return s.busy.Load() }
func (s *scriptSession) Done() <-chan struct{} { return s.done }
func (s *scriptSession) Err() error {
	return pgerror.Fatal(pgerror.AdminShutdown, "the database was dropped")
}
func (s *scriptSession) Close() { s.handler.closed.Add(1) }
