package history

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// generator chooses the steps of a history.
type generator struct {
	random   *rand.Rand
	restarts bool
	// tables are the names that the history is about: few, so that sessions meet.
	tables []string
	// lake tells that snapshots are inserted, as DuckLake inserts them: with commits that keep its rules, which the server
	// guards. In other histories operators write what they like, and no snapshot.
	lake bool
}

// unguarded are the catalog tables whose rows no rule of a commit is about.
var unguarded = []string{
	"ducklake_metadata", "ducklake_tag", "ducklake_column_tag", "ducklake_table_column_stats", "ducklake_file_column_stats",
	"ducklake_file_variant_stats", "ducklake_schema_versions", "ducklake_files_scheduled_for_deletion",
}

const (
	hotTables = 3
	// attempts bounds the search for a step that can be taken.
	attempts = 1000
)

// creatable are the tables that statements make and drop.
var creatable = []*definition{
	{name: "account", kind: plainTable, key: 0, columns: []column{integerColumn("id"), integerColumn("balance"), textColumn("note")}},
	{name: "event", kind: plainTable, key: -1, columns: []column{integerColumn("id"), textColumn("note")}},
	{name: "ducklake_inlined_data_1_0", kind: inlinedTable, key: -1, columns: inlinedColumns(1)},
	{name: "ducklake_inlined_data_1_1", kind: inlinedTable, key: -1, columns: inlinedColumns(2)},
	{name: "ducklake_inlined_data_2_1", kind: inlinedTable, key: -1, columns: inlinedColumns(1)},
	{name: "ducklake_inlined_delete_1", kind: inlinedTable, key: -1, columns: []column{
		integerColumn("file_id"), integerColumn("row_id"), integerColumn("begin_snapshot"),
	}},
	{name: "scratch", kind: temporaryTable, key: 0, columns: []column{integerColumn("id"), textColumn("note")}},
	{name: "draft", kind: temporaryTable, key: -1, columns: []column{integerColumn("id"), textColumn("note")}, onCommit: " ON COMMIT DROP"},
	{name: "basket", kind: temporaryTable, key: -1, columns: []column{integerColumn("id")}, onCommit: " ON COMMIT DELETE ROWS"},
}

func integerColumn(name string) column { return column{name: name, typ: "BIGINT", fill: null} }
func textColumn(name string) column    { return column{name: name, typ: "VARCHAR", fill: null} }

func inlinedColumns(user int) []column {
	columns := []column{integerColumn("row_id"), integerColumn("begin_snapshot"), integerColumn("end_snapshot")}
	for i := range user {
		columns = append(columns, column{name: fmt.Sprintf("c%d", i), typ: []string{"INTEGER", "VARCHAR"}[i], fill: null})
	}
	return columns
}

func newGenerator(seed uint64) *generator {
	g := &generator{random: rand.New(rand.NewPCG(seed, 0)), restarts: seed%restartEvery == 0}
	g.lake = g.chance(50)
	if g.lake {
		for _, i := range g.random.Perm(len(unguarded))[:hotTables] {
			g.tables = append(g.tables, unguarded[i])
		}
		return g
	}
	definitions := catalog()
	for _, i := range g.random.Perm(len(definitions))[:hotTables] {
		if name := definitions[i].name; name != snapshotTable && name != "ducklake_snapshot_changes" {
			g.tables = append(g.tables, name)
		}
	}
	return g
}

func (g *generator) chance(percent int) bool { return g.random.IntN(100) < percent }

func pick[T any](g *generator, from []T) T { return from[g.random.IntN(len(from))] }

// next chooses a step that the model admits.
func (g *generator) next(m *model) action {
	for range attempts {
		s := pick(g, m.sessions)
		if a := g.action(m, s); m.admits(s, a) {
			return a
		}
	}
	for _, s := range m.sessions {
		if a := (action{session: s.index, deed: cut}); m.admits(s, a) {
			return a
		}
	}
	panic("no session can do anything")
}

func (g *generator) action(m *model, s *session) action {
	a := action{session: s.index}
	switch {
	case g.chance(1), s.hasty && s.tx == nil && g.chance(80):
		a.deed = choose(g.chance(50), cut, terminate)
	case s.waiting != "":
		if g.chance(10) {
			a.deed = cancel
		}
	case s.tx == nil && g.chance(75):
		repeatable := g.chance(80)
		a.message = message{{verb: begin, repeatable: repeatable, readOnly: g.chance(5)}}
	case s.tx != nil && s.tx.failed:
		a.message = message{g.afterFailure(s.tx)}
	case s.tx != nil && g.chance(20):
		a.message = message{g.control(s.tx)}
	case g.lake && s.tx != nil && s.tx.repeatable && g.chance(25):
		a.message = g.lakeCommit(m.sees(s))
	default:
		a.message = message{g.statement(m.sees(s), s.tx != nil)}
	}
	return a
}

