package ducklake

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"moraine/keyspace"
	"moraine/pgerror"
	"moraine/store"
)

// indexedLake is the sound lake with an equality index on column a of table t.
func indexedLake(t *testing.T, name string) *lake {
	t.Helper()
	l, batch := soundLake(t), &store.Batch{}
	c := l.begin()
	for _, table := range []string{"ducklake_inlined_data_2_2", "ducklake_inlined_data_2_3"} {
		c.create(inlinedDefinition(table))
	}
	c.insert("ducklake_inlined_data_2_3", inlinedRowOf(19, 1, 2)...)
	c.commit()
	batch.Put(keyspace.IndexEntity(2, 8).Current().Bytes(), keyspace.AppendMessage(nil, &keyspace.IndexValue{
		IndexID: 8, TableID: 2, BeginSnapshot: 2, IndexName: name, ColumnIDs: []uint64{1},
	}))
	batch.Put(keyspace.IndexUniqueKey(8, []byte{1}).Bytes(), keyspace.AppendMessage(nil, &keyspace.IndexUniqueValue{RowID: 3}))
	if err := l.store.Commit(context.Background(), batch); err != nil {
		t.Fatal(err)
	}
	l = openLake(t, l.store)
	l.catalog.unguarded = false
	return l
}

// changeType ends the version of a column and begins one of another type.
func (c *client) changeType(table, id, snapshot int, name, dataType string) {
	c.t.Helper()
	c.update("ducklake_column", "end_snapshot", snapshot, where{"table_id", table}, where{"column_id", id})
	c.insert("ducklake_column", id, snapshot, nil, table, id, name, dataType, nil, nil, true, nil, nil, nil)
}

