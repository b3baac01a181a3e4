package guard

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"moraine/pgerror"
)

// TestDocumentation holds the table of rules in docs/guards.md to the code.
func TestDocumentation(t *testing.T) {
	document, err := os.ReadFile("../../docs/guards.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, rule := range Rules() {
		retryable := "no"
		if rule.Retryable {
			retryable = "yes"
		}
		want = append(want, fmt.Sprintf("| `%s` | %s | %s | %s | %s |", rule.Name, rule.Description, rule.Code, retryable, rule.Hint))
	}
	for line := range strings.Lines(string(document)) {
		if strings.HasPrefix(line, "| `") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/guards.md should have the rows\n%s", strings.Join(want, "\n"))
	}
}

func TestRules(t *testing.T) {
	names := map[string]bool{}
	for _, rule := range Rules() {
		if names[rule.Name] || rule.Name == "" || rule.Description == "" || rule.Hint == "" || len(rule.Code) != 5 {
			t.Errorf("%+v", rule)
		}
		names[rule.Name] = true
		if got := pgerror.From(rule.refuse("%d", 1)).Retried(); got != rule.Retryable {
			t.Errorf("%s: the client repeats: %v", rule.Name, got)
		}
	}
}

func TestClaims(t *testing.T) {
	claims := claimsOf(`created_table:"main"."a,inline_flush:9,""b",inline_flush:1,altered_table:2, Rewrite_Delete:3,merge_adjacent:x,`)
	for kind, tables := range map[string][]uint64{claimsInlineFlush: {1}, "altered_table": {2}, claimsRewrite: {3}, claimsMerge: nil} {
		if len(claims[kind]) != len(tables) {
			t.Errorf("%s: %v", kind, claims[kind])
		}
		for _, table := range tables {
			if !claims[kind][table] {
				t.Errorf("%s: %v", kind, claims[kind])
			}
		}
	}
}
