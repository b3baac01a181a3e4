package overlay

import "errors"

// Position is how far a catalog has come, in two counts that never go back.
type Position struct {
	Snapshot uint64 // the newest snapshot's id
	Batches  uint64 // the batches that have changed the catalog; 0 for none
}

// AdvanceKind tells how what a catalog keeps in memory was brought up to date with a state that another server has made.
type AdvanceKind string

// Kinds of advances, by cost.
const (
	// Unchanged is for a state that differs in nothing that the catalog keeps.
	Unchanged AdvanceKind = "unchanged"
	// ByChangelog is for one whose changes the lake has recorded, key by key.
	ByChangelog AdvanceKind = "changelog"
	// ByRescan is for one whose changes are not known: what was kept is read anew when it is needed.
	ByRescan AdvanceKind = "rescan"
)

// Advance is one step of a catalog that follows its writer.
type Advance struct {
	Position Position
	Kind     AdvanceKind
	// Keys is how many changed keys were read from the changelog.
	Keys int
}

// ErrOlder says that a state is older than the one before, so that it belongs to another lake of the same name.
var ErrOlder = errors.New("overlay: the state is older than the one before")
