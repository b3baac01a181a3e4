package parse

import (
	"strconv"
	"strings"
	"testing"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/relation"
)

var literalTexts = []string{
	`INSERT INTO "public".ducklake_snapshot VALUES (1, NOW(), 1, 2, 0)`,
	`INSERT INTO t VALUES (1, -2, 3.5, -0.5e3, 1e10, NULL, true, FALSE, 'it''s', '', CAST('x' AS VARCHAR)), (2,2,2,2,2,2,2,2,2,2,CAST('12:00' AS TIME WITH TIME ZONE));`,
	`insert into "S"."T" ("A", b) values (9223372036854775807, 9223372036854775808), (-9223372036854775808, '\x00')`,
	`INSERT INTO t VALUES (1), (2,3)`,
	`INSERT INTO t VALUES (1, DEFAULT)`,
	`INSERT INTO t VALUES (1 + 2)`,
	`INSERT INTO t VALUES ('a' 'b')`,
	"INSERT INTO t VALUES ('a'\n'b')",
	`INSERT INTO t VALUES (E'a\n')`,
	`INSERT INTO t VALUES (1) RETURNING *`,
	`INSERT INTO t VALUES (1) -- end`,
	`INSERT INTO t AS x VALUES (1)`,
	`INSERT INTO select VALUES (1)`,
	`INSERT INTO t VALUES (1)x`,
	`INSERT INTO t VALUES ((1))`,
	`INSERT INTO t VALUES ()`,
	`INSERT INTO t VALUES (1,)`,
	`INSERT INTO t VALUES (0x1F), (1_000), (1.), (007), (- 5), (+5), (1e), (1a)`,
	`INSERT INTO t VALUES (CAST('1' AS INT)), (CAST(1 AS INT)), (CAST('1' AS nosuch)), (CAST('1' AS numeric(3,1)))`,
	`INSERT INTO t VALUES (CAST(  '2020-01-01'   AS   DATE  ))`,
	`INSERT INTO t VALUES (nowx(), now( ), now)`,
	`INSERT INTO "t""x" VALUES (1)`,
	`INSERT INTO t(a,b)VALUES(1,2),(3,4)`,
	`INSERT INTO T_1 VALUES (1)`,
	`INSERT INTO a.b.c VALUES (1)`,
	`INSERT INTO t VALUES ('ä', '日本')`,
	`INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING`,
	`INSERT INTO values VALUES (1)`,
	`INSERT INTO t (a.b) VALUES (1)`,
	`INSERT INTO t VALUES (1), `,
	`INSERT INTO t VALUES (true::text)`,
	`INSERT INTO t VALUES (nullif(1,2), truex, falsey)`,
}

func TestLiteralReaderAgreesWithLibpgQuery(t *testing.T) {
	read := 0
	for _, text := range literalTexts {
		if compareWithLibpgQuery(t, text) {
			read++
		}
	}
	if read < 6 {
		t.Errorf("only %d texts were read as literals", read)
	}
}

func FuzzLiteralReaderAgreesWithLibpgQuery(f *testing.F) {
	for _, text := range literalTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if checkEncoding(text) == nil {
			compareWithLibpgQuery(t, text)
		}
	})
}

