package function

import (
	"strings"
	"testing"

	"moraine/relation"
)

// TestMatchesAreNotKept counts and replaces millions of matches: a list of them would take hundreds of times the text.
func TestMatchesAreNotKept(t *testing.T) {
	text := relation.Text(strings.Repeat("ab", 1<<18))
	context := &Context{}
	for name, call := range map[string]func() (relation.Value, error){
		"regexp_count": func() (relation.Value, error) {
			return regexpCount(context, []relation.Value{text, relation.Text("a")})
		},
		"regexp_instr": func() (relation.Value, error) {
			return regexpInstr(context, []relation.Value{text, relation.Text("a")})
		},
		"regexp_replace": func() (relation.Value, error) {
			return regexpReplace(context, []relation.Value{text, relation.Text("a"), relation.Text("c"), relation.Text("g")})
		},
	} {
		if _, err := call(); err != nil { // compiles the expression
			t.Fatal(err)
		}
		allocations := testing.AllocsPerRun(1, func() { _, _ = call() })
		if allocations > 1000 {
			t.Errorf("%s allocates %.0f times", name, allocations)
		}
	}
}
