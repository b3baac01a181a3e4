package check

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentation holds the table of rules in docs/check.md to the code.
func TestDocumentation(t *testing.T) {
	document, err := os.ReadFile("../docs/check.md")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	names := map[string]bool{}
	for _, rule := range Rules() {
		want = append(want, fmt.Sprintf("| `%s` | %s | %s | %s |", rule.Name, rule.Severity, rule.Description, rule.Remedy))
		if names[rule.Name] || !regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`).MatchString(rule.Name) {
			t.Errorf("%q is used twice, or no name of lower-case words", rule.Name)
		}
		names[rule.Name] = true
	}
	var got []string
	for line := range strings.Lines(string(document)) {
		if strings.HasPrefix(line, "| `") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			t.Errorf("docs/check.md lacks\n%s", want[i])
		case i >= len(want):
			t.Errorf("docs/check.md has a rule that there is not:\n%s", got[i])
		case got[i] != want[i]:
			t.Errorf("docs/check.md has\n%s\ninstead of\n%s", got[i], want[i])
		}
	}
}
