package parse

import (
	"errors"
	"strings"
	"testing"

	"moraine/pgerror"
)

func TestParseCutsMessageAtSemicolons(t *testing.T) {
	cases := []struct {
		text string
		want []string
	}{
		{"", nil},
		{" ;; -- nothing\n;", nil},
		{"SELECT 1", []string{"SELECT 1"}},
		{"BEGIN; SELECT ';' ; COMMIT;", []string{"BEGIN", "SELECT ';'", "COMMIT"}},
		{`SELECT ";" FROM t; SELECT $x$;$x$, $1`, []string{`SELECT ";" FROM t`, `SELECT $x$;$x$, $1`}},
		{"SELECT 1 /* ; /* ; */ ; */; SELECT 2 -- ;\n; SELECT 3", []string{"SELECT 1 /* ; /* ; */ ; */", "SELECT 2 -- ;", "SELECT 3"}},
		{`SELECT E'\';'; SELECT 'a\'; SELECT 2`, []string{`SELECT E'\';'`, `SELECT 'a\'`, "SELECT 2"}},
		{"INSERT INTO t VALUES (1, 'a;b'), (2, NULL); SELECT 1;", []string{"INSERT INTO t VALUES (1, 'a;b'), (2, NULL)", "SELECT 1"}},
	}
	for _, c := range cases {
		statements, err := Parse(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		var got []string
		for _, statement := range statements {
			got = append(got, statement.Text)
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%q: statements %q, want %q", c.text, got, c.want)
		}
	}
}

func TestParseErrorsHaveCodeAndPosition(t *testing.T) {
	cases := []struct {
		text, code, message string
		position            int
	}{
		{"SELEC 1", pgerror.SyntaxError, `syntax error at or near "SELEC"`, 1},
		{"SELECT 'é'; SELECT FROM WHERE", pgerror.SyntaxError, `syntax error at or near "WHERE"`, 25},
		{"SELECT 1 +; SELECT 2", pgerror.SyntaxError, `syntax error at or near ";"`, 11},
		{"SELECT (1; SELECT 2", pgerror.SyntaxError, `syntax error at or near ";"`, 10},
		{"INSERT INTO t VALUES (1", pgerror.SyntaxError, "syntax error at end of input", 24},
		{"SELECT 'a", pgerror.SyntaxError, `unterminated quoted string at or near "'a"`, 8},
		{"SELECT \x00", pgerror.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": 0x00`, 0},
		{"SELECT '\xff'", pgerror.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": 0xff`, 0},
	}
	for _, c := range cases {
		statements, err := Parse(c.text)
		var known *pgerror.Error
		if !errors.As(err, &known) || statements != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if known.Code != c.code || known.Message != c.message || known.Position != c.position {
			t.Errorf("%q: %s %q at %d, want %s %q at %d", c.text, known.Code, known.Message, known.Position, c.code, c.message, c.position)
		}
	}
}

func TestPositionCountsCharactersOfTheMessage(t *testing.T) {
	statements, err := Parse("SELECT 'é';  SELECT x")
	if err != nil || len(statements) != 2 {
		t.Fatalf("%d statements, %v", len(statements), err)
	}
	target := statements[1].Tree.GetSelectStmt().TargetList[0].GetResTarget()
	if position := statements[1].Position(int(target.Location)); position != 21 {
		t.Errorf("position %d, want 21", position)
	}
	if position := statements[1].Position(-1); position != 0 {
		t.Errorf("unknown location at %d, want 0", position)
	}
}

func TestTreesOfShortTextsAreKept(t *testing.T) {
	for _, test := range []struct {
		text string
		kept bool
	}{
		{"SELECT 1 AS a_kept_statement", true},
		{"SELECT 1 AS " + strings.Repeat("x", maximumCachedTextBytes), false},
	} {
		first, err := Parse(test.text)
		if err != nil {
			t.Fatal(err)
		}
		second, err := Parse(test.text)
		if err != nil {
			t.Fatal(err)
		}
		if same := first[0].Tree == second[0].Tree; same != test.kept || first[0].Kept() != test.kept {
			t.Errorf("%d bytes: the same tree %v, said to be kept %v", len(test.text), same, first[0].Kept())
		}
	}
}
