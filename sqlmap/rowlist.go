package sqlmap

import (
	"context"

	"moraine/pgerror"
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

// add keeps a copy of a row; 54000 when there are too many.
func (l *rowList) add(row relation.Row) error {
	if len(l.rows) >= MaximumKeptRows {
		return tooManyRows()
	}
	l.rows = append(l.rows, append(relation.Row(nil), row...))
	return nil
}

// addAll keeps the rows that a cursor still gives.
func (l *rowList) addAll(ctx context.Context, cursor relation.Cursor) error {
	for {
		batch, err := cursor.Next(ctx)
		if err != nil || batch == nil {
			return err
		}
		for i := range batch.Length {
			if err := l.add(batch.Row(i)); err != nil {
				return err
			}
		}
	}
}

func tooManyRows() error {
	return pgerror.New(pgerror.ProgramLimitExceeded, "a cursor has too many rows to keep").
		WithDetail("At most %d rows are kept, by a cursor that scrolls or is held, or locks rows, or stays open in a READ COMMITTED transaction.",
			MaximumKeptRows).
		WithHint("Read them with one statement, or in a REPEATABLE READ transaction.")
}

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
