package execute_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"moraine/relation"
)

// Function finds the functions of the lakes numbers and public.
func (t *tables) Function(_ context.Context, schema, name string) (*relation.TableFunction, error) {
	if name != "repeated" || schema != "" && schema != "numbers" {
		return nil, nil
	}
	return &relation.TableFunction{
		Name: name,
		Parameters: []relation.Parameter{
			{Name: "word", Type: relation.TextType},
			{Name: "times", Type: relation.Int8Type, Optional: true, Default: relation.Int(2)},
		},
		Columns: []relation.Column{{Name: "place", Type: relation.Int8Type, Number: 1}, {Name: "word", Type: relation.TextType, Number: 2}},
		Call:    repeated,
	}, nil
}

func repeated(_ context.Context, arguments []relation.Value) (relation.Cursor, error) {
	if arguments[0].IsNull() {
		return nil, errors.New("no word")
	}
	rows := make([]relation.Row, arguments[1].Int())
	for i := range rows {
		rows[i] = relation.Row{relation.Int(int64(i + 1)), arguments[0]}
	}
	return relation.NewRowCursor(2, rows), nil
}

func TestFunctionsOfLakes(t *testing.T) {
	lake := newTables()
	tests := []struct{ statement, answer string }{
		{"SELECT * FROM repeated('a')", "1|a, 2|a"},
		{"SELECT r.word, place FROM numbers.repeated('b', 3) r WHERE place > 1 ORDER BY place DESC", "b|3, b|2"},
		{"SELECT count(*) FROM repeated(times => 3000, word => 'c')", "3000"},
		{"SELECT n, word FROM generate_series(1, 2) n, repeated('d' || n, n)", "1|d1, 2|d2, 2|d2"},
		{"SELECT * FROM repeated('e') WITH ORDINALITY", "1|e|1, 2|e|2"},
		{"SELECT * FROM ROWS FROM (repeated('f', 1), generate_series(7, 8))", "1|f|7, NULL|NULL|8"},
		{"SELECT (repeated('g', 1)).word, 1", "g|1"},
		{"SELECT * FROM repeated('h', 0)", ""},
		{"SELECT * FROM repeated()", "function repeated() does not exist"},
		{"SELECT * FROM repeated('a', 1, 2)", "function repeated(unknown, integer, integer) does not exist"},
		{"SELECT * FROM repeated('a', word => 'b')", "function repeated(unknown, word => unknown) does not exist"},
		{"SELECT * FROM repeated('a', true)", "function repeated(unknown, boolean) does not exist"},
		{"SELECT * FROM letters.repeated('a')", "function letters.repeated does not exist"},
		{"SELECT * FROM repeated(NULL)", "no word"},
		{"SELECT 1 WHERE repeated('a') IS NULL", "set-returning functions are not allowed in WHERE"},
	}
	for _, test := range tests {
		lines, err := lake.run(test.statement)
		answer := ""
		if err != nil {
			answer = err.Error()
		} else {
			answer = strings.Join(lines[1:], ", ") // the first names the columns
		}
		if !strings.Contains(answer, test.answer) || (test.answer == "") != (answer == "") {
			t.Errorf("%s\ngives    %s\nexpected %s", test.statement, answer, test.answer)
		}
	}
}
