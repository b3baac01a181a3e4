package history

import "testing"

// TestReleaseToSeveral wants that no locks are given up to sessions that may then ask for each other's.
func TestReleaseToSeveral(t *testing.T) {
	catalogued, plain := named("ducklake_data_file"), creatable[0]
	for _, test := range []struct {
		title         string
		table         *definition
		first, second []value // keys that two sessions insert; the session before them holds 1 and 2
		admitted      bool
	}{
		{"nobody asks for more", plain, []value{"1"}, []value{"2"}, true},
		{"one asks for more", plain, []value{"1", "3"}, []value{"2"}, false},
		{"both ask for more", plain, []value{"1", "3"}, []value{"2", "3"}, false},
		{"one queue", plain, []value{"1", "3"}, []value{"1", "4"}, true},
		{"both may ask for rows that have the keys", catalogued, []value{"1"}, []value{"2"}, false},
	} {
		t.Run(test.title, func(t *testing.T) {
			m := newModel(3)
			d := test.table
			m.latest[d.name] = &table{definition: d, rows: map[int]row{}}
			for i, keys := range [][]value{{"1", "2"}, test.first, test.second} {
				insertion := &statement{verb: insert, table: d.name, columns: d.columns}
				for _, key := range keys {
					r := make(row, len(d.columns))
					for ordinal := range r {
						r[ordinal] = null
					}
					r[d.key] = key
					insertion.rows = append(insertion.rows, r)
				}
				m.send(m.sessions[i], message{{verb: begin, repeatable: true}})
				m.send(m.sessions[i], message{insertion})
				if waits := m.sessions[i].waiting != ""; waits != (i > 0) {
					t.Fatalf("session %d waits: %t", i, waits)
				}
			}
			if got := m.admits(m.sessions[0], action{message: message{{verb: rollback}}}); got != test.admitted {
				t.Fatalf("ROLLBACK is admitted: %t, want %t", got, test.admitted)
			}
		})
	}
}

// TestReleaseToSeveralInTheEnd wants the same where a session that goes on may end at once and give up locks to several.
func TestReleaseToSeveralInTheEnd(t *testing.T) {
	for _, test := range []struct {
		title    string
		second   []value // keys that the last session inserts
		admitted bool
	}{
		{"nobody asks for more", []value{"3"}, true},
		{"one asks for more", []value{"3", "4"}, false},
	} {
		t.Run(test.title, func(t *testing.T) {
			m, d := newModel(4), creatable[0]
			m.latest[d.name] = &table{definition: d, rows: map[int]row{}}
			insert := func(session int, keys ...value) {
				insertion := &statement{verb: insert, table: d.name, columns: d.columns}
				for _, key := range keys {
					insertion.rows = append(insertion.rows, row{key, null, null})
				}
				m.send(m.sessions[session], message{insertion})
			}
			for _, s := range m.sessions {
				m.send(s, message{{verb: begin, repeatable: true}})
			}
			insert(0, "1")
			insert(1, "2", "3")
			insert(1, "1") // waits, and when it goes on, others wait for what it holds
			insert(2, "2")
			insert(3, test.second...)
			if got := m.admits(m.sessions[0], action{message: message{{verb: rollback}}}); got != test.admitted {
				t.Fatalf("ROLLBACK is admitted: %t, want %t", got, test.admitted)
			}
		})
	}
}
