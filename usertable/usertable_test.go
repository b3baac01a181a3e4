package usertable

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"moraine/overlay"
	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

var primaryKey = relation.Constraint{Name: "t_pkey", Kind: relation.PrimaryKey, Columns: []int{0}}

func TestTablesAreCreatedListedAndDropped(t *testing.T) {
	l := newLake(t)
	c := l.begin()
	for _, name := range []string{"b", "a", "c"} {
		c.create(name)
	}
	if names := c.names(); !slices.Equal(names, []string{"b", "a", "c"}) {
		t.Errorf("own tables %v", names)
	}
	c.commit()
	c = l.begin()
	c.create("d")
	c.ok(c.tables.DropTable(background, "a"))
	if names := c.names(); !slices.Equal(names, []string{"b", "c", "d"}) {
		t.Errorf("tables %v", names)
	}
	c.wantNoTable("a")
	c.wantError(c.tables.DropTable(background, "a"), pgerror.UndefinedTable, `table "a" does not exist`)
	c.commit()
	c = l.begin()
	if names := c.names(); !slices.Equal(names, []string{"b", "c", "d"}) {
		t.Errorf("committed tables %v", names)
	}
	_, err := c.tables.CreateTable(background, &relation.Definition{Name: "b"})
	c.wantError(err, pgerror.DuplicateTable, `relation "b" already exists`)
}

func TestDefinitionsComeBackAsTheyWere(t *testing.T) {
	definition := &relation.Definition{
		OID: 20000, Schema: "public", Name: "t", Kind: relation.Table, Persistence: relation.Permanent, Comment: "a table",
		Columns: []relation.Column{
			{Name: "a", Type: relation.Type{OID: relation.NumericOID, Modifier: 655366}, NotNull: true, Number: 1, Default: "1 + 1", Comment: "a column"},
			{Name: "b", Type: relation.ByteaType, Number: 7},
		},
		Constraints: []relation.Constraint{{Name: "t_pkey", Kind: relation.PrimaryKey, Columns: []int{1, 0}}},
	}
	stored := newStoredTable(5, definition, map[int16]relation.Value{7: relation.Text("\x00\xff")}, []uint64{3}, 4)
	encoded, err := stored.encode()
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := decodeTable("public", "t", 20000, encoded)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(decoded.definition, definition) {
		t.Errorf("definition %+v, want %+v", decoded.definition, definition)
	}
	if decoded.number != 5 || decoded.next != 4 || !reflect.DeepEqual(decoded.constraints, stored.constraints) || !reflect.DeepEqual(decoded.fill, stored.fill) {
		t.Errorf("decoded %+v, want %+v", decoded, stored)
	}
}

func TestMalformedDefinitionsAreCorrupt(t *testing.T) {
	for _, encoded := range []string{
		"", "\x02{}", "\x01", "\x01{", `{"number":1}`, "\x01" + `{"unknown":1}`, "\x01" + `{"columns":[{"name":"a","number":0}]}`,
		"\x01" + `{"columns":[{"name":"a","number":1},{"name":"b","number":1}]}`,
		"\x01" + `{"columns":[],"constraints":[{"name":"k","kind":112,"columns":[0],"number":0}],"next_constraint":1}`,
		"\x01" + `{"columns":[],"constraints":[{"name":"k","kind":112,"columns":[],"number":1}],"next_constraint":1}`,
		"\x01" + `{"columns":[],"fill":"AA=="}`,
	} {
		if _, err := decodeTable("public", "t", 1, []byte(encoded)); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%q: error %v", encoded, err)
		}
	}
}

