package history

import (
	"fmt"
	"slices"
	"strconv"
)

// snapshotTable is the table whose rows are inserted under the commit ticket.
const snapshotTable = "ducklake_snapshot"

// execute runs one statement. A statement that waits changes nothing yet, and is run again from its start.
func (m *model) execute(s *session, statement *statement) outcome {
	tx := s.tx
	if tx != nil && tx.failed && statement.verb != commit && statement.verb != rollback && statement.verb != rollbackTo {
		return outcome{code: failedBlock}
	}
	switch statement.verb {
	case begin:
		s.tx = newTransaction(statement.repeatable)
		s.tx.block, s.tx.readOnly = true, statement.readOnly
		return outcome{tag: "BEGIN"}
	case commit:
		if tx.failed {
			m.rollback(s)
			return outcome{tag: "ROLLBACK"}
		}
		return outcome{tag: "COMMIT", code: m.commit(s)}
	case rollback:
		m.rollback(s)
		return outcome{tag: "ROLLBACK"}
	case setSavepoint:
		saved := tx.save(statement.name)
		saved.held = len(s.held)
		tx.savepoints = append(tx.savepoints, saved)
		return outcome{tag: "SAVEPOINT"}
	case rollbackTo, releaseSavepoint:
		return m.savepointEnd(s, statement)
	}
	if tx.readOnly && statement.verb >= create {
		return outcome{code: readOnlyFailure}
	}
	m.pin(s)
	result := m.executeOn(s, statement)
	for !tx.repeatable && result.code == serialization && (statement.verb == update || statement.verb == remove) {
		m.pin(s)
		result = m.executeOn(s, statement)
	}
	return result
}

func (m *model) savepointEnd(s *session, statement *statement) outcome {
	tx := s.tx
	for i := len(tx.savepoints) - 1; i >= 0; i-- {
		if tx.savepoints[i].name != statement.name {
			continue
		}
		if statement.verb == releaseSavepoint {
			tx.savepoints = tx.savepoints[:i]
			return outcome{tag: "RELEASE"}
		}
		tx.restore(tx.savepoints[i])
		tx.savepoints, tx.failed = tx.savepoints[:i+1], false
		m.releaseFrom(s, tx.savepoints[i].held)
		return outcome{tag: "ROLLBACK"}
	}
	return outcome{code: unknownSavepoint}
}

// executeOn runs a statement that needs a table.
func (m *model) executeOn(s *session, statement *statement) outcome {
	tx := s.tx
	if statement.verb == create {
		return m.create(s, statement)
	}
	t := tx.view[statement.table]
	if t == nil || t.definition.dropped && statement.verb >= drop {
		if statement.verb == drop && statement.conditional {
			return outcome{tag: "DROP TABLE"}
		}
		return outcome{code: undefinedTable}
	}
	if statement.verb == read {
		return statement.read(t)
	}
	if tx.readOnly && t.definition.kind != temporaryTable {
		return outcome{code: readOnlyFailure}
	}
	switch statement.verb {
	case insert:
		if t.definition.dropped {
			return outcome{code: undefinedTable}
		}
		return m.insert(s, statement, t)
	case update, remove:
		return m.change(s, statement, t)
	case drop:
		if result := m.define(s, t.definition.name, t.definition.kind); result != nil {
			return *result
		}
		delete(tx.view, statement.table)
		delete(tx.touched, statement.table)
		return outcome{tag: "DROP TABLE"}
	}
	if result := m.define(s, t.definition.name, t.definition.kind); result != nil {
		return *result
	}
	altered := *t.definition
	altered.columns = append(slices.Clone(altered.columns), statement.columns...)
	m.nextID++
	altered.version = m.nextID
	written := &table{definition: &altered, rows: map[int]row{}}
	for id, r := range t.rows {
		written.rows[id] = extended(r, &altered)
	}
	tx.view[statement.table] = written
	return outcome{tag: "ALTER TABLE"}
}

func (statement *statement) read(t *table) outcome {
	ids := statement.matches(t)
	result := outcome{reads: true, tag: fmt.Sprintf("SELECT %d", len(ids))}
	switch statement.aggregate {
	case "":
		for _, id := range ids {
			result.rows = append(result.rows, t.rows[id])
		}
	case "count":
		result.tag, result.rows = "SELECT 1", []row{{value(strconv.Itoa(len(ids)))}}
	default:
		greatest, ordinal := null, t.definition.ordinal(statement.aggregate)
		for _, id := range ids {
			if v := t.rows[id][ordinal]; v != null && (greatest == null || number(v) > number(greatest)) {
				greatest = v
			}
		}
		result.tag, result.rows = "SELECT 1", []row{{greatest}}
	}
	return result
}

// define prepares a change of a table's definition; nil when the statement may go on.
func (m *model) define(s *session, name string, kind kind) *outcome {
	if kind == temporaryTable {
		return nil
	}
	if m.defined[name] > s.tx.sequence {
		return &outcome{code: serialization}
	}
	if result := m.lock(s, nameLock(name)); result != nil {
		return result
	}
	s.tx.defined[name] = true
	return nil
}

func (m *model) create(s *session, statement *statement) outcome {
	tx, definition := s.tx, *statement.definition
	switch {
	case tx.view.definition(definition.name).present() && statement.conditional:
		return outcome{tag: "CREATE TABLE"}
	case tx.view.definition(definition.name).present():
		return outcome{code: duplicateTable}
	}
	if result := m.define(s, definition.name, definition.kind); result != nil {
		return *result
	}
	m.nextID++
	definition.identity = m.nextID
	tx.view[definition.name] = &table{definition: &definition, rows: map[int]row{}}
	delete(tx.touched, definition.name)
	return outcome{tag: "CREATE TABLE"}
}

