package sqlmap

import (
	"context"
	"time"

	"moraine/pgerror"
	"moraine/relation"
)

// portal is a statement that is being run: of a Bind message, or a cursor of DECLARE. All but cursors WITH HOLD end with
// their transaction.
type portal struct {
	name      string
	text      string
	command   *command           // nil for transaction control and empty statements
	prepared  *preparedStatement // nil for a cursor
	moment    uint64             // of the session, when the command was bound
	arguments []relation.Value
	formats   []int16 // of the result, as in Bind
	created   time.Time
	visible   bool // shown by pg_cursors

	scroll, hold, binary bool

	transaction *transaction // nil once a holdable cursor has outlived it
	depth       int          // savepoints when it was made

	result *result // nil until it is first run
	batch  *relation.Batch
	place  int // the next row of batch
	ended  bool

	// kept are the rows that were read, for a cursor that scrolls or is held; position is how many rows lie before or
	// under the cursor, and one more when it is after the last.
	kept     []relation.Row
	position int
}

// addPortal registers a portal of the present transaction; the unnamed one takes the place of its predecessor.
func (s *Session) addPortal(p *portal) error {
	if old := s.portals[p.name]; old != nil {
		if p.name != "" {
			return pgerror.New(pgerror.DuplicateCursor, "cursor \"%s\" already exists", p.name)
		}
		s.closePortal(old)
	}
	if len(s.portals) >= MaximumPortals {
		return pgerror.New(pgerror.ConfigurationLimitExceeded, "too many open cursors").WithDetail("The limit is %d.", MaximumPortals)
	}
	p.created, p.transaction, p.depth = time.Now(), s.transaction, len(s.transaction.savepoints)
	s.portals[p.name] = p
	return nil
}

func (s *Session) findPortal(name string) (*portal, error) {
	if p := s.portals[name]; p != nil {
		return p, nil
	}
	return nil, pgerror.New(pgerror.InvalidCursorName, "portal \"%s\" does not exist", name)
}

func (s *Session) closePortal(p *portal) {
	p.closeRows()
	if s.portals[p.name] == p {
		delete(s.portals, p.name)
	}
}

func (s *Session) closePortals(which func(*portal) bool) {
	for _, p := range s.portals {
		if which(p) {
			s.closePortal(p)
		}
	}
}

// endPortals closes the transaction's portals that were made with at least that many savepoints, but not the held ones.
func (s *Session) endPortals(depth int) {
	s.closePortals(func(p *portal) bool {
		return p.transaction == s.transaction && p.transaction != nil && p.depth >= depth
	})
}

// holdCursors reads the holdable cursors of the transaction to their ends, so that they can outlive it.
func (s *Session) holdCursors() error {
	for _, p := range s.portals {
		if !p.hold || p.transaction != s.transaction {
			continue
		}
		if err := p.keepAll(s); err != nil {
			return err
		}
		p.closeRows()
		p.ended = true
		p.transaction = nil
	}
	return nil
}

func (p *portal) closeRows() {
	if p.result != nil && p.result.rows != nil {
		p.result.rows.Close()
		p.result.rows = nil
	}
}

// start runs the portal's command, if that has not been done.
func (p *portal) start(s *Session) error {
	if p.result != nil {
		return nil
	}
	result, err := p.command.run(p.arguments)
	if err != nil {
		return err
	}
	p.result = result
	return nil
}

// read gives the next row of the portal's rows, nil at the end. The row is valid until the next call.
func (p *portal) read(ctx context.Context) (relation.Row, error) {
	for !p.ended {
		if p.batch != nil && p.place < p.batch.Length {
			p.place++
			return p.batch.Row(p.place - 1), nil
		}
		if p.result.rows == nil {
			p.ended = true
			break
		}
		batch, err := p.result.rows.Next(ctx)
		if err != nil {
			return nil, err
		}
		p.batch, p.place, p.ended = batch, 0, batch == nil
	}
	return nil, nil
}

// prime reads the first rows, so that an error in them shows before anything is sent.
func (p *portal) prime(ctx context.Context) (err error) {
	if p.batch == nil && !p.ended && p.result.rows != nil {
		p.batch, err = p.result.rows.Next(ctx)
		p.ended = p.batch == nil
	}
	return err
}

// keep reads one more row into kept; it answers false at the end.
func (p *portal) keep(s *Session) (bool, error) {
	row, err := p.read(s.context)
	if row == nil || err != nil {
		return false, err
	}
	if len(p.kept) >= MaximumKeptRows {
		return false, tooManyRows()
	}
	p.kept = append(p.kept, append(relation.Row(nil), row...))
	return true, nil
}

func (p *portal) keepAll(s *Session) error {
	if err := p.start(s); err != nil {
		return err
	}
	for {
		more, err := p.keep(s)
		if err != nil || !more {
			return err
		}
	}
}

// settle reads a portal that has been started to its end, so that it goes on giving the rows that its statement saw when a later
// statement sees other ones.
func (p *portal) settle(s *Session) error {
	if p.scroll || p.hold {
		return p.keepAll(s)
	}
	list := &rowList{width: len(p.command.columns)}
	for p.batch != nil && p.place < p.batch.Length {
		if err := list.add(p.batch.Row(p.place)); err != nil {
			return err
		}
		p.place++
	}
	if err := list.addAll(s.context, p.result.rows); err != nil {
		return err
	}
	p.result.rows.Close()
	p.result.rows, p.batch, p.place = list, nil, 0
	return nil
}

// settlePortals settles the suspended portals of a READ COMMITTED transaction before a statement makes its snapshot a newer one.
// The unnamed portal is left alone: clients abandon it, and the next Bind or Query message takes its place.
func (s *Session) settlePortals() error {
	if s.transaction.options.Isolation != relation.ReadCommitted {
		return nil
	}
	for name, p := range s.portals {
		if name == "" || p.transaction != s.transaction || p.ended || p.result == nil || p.result.rows == nil {
			continue
		}
		if _, settled := p.result.rows.(*rowList); settled {
			continue
		}
		if err := p.settle(s); err != nil {
			return err
		}
	}
	return nil
}
