package sqlmap

import (
	"context"

	"moraine/relation"
	"moraine/sqlmap/bind"
)

// rowList gives rows that are in memory already.
type rowList struct {
	rows  []relation.Row
	width int
	batch relation.Batch
}

// rowsPerBatch is how many rows a batch of a rowList has at most.
const rowsPerBatch = 1024

// Next gives the next batch, nil at the end.
func (l *rowList) Next(context.Context) (*relation.Batch, error) {
	if len(l.rows) == 0 {
		return nil, nil
	}
	count := min(len(l.rows), rowsPerBatch)
	l.batch.Reset(l.width)
	for _, row := range l.rows[:count] {
		copy(l.batch.Append(), row)
	}
	l.rows = l.rows[count:]
	return &l.batch, nil
}

// Close has nothing to give up.
func (l *rowList) Close() {}

// textCommand makes a command that gives rows of text.
func textCommand(names []string, rows func([]relation.Value) ([]relation.Row, error), tag func(int) string) *command {
	columns := make([]bind.SourceColumn, len(names))
	for i, name := range names {
		columns[i] = bind.SourceColumn{Name: name, Type: relation.TextType}
	}
	return &command{columns: columns, run: func(arguments []relation.Value) (*result, error) {
		list, err := rows(arguments)
		if err != nil {
			return nil, err
		}
		return &result{rows: &rowList{rows: list, width: len(names)}, tag: tag}, nil
	}}
}
