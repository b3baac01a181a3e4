package sqlmap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"moraine/lake"
	"moraine/pgerror"
	"moraine/role"
	"moraine/sqlmap/advisory"
	"moraine/sqlmap/notification"
	"moraine/store/memory"
)

// A script is a file of testdata: blocks of what a client sends, each followed by a line "----", by what PostgreSQL 15
// answers, and by an empty line. A block is the text of a Query message, or lines that begin with a backslash: messages of the
// extended protocol. "> name" as the first line changes to another connection,
// of the user that a name like "name@user" ends with; lines that begin with "<" are what the client
// sends when it is asked for COPY data. A first line "~ reason" says that of an error only the SQLSTATE has to be PostgreSQL's.
// TestRecordScripts writes the answers.
type block struct {
	connection string
	query      string   // of a Query message
	messages   []string // of the extended protocol
	copyData   []string
	hideOIDs   bool
	codesOnly  bool
	source     string
	want       string
}

func readScript(t *testing.T, path string) (blocks []block, header string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	for strings.HasPrefix(text, "#") {
		line, rest, _ := strings.Cut(text, "\n")
		header += line + "\n"
		text = rest
	}
	connection := "a"
	for _, part := range strings.Split(strings.TrimSpace(text), "\n\n") {
		source, want, _ := strings.Cut(part, "\n----")
		b := block{source: source, want: strings.TrimPrefix(want, "\n"), hideOIDs: strings.Contains(header, "shown as #")}
		var query []string
		for i, line := range strings.Split(source, "\n") {
			switch {
			case strings.HasPrefix(line, "~ "):
				b.codesOnly = true
			case i == 0 && strings.HasPrefix(line, "> "):
				connection = line[2:]
			case strings.HasPrefix(line, `\`):
				b.messages = append(b.messages, line)
			case strings.HasPrefix(line, "<"):
				b.copyData = append(b.copyData, line[1:])
			default:
				query = append(query, line)
			}
		}
		b.connection, b.query = connection, strings.Join(query, "\n")
		blocks = append(blocks, b)
	}
	return blocks, header
}

func scripts(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.script")
	if err != nil || len(paths) == 0 {
		t.Fatal("no scripts", err)
	}
	return paths
}

func TestScripts(t *testing.T) {
	for _, path := range scripts(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".script"), func(t *testing.T) {
			t.Parallel()
			fixture := newFixture(t)
			blocks, _ := readScript(t, path)
			for i := range blocks {
				b := &blocks[i]
				got := fixture.run(b)
				if got != b.want && (!b.codesOnly || withoutTexts(got) != withoutTexts(b.want)) {
					t.Errorf("%s\n---- got\n%s\n---- want\n%s\n", b.source, got, b.want)
				}
			}
		})
	}
}

// withoutTexts leaves of errors and notices their severities and SQLSTATEs.
func withoutTexts(transcript string) string {
	var kept []string
	for line := range strings.Lines(transcript) {
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "  "):
		case len(words) > 2 && (words[0] == "ERROR" || words[0] == "WARNING" || words[0] == "NOTICE"):
			kept = append(kept, words[0]+" "+words[1])
		default:
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// fixture is a server in memory with connections by name.
type fixture struct {
	t        testing.TB
	instance *lake.Instance
	roles    *role.Registry
	locks    *advisory.Table
	hub      *notification.Hub
	sessions map[string]*Session
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	instance, err := lake.Open(context.Background(), memory.New(), lake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, instance: instance, roles: role.New(), locks: advisory.NewTable(), hub: notification.NewHub(), sessions: map[string]*Session{}}
	t.Cleanup(func() {
		for _, session := range f.sessions {
			session.Close()
		}
		instance.Close()
	})
	return f
}

// userOf gives the user of a connection: what follows "@" in its name.
func userOf(connection string) string {
	if _, user, found := strings.Cut(connection, "@"); found {
		return user
	}
	return "postgres"
}

// fakeVerifier stands for what the protocol's side makes of passwords.
func fakeVerifier(string) (string, error) { return "SCRAM-SHA-256$4096:salt$key:key", nil }

func (f *fixture) session(name string) *Session {
	f.t.Helper()
	if session := f.sessions[name]; session != nil {
		return session
	}
	session, err := NewSession(context.Background(), Options{
		Instance: f.instance, Database: "moraine", User: userOf(name), Roles: f.roles, PasswordVerifier: fakeVerifier, ProcessID: uint32(len(f.sessions) + 1),
		Version: "15.14 (Moraine)", VersionText: "PostgreSQL 15.14 (Moraine)", MaximumConnections: 100, AdvisoryLocks: f.locks, Notifications: f.hub,
	})
	if err != nil {
		f.t.Fatal(err)
	}
	f.sessions[name] = session
	return session
}

// run sends a block and gives the transcript of the answer.
func (f *fixture) run(b *block) string {
	session := f.session(b.connection)
	out := &transcript{data: b.copyData, hideOIDs: b.hideOIDs}
	ctx := context.Background()
	if b.messages == nil {
		out.fail(session.Simple(ctx, b.query, out))
		out.line("[%c]", session.Status())
		return out.String()
	}
	failed := false
	for _, message := range b.messages {
		if failed && message != `\sync` {
			continue
		}
		err := f.send(session, message, out, &failed)
		out.fail(err)
		failed = err != nil
	}
	return out.String()
}

// send sends one message of the extended protocol.
func (f *fixture) send(session *Session, message string, out *transcript, failed *bool) error {
	ctx := context.Background()
	m := splitMessage(message)
	switch m.verb {
	case "parse":
		err := session.Parse(ctx, m.words[0], m.rest, m.oids)
		return out.confirm(err, "parsed")
	case "bind":
		err := session.Bind(ctx, m.words[0], m.words[1], m.formats, m.values, m.resultFormats)
		return out.confirm(err, "bound")
	case "describe":
		return f.describe(session, m, out)
	case "execute":
		limit, _ := strconv.Atoi(m.words[1])
		suspended, err := session.Execute(ctx, m.words[0], limit, out)
		if suspended {
			out.line("suspended")
		}
		return err
	case "close":
		if m.words[0] == "S" {
			return out.confirm(session.CloseStatement(ctx, m.words[1]), "closed")
		}
		return out.confirm(session.ClosePortal(ctx, m.words[1]), "closed")
	case "sync":
		err := session.Sync(ctx, *failed)
		out.fail(err)
		out.line("[%c]", session.Status())
		return nil
	}
	f.t.Fatalf("unknown message %q", message)
	return nil
}

func (f *fixture) describe(session *Session, m message, out *transcript) error {
	ctx := context.Background()
	if m.words[0] == "S" {
		oids, fields, err := session.DescribeStatement(ctx, m.words[1])
		if err != nil {
			return err
		}
		out.line("parameters %v", oids)
		return out.describe(fields)
	}
	fields, err := session.DescribePortal(ctx, m.words[1])
	if err != nil {
		return err
	}
	return out.describe(fields)
}

// message is a line of a script that stands for a message of the extended protocol:
//
//	\parse NAME [OID,...] QUERY        \bind PORTAL STATEMENT [FORMAT,...] (VALUE,...) [FORMAT,...]
//	\describe S|P NAME                 \execute PORTAL LIMIT                \close S|P NAME      \sync
//
// "." is the empty name; values are NULL, 'text' or hexadecimal bytes.
type message struct {
	verb                   string
	words                  []string
	oids                   []uint32
	formats, resultFormats []int16
	values                 [][]byte
	rest                   string
}

func splitMessage(line string) message {
	verb, rest, _ := strings.Cut(line[1:], " ")
	m := message{verb: verb}
	count := map[string]int{"parse": 1, "bind": 2, "describe": 2, "execute": 2, "close": 2}[verb]
	for range count {
		word, after, _ := strings.Cut(rest, " ")
		if word == "." {
			word = ""
		}
		m.words, rest = append(m.words, word), after
	}
	switch verb {
	case "parse":
		list, after := bracketed(rest, '[', ']')
		for _, oid := range list {
			number, _ := strconv.ParseUint(oid, 10, 32)
			m.oids = append(m.oids, uint32(number))
		}
		m.rest = after
	case "bind":
		list, after := bracketed(rest, '[', ']')
		m.formats = numbers(list)
		list, after = bracketed(after, '(', ')')
		for _, value := range list {
			m.values = append(m.values, valueOf(value))
		}
		list, _ = bracketed(after, '[', ']')
		m.resultFormats = numbers(list)
	}
	return m
}

func bracketed(text string, open, shut byte) (list []string, rest string) {
	if text == "" || text[0] != open {
		return nil, text
	}
	inside, rest, _ := strings.Cut(text[1:], string(shut))
	if inside != "" {
		list = strings.Split(inside, ",")
	}
	return list, strings.TrimPrefix(rest, " ")
}

func numbers(list []string) []int16 {
	var formats []int16
	for _, text := range list {
		number, _ := strconv.Atoi(text)
		formats = append(formats, int16(number))
	}
	return formats
}

func valueOf(text string) []byte {
	switch {
	case text == "NULL":
		return nil
	case strings.HasPrefix(text, "'"):
		return []byte(strings.Trim(text, "'"))
	}
	raw := []byte{}
	for i := 0; i+1 < len(text); i += 2 {
		number, _ := strconv.ParseUint(text[i:i+2], 16, 8)
		raw = append(raw, byte(number))
	}
	return raw
}

// transcript writes down what a client gets.
type transcript struct {
	strings.Builder
	data     []string // for COPY FROM
	open     bool     // the last line is binary COPY data
	hideOIDs bool     // large numbers show as #
}

func (w *transcript) line(format string, arguments ...any) {
	if w.Len() > 0 {
		w.WriteByte('\n')
	}
	fmt.Fprintf(&w.Builder, format, arguments...)
}

func (w *transcript) confirm(err error, what string) error {
	if err == nil {
		w.line("%s", what)
	}
	return err
}

func (w *transcript) fail(err error) {
	if err != nil {
		w.problem(pgerror.From(err), "ERROR")
	}
}

func (w *transcript) problem(problem *pgerror.Error, severity string) {
	if problem.Severity != "" {
		severity = problem.Severity
	}
	w.line("%s %s %s", severity, problem.Code, problem.Message)
	for _, part := range []struct{ name, text string }{{"detail", problem.Detail}, {"hint", problem.Hint}, {"where", problem.Where}} {
		if part.text != "" {
			w.line("  %s: %s", part.name, strings.ReplaceAll(part.text, "\n", `\n`))
		}
	}
	if problem.Position != 0 {
		w.line("  at %d", problem.Position)
	}
}

func (w *transcript) describe(fields []Field) error {
	if fields == nil {
		w.line("no data")
		return nil
	}
	return w.Fields(fields)
}

func (w *transcript) Fields(fields []Field) error {
	list := make([]string, len(fields))
	for i, field := range fields {
		list[i] = fmt.Sprintf("%s:%d", field.Name, field.TypeOID)
		if field.TypeModifier != -1 {
			list[i] += fmt.Sprintf("(%d)", field.TypeModifier)
		}
		if field.Format == BinaryFormat {
			list[i] += ":binary"
		}
	}
	w.line("%s", strings.Join(list, " "))
	return nil
}

func (w *transcript) Row(encode func([]byte) ([]byte, error)) error {
	body, err := encode(nil)
	if err != nil {
		return err
	}
	w.values(rowText(body))
	return nil
}

// values writes a row down, without the OIDs that differ between servers where the script says so.
func (w *transcript) values(row string) {
	if !w.hideOIDs {
		w.line("%s", row)
		return
	}
	const firstOID = 2200 // of schema public, which has another one once it was made anew
	values := strings.Split(row, "|")
	for i, value := range values {
		if number, err := strconv.Atoi(value); err == nil && number >= firstOID {
			values[i] = "#"
		}
	}
	w.line("%s", strings.Join(values, "|"))
}

// rowText shows the body of a DataRow: values joined by "|", \N for NULL, and what is no text in hexadecimal.
func rowText(body []byte) string {
	count := int(body[0])<<8 | int(body[1])
	body = body[2:]
	list := make([]string, count)
	for i := range list {
		length := int32(body[0])<<24 | int32(body[1])<<16 | int32(body[2])<<8 | int32(body[3])
		body = body[4:]
		if length < 0 {
			list[i] = `\N`
			continue
		}
		list[i] = shownValue(body[:length])
		body = body[length:]
	}
	return strings.Join(list, "|")
}

// shownValue shows a value of a row; the empty one as two quotes, so that no line is empty.
func shownValue(value []byte) string {
	if len(value) == 0 {
		return "''"
	}
	return shown(value)
}

func shown(value []byte) string {
	if !utf8.Valid(value) {
		return fmt.Sprintf("0x%x", value)
	}
	for _, character := range value {
		if character < ' ' && character != '\n' && character != '\t' {
			return fmt.Sprintf("0x%x", value)
		}
	}
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(string(value))
}

func (w *transcript) Complete(tag string) error { w.line("%s", tag); return nil }
func (w *transcript) Empty() error              { w.line("(empty)"); return nil }

func (w *transcript) Notice(notice error) error {
	w.problem(pgerror.From(notice), "NOTICE")
	return nil
}

func (w *transcript) CopyOut(binary bool, columns int) error {
	w.line("copy out %v %d", binary, columns)
	return nil
}

func (w *transcript) CopyData(encode func([]byte) ([]byte, error)) error {
	data, err := encode(nil)
	if err != nil {
		return err
	}
	w.copied(data)
	return nil
}

// copied shows COPY data. Binary data are joined to one line, for PostgreSQL sends a message for each tuple.
func (w *transcript) copied(data []byte) {
	text := shown(data)
	if strings.HasPrefix(text, "0x") && w.open {
		w.WriteString(text[2:])
		return
	}
	w.open = strings.HasPrefix(text, "0x")
	w.line("> %s", text)
}

func (w *transcript) CopyOutDone() error { w.line("copied"); return nil }

func (w *transcript) CopyIn(binary bool, columns int) (CopyReader, error) {
	w.line("copy in %v %d", binary, columns)
	return w, nil
}

// errCopyFailed is the client's CopyFail.
var errCopyFailed = errors.New("copy failed")

// Next gives the next line of the script's COPY data: "<'text'" in Go's notation, "<hex", or "<!" for CopyFail.
func (w *transcript) Next(context.Context) ([]byte, error) {
	if len(w.data) == 0 {
		return nil, io.EOF
	}
	line := w.data[0]
	w.data = w.data[1:]
	data, err := copyLine(line)
	if errors.Is(err, errCopyFailed) {
		return nil, pgerror.New(pgerror.QueryCanceled, "COPY from stdin failed: %s", data)
	}
	return data, err
}

func copyLine(line string) ([]byte, error) {
	if reason, ok := strings.CutPrefix(line, "!"); ok {
		return []byte(reason), errCopyFailed
	}
	if strings.HasPrefix(line, `"`) {
		text, err := strconv.Unquote(line)
		return []byte(text), err
	}
	return valueOf(line), nil
}
