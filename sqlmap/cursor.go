package sqlmap

import (
	"context"
	"math"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/parse"
	"moraine/sqlmap/pgcatalog"
)

// Options of DECLARE in the grammar's bit set.
const (
	cursorBinary   = 0x0001
	cursorScroll   = 0x0002
	cursorNoScroll = 0x0004
	cursorHold     = 0x0020
)

// declareCursor makes DECLARE ready. Its query may have parameters, as drivers send it through the extended protocol.
func (s *Session) declareCursor(statement parse.Statement, parameterTypes []uint32, node *pg_query.DeclareCursorStmt) (*command, error) {
	options := int(node.Options)
	if options&cursorHold == 0 {
		if err := s.outsideBlock("DECLARE CURSOR"); err != nil {
			return nil, err
		}
	}
	if options&cursorScroll != 0 && options&cursorNoScroll != 0 {
		return nil, pgerror.New(pgerror.InvalidCursorName, "cannot specify both SCROLL and NO SCROLL")
	}
	query, err := s.prepare(statement.Inner(node.Query), parameterTypes)
	if err != nil {
		return nil, err
	}
	if query.changes || query.columns == nil {
		return nil, pgerror.Unsupported("DECLARE CURSOR for a statement that is not a SELECT")
	}
	return &command{parameters: query.parameters, run: func(arguments []relation.Value) (*result, error) {
		p := &portal{
			name: node.Portalname, text: statement.Text, command: query, arguments: arguments, visible: true,
			scroll: options&cursorScroll != 0 || options&(cursorHold|cursorNoScroll) == cursorHold, // a held cursor keeps its rows
			hold:   options&cursorHold != 0, binary: options&cursorBinary != 0,
		}
		if node.Portalname == "" {
			return nil, pgerror.New(pgerror.InvalidCursorName, "invalid cursor name: must not be empty")
		}
		if err := s.addPortal(p); err != nil {
			return nil, err
		}
		// The cursor sees the tables as they are now. Later statements of a READ COMMITTED transaction do not.
		err := p.start(s)
		if err == nil && s.transaction.options.Isolation == relation.ReadCommitted {
			err = p.settle(s)
		}
		if err != nil {
			s.closePortal(p)
			return nil, err
		}
		return done("DECLARE CURSOR"), nil
	}}, nil
}

func (s *Session) findCursor(name string) (*portal, error) {
	if p := s.portals[name]; p != nil && name != "" {
		return p, nil
	}
	return nil, pgerror.New(pgerror.InvalidCursorName, "cursor \"%s\" does not exist", name)
}

// fetch makes FETCH and MOVE ready.
func (s *Session) fetch(node *pg_query.FetchStmt) (*command, error) {
	p, err := s.findCursor(node.Portalname)
	if err != nil {
		return nil, err
	}
	tag := "FETCH"
	if node.Ismove {
		tag = "MOVE"
	}
	move := &movement{session: s, portal: p}
	made := &command{run: func([]relation.Value) (*result, error) {
		if p.command.columns == nil {
			return nil, pgerror.New(pgerror.InvalidCursorState, "portal \"%s\" cannot be run", p.name)
		}
		if err := p.start(s); err != nil {
			return nil, err
		}
		if err := move.begin(node); err != nil {
			return nil, err
		}
		if !node.Ismove {
			return &result{rows: move, tag: counted(tag)}, nil
		}
		for {
			batch, err := move.Next(s.context)
			if err != nil {
				return nil, err
			}
			if batch == nil {
				return done(counted(tag)(move.moved)), nil
			}
		}
	}}
	if !node.Ismove {
		made.columns, made.binary = p.command.columns, p.binary
	}
	return made, nil
}

// movement gives the rows that FETCH passes over. A cursor that goes forward only reads them from its query; any other one
// keeps them.
type movement struct {
	session *Session
	portal  *portal
	// forward is how many rows to read on; rows are those that are there already.
	forward int
	rows    rowList
	batch   relation.Batch
	moved   int
}

// begin works out what to give, and moves the cursor of a scrolling portal.
func (m *movement) begin(node *pg_query.FetchStmt) error {
	p := m.portal
	m.rows.width = len(p.command.columns)
	count := node.HowMany
	if !p.scroll {
		return m.beginForward(node.Direction, count)
	}
	switch node.Direction {
	case pg_query.FetchDirection_FETCH_FORWARD, pg_query.FetchDirection_FETCH_BACKWARD:
		if node.Direction == pg_query.FetchDirection_FETCH_BACKWARD {
			count = -count
		}
		return m.relative(count)
	case pg_query.FetchDirection_FETCH_ABSOLUTE:
		return m.absolute(count)
	default:
		return m.single(int64(p.position) + count)
	}
}

