package e2e

import (
	"os/exec"
	"slices"
	"strconv"
	"testing"
)

// TestRoles lets DuckDBs work on lakes as roles with few rights. The roles are there after a restart.
func TestRoles(t *testing.T) {
	onStores(t, testRoles)
}

func testRoles(t *testing.T, kind storeKind) {
	s := newServer(t, kind.new(t))
	output, err := exec.CommandContext(t.Context(), python(t), "roles.py", strconv.Itoa(s.port), t.TempDir()).CombinedOutput()
	if err != nil || string(output) != "ok\n" {
		t.Fatalf("%v\n%s", err, output)
	}
	s.stop(t)
	s.start(t)
	rights := query(t, s.connect(t, "moraine"), `SELECT rolname, has_schema_privilege(rolname, 'lake', 'create'), has_database_privilege(rolname, 'moraine', 'create')
		FROM pg_roles WHERE rolname IN ('reader', 'writer', 'maker') ORDER BY rolname`)
	if want := [][]string{{"maker", "f", "t"}, {"writer", "t", "f"}}; !slices.EqualFunc(rights, want, slices.Equal) {
		t.Errorf("after the restart %v, want %v", rights, want)
	}
}
