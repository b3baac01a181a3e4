package pgcatalog

import (
	"context"
	"errors"
	"testing"
	"time"

	"moraine/relation"
	"moraine/role"
	"moraine/sqlmap/function"
	"moraine/sqlmap/setting"
)

// tables is a transaction that has definitions only.
type tables struct {
	relation.Transaction
	schemas     []relation.SchemaInfo
	definitions []*relation.Definition
	listed      int
}

func (t *tables) Schemas(context.Context) ([]relation.SchemaInfo, error) { return t.schemas, nil }

func (t *tables) Definitions(_ context.Context, schema string) ([]*relation.Definition, error) {
	t.listed++
	var found []*relation.Definition
	for _, definition := range t.definitions {
		if definition.Schema == schema {
			found = append(found, definition)
		}
	}
	return found, nil
}

func (t *tables) Relation(_ context.Context, schema, name string) (relation.Relation, error) {
	for _, definition := range t.definitions {
		if definition.Schema == schema && definition.Name == name {
			return table{definition: definition}, nil
		}
	}
	return nil, nil
}

type table struct {
	relation.Relation
	definition *relation.Definition
}

func (t table) Definition() *relation.Definition { return t.definition }

type databases struct{ relation.Instance }

func (databases) Databases(context.Context) ([]relation.DatabaseInfo, error) {
	return []relation.DatabaseInfo{{OID: 16400, Name: "moraine"}}, nil
}

func newCatalog() (*Catalog, *tables) {
	transaction := &tables{
		schemas: []relation.SchemaInfo{{OID: 2200, Name: "public"}, {OID: 20000, Name: relation.TemporarySchema, Temporary: true}},
		definitions: []*relation.Definition{
			{
				OID: 16500, Schema: "public", Name: "tt", Kind: relation.Table, Persistence: relation.Permanent, Comment: "a table",
				Columns: []relation.Column{
					{Name: "a", Type: relation.Int4Type, NotNull: true, Number: 1},
					{Name: "b", Type: relation.TextType, Number: 2, Default: "'x'", Comment: "a column"},
					{Name: "c", Type: relation.Type{OID: 1015, Modifier: 9}, Number: 3},
					{Name: "d", Type: relation.Type{OID: relation.NumericOID, Modifier: 327686}, NotNull: true, Number: 4},
				},
				Constraints: []relation.Constraint{
					{Name: "tt_pkey", Kind: relation.PrimaryKey, Columns: []int{0}}, {Name: "tt_b_d_key", Kind: relation.Unique, Columns: []int{1, 3}},
				},
			},
			{
				OID: 16600, Schema: relation.TemporarySchema, Name: "own", Kind: relation.Table, Persistence: relation.Temporary,
				Columns: []relation.Column{{Name: "x", Type: relation.Int8Type, Number: 1}},
			},
		},
	}
	return New(&Environment{
		Roles: someRoles(), Owner: "me",
		Transaction: transaction, Instance: databases{}, Database: relation.DatabaseInfo{OID: 16400, Name: "moraine"}, User: "me",
		Settings: setting.New(nil),
		Statements: func() []PreparedStatement {
			return []PreparedStatement{{Name: "s", Text: "select 1", Prepared: time.Now(), Parameters: []uint32{23}}}
		},
		Cursors:  func() []OpenCursor { return []OpenCursor{{Name: "c", Text: "declare", Created: time.Now()}} },
		Backends: func() []Backend { return []Backend{{ProcessID: 7, User: "me", State: "active", Started: time.Now()}} },
	}), transaction
}

// someRoles is a server with a role in another, and default privileges for it.
func someRoles() *role.State {
	state, err := role.New().Current().Apply([]role.Change{func(draft *role.Draft) error {
		return errors.Join(
			draft.CreateRole(role.Role{Name: "readers", Inherit: true}),
			draft.CreateRole(role.Role{Name: "ada", Login: true}),
			draft.AddMember(role.Membership{Role: "readers", Member: "ada"}),
			draft.GrantDefault(role.DefaultKey{Database: "moraine"}, role.Grant{Grantees: []string{"readers"}, Privileges: role.Select}))
	}})
	if err != nil {
		panic(err)
	}
	return state
}

