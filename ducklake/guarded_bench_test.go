package ducklake

import (
	"context"
	"fmt"
	"testing"

	"moraine/ducklake/guard"
	"moraine/store"
)

// BenchmarkGuards is what the guards add to a commit of some data files, without what the store itself needs.
func BenchmarkGuards(b *testing.B) {
	for _, files := range []int{1, 1000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			l, closeLake := benchmarkLake(b, 10, 0)
			defer closeLake()
			l.catalog.unguarded = false
			setUp := l.begin()
			setUp.insertTable(7, 0, 1, "t")
			setUp.insert("ducklake_table_stats", 7, 10, 10, 100)
			setUp.commit()
			c := l.begin()
			defer c.rollback()
			latest := l.snapshot()
			defer latest.Close()
			const id = 1
			c.snapshotRows(id, 1<<20, 1<<30, "inserted_into_table:7")
			for i := range files {
				c.insertRowsFile(1<<20+i, 7, id, 10*(i+1))
			}
			c.update("ducklake_table_stats", "next_row_id", 10*files+10, where{"table_id", 7})
			transaction := c.domain.(*transaction)
			if err := transaction.guard(context.Background(), latest); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				checkAgain(b, transaction, latest)
			}
		})
	}
}

func checkAgain(b *testing.B, t *transaction, latest store.Reader) {
	b.Helper()
	commit, err := t.commit(context.Background(), latest)
	if err != nil {
		b.Fatal(err)
	}
	if err := guard.Check(context.Background(), latest, &t.catalog.names, commit); err != nil {
		b.Fatal(err)
	}
}
