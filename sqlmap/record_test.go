package sqlmap

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"moraine/pgerror"
)

// recordingVariable names the environment variable with the address of a PostgreSQL 15, such as
// "/tmp/.s.PGSQL.5432" or "127.0.0.1:5432", whose database postgres is new and whose user postgres needs no password.
const recordingVariable = "MORAINE_RECORD_POSTGRES"

// TestRecordScripts writes PostgreSQL's answers into the scripts of testdata.
func TestRecordScripts(t *testing.T) {
	address := os.Getenv(recordingVariable)
	if address == "" {
		t.Skip("records only with " + recordingVariable)
	}
	for _, path := range scripts(t) {
		blocks, header := readScript(t, path)
		server := &recorder{t: t, address: address, connections: map[string]*pgproto3.Frontend{}}
		server.exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
		var text strings.Builder
		text.WriteString(header)
		for i := range blocks {
			answer := server.run(&blocks[i])
			if answer != "" {
				answer = "\n" + answer
			}
			text.WriteString("\n" + blocks[i].source + "\n----" + answer + "\n")
		}
		server.close()
		if err := os.WriteFile(path, []byte(strings.TrimPrefix(text.String(), "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

type recorder struct {
	t           *testing.T
	address     string
	connections map[string]*pgproto3.Frontend
	sockets     []net.Conn
}

func (r *recorder) close() {
	for _, socket := range r.sockets {
		if err := socket.Close(); err != nil {
			r.t.Error(err)
		}
	}
}

func (r *recorder) exec(query string) {
	r.run(&block{connection: "setup", query: query})
}

func (r *recorder) connect(name string) *pgproto3.Frontend {
	if frontend := r.connections[name]; frontend != nil {
		return frontend
	}
	network := "tcp"
	if strings.HasPrefix(r.address, "/") {
		network = "unix"
	}
	socket, err := net.Dial(network, r.address)
	if err != nil {
		r.t.Fatal(err)
	}
	r.sockets = append(r.sockets, socket)
	frontend := pgproto3.NewFrontend(socket, socket)
	frontend.Send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersionNumber, Parameters: map[string]string{
		"user": userOf(name), "database": "postgres", "TimeZone": "UTC",
	}})
	r.connections[name] = frontend
	r.receive(frontend, &transcript{}, nil)
	return frontend
}

func (r *recorder) run(b *block) string {
	frontend := r.connect(b.connection)
	out := &transcript{hideOIDs: b.hideOIDs}
	if b.messages == nil {
		frontend.Send(&pgproto3.Query{String: b.query})
		r.receive(frontend, out, b.copyData)
		return out.String()
	}
	for _, line := range b.messages {
		m := splitMessage(line)
		switch m.verb {
		case "parse":
			frontend.Send(&pgproto3.Parse{Name: m.words[0], Query: m.rest, ParameterOIDs: m.oids})
		case "bind":
			frontend.Send(&pgproto3.Bind{
				DestinationPortal: m.words[0], PreparedStatement: m.words[1], ParameterFormatCodes: m.formats,
				Parameters: m.values, ResultFormatCodes: m.resultFormats,
			})
		case "describe":
			frontend.Send(&pgproto3.Describe{ObjectType: m.words[0][0], Name: m.words[1]})
		case "execute":
			limit := uint32(0)
			if _, err := fmt.Sscan(m.words[1], &limit); err != nil {
				r.t.Fatal(err)
			}
			frontend.Send(&pgproto3.Execute{Portal: m.words[0], MaxRows: limit})
		case "close":
			frontend.Send(&pgproto3.Close{ObjectType: m.words[0][0], Name: m.words[1]})
		case "sync":
			frontend.Send(&pgproto3.Sync{})
			r.receive(frontend, out, nil)
		}
	}
	return out.String()
}

// receive writes down the messages up to ReadyForQuery.
func (r *recorder) receive(frontend *pgproto3.Frontend, out *transcript, data []string) {
	if err := frontend.Flush(); err != nil {
		r.t.Fatal(err)
	}
	for {
		received, err := frontend.Receive()
		if err != nil {
			r.t.Fatal(err)
		}
		switch m := received.(type) {
		case *pgproto3.ReadyForQuery:
			out.line("[%c]", m.TxStatus)
			return
		case *pgproto3.CopyInResponse:
			out.line("copy in %v %d", m.OverallFormat == 1, len(m.ColumnFormatCodes))
			r.sendCopy(frontend, data)
		default:
			show(out, received)
		}
	}
}

func (r *recorder) sendCopy(frontend *pgproto3.Frontend, data []string) {
	var end pgproto3.FrontendMessage = &pgproto3.CopyDone{}
	for _, line := range data {
		content, err := copyLine(line)
		if err != nil {
			end = &pgproto3.CopyFail{Message: string(content)}
			break
		}
		frontend.Send(&pgproto3.CopyData{Data: content})
	}
	frontend.Send(end)
	if err := frontend.Flush(); err != nil {
		r.t.Fatal(err)
	}
}

func show(out *transcript, received pgproto3.BackendMessage) {
	switch m := received.(type) {
	case *pgproto3.RowDescription:
		fields := make([]Field, len(m.Fields))
		for i, field := range m.Fields {
			fields[i] = Field{Name: string(field.Name), TypeOID: field.DataTypeOID, TypeModifier: field.TypeModifier, Format: field.Format}
		}
		_ = out.Fields(fields)
	case *pgproto3.DataRow:
		out.values(valuesText(m.Values))
	case *pgproto3.CommandComplete:
		out.line("%s", m.CommandTag)
	case *pgproto3.EmptyQueryResponse:
		out.line("(empty)")
	case *pgproto3.NoticeResponse:
		out.problem(problemOf((*pgproto3.ErrorResponse)(m)), "NOTICE")
	case *pgproto3.ErrorResponse:
		out.problem(problemOf(m), "ERROR")
	case *pgproto3.CopyOutResponse:
		_ = out.CopyOut(m.OverallFormat == 1, len(m.ColumnFormatCodes))
	case *pgproto3.CopyData:
		out.copied(m.Data)
	case *pgproto3.CopyDone:
		_ = out.CopyOutDone()
	case *pgproto3.ParseComplete:
		out.line("parsed")
	case *pgproto3.BindComplete:
		out.line("bound")
	case *pgproto3.CloseComplete:
		out.line("closed")
	case *pgproto3.NoData:
		out.line("no data")
	case *pgproto3.PortalSuspended:
		out.line("suspended")
	case *pgproto3.ParameterDescription:
		out.line("parameters %v", m.ParameterOIDs)
	}
}

func valuesText(values [][]byte) string {
	list := make([]string, len(values))
	for i, value := range values {
		if list[i] = `\N`; value != nil {
			list[i] = shownValue(value)
		}
	}
	return strings.Join(list, "|")
}

func problemOf(m *pgproto3.ErrorResponse) *pgerror.Error {
	problem := pgerror.New(m.Code, "%s", m.Message)
	problem.Severity, problem.Detail, problem.Hint, problem.Where, problem.Position = m.Severity, m.Detail, m.Hint, m.Where, int(m.Position)
	return problem
}
