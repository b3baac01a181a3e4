package parse

import (
	"math/rand/v2"
	"os"
	"testing"

	pg_query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"

	"moraine/bench/conversation"
)

// templateTexts have numbers where they are constants of the tree, where they are something else, and where none is meant.
var templateTexts = []string{
	`COPY (SELECT "table_id", "path" FROM "public"."ducklake_table_2" WHERE "begin_snapshot" <= '12') TO STDOUT (FORMAT "binary");`,
	`UPDATE "public".ducklake_table_stats SET record_count=10, file_size_bytes=5000000000, next_row_id=2147483647 WHERE table_id=4`,
	"SELECT 1, '2', 3.4, .5, 6e7, 8e-9, 1_000, 0x1F, 0o17, 0b11, 007, '008', a1, t.b2, 9999999999, 2147483648, 99999999999999999999",
	"SELECT -1, - 2, 3 - 4, +5, a-6, 7-8::int4, '9'::numeric(10,2), CAST('11' AS varchar(12)), ARRAY[13, '14'], a[15], a[16:17]",
	"SELECT DATE '5', INTERVAL '6' DAY, INTERVAL(3) '7', interval '8 days', TIMESTAMP(2) '9', float(24) '1', b'101', x'12', n'34', E'5', U&'6'",
	"SELECT '5' '6', '7'\n'8', '9''9', '', 'a1', ' 2', '3 '",
	"SELECT a FROM t ORDER BY 1 LIMIT 2 OFFSET 3", "SELECT a FROM t FETCH FIRST 4 ROWS ONLY", "SELECT a FROM t TABLESAMPLE SYSTEM (5) REPEATABLE (6)",
	"SELECT $1, 2", "SELECT $$1$$, 2", "SELECT 1 -- 2\n", "SELECT 1 /* 2 */", `SELECT 1 AS "2"`, "SELECT 1 AS a$2", "SELECT 'é1', 2 AS é3",
	"SELECT x BETWEEN 1 AND 2 AND y IN (3, '4', 5) AND z LIKE '6' ESCAPE '7' FROM f(8, a => 9) WINDOW w AS (ROWS 10 PRECEDING)",
	"SELECT CASE WHEN a = 1 THEN '2' ELSE 3 END, (SELECT 4), EXISTS (SELECT '5' WHERE 6 > 7) FROM (VALUES (8, '9')) AS v (x)",
	"WITH a AS (SELECT 1), b AS (UPDATE t SET x = 2 RETURNING 3) INSERT INTO u SELECT 4, '5' FROM a UNION ALL SELECT 6, '7' ORDER BY 8",
	"CREATE TABLE t (a float(24), b numeric(10, 2) DEFAULT 5, c varchar(3) CHECK (c <> '6'), d bit(4), e int[5])", "SET x = 5", "SET x TO '6', 7",
	"SET TIME ZONE 5", "SET TIME ZONE '6'", "FETCH 5 FROM c", "MOVE FORWARD 6 IN c", "DECLARE c CURSOR FOR SELECT 1", "EXECUTE s (1, '2')",
	"NOTIFY a, '1'", "COMMENT ON TABLE t IS '1'", "COPY t FROM STDIN (HEADER 1)", "CREATE SEQUENCE s START 5 INCREMENT 6", "SELECT 1 1", "SELECT '1", "SELECT 1'2'",
	"DELETE FROM t WHERE ctid IN ('(0,1)', '(0,2)') AND a = '3'", "INSERT INTO t VALUES (1, now(), '2') ON CONFLICT (a) DO UPDATE SET b = 3",
}

