package bind

import "moraine/relation"

// Purpose is what a statement does with a relation's rows, one bit for each thing.
type Purpose uint8

// Purposes.
const (
	Reads Purpose = 1 << iota
	Inserts
	Updates
	Deletes
)

// Use is a relation that a statement names, and what for. A relation may be there more than once.
type Use struct {
	Relation relation.Relation
	Purpose  Purpose
}

// use notes what a relation is used for, if anybody wants to know.
func (b *binder) use(used relation.Relation, purpose Purpose) {
	if b.restricted {
		b.uses = append(b.uses, Use{used, purpose})
	}
}

// readsIf gives Reads when something of a change reads the rows of its table.
func readsIf(reads bool) Purpose {
	if reads {
		return Reads
	}
	return 0
}

// readsRows tells whether an assigned value may depend on the row: it is more than a constant.
func readsRows(values []Expression) bool {
	for _, value := range values {
		switch value.(type) {
		case *Constant, *Parameter:
		default:
			return true
		}
	}
	return false
}