// beginForward serves a cursor that cannot go back.
func (m *movement) beginForward(direction pg_query.FetchDirection, count int64) error {
	skip := int64(0)
	switch {
	case direction == pg_query.FetchDirection_FETCH_FORWARD && count > 0:
	case direction == pg_query.FetchDirection_FETCH_RELATIVE && count > 0:
		skip, count = count-1, 1
	case direction == pg_query.FetchDirection_FETCH_ABSOLUTE && count > int64(m.portal.position):
		skip, count = count-1-int64(m.portal.position), 1
	default:
		return pgerror.New(pgerror.ObjectNotInPrerequisiteState, "cursor can only scan forward").
			WithHint("Declare it with SCROLL option to enable backward scan.")
	}
	for range skip {
		row, err := m.portal.next(m.session)
		if err != nil || row == nil {
			return err
		}
	}
	m.forward = int(min(count, math.MaxInt))
	return nil
}

// relative gives count rows forward, -count rows backward, or the present one again.
func (m *movement) relative(count int64) error {
	p := m.portal
	switch {
	case count == 0:
		return m.single(int64(p.position))
	case count > 0:
		for count > 0 {
			row, err := p.at(m.session, p.position+1)
			if err != nil {
				return err
			}
			if row == nil {
				p.position = len(p.kept) + 1
				return nil
			}
			p.position++
			m.rows.rows = append(m.rows.rows, row)
			count--
		}
		return nil
	}
	for back := -count; back != 0 && p.position > 0; back-- {
		p.position--
		if p.position == 0 {
			return nil
		}
		m.rows.rows = append(m.rows.rows, p.kept[p.position-1])
	}
	return nil
}

// absolute gives the row of that number; negative ones count from the end.
func (m *movement) absolute(number int64) error {
	if number < 0 {
		if err := m.portal.keepAll(m.session); err != nil {
			return err
		}
		number += int64(len(m.portal.kept)) + 1
	}
	return m.single(number)
}

// single moves the cursor to a row and gives it, or past either end.
func (m *movement) single(number int64) error {
	p := m.portal
	if number <= 0 {
		p.position = 0
		return nil
	}
	row, err := p.at(m.session, int(min(number, MaximumKeptRows+1)))
	if err != nil {
		return err
	}
	if row == nil {
		p.position = len(p.kept) + 1
		return nil
	}
	p.position = int(number)
	m.rows.rows = append(m.rows.rows, row)
	return nil
}

// at gives row number (from 1) of a portal that keeps its rows; nil beyond the last.
func (p *portal) at(s *Session, number int) (relation.Row, error) {
	for len(p.kept) < number {
		more, err := p.keep(s)
		if err != nil || !more {
			return nil, err
		}
	}
	return p.kept[number-1], nil
}

// next gives the next row of a portal that goes forward only.
func (p *portal) next(s *Session) (relation.Row, error) {
	var row relation.Row
	var err error
	if p.hold {
		row, err = p.at(s, p.position+1)
	} else {
		row, err = p.read(s.context)
	}
	if row != nil {
		p.position++
	}
	return row, err
}

// Next gives the next batch, nil at the end.
func (m *movement) Next(ctx context.Context) (*relation.Batch, error) {
	if m.forward == 0 {
		batch, err := m.rows.Next(ctx)
		if batch != nil {
			m.moved += batch.Length
		}
		return batch, err
	}
	m.batch.Reset(m.rows.width)
	for m.forward > 0 && m.batch.Length < rowsPerBatch {
		row, err := m.portal.next(m.session)
		if err != nil {
			return nil, err
		}
		if row == nil {
			m.forward = 0
			break
		}
		copy(m.batch.Append(), row)
		m.forward--
	}
	if m.batch.Length == 0 {
		return nil, nil
	}
	m.moved += m.batch.Length
	return &m.batch, nil
}

// Close leaves the portal where it is.
func (m *movement) Close() {}

// closeCursor runs CLOSE.
func (s *Session) closeCursor(node *pg_query.ClosePortalStmt) (string, error) {
	if node.Portalname == "" {
		s.closePortals(func(p *portal) bool { return p.visible })
		return "CLOSE CURSOR ALL", nil
	}
	p, err := s.findCursor(node.Portalname)
	if err != nil {
		return "", err
	}
	s.closePortal(p)
	return "CLOSE CURSOR", nil
}

// listCursors gives the rows of pg_cursors.
func (s *Session) listCursors() []pgcatalog.OpenCursor {
	var list []pgcatalog.OpenCursor
	for _, p := range s.portals {
		if p.visible {
			list = append(list, pgcatalog.OpenCursor{
				Name: p.name, Text: p.text, Hold: p.hold, Binary: p.binary, Scrollable: p.scroll, Created: p.created,
			})
		}
	}
	slices.SortFunc(list, func(a, b pgcatalog.OpenCursor) int { return strings.Compare(a.Name, b.Name) })
	return list
}
