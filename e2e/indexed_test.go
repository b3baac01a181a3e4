package e2e

import (
	"os/exec"
	"testing"

	"moraine/internal/golden"
	"moraine/keyspace"
	"moraine/store"
)

// TestIndexed puts an equality index, as the original keeps them, on a table that DuckDB has made, and lets DuckDB change it.
func TestIndexed(t *testing.T) {
	onStores(t, changeIndexedTable)
}

func changeIndexedTable(t *testing.T, kind storeKind) {
	interpreter := python(t)
	location, data := kind.new(t), t.TempDir()+"/"
	s := newServer(t, location)
	run := func(task string) {
		command := exec.CommandContext(t.Context(), interpreter, "indexed.py", s.connection("moraine"), data, task)
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
	}
	run("create")
	s.stop(t)
	addIndex(t, location, store.Path{Database: "moraine", Schema: "public"}, &keyspace.IndexValue{
		IndexID: 8, TableID: 1, BeginSnapshot: 1, IndexName: "by_id", ColumnIDs: []uint64{1}, Unique: true,
	})
	s.start(t)
	run("change")
}

// addIndex writes the definition of an index into a lake of a store that no server has open.
func addIndex(t *testing.T, folder string, path store.Path, index *keyspace.IndexValue) {
	t.Helper()
	golden.With(t, folder, path, func(lake store.Store) {
		batch := new(store.Batch)
		batch.Put(keyspace.IndexEntity(index.TableID, index.IndexID).Current().Bytes(), keyspace.AppendMessage(nil, index))
		if err := lake.Commit(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	})
}
