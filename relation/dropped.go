package relation

// Leftover is a table that may have been dropped and can still be read, as empty, by those who know its name. The name of
// a dropped one is free, introspection does not list it, and it takes no rows.
type Leftover interface {
	Relation
	Dropped() bool
}

// IsDropped tells whether a relation is what is left of a dropped table.
func IsDropped(found Relation) bool {
	leftover, ok := found.(Leftover)
	return ok && leftover.Dropped()
}
