//go:build slatedb

package faults

import (
	"os"
	"slices"
	"strings"
	"testing"

	"moraine/store/storetest/bucket"
)

// death is a way in which a writer can die, or meet another one.
type death struct {
	name string // as docs/durability.md lists it
	run  func(t *testing.T)
}

var deaths = []death{
	{"commit not durable", func(t *testing.T) { dieInCommit(t, bucket.Lost) }},
	{"commit durable but not acknowledged", func(t *testing.T) { dieInCommit(t, bucket.Unanswered) }},
	{"drop of a table with many files", dieInDropOfTable},
	{"group commit", dieInGroupCommit},
	{"takeover in the middle of a commit", takeOverInCommit},
	{"fenced writer resumes", resumeFenced},
	{"genesis interrupted", dieInGenesis},
	{"two geneses at once", meetInGenesis},
	{"migration interrupted", dieInMigration},
	{"creation of a schema interrupted", dieInCreateSchema},
	{"drop of a schema interrupted", dieInDropSchema},
	{"drop of a database interrupted", dieInDropDatabase},
}

func TestDeaths(t *testing.T) {
	for _, death := range deaths {
		t.Run(death.name, death.run)
	}
}

// TestDeathsAreDocumented holds the list of deaths to the one that operators read.
func TestDeathsAreDocumented(t *testing.T) {
	content, err := os.ReadFile("../../docs/durability.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(content), "\n## Deaths\n")
	if !found {
		t.Fatal("docs/durability.md has no section of deaths")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var documented, tested []string
	for _, line := range strings.Split(section, "\n") {
		if name, found := strings.CutPrefix(line, "| **"); found {
			name, _, _ = strings.Cut(name, "**")
			documented = append(documented, name)
		}
	}
	for _, death := range deaths {
		tested = append(tested, death.name)
	}
	if !slices.Equal(documented, tested) {
		t.Errorf("docs/durability.md lists the deaths\n%s\ntested are\n%s", strings.Join(documented, "\n"), strings.Join(tested, "\n"))
	}
}
