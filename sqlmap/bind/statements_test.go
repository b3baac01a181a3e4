package bind_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/function"
	"moraine/sqlmap/parse"
	"moraine/sqlmap/plan"
)

// emptyTable is a relation.Writable without rows.
type emptyTable struct{ definition *relation.Definition }

func (e emptyTable) Definition() *relation.Definition { return e.definition }
func (e emptyTable) Scan(context.Context, relation.ScanRequest) (relation.Cursor, error) {
	return noRows{}, nil
}
func (e emptyTable) Insert(context.Context, []relation.Row) error                     { return nil }
func (e emptyTable) Update(context.Context, relation.RowIdentity, relation.Row) error { return nil }
func (e emptyTable) Delete(context.Context, relation.RowIdentity) (bool, error)       { return true, nil }

type noRows struct{}

func (noRows) Next(context.Context) (*relation.Batch, error) { return nil, nil }
func (noRows) Close()                                        {}

// catalogTables are the columns of pg_catalog that DuckDB's introspection reads.
const catalogTables = `pg_namespace oid:oid nspname:name
pg_class oid:oid relname:name relnamespace:oid relkind:char relpages:int4
pg_attribute attrelid:oid attname:name atttypid:oid attnum:int2 atttypmod:int4 attndims:int4 attnotnull:bool attisdropped:bool
pg_type oid:oid typname:name typnamespace:oid typtype:char typrelid:oid
pg_description objoid:oid objsubid:int4 description:text
pg_constraint oid:oid conrelid:oid contype:char conkey:_int2
pg_enum enumtypid:oid enumsortorder:float4 enumlabel:name
pg_indexes schemaname:name tablename:name indexname:name
pg_settings name:text setting:text`

// lake is an environment with the tables of a lake, as the statements of DuckLake's test suite expect them.
type lake struct {
	tables    map[string]*relation.Definition
	functions function.Context
}

func newLake(t testing.TB, statements string) *lake {
	t.Helper()
	l := &lake{tables: map[string]*relation.Definition{}, functions: function.Context{Format: function.DefaultFormat()}}
	raw, err := os.ReadFile("testdata/ducklake_columns.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(strings.SplitN(string(raw), "\n", 2)[1]) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		of, err := function.ParseTypeName(strings.ToLower(fields[2]))
		if err != nil {
			t.Fatal(err)
		}
		l.add(fields[0], fields[1], of)
	}
	for line := range strings.Lines(catalogTables) {
		fields := strings.Fields(line)
		for _, field := range fields[1:] {
			name, of, _ := strings.Cut(field, ":")
			l.add(fields[0], name, relation.Type{OID: function.TypeByName(of).OID, Modifier: -1})
		}
	}
	l.addInlined(statements)
	return l
}

func (l *lake) add(table, column string, of relation.Type) {
	definition := l.tables[table]
	if definition == nil {
		definition = &relation.Definition{OID: uint32(16384 + len(l.tables)), Schema: "public", Name: table, Kind: relation.Table}
		l.tables[table] = definition
	}
	if definition.Ordinal(column) < 0 {
		definition.Columns = append(definition.Columns, relation.Column{Name: column, Type: of, Number: int16(len(definition.Columns) + 1)})
	}
}

var (
	inlinedName      = regexp.MustCompile(`ducklake_inlined_data_\d+_\d+|ducklake_inlined_delete_\d+|update_data_[-0-9a-f]+`)
	quotedIdentifier = regexp.MustCompile(`"(\w+)"`)
)

// addInlined adds inlined tables and DuckDB's temporary ones, with all the columns that the statements name.
func (l *lake) addInlined(statements string) {
	for _, statement := range strings.Split(statements, "\n\n") {
		for _, name := range inlinedName.FindAllString(statement, -1) {
			for _, column := range []string{"row_id", "begin_snapshot", "end_snapshot"} {
				l.add(name, column, relation.Int8Type)
			}
			l.add(name, "file_id", relation.Int8Type)
			l.add(name, "mapping_id", relation.Int8Type)
			l.add(name, "__page_id_string", relation.VarcharType)
			for _, column := range quotedIdentifier.FindAllStringSubmatch(statement, -1) {
				l.add(name, column[1], relation.VarcharType)
			}
			for i := range 100 {
				l.add(name, "further"+string(rune('a'+i%26))+string(rune('a'+i/26)), relation.VarcharType)
			}
		}
	}
}

func (l *lake) Relation(_ context.Context, _, name string) (relation.Relation, error) {
	if definition, ok := l.tables[name]; ok {
		return emptyTable{definition}, nil
	}
	return nil, nil
}

func (l *lake) Function(context.Context, string, string) (*relation.TableFunction, error) {
	return nil, nil
}

func (l *lake) FunctionContext() *function.Context { return &l.functions }

// TestDuckLakeStatementsBindAndPlan binds and plans each shape of statement that DuckLake's test suite sends.
func TestDuckLakeStatementsBindAndPlan(t *testing.T) {
	raw, err := os.ReadFile("testdata/statements.sql")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	l := newLake(t, string(raw))
	bound := 0
	for _, text := range strings.Split(strings.TrimSpace(string(raw)), "\n\n") {
		statements, err := parse.Parse(text)
		if err != nil {
			t.Errorf("%s\n%v", text, err)
			continue
		}
		for _, statement := range statements {
			if copied := statement.Tree.GetCopyStmt(); copied != nil {
				statement = statement.Inner(copied.Query)
			}
			if statement.Tree.GetDiscardStmt() != nil || statement.Tree.GetTransactionStmt() != nil {
				continue
			}
			made, err := bind.Bind(ctx, l, statement, nil)
			if err != nil {
				t.Errorf("%s\n%v", text, err)
				continue
			}
			if _, err := plan.Build(ctx, made); err != nil {
				t.Errorf("%s\n%v", text, err)
			}
			bound++
		}
	}
	if bound < 500 {
		t.Errorf("only %d statements were bound", bound)
	}
}

func BenchmarkBindAndPlanScan(b *testing.B) {
	l := newLake(b, "")
	ctx := context.Background()
	statements, err := parse.Parse(`SELECT "table_id", "begin_snapshot", "end_snapshot", "schema_id", "table_uuid", "table_name", "path", "path_is_relative" FROM "public"."ducklake_table" WHERE "begin_snapshot" <= '3'`)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		made, err := bind.Bind(ctx, l, statements[0], nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := plan.Build(ctx, made); err != nil {
			b.Fatal(err)
		}
	}
}
