package relation

import "context"

// Maximal is a relation that may know the greatest value of a column without a scan, as an index would tell it.
type Maximal interface {
	Relation
	// Maximum gives the greatest value of a column among the rows that a scan would give now, NULL when none has one. known
	// is false when only a scan can tell.
	Maximum(ctx context.Context, column int) (value Value, known bool, err error)
}
