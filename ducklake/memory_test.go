package ducklake

import (
	"testing"

	"moraine/overlay"
	"moraine/pgerror"
	"moraine/relation"
)

// TestRowsOfAllTablesShareOneLimit inserts into a catalog table and into tables of inlined rows and deletions.
func TestRowsOfAllTablesShareOneLimit(t *testing.T) {
	const rows, deletions = "ducklake_inlined_data_7_1", "ducklake_inlined_delete_7"
	tag := []any{7, 1, nil, "comment", "text"}
	for name, row := range map[string][]any{rows: inlinedRowOf(0, 1, nil), deletions: {1, 2, 3}, "ducklake_tag": tag} {
		t.Run(name, func(t *testing.T) {
			c := startedLake(t).begin()
			defer c.rollback()
			c.domain.(*transaction).memory = overlay.NewMemory(0, 2*rowOf(t, inlinedRowOf(0, 1, nil)...).Size(), changesTooLarge)
			c.create(inlinedDefinition(rows))
			c.create(&relation.Definition{Name: deletions, Columns: deletionCodec.columns()})
			var err error
			for range 20 {
				if err = c.tryInsert(name, row...); err != nil {
					break
				}
			}
			if !pgerror.HasCode(err, pgerror.ProgramLimitExceeded) {
				t.Fatalf("got %v", err)
			}
			if err := c.tryInsert(rows, inlinedRowOf(0, 1, nil)...); !pgerror.HasCode(err, pgerror.ProgramLimitExceeded) {
				t.Errorf("another table's row: %v", err)
			}
		})
	}
}
