package history

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// SQLSTATEs that the model expects.
const (
	uniqueViolation  = "23505"
	readOnlyFailure  = "25006"
	failedBlock      = "25P02"
	unknownSavepoint = "3B001"
	serialization    = "40001"
	deadlockDetected = "40P01"
	undefinedTable   = "42P01"
	duplicateTable   = "42P07"
	canceled         = "57014"
)

type kind int

const (
	catalogTable kind = iota
	inlinedTable
	plainTable
	temporaryTable
)

// definition describes a table. It is immutable.
type definition struct {
	name     string
	kind     kind
	columns  []column
	key      int // ordinal of the primary key, or -1
	onCommit string
	// dropped tells that only the shape is left: the name is free, and binds to a table without rows.
	dropped bool
	// identity differs for each CREATE TABLE, version for each ALTER TABLE.
	identity, version int
}

// present tells whether there is a table.
func (d *definition) present() bool { return d != nil && !d.dropped }

// leavesShape tells whether the shape of a dropped table stays, as DuckLake needs it of a table of inlined rows.
func (d *definition) leavesShape() bool {
	return d.kind == inlinedTable && strings.HasPrefix(d.name, "ducklake_inlined_data_")
}

func (d *definition) ordinal(name string) int {
	return slices.IndexFunc(d.columns, func(c column) bool { return c.name == name })
}

func (d *definition) creation(conditional bool) string {
	var columns []string
	for i, column := range d.columns {
		text := column.name + " " + column.typ
		if i == d.key {
			text += " PRIMARY KEY"
		} else if column.notNull {
			text += " NOT NULL"
		}
		columns = append(columns, text)
	}
	return "CREATE " + choose(d.kind == temporaryTable, "TEMPORARY ", "") + "TABLE " + choose(conditional, "IF NOT EXISTS ", "") +
		d.name + " (" + strings.Join(columns, ", ") + ")" + d.onCommit
}

func same(one, other *definition) bool {
	if !one.present() || !other.present() {
		return one.present() == other.present()
	}
	return one.identity == other.identity && one.version == other.version
}

// table is the rows of one table, by a number that stays with a row as long as it lives.
type table struct {
	definition *definition
	rows       map[int]row
}

func (t *table) clone() *table { return &table{definition: t.definition, rows: maps.Clone(t.rows)} }

// database is tables by name.
type database map[string]*table

func (d database) definition(name string) *definition {
	if found := d[name]; found != nil {
		return found.definition
	}
	return nil
}

// touched is what a transaction did to the rows of a table.
type touched struct {
	definition                 *definition // as it was when the first row was written
	inserted, updated, deleted map[int]bool
}

func newTouched(definition *definition) *touched {
	return &touched{definition: definition, inserted: map[int]bool{}, updated: map[int]bool{}, deleted: map[int]bool{}}
}

func (t *touched) clone() *touched {
	return &touched{
		definition: t.definition, inserted: maps.Clone(t.inserted), updated: maps.Clone(t.updated), deleted: maps.Clone(t.deleted),
	}
}

func (t *touched) dirty() bool { return len(t.inserted)+len(t.updated)+len(t.deleted) > 0 }

// transaction is one transaction: what it sees, and what it has done.
type transaction struct {
	block, repeatable, readOnly, failed bool

	base     database // what is committed, as pinned; nil before
	view     database // base with the transaction's own changes, and the temporary tables
	sequence int      // of base
	// hasty tells that the session held the ticket before: the server may let it have the ticket on lease, and first.
	hasty bool

	touched    map[string]*touched
	changed    map[int]bool    // rows of others that it updated or deleted
	defined    map[string]bool // names that DDL changed
	savepoints []savepoint
}

type savepoint struct {
	name    string
	view    database
	touched map[string]*touched
	changed map[int]bool
	defined map[string]bool
	held    int // locks
}

// session is one connection as the model sees it.
type session struct {
	index     int
	tx        *transaction // nil outside of one
	temporary database
	held      []string
	waiting   string // the lock that it waits for
	hasty     bool

	message  message // under way
	next     int
	outcomes []outcome
}

// outcome is the result of a statement.
type outcome struct {
	waits bool
	code  string // of an error
	tag   string
	reads bool
	rows  []row
}