var indexedCases = []struct {
	name   string
	what   string // is refused; "" when the change is legal
	commit func(*client)
}{
	{"a data file", "data file 10 comes", saying("inserted_into_table:2", func(c *client) {
		c.insertRowsFile(10, 2, 3, 22)
		c.update("ducklake_table_stats", "next_row_id", 32, where{"table_id", 2})
	})},
	{"a data file by hand", "data file 10 comes", func(c *client) { c.insertRowsFile(10, 2, 2, 22) }},
	{"a data file that ends", "data file 1 goes", saying("deleted_from_table:2", func(c *client) {
		c.update("ducklake_data_file", "end_snapshot", 3, where{"data_file_id", 1})
	})},
	{"a data file removed by hand", "data file 1 goes", func(c *client) { c.delete("ducklake_data_file", where{"data_file_id", 1}) }},
	{"a delete file", "delete file 10 comes", saying("deleted_from_table:2", func(c *client) { c.insertDeleteFile(10, 2, 1, 3) })},
	{"a delete file in place of another", "delete file 2 goes", saying("deleted_from_table:2", func(c *client) {
		c.delete("ducklake_delete_file", where{"delete_file_id", 2})
		c.insertDeleteFile(10, 2, 0, 3)
	})},
	{"a delete file removed by hand", "delete file 2 goes", func(c *client) { c.delete("ducklake_delete_file", where{"delete_file_id", 2}) }},
	{"inlined rows", "inlined rows come", saying("inlined_insert:2", func(c *client) {
		c.insert("ducklake_inlined_data_2_1", inlinedRowOf(22, 3, nil)...)
		c.update("ducklake_table_stats", "next_row_id", 23, where{"table_id", 2})
	})},
	{"inlined rows that end", "inlined rows are deleted", saying("inlined_delete:2", func(c *client) {
		c.update("ducklake_inlined_data_2_1", "end_snapshot", 3, where{"row_id", 20})
	})},
	{"inlined rows that go", "inlined rows go", next(func(c *client) { c.delete("ducklake_inlined_data_2_1", where{"row_id", 20}) })},
	{"a table of inlined rows that is empty", "", func(c *client) {
		if err := c.domain.DropTable(context.Background(), "ducklake_inlined_data_2_2"); err != nil {
			c.t.Fatal(err)
		}
	}},
	{"a table of inlined rows that have all ended", "", func(c *client) {
		if err := c.domain.DropTable(context.Background(), "ducklake_inlined_data_2_3"); err != nil {
			c.t.Fatal(err)
		}
	}},
	{"a table of inlined deletions that goes", "inlined deletions go", func(c *client) {
		if err := c.domain.DropTable(context.Background(), "ducklake_inlined_delete_2"); err != nil {
			c.t.Fatal(err)
		}
	}},
	{"a table of inlined rows that goes", "inlined rows go", func(c *client) {
		if err := c.domain.DropTable(context.Background(), "ducklake_inlined_data_2_1"); err != nil {
			c.t.Fatal(err)
		}
	}},
	{"rows deleted inline", "rows of data files are deleted inline", saying("inlined_delete:2", func(c *client) {
		c.insert("ducklake_inlined_delete_2", 1, 4, 3)
	})},
	{"inlined deletions that go", "inlined deletions go", func(c *client) { c.delete("ducklake_inlined_delete_2", where{"row_id", 3}) }},
	{"a flush with an insertion", "data file 10 comes", saying("inserted_into_table:2,inline_flush:2", func(c *client) {
		c.delete("ducklake_inlined_data_2_1", where{"begin_snapshot", 2})
		c.insertRowsFile(10, 2, 2, 20)
	})},
	{"a delete file for inlined deletions and new ones", "delete file 10 comes", saying("deleted_from_table:2", func(c *client) {
		c.insert("ducklake_delete_file", 10, 2, 2, nil, 1, "d", true, "parquet", 5, 1, 1, nil, 3)
	})},
	{"the indexed column dropped", "column 1 is dropped", saying("altered_table:2", func(c *client) {
		c.update("ducklake_column", "end_snapshot", 3, where{"table_id", 2}, where{"column_id", 1})
	})},
	{"the indexed column of another type", "column 1 gets another type", saying("altered_table:2", func(c *client) { c.changeType(2, 1, 3, "a", "int64") })},

	{"a flush", "", saying("inline_flush:2", func(c *client) {
		c.delete("ducklake_inlined_data_2_1", where{"begin_snapshot", 2})
		c.insertRowsFile(10, 2, 2, 20)
		c.update("ducklake_table_stats", "next_row_id", 32, where{"table_id", 2})
	})},
	{"a flush of inlined deletions", "", saying("deleted_from_table:2", func(c *client) {
		c.delete("ducklake_inlined_delete_2", where{"row_id", 3})
		c.insert("ducklake_delete_file", 10, 2, 2, nil, 1, "d", true, "parquet", 1, 1, 1, nil, 2)
	})},
	{"a flush of inlined deletions of one snapshot", "", saying("deleted_from_table:2,inline_flush:2,inline_flush:7", func(c *client) {
		c.delete("ducklake_inlined_data_2_1", where{"begin_snapshot", 2})
		c.insertRowsFile(10, 2, 2, 20)
		c.insertDeleteFile(11, 2, 10, 2)
		c.delete("ducklake_inlined_delete_2", where{"row_id", 3})
		c.insertDeleteFile(12, 2, 1, 2)
		c.update("ducklake_table_stats", "next_row_id", 32, where{"table_id", 2})
	})},
	{"a merge", "", saying("merge_adjacent:2", func(c *client) {
		c.delete("ducklake_delete_file", where{"delete_file_id", 2})
		c.delete("ducklake_inlined_delete_2", where{"row_id", 3})
		c.delete("ducklake_data_file", where{"data_file_id", 0})
		c.delete("ducklake_data_file", where{"data_file_id", 1})
		c.insert("ducklake_data_file", 10, 2, 2, nil, nil, "f.parquet", true, "parquet", 20, 100, 20, 0, nil, nil, nil, nil)
	})},
	{"a rewrite", "", saying("rewrite_delete:2", func(c *client) {
		c.update("ducklake_delete_file", "end_snapshot", 3, where{"delete_file_id", 2})
		c.update("ducklake_data_file", "end_snapshot", 3, where{"data_file_id", 0})
		c.insertRowsFile(10, 2, 3, 0)
	})},
	{"the indexed column renamed", "", saying("altered_table:2", func(c *client) { c.changeType(2, 1, 3, "b", "int32") })},
	{"another column dropped", "", saying("altered_table:2", func(c *client) {
		c.update("ducklake_column", "end_snapshot", 3, where{"table_id", 2}, where{"column_id", 3})
	})},
	{"another column of another type", "", saying("altered_table:2", func(c *client) { c.changeType(2, 2, 3, "s", "int64") })},
	{"a new column", "", saying("altered_table:2", func(c *client) { c.insertColumn(2, 4, 3, "c", nil) })},
	{"the table renamed", "", saying("altered_table:2", func(c *client) {
		c.update("ducklake_table", "end_snapshot", 3, where{"table_id", 2})
		c.insertTable(2, 0, 3, "w")
	})},
	{"the table dropped", "", saying("dropped_table:2", func(c *client) {
		c.update("ducklake_table", "end_snapshot", 3, where{"table_id", 2})
		for _, table := range []string{"ducklake_column", "ducklake_data_file", "ducklake_delete_file"} {
			c.update(table, "end_snapshot", 3, where{"table_id", 2})
		}
	})},
	{"rows of another table", "", saying("inserted_into_table:7", func(c *client) { c.insertRowsFile(10, 7, 3, 0) })},
}

