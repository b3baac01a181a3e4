package history

import (
	"slices"
	"strings"
)

// admits tells whether an action can be taken now, and has one outcome only. What the model leaves open is not tried:
// which rows a statement locks first when one of them is taken, and how two sessions that go on at once meet.
func (m *model) admits(s *session, a action) bool {
	switch a.deed {
	case cancel:
		return s.waiting != "" && m.releases(s)
	case cut, terminate:
		return m.releases(s)
	}
	if s.waiting != "" || len(a.message) == 0 || slices.Contains(a.message, nil) {
		return false
	}
	if s.tx != nil && s.tx.failed {
		return len(a.message) == 1 && m.admitsControl(s, a.message[0])
	}
	if a.message[0].verb <= releaseSavepoint {
		return len(a.message) == 1 && m.admitsControl(s, a.message[0])
	}
	if !m.releases(s) {
		return false // it may fail
	}
	if len(a.message) > 1 && (s.tx == nil || !s.tx.repeatable) {
		return false
	}
	seen := m.sees(s)
	if seen.hasty && (s.tx == nil || s.tx.base == nil) && m.heldByOther(s, ticket) {
		return false // the first read would wait for the ticket for a second, and then go on without
	}
	if len(a.message) > 1 && m.leases(s) {
		return false // a wait for the ticket could be taken for the wait that comes after it
	}
	for i, statement := range a.message {
		if statement.verb <= releaseSavepoint || !m.admitsStatement(s, seen, statement, a.message[:i]) {
			return false
		}
	}
	return true
}

// releases tells whether it is clear what happens when a session gives up its locks: when several sessions go on at once, it is
// left open which of them is first to ask for another lock, and so who waits or closes a cycle. Those that go on may end at
// once and give up their own locks.
func (m *model) releases(s *session) bool {
	waiters, held := map[string][]*session{}, map[*session][]string{}
	for name, lock := range m.locks {
		waiters[name] = lock.waiters
		held[lock.holder] = append(held[lock.holder], name)
	}
	for ending := []*session{s}; len(ending) > 0; {
		var heirs []*session
		for _, ended := range ending {
			for _, name := range held[ended] {
				if queue := waiters[name]; len(queue) > 0 {
					heirs, waiters[name] = append(heirs, queue[0]), queue[1:]
					held[queue[0]] = append(held[queue[0]], name)
				}
			}
		}
		if len(heirs) > 1 && slices.ContainsFunc(heirs, (*session).asksForMore) {
			return false
		}
		ending = heirs
	}
	return true
}

// asksForMore tells whether a session that waits may want a lock of its choice after the one that it waits for.
func (s *session) asksForMore() bool {
	if len(s.message)-s.next > 1 {
		return true
	}
	statement := s.message[s.next]
	d := s.tx.view.definition(statement.table)
	if d == nil || d.key < 0 {
		return false
	}
	if statement.verb == insert && d.kind == catalogTable {
		return true // the row that has its key
	}
	return len(statement.rows) > 1 ||
		slices.ContainsFunc(statement.set, func(a assignment) bool { return d.ordinal(a.column.name) == d.key })
}

// leases tells whether a session other than s may have the ticket on lease.
func (m *model) leases(s *session) bool {
	return slices.ContainsFunc(m.sessions, func(other *session) bool {
		return other != s && other.tx != nil && other.tx.hasty && !slices.Contains(other.held, ticket)
	})
}

func (m *model) admitsControl(s *session, statement *statement) bool {
	switch statement.verb {
	case begin:
		return s.tx == nil && (statement.repeatable || !m.redefines(nil))
	case commit, rollback:
		return s.tx != nil && s.tx.block && m.releases(s)
	case rollbackTo:
		return s.tx != nil && s.tx.block && s.tx.view != nil && m.releases(s)
	case setSavepoint, releaseSavepoint:
		return s.tx != nil && s.tx.block && s.tx.view != nil
	}
	return s.tx != nil && s.tx.failed
}

// redefines tells whether a session other than s has DDL under way.
func (m *model) redefines(s *session) bool {
	return slices.ContainsFunc(m.sessions, func(other *session) bool {
		return other != s && (other.tx != nil && len(other.tx.defined) > 0 || strings.HasPrefix(other.waiting, "name "))
	})
}

// readsCommitted tells whether a session other than s is in a READ COMMITTED transaction.
func (m *model) readsCommitted(s *session) bool {
	return slices.ContainsFunc(m.sessions, func(other *session) bool { return other != s && other.tx != nil && !other.tx.repeatable })
}

