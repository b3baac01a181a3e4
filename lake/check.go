package lake

import (
	"context"

	"moraine/check"
	"moraine/relation"
)

// checkFunction is the name of the function that checks a lake.
const checkFunction = "moraine_check"

// checkColumns are the columns of a finding.
var checkColumns = []relation.Column{
	{Name: "rule", Type: relation.TextType, NotNull: true, Number: 1},
	{Name: "severity", Type: relation.TextType, NotNull: true, Number: 2},
	{Name: "catalog_table", Type: relation.TextType, Number: 3},
	{Name: "ids", Type: relation.TextType, Number: 4},
	{Name: "found", Type: relation.TextType, NotNull: true, Number: 5},
	{Name: "remedy", Type: relation.TextType, NotNull: true, Number: 6},
}

// checkFunction is moraine_check(schema): a row for each broken invariant of a lake, the one of the schema that the
// function was found in when none is named. It reads what the statement's snapshot has, without the transaction's own
// writes, which are no records yet.
func (t *Transaction) checkFunction(found string) *relation.TableFunction {
	return &relation.TableFunction{
		Name:       checkFunction,
		Parameters: []relation.Parameter{{Name: "schema", Type: relation.TextType, Optional: true}},
		Columns:    checkColumns,
		Call: func(ctx context.Context, arguments []relation.Value) (relation.Cursor, error) {
			schema := found
			if !arguments[0].IsNull() {
				schema = arguments[0].Text()
			}
			return t.check(ctx, schema)
		},
	}
}

func (t *Transaction) check(ctx context.Context, schema string) (relation.Cursor, error) {
	if err := t.checkOpen(); err != nil {
		return nil, err
	}
	part, err := t.part(ctx, schema)
	if err != nil {
		return nil, err
	}
	if part == nil {
		return nil, unknownSchema(schema)
	}
	reader, err := part.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	findings, err := check.Run(ctx, reader)
	if err != nil {
		return nil, storeError(err)
	}
	rows := make([]relation.Row, len(findings))
	for i, finding := range findings {
		rows[i] = relation.Row{
			relation.Text(finding.Rule.Name), relation.Text(string(finding.Rule.Severity)), textOrNull(finding.Table),
			textOrNull(finding.IDs), relation.Text(finding.Found), relation.Text(finding.Rule.Remedy),
		}
	}
	return relation.NewRowCursor(len(checkColumns), rows), nil
}

func textOrNull(text string) relation.Value {
	if text == "" {
		return relation.NULL
	}
	return relation.Text(text)
}