func TestAlterTableKeepsRows(t *testing.T) {
	l := newLake(t)
	c := l.begin()
	c.create("t")
	c.ok(c.insert("t", 1, "a"))
	c.ok(c.insert("t", 2, "b"))
	c.commit()

	c = l.begin()
	c.ok(c.insert("t", 3, "c"))
	c.delete("t", 2)
	c.ok(c.alter("t", func(definition *relation.Definition) {
		definition.Columns = append(definition.Columns, relation.Column{Name: "extra", Type: relation.Int8Type, Number: 3})
	}, map[int16]relation.Value{3: relation.Int(9)}))
	c.wantRows("t", "1 a 9", "3 c 9")
	c.ok(c.insert("t", 4, "d", 10))
	c.commit()
	c = l.begin()
	c.wantRows("t", "1 a 9", "3 c 9", "4 d 10")

	c.ok(c.alter("t", func(definition *relation.Definition) {
		definition.Columns = []relation.Column{definition.Columns[2], definition.Columns[0]}
		definition.Name = "renamed"
	}, nil))
	c.wantNoTable("t")
	c.wantRows("renamed", "9 1", "9 3", "10 4")
	c.create("t")
	c.commit()
	c = l.begin()
	c.wantRows("renamed", "9 1", "9 3", "10 4")
	c.wantRows("t")
	c.ok(c.insert("renamed", 1, 5))
	c.ok(c.alter("renamed", func(definition *relation.Definition) {
		definition.Columns = append(definition.Columns, relation.Column{Name: "null", Type: relation.TextType, Number: 4})
	}, nil))
	c.wantRows("renamed", "9 1 NULL", "9 3 NULL", "10 4 NULL", "1 5 NULL")
	err := c.alter("renamed", func(definition *relation.Definition) { definition.Columns[0].Type = relation.TextType }, nil)
	c.wantError(err, pgerror.FeatureNotSupported, "changing the type of a column in place is not supported")
	err = c.alter("renamed", func(definition *relation.Definition) { definition.Name = "t" }, nil)
	c.wantError(err, pgerror.DuplicateTable, `relation "t" already exists`)
}

func TestConstraintsAreAddedToRowsThatKeepThem(t *testing.T) {
	l := newLake(t)
	c := l.begin()
	c.create("t")
	c.ok(c.insert("t", 1, "a"))
	c.commit()
	c = l.begin()
	addKey := func(definition *relation.Definition) { definition.Constraints = []relation.Constraint{primaryKey} }
	mark := len(c.journal)
	c.ok(c.insert("t", 1, "again"))
	err := c.alter("t", addKey, nil)
	c.wantError(err, pgerror.UniqueViolation, `could not create unique index "t_pkey"`)
	if detail := pgerror.From(err).Detail; detail != "Key (id)=(1) is duplicated." {
		t.Errorf("detail %q", detail)
	}
	c.rollbackTo(mark)
	c.ok(c.alter("t", addKey, nil))
	c.commit()

	c = l.begin()
	c.wantError(c.insert("t", 1, "b"), pgerror.UniqueViolation, `duplicate key value violates unique constraint "t_pkey"`)
	c.rollbackTo(0)
	c.ok(c.alter("t", func(definition *relation.Definition) { definition.Constraints = nil }, nil))
	c.ok(c.insert("t", 1, "b"))
	c.commit()
	c = l.begin()
	c.wantRows("t", "1 a", "1 b")
	c.delete("t", 1)
	c.ok(c.alter("t", addKey, nil))
	c.commit()
	c = l.begin()
	c.wantError(c.insert("t", 1, "c"), pgerror.UniqueViolation, `duplicate key value violates unique constraint "t_pkey"`)
}

func TestRenamedConstraintKeepsItsEntries(t *testing.T) {
	l := newLake(t)
	c := l.begin()
	c.create("t", primaryKey)
	c.ok(c.insert("t", 1, "a"))
	c.commit()
	c = l.begin()
	c.ok(c.alter("t", func(definition *relation.Definition) { definition.Constraints[0].Name = "other" }, nil))
	c.wantError(c.insert("t", 1, "b"), pgerror.UniqueViolation, `duplicate key value violates unique constraint "other"`)
}

func TestNullsAndPairsInKeys(t *testing.T) {
	c := newLake(t).begin()
	c.create("t", relation.Constraint{Name: "pair", Kind: relation.Unique, Columns: []int{0, 1}})
	c.ok(c.insert("t", 1, nil))
	c.ok(c.insert("t", 1, nil))
	c.ok(c.insert("t", 1, "x"))
	c.ok(c.insert("t", 2, "x"))
	err := c.insert("t", 1, "x")
	c.wantError(err, pgerror.UniqueViolation, `duplicate key value violates unique constraint "pair"`)
	if failure := pgerror.From(err); failure.Detail != "Key (id, value)=(1, x) already exists." || failure.Constraint != "pair" || failure.Table != "t" {
		t.Errorf("failure %+v", failure)
	}
	c.wantError(c.insert("t", 3, strings.Repeat("x", maximumKey)), pgerror.ProgramLimitExceeded,
		`index row size 2709 exceeds btree version 4 maximum 2704 for index "pair"`)
}