func TestIndexesOfTheOriginalStayComplete(t *testing.T) {
	for _, test := range indexedCases {
		t.Run(test.name, func(t *testing.T) {
			l := indexedLake(t, "by_a")
			before := indexRecords(l)
			c := l.begin()
			test.commit(c)
			err := c.tryIndexed()
			if test.what == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
			} else {
				wanted := "commit refused: guard indexed-table: " + test.what + ` in table 2 "t", which has the equality index 8 "by_a"`
				if known := pgerror.From(err); !errors.Is(err, known) || known.Message != wanted || known.Code != pgerror.FeatureNotSupported || known.Retried() {
					t.Errorf("got %v, wanted %s", err, wanted)
				}
			}
			if after := indexRecords(l); !slices.Equal(after, before) || len(after) != 2 {
				t.Errorf("the records of the index are %q, and were %q", after, before)
			}
		})
	}
}

// tryIndexed commits, and gives the refusal: of the message, or of the commit when there is no new snapshot.
func (c *client) tryIndexed() error {
	c.t.Helper()
	if err := c.domain.EndMessage(context.Background()); err != nil {
		c.rollback()
		return err
	}
	latest := c.snapshot()
	defer latest.Close()
	if err := c.domain.Stage(context.Background(), latest, &store.Batch{}); err != nil {
		c.rollback()
		return err
	}
	c.commit()
	return nil
}

// indexRecords gives the definitions and entries of all indexes.
func indexRecords(l *lake) (records []string) {
	for key, value := range l.dump() {
		decoded, err := keyspace.DecodeKey([]byte(key))
		if err == nil && (decoded.Kind() == keyspace.KindCurrentIndex || decoded.Kind().Subspace() == keyspace.SubspaceIndex) {
			records = append(records, key+"="+value)
		}
	}
	slices.Sort(records)
	return records
}

func TestNamesOfIndexesDoNotMakeDuckLakeRepeatACommit(t *testing.T) {
	c := indexedLake(t, "Unique_a").begin()
	c.insertRowsFile(10, 2, 2, 22)
	known := pgerror.From(c.tryIndexed())
	if known.Retried() || !strings.HasSuffix(known.Message, "the equality index 8") {
		t.Errorf("got %v", known)
	}
}

func TestADamagedIndexIsNamed(t *testing.T) {
	l, batch := indexedLake(t, "by_a"), &store.Batch{}
	batch.Put(keyspace.IndexEntity(2, 8).Current().Bytes(), []byte("damage"))
	if err := l.store.Commit(context.Background(), batch); err != nil {
		t.Fatal(err)
	}
	c := l.begin()
	c.insertRowsFile(10, 2, 2, 22)
	known := pgerror.From(c.tryIndexed())
	if known.Code != pgerror.DataCorrupted || !strings.HasPrefix(known.Message, `lake "public": record current/index(2,8) is corrupt`) {
		t.Errorf("got %v", known)
	}
}