// compareWithLibpgQuery reads a text as a LiteralInsert; when it is one, libpg_query's tree must say the same.
func compareWithLibpgQuery(t *testing.T, text string) bool {
	t.Helper()
	start := skipBlanks(text, 0)
	literals, end, ok := readLiteralInsert(text, start)
	if !ok {
		return false
	}
	result, err := pg_query.Parse(text[start:end])
	if err != nil {
		t.Fatalf("%q: read as literals, but libpg_query says %v", text, err)
	}
	if len(result.Stmts) != 1 {
		t.Fatalf("%q: libpg_query sees %d statements", text[start:end], len(result.Stmts))
	}
	tree := result.Stmts[0].Stmt.GetInsertStmt()
	if tree == nil || tree.OnConflictClause != nil || tree.ReturningList != nil || tree.WithClause != nil || tree.Relation.Alias != nil {
		t.Fatalf("%q: not a plain INSERT: %v", text, result.Stmts[0].Stmt)
	}
	if tree.Relation.Schemaname != literals.Schema || tree.Relation.Relname != literals.Table || tree.Relation.Catalogname != "" ||
		int(tree.Relation.Location) != literals.TableLocation {
		t.Fatalf("%q: table %q.%q at %d, want %v", text, literals.Schema, literals.Table, literals.TableLocation, tree.Relation)
	}
	if len(tree.Cols) != len(literals.Columns) {
		t.Fatalf("%q: %d columns, want %d", text, len(literals.Columns), len(tree.Cols))
	}
	for i, column := range tree.Cols {
		target := column.GetResTarget()
		if target.Name != literals.Columns[i].Name || int(target.Location) != literals.Columns[i].Location || target.Indirection != nil {
			t.Fatalf("%q: column %v, want %v", text, literals.Columns[i], target)
		}
	}
	lists := tree.SelectStmt.GetSelectStmt().GetValuesLists()
	if len(lists)*literals.Width != len(literals.Values) {
		t.Fatalf("%q: %d values in rows of %d, want %d rows", text, len(literals.Values), literals.Width, len(lists))
	}
	for i, list := range lists {
		items := list.GetList().Items
		if len(items) != literals.Width {
			t.Fatalf("%q: row %d has %d values", text, i, len(items))
		}
		for j, item := range items {
			if got, want := shownLiteral(&literals.Values[i*literals.Width+j]), shownNode(item); got != want {
				t.Fatalf("%q: value %s, want %s", text, got, want)
			}
		}
	}
	return true
}

func shownLiteral(literal *Literal) string {
	location := " at " + strconv.Itoa(int(literal.Location))
	switch literal.Kind {
	case LiteralNull:
		return "NULL" + location
	case LiteralInteger:
		return "number " + strconv.FormatInt(literal.Integer, 10) + location
	case LiteralNumeric:
		return "number " + literal.Text + location
	case LiteralString:
		return "string " + literal.Text + location
	case LiteralBoolean:
		return "bool " + strconv.FormatBool(literal.Integer != 0) + location
	case LiteralNow:
		return "now" + location
	}
	return "cast " + literal.Text + " to " + strconv.Itoa(int(literal.Type)) + location
}

// typeOIDs are the types that libpg_query's names of castTypes mean.
var typeOIDs = map[string]uint32{"int8": relation.Int8OID, "bool": relation.BoolOID, "bytea": relation.ByteaOID, "date": relation.DateOID,
	"numeric": relation.NumericOID, "float8": relation.Float8OID, "int4": relation.Int4OID, "interval": relation.IntervalOID,
	"float4": relation.Float4OID, "int2": relation.Int2OID, "text": relation.TextOID, "time": relation.TimeOID, "timetz": relation.TimeTZOID,
	"timestamp": relation.TimestampOID, "timestamptz": relation.TimestampTZOID, "uuid": relation.UUIDOID, "varchar": relation.VarcharOID}