func TestDroppedTablesArePurgedInSteps(t *testing.T) {
	l := newLake(t)
	c := l.begin()
	c.create("t", primaryKey)
	var rows []relation.Row
	for id := range int64(purgedKeys) {
		rows = append(rows, relation.Row{relation.Int(id), relation.Text("x")})
	}
	c.ok(c.table("t").Insert(background, rows))
	c.commit()
	c = l.begin()
	c.ok(c.tables.DropTable(background, "t"))
	c.create("t", primaryKey)
	c.ok(c.insert("t", 1, "new"))
	c.commit()
	if garbage := l.keys(garbageTag); garbage != 1 {
		t.Fatalf("%d tables wait for their purge", garbage)
	}
	for range 3 {
		c = l.begin()
		c.wantRows("t", "1 new")
		c.create("other")
		c.commit()
		c = l.begin()
		c.ok(c.tables.DropTable(background, "other"))
		c.commit()
	}
	if garbage, rows, entries := l.keys(garbageTag), l.keys(rowsTag), l.keys(uniqueTag); garbage != 0 || rows != 2 || entries != 1 {
		t.Errorf("%d tables wait for their purge; %d keys of rows, %d entries", garbage, rows, entries)
	}
}

func TestCommitsOnAChangedDefinitionFail(t *testing.T) {
	addColumn := func(definition *relation.Definition) {
		definition.Columns = append(definition.Columns, relation.Column{Name: "extra", Type: relation.Int8Type, Number: 3})
	}
	for _, test := range []struct {
		name          string
		first, second func(c *client) error
	}{
		{"rows after alter", func(c *client) error { return c.alter("t", addColumn, nil) }, func(c *client) error { return c.insert("t", 2, "b") }},
		{"rows after drop", func(c *client) error { return c.tables.DropTable(background, "t") }, func(c *client) error { return c.insert("t", 2, "b") }},
		{"create after create", func(c *client) error { c.create("u"); return nil }, func(c *client) error { c.create("u"); return nil }},
		{"a key after rows", func(c *client) error { return c.insert("t", 1, "b") }, func(c *client) error {
			return c.alter("t", func(definition *relation.Definition) { definition.Constraints = []relation.Constraint{primaryKey} }, nil)
		}},
		{"not null after rows", func(c *client) error { return c.insert("t", 1, nil) }, func(c *client) error {
			return c.alter("t", func(definition *relation.Definition) { definition.Columns[1].NotNull = true }, nil)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLake(t)
			c := l.begin()
			c.create("t")
			c.ok(c.insert("t", 1, "a"))
			c.commit()
			one, two := l.begin(), l.begin()
			two.ok(test.second(two))
			one.ok(test.first(one))
			one.commit()
			two.wantError(two.tryCommit(), pgerror.SerializationFailure, "could not serialize access due to concurrent update")
		})
	}
}