// lock gives nil once the session has the lock.
func (m *model) lock(s *session, name string) *outcome {
	switch m.acquire(s, name) {
	case waits:
		return &outcome{waits: true}
	case deadlock:
		return &outcome{code: deadlockDetected}
	}
	return nil
}

func (m *model) insert(s *session, statement *statement, t *table) outcome {
	tx := s.tx
	if statement.table == snapshotTable {
		if result := m.lock(s, ticket); result != nil {
			return *result
		}
	}
	if result := m.claim(s, t, statement.rows, nil); result != nil {
		return *result
	}
	written, changes := tx.writable(statement.table)
	for _, r := range statement.rows {
		m.nextRow++
		written.rows[m.nextRow] = slices.Clone(r)
		changes.inserted[m.nextRow] = true
	}
	return outcome{tag: fmt.Sprintf("INSERT 0 %d", len(statement.rows))}
}

// claim makes sure that the primary keys of new rows are free, in the transaction and in what is committed; except are
// rows that give their keys up.
func (m *model) claim(s *session, t *table, rows []row, except map[int]bool) *outcome {
	d := t.definition
	if d.key < 0 {
		return nil
	}
	var keys []value
	for _, r := range rows {
		key := r[d.key]
		if slices.Contains(keys, key) || m.ownsKey(s, t, key, except) {
			return &outcome{code: uniqueViolation}
		}
		if m.locksKeys(s, d) {
			if result := m.lock(s, keyLock(d, key)); result != nil {
				return result
			}
		}
		keys = append(keys, key)
	}
	for _, key := range keys {
		id, stored := m.storedKey(s, d, key, except)
		if !stored {
			continue
		}
		if d.kind == catalogTable {
			// Who has changed or deleted the row may yet give its key up.
			if result := m.lock(s, rowLock(id)); result != nil {
				return result
			}
		}
		return &outcome{code: uniqueViolation}
	}
	return nil
}

// locksKeys tells whether others can see the keys of a table. Those of snapshots are ordered by the ticket.
func (m *model) locksKeys(s *session, d *definition) bool {
	base := s.tx.base.definition(d.name)
	return d.kind != temporaryTable && base != nil && base.identity == d.identity &&
		d.name != snapshotTable && d.name != "ducklake_snapshot_changes"
}

func (m *model) ownsKey(s *session, t *table, key value, except map[int]bool) bool {
	changes := s.tx.touched[t.definition.name]
	if changes == nil {
		return false
	}
	for id, r := range t.rows {
		if (changes.inserted[id] || changes.updated[id]) && !except[id] && r[t.definition.key] == key {
			return true
		}
	}
	return false
}

// storedKey gives the row of others that has a key.
func (m *model) storedKey(s *session, d *definition, key value, except map[int]bool) (id int, found bool) {
	stored := m.latest[d.name]
	if d.kind == temporaryTable {
		stored = s.temporary[d.name]
	}
	if stored == nil || stored.definition.identity != d.identity {
		return 0, false
	}
	changes := s.tx.touched[d.name]
	for id, r := range stored.rows {
		given := except[id] || changes != nil && (changes.updated[id] || changes.deleted[id])
		if !given && r[d.key] == key {
			return id, true
		}
	}
	return 0, false
}

// change runs UPDATE and DELETE.
func (m *model) change(s *session, statement *statement, t *table) outcome {
	tx, d := s.tx, t.definition
	ids := statement.matches(t)
	after := map[int]row{}
	for _, id := range ids {
		if statement.verb == update {
			r := slices.Clone(t.rows[id])
			for _, assignment := range statement.set {
				assignment.apply(d, r)
			}
			after[id] = r
		}
		if result := m.lockRow(s, t, id, after[id]); result != nil {
			return *result
		}
	}
	written, changes := tx.writable(statement.table)
	for _, id := range ids {
		if !changes.inserted[id] {
			tx.changed[id] = true
		}
		switch {
		case statement.verb == update:
			written.rows[id] = after[id]
			if !changes.inserted[id] {
				changes.updated[id] = true
			}
		case changes.inserted[id]:
			delete(written.rows, id)
			delete(changes.inserted, id)
		default:
			delete(written.rows, id)
			delete(changes.updated, id)
			changes.deleted[id] = true
		}
	}
	return outcome{tag: choose(statement.verb == update, "UPDATE ", "DELETE ") + strconv.Itoa(len(ids))}
}

// lockRow takes the locks for the change of one row; after is nil when it is deleted.
func (m *model) lockRow(s *session, t *table, id int, after row) *outcome {
	d := t.definition
	if d.kind != temporaryTable && !s.tx.owns(d.name, id) {
		if m.changed[id] > s.tx.sequence {
			return &outcome{code: serialization}
		}
		if result := m.lock(s, rowLock(id)); result != nil {
			return result
		}
	}
	if d.key < 0 || d.kind == catalogTable {
		return nil
	}
	key := t.rows[id][d.key]
	if m.locksKeys(s, d) {
		if result := m.lock(s, keyLock(d, key)); result != nil {
			return result
		}
	}
	if after == nil || after[d.key] == key {
		return nil
	}
	return m.claim(s, t, []row{after}, map[int]bool{id: true})
}
