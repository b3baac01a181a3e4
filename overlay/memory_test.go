package overlay_test

import (
	"errors"
	"math"
	"testing"

	"moraine/overlay"
	"moraine/relation"
)

var errTooLarge = errors.New("too large")

func limited(limit int64) *overlay.Memory {
	return overlay.NewMemory(0, limit, func(int64) error { return errTooLarge })
}

func unlimited() *overlay.Memory { return limited(math.MaxInt64) }

// TestMemoryOfChanges fills the memory with each kind of change, and empties it again by going back to a savepoint.
func TestMemoryOfChanges(t *testing.T) {
	size := row(0, 0).Size()
	base := storedRows(3)
	environment := &environment{locked: map[string]overlay.Intent{}}
	memory := limited(4*size - 1)
	table := overlay.NewTable(definition, environment, &base, memory)
	other := overlay.NewTable(definition, environment, overlay.NoRows{}, memory)
	stored := drain(t, scan(t, table, relation.ScanRequest{Columns: []int{0, 1}, WithIdentities: true}))
	fill := func() {
		t.Helper()
		if err := other.Insert(background, []relation.Row{row(7, 1)}); err != nil {
			t.Fatal(err)
		}
		if err := table.Update(background, stored[0].identity, row(0, 1)); err != nil {
			t.Fatal(err)
		}
		own := drain(t, scan(t, other, relation.ScanRequest{Columns: []int{0, 1}, WithIdentities: true}))
		if err := other.Update(background, own[0].identity, row(7, 2)); err != nil {
			t.Fatal(err)
		}
	}
	fill()
	refused := func() {
		t.Helper()
		if err := other.Insert(background, []relation.Row{row(8, 1)}); !errors.Is(err, errTooLarge) {
			t.Errorf("an insertion: %v", err)
		}
		if err := table.Update(background, stored[1].identity, row(1, 1)); !errors.Is(err, errTooLarge) {
			t.Errorf("an update: %v", err)
		}
	}
	refused()
	if deleted, err := table.Delete(background, stored[2].identity); err != nil || !deleted {
		t.Errorf("a deletion frees nothing, and takes no row: %t, %v", deleted, err)
	}
	environment.rollback(0)
	fill()
	refused()
}
