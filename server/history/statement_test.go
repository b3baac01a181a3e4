package history

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// value is a SQL value in PostgreSQL's text form.
type value string

const null value = "NULL"

type row []value

type column struct {
	name    string
	typ     string
	notNull bool
	fill    value // what ALTER TABLE gave to the rows that were there
}

func (c column) integer() bool { return c.typ == "BIGINT" || c.typ == "INTEGER" }

func (c column) literal(v value) string {
	if v == null || c.integer() {
		return string(v)
	}
	return "'" + string(v) + "'"
}

// verb is what a statement does.
type verb int

const (
	begin verb = iota
	commit
	rollback
	setSavepoint
	rollbackTo
	releaseSavepoint
	read
	insert
	update
	remove
	create
	drop
	addColumn
)

// condition is "column operator value".
type condition struct {
	column   column
	operator string // =, <=, >, IS NULL, IS NOT NULL
	value    value
}

func (c condition) String() string {
	if strings.HasPrefix(c.operator, "IS ") {
		return c.column.name + " " + c.operator
	}
	return c.column.name + " " + c.operator + " " + c.column.literal(c.value)
}

func (c condition) holds(definition *definition, r row) bool {
	v := null
	if ordinal := definition.ordinal(c.column.name); ordinal >= 0 {
		v = r[ordinal]
	}
	switch {
	case c.operator == "IS NULL":
		return v == null
	case v == null:
		return false
	case c.operator == "IS NOT NULL":
		return true
	case c.operator == "=":
		return v == c.value
	case c.operator == "<=":
		return number(v) <= number(c.value)
	}
	return number(v) > number(c.value)
}

func number(v value) int {
	n, err := strconv.Atoi(string(v))
	if err != nil {
		panic(fmt.Sprintf("the model compares %q as a number", v))
	}
	return n
}

// assignment is "column = value", or "column = column + 1".
type assignment struct {
	column    column
	value     value
	increment bool
}

func (a assignment) String() string {
	if a.increment {
		return a.column.name + " = " + a.column.name + " + 1"
	}
	return a.column.name + " = " + a.column.literal(a.value)
}

func (a assignment) apply(definition *definition, r row) {
	ordinal := definition.ordinal(a.column.name)
	switch {
	case !a.increment:
		r[ordinal] = a.value
	case r[ordinal] != null:
		r[ordinal] = value(strconv.Itoa(number(r[ordinal]) + 1))
	}
}

// statement is one SQL statement, as data that the model runs and the server gets as text.
type statement struct {
	verb  verb
	table string
	name  string // of a savepoint

	repeatable, readOnly bool // of begin

	columns   []column // of insert and addColumn
	rows      []row
	where     []condition
	set       []assignment
	aggregate string // of read: "" for the rows, "count", or the column to take the maximum of

	definition  *definition // of create
	conditional bool        // IF [NOT] EXISTS
}

func (s *statement) String() string {
	switch s.verb {
	case begin:
		text := "BEGIN ISOLATION LEVEL READ COMMITTED"
		if s.repeatable {
			text = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ"
		}
		if s.readOnly {
			text += " READ ONLY"
		}
		return text
	case commit:
		return "COMMIT"
	case rollback:
		return "ROLLBACK"
	case setSavepoint:
		return "SAVEPOINT " + s.name
	case rollbackTo:
		return "ROLLBACK TO SAVEPOINT " + s.name
	case releaseSavepoint:
		return "RELEASE SAVEPOINT " + s.name
	case read:
		return s.query()
	case insert:
		return s.insertion()
	case update:
		var set []string
		for _, assignment := range s.set {
			set = append(set, assignment.String())
		}
		return "UPDATE " + s.table + " SET " + strings.Join(set, ", ") + s.condition()
	case remove:
		return "DELETE FROM " + s.table + s.condition()
	case create:
		return s.definition.creation(s.conditional)
	case drop:
		return "DROP TABLE " + choose(s.conditional, "IF EXISTS ", "") + s.table
	}
	added := s.columns[0]
	text := "ALTER TABLE " + s.table + " ADD COLUMN " + added.name + " " + added.typ
	if added.fill != null {
		text += " DEFAULT " + added.literal(added.fill)
	}
	return text
}

func (s *statement) query() string {
	switch s.aggregate {
	case "":
		return "SELECT * FROM " + s.table + s.condition()
	case "count":
		return "SELECT count(*) FROM " + s.table + s.condition()
	}
	return "SELECT max(" + s.aggregate + ") FROM " + s.table + s.condition()
}

func (s *statement) condition() string {
	var conditions []string
	for _, condition := range s.where {
		conditions = append(conditions, condition.String())
	}
	if len(conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(conditions, " AND ")
}

func (s *statement) insertion() string {
	var names, rows []string
	for _, column := range s.columns {
		names = append(names, column.name)
	}
	for _, row := range s.rows {
		var values []string
		for i, v := range row {
			values = append(values, s.columns[i].literal(v))
		}
		rows = append(rows, "("+strings.Join(values, ", ")+")")
	}
	return "INSERT INTO " + s.table + " (" + strings.Join(names, ", ") + ") VALUES " + strings.Join(rows, ", ")
}

func (s *statement) matches(t *table) (ids []int) {
	for id, r := range t.rows {
		if !slices.ContainsFunc(s.where, func(c condition) bool { return !c.holds(t.definition, r) }) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func choose[T any](condition bool, yes, no T) T {
	if condition {
		return yes
	}
	return no
}

// message is statements that are sent together.
type message []*statement

func (m message) String() string {
	var texts []string
	for _, statement := range m {
		texts = append(texts, statement.String())
	}
	return strings.Join(texts, "; ")
}
