package e2e

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestVersions runs scripts over lakes of other catalog versions than the one that DuckDB 1.5.5 writes: older ones that it
// migrates, and later ones, whose statements the scripts send themselves. The server starts anew where a script says so.
func TestVersions(t *testing.T) {
	interpreter := python(t)
	scripts, err := filepath.Glob("testdata/versions/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	onStores(t, func(t *testing.T, kind storeKind) {
		for _, script := range scripts {
			t.Run(strings.TrimSuffix(filepath.Base(script), ".txt"), func(t *testing.T) {
				t.Parallel()
				runRestartingScript(t, newServer(t, kind.new(t)), interpreter, script)
			})
		}
	})
}

// runRestartingScript runs a script of the tour that has the server to itself.
func runRestartingScript(t *testing.T, s *server, interpreter, script string) {
	want, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	command := exec.CommandContext(t.Context(), interpreter, "tour.py", "--check", "--restarts", "--connection", s.keywords(), script)
	command.Stdout = &got
	told, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	answer, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	failure := restartOnDemand(t, s, told, answer)
	if err := command.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, failure)
	}
	if difference := compareBlocks(string(want), got.String()); difference != "" {
		t.Errorf("%s: (- PostgreSQL 15, + here)\n%s", script, difference)
	}
}

// restartOnDemand restarts the server for each line that asks for it, and gives the other lines.
func restartOnDemand(t *testing.T, s *server, told io.Reader, answer io.Writer) string {
	var others strings.Builder
	lines := bufio.NewScanner(told)
	for lines.Scan() {
		if lines.Text() != "restart" {
			others.WriteString(lines.Text() + "\n")
			continue
		}
		s.stop(t)
		s.start(t)
		if _, err := io.WriteString(answer, "\n"); err != nil {
			t.Errorf("answering the script: %v", err)
		}
	}
	return others.String()
}
