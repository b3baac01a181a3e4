package ducklake

import (
	"context"
	"strings"
	"testing"

	"moraine/ducklake/guard"
	"moraine/overlay"
	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

// soundLake is a guarded lake with one of everything, at snapshot 2: the next catalog id is 10, the next file id 10.
func soundLake(t *testing.T) *lake {
	t.Helper()
	l := newLake(t)
	l.catalog.unguarded = false
	l.begin().genesis().commit()
	c := l.begin()
	c.snapshotRows(1, 10, 0, "")
	c.insert("ducklake_schema", 1, mainUUID, 1, nil, "other", "other/", true)
	c.insertTable(2, 0, 1, "t")
	c.insertColumn(2, 1, 1, "a", nil)
	c.insertColumn(2, 2, 1, "s", nil)
	c.insertColumn(2, 3, 1, "x", 2)
	c.insert("ducklake_view", 3, mainUUID, 1, nil, 0, "v", "duckdb", "SELECT 1", nil)
	c.insertMacro(4, 0, 1, "m", "scalar")
	c.insert("ducklake_partition_info", 5, 2, 1, nil)
	c.insert("ducklake_sort_info", 6, 2, 1, nil)
	c.insertTable(7, 1, 1, "u")
	c.create(inlinedDefinition("ducklake_inlined_data_2_1"))
	c.insert("ducklake_inlined_data_tables", 2, "ducklake_inlined_data_2_1", 1)
	c.mustCommit()
	c = l.begin()
	c.snapshotRows(2, 10, 10, "")
	c.insertRowsFile(0, 2, 2, 0)
	c.insertRowsFile(1, 2, 2, 10)
	c.insertDeleteFile(2, 2, 0, 2)
	c.insert("ducklake_table_stats", 2, 22, 22, 200)
	c.insert("ducklake_inlined_data_2_1", inlinedRowOf(20, 2, nil)...)
	c.insert("ducklake_inlined_data_2_1", inlinedRowOf(21, 2, nil)...)
	c.create(deletionsDefinition("ducklake_inlined_delete_2", c))
	c.insert("ducklake_inlined_delete_2", 1, 3, 2)
	c.mustCommit()
	return l
}

func (c *client) snapshotRows(snapshot, nextCatalog, nextFile int, changes string) {
	c.t.Helper()
	c.insert("ducklake_snapshot", snapshot, instantValue, snapshot, nextCatalog, nextFile)
	c.insert("ducklake_snapshot_changes", snapshot, changes, nil, nil, nil)
}

func (c *client) insertTable(id, schema, begin int, name string) {
	c.t.Helper()
	c.insert("ducklake_table", id, mainUUID, begin, nil, schema, name, name+"/", true)
}

func (c *client) insertColumn(table, id, begin int, name string, parent any) {
	c.t.Helper()
	c.insert("ducklake_column", id, begin, nil, table, id, name, "int32", nil, nil, true, parent, nil, nil)
}

func (c *client) insertMacro(id, schema, begin int, name, kind string) {
	c.t.Helper()
	c.insert("ducklake_macro", schema, id, name, begin, nil)
	c.insert("ducklake_macro_impl", id, 0, "duckdb", "1", kind)
}

// insertRowsFile inserts a data file of ten rows.
func (c *client) insertRowsFile(id, table, begin, firstRow int) {
	c.t.Helper()
	c.insert("ducklake_data_file", id, table, begin, nil, nil, "f.parquet", true, "parquet", 10, 100, 20, firstRow, nil, nil, nil, nil)
}

// askChanges reads what has changed after a snapshot, as DuckLake does before it repeats a lost commit.
func (c *client) askChanges(since int) {
	c.t.Helper()
	changes := c.relation("ducklake_snapshot_changes")
	c.scan(changes, relation.ScanRequest{Columns: []int{1}, Predicates: []relation.Predicate{
		{Column: 0, Comparison: relation.Greater, Values: []relation.Value{relation.Int(int64(since))}},
	}}, func(*relation.Batch, int) {})
}

// tryCommit commits if the guards let it pass, and gives their error otherwise.
func (c *client) tryCommit() error {
	c.t.Helper()
	if err := c.domain.EndMessage(context.Background()); err != nil {
		c.rollback()
		return err
	}
	c.commit()
	return nil
}

func (c *client) mustCommit() {
	c.t.Helper()
	if err := c.tryCommit(); err != nil {
		c.t.Fatal(err)
	}
}

// guardCase is one commit on the sound lake.
type guardCase struct {
	name   string
	rule   string      // that refuses it; "" when it is legal
	others func(*lake) // commits of others that come before
	commit func(*client)
}

// next inserts snapshot 3.
func next(change func(*client)) func(*client) {
	return func(c *client) {
		c.snapshotRows(3, 20, 20, "")
		change(c)
	}
}

// saying inserts snapshot 3 with what it says that it changes.
func saying(changes string, change func(*client)) func(*client) {
	return func(c *client) {
		c.snapshotRows(3, 20, 20, changes)
		change(c)
	}
}

var guardCases = []guardCase{
	{name: "the next snapshot", commit: next(func(*client) {})},
	{name: "an expired snapshot", rule: "snapshot-taken", commit: func(c *client) {
		expiry := c.lake.begin()
		expiry.delete("ducklake_snapshot", where{"snapshot_id", 1})
		expiry.delete("ducklake_snapshot_changes", where{"snapshot_id", 1})
		expiry.commit()
		c.snapshotRows(1, 20, 20, "")
	}},
	{name: "a gap", rule: "snapshot-follows", commit: func(c *client) { c.snapshotRows(4, 20, 20, "") }},
	{name: "two snapshots", rule: "snapshot-follows", commit: next(func(c *client) { c.snapshotRows(4, 20, 20, "") })},
	{name: "counters that stay", commit: func(c *client) { c.snapshotRows(3, 10, 10, "") }},
	{name: "a catalog counter that falls", rule: "snapshot-counters", commit: func(c *client) { c.snapshotRows(3, 9, 10, "") }},
	{name: "a file counter that falls", rule: "snapshot-counters", commit: func(c *client) { c.snapshotRows(3, 10, 9, "") }},

	{name: "a table", commit: next(func(c *client) { c.insertTable(10, 0, 3, "w") })},
	{name: "a table with a negative id", rule: "row-without-id", commit: next(func(c *client) { c.insertTable(-1, 0, 3, "w") })},
	{name: "a file without begin", rule: "row-without-id", commit: next(func(c *client) {
		c.insert("ducklake_data_file", 10, 2, nil, nil, nil, "f", true, "parquet", 1, 1, 1, 22, nil, nil, nil, nil)
	})},
	{name: "a renamed table", commit: next(func(c *client) {
		c.insertTable(2, 0, 3, "w")
		c.update("ducklake_table", "end_snapshot", 3, where{"table_id", 2}, where{"begin_snapshot", 1})
	})},
	{name: "a second version of a table", rule: "overlapping-versions", commit: next(func(c *client) { c.insertTable(2, 0, 3, "w") })},
	{name: "two versions of a column", rule: "overlapping-versions", commit: next(func(c *client) {
		c.insertColumn(2, 4, 3, "c", nil)
		c.insertColumn(2, 4, 3, "d", nil)
	})},
	{name: "a second version of a view", rule: "overlapping-versions", commit: next(func(c *client) {
		c.insert("ducklake_view", 3, mainUUID, 3, nil, 0, "w", "duckdb", "SELECT 2", nil)
	})},
	{name: "a version that begins later", rule: "version-interval", commit: next(func(c *client) { c.insertTable(10, 0, 4, "w") })},
	{name: "a version that ends in the past", rule: "version-interval", commit: next(func(c *client) {
		c.update("ducklake_view", "end_snapshot", 2, where{"view_id", 3})
	})},
	{name: "a version that ends", commit: next(func(c *client) { c.update("ducklake_view", "end_snapshot", 3, where{"view_id", 3}) })},
	{name: "a version that ends again", rule: "version-ended-again",
		others: func(l *lake) {
			c := l.begin()
			c.snapshotRows(3, 10, 10, "")
			c.update("ducklake_view", "end_snapshot", 3, where{"view_id", 3})
			c.mustCommit()
		},
		commit: func(c *client) {
			c.snapshotRows(4, 10, 10, "")
			c.update("ducklake_view", "end_snapshot", 4, where{"view_id", 3})
		}},
	{name: "an id beyond the catalog counter", rule: "id-beyond-counter", commit: next(func(c *client) { c.insertTable(20, 0, 3, "w") })},
	{name: "an id beyond the file counter", rule: "id-beyond-counter", commit: next(func(c *client) { c.insertRowsFile(20, 2, 3, 22) })},
	{name: "an id given out before", rule: "id-reused", commit: next(func(c *client) { c.insertTable(8, 0, 3, "w") })},
	{name: "a file id given out before", rule: "id-reused", commit: next(func(c *client) { c.insertRowsFile(9, 2, 3, 22) })},

	{name: "a schema of the same name", rule: "duplicate-schema-name", commit: next(func(c *client) {
		c.insert("ducklake_schema", 10, mainUUID, 3, nil, "OTHER", "o/", true)
	})},
	{name: "a table of the same name", rule: "duplicate-relation-name", commit: next(func(c *client) { c.insertTable(10, 0, 3, "T") })},
	{name: "a table with the name of a view", rule: "duplicate-relation-name", commit: next(func(c *client) { c.insertTable(10, 0, 3, "v") })},
	{name: "two tables of one name", rule: "duplicate-relation-name", commit: next(func(c *client) {
		c.insertTable(10, 0, 3, "w")
		c.insertTable(11, 0, 3, "W")
	})},
	{name: "the same name in another schema", commit: next(func(c *client) { c.insertTable(10, 1, 3, "t") })},
	{name: "tables that swap names", commit: next(func(c *client) {
		c.update("ducklake_table", "end_snapshot", 3, where{"table_id", 2}, where{"begin_snapshot", 1})
		c.update("ducklake_view", "end_snapshot", 3, where{"view_id", 3})
		c.insertTable(2, 0, 3, "v")
		c.insert("ducklake_view", 3, mainUUID, 3, nil, 0, "t", "duckdb", "SELECT 1", nil)
	})},
	{name: "a table in another case", commit: next(func(c *client) {
		c.update("ducklake_table", "end_snapshot", 3, where{"table_id", 2}, where{"begin_snapshot", 1})
		c.insertTable(2, 0, 3, "T")
	})},
	{name: "a macro of the same name", rule: "duplicate-macro-name", commit: next(func(c *client) { c.insertMacro(10, 0, 3, "M", "scalar") })},
	{name: "a table macro of the same name", commit: next(func(c *client) { c.insertMacro(10, 0, 3, "m", "table") })},
	{name: "a macro in place of another", commit: next(func(c *client) {
		c.insertMacro(10, 0, 3, "m", "scalar")
		c.update("ducklake_macro", "end_snapshot", 3, where{"macro_id", 4})
	})},
	{name: "a column of the same name", rule: "duplicate-column-name", commit: next(func(c *client) { c.insertColumn(2, 4, 3, "A", nil) })},
	{name: "a field of the same name", rule: "duplicate-column-name", commit: next(func(c *client) { c.insertColumn(2, 4, 3, "x", 2) })},
	{name: "a column with the name of a field", commit: next(func(c *client) { c.insertColumn(2, 4, 3, "x", nil) })},
	{name: "a column in place of another", commit: next(func(c *client) {
		c.insertColumn(2, 4, 3, "a", nil)
		c.update("ducklake_column", "end_snapshot", 3, where{"column_id", 1})
	})},

	{name: "a table in a schema that is not there", rule: "live-without-schema", commit: next(func(c *client) { c.insertTable(10, 8, 3, "w") })},
	{name: "a schema dropped with tables in it", rule: "live-without-schema", commit: next(func(c *client) {
		c.update("ducklake_schema", "end_snapshot", 3, where{"schema_id", 1})
	})},
	{name: "a schema dropped with its tables", commit: next(func(c *client) {
		c.update("ducklake_schema", "end_snapshot", 3, where{"schema_id", 1})
		c.update("ducklake_table", "end_snapshot", 3, where{"table_id", 7})
	})},
	{name: "a schema that gets a table as it is dropped", rule: "live-without-schema", commit: next(func(c *client) {
		c.update("ducklake_schema", "end_snapshot", 3, where{"schema_id", 1})
		c.update("ducklake_table", "end_snapshot", 3, where{"table_id", 7})
		c.insertTable(10, 1, 3, "w")
	})},
	{name: "a file of a table that is not there", rule: "live-without-table", commit: next(func(c *client) { c.insertRowsFile(10, 8, 3, 0) })},
	{name: "a file of a table as it is dropped", rule: "live-without-table", commit: next(func(c *client) {
		c.update("ducklake_table", "end_snapshot", 3, where{"table_id", 2})
		c.insertRowsFile(10, 2, 3, 22)
	})},
	{name: "inlined rows of a table as it is dropped", rule: "live-without-table", commit: next(func(c *client) {
		c.update("ducklake_table", "end_snapshot", 3, where{"table_id", 2})
		c.insert("ducklake_inlined_data_2_1", inlinedRowOf(22, 3, nil)...)
	})},
	{name: "a second partitioning", rule: "several-partitionings", commit: next(func(c *client) { c.insert("ducklake_partition_info", 10, 2, 3, nil) })},
	{name: "two sort orders", rule: "several-partitionings", commit: next(func(c *client) {
		c.insert("ducklake_sort_info", 10, 7, 3, nil)
		c.insert("ducklake_sort_info", 11, 7, 3, nil)
	})},
	{name: "another partitioning", commit: next(func(c *client) {
		c.insert("ducklake_partition_info", 10, 2, 3, nil)
		c.update("ducklake_partition_info", "end_snapshot", 3, where{"partition_id", 5})
	})},

	{name: "a second delete file", rule: "several-delete-files", commit: next(func(c *client) { c.insertDeleteFile(10, 2, 0, 3) })},
	{name: "two delete files", rule: "several-delete-files", commit: next(func(c *client) {
		c.insertDeleteFile(10, 2, 1, 3)
		c.insertDeleteFile(11, 2, 1, 3)
	})},
	{name: "a delete file in place of another", commit: next(func(c *client) {
		c.delete("ducklake_delete_file", where{"delete_file_id", 2})
		c.insertDeleteFile(10, 2, 0, 3)
	})},
	{name: "a delete file for a file that is not there", rule: "delete-without-data-file", commit: next(func(c *client) { c.insertDeleteFile(10, 2, 9, 3) })},
	{name: "a delete file for a file as it ends", rule: "delete-without-data-file", commit: next(func(c *client) {
		c.update("ducklake_data_file", "end_snapshot", 3, where{"data_file_id", 1})
		c.insertDeleteFile(10, 2, 1, 3)
	})},
	{name: "a delete file for a new file", commit: next(func(c *client) {
		c.insertRowsFile(10, 2, 3, 22)
		c.insertDeleteFile(11, 2, 10, 3)
		c.update("ducklake_table_stats", "next_row_id", 32, where{"table_id", 2})
	})},
	{name: "inlined deletions from a file that is not there", rule: "delete-without-data-file", commit: next(func(c *client) {
		c.insert("ducklake_inlined_delete_2", 9, 0, 3)
	})},
	{name: "a row deleted inline again", rule: "rows-deleted-twice", commit: next(func(c *client) { c.insert("ducklake_inlined_delete_2", 1, 3, 3) })},
	{name: "a row deleted inline", commit: next(func(c *client) { c.insert("ducklake_inlined_delete_2", 1, 4, 3) })},
	{name: "more rows deleted inline than there are", rule: "rows-deleted-twice", commit: next(func(c *client) {
		for row := range 10 {
			c.insert("ducklake_inlined_delete_2", 0, row, 3)
		}
	})},
	{name: "a delete file with more rows than the file", rule: "rows-deleted-twice", commit: next(func(c *client) {
		c.insert("ducklake_delete_file", 10, 2, 3, nil, 1, "d", true, "parquet", 11, 1, 1, nil, nil)
	})},
	{name: "inlined deletions that become a delete file", commit: next(func(c *client) {
		c.delete("ducklake_inlined_delete_2", where{"row_id", 3})
		c.insert("ducklake_delete_file", 10, 2, 2, nil, 1, "d", true, "parquet", 10, 1, 1, nil, nil)
	})},

	{name: "inlined deletions that become a delete file and stay", rule: "rows-deleted-twice", commit: next(func(c *client) {
		c.insert("ducklake_delete_file", 10, 2, 2, nil, 1, "d", true, "parquet", 1, 1, 1, nil, 2)
	})},
	{name: "a delete file for older deletes and new ones, beside inlined deletions", commit: next(func(c *client) {
		c.insert("ducklake_delete_file", 10, 2, 2, nil, 1, "d", true, "parquet", 5, 1, 1, nil, 3)
	})},
	{name: "inlined deletions of a file that has ended", rule: "",
		others: other("", func(c *client) { c.update("ducklake_data_file", "end_snapshot", 3, where{"data_file_id", 1}) }),
		commit: func(c *client) {
			c.snapshotRows(4, 30, 30, "")
			c.delete("ducklake_inlined_delete_2", where{"row_id", 3})
			c.insert("ducklake_delete_file", 15, 2, 2, nil, 1, "d", true, "parquet", 1, 1, 1, nil, 2)
		}},

	{name: "a flush", commit: saying("inline_flush:2", func(c *client) {
		c.delete("ducklake_inlined_data_2_1", where{"row_id", 20})
		c.delete("ducklake_inlined_data_2_1", where{"row_id", 21})
		c.insertRowsFile(10, 2, 2, 20)
	})},
	{name: "a flush of nothing", rule: "flushed-since", commit: saying("inline_flush:2", func(c *client) { c.insertRowsFile(10, 2, 2, 20) })},
	{name: "a flush named in quotes only", commit: saying(`created_table:"main"."inline_flush:2,"`, func(*client) {})},
	{name: "an inlined delete", commit: saying("inlined_delete:2", func(c *client) {
		c.update("ducklake_inlined_data_2_1", "end_snapshot", 3, where{"row_id", 20})
	})},
	{name: "an inlined delete of nothing", rule: "deletes-nothing", commit: saying("altered_table:7,inlined_delete:2", func(*client) {})},

	{name: "an insert", commit: next(func(c *client) {
		c.insertRowsFile(10, 2, 3, 22)
		c.update("ducklake_table_stats", "next_row_id", 32, where{"table_id", 2})
	})},
	{name: "a next row id that falls", rule: "next-row-id", commit: next(func(c *client) {
		c.update("ducklake_table_stats", "next_row_id", 21, where{"table_id", 2})
	})},
	{name: "row ids above the next", rule: "next-row-id", commit: next(func(c *client) {
		c.insertRowsFile(10, 2, 3, 22)
		c.update("ducklake_table_stats", "next_row_id", 31, where{"table_id", 2})
	})},
	{name: "inlined row ids above the next", rule: "next-row-id", commit: next(func(c *client) {
		c.insert("ducklake_inlined_data_2_1", inlinedRowOf(23, 3, nil)...)
		c.update("ducklake_table_stats", "next_row_id", 23, where{"table_id", 2})
	})},
	{name: "row ids given out before", rule: "row-id-reused", commit: next(func(c *client) {
		c.insertRowsFile(10, 2, 3, 20)
		c.update("ducklake_table_stats", "next_row_id", 32, where{"table_id", 2})
	})},
	{name: "a rewritten file keeps its row ids", commit: saying("rewrite_delete:2", func(c *client) {
		c.update("ducklake_data_file", "end_snapshot", 3, where{"data_file_id", 1})
		c.insertRowsFile(10, 2, 3, 10)
		c.update("ducklake_table_stats", "record_count", 5, where{"table_id", 2})
	})},
	{name: "a negative count", rule: "negative-count", commit: next(func(c *client) {
		c.update("ducklake_table_stats", "record_count", -1, where{"table_id", 2})
	})},
	{name: "a negative size", rule: "negative-count", commit: next(func(c *client) {
		c.insert("ducklake_delete_file", 10, 2, 3, nil, 1, "d", true, "parquet", 1, -1, 1, nil, nil)
	})},
}

// repeatedCases are commits that were computed on snapshot 2, and come after another one.
var repeatedCases = []guardCase{
	{name: "a delete file, after a delete file", rule: "deleted-since", others: deletesByFile,
		commit: repeated("", func(c *client) {
			c.delete("ducklake_delete_file", where{"data_file_id", 1})
			c.insertDeleteFile(15, 2, 1, 4)
		})},
	{name: "an inlined deletion, after a delete file", rule: "deleted-since", others: deletesByFile,
		commit: repeated("", func(c *client) { c.insert("ducklake_inlined_delete_2", 1, 6, 4) })},
	{name: "a delete file, after an inlined deletion", rule: "deleted-since", others: deletesInline,
		commit: repeated("", func(c *client) { c.insertDeleteFile(15, 2, 1, 4) })},
	{name: "a merge, after a delete file", rule: "deleted-since", others: deletesByFile,
		commit: repeated("merge_adjacent:2", func(c *client) {
			c.delete("ducklake_data_file", where{"data_file_id", 1})
			c.delete("ducklake_delete_file", where{"data_file_id", 1})
			c.insertRowsFile(15, 2, 2, 10)
		})},
	{name: "a rewrite, after an inlined deletion", rule: "deleted-since", others: deletesInline,
		commit: repeated("rewrite_delete:2", func(c *client) {
			c.update("ducklake_data_file", "end_snapshot", 4, where{"data_file_id", 1})
			c.insertRowsFile(15, 2, 4, 10)
		})},
	{name: "a delete from another file", others: deletesByFile,
		commit: repeated("", func(c *client) { c.insert("ducklake_inlined_delete_2", 0, 6, 4) })},
	{name: "the table dropped, after a delete", others: deletesByFile,
		commit: repeated("dropped_table:2", func(c *client) {
			c.update("ducklake_table", "end_snapshot", 4, where{"table_id", 2})
			c.update("ducklake_data_file", "end_snapshot", 4, where{"data_file_id", 1})
		})},
	{name: "a delete, after the file has ended", rule: "delete-without-data-file",
		others: other("", func(c *client) { c.update("ducklake_data_file", "end_snapshot", 3, where{"data_file_id", 1}) }),
		commit: repeated("", func(c *client) { c.insertDeleteFile(15, 2, 1, 4) })},
	{name: "an insert, after the table was dropped", rule: "live-without-table",
		others: other("", func(c *client) { c.update("ducklake_table", "end_snapshot", 3, where{"table_id", 2}) }),
		commit: repeated("", func(c *client) { c.insertRowsFile(15, 2, 4, 22) })},
	{name: "a flush, after a delete", rule: "flushed-since",
		others: other("", func(c *client) { c.update("ducklake_inlined_data_2_1", "end_snapshot", 3, where{"row_id", 20}) }),
		commit: repeated("inline_flush:2", func(c *client) {
			c.delete("ducklake_inlined_data_2_1", where{"begin_snapshot", 2})
			c.insertRowsFile(15, 2, 2, 20)
		})},
	{name: "a flush, after a flush", rule: "flushed-since",
		others: other("", func(c *client) { c.delete("ducklake_inlined_data_2_1", where{"begin_snapshot", 2}) }),
		commit: repeated("inline_flush:2", func(c *client) {
			c.delete("ducklake_inlined_data_2_1", where{"begin_snapshot", 2})
			c.insertRowsFile(15, 2, 2, 20)
		})},
	{name: "an inlined delete, after a flush", rule: "deletes-nothing",
		others: other("", func(c *client) { c.delete("ducklake_inlined_data_2_1", where{"begin_snapshot", 2}) }),
		commit: repeated("inlined_delete:2", func(c *client) {
			c.update("ducklake_inlined_data_2_1", "end_snapshot", 4, where{"row_id", 20}, where{"end_snapshot", nil})
		})},
	{name: "a rewrite that counts rows again", rule: "deleted-since", others: deletesInline,
		commit: func(c *client) {
			c.askChanges(2)
			c.find("ducklake_data_file", where{"table_id", 2})
			c.snapshotRows(4, 30, 30, "rewrite_delete:2")
			c.update("ducklake_data_file", "end_snapshot", 4, where{"data_file_id", 1})
			c.insertRowsFile(15, 2, 4, 10)
		}},
	{name: "a delete that was computed anew", others: deletesByFile,
		commit: func(c *client) {
			c.askChanges(2)
			c.find("ducklake_data_file", where{"table_id", 2})
			c.snapshotRows(4, 30, 30, "")
			c.insert("ducklake_inlined_delete_2", 1, 6, 4)
		}},
}

var (
	deletesByFile = other("deleted_from_table:2", func(c *client) { c.insertDeleteFile(10, 2, 1, 3) })
	deletesInline = other("inlined_delete:2", func(c *client) { c.insert("ducklake_inlined_delete_2", 1, 5, 3) })
)

// other is the commit of snapshot 3 by another client.
func other(changes string, change func(*client)) func(*lake) {
	return func(l *lake) {
		c := l.begin()
		c.snapshotRows(3, 10, 15, changes)
		change(c)
		c.mustCommit()
	}
}

// repeated is a commit of snapshot 4 that repeats one on snapshot 2.
func repeated(changes string, change func(*client)) func(*client) {
	return func(c *client) {
		c.askChanges(2)
		c.snapshotRows(4, 30, 30, changes)
		change(c)
	}
}

func TestGuards(t *testing.T) {
	refused := map[string]bool{"indexed-table": true} // by indexedCases
	for _, test := range append(guardCases, repeatedCases...) {
		t.Run(test.name, func(t *testing.T) {
			l := soundLake(t)
			if test.others != nil {
				test.others(l)
			}
			before := l.dump()
			c := l.begin()
			test.commit(c)
			err := c.tryCommit()
			if test.rule == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			refused[test.rule] = true
			wantRefusal(t, err, test.rule)
			if test.name != "an expired snapshot" && len(l.dump()) != len(before) {
				t.Error("something was written")
			}
		})
	}
	for _, rule := range guard.Rules() {
		if !refused[rule.Name] {
			t.Errorf("no case breaks the rule %s", rule.Name)
		}
	}
}

func wantRefusal(t *testing.T, err error, name string) {
	t.Helper()
	if err == nil {
		t.Fatalf("passed, wanted %s", name)
	}
	for _, rule := range guard.Rules() {
		if rule.Name != name {
			continue
		}
		known := pgerror.From(err)
		if !strings.Contains(known.Message, "guard "+name+": ") || known.Code != rule.Code || known.Detail != rule.Description || known.Hint != rule.Hint {
			t.Errorf("%s: %s (%s; %s)", known.Code, known.Message, known.Detail, known.Hint)
		}
		if known.Retried() != rule.Retryable {
			t.Errorf("repeated: %v, wanted %v: %s", known.Retried(), rule.Retryable, known.Message)
		}
		return
	}
	t.Fatalf("there is no rule %s", name)
}

func TestGuardsWaitForTheRestOfACommitInPieces(t *testing.T) {
	l := soundLake(t)
	c := l.begin()
	c.insert("ducklake_snapshot", 3, instantValue, 3, 20, 20)
	c.insertTable(2, 0, 3, "w")
	if err := c.domain.EndMessage(context.Background()); err != nil {
		t.Fatal(err)
	}
	c.update("ducklake_table", "end_snapshot", 3, where{"table_id", 2}, where{"begin_snapshot", 1})
	c.insert("ducklake_snapshot_changes", 3, "altered_table:2", nil, nil, nil)
	c.mustCommit()
	c = l.begin()
	c.insert("ducklake_snapshot", 5, instantValue, 3, 20, 20)
	if err := c.domain.EndMessage(context.Background()); err != nil {
		t.Fatal(err)
	}
	snapshot := l.snapshot()
	defer snapshot.Close()
	wantRefusal(t, c.domain.Stage(context.Background(), snapshot, &store.Batch{}), "snapshot-follows")
	c.rollback()
}

// A statement of a later message can still break a rule: the commit is checked again.
func TestGuardsCheckAgainBeforeTheCommit(t *testing.T) {
	l := soundLake(t)
	c := l.begin()
	c.snapshotRows(3, 20, 20, "")
	if err := c.domain.EndMessage(context.Background()); err != nil {
		t.Fatal(err)
	}
	c.insertTable(10, 0, 3, "t")
	snapshot := l.snapshot()
	defer snapshot.Close()
	wantRefusal(t, c.domain.Stage(context.Background(), snapshot, &store.Batch{}), "duplicate-relation-name")
	c.rollback()
}

func TestGuardsLookAtWhatIsLeftAfterARollback(t *testing.T) {
	l := soundLake(t)
	c := l.begin()
	c.snapshotRows(3, 20, 20, "")
	mark := len(c.journal)
	c.insertTable(10, 0, 3, "t")
	wantRefusal(t, c.domain.EndMessage(context.Background()), "duplicate-relation-name")
	c.rollbackTo(mark)
	c.mustCommit()
}

func TestChangesWithoutASnapshotAreNotJudged(t *testing.T) {
	l := soundLake(t)
	c := l.begin()
	c.insertTable(8, 0, 1, "t")
	c.update("ducklake_table_stats", "next_row_id", 1, where{"table_id", 2})
	c.mustCommit()
}

// The directory of names follows commits that came before it was built and after.
func TestDirectoryOfNamesFollowsTheCommits(t *testing.T) {
	l := soundLake(t)
	one := l.begin()
	one.snapshotRows(3, 20, 20, "")
	one.insertTable(10, 0, 3, "w")
	one.mustCommit()
	two := l.begin()
	two.snapshotRows(4, 20, 20, "")
	two.update("ducklake_table", "end_snapshot", 4, where{"table_id", 10})
	two.mustCommit()
	three := l.begin()
	three.snapshotRows(5, 30, 20, "")
	three.insertTable(20, 0, 5, "w")
	three.mustCommit()
	four := l.begin()
	four.snapshotRows(6, 40, 20, "")
	four.insertTable(30, 0, 6, "W")
	wantRefusal(t, four.tryCommit(), "duplicate-relation-name")
}

func TestRulesAreListed(t *testing.T) {
	c := soundLake(t).begin()
	defer c.rollback()
	function := c.domain.(overlay.FunctionSource).Function("moraine_guards")
	cursor, err := function.Call(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer cursor.Close()
	batch, err := cursor.Next(context.Background())
	if err != nil || batch.Length != len(guard.Rules()) || batch.Width != len(function.Columns) {
		t.Fatalf("%+v, %v", batch, err)
	}
	if first := batch.Row(0); first[0] != relation.Text("snapshot-taken") || first[1] != relation.Text("40001") || !first[2].Bool() {
		t.Errorf("%v", first)
	}
	if c.domain.(overlay.FunctionSource).Function("moraine_guard") != nil {
		t.Error("a function of another name")
	}
}
