//go:build slatedb

package e2e

import (
	"fmt"
	"testing"
)

// TestCopyBesideAWriter makes a backup of an object store while a server writes it, and tries to copy onto the store: the
// server goes on in either case.
func TestCopyBesideAWriter(t *testing.T) {
	s := newServer(t, "file://"+t.TempDir())
	connection := s.connect(t, "moraine")
	query(t, connection, "CREATE TABLE t(a integer)")
	other, backups := lakeOfAnother(t), []string{t.TempDir(), "file://" + t.TempDir()}
	for number, backup := range backups {
		query(t, connection, fmt.Sprintf("INSERT INTO t VALUES (%d)", number))
		run(t, 0, "lakes copied: 3, there already: 0", "copy", "--from", s.store, "--to", backup)
		run(t, 2, "the target has such a lake already", "copy", "--from", other, "--to", s.store)
		run(t, 0, "user_table", "info", "--store", s.store)
	}
	query(t, connection, "INSERT INTO t VALUES (2)")
	for number, backup := range backups {
		restored := newServer(t, backup)
		if rows := query(t, restored.connect(t, "moraine"), "SELECT a FROM t ORDER BY a"); len(rows) != number+1 {
			t.Errorf("backup %d has the rows %v", number, rows)
		}
	}
}
