package execute_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/execute"
	"moraine/sqlmap/parse"
	"moraine/sqlmap/plan"
)

// open binds, plans and opens one statement.
func (t *tables) open(tb testing.TB, text string, parameterTypes []uint32, parameters ...relation.Value) (execute.Cursor, *plan.Plan) {
	tb.Helper()
	ctx := context.Background()
	statements, err := parse.Parse(text)
	if err != nil {
		tb.Fatal(err)
	}
	bound, err := bind.Bind(ctx, t, statements[0], parameterTypes)
	if err != nil {
		tb.Fatal(err)
	}
	planned, err := plan.Build(ctx, bound)
	if err != nil {
		tb.Fatal(err)
	}
	cursor, err := execute.Open(ctx, planned, t.functions, parameters)
	if err != nil {
		tb.Fatal(err)
	}
	return cursor, planned
}

func count(tb testing.TB, cursor execute.Cursor) int {
	tb.Helper()
	rows := 0
	for {
		batch, err := cursor.Next(context.Background())
		if err != nil {
			tb.Fatal(err)
		}
		if batch == nil {
			return rows
		}
		rows += batch.Length
	}
}

// numbered makes a table with keys 0 to rows-1.
func (t *tables) numbered(tb testing.TB, name string, rows int) *memoryRelation {
	tb.Helper()
	if _, err := t.run("CREATE TABLE " + name + " (id bigint PRIMARY KEY, value text)"); err != nil {
		tb.Fatal(err)
	}
	table := t.byName[name]
	for i := range rows {
		table.rows[table.next] = relation.Row{relation.Int(int64(i)), relation.Text(fmt.Sprintf("value %d", i))}
		table.order = append(table.order, table.next)
		table.next++
	}
	table.definition.RowEstimate = float64(rows)
	return table
}

func TestJoinScansByTheKeysOfItsSmallSide(t *testing.T) {
	tables := newTables()
	large := tables.numbered(t, "large", 2000)
	tables.numbered(t, "small", 3)
	cursor, _ := tables.open(t, "SELECT value FROM large WHERE id IN (SELECT id FROM small)", nil)
	if rows := count(t, cursor); rows != 3 || large.scanned != 3 {
		t.Errorf("%d rows of %d scanned, want 3 of 3", rows, large.scanned)
	}
	large.scanned = 0
	cursor, _ = tables.open(t, "SELECT l.value FROM large l JOIN (VALUES (5), (7), (7)) v(id) ON v.id = l.id", nil)
	if rows := count(t, cursor); rows != 3 || large.scanned != 2 {
		t.Errorf("%d rows of %d scanned, want 3 of 2", rows, large.scanned)
	}
	large.scanned = 0
	cursor, _ = tables.open(t, "SELECT value FROM large WHERE id = (SELECT max(id) FROM large WHERE id < 10)", nil)
	if rows := count(t, cursor); rows != 1 || large.scanned != 11 {
		t.Errorf("%d rows of %d scanned, want 1 of 11", rows, large.scanned)
	}
}

