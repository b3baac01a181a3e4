package ducklake

import (
	"context"
	"fmt"
	"testing"

	"moraine/internal/golden"
	"moraine/keyspace"
	"moraine/migrate"
	"moraine/store"
	"moraine/store/memory"
)

// lakeOfFormat is the lake that the original wrote, in a format: with the directories that it has, and guarded.
func lakeOfFormat(t *testing.T, format uint64) *lake {
	t.Helper()
	records := golden.Records(t)
	for key, value := range golden.Directories(t) {
		subspace := keyspace.Subspace(key[0])
		if subspace == keyspace.SubspaceName && format >= keyspace.FormatWithNames ||
			subspace == keyspace.SubspaceDeleteTarget && format >= keyspace.FormatWithDeleteTargets {
			records[key] = value
		}
	}
	records[string(keyspace.FormatKey().Bytes())] = string(keyspace.AppendMessage(nil, &keyspace.FormatValue{FormatVersion: format}))
	opened := memory.NewStore()
	golden.Fill(t, opened, records)
	l := openLake(t, opened)
	l.catalog.unguarded = false
	return l
}

// mintGolden inserts a snapshot of the original's lake, whose latest is 22.
func (c *client) mintGolden(snapshot int) *client {
	c.t.Helper()
	c.insert("ducklake_snapshot", snapshot, instantValue, 20, 10*snapshot, 10*snapshot)
	c.insert("ducklake_snapshot_changes", snapshot, "", nil, nil, nil)
	return c
}

// changeNamesAndDeletes commits what concerns the two directories: schemas and tables that come, go, move and get other
// names, and delete files that come, go and are replaced.
func (l *lake) changeNamesAndDeletes() {
	c := l.begin().mintGolden(23)
	c.insert("ducklake_schema", 30, mainUUID, 23, nil, "new", "new/", true)
	c.insertTable(31, 30, 23, "t")
	c.update("ducklake_table", "end_snapshot", 23, where{"table_id", 3}, where{"end_snapshot", nil})
	c.insertTable(3, 1, 23, "orders, \x01 renamed")
	c.mustCommit()
	c = l.begin().mintGolden(24)
	c.update("ducklake_delete_file", "end_snapshot", 24, where{"delete_file_id", 3})
	c.insertDeleteFile(232, 3, 0, 24)
	c.insertDeleteFile(233, 3, 1, 24)
	c.mustCommit()
	c = l.begin().mintGolden(25)
	c.update("ducklake_table", "end_snapshot", 25, where{"table_id", 3}, where{"end_snapshot", nil})
	c.insertTable(3, 30, 25, "moved")
	c.update("ducklake_table", "end_snapshot", 25, where{"table_id", 31})
	c.delete("ducklake_delete_file", where{"delete_file_id", 233})
	c.mustCommit()
}

// TestCommitsKeepTheDirectoriesOfTheirFormat makes the same commits in lakes of all formats. Each has the directories of its
// format and no others, and once they are migrated all have the same records.
func TestCommitsKeepTheDirectoriesOfTheirFormat(t *testing.T) {
	wanted := lakeOfFormat(t, 12)
	wanted.changeNamesAndDeletes()
	for format := uint64(9); format < 12; format++ {
		t.Run(fmt.Sprint(format), func(t *testing.T) {
			l := lakeOfFormat(t, format)
			l.changeNamesAndDeletes()
			for key := range l.dump() {
				subspace := keyspace.Subspace(key[0])
				if subspace == keyspace.SubspaceName && format < keyspace.FormatWithNames || subspace == keyspace.SubspaceDeleteTarget {
					t.Errorf("the lake has %x", key)
				}
			}
			if _, err := migrate.Run(context.Background(), l.store, migrate.Options{}); err != nil {
				t.Fatal(err)
			}
			got, wanted := l.dump(), wanted.dump()
			for _, key := range []keyspace.Key{keyspace.FormatKey(), keyspace.HeadKey()} {
				delete(got, string(key.Bytes()))
				delete(wanted, string(key.Bytes()))
			}
			golden.Compare(t, got, wanted)
		})
	}
}

// TestASecondDeleteFileIsFoundInAllFormats: without a directory, too, which must never be taken for a whole one.
func TestASecondDeleteFileIsFoundInAllFormats(t *testing.T) {
	for format := uint64(9); format <= 12; format++ {
		for _, entries := range []bool{true, false} {
			if format == 12 && !entries {
				continue
			}
			t.Run(fmt.Sprintf("%d, entries %t", format, entries), func(t *testing.T) {
				l := lakeOfFormat(t, format)
				if entries { // of another delete file, left by whoever: the older formats have no directory
					batch := &store.Batch{}
					batch.Put(keyspace.DeleteTargetKey(3, 0, 3).Bytes(), nil)
					if err := l.store.Commit(context.Background(), batch); err != nil {
						t.Fatal(err)
					}
				}
				c := l.begin().mintGolden(23)
				c.insertDeleteFile(32, 3, 0, 23)
				wantRefusal(t, c.tryCommit(), "several-delete-files")
			})
		}
	}
}
