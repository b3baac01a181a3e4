package ducklake

import (
	"context"

	"moraine/ducklake/guard"
	"moraine/overlay"
	"moraine/relation"
)

var _ overlay.FunctionSource = (*transaction)(nil)

// guardsFunction is moraine_guards(): the rules that commits are held to.
var guardsFunction = &relation.TableFunction{
	Name: "moraine_guards",
	Columns: []relation.Column{
		{Name: "rule", Type: relation.TextType, NotNull: true, Number: 1},
		{Name: "sqlstate", Type: relation.TextType, NotNull: true, Number: 2},
		{Name: "retryable", Type: relation.BoolType, NotNull: true, Number: 3},
		{Name: "description", Type: relation.TextType, NotNull: true, Number: 4},
		{Name: "hint", Type: relation.TextType, NotNull: true, Number: 5},
	},
	Call: func(context.Context, []relation.Value) (relation.Cursor, error) {
		var rows []relation.Row
		for _, rule := range guard.Rules() {
			rows = append(rows, relation.Row{
				relation.Text(rule.Name), relation.Text(rule.Code), relation.Bool(rule.Retryable),
				relation.Text(rule.Description), relation.Text(rule.Hint),
			})
		}
		return relation.NewRowCursor(len(rows[0]), rows), nil
	},
}

// Function implements overlay.FunctionSource.
func (t *transaction) Function(name string) *relation.TableFunction {
	if name == guardsFunction.Name {
		return guardsFunction
	}
	return nil
}