// sees gives the session's transaction as it would be if it ran a statement now.
func (m *model) sees(s *session) *transaction {
	tx := newTransaction(false)
	if s.tx != nil {
		copied := *s.tx
		tx = &copied
	}
	m.pin(&session{tx: tx, temporary: s.temporary, hasty: s.hasty})
	return tx
}

func (m *model) admitsStatement(s *session, seen *transaction, statement *statement, before message) bool {
	t := seen.view[statement.table]
	temporary := statement.verb == create && statement.definition.kind == temporaryTable || t != nil && t.definition.kind == temporaryTable
	if s.tx != nil && s.tx.base == nil && temporary {
		return false // it is left open whether that pins the snapshot
	}
	if !temporary && statement.verb != read && !seen.repeatable && m.redefines(s) {
		return false
	}
	switch statement.verb {
	case create, drop, addColumn:
		if s.tx != nil && !s.tx.repeatable && !temporary || !temporary && m.readsCommitted(s) {
			return false
		}
		if statement.verb == create && m.changesOther(statement.definition.name) {
			return false // rows for the table of that name that was dropped
		}
		return statement.verb != addColumn || t == nil || t.definition.ordinal(statement.columns[0].name) < 0
	}
	if t == nil {
		return true
	}
	for _, condition := range statement.where {
		if t.definition.ordinal(condition.column.name) < 0 {
			return false
		}
	}
	latest := m.latest.definition(statement.table)
	if statement.verb != read && t.definition.kind == inlinedTable && !seen.defined[statement.table] && latest.present() && !same(latest, t.definition) {
		return false // the name is another table's now
	}
	switch statement.verb {
	case read:
		return statement.aggregate == "" || statement.aggregate == "count" || t.definition.ordinal(statement.aggregate) >= 0
	case insert:
		return m.admitsInsert(s, seen, statement, t.definition, before)
	}
	return m.admitsChange(s, seen, statement, t)
}

// heldInVain tells whether another session has the lock of a row that was lost to it, until it rolls back to a savepoint or
// ends. A row that has another key since is not locked by that, others are.
func (m *model) heldInVain(s *session, id int) bool {
	name := rowLock(id)
	return m.heldByOther(s, name) && m.locks[name].holder.tx.sequence < m.changed[id]
}

// parents are the tables in whose records the rows of others are kept. A commit that takes such a record away moves the rows in
// it, and a transaction that changes one of them on an older snapshot may be refused in the end. That is not tried.
var parents = map[string]string{
	"ducklake_snapshot_changes": snapshotTable, "ducklake_column_tag": "ducklake_column", "ducklake_macro_impl": "ducklake_macro",
	"ducklake_macro_parameters": "ducklake_macro", "ducklake_partition_column": "ducklake_partition_info",
	"ducklake_sort_expression": "ducklake_sort_info", "ducklake_name_mapping": "ducklake_column_mapping",
	"ducklake_file_partition_value": "ducklake_data_file", "ducklake_file_variant_stats": "ducklake_file_column_stats",
}

// changesOther tells whether a transaction has written rows of an earlier table of the name.
func (m *model) changesOther(name string) bool {
	return slices.ContainsFunc(m.sessions, func(other *session) bool {
		return other.tx != nil && other.tx.touched[name] != nil && !same(other.tx.touched[name].definition, m.latest.definition(name))
	})
}

// movesUnder tells whether a change of rows of the table may meet a move of them.
func (m *model) movesUnder(s *session, seen *transaction, name string) bool {
	if parent, embedded := parents[name]; embedded && (m.moved[parent] > seen.sequence || m.changes(s, parent)) {
		return true
	}
	for child, parent := range parents {
		if parent == name && m.changes(s, child) {
			return true
		}
	}
	return false
}

// changes tells whether a session other than s has changed rows of a table.
func (m *model) changes(s *session, name string) bool {
	return slices.ContainsFunc(m.sessions, func(other *session) bool {
		if other == s || other.tx == nil || other.tx.touched[name] == nil {
			return false
		}
		touched := other.tx.touched[name]
		return len(touched.updated)+len(touched.deleted) > 0
	})
}

// alone tells whether no session but s has seen anything.
func (m *model) alone(s *session) bool {
	return !slices.ContainsFunc(m.sessions, func(other *session) bool { return other != s && other.tx != nil })
}

