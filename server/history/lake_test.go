package history

import (
	"fmt"
	"strconv"
)

// Ordinals of ducklake_snapshot.
const (
	schemaVersionOrdinal = 2
	nextCatalogIDOrdinal = 3
	nextFileIDOrdinal    = 4
)

const changesTable = "ducklake_snapshot_changes"

// genesis are the first messages to a lake: a snapshot, and a schema for tables.
var genesis = []message{
	{{verb: begin, repeatable: true}},
	{
		catalogInsert(snapshotTable, row{"0", "2024-01-01 00:00:00+00", "0", "1", "0"}),
		catalogInsert(changesTable, row{"0", "created_schema:\"main\"", null, null, null}),
		catalogInsert("ducklake_schema", row{"0", "00000000-0000-0000-0000-000000000000", "0", null, "main", "main/", "t"}),
	},
	{{verb: commit}},
}

func catalogInsert(table string, rows ...row) *statement {
	for _, d := range catalog() {
		if d.name == table {
			return &statement{verb: insert, table: table, columns: d.columns, rows: rows}
		}
	}
	panic("no table " + table)
}

// lakeCommit is a commit as DuckLake writes it: all in one message, the snapshot first.
type lakeCommit struct {
	*generator
	seen              *transaction
	snapshot, changes *statement
	batch             message
	id                value
}

// lakeCommit makes such a message; nil when the transaction has inserted a snapshot already.
func (g *generator) lakeCommit(seen *transaction) message {
	if seen.touched[snapshotTable] != nil {
		return nil
	}
	var last row
	for _, r := range seen.view[snapshotTable].rows {
		if last == nil || number(r[0]) > number(last[0]) {
			last = r
		}
	}
	c := &lakeCommit{generator: g, seen: seen, id: plus(last[0], 1)}
	next := append(row{c.id}, last[1:]...)
	c.snapshot = catalogInsert(snapshotTable, next)
	c.changes = catalogInsert(changesTable, row{c.id, "", pick(g, []value{null, "a"}), null, null})
	c.batch = message{c.snapshot, c.changes}
	if g.chance(10) {
		c.dropTable()
		return c.batch
	}
	// Rows come as a file or inlined, so that next_row_id has to keep up with one of them only.
	rows := choose(g.chance(50), c.addFile, c.inline)
	kinds := []func(){c.createTable, rows, c.endFile, c.renameColumn, c.tag}
	for _, i := range g.random.Perm(len(kinds))[:1+g.random.IntN(3)] {
		kinds[i]()
	}
	return c.batch
}

func plus(v value, n int) value { return value(strconv.Itoa(number(v) + n)) }

// take gives the next id of a counter of the snapshot.
func (c *lakeCommit) take(ordinal int) value {
	counters := c.snapshot.rows[0]
	id := counters[ordinal]
	counters[ordinal] = plus(id, 1)
	return id
}

func (c *lakeCommit) add(statements ...*statement) { c.batch = append(c.batch, statements...) }

