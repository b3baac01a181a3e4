//go:build slatedb

package faults

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
)

// acknowledgements are the names of the commits that a server has acknowledged.
type acknowledgements struct {
	mutex sync.Mutex
	names map[string]bool
}

func (a *acknowledgements) add(name string) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.names == nil {
		a.names = map[string]bool{}
	}
	a.names[name] = true
}

func (a *acknowledgements) has(name string) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.names[name]
}

func (a *acknowledgements) sorted() []string {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return slices.Sorted(maps.Keys(a.names))
}

// state is what a lake shows of the commits of this package's tests, by their names.
type state struct {
	catalog   bool           // the lake has been made
	snapshots []int          // ids, ascending
	changes   map[string]int // how many rows of ducklake_snapshot_changes bear the name
	files     map[string]int // how many live data files of the name
	ended     map[string]int // how many data files of the name have been ended
	live      bool           // the first table has not been dropped
	pairs     [2]map[string]bool
	findings  []string // of moraine_check
}

// read reads the state of the schema public.
func read(ctx context.Context, client *pgconn.PgConn) (*state, error) {
	r := &reader{ctx: ctx, client: client}
	s := &state{changes: map[string]int{}, files: map[string]int{}, ended: map[string]int{}}
	s.catalog = len(r.rows("SELECT 1 FROM pg_tables WHERE schemaname = 'public' AND tablename = 'ducklake_snapshot'")) > 0
	if s.catalog {
		for _, row := range r.rows("SELECT snapshot_id FROM ducklake_snapshot ORDER BY 1") {
			id, err := strconv.Atoi(row[0])
			if err != nil {
				return nil, err
			}
			s.snapshots = append(s.snapshots, id)
		}
		for _, row := range r.rows("SELECT coalesce(author, '') FROM ducklake_snapshot_changes") {
			s.changes[row[0]]++
		}
		for _, row := range r.rows("SELECT path, end_snapshot IS NULL FROM ducklake_data_file") {
			name, _, _ := strings.Cut(row[0], "/")
			if row[1] == "t" {
				s.files[name]++
			} else {
				s.ended[name]++
			}
		}
		s.live = len(r.rows("SELECT 1 FROM ducklake_table WHERE table_id = 1 AND end_snapshot IS NULL")) > 0
		for _, row := range r.rows("SELECT * FROM moraine_check()") {
			s.findings = append(s.findings, strings.Join(row, " | "))
		}
	}
	for i, table := range []string{"pair_a", "pair_b"} {
		s.pairs[i] = map[string]bool{}
		if len(r.rows(fmt.Sprintf("SELECT 1 FROM pg_tables WHERE schemaname = 'public' AND tablename = '%s'", table))) == 0 {
			continue
		}
		for _, row := range r.rows("SELECT id FROM " + table) {
			s.pairs[i][row[0]] = true
		}
	}
	return s, r.err
}

// reader reads rows as texts, until the first error.
type reader struct {
	ctx    context.Context
	client *pgconn.PgConn
	err    error
}

func (r *reader) rows(statement string) (rows [][]string) {
	if r.err != nil {
		return nil
	}
	results, err := r.client.Exec(r.ctx, statement).ReadAll()
	if err != nil {
		r.err = fmt.Errorf("%s: %w", statement, err)
		return nil
	}
	for _, fields := range results[len(results)-1].Rows {
		row := make([]string, len(fields))
		for i, field := range fields {
			row[i] = string(field)
		}
		rows = append(rows, row)
	}
	return rows
}

// has tells whether anything of a commit is there.
func (s *state) has(name string) bool {
	return s.changes[name] > 0 || s.files[name] > 0 || s.pairs[0][name] || s.pairs[1][name]
}

// problems tells what is half there, or is not there although it was acknowledged. A commit of files has the number of files
// given, one of a pair has none.
func (s *state) problems(acknowledged []string, filesOf map[string]int) (problems []string) {
	report := func(format string, arguments ...any) { problems = append(problems, fmt.Sprintf(format, arguments...)) }
	for _, finding := range s.findings {
		report("check: %s", finding)
	}
	for i, id := range s.snapshots {
		if id != i {
			report("the snapshots are %v", s.snapshots)
			break
		}
	}
	if !maps.Equal(s.pairs[0], s.pairs[1]) {
		report("pair_a has %v, pair_b has %v", slices.Sorted(maps.Keys(s.pairs[0])), slices.Sorted(maps.Keys(s.pairs[1])))
	}
	for name, count := range filesOf {
		if present := s.files[name] + s.ended[name]; present != 0 && present != count {
			report("commit %s has %d of %d files", name, present, count)
		}
		if (s.changes[name] == 1) != (s.files[name]+s.ended[name] == count) {
			report("commit %s has %d rows of changes and %d of %d files", name, s.changes[name], s.files[name]+s.ended[name], count)
		}
	}
	for name, count := range s.changes {
		if count > 1 && name != "" {
			report("commit %s is there %d times", name, count)
		}
	}
	for name, count := range s.ended {
		if s.live || s.files[name] > 0 {
			report("commit %s has %d ended files, and the table is live: %t", name, count, s.live)
		}
	}
	for _, name := range acknowledged {
		if name == genesisName && s.catalog {
			continue
		}
		if !s.has(name) {
			report("commit %s was acknowledged and is lost", name)
		}
	}
	return problems
}