func (g *generator) afterFailure(tx *transaction) *statement {
	switch {
	case len(tx.savepoints) > 0 && g.chance(60):
		return &statement{verb: rollbackTo, name: pick(g, tx.savepoints).name}
	case g.chance(15):
		return &statement{verb: read, table: snapshotTable}
	}
	return &statement{verb: choose(g.chance(25), commit, rollback)}
}

func (g *generator) control(tx *transaction) *statement {
	switch {
	case g.chance(30):
		return &statement{verb: setSavepoint, name: pick(g, []string{"a", "b", "c"})}
	case len(tx.savepoints) > 0 && g.chance(50):
		return &statement{verb: choose(g.chance(80), rollbackTo, releaseSavepoint), name: pick(g, tx.savepoints).name}
	}
	return &statement{verb: choose(g.chance(75), commit, rollback)}
}

func (g *generator) statement(seen *transaction, block bool) *statement {
	name := g.name(seen)
	switch {
	case g.lake && g.chance(15):
		return g.read(seen, pick(g, []string{snapshotTable, "ducklake_table", "ducklake_column", "ducklake_data_file", "ducklake_table_stats"}))
	case g.lake && block && strings.HasPrefix(name, "ducklake_inlined"):
		return g.read(seen, name) // within a commit, rows are written as DuckLake writes them
	case g.chance(8):
		return g.redefinition(seen)
	case g.chance(30):
		return g.read(seen, name)
	}
	return g.write(seen, name)
}

// name chooses a table: one of the catalog's, or one that statements make.
func (g *generator) name(seen *transaction) string {
	if name := pick(g, creatable).name; g.chance(50) && (seen.view[name] != nil || g.chance(5)) {
		return name
	}
	return pick(g, g.tables)
}

func (g *generator) redefinition(seen *transaction) *statement {
	if g.chance(15) {
		name := pick(g, []string{"account", "event"})
		if !g.lake && g.chance(50) {
			name = pick(g, g.tables)
		}
		added := column{name: fmt.Sprintf("added_%d", g.random.IntN(3)), typ: pick(g, []string{"BIGINT", "VARCHAR"}), fill: null}
		if g.chance(50) {
			added.fill = "7"
		}
		return &statement{verb: addColumn, table: name, columns: []column{added}}
	}
	chosen := pick(g, creatable)
	if g.chance(75) {
		return &statement{verb: create, definition: chosen, conditional: g.chance(70)}
	}
	return &statement{verb: drop, table: chosen.name, conditional: g.chance(50)}
}

func (g *generator) read(seen *transaction, name string) *statement {
	s := &statement{verb: read, table: name}
	t := seen.view[name]
	if t == nil {
		return s
	}
	if g.chance(50) {
		s.where = g.conditions(t, 2)
	}
	if g.chance(20) {
		s.aggregate = "count"
	} else if numbers := integers(t.definition); g.chance(20) && len(numbers) > 0 {
		s.aggregate = pick(g, numbers).name
	}
	return s
}

func integers(d *definition) (numbers []column) {
	for _, column := range d.columns {
		if column.integer() {
			numbers = append(numbers, column)
		}
	}
	return numbers
}

func (g *generator) write(seen *transaction, name string) *statement {
	t := seen.view[name]
	switch {
	case t == nil || len(t.rows) == 0 || g.chance(40):
		return g.insertion(seen, name, 1+g.random.IntN(3))
	case g.chance(70):
		s := &statement{verb: update, table: name, where: g.conditions(t, 3), set: g.assignments(t.definition)}
		return choose(len(s.set) > 0, s, nil)
	}
	return &statement{verb: remove, table: name, where: g.conditions(t, 3)}
}