// rowsOf scans a relation whole and gives its rows as text, values joined by "|".
func rowsOf(t *testing.T, catalog *Catalog, schema, name string, predicates ...relation.Predicate) []string {
	t.Helper()
	found := catalog.Relation(schema, name)
	columns := found.Definition().Columns
	request := relation.ScanRequest{Predicates: predicates}
	for i := range columns {
		request.Columns = append(request.Columns, i)
	}
	cursor, err := found.Scan(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	defer cursor.Close()
	var rows []string
	for {
		batch, err := cursor.Next(context.Background())
		if err != nil {
			t.Fatalf("%s.%s: %v", schema, name, err)
		}
		if batch == nil {
			return rows
		}
		for i := range batch.Length {
			line := ""
			for j, value := range batch.Row(i) {
				if j > 0 {
					line += "|"
				}
				switch columns[j].Type.OID {
				case relation.RegprocOID:
					line += function.ToText(relation.OIDType, value, &utc)
				default:
					line += function.ToText(columns[j].Type, value, &utc)
				}
			}
			rows = append(rows, line)
		}
	}
}

func equalTo(schema, name, column string, values ...relation.Value) relation.Predicate {
	return relation.Predicate{Column: Definition(schema, name).Ordinal(column), Comparison: relation.In, Values: values}
}

// The rows are those that PostgreSQL 15 gives for the same table, but for OIDs, and for xids and the kind of node tree.
func TestRowsOfATable(t *testing.T) {
	catalog, _ := newCatalog()
	oid := relation.Int(16500)
	for _, test := range []struct {
		name, column string
		value        relation.Value
		want         []string
	}{
		{"pg_class", "relname", relation.Text("tt"), []string{
			"16500|tt|2200|67125364|0|10|2|16500|0|0|-1|0|0|t|f|p|r|4|0|f|f|f|f|f|t|d|f|0|1|1|||",
		}},
		{"pg_class", "oid", relation.Int(int64(relation.ConstraintOID(16500, 1))), []string{
			"134234228|tt_b_d_key|2200|0|0|10|403|134234228|0|0|0|0|0|f|f|p|i|2|0|f|f|f|f|f|t|n|f|0|0|0|||",
		}},
		{"pg_index", "indrelid", oid, []string{
			"67125364|16500|1|1|t|f|t|f|t|f|t|f|t|t|f|1|0|1978|0||",
			"134234228|16500|2|2|t|f|f|f|t|f|t|f|t|t|f|2 4|100 0|3126 3125|0 0||",
		}},
		{"pg_constraint", "conrelid", oid, []string{
			"67125364|tt_pkey|2200|p|f|f|t|16500|0|67125364|0|0| | | |t|0|t|{1}|||||||",
			"134234228|tt_b_d_key|2200|u|f|f|t|16500|0|134234228|0|0| | | |t|0|t|{2,4}|||||||",
		}},
		{"pg_indexes", "tablename", relation.Text("tt"), []string{
			"public|tt|tt_pkey||CREATE UNIQUE INDEX tt_pkey ON public.tt USING btree (a)",
			"public|tt|tt_b_d_key||CREATE UNIQUE INDEX tt_b_d_key ON public.tt USING btree (b, d)",
		}},
		{"pg_attrdef", "adrelid", oid, []string{"201343092|16500|2|'x'"}},
		{"pg_description", "objoid", oid, []string{"16500|1259|0|a table", "16500|1259|2|a column"}},
		{"pg_type", "typrelid", oid, []string{
			"67125364|tt|2200|10|-1|f|c|C|f|t|,|16500|0|0|134234228|2290|2291|2402|2403|0|0|0|d|x|f|0|-1|0|0|||",
		}},
		{"pg_tables", "tablename", relation.Text("own"), []string{"pg_temp_1|own|me||f|f|f|f"}},
	} {
		got := rowsOf(t, catalog, Schema, test.name, equalTo(Schema, test.name, test.column, test.value))
		if !equal(got, test.want) {
			t.Errorf("%s:\n got %q\nwant %q", test.name, got, test.want)
		}
	}
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestColumnsOfATable(t *testing.T) {
	catalog, _ := newCatalog()
	got := rowsOf(t, catalog, Schema, "pg_attribute", equalTo(Schema, "pg_attribute", "attrelid", relation.Int(16500)),
		relation.Predicate{Column: 5, Comparison: relation.Greater, Values: []relation.Value{relation.Int(1)}})
	want := []string{
		"16500|b|25|-1|-1|2|0|-1|-1|f|i|x||f|t|f|||f|t|0|100||||",
		"16500|c|1015|-1|-1|3|1|-1|9|f|i|x||f|f|f|||f|t|0|100||||",
		"16500|d|1700|-1|-1|4|0|-1|327686|f|i|m||t|f|f|||f|t|0|0||||",
		"134234228|d|1700|-1|-1|2|0|-1|327686|f|i|m||f|f|f|||f|t|0|0||||",
	}
	if len(got) != len(want)-1 || !equal(got, want[:3]) {
		t.Errorf("got %q\nwant %q", got, want[:3])
	}
}

func TestEveryRelationCanBeScanned(t *testing.T) {
	catalog, _ := newCatalog()
	for _, known := range recorded().list {
		schema, name := known.definition.Schema, known.definition.Name
		rows := rowsOf(t, catalog, schema, name)
		if builders[schema+"."+name] != nil && len(rows) == 0 {
			t.Errorf("%s.%s has no rows", schema, name)
		}
	}
}

func TestColumnsThatAreNotNullAreNot(t *testing.T) {
	catalog, _ := newCatalog()
	for _, known := range recorded().list {
		for i, column := range known.definition.Columns {
			if !column.NotNull {
				continue
			}
			rows := rowsOf(t, catalog, known.definition.Schema, known.definition.Name, relation.Predicate{Column: i, Comparison: relation.IsNull})
			if len(rows) > 0 {
				t.Errorf("%s.%s has NULL: %s", known.definition.Name, column.Name, rows[0])
			}
		}
	}
}

func TestEveryBuilderHasARelation(t *testing.T) {
	for name := range builders {
		if recorded().byName[name] == nil {
			t.Errorf("there is no relation %s", name)
		}
	}
}

func TestLookingForOneNameListsNoTables(t *testing.T) {
	catalog, transaction := newCatalog()
	tablesOnly := relation.Predicate{
		Column: Definition(Schema, "pg_class").Ordinal("relkind"), Comparison: relation.In,
		Values: []relation.Value{relation.Text("r"), relation.Text("v")},
	}
	got := rowsOf(t, catalog, Schema, "pg_class", equalTo(Schema, "pg_class", "relname", relation.Text("missing")), tablesOnly)
	if len(got) != 0 || transaction.listed != 0 {
		t.Errorf("got %q after listing the tables %d times", got, transaction.listed)
	}
}

func TestIdentitiesNameTheSameRowsInEachScan(t *testing.T) {
	catalog, _ := newCatalog()
	classes := catalog.Relation(Schema, "pg_class")
	request := relation.ScanRequest{
		Columns: []int{1}, WithIdentities: true,
		Predicates: []relation.Predicate{equalTo(Schema, "pg_class", "relname", relation.Text("tt"))},
	}
	first := identities(t, classes, request)
	if len(first) != 1 {
		t.Fatalf("got identities %v", first)
	}
	again := identities(t, classes, relation.ScanRequest{Columns: []int{1}, WithIdentities: true, Identities: first})
	if len(again) != 1 || again[0] != first[0] {
		t.Errorf("got identities %v, then %v", first, again)
	}
}

func identities(t *testing.T, from relation.Relation, request relation.ScanRequest) []relation.RowIdentity {
	t.Helper()
	cursor, err := from.Scan(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	defer cursor.Close()
	batch, err := cursor.Next(context.Background())
	if err != nil || batch == nil {
		t.Fatal(batch, err)
	}
	return append([]relation.RowIdentity(nil), batch.Identities...)
}
