package execute

import (
	"sync"

	"moraine/pgerror"
	"moraine/relation"
)

// MaximumMemory bounds the bytes of rows that one execution keeps for sorts, joins, groups and changes.
const MaximumMemory = 256 << 20

// valueBytes is the size of a relation.Value without its text.
const valueBytes = 32

// keep accounts for bytes that stay until the end of the execution or until release.
func (r *run) keep(bytes int64) error {
	r.memory += bytes
	if r.memory > MaximumMemory {
		return pgerror.New(pgerror.OutOfMemory, "out of memory").
			WithDetail("The statement keeps more than %d MB of rows.", MaximumMemory>>20).
			WithHint("Sort, group or join fewer rows, or fetch them in parts.")
	}
	return nil
}

func (r *run) release(bytes int64) { r.memory -= bytes }

func rowBytes(row []relation.Value) int64 {
	bytes := int64(len(row)) * valueBytes
	for i := range row {
		bytes += int64(len(row[i].Text()))
	}
	return bytes
}

// rowStore keeps rows of one width.
type rowStore struct {
	run    *run
	width  int
	values []relation.Value // of the chunk that is being filled
	rows   []relation.Row
	bytes  int64
}

// chunkValues is how many values a chunk of a rowStore has room for.
const chunkValues = 1024

func newRowStore(r *run, width int) *rowStore { return &rowStore{run: r, width: width} }

// add keeps a copy of a row.
func (s *rowStore) add(row []relation.Value) error {
	if cap(s.values)-len(s.values) < s.width {
		s.values = make([]relation.Value, 0, max(chunkValues, s.width))
		if len(s.rows) == 0 {
			s.values = make([]relation.Value, 0, max(16*s.width, 1))
		}
	}
	start := len(s.values)
	s.values = append(s.values, row[:s.width]...)
	s.rows = append(s.rows, s.values[start:len(s.values):len(s.values)])
	bytes := rowBytes(row)
	s.bytes += bytes
	return s.run.keep(bytes)
}

// clear gives the memory back.
func (s *rowStore) clear() {
	s.run.release(s.bytes)
	s.values, s.rows, s.bytes = nil, nil, 0
}

// addAll keeps all rows of an operator, which it opens and closes.
func (s *rowStore) addAll(input operator) error {
	if err := input.open(); err != nil {
		return err
	}
	defer input.close()
	for {
		batch, err := input.next()
		if err != nil || batch == nil {
			return err
		}
		if err := s.run.cancelled(); err != nil {
			return err
		}
		for i := range batch.Length {
			if err := s.add(batch.Row(i)); err != nil {
				return err
			}
		}
	}
}

// storeReader gives the rows of a store batch by batch.
type storeReader struct {
	rows  []relation.Row
	width int
	at    int
	batch relation.Batch
}

func (s *storeReader) next() *relation.Batch {
	if s.at >= len(s.rows) {
		return nil
	}
	s.batch.Reset(s.width)
	for s.at < len(s.rows) && s.batch.Length < batchRows {
		appendRow(&s.batch, s.rows[s.at])
		s.at++
	}
	return &s.batch
}

// appendRow adds a copy of a row to a batch of its width.
func appendRow(batch *relation.Batch, row []relation.Value) {
	batch.Values = append(batch.Values, row...)
	batch.Length++
}

// maximumPooledValues is how many values a batch may have room for that is kept for later executions.
const maximumPooledValues = 1 << 16

// valuePool keeps the memory of batches between executions: a batch of a join has room for thousands of values, and each
// operator of a plan fills one of its own.
var valuePool = sync.Pool{New: func() any { return new(pooledValues) }}

type pooledValues struct{ values []relation.Value }

// loan is memory of the pool that a batch of an operator uses.
type loan struct {
	batch  *relation.Batch
	pooled *pooledValues
}

// lend gives the batch of an operator memory of the pool until the end of the execution.
func (r *run) lend(batch *relation.Batch) {
	pooled := valuePool.Get().(*pooledValues)
	batch.Values = pooled.values[:0]
	r.loans = append(r.loans, loan{batch, pooled})
}

// takeBack ends all loans. Nobody may use a batch of the execution any more.
func (r *run) takeBack() {
	for _, lent := range r.loans {
		if cap(lent.batch.Values) <= maximumPooledValues {
			lent.pooled.values = lent.batch.Values[:0]
			valuePool.Put(lent.pooled)
		}
		*lent.batch = relation.Batch{}
	}
	r.loans = nil
}