// repeatsRow tells whether a row id is there already in a table of inlined rows, or in another version of it. Versions of
// one row share how they end, so that a commit can move one that it does not change.
func (m *model) repeatsRow(name string, rows []row) bool {
	for _, view := range m.views() {
		for other, t := range view {
			if !strings.HasPrefix(other, name[:len(name)-2]) {
				continue
			}
			for _, stored := range t.rows {
				if slices.ContainsFunc(rows, func(r row) bool { return r[0] == stored[0] }) {
					return true
				}
			}
		}
	}
	for i, r := range rows {
		if slices.ContainsFunc(rows[:i], func(other row) bool { return other[0] == r[0] }) {
			return true
		}
	}
	return false
}

// liveTwice tells whether two rows of a table of inlined rows have one id and have not ended. No client of DuckLake writes such
// rows, and a commit that ends one of them moves the other.
func (m *model) liveTwice(name string) bool {
	numbers := map[value]int{}
	for _, view := range m.views() {
		if view[name] == nil {
			continue
		}
		end := view[name].definition.ordinal("end_snapshot")
		for number, r := range view[name].rows {
			if r[end] != null {
				continue
			}
			if other, found := numbers[r[0]]; found && other != number {
				return true
			}
			numbers[r[0]] = number
		}
	}
	return false
}

// views gives what is committed and what each transaction sees.
func (m *model) views() []database {
	views := []database{m.latest}
	for _, other := range m.sessions {
		if other.tx != nil && other.tx.view != nil {
			views = append(views, other.tx.view)
		}
	}
	return views
}

func (m *model) admitsInsert(s *session, seen *transaction, statement *statement, d *definition, before message) bool {
	if !slices.EqualFunc(statement.columns, d.columns, func(one, other column) bool { return one.name == other.name && one.typ == other.typ }) {
		return false
	}
	if d.leavesShape() && !m.alone(s) && m.repeatsRow(d.name, statement.rows) {
		return false
	}
	switch d.name {
	case snapshotTable:
		queue := m.locks[ticket]
		if queue != nil && queue.holder != s && len(queue.waiters) > 0 &&
			(seen.hasty || slices.ContainsFunc(queue.waiters, func(other *session) bool { return other.tx.hasty })) {
			return false // who repeats a lost commit goes before others, for a time
		}
	case "ducklake_snapshot_changes":
		// Nothing but the ticket orders these.
		if !slices.Contains(s.held, ticket) && (len(before) == 0 || before[0].table != snapshotTable) {
			return false
		}
	}
	if d.key < 0 || d.kind != catalogTable {
		return true
	}
	for id, stored := range m.latest[d.name].rows {
		inTheWay := slices.ContainsFunc(statement.rows, func(r row) bool { return r[d.key] == stored[d.key] })
		if inTheWay && m.heldInVain(s, id) {
			return false
		}
	}
	return true
}

func (m *model) admitsChange(s *session, seen *transaction, statement *statement, t *table) bool {
	d := t.definition
	stored, trouble := 0, false
	for _, id := range statement.matches(t) {
		if d.kind == temporaryTable || seen.owns(d.name, id) {
			continue
		}
		stored++
		if m.heldInVain(s, id) {
			return false
		}
		trouble = trouble || m.changed[id] > seen.sequence || m.heldByOther(s, rowLock(id))
		if d.key >= 0 && d.kind != catalogTable {
			trouble = trouble || m.heldByOther(s, keyLock(d, t.rows[id][d.key]))
		}
	}
	for _, assignment := range statement.set {
		ordinal := d.ordinal(assignment.column.name)
		if ordinal < 0 || ordinal == d.key && (d.kind == catalogTable || len(statement.matches(t)) > 1) {
			return false
		}
	}
	if stored > 0 && m.movesUnder(s, seen, d.name) {
		return false
	}
	if d.leavesShape() && !m.alone(s) && (m.liveTwice(d.name) ||
		slices.ContainsFunc(statement.set, func(a assignment) bool { return a.column.name == "row_id" })) {
		return false
	}
	if !trouble {
		return true
	}
	byKey := d.key >= 0 && slices.ContainsFunc(statement.where, func(c condition) bool {
		return c.operator == "=" && c.column.name == d.columns[d.key].name
	})
	return stored == 1 && len(statement.matches(t)) == 1 && (seen.repeatable || byKey)
}
