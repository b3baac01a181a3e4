package ducklake

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/store/memory"
	"moraine/store/pebble"
)

// model is what a plain table in memory would hold: rows by table, as printed.
type model map[string][]relation.Row

func (m model) clone() model {
	cloned := model{}
	for name, rows := range m {
		for _, row := range rows {
			cloned[name] = append(cloned[name], slices.Clone(row))
		}
	}
	return cloned
}

// history is one run of random operations on a lake and on the model.
type history struct {
	t       *testing.T
	random  *rand.Rand
	lake    *lake
	client  *client
	working model
	tables  []string
}

// inlinedColumns are user columns of all types that DuckLake gives to inlined data.
var inlinedUserColumns = []relation.Column{
	{Name: "flag", Type: relation.BoolType}, {Name: "small", Type: relation.Int2Type}, {Name: "number", Type: relation.Int4Type},
	{Name: "big", Type: relation.Int8Type}, {Name: "real", Type: relation.Float4Type}, {Name: "double", Type: relation.Float8Type},
	{Name: "text", Type: relation.VarcharType}, {Name: "bytes", Type: relation.ByteaType}, {Name: "id", Type: relation.UUIDType},
	{Name: "price", Type: relation.Type{OID: relation.NumericOID, Modifier: 10<<16 | 2 + 4}},
	{Name: "at", Type: relation.TimeType}, {Name: "zoned", Type: relation.TimeTZType}, {Name: "span", Type: relation.IntervalType},
	{Name: "json", Type: relation.Type{OID: relation.JSONOID, Modifier: -1}},
}

func inlinedDefinition(name string) *relation.Definition {
	definition := &relation.Definition{Name: name, Columns: slices.Clone(inlinedHead[:])}
	for _, column := range inlinedUserColumns {
		column.Number = int16(len(definition.Columns) + 1)
		definition.Columns = append(definition.Columns, column)
	}
	return definition
}

func (h *history) value(column relation.Column, nullable bool) relation.Value {
	random := h.random
	if nullable && random.Intn(5) == 0 {
		return relation.NULL
	}
	switch column.Type.OID {
	case relation.BoolOID:
		return relation.Bool(random.Intn(2) == 0)
	case relation.Int8OID:
		if random.Intn(40) == 0 {
			return relation.Int(int64(-1 - random.Intn(2)))
		}
		return relation.Int(int64(random.Intn(4)))
	case relation.Int2OID, relation.Int4OID, relation.TimeOID, relation.TimestampTZOID:
		return relation.Int(int64(random.Intn(1000)))
	case relation.Float4OID, relation.Float8OID:
		return relation.Float(float64(random.Intn(100)) / 4)
	case relation.UUIDOID:
		raw := make([]byte, uuidBytes)
		random.Read(raw)
		return relation.Text(string(raw))
	case relation.NumericOID:
		return relation.Text([]string{"0.00", "-1.50", "12345678.90", "NaN"}[random.Intn(4)])
	case relation.TimeTZOID:
		return relation.TimeWithZone(int64(random.Intn(1000)), int32(random.Intn(7200)-3600))
	case relation.IntervalOID:
		return relation.Interval(int64(random.Intn(1000)), int32(random.Intn(10)), int32(random.Intn(10)))
	}
	switch column.Name {
	case "scope":
		return relation.Text([]string{scopeSchema, scopeTable, "elsewhere"}[random.Intn(3)])
	case "table_name":
		return relation.Text(inlinedID{table: uint64(random.Intn(3)), version: uint64(random.Intn(3))}.name())
	}
	return relation.Text(strings.Repeat("x", random.Intn(3)))
}

func (h *history) row(definition *relation.Definition) relation.Row {
	row := make(relation.Row, len(definition.Columns))
	for i, column := range definition.Columns {
		nullable := !column.NotNull && (h.random.Intn(4) == 0 || column.Name == endColumn || definition.Ordinal("scope") >= 0)
		row[i] = h.value(column, nullable)
	}
	return row
}

// violates tells whether a row breaks the primary key among the rows, but for the one at the place except.
func violates(definition *relation.Definition, rows []relation.Row, row relation.Row, except int) bool {
	for _, constraint := range definition.Constraints {
		for i := range rows {
			if i != except && sameKey(&constraint, rows[i], row) {
				return true
			}
		}
	}
	return false
}