// TestTemplatesAgreeWithLibpgQuery writes other digits into the numbers of statements, also of those that DuckDB sends.
func TestTemplatesAgreeWithLibpgQuery(t *testing.T) {
	file, err := os.Open("../../bench/testdata/conversation.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	exchanges, err := conversation.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	texts, forms := templateTexts, map[string]bool{}
	for _, exchange := range exchanges {
		if form, _ := formOf(exchange.Text); !forms[form] {
			forms[form] = true
			texts = append(texts, exchange.Text)
		}
	}
	made := 0
	for seed, text := range texts {
		if compareTemplate(t, text, uint64(seed)) {
			made++
		}
	}
	t.Logf("%d of %d texts have a template", made, len(texts))
}

func FuzzTemplatesAgreeWithLibpgQuery(f *testing.F) {
	for seed, text := range templateTexts {
		f.Add(text, uint64(seed))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if checkEncoding(text) == nil && len(text) <= maximumCachedTextBytes {
			compareTemplate(t, text, seed)
		}
	})
}

// compareTemplate makes the trees of statements of a form from that of one, and tells whether it can.
func compareTemplate(t *testing.T, text string, seed uint64) bool {
	t.Helper()
	form, numbers := formOf(text)
	if len(numbers) == 0 {
		return false
	}
	tree, ok := parseTree(text)
	if !ok || tree == nil {
		return false
	}
	before := proto.Clone(tree)
	of := newTemplate(tree, numbers)
	if of.edit == nil {
		return false
	}
	random := rand.New(rand.NewPCG(seed, 0))
	for range 5 {
		other := otherDigits(text, numbers, random)
		otherForm, otherNumbers := formOf(other)
		if otherForm != form {
			continue // an integer has become too large for one, or the other way round
		}
		want, ok := parseTree(other)
		if !ok || want == nil {
			t.Fatalf("%q: libpg_query does not parse %q", text, other)
		}
		if got := of.with(otherNumbers); !proto.Equal(got, want) {
			t.Fatalf("%q: the tree of %q is\n%v\nwant\n%v", text, other, got, want)
		}
	}
	if !proto.Equal(tree, before) {
		t.Fatalf("%q: the tree of the template has changed", text)
	}
	return true
}

func otherDigits(text string, numbers []number, random *rand.Rand) string {
	written := []byte(text)
	for _, number := range numbers {
		from := number.location
		if number.quoted {
			from++
		}
		for i := range number.digits {
			written[from+i] = byte('0' + random.IntN(10))
		}
	}
	return string(written)
}

// TestStatementsOfAFormShareATemplate sends the same statement with other numbers, as often as a template needs.
func TestStatementsOfAFormShareATemplate(t *testing.T) {
	const shape = `SELECT a, b FROM "Some_Table" WHERE c <= '%' AND d = 1`
	var last *pg_query.Node
	for _, digits := range []string{"41", "42", "43", "44"} {
		text := shape[:len(shape)-len("%' AND d = 1")] + digits + "' AND d = 1"
		statements, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := parseTree(text)
		if !proto.Equal(statements[0].Tree, want) {
			t.Errorf("%s: tree %v, want %v", text, statements[0].Tree, want)
		}
		again, _ := Parse(text)
		if again[0].Tree != statements[0].Tree {
			t.Errorf("%s: the same text has another tree", text)
		}
		if last != nil && digits == "44" && fromOf(last) != fromOf(statements[0].Tree) {
			t.Error("two statements of a form do not share what is the same in both")
		}
		last = statements[0].Tree
	}
}

func fromOf(tree *pg_query.Node) *pg_query.Node { return tree.GetSelectStmt().FromClause[0] }

// BenchmarkParseOfAForm parses a statement whose text is new each time, and differs in one number.
func BenchmarkParseOfAForm(b *testing.B) {
	text := []byte(`COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "schema_id", "table_uuid", "table_name", "path", "path_is_relative"` +
		` FROM "public"."ducklake_table" WHERE "begin_snapshot" <= '1000000') TO STDOUT (FORMAT "binary")`)
	digits := len(text) - len(`') TO STDOUT (FORMAT "binary")`) - 1
	for b.Loop() {
		for at := digits; ; at-- {
			if text[at]++; text[at] <= '9' {
				break
			}
			text[at] = '0'
		}
		if _, err := Parse(string(text)); err != nil {
			b.Fatal(err)
		}
	}
}
