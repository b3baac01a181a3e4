package ducklake

import (
	"context"
	"errors"
	"testing"

	"moraine/store"
)

// TestStagingEndsWhenTheBatchIsFull stages rows of each kind into a batch that has no room for them.
func TestStagingEndsWhenTheBatchIsFull(t *testing.T) {
	const inlined = "ducklake_inlined_data_7_1"
	const rows = 20
	for name, insert := range map[string]func(c *client, i int){
		"records":      func(c *client, i int) { c.insert("ducklake_table_stats", i, 1, 1, 1) },
		"refuge":       func(c *client, _ int) { c.insert("ducklake_table_stats", nil, 1, 1, 1) },
		"inlined rows": func(c *client, i int) { c.insert(inlined, inlinedRowOf(2*i, 1, nil)...) },
	} {
		t.Run(name, func(t *testing.T) {
			c := startedLake(t).begin()
			defer c.rollback()
			c.create(inlinedDefinition(inlined))
			for i := range rows {
				insert(c, i)
			}
			latest := c.snapshot()
			defer latest.Close()
			all := &store.Batch{}
			if err := c.domain.Stage(context.Background(), latest, all); err != nil {
				t.Fatal(err)
			}
			few := store.NewBatch(all.Size() / 4)
			if err := c.domain.Stage(context.Background(), latest, few); !errors.Is(err, store.ErrBatchFull) {
				t.Errorf("%d of %d operations, %v", few.Len(), all.Len(), err)
			}
		})
	}
}