// insertion adds rows; nil when the table is not there.
func (g *generator) insertion(seen *transaction, name string, rows int) *statement {
	t := seen.view[name]
	if t == nil {
		return nil
	}
	s := &statement{verb: insert, table: name, columns: t.definition.columns}
	// Rows of one statement are often alike in their ids, as those of one commit of DuckLake are.
	first := g.row(t.definition)
	for i := range rows {
		r := g.row(t.definition)
		for ordinal, column := range t.definition.columns {
			if ordinal != t.definition.key && identifies(column.name) && g.chance(60) {
				r[ordinal] = first[ordinal]
			}
			if column.name == "row_id" && t.definition.kind == inlinedTable && g.chance(70) {
				r[ordinal] = value(strconv.Itoa((number(first[ordinal]) + i) % 60))
			}
		}
		s.rows = append(s.rows, r)
	}
	return s
}

func identifies(name string) bool {
	return strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_snapshot") || name == "key" || name == "scope"
}

func (g *generator) row(d *definition) (r row) {
	for i, column := range d.columns {
		v := g.value(column)
		for (i == d.key || column.notNull || d.kind == inlinedTable && column.name == "row_id") && v == null {
			v = g.value(column)
		}
		r = append(r, v)
	}
	return r
}

// value chooses a value of a column from a small domain, so that rows meet.
func (g *generator) value(column column) value {
	small := func(n int) value { return value(strconv.Itoa(g.random.IntN(n))) }
	switch {
	case column.name == "end_snapshot" && g.chance(75):
		return null
	case !strings.HasSuffix(column.name, "_snapshot") && g.chance(4):
		return null
	case column.name == "scope":
		return pick(g, []value{null, "schema", "table", "other"})
	case column.name == "scope_id":
		return pick(g, []value{null, "1", "2"})
	case column.name == "table_name" && g.chance(50):
		return value(fmt.Sprintf("ducklake_inlined_data_%d_%d", 1+g.random.IntN(2), g.random.IntN(2)))
	case column.name == "snapshot_id":
		return small(12)
	case column.name == "row_id":
		return small(60)
	case strings.HasSuffix(column.name, "file_id"), column.name == "id":
		return small(6)
	case strings.HasSuffix(column.name, "_id"), column.name == "schema_version":
		return small(3)
	case strings.HasSuffix(column.name, "_snapshot"):
		return small(6)
	case column.integer():
		return small(100)
	}
	switch column.typ {
	case "BOOLEAN":
		return pick(g, []value{"t", "f"})
	case "UUID":
		return "00000000-0000-0000-0000-00000000000" + small(3)
	case "TIMESTAMP WITH TIME ZONE":
		return "2024-01-0" + value(strconv.Itoa(1+g.random.IntN(9))) + " 00:00:00+00"
	}
	return pick(g, []value{"a", "b", "c", "", "ä"})
}

// conditions describes a row of the table, by up to so many of its columns.
func (g *generator) conditions(t *table, most int) (conditions []condition) {
	d := t.definition
	if len(t.rows) == 0 {
		return nil
	}
	r := t.rows[pick(g, slices.Sorted(maps.Keys(t.rows)))]
	if d.key >= 0 && g.chance(60) {
		return []condition{{column: d.columns[d.key], operator: "=", value: r[d.key]}}
	}
	for _, i := range g.random.Perm(len(d.columns)) {
		if len(conditions) == most {
			break
		}
		column := d.columns[i]
		if !identifies(column.name) && g.chance(70) {
			continue
		}
		conditions = append(conditions, g.condition(column, r[i]))
	}
	return conditions
}

func (g *generator) condition(column column, v value) condition {
	switch {
	case v == null:
		return condition{column: column, operator: "IS NULL"}
	case column.integer() && g.chance(20):
		return condition{column: column, operator: pick(g, []string{"<=", ">"}), value: v}
	case g.chance(5):
		return condition{column: column, operator: "IS NOT NULL"}
	}
	return condition{column: column, operator: "=", value: v}
}

func (g *generator) assignments(d *definition) (set []assignment) {
	if ordinal := d.ordinal("end_snapshot"); ordinal >= 0 && g.chance(65) {
		return []assignment{{column: d.columns[ordinal], value: value(strconv.Itoa(1 + g.random.IntN(7)))}}
	}
	for _, i := range g.random.Perm(len(d.columns))[:1+g.random.IntN(min(2, len(d.columns)))] {
		column := d.columns[i]
		if i == d.key && (d.kind == catalogTable || g.chance(50)) {
			continue
		}
		if column.integer() && i != d.key && g.chance(30) {
			set = append(set, assignment{column: column, increment: true})
			continue
		}
		v := g.value(column)
		for (i == d.key || column.notNull) && v == null {
			v = g.value(column)
		}
		set = append(set, assignment{column: column, value: v})
	}
	return set
}