// model is the whole server.
type model struct {
	latest   database
	sequence int         // counts commits
	changed  map[int]int // when a row was last changed
	defined  map[string]int
	moved    map[string]int // when rows of a table were last changed
	locks    map[string]*lock
	sessions []*session
	nextRow  int
	nextID   int

	// finished are the sessions whose messages have ended since the list was last emptied.
	finished []*session
}

func newModel(sessions int) *model {
	m := &model{latest: database{}, changed: map[int]int{}, defined: map[string]int{}, moved: map[string]int{}, locks: map[string]*lock{}}
	for i := range sessions {
		m.sessions = append(m.sessions, &session{index: i, temporary: database{}})
	}
	return m
}

// send runs a message until it ends or waits.
func (m *model) send(s *session, message message) {
	s.message, s.next, s.outcomes = message, 0, nil
	m.advance(s)
}

func (m *model) advance(s *session) {
	for s.next < len(s.message) {
		statement := s.message[s.next]
		if s.tx == nil && statement.verb != begin {
			s.tx = newTransaction(false)
		}
		result := m.execute(s, statement)
		if result.waits {
			return
		}
		s.outcomes = append(s.outcomes, result)
		s.next++
		if result.code != "" {
			m.fail(s)
			return
		}
	}
	if s.tx != nil && !s.tx.block {
		if code := m.commit(s); code != "" {
			s.outcomes[len(s.outcomes)-1] = outcome{code: code}
		}
	}
	m.finish(s)
}

func (m *model) finish(s *session) {
	s.message = nil
	m.finished = append(m.finished, s)
}

// fail ends a message whose last statement failed.
func (m *model) fail(s *session) {
	switch tx := s.tx; {
	case tx == nil || !tx.block:
		m.rollback(s)
	case len(tx.savepoints) == 0:
		tx.failed = true
		m.release(s) // there is no way back to what it has done
	default:
		tx.failed = true
		m.releaseFrom(s, tx.savepoints[len(tx.savepoints)-1].held)
	}
	m.finish(s)
}

// cancel ends the statement that waits.
func (m *model) cancel(s *session) {
	m.abandon(s)
	s.outcomes = append(s.outcomes, outcome{code: canceled})
	m.fail(s)
}

// kill ends a session; what stays is a new one in its place.
func (m *model) kill(s *session) {
	if s.waiting != "" {
		m.abandon(s)
	}
	s.message, s.outcomes = nil, nil
	m.rollback(s)
	s.temporary, s.hasty = database{}, false
}

func newTransaction(repeatable bool) *transaction {
	return &transaction{repeatable: repeatable, touched: map[string]*touched{}, changed: map[int]bool{}, defined: map[string]bool{}}
}

// pin gives the statement about to run what it sees.
func (m *model) pin(s *session) {
	tx := s.tx
	if tx.base != nil && tx.repeatable {
		return
	}
	if tx.base == nil {
		tx.hasty = s.hasty && !tx.readOnly
	}
	before := tx.view
	tx.base, tx.view, tx.sequence = maps.Clone(m.latest), maps.Clone(m.latest), m.sequence
	if before == nil {
		maps.Copy(tx.view, s.temporary)
		return
	}
	for name, t := range before {
		if t.definition.kind == temporaryTable {
			tx.view[name] = t
		}
	}
	for name, changes := range tx.touched {
		if changes.definition.kind == temporaryTable || tx.defined[name] {
			continue
		}
		merged := m.latest[name].clone()
		merged.apply(changes, before[name])
		tx.view[name] = merged
	}
	for name := range tx.defined {
		delete(tx.view, name)
		if before[name] != nil {
			tx.view[name] = before[name]
		}
	}
}

// apply brings a transaction's changes to the rows of a table.
func (t *table) apply(changes *touched, from *table) {
	for id := range changes.inserted {
		t.rows[id] = from.rows[id]
	}
	for id := range changes.updated {
		t.rows[id] = from.rows[id]
	}
	for id := range changes.deleted {
		delete(t.rows, id)
	}
}

// writable gives a table of the view that may be changed, and the record of its changes.
func (tx *transaction) writable(name string) (*table, *touched) {
	if tx.touched[name] == nil {
		tx.touched[name] = newTouched(tx.view[name].definition)
		tx.view[name] = tx.view[name].clone()
	}
	return tx.view[name], tx.touched[name]
}