func shownNode(node *pg_query.Node) string {
	switch n := node.Node.(type) {
	case *pg_query.Node_AConst:
		location := " at " + strconv.Itoa(int(n.AConst.Location))
		if n.AConst.Isnull {
			return "NULL" + location
		}
		switch value := n.AConst.Val.(type) {
		case *pg_query.A_Const_Ival:
			return "number " + strconv.Itoa(int(value.Ival.Ival)) + location
		case *pg_query.A_Const_Fval:
			if integer, err := strconv.ParseInt(value.Fval.Fval, 10, 64); err == nil {
				return "number " + strconv.FormatInt(integer, 10) + location
			}
			return "number " + value.Fval.Fval + location
		case *pg_query.A_Const_Sval:
			return "string " + value.Sval.Sval + location
		case *pg_query.A_Const_Boolval:
			return "bool " + strconv.FormatBool(value.Boolval.Boolval) + location
		}
	case *pg_query.Node_FuncCall:
		call := n.FuncCall
		if len(call.Funcname) == 1 && call.Funcname[0].GetString_().Sval == "now" && len(call.Args) == 0 && !call.AggStar {
			return "now at " + strconv.Itoa(int(call.Location))
		}
	case *pg_query.Node_TypeCast:
		names := n.TypeCast.TypeName.Names
		name := names[len(names)-1].GetString_().Sval
		text := n.TypeCast.Arg.GetAConst().GetSval()
		if text != nil && len(n.TypeCast.TypeName.Typmods) == 0 && typeOIDs[name] != 0 {
			return "cast " + text.Sval + " to " + strconv.Itoa(int(typeOIDs[name])) + " at " + strconv.Itoa(int(n.TypeCast.Location))
		}
	}
	return "something else: " + node.String()
}

var boundaryTexts = []string{
	"SELECT 1; SELECT 2", "SELECT ';'; SELECT $$;$$; SELECT $a$ ; $$ $a$", `SELECT ";"; SELECT 1`, "SELECT (1; 2)", "/* ; */ SELECT 1; -- ;\nSELECT 2",
	"SELECT E'\\';'; SELECT 1", "BEGIN;COMMIT;", "SELECT 1$2; SELECT a$b$c; SELECT 1", "SELECT U&'\\0041;'; SELECT N';'; SELECT B'1'; SELECT X'1'",
	"SELECT 'a'\n';b'; SELECT 1", "CREATE RULE r AS ON INSERT TO t DO ALSO (DELETE FROM t; DELETE FROM t); SELECT 1", "SELECT 1 /* /* ; */ ; */; SELECT 2",
	"INSERT INTO t VALUES (1); INSERT INTO t VALUES ('x;y'); SELECT 1",
}

func TestBoundariesAgreeWithLibpgQuery(t *testing.T) {
	for _, text := range boundaryTexts {
		compareBoundaries(t, text)
	}
}

func FuzzBoundariesAgreeWithLibpgQuery(f *testing.F) {
	for _, text := range append(boundaryTexts, literalTexts...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if checkEncoding(text) == nil {
			compareBoundaries(t, text)
		}
	})
}

// compareBoundaries parses a text piece by piece and at once: when both succeed the statements must be the same, and what
// libpg_query refuses must not be accepted piece by piece.
func compareBoundaries(t *testing.T, text string) {
	t.Helper()
	whole, wholeErr := parseWhole(text)
	pieces, ok := parsePieces(text)
	if !ok {
		return
	}
	if wholeErr != nil {
		t.Fatalf("%q: accepted in pieces, but libpg_query says %v", text, wholeErr)
	}
	if len(whole) != len(pieces) {
		t.Fatalf("%q: %d pieces, %d statements", text, len(pieces), len(whole))
	}
	for i := range whole {
		if strings.Trim(whole[i].Text, blanks) != pieces[i].Text {
			t.Fatalf("%q: piece %q, statement %q", text, pieces[i].Text, whole[i].Text)
		}
	}
}

func BenchmarkParseBulkInsert(b *testing.B) {
	var text strings.Builder
	text.WriteString("INSERT INTO public.ducklake_data_file VALUES ")
	for i := range 4000 {
		if i > 0 {
			text.WriteString(", ")
		}
		text.WriteString("(" + strconv.Itoa(i) + ", 1, 2, NULL, NULL, 'main/test/ducklake-01a22acb-37d7-73e7-b251-b1018bdabc67.parquet', true, 'parquet', 100, 478, 360, 0)")
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(text.String()); err != nil {
			b.Fatal(err)
		}
	}
}
