package migrate

import (
	"bytes"
	"context"

	"moraine/keyspace"
	"moraine/store"
)

// Plan is what there is to do for a lake.
type Plan struct {
	// Format is the stamped format; 0 for a lake without a catalog, which has nothing to migrate.
	Format uint64
	Units  []PlannedUnit
}

// PlannedUnit is one migration that is to be run, or run to its end.
type PlannedUnit struct {
	Name     string
	From, To uint64
	// Records is how many records it reads, and Done how many of them it has read before it was interrupted.
	Records, Done int
	// Begun tells that it is under way.
	Begun bool
}

// Pending tells whether there is anything to migrate, by two records.
func Pending(ctx context.Context, reader store.Reader) (bool, error) {
	s, err := readState(ctx, reader)
	return err == nil && s.unit != nil, err
}

// Inspect tells what a migration would do. It reads all records that it would read, and writes nothing.
func Inspect(ctx context.Context, reader store.Reader) (Plan, error) {
	s, err := readState(ctx, reader)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Format: s.format.FormatVersion}
	from, begun := plan.Format, s.begun
	for next := s.unit; next != nil; next = unitFrom(from) {
		planned := PlannedUnit{Name: next.name, From: from, To: next.to, Begun: begun}
		err := next.walk(ctx, reader, nil, func(key []byte, _ keyspace.Message) bool {
			planned.Records++
			if begun && bytes.Compare(key, s.marker.Cursor) <= 0 {
				planned.Done++
			}
			return ctx.Err() == nil
		})
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return Plan{}, err
		}
		plan.Units = append(plan.Units, planned)
		from, begun = next.to, false
	}
	return plan, nil
}
