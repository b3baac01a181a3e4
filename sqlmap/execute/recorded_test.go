package execute_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/jackc/pgx/v5/pgconn"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/execute"
	"moraine/sqlmap/function"
	"moraine/sqlmap/parse"
	"moraine/sqlmap/plan"
)

// record names a PostgreSQL 15 whose answers replace those in testdata:
//
//	go test ./sqlmap/execute -run TestRecorded -record 'host=/tmp port=5499 user=postgres dbname=postgres'
var record = flag.String("record", "", "connection string of a PostgreSQL 15 to record the expected results from")

// block is one statement of a file and the answer that is expected.
//
// A file is blocks divided by empty lines: the lines of a statement, a line "----", the lines of the answer. A statement
// that begins with "-- unordered" gives rows in any order.
type block struct {
	statement string
	answer    []string
}

func readBlocks(t *testing.T, path string) []block {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []block
	for _, text := range strings.Split(strings.TrimSpace(string(raw)), "\n\n") {
		statement, answer, _ := strings.Cut(text, "\n----\n")
		statement = strings.TrimSuffix(statement, "\n----")
		blocks = append(blocks, block{statement, strings.Split(answer, "\n")})
	}
	return blocks
}

func writeBlocks(t *testing.T, path string, blocks []block) {
	t.Helper()
	var text strings.Builder
	for i, block := range blocks {
		if i > 0 {
			text.WriteString("\n")
		}
		fmt.Fprintf(&text, "%s\n----\n%s\n", block.statement, strings.Join(block.answer, "\n"))
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestRecorded compares statements with the answers of PostgreSQL 15 in testdata.
func TestRecorded(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.sql")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files in testdata: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".sql"), func(t *testing.T) {
			blocks := readBlocks(t, path)
			if *record != "" {
				recordBlocks(t, blocks)
				writeBlocks(t, path, blocks)
				return
			}
			tables := newTables()
			for _, block := range blocks {
				got := tables.answer(block.statement)
				if strings.HasPrefix(block.statement, "-- unordered") {
					sortRows(got)
					sortRows(block.answer)
				}
				if strings.Join(got, "\n") != strings.Join(block.answer, "\n") {
					t.Errorf("%s\n-- got\n%s\n-- PostgreSQL\n%s\n", block.statement, strings.Join(got, "\n"), strings.Join(block.answer, "\n"))
				}
			}
		})
	}
}

// sortRows sorts an answer's rows; the first line describes the columns.
func sortRows(answer []string) {
	if len(answer) > 1 {
		sort.Strings(answer[1:])
	}
}

func recordBlocks(t *testing.T, blocks []block) {
	t.Helper()
	ctx := context.Background()
	connection, err := pgconn.Connect(ctx, *record)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(ctx)
	const prepare = "DROP SCHEMA IF EXISTS recorded CASCADE; CREATE SCHEMA recorded; SET search_path = recorded; SET TimeZone = 'UTC'"
	if _, err := connection.Exec(ctx, prepare).ReadAll(); err != nil {
		t.Fatal(err)
	}
	for i := range blocks {
		blocks[i].answer = nil
		results := connection.Exec(ctx, blocks[i].statement)
		for results.NextResult() {
			reader := results.ResultReader()
			fields := append([]pgconn.FieldDescription(nil), reader.FieldDescriptions()...)
			result := reader.Read()
			result.FieldDescriptions = fields
			if result.Err == nil {
				blocks[i].answer = append(blocks[i].answer, recordedResult(result)...)
			}
		}
		if err := results.Close(); err != nil {
			blocks[i].answer = recordedError(t, err)
		}
	}
	if _, err := connection.Exec(ctx, "DROP SCHEMA recorded CASCADE").ReadAll(); err != nil {
		t.Fatal(err)
	}
}

