package pgcatalog

import (
	"context"
	"iter"

	"moraine/relation"
)

// rowsPerBatch is how many rows a batch of a scan has at most: few enough to stay in the processor's cache.
const rowsPerBatch = 128

// builder makes the rows of a relation and gives each to scan.emit until that answers false.
type builder func(ctx context.Context, scan *scan) error

// builders holds the relations that have rows, by "schema.name".
var builders map[string]builder

// sessionRelations holds the relations whose rows tell of the session or the server, not of definitions.
var sessionRelations map[string]bool

func init() {
	builders, sessionRelations = map[string]builder{}, map[string]bool{}
	for _, group := range []map[string]builder{serverBuilders, roleBuilders} {
		for name := range group {
			sessionRelations[Schema+"."+name] = true
		}
	}
	for _, group := range []map[string]builder{tableBuilders, typeBuilders, functionBuilders, fixedBuilders, serverBuilders, roleBuilders} {
		for name, build := range group {
			builders[Schema+"."+name] = build
		}
	}
	for name, build := range informationBuilders {
		builders[InformationSchema+"."+name] = build
	}
}

type catalogRelation struct {
	catalog    *Catalog
	definition *relation.Definition
	rows       builder // nil for a relation without rows
	session    bool    // the rows tell of the session or the server
}

var _ relation.Relation = (*catalogRelation)(nil)

func (r *catalogRelation) Definition() *relation.Definition { return r.definition }

func (r *catalogRelation) Scan(ctx context.Context, request relation.ScanRequest) (relation.Cursor, error) {
	if r.rows == nil {
		return emptyCursor{}, nil
	}
	r.catalog.session = r.catalog.session || r.session
	s := &scan{catalog: r.catalog, definition: r.definition, request: request}
	if request.Identities != nil {
		s.wanted = make(map[relation.RowIdentity]bool, len(request.Identities))
		for _, identity := range request.Identities {
			s.wanted[identity] = true
		}
	}
	s.batch.Reset(len(request.Columns))
	next, stop := iter.Pull2(func(yield func(*relation.Batch, error) bool) {
		s.yield = yield
		if err := r.rows(ctx, s); err != nil {
			yield(nil, err)
			return
		}
		if !s.stopped && s.batch.Length > 0 {
			yield(&s.batch, nil)
		}
	})
	return &cursor{next: next, stop: stop}, nil
}

type emptyCursor struct{}

func (emptyCursor) Next(context.Context) (*relation.Batch, error) { return nil, nil }
func (emptyCursor) Close()                                        {}

// cursor runs the builder as a coroutine, one batch at a time.
type cursor struct {
	next func() (*relation.Batch, error, bool)
	stop func()
}

func (c *cursor) Next(ctx context.Context) (*relation.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	batch, err, ok := c.next()
	if !ok {
		return nil, nil
	}
	return batch, err
}

func (c *cursor) Close() { c.stop() }

// scan is one scan under way.
type scan struct {
	catalog    *Catalog
	definition *relation.Definition
	request    relation.ScanRequest
	wanted     map[relation.RowIdentity]bool // nil: all
	batch      relation.Batch
	identity   relation.RowIdentity
	yield      func(*relation.Batch, error) bool
	stopped    bool
}

// emit adds a row, which has a value for every column, unless the predicates exclude it. It answers false when no more rows
// are wanted.
func (s *scan) emit(row relation.Row) bool {
	if len(row) != len(s.definition.Columns) {
		panic("pgcatalog: a row of " + s.definition.Name + " has another width than the relation")
	}
	identity := s.identity
	s.identity++
	if s.wanted != nil && !s.wanted[identity] {
		return true
	}
	for i := range s.request.Predicates {
		predicate := &s.request.Predicates[i]
		if !predicate.Holds(s.definition.Columns[predicate.Column].Type.OID, row[predicate.Column]) {
			return true
		}
	}
	if s.batch.Length == rowsPerBatch {
		if !s.yield(&s.batch, nil) {
			s.stopped = true
			return false
		}
		s.batch.Reset(len(s.request.Columns))
	}
	target := s.batch.Append()
	for i, column := range s.request.Columns {
		target[i] = row[column]
	}
	if s.request.WithIdentities {
		s.batch.Identities = append(s.batch.Identities, identity)
	}
	return true
}

// keys gives the values that a column must have one of, from the predicates; ok is false when it may have any. A scan that
// deals in row identities must make all rows, so that each has the same identity every time.
func (s *scan) keys(column string) (values []relation.Value, ok bool) {
	if s.request.WithIdentities || s.wanted != nil {
		return nil, false
	}
	ordinal := s.definition.Ordinal(column)
	for i := range s.request.Predicates {
		predicate := &s.request.Predicates[i]
		if predicate.Column == ordinal && (predicate.Comparison == relation.Equal || predicate.Comparison == relation.In) {
			return distinct(predicate.Values), true
		}
	}
	return nil, false
}

func distinct(values []relation.Value) []relation.Value {
	if len(values) < 2 {
		return values
	}
	seen := make(map[relation.Value]bool, len(values))
	var unique []relation.Value
	for _, value := range values {
		if !seen[value] {
			seen[value] = true
			unique = append(unique, value)
		}
	}
	return unique
}

// excludes tells whether the predicates on a column rule the value out.
func (s *scan) excludes(column string, value relation.Value) bool {
	if s.request.WithIdentities || s.wanted != nil {
		return false
	}
	ordinal := s.definition.Ordinal(column)
	for i := range s.request.Predicates {
		predicate := &s.request.Predicates[i]
		if predicate.Column == ordinal && !predicate.Holds(s.definition.Columns[ordinal].Type.OID, value) {
			return true
		}
	}
	return false
}

// tables lists the tables whose rows are wanted: those that the predicates on a column of table OIDs name, else those that
// the predicates on a column of table names name, else all. Either column may be "". Derived OIDs count as their table's.
func (s *scan) tables(ctx context.Context, oidColumn, nameColumn string) ([]*relation.Definition, error) {
	if oidColumn != "" {
		if oids, ok := s.keys(oidColumn); ok {
			return s.tablesByOID(ctx, oids)
		}
	}
	if nameColumn != "" {
		if names, ok := s.keys(nameColumn); ok {
			var found []*relation.Definition
			for _, name := range names {
				named, err := s.catalog.named(ctx, name.Text())
				if err != nil {
					return nil, err
				}
				found = append(found, named...)
			}
			return found, nil
		}
	}
	user, err := s.catalog.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]*relation.Definition, 0, len(user)+len(recorded().list))
	all = append(all, user...)
	for _, known := range recorded().list {
		all = append(all, known.definition)
	}
	return all, nil
}

func (s *scan) tablesByOID(ctx context.Context, oids []relation.Value) ([]*relation.Definition, error) {
	var found []*relation.Definition
	seen := map[uint32]bool{}
	for _, value := range oids {
		oid := uint32(value.Int())
		if table, _, ok := relation.TableOfConstraint(oid); ok {
			oid = table
		}
		if seen[oid] {
			continue
		}
		seen[oid] = true
		definition, err := s.catalog.ByOID(ctx, oid)
		if err != nil {
			return nil, err
		}
		if definition != nil {
			found = append(found, definition)
		}
	}
	return found, nil
}