// live gives a live row of a versioned table; nil when there is none.
func (c *lakeCommit) live(table string) row {
	t := c.seen.view[table]
	end := t.definition.ordinal("end_snapshot")
	var rows []row
	for _, id := range (&statement{}).matches(t) {
		if t.rows[id][end] == null {
			rows = append(rows, t.rows[id])
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return pick(c.generator, rows)
}

// end ends the live versions that the conditions name.
func (c *lakeCommit) end(table string, conditions ...condition) {
	end := integerColumn("end_snapshot")
	c.add(&statement{
		verb: update, table: table, where: append(conditions, condition{column: end, operator: "IS NULL"}),
		set: []assignment{{column: end, value: c.id}},
	})
}

func equals(name string, v value) condition {
	return condition{column: integerColumn(name), operator: "=", value: v}
}

func (c *lakeCommit) createTable() {
	id := c.take(nextCatalogIDOrdinal)
	c.take(schemaVersionOrdinal)
	name := value("t" + string(id))
	c.add(catalogInsert("ducklake_table", row{id, "00000000-0000-0000-0000-000000000001", c.id, null, "0", name, name + "/", "t"}))
	columns := catalogInsert("ducklake_column")
	for i := range 1 + c.random.IntN(3) {
		columns.rows = append(columns.rows, columnRow(value(strconv.Itoa(i+1)), c.id, id, value(fmt.Sprintf("c%d", i))))
	}
	c.add(columns, catalogInsert("ducklake_schema_versions", row{c.id, c.snapshot.rows[0][schemaVersionOrdinal], id}))
}

func columnRow(id, begin, table, name value) row {
	return row{id, begin, null, table, id, name, "int32", null, null, "t", null, null, null}
}

func (c *lakeCommit) addFile() {
	table := c.live("ducklake_table")
	if table == nil {
		return
	}
	id := c.take(nextFileIDOrdinal)
	c.add(
		catalogInsert("ducklake_data_file", row{
			id, table[0], c.id, null, null, "f" + id, "t", "parquet", "10", "100", "20", null, null, null, null, null,
		}),
		catalogInsert("ducklake_file_column_stats", row{id, table[0], "1", "50", "10", "0", c.value(textColumn("min_value")), null, null, null}),
	)
	stats := c.seen.view["ducklake_table_stats"]
	about := equals("table_id", table[0])
	for _, r := range stats.rows {
		if about.holds(stats.definition, r) {
			c.add(&statement{verb: update, table: "ducklake_table_stats", where: []condition{about}, set: []assignment{
				{column: integerColumn("record_count"), increment: true}, {column: integerColumn("next_row_id"), increment: true},
			}})
			return
		}
	}
	c.add(catalogInsert("ducklake_table_stats", row{table[0], "10", "10", "100"}))
}

func (c *lakeCommit) endFile() {
	if file := c.live("ducklake_data_file"); file != nil {
		c.end("ducklake_data_file", equals("data_file_id", file[0]))
	}
}

func (c *lakeCommit) renameColumn() {
	column := c.live("ducklake_column")
	if column == nil {
		return
	}
	c.take(schemaVersionOrdinal)
	renamed := catalogInsert("ducklake_column", columnRow(column[0], c.id, column[3], "r"+c.id+"_"+column[0]))
	if c.chance(50) {
		c.add(renamed)
		c.add(&statement{
			verb: update, table: "ducklake_column",
			where: []condition{equals("column_id", column[0]), equals("table_id", column[3]), {column: integerColumn("begin_snapshot"), operator: "=", value: column[1]}},
			set:   []assignment{{column: integerColumn("end_snapshot"), value: c.id}},
		})
		return
	}
	c.end("ducklake_column", equals("column_id", column[0]), equals("table_id", column[3]))
	c.add(renamed)
}

// dropTable ends a table and what is in it.
func (c *lakeCommit) dropTable() {
	table := c.live("ducklake_table")
	if table == nil {
		return
	}
	c.take(schemaVersionOrdinal)
	for _, name := range []string{"ducklake_table", "ducklake_column", "ducklake_data_file"} {
		c.end(name, equals("table_id", table[0]))
	}
}

// inline adds a row of inlined data, or ends one.
func (c *lakeCommit) inline() {
	name := pick(c.generator, []string{"ducklake_inlined_data_1_0", "ducklake_inlined_data_1_1", "ducklake_inlined_data_2_1"})
	t, live := c.seen.view[name], map[value]bool{}
	for _, table := range c.seen.view["ducklake_table"].rows {
		live[table[0]] = live[table[0]] || table[3] == null
	}
	if t == nil || t.definition.dropped || !live[value(name[len("ducklake_inlined_data_")])] {
		return
	}
	if ids := (&statement{}).matches(t); len(ids) > 0 && c.chance(50) {
		r := t.rows[pick(c.generator, ids)]
		c.end(name, equals("row_id", r[0]), equals("begin_snapshot", r[1]))
		return
	}
	added := c.insertion(c.seen, name, 1+c.random.IntN(3))
	for _, r := range added.rows {
		r[1], r[2] = c.id, null
	}
	c.add(added)
}

func (c *lakeCommit) tag() {
	if table := c.live("ducklake_table"); table != nil {
		c.add(catalogInsert("ducklake_tag", row{table[0], c.id, null, "comment", c.value(textColumn("value"))}))
	}
}