func TestNewStatementSeesNewDefinition(t *testing.T) {
	l := newLake(t)
	c := l.begin()
	c.create("t")
	c.commit()
	reader := l.begin()
	before := reader.table("t")
	if reader.table("t") != before {
		t.Error("the relation changes without a reason")
	}
	c = l.begin()
	c.ok(c.alter("t", func(definition *relation.Definition) { definition.Comment = "new" }, nil))
	c.commit()
	if reader.table("t") != before {
		t.Error("the relation changes within a snapshot")
	}
	reader.snapshot = l.state()
	if comment := reader.table("t").Definition().Comment; comment != "new" {
		t.Errorf("comment %q after a new snapshot", comment)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	c := newLake(t).begin()
	c.tables.memory = overlay.NewMemory(0, 1000, changesTooLarge)
	c.create("t")
	c.ok(c.insert("t", 1, strings.Repeat("x", 500)))
	mark := len(c.journal)
	c.wantError(c.insert("t", 1, strings.Repeat("x", 500)), pgerror.ProgramLimitExceeded,
		"the transaction's changes take more than 0 MiB of memory")
	c.rollbackTo(mark - 1)
	c.ok(c.insert("t", 1, strings.Repeat("x", 500)))
}

func TestKeysAreEqualWhereValuesAre(t *testing.T) {
	numeric := func(text string) relation.Value { return relation.Text(text) }
	for _, test := range []struct {
		oid         uint32
		left, right relation.Value
		equal       bool
	}{
		{relation.NumericOID, numeric("1.0"), numeric("1.00"), true},
		{relation.NumericOID, numeric("100"), numeric("1"), false},
		{relation.NumericOID, numeric("0.0"), numeric("-0"), true},
		{relation.NumericOID, numeric("10"), numeric("10.0"), true},
		{relation.NumericOID, numeric("NaN"), numeric("NaN"), true},
		{relation.NumericOID, numeric("-1.50"), numeric("-1.5"), true},
		{relation.Float8OID, relation.Float(0), relation.Float(negativeZero()), true},
		{relation.Float8OID, relation.Float(1), relation.Float(2), false},
		{relation.BPCharOID, relation.Text("a "), relation.Text("a"), true},
		{relation.TextOID, relation.Text("a "), relation.Text("a"), false},
		{relation.IntervalOID, relation.Interval(0, 30, 0), relation.Interval(0, 0, 1), true},
		{relation.IntervalOID, relation.Interval(86_400e6, 0, 0), relation.Interval(0, 1, 0), true},
		{relation.IntervalOID, relation.Interval(-86_400e6, 1, 0), relation.Interval(0, 0, 0), true},
		{relation.IntervalOID, relation.Interval(-1, 0, 0), relation.Interval(1, 0, 0), false},
		{relation.TimeTZOID, relation.TimeWithZone(5, 0), relation.TimeWithZone(5, 3600), false},
		{relation.Int8OID, relation.Int(-1), relation.Int(1), false},
	} {
		definition := &relation.Definition{Columns: []relation.Column{{Type: relation.Type{OID: test.oid, Modifier: -1}}}}
		left, _ := keyOf(definition, []int{0}, relation.Row{test.left})
		right, _ := keyOf(definition, []int{0}, relation.Row{test.right})
		if (left == right) != test.equal {
			t.Errorf("type %d: %v and %v have keys %x and %x", test.oid, test.left, test.right, left, right)
		}
	}
}

func negativeZero() float64 { zero := 0.0; return -1 * zero }

func TestKeysOfSeveralColumnsDoNotRunTogether(t *testing.T) {
	definition := &relation.Definition{Columns: []relation.Column{{Type: relation.TextType}, {Type: relation.TextType}}}
	one, _ := keyOf(definition, []int{0, 1}, relation.Row{relation.Text("a"), relation.Text("bc")})
	two, _ := keyOf(definition, []int{0, 1}, relation.Row{relation.Text("ab"), relation.Text("c")})
	if one == two {
		t.Error("(a, bc) and (ab, c) have one key")
	}
}

func TestDetailShowsValuesAsPostgreSQLDoes(t *testing.T) {
	for _, test := range []struct {
		oid   uint32
		value relation.Value
		want  string
	}{
		{relation.BoolOID, relation.Bool(true), "t"},
		{relation.ByteaOID, relation.Text("\x01\xab"), `\x01ab`},
		{relation.UUIDOID, relation.Text("\x12\x34\x56\x78\x9a\xbc\xde\xf0\x12\x34\x56\x78\x9a\xbc\xde\xf0"), "12345678-9abc-def0-1234-56789abcdef0"},
		{relation.DateOID, relation.Int(-1), "1999-12-31"},
		{relation.TimestampOID, relation.Int(-1), "1999-12-31 23:59:59.999999"},
		{relation.TimestampOID, relation.Int(86_400e6 + 500_000), "2000-01-02 00:00:00.5"},
	} {
		if got, known := textOf(test.oid, test.value); !known || got != test.want {
			t.Errorf("type %d: %q, %v, want %q", test.oid, got, known, test.want)
		}
	}
}

// TestRandomHistories runs random changes, savepoints and commits on a table with a key against a map.
func TestRandomHistories(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { runHistory(t, seed) })
	}
}
