package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTour runs each script of the tour against one server and compares what DuckDB and psql show with what they showed
// on PostgreSQL 15. The lakes that they leave must be sound.
func TestTour(t *testing.T) {
	interpreter := python(t)
	if _, err := exec.LookPath("psql"); err != nil {
		t.Fatalf("the tour needs psql (`make test` installs it): %v", err)
	}
	scripts, err := filepath.Glob("testdata/tour/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	onStores(t, func(t *testing.T, kind storeKind) {
		s := newServer(t, kind.new(t))
		t.Run("scripts", func(t *testing.T) {
			for _, script := range scripts {
				t.Run(strings.TrimSuffix(filepath.Base(script), ".txt"), func(t *testing.T) {
					t.Parallel()
					runScript(t, s, interpreter, script)
				})
			}
		})
		s.checkAnswers(t)
	})
}

func runScript(t *testing.T, s *server, interpreter, script string) {
	want, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	var failure bytes.Buffer
	command := exec.CommandContext(t.Context(), interpreter, "tour.py", "--check", "--connection", s.keywords(), script)
	command.Stderr = &failure
	got, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, failure.Bytes())
	}
	if difference := compareBlocks(string(want), string(got)); difference != "" {
		t.Errorf("%s: (- PostgreSQL 15, + here)\n%s", script, difference)
	}
}

// maxShownBlocks bounds how many differing blocks of a script are shown: later ones tend to follow from the first.
const maxShownBlocks = 5

// compareBlocks gives the blocks of two runs of one script that differ, line by line.
func compareBlocks(want, got string) string {
	wantBlocks, gotBlocks := strings.Split(want, "\n\n"), strings.Split(got, "\n\n")
	if len(wantBlocks) != len(gotBlocks) {
		return fmt.Sprintf("%d blocks instead of %d", len(gotBlocks), len(wantBlocks))
	}
	var text strings.Builder
	shown := 0
	for i, block := range wantBlocks {
		if block == gotBlocks[i] {
			continue
		}
		if shown++; shown > maxShownBlocks {
			text.WriteString("and more\n")
			break
		}
		wantInput, wantResult, _ := strings.Cut(block, "\n----\n")
		_, gotResult, _ := strings.Cut(gotBlocks[i], "\n----\n")
		fmt.Fprintf(&text, "%s\n----\n%s\n", wantInput, compareLines(wantResult, gotResult))
	}
	return text.String()
}

// compareLines gives the lines that only one of two texts has, without regard to their order.
func compareLines(want, got string) string {
	surplus := make(map[string]int)
	for line := range strings.Lines(got + "\n") {
		surplus[line]++
	}
	var text strings.Builder
	for line := range strings.Lines(want + "\n") {
		if surplus[line] > 0 {
			surplus[line]--
		} else {
			text.WriteString("- " + line)
		}
	}
	for line := range strings.Lines(got + "\n") {
		if surplus[line] > 0 {
			surplus[line]--
			text.WriteString("+ " + line)
		}
	}
	if text.Len() == 0 {
		return "the lines are the same, in another order\n"
	}
	return text.String()
}

func TestCompareBlocks(t *testing.T) {
	script := "sql a\nSELECT 1\n----\n1\n2\n\nsql a\nSELECT 2\n----\nx\n"
	for _, test := range []struct{ name, got, want string }{
		{"same", script, ""},
		{"another row", strings.Replace(script, "\n2\n", "\n3\n", 1), "sql a\nSELECT 1\n----\n- 2\n+ 3\n\n"},
		{"another order", strings.Replace(script, "1\n2\n", "2\n1\n", 1), "sql a\nSELECT 1\n----\nthe lines are the same, in another order\n\n"},
		{"cut short", "sql a\nSELECT 1\n----\n1\n2\n", "1 blocks instead of 2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := compareBlocks(script, test.got); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
