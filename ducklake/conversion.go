package ducklake

import (
	"context"

	"moraine/overlay"
	"moraine/relation"
)

// conversion brings rows of one definition of a table into the form of another. Columns are the same when their numbers
// are.
type conversion struct {
	from  []int        // by new ordinal: the old one, or -1
	added relation.Row // by new ordinal: what a row without the column has
}

func newConversion(before, after *tableDefinition) *conversion {
	conversion := &conversion{added: make(relation.Row, len(after.definition.Columns))}
	for i, column := range after.definition.Columns {
		conversion.from = append(conversion.from, -1)
		for j := range before.definition.Columns {
			if before.definition.Columns[j].Number == column.Number {
				conversion.from[i] = j
			}
		}
		conversion.added[i] = after.fill[column.Number]
	}
	return conversion
}

func (c *conversion) row(row relation.Row) relation.Row {
	converted := make(relation.Row, len(c.from))
	for i, from := range c.from {
		converted[i] = c.added[i]
		if from >= 0 {
			converted[i] = row[from]
		}
	}
	return converted
}

// convertedBase shows a base under another definition.
type convertedBase struct {
	overlay.Base
	convert *conversion
}

// Get implements overlay.Base.
func (b convertedBase) Get(ctx context.Context, key string) (relation.Row, bool, error) {
	row, found, err := b.Base.Get(ctx, key)
	if err != nil || !found {
		return nil, false, err
	}
	return b.convert.row(row), true, nil
}

// Scan implements overlay.Base.
func (b convertedBase) Scan(ctx context.Context, request relation.ScanRequest, withKeys bool) (overlay.BaseCursor, error) {
	inner := relation.ScanRequest{}
	cursor := &convertedCursor{places: make([]int, len(request.Columns)), added: make(relation.Row, len(request.Columns))}
	for i, column := range request.Columns {
		cursor.places[i] = -1
		if from := b.convert.from[column]; from >= 0 {
			cursor.places[i] = len(inner.Columns)
			inner.Columns = append(inner.Columns, from)
		} else {
			cursor.added[i] = b.convert.added[column]
		}
	}
	for _, predicate := range request.Predicates {
		if predicate.Column = b.convert.from[predicate.Column]; predicate.Column >= 0 {
			inner.Predicates = append(inner.Predicates, predicate)
		}
	}
	var err error
	cursor.BaseCursor, err = b.Base.Scan(ctx, inner, withKeys)
	return cursor, err
}

type convertedCursor struct {
	overlay.BaseCursor
	places []int // by column asked for: its place in the inner batch, or -1
	added  relation.Row
	batch  overlay.BaseBatch
}

// Next implements overlay.BaseCursor.
func (c *convertedCursor) Next(ctx context.Context) (*overlay.BaseBatch, error) {
	inner, err := c.BaseCursor.Next(ctx)
	if err != nil || inner == nil {
		return nil, err
	}
	c.batch.Reset(len(c.places))
	for i := range inner.Length {
		from, to := inner.Row(i), c.batch.Append()
		for j, place := range c.places {
			to[j] = c.added[j]
			if place >= 0 {
				to[j] = from[place]
			}
		}
	}
	c.batch.Keys = append(c.batch.Keys, inner.Keys...)
	return &c.batch, nil
}
