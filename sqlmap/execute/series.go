package execute

import (
	"context"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
)

// seriesCursor is generate_series over integers, row by row: a series may be longer than a list of its rows could be.
type seriesCursor struct {
	next, stop, step int64
	done             bool
	batch            relation.Batch
}

// isIntegerSeries tells whether a function is generate_series over int4 or int8.
func isIntegerSeries(set *function.SetReturning) bool {
	if set.Name != "generate_series" || set.Call != nil {
		return false
	}
	of := set.Columns[0].Type.OID
	return of == relation.Int4OID || of == relation.Int8OID
}

// newSeries starts a series from two or three arguments, none when one is NULL.
func newSeries(arguments []relation.Value) (relation.Cursor, error) {
	series := &seriesCursor{step: 1}
	for _, argument := range arguments {
		series.done = series.done || argument.IsNull()
	}
	series.next, series.stop = arguments[0].Int(), arguments[1].Int()
	if len(arguments) > 2 && !series.done {
		if series.step = arguments[2].Int(); series.step == 0 {
			return nil, pgerror.New(pgerror.InvalidParameterValue, "step size cannot equal zero")
		}
	}
	return series, nil
}

// Next gives the next numbers.
func (s *seriesCursor) Next(ctx context.Context) (*relation.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, pgerror.From(err)
	}
	s.batch.Reset(1)
	for !s.done && s.batch.Length < batchRows {
		if s.step > 0 && s.next > s.stop || s.step < 0 && s.next < s.stop {
			s.done = true
			break
		}
		s.batch.Values = append(s.batch.Values, relation.Int(s.next))
		s.batch.Length++
		following := s.next + s.step
		s.done = (following > s.next) != (s.step > 0) // beyond the range of int8
		s.next = following
	}
	if s.batch.Length == 0 {
		return nil, nil
	}
	return &s.batch, nil
}

// Close ends the series.
func (s *seriesCursor) Close() { s.done = true }
