package function

import (
	"context"
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"moraine/pgerror"
)

// record, with PGHOST and PGPORT in the environment, writes what PostgreSQL 15 answers into testdata/expressions.
var record = flag.Bool("record", false, "record the expected results from the PostgreSQL server that libpq's environment names")

// answer is what an expression gives: its type, text and binary format, or an error.
type answer struct {
	typeName, text, binary string
	null                   bool
	code, message          string
}

func (a answer) String() string {
	switch {
	case a.code != "":
		return "! " + a.code + " " + a.message
	case a.null:
		return "= " + a.typeName + " NULL"
	}
	return "= " + a.typeName + " " + strings.NewReplacer("\\", "\\\\", "\n", "\\n").Replace(a.text) + "\n  " + a.binary
}

// TestExpressionsAgreeWithPostgreSQL evaluates the expressions of testdata/expressions and compares type, text and binary
// format, or SQLSTATE and message, with what PostgreSQL gave. In a file, an expression is a line; its recorded answer
// follows: "= type text" and the binary format, or "! SQLSTATE message". Lines with # are comments.
func TestExpressionsAgreeWithPostgreSQL(t *testing.T) {
	files, err := filepath.Glob("testdata/expressions/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no expressions", err)
	}
	var server *pgconn.PgConn
	if *record {
		server = connect(t)
		defer server.Close(context.Background())
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if *record {
				raw = recordFile(t, server, string(raw))
				if err := os.WriteFile(file, raw, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			compareFile(t, string(raw))
		})
	}
}

func connect(t *testing.T) *pgconn.PgConn {
	t.Helper()
	server, err := pgconn.Connect(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.Exec(context.Background(), "set timezone = 'America/New_York'").ReadAll(); err != nil {
		t.Fatal(err)
	}
	return server
}

func isAnswerLine(line string) bool {
	return strings.HasPrefix(line, "= ") || strings.HasPrefix(line, "! ") || strings.HasPrefix(line, "  ")
}

func recordFile(t *testing.T, server *pgconn.PgConn, text string) []byte {
	var out strings.Builder
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if isAnswerLine(line) {
			continue
		}
		out.WriteString(line + "\n")
		if line != "" && !strings.HasPrefix(line, "#") {
			out.WriteString(ask(t, server, line).String() + "\n")
		}
	}
	return []byte(out.String())
}

func ask(t *testing.T, server *pgconn.PgConn, expression string) answer {
	background := context.Background()
	sql := "SELECT " + rewrite(expression)
	result := server.ExecParams(background, sql, nil, nil, nil, []int16{0}).Read()
	if failure, ok := result.Err.(*pgconn.PgError); ok {
		return answer{code: failure.Code, message: failure.Message}
	}
	if result.Err != nil || len(result.Rows) != 1 {
		t.Fatalf("%s: %v, %d rows", expression, result.Err, len(result.Rows))
	}
	a := answer{text: string(result.Rows[0][0]), null: result.Rows[0][0] == nil}
	names := server.ExecParams(background, "SELECT $1::oid::regtype::text", [][]byte{[]byte(itoa(result.FieldDescriptions[0].DataTypeOID))}, nil, nil, nil).Read()
	a.typeName = strings.ReplaceAll(string(names.Rows[0][0]), " ", "_")
	if binary := server.ExecParams(background, sql, nil, nil, nil, []int16{1}).Read(); binary.Err == nil {
		a.binary = hex.EncodeToString(binary.Rows[0][0])
	}
	return a
}

func itoa(oid uint32) string { return strconv.FormatUint(uint64(oid), 10) }

// rewrite turns an aggregate over an array, and a set, into what PostgreSQL understands; see evaluator.aggregate and
// evaluator.set.
func rewrite(expression string) string {
	name, rest, ok := strings.Cut(expression, "(")
	if !ok {
		return expression
	}
	if IsAggregate(name) {
		return name + "(x) FROM unnest(" + strings.TrimSuffix(rest, ")") + ") x"
	}
	if IsSetReturning(name) {
		return "string_agg(row(x.*)::text, ';') FROM " + expression + " x"
	}
	return expression
}

func compareFile(t *testing.T, text string) {
	lines := strings.Split(text, "\n")
	e := evaluator{testContext(t)}
	cases := 0
	for i := 0; i < len(lines); i++ {
		if line := lines[i]; line == "" || strings.HasPrefix(line, "#") || isAnswerLine(line) {
			continue
		}
		if i+1 == len(lines) || !isAnswerLine(lines[i+1]) {
			t.Errorf("%s: nothing recorded", lines[i])
			continue
		}
		want := lines[i+1]
		if i+2 < len(lines) && strings.HasPrefix(lines[i+2], "  ") {
			want += "\n" + lines[i+2]
		}
		cases++
		if got := e.answer(lines[i]).String(); got != want {
			t.Errorf("%s\n got %s\nwant %s", lines[i], got, want)
		}
	}
	if cases == 0 {
		t.Error("no expressions")
	}
}

func (e *evaluator) answer(sql string) answer {
	result, err := e.evaluateSQL(sql)
	if err != nil {
		failure := pgerror.From(err)
		return answer{code: failure.Code, message: failure.Message}
	}
	a := answer{typeName: strings.ReplaceAll(FormatType(typeOf(result.kind.OID)), " ", "_"), null: result.value.IsNull()}
	if a.null {
		return a
	}
	a.text = string(AppendText(nil, result.kind, result.value, &e.context.Format))
	if HasBinary(result.kind.OID) {
		a.binary = hex.EncodeToString(AppendBinary(nil, result.kind, result.value))
	}
	return a
}