// owns tells whether the transaction has inserted a row.
func (tx *transaction) owns(table string, id int) bool {
	return tx.touched[table] != nil && tx.touched[table].inserted[id]
}

// commit makes the transaction's changes the latest; it gives the code of the error when it cannot.
func (m *model) commit(s *session) (code string) {
	tx := s.tx
	s.tx = nil
	defer m.release(s)
	if tx.view == nil {
		return ""
	}
	names, ok := m.dirty(tx)
	if !ok {
		return serialization
	}
	if len(names) > 0 {
		m.sequence++
		for _, name := range names {
			m.merge(tx, name)
		}
		for id := range tx.changed {
			m.changed[id] = m.sequence
		}
		for name := range tx.defined {
			m.defined[name] = m.sequence
		}
	}
	s.temporary = database{}
	for name, t := range tx.view {
		if t.definition.kind != temporaryTable || t.definition.onCommit == " ON COMMIT DROP" {
			continue
		}
		if t.definition.onCommit == " ON COMMIT DELETE ROWS" {
			t = &table{definition: t.definition, rows: map[int]row{}}
		}
		s.temporary[name] = t
	}
	return ""
}

// dirty gives the permanent tables that the transaction changes; ok is false when another has redefined one meanwhile.
func (m *model) dirty(tx *transaction) (names []string, ok bool) {
	changed := map[string]bool{}
	for name := range tx.defined {
		if !same(tx.base.definition(name), tx.view.definition(name)) {
			changed[name] = true
		}
	}
	for name, changes := range tx.touched {
		if changes.definition.kind == temporaryTable || !changes.dirty() || tx.view[name] == nil {
			continue
		}
		if !tx.defined[name] && !same(changes.definition, m.latest.definition(name)) {
			return nil, false
		}
		changed[name] = true
	}
	return slices.Sorted(maps.Keys(changed)), true
}

// merge puts the transaction's form of one table in the place of the latest one.
func (m *model) merge(tx *transaction, name string) {
	view, before := tx.view[name], m.latest[name]
	switch {
	case view == nil && before.definition.leavesShape():
		left := *before.definition
		left.dropped = true
		m.latest[name] = &table{definition: &left, rows: map[int]row{}}
		return
	case view == nil:
		delete(m.latest, name)
		return
	case before == nil || before.definition.identity != view.definition.identity:
		m.latest[name] = view.clone()
		return
	}
	merged := &table{definition: view.definition, rows: map[int]row{}}
	for id, r := range before.rows {
		merged.rows[id] = extended(r, view.definition)
	}
	m.latest[name] = merged
	changes := tx.touched[name]
	if changes == nil {
		return
	}
	merged.apply(changes, view)
	if len(changes.updated)+len(changes.deleted) > 0 {
		m.moved[name] = m.sequence
	}
}

// extended gives a row the columns that were added behind its own.
func extended(r row, definition *definition) row {
	r = slices.Clone(r)
	for _, column := range definition.columns[len(r):] {
		r = append(r, column.fill)
	}
	return r
}

func (m *model) rollback(s *session) {
	s.tx = nil
	m.release(s)
}

func (tx *transaction) save(name string) savepoint {
	saved := savepoint{
		name: name, view: maps.Clone(tx.view), touched: map[string]*touched{}, changed: maps.Clone(tx.changed), defined: maps.Clone(tx.defined),
	}
	for name, changes := range tx.touched {
		saved.touched[name] = changes.clone()
		if saved.view[name] != nil {
			saved.view[name] = saved.view[name].clone()
		}
	}
	return saved
}

func (tx *transaction) restore(saved savepoint) {
	again := (&transaction{view: saved.view, touched: saved.touched, changed: saved.changed, defined: saved.defined}).save(saved.name)
	tx.view, tx.touched, tx.changed, tx.defined = again.view, again.touched, again.changed, again.defined
}

// rowLock and keyLock and nameLock name locks.
func rowLock(id int) string { return "row " + strconv.Itoa(id) }

func keyLock(d *definition, v value) string { return fmt.Sprintf("key %d %s", d.identity, v) }

func nameLock(name string) string { return "name " + name }
