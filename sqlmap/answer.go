package sqlmap

import (
	"context"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/relation"
	"moraine/role"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/execute"
	"moraine/sqlmap/parse"
	"moraine/sqlmap/pgcatalog"
	"moraine/sqlmap/recent"
)

// Limits of the answers that are kept.
const (
	maximumGenerationAnswers = 256
	maximumAnswerBytes       = 16 << 20
)

// answers keeps what queries of pg_catalog and information_schema have given. Each DuckDB that attaches a lake asks for the
// columns of all tables, PostgreSQL's own among them, and again for single tables before it writes to them: thousands of
// rows, joined from six relations, that are the same until a definition changes. It is shared by all sessions.
var answers = recent.New[answerKey, *answer](maximumGenerationAnswers, maximumAnswerBytes)

// answerKey is all that the meaning of a query depends on beside definitions. The tree stands for the text.
type answerKey struct {
	tree                 *pg_query.Node
	database, user, path string
	roles                *role.State
}

// answer is the rows of a query, and what they were derived from. It is immutable.
type answer struct {
	dependencies *pgcatalog.Dependencies
	columns      []bind.SourceColumn
	batches      []*relation.Batch
}

// answerKey gives the key of a query; ok is false for one whose answer cannot be kept. Tables of other schemas than
// pg_catalog must not be able to take the names of its relations. A user whose privileges are checked gets an answer of its
// own each time.
func (s *Session) answerKey(statement *parse.Statement, parameterTypes []uint32) (key answerKey, ok bool) {
	path := s.derived.searchPath
	if !statement.Kept() || len(parameterTypes) > 0 || s.restricted() || slices.Contains(path, pgcatalog.Schema) {
		return answerKey{}, false
	}
	return answerKey{statement.Tree, s.database.Name, s.function.User + "\x00" + s.authority.holder.Name, strings.Join(path, "\x00"), s.authority.state}, true
}

// knownAnswer makes a query ready whose answer is known and still holds; nil when there is none.
func (s *Session) knownAnswer(statement *parse.Statement, parameterTypes []uint32) (*command, error) {
	key, ok := s.answerKey(statement, parameterTypes)
	if !ok {
		return nil, nil
	}
	known, ok := answers.Get(key)
	if !ok {
		return nil, nil
	}
	catalog, err := s.pgCatalog()
	if err != nil {
		return nil, err
	}
	if holds, err := known.dependencies.Hold(s.context, catalog); err != nil || !holds {
		return nil, err
	}
	return &command{columns: known.columns, run: func([]relation.Value) (*result, error) {
		s.transaction.queried = true
		return &result{rows: &answerCursor{batches: known.batches}, tag: counted("SELECT")}, nil
	}}, nil
}

// answerCursor gives the rows of an answer, which its reader must leave as they are.
type answerCursor struct{ batches []*relation.Batch }

// Next gives the next batch, nil at the end.
func (c *answerCursor) Next(ctx context.Context) (*relation.Batch, error) {
	if err := ctx.Err(); err != nil || len(c.batches) == 0 {
		return nil, err
	}
	batch := c.batches[0]
	c.batches = c.batches[1:]
	return batch, nil
}

// Close forgets the rows.
func (c *answerCursor) Close() { c.batches = nil }

// record keeps the rows of a query for the next time, if they can be.
func (q *query) record(cursor execute.Cursor) execute.Cursor {
	s := q.session
	key, ok := s.answerKey(&q.statement, q.parameterTypes)
	if !ok || q.readsLake || s.catalog == nil || !q.bound.Reproducible() {
		return cursor
	}
	return &answerRecorder{Cursor: cursor, key: key, catalog: s.catalog, answer: &answer{columns: q.bound.Columns}}
}

// answerRecorder copies the rows that it passes and keeps them when all have been read.
type answerRecorder struct {
	execute.Cursor
	key     answerKey
	catalog *pgcatalog.Catalog
	answer  *answer // nil when there are too many rows
	bytes   int
}

// Next gives the next batch, nil at the end.
func (r *answerRecorder) Next(ctx context.Context) (*relation.Batch, error) {
	batch, err := r.Cursor.Next(ctx)
	switch {
	case err != nil:
		r.answer = nil
	case r.answer == nil:
	case batch != nil:
		r.add(batch)
	default:
		err = r.keep(ctx)
		r.answer = nil
	}
	return batch, err
}

// valueBytes is about what a value takes without its text.
const valueBytes = 32

func (r *answerRecorder) add(batch *relation.Batch) {
	for i := range batch.Values {
		r.bytes += valueBytes + len(batch.Values[i].Text())
	}
	if r.bytes > maximumAnswerBytes {
		r.answer = nil
		return
	}
	copied := &relation.Batch{Width: batch.Width, Length: batch.Length, Values: slices.Clone(batch.Values)}
	r.answer.batches = append(r.answer.batches, copied)
}

func (r *answerRecorder) keep(ctx context.Context) error {
	dependencies, ok, err := r.catalog.Dependencies(ctx)
	if err == nil && ok {
		r.answer.dependencies = dependencies
		answers.Put(r.key, r.answer, r.bytes+answerBytes)
	}
	return err
}

// answerBytes is about what an answer takes beside its rows.
const answerBytes = 1 << 10
