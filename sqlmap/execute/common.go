package execute

import (
	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/plan"
)

// maximumRounds bounds a recursion that makes no end of new rows without keeping many.
const maximumRounds = 10_000_000

// commonState is a common table in an execution. Its rows are made when they are first asked for.
type commonState struct {
	node    *plan.Common
	plan    operator
	next    operator // of the recursive part
	width   int
	store   *rowStore
	ready   bool
	running bool

	// The state of a recursion.
	working []relation.Row // the rows of the last round
	rounds  int
	seen    map[string]struct{}
	writer  keyWriter
}

// withOperator makes common tables ready.
type withOperator struct {
	run     *run
	input   operator
	commons []*commonState
}

func (c *compiler) with(node *plan.With) (operator, error) {
	w := &withOperator{run: c.run}
	for _, common := range node.Commons {
		state := &commonState{node: common, width: common.Plan.Width()}
		c.run.commons[common.Index] = state
		w.commons = append(w.commons, state)
		var err error
		if state.plan, err = c.operator(common.Plan); err != nil {
			return nil, err
		}
		if common.Recursive != nil {
			if state.next, err = c.operator(common.Recursive.Next); err != nil {
				return nil, err
			}
		}
	}
	var err error
	w.input, err = c.operator(node.Input)
	return w, err
}

func (w *withOperator) open() error {
	w.forget()
	for _, common := range w.commons {
		if common.node.Change {
			affected := w.run.affected
			if err := common.fill(w.run); err != nil {
				return err
			}
			w.run.affected = affected
		}
	}
	return w.input.open()
}

// forget drops the rows of the common tables: a new start may see other values of outer columns.
func (w *withOperator) forget() {
	for _, common := range w.commons {
		if common.store != nil {
			common.store.clear()
		}
		common.ready, common.store, common.working = false, nil, nil
	}
}

func (w *withOperator) close() {
	w.input.close()
	w.forget()
}

func (w *withOperator) next() (*relation.Batch, error) { return w.input.next() }

// fill makes the rows: all of them, or those of the first part of a recursion.
func (s *commonState) fill(r *run) error {
	if s.ready {
		return nil
	}
	if s.running {
		return pgerror.New(pgerror.InternalError, "common table \"%s\" reads itself outside of its recursive part", s.node.Name)
	}
	s.running = true
	defer func() { s.running = false }()
	s.store, s.rounds = newRowStore(r, s.width), 0
	if s.node.Recursive != nil {
		s.writer, s.seen = newKeyWriter(s.node.Recursive.Types), map[string]struct{}{}
		if err := s.round(r, s.plan); err != nil {
			return err
		}
	} else if err := s.store.addAll(s.plan); err != nil {
		return err
	}
	s.ready = true
	return nil
}

// grow runs the recursive part once over the rows of the round before; false tells that no row was added and none will be.
func (s *commonState) grow(r *run) (bool, error) {
	if s.node.Recursive == nil || len(s.working) == 0 {
		return false, nil
	}
	if s.rounds++; s.rounds > maximumRounds {
		return false, pgerror.New(pgerror.ProgramLimitExceeded, "recursive query \"%s\" takes more than %d rounds", s.node.Name, maximumRounds)
	}
	if err := r.cancelled(); err != nil {
		return false, err
	}
	err := s.round(r, s.next)
	return len(s.working) > 0, err
}

// round adds the rows that a part makes; they are the next round's. Without ALL, rows that have been made before are
// dropped.
func (s *commonState) round(r *run, part operator) error {
	made := newRowStore(r, s.width)
	if err := made.addAll(part); err != nil {
		return err
	}
	r.release(made.bytes)
	s.working = nil
	for _, row := range made.rows {
		if !s.node.Recursive.All {
			key := s.writer.write(row)
			if _, known := s.seen[string(key)]; known {
				continue
			}
			s.seen[string(key)] = struct{}{}
		}
		s.working = append(s.working, row)
		if err := s.store.add(row); err != nil {
			return err
		}
	}
	return nil
}

// commonScanOperator reads the rows of a common table. A recursion goes on as far as its rows are asked for.
type commonScanOperator struct {
	run    *run
	state  *commonState
	node   *plan.CommonScan
	reader storeReader
}

func (c *compiler) commonScan(node *plan.CommonScan) (operator, error) {
	state := c.run.commons[node.Common.Index]
	if state == nil {
		return nil, pgerror.New(pgerror.InternalError, "common table \"%s\" is not there", node.Common.Name)
	}
	return &commonScanOperator{run: c.run, state: state, node: node}, nil
}

func (s *commonScanOperator) open() error {
	s.reader = storeReader{width: s.node.Columns}
	if s.node.Working {
		s.reader.rows = s.state.working
		return nil
	}
	if err := s.state.fill(s.run); err != nil {
		return err
	}
	s.reader.rows = s.state.store.rows
	return nil
}

func (s *commonScanOperator) close() { s.reader = storeReader{} }

func (s *commonScanOperator) next() (*relation.Batch, error) {
	for {
		if batch := s.reader.next(); batch != nil || s.node.Working {
			return batch, nil
		}
		if len(s.reader.rows) == len(s.state.store.rows) {
			if more, err := s.state.grow(s.run); err != nil || !more {
				return nil, err
			}
		}
		s.reader.rows = s.state.store.rows
	}
}