func (h *history) operate() {
	name := h.tables[h.random.Intn(len(h.tables))]
	target := h.client.relation(name)
	definition := target.Definition()
	rows := h.working[name]
	kind := h.random.Intn(10)
	if len(rows) == 0 || kind < 5 {
		row := h.row(definition)
		err := target.Insert(context.Background(), []relation.Row{slices.Clone(row)})
		if h.expect(err, violates(definition, rows, row, -1)) {
			h.working[name] = append(rows, row)
		}
		return
	}
	at := h.random.Intn(len(rows))
	identity, found := h.identity(name, rows[at])
	if !found {
		h.t.Fatalf("%s: no row %s", name, shownRow(definition, rows[at]))
	}
	if kind < 7 {
		if deleted, err := target.Delete(context.Background(), identity); err != nil || !deleted {
			h.t.Fatalf("delete: %v, %v", deleted, err)
		}
		h.working[name] = slices.Delete(rows, at, at+1)
		return
	}
	changed := slices.Clone(rows[at])
	ordinal := h.random.Intn(len(changed))
	if end := definition.Ordinal(endColumn); end >= 0 && h.random.Intn(3) > 0 {
		ordinal = end
	}
	changed[ordinal] = h.value(definition.Columns[ordinal], !definition.Columns[ordinal].NotNull && h.random.Intn(3) == 0)
	err := target.Update(context.Background(), identity, slices.Clone(changed))
	if h.expect(err, violates(definition, rows, changed, at)) {
		rows[at] = changed
	}
}

// expect checks that an error is there when it should be; true when there is none.
func (h *history) expect(err error, violation bool) bool {
	h.t.Helper()
	if violation != pgerror.HasCode(err, pgerror.UniqueViolation) || err != nil && !violation {
		h.t.Fatalf("violation expected %v, got %v", violation, err)
	}
	return err == nil
}

func (h *history) identity(name string, row relation.Row) (relation.RowIdentity, bool) {
	for _, found := range h.client.find(name) {
		if slices.Equal(found.row, row) {
			return found.identity, true
		}
	}
	return 0, false
}

func (h *history) compare(when string) {
	h.t.Helper()
	for _, name := range h.tables {
		definition := h.client.relation(name).Definition()
		var wanted []string
		for _, row := range h.working[name] {
			wanted = append(wanted, shownRow(definition, row))
		}
		slices.Sort(wanted)
		if got := h.client.rows(name); !slices.Equal(got, wanted) {
			h.t.Fatalf("%s: %s has\n%s\nwanted\n%s", when, name, strings.Join(got, "\n"), strings.Join(wanted, "\n"))
		}
	}
}

func (h *history) transaction(operations int) {
	before := h.working.clone()
	h.client = h.lake.begin()
	mark, marked := 0, h.working.clone()
	for i := range operations {
		switch h.random.Intn(12) {
		case 0:
			mark, marked = len(h.client.journal), h.working.clone()
		case 1:
			h.client.rollbackTo(mark)
			h.working = marked.clone()
			h.compare(fmt.Sprintf("after rollback to savepoint, operation %d", i))
		default:
			h.operate()
		}
	}
	h.compare("before the end of the transaction")
	if h.random.Intn(6) == 0 {
		h.client.rollback()
		h.working = before
	} else {
		h.client.commit()
	}
	h.client = h.lake.begin()
	h.compare("after the transaction")
	h.client.rollback()
}

func runHistory(t *testing.T, lake *lake, seed int64, transactions int) {
	h := &history{t: t, random: rand.New(rand.NewSource(seed)), lake: lake, working: model{}, tables: slices.Clone(creationOrder)}
	h.client = lake.begin().createAll()
	for table := range 2 {
		for version := range 2 {
			name := inlinedID{table: uint64(table), version: uint64(version)}.name()
			h.client.create(inlinedDefinition(name))
			h.tables = append(h.tables, name)
		}
		name := inlinedDeleteName(uint64(table))
		h.client.create(&relation.Definition{Name: name, Columns: deletionCodec.columns()})
		h.tables = append(h.tables, name)
	}
	h.client.commit()
	for range transactions {
		h.transaction(1 + h.random.Intn(60))
	}
}

func TestRandomRowsAreKeptAsAPlainTableWould(t *testing.T) {
	for seed := range int64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			runHistory(t, openLake(t, memory.NewStore()), seed, 12)
		})
	}
}

func TestRandomRowsAreKeptOnPebble(t *testing.T) {
	engine, err := pebble.Open(t.TempDir(), pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	path := storePath(t, engine)
	opened, err := engine.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	runHistory(t, openLake(t, opened), 99, 10)
}