func recordedResult(result *pgconn.Result) []string {
	if len(result.FieldDescriptions) == 0 {
		tag := result.CommandTag
		if tag.Insert() || tag.Update() || tag.Delete() {
			return []string{fmt.Sprintf("%d rows", tag.RowsAffected())}
		}
		return []string{"done"}
	}
	var columns []string
	for _, field := range result.FieldDescriptions {
		of := relation.Type{OID: field.DataTypeOID, Modifier: field.TypeModifier}
		columns = append(columns, field.Name+":"+function.FormatType(of))
	}
	lines := []string{strings.Join(columns, " ")}
	for _, row := range result.Rows {
		values := make([]string, len(row))
		for i, value := range row {
			values[i] = "NULL"
			if value != nil {
				values[i] = shown(string(value))
			}
		}
		lines = append(lines, strings.Join(values, "|"))
	}
	return lines
}

// shown keeps a value on one line that is not empty.
func shown(text string) string {
	if text == "" {
		return "''"
	}
	return strings.ReplaceAll(text, "\n", "\\n")
}

func recordedError(t *testing.T, err error) []string {
	t.Helper()
	var failure *pgconn.PgError
	if !errors.As(err, &failure) {
		t.Fatal(err)
	}
	return errorLines(&pgerror.Error{Code: failure.Code, Message: failure.Message, Detail: failure.Detail, Hint: failure.Hint,
		Position: int(failure.Position)})
}

func errorLines(failure *pgerror.Error) []string {
	lines := []string{"ERROR " + failure.Code + ": " + failure.Message}
	if failure.Position > 0 {
		lines = append(lines, fmt.Sprintf("at %d", failure.Position))
	}
	if failure.Detail != "" {
		lines = append(lines, "DETAIL "+failure.Detail)
	}
	if failure.Hint != "" {
		lines = append(lines, "HINT "+failure.Hint)
	}
	return lines
}

// tables is a database in memory: an environment to bind in.
type tables struct {
	byName    map[string]*memoryRelation
	functions *function.Context
}

func newTables() *tables {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	functions := &function.Context{TransactionTime: now, StatementTime: now, User: "postgres", Database: "postgres",
		Format: function.DefaultFormat(), Catalog: noCatalog{}}
	return &tables{byName: map[string]*memoryRelation{}, functions: functions}
}

func (t *tables) Relation(_ context.Context, schema, name string) (relation.Relation, error) {
	if found, ok := t.byName[name]; ok && (schema == "" || schema == found.definition.Schema) {
		return found, nil
	}
	return nil, nil
}

func (t *tables) FunctionContext() *function.Context { return t.functions }

// answer runs a statement and writes its result as a file shows it.
func (t *tables) answer(text string) []string {
	lines, err := t.run(text)
	if err != nil {
		return errorLines(pgerror.From(err))
	}
	return lines
}

func (t *tables) run(text string) ([]string, error) {
	ctx := context.Background()
	statements, err := parse.Parse(text)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, statement := range statements {
		if create := statement.Tree.GetCreateStmt(); create != nil {
			lines = append(lines, "done")
			if err := t.create(create); err != nil {
				return nil, err
			}
			continue
		}
		result, err := t.execute(ctx, statement)
		if err != nil {
			return nil, err
		}
		lines = append(lines, result...)
	}
	return lines, nil
}

func (t *tables) execute(ctx context.Context, statement parse.Statement) ([]string, error) {
	bound, err := bind.Bind(ctx, t, statement, nil)
	if err != nil {
		return nil, err
	}
	planned, err := plan.Build(ctx, bound)
	if err != nil {
		return nil, err
	}
	cursor, err := execute.Open(ctx, planned, t.functions, nil)
	if err != nil {
		return nil, err
	}
	defer cursor.Close()
	var columns []string
	for _, column := range bound.Columns {
		columns = append(columns, column.Name+":"+function.FormatType(column.Type))
	}
	lines := []string{strings.Join(columns, " ")}
	for {
		batch, err := cursor.Next(ctx)
		if err != nil {
			return nil, err
		}
		if batch == nil {
			break
		}
		for i := range batch.Length {
			values := make([]string, batch.Width)
			for j, value := range batch.Row(i) {
				values[j] = "NULL"
				if !value.IsNull() {
					values[j] = shown(function.ToText(bound.Columns[j].Type, value, &t.functions.Format))
				}
			}
			lines = append(lines, strings.Join(values, "|"))
		}
	}
	if bound.Kind != bind.Select && bound.Columns == nil {
		return []string{fmt.Sprintf("%d rows", cursor.RowsAffected())}, nil
	}
	return lines, nil
}