func TestParametersTakeTheTypeOfTheirPlace(t *testing.T) {
	tables := newTables()
	tables.numbered(t, "n", 10)
	ctx := context.Background()
	cases := []struct {
		text string
		want []uint32
	}{
		{"SELECT value FROM n WHERE id = $1", []uint32{relation.Int8OID}},
		{"SELECT $1::int, $2 || 'x', $3", []uint32{relation.Int4OID, relation.TextOID, relation.TextOID}},
		{"INSERT INTO n VALUES ($2, $1)", []uint32{relation.TextOID, relation.Int8OID}},
		{"UPDATE n SET value = $1 WHERE id IN ($2, $3)", []uint32{relation.TextOID, relation.Int8OID, relation.Int8OID}},
		{"SELECT id FROM n LIMIT $1", []uint32{relation.Int8OID}},
		{"SELECT id FROM n WHERE id = ANY ($1)", []uint32{1016}},
	}
	for _, c := range cases {
		statements, err := parse.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := bind.Bind(ctx, tables, statements[0], nil)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var got []uint32
		for _, parameter := range bound.Parameters {
			got = append(got, parameter.OID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: parameter types %v, want %v", c.text, got, c.want)
		}
	}
	for text, code := range map[string]string{
		"SELECT $1 IS NULL": pgerror.IndeterminateDatatype, "SELECT $2::int": pgerror.IndeterminateDatatype,
		"SELECT $1::int, $1::text || 'x', $1 = true":       pgerror.UndefinedFunction,
		"SELECT value FROM n WHERE id = $1 AND value = $1": pgerror.UndefinedFunction, "SELECT $0": pgerror.UndefinedParameter,
	} {
		statements, err := parse.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bind.Bind(ctx, tables, statements[0], nil); !pgerror.HasCode(err, code) {
			t.Errorf("%s: %v, want %s", text, err, code)
		}
	}
	cursor, _ := tables.open(t, "SELECT value FROM n WHERE id = $1", []uint32{0}, relation.Int(4))
	if rows := count(t, cursor); rows != 1 {
		t.Errorf("%d rows for a parameter", rows)
	}
}

func TestLocksTheRowsThatAreGiven(t *testing.T) {
	tables := newTables()
	table := tables.numbered(t, "n", 10)
	cursor, _ := tables.open(t, "SELECT id FROM n WHERE id > 5 ORDER BY id LIMIT 2 FOR UPDATE", nil)
	count(t, cursor)
	if !slices.Equal(table.locked, []relation.RowIdentity{6, 7}) {
		t.Errorf("locked %v", table.locked)
	}
}

func TestStatementNeverSeesItsOwnWrites(t *testing.T) {
	tables := newTables()
	table := tables.numbered(t, "n", 100)
	cursor, _ := tables.open(t, "INSERT INTO n SELECT id + 1000, value FROM n", nil)
	if count(t, cursor); cursor.RowsAffected() != 100 || len(table.rows) != 200 {
		t.Errorf("%d rows inserted, %d in all", cursor.RowsAffected(), len(table.rows))
	}
	cursor, _ = tables.open(t, "UPDATE n SET id = id + 10000", nil)
	if count(t, cursor); cursor.RowsAffected() != 200 {
		t.Errorf("%d rows updated", cursor.RowsAffected())
	}
}

func TestFailedInsertLeavesNothing(t *testing.T) {
	tables := newTables()
	table := tables.numbered(t, "n", 0)
	cursor, _ := tables.open(t, "INSERT INTO n VALUES (1, 'a'), (NULL, 'b')", nil)
	if _, err := cursor.Next(context.Background()); !pgerror.HasCode(err, pgerror.NotNullViolation) {
		t.Errorf("error %v", err)
	}
	if len(table.rows) != 0 {
		t.Errorf("%d rows inserted", len(table.rows))
	}
}

func TestCancelledStatementStops(t *testing.T) {
	tables := newTables()
	tables.numbered(t, "n", 3000)
	cursor, _ := tables.open(t, "SELECT count(*) FROM n a, n b, n c WHERE a.value || b.value || c.value = ''", nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := cursor.Next(ctx); !pgerror.HasCode(err, pgerror.QueryCanceled) {
		t.Errorf("error %v", err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	tables := newTables()
	cursor, _ := tables.open(t, "SELECT repeat('x', 1000000) AS x, g FROM generate_series(1, 1000) g ORDER BY x, g", nil)
	_, err := cursor.Next(context.Background())
	if !pgerror.HasCode(err, pgerror.OutOfMemory) || pgerror.From(err).Hint == "" {
		t.Errorf("error %v", err)
	}
}

func TestExplainShowsThePlan(t *testing.T) {
	tables := newTables()
	tables.numbered(t, "large", 2000)
	tables.numbered(t, "small", 3)
	_, planned := tables.open(t, `SELECT s.value, count(*) FROM small s LEFT JOIN large l ON l.id = s.id AND l.value > 'a'
		WHERE s.id IN (1, 2) GROUP BY s.value ORDER BY 2 DESC LIMIT 3`, nil)
	want := `Limit  (rows=3 width=2)
  ->  Sort  (rows=80 width=2)
        Sort Key: count(*) DESC
        ->  HashAggregate  (rows=80 width=2)
              Group Key: s.value
              ->  Hash Left Join  (rows=800 width=4)
                    Hash Cond: (s.id = l.id)
                    Scan Key: id
                    ->  Key Scan on small s  (rows=2 width=2)
                          Scan Cond: (id = ANY (1, 2))
                    ->  Seq Scan on large l  (rows=800 width=2)
                          Scan Cond: (value > 'a'::text)`
	if got := strings.Join(planned.Explain().Lines(), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func BenchmarkScanWithPredicate(b *testing.B) {
	tables := newTables()
	tables.numbered(b, "n", 100000)
	b.ReportAllocs()
	for b.Loop() {
		cursor, _ := tables.open(b, `SELECT "id", "value" FROM "n" WHERE "id" <= '90000'`, nil)
		count(b, cursor)
	}
}

func BenchmarkInsertLiterals(b *testing.B) {
	tables := newTables()
	var text strings.Builder
	text.WriteString("INSERT INTO n VALUES ")
	for i := range 4000 {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, "(%d, 'ducklake-01a22acb-37d7-73e7-b251-b1018bdabc67.parquet')", i)
	}
	b.ReportAllocs()
	for b.Loop() {
		tables.numbered(b, "n", 0)
		cursor, _ := tables.open(b, text.String(), nil)
		tables.byName["n"].definition.Constraints = nil
		count(b, cursor)
	}
}
