package guard

import (
	"fmt"

	"moraine/pgerror"
)

// Rule is one thing that a commit must not break.
type Rule struct {
	Name        string // part of the interface: it stays once it is out
	Description string // what holds after a commit
	Code        string // SQLSTATE of a refusal
	// Retryable tells that the client's next attempt can succeed: DuckLake reads the latest snapshot and statistics anew
	// before it, and nothing else.
	Retryable bool
	Hint      string // what a user can do
}

// Rules gives all rules, in the order of the documentation.
func Rules() []*Rule { return rules }

// refuse makes the error for a commit that breaks the rule. The text has a word by which DuckLake repeats a commit exactly
// when the rule is retryable, so arguments are numbers and words of this package, and names that users give by way of named.
func (r *Rule) refuse(format string, arguments ...any) error {
	what := "guard"
	if r.Retryable {
		what = "conflict, guard"
	}
	return pgerror.New(r.Code, "commit refused: %s %s: %s", what, r.Name, fmt.Sprintf(format, arguments...)).
		WithDetail("%s", r.Description).WithHint("%s", r.Hint)
}