// create makes a table out of a CREATE TABLE with column constraints and table constraints.
func (t *tables) create(node *pg_query.CreateStmt) error {
	definition := &relation.Definition{OID: 16384 + uint32(len(t.byName)), Schema: "recorded", Name: node.Relation.Relname, Kind: relation.Table}
	for _, element := range node.TableElts {
		if constraint := element.GetConstraint(); constraint != nil {
			t.constrain(definition, constraint, nil)
			continue
		}
		tree := element.GetColumnDef()
		names := make([]string, len(tree.TypeName.Names))
		for i, name := range tree.TypeName.Names {
			names[i] = name.GetString_().GetSval()
		}
		var modifiers []int32
		for _, modifier := range tree.TypeName.Typmods {
			modifiers = append(modifiers, modifier.GetAConst().GetIval().GetIval())
		}
		of, err := function.ResolveTypeName(names, modifiers, len(tree.TypeName.ArrayBounds))
		if err != nil {
			return err
		}
		column := relation.Column{Name: tree.Colname, Type: of, Number: int16(len(definition.Columns) + 1)}
		definition.Columns = append(definition.Columns, column)
		for _, constraint := range tree.Constraints {
			t.constrain(definition, constraint.GetConstraint(), []string{tree.Colname})
		}
	}
	t.byName[definition.Name] = newMemoryRelation(definition)
	return nil
}

func (t *tables) constrain(definition *relation.Definition, node *pg_query.Constraint, names []string) {
	for _, key := range node.Keys {
		names = append(names, key.GetString_().GetSval())
	}
	added := relation.Constraint{Kind: relation.Unique, Name: definition.Name + "_" + strings.Join(names, "_") + "_key"}
	for _, name := range names {
		added.Columns = append(added.Columns, definition.Ordinal(name))
	}
	switch node.Contype {
	case pg_query.ConstrType_CONSTR_NOTNULL:
		definition.Columns[added.Columns[0]].NotNull = true
		return
	case pg_query.ConstrType_CONSTR_DEFAULT:
		text, err := pg_query.Deparse(&pg_query.ParseResult{Version: 170007, Stmts: []*pg_query.RawStmt{{Stmt: &pg_query.Node{Node: &pg_query.Node_SelectStmt{
			SelectStmt: &pg_query.SelectStmt{TargetList: []*pg_query.Node{{Node: &pg_query.Node_ResTarget{
				ResTarget: &pg_query.ResTarget{Val: node.RawExpr}}}}, LimitOption: pg_query.LimitOption_LIMIT_OPTION_DEFAULT,
				Op: pg_query.SetOperation_SETOP_NONE}}}}}})
		if err != nil {
			panic(err)
		}
		definition.Columns[added.Columns[0]].Default = strings.TrimPrefix(text, "SELECT ")
		return
	case pg_query.ConstrType_CONSTR_PRIMARY:
		added.Kind, added.Name = relation.PrimaryKey, definition.Name+"_pkey"
		for _, column := range added.Columns {
			definition.Columns[column].NotNull = true
		}
		definition.Selective = append(definition.Selective, added.Columns[0])
	}
	definition.Constraints = append(definition.Constraints, added)
}

// noCatalog is a catalog without anything.
type noCatalog struct{}

func (noCatalog) RelationOID(string, string) (uint32, error) { return 0, nil }
func (noCatalog) RelationName(uint32) (schema, name string, visible, ok bool) {
	return "", "", false, false
}
func (noCatalog) Definition(uint32) *relation.Definition { return nil }
func (noCatalog) SchemaOID(string) uint32                { return 0 }
func (noCatalog) SchemaName(uint32) string               { return "" }
func (noCatalog) SearchPath(bool) []string               { return []string{"recorded"} }
func (noCatalog) Setting(string) (string, bool)          { return "", false }
func (noCatalog) SetSetting(string, string, bool) error  { return nil }
func (noCatalog) DatabaseSize(string) (int64, error)     { return 0, nil }
