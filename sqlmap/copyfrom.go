package sqlmap

import (
	"errors"
	"io"
	"slices"
	"strconv"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/role"
	"moraine/sqlmap/copyformat"
	"moraine/sqlmap/function"
	"moraine/sqlmap/parse"
)

// rowsPerInsert is how many rows of COPY FROM go to the table at once.
const rowsPerInsert = 1024

// copyIn is a COPY FROM STDIN.
type copyIn struct {
	session  *Session
	table    relation.Writable
	options  copyformat.Options
	columns  []int            // ordinals, in the order of the data
	defaults map[int]*command // by ordinal, of the columns that the data does not have
	rows     []relation.Row
	values   []relation.Value // from which the next rows are cut
	count    int
	lines    []int // where the rows are in the data, when the table has keys
}

// copyFrom makes COPY FROM STDIN ready.
func (s *Session) copyFrom(statement parse.Statement, node *pg_query.CopyStmt, options copyformat.Options) (*command, error) {
	if node.WhereClause != nil {
		return nil, pgerror.Unsupported("COPY FROM ... WHERE")
	}
	table, err := s.target(node.Relation)
	if err != nil {
		return nil, err
	}
	definition := table.Definition()
	c := &copyIn{session: s, table: table, options: options, defaults: map[int]*command{}}
	if c.columns, err = copiedColumns(definition, stringsOf(node.Attlist)); err != nil {
		return nil, err
	}
	all, _ := copiedColumns(definition, nil)
	if err := options.CheckColumns(definition.Name, columnNames(definition, all), columnNames(definition, c.columns)); err != nil {
		return nil, err
	}
	for i := range definition.Columns {
		if definition.Columns[i].Default != "" && !slices.Contains(c.columns, i) {
			if c.defaults[i], err = s.defaultCommand(&definition.Columns[i]); err != nil {
				return nil, err
			}
		}
	}
	return &command{changes: true, run: func([]relation.Value) (*result, error) {
		if err := s.require(table, role.Insert); err != nil {
			return nil, err
		}
		if definition.Persistence != relation.Temporary {
			if err := s.readOnly("COPY FROM"); err != nil {
				return nil, err
			}
		}
		if err := c.read(); err != nil {
			return nil, err
		}
		return done(counted("COPY")(c.count)), nil
	}}, nil
}

// defaultCommand makes the query ready that computes the default of a column.
func (s *Session) defaultCommand(column *relation.Column) (*command, error) {
	expression, err := parseExpression(column.Default)
	if err != nil {
		return nil, err
	}
	return s.evaluation(&parse.Statement{}, []*pg_query.Node{expression}, []relation.Type{column.Type})
}

// parseExpression reads the SQL text of an expression.
func parseExpression(text string) (*pg_query.Node, error) {
	statements, err := parse.Parse("SELECT " + text)
	if err != nil {
		return nil, err
	}
	if len(statements) != 1 || len(statements[0].Tree.GetSelectStmt().GetTargetList()) != 1 {
		return nil, pgerror.New(pgerror.InternalError, "\"%s\" is not an expression", text)
	}
	return statements[0].Tree.GetSelectStmt().TargetList[0].GetResTarget().GetVal(), nil
}

func (c *copyIn) read() error {
	s, definition := c.session, c.table.Definition()
	out, err := s.copyWriter(c.options.Format == copyformat.Binary)
	if err != nil {
		return err
	}
	data, err := out.CopyIn(c.options.Format == copyformat.Binary, len(c.columns))
	if err != nil {
		return err
	}
	types := make([]relation.Type, len(c.columns))
	for i, ordinal := range c.columns {
		types[i] = definition.Columns[ordinal].Type
	}
	reader := copyformat.NewReader(c.options, copyformat.Layout{
		Relation: definition.Name, Columns: columnNames(definition, c.columns), Types: types, Format: &s.derived.format,
	}, func() ([]byte, error) { return data.Next(s.context) })
	fields := make(relation.Row, len(c.columns))
	for {
		if err := reader.Next(fields); errors.Is(err, io.EOF) {
			return c.flush()
		} else if err != nil {
			return err
		}
		if err := c.add(fields); err != nil {
			return at(err, reader.Context())
		}
		if len(definition.Constraints) > 0 {
			c.lines = append(c.lines, reader.Line())
		}
		if len(c.rows) == rowsPerInsert {
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
}

// at adds the place in the data to an error that has none.
func at(err error, context string) error {
	known := pgerror.From(err)
	if known.Where == "" {
		known.Where = context
	}
	return known
}

// add takes one row.
func (c *copyIn) add(fields relation.Row) error {
	definition := c.table.Definition()
	width := len(definition.Columns)
	if len(c.values) < width {
		c.values = make([]relation.Value, width*rowsPerInsert)
	}
	row := relation.Row(c.values[:width:width])
	c.values = c.values[width:]
	for i, ordinal := range c.columns {
		row[ordinal] = fields[i]
	}
	for ordinal, command := range c.defaults {
		value, err := c.session.only(command)
		if err != nil {
			return err
		}
		row[ordinal] = value
	}
	c.count++
	for i := range definition.Columns {
		if definition.Columns[i].NotNull && row[i].IsNull() {
			return notNullViolation(definition, i, row, &c.session.derived.format)
		}
	}
	c.rows = append(c.rows, row)
	return nil
}

func (c *copyIn) flush() error {
	if len(c.rows) == 0 {
		return nil
	}
	rows, lines := c.rows, c.lines
	c.rows, c.lines = make([]relation.Row, 0, rowsPerInsert), c.lines[:0]
	if len(c.table.Definition().Constraints) == 0 {
		return c.table.Insert(c.session.context, rows)
	}
	handle, err := c.session.handle()
	if err != nil {
		return err
	}
	mark := handle.Savepoint()
	if err = c.table.Insert(c.session.context, rows); !pgerror.HasCode(err, pgerror.UniqueViolation) {
		return err
	}
	// One after the other, the rows tell which of them it was.
	if failure := handle.RollbackTo(c.session.context, mark); failure != nil {
		return err
	}
	for i := range rows {
		if err := c.table.Insert(c.session.context, rows[i:i+1]); err != nil {
			return at(err, "COPY "+c.table.Definition().Name+", line "+strconv.Itoa(lines[i]))
		}
	}
	return err
}

// only runs a command that gives one value.
func (s *Session) only(command *command) (relation.Value, error) {
	result, err := command.run(nil)
	if err != nil {
		return relation.NULL, err
	}
	defer result.rows.Close()
	batch, err := result.rows.Next(s.context)
	if err != nil || batch == nil {
		return relation.NULL, err
	}
	return batch.Row(0)[0], nil
}

// notNullViolation is 23502 for a row, whose values it shows as PostgreSQL does.
func notNullViolation(definition *relation.Definition, column int, row relation.Row, format *function.Format) error {
	failing := ""
	for i := range row {
		if i > 0 {
			failing += ", "
		}
		if row[i].IsNull() {
			failing += "null"
		} else {
			failing += shorten(function.ToText(definition.Columns[i].Type, row[i], format))
		}
	}
	err := pgerror.New(pgerror.NotNullViolation, "null value in column \"%s\" of relation \"%s\" violates not-null constraint",
		definition.Columns[column].Name, definition.Name).WithDetail("Failing row contains (%s).", failing)
	err.Schema, err.Table, err.Column = definition.Schema, definition.Name, definition.Columns[column].Name
	return err
}

// shorten cuts a value to the 64 bytes that PostgreSQL shows of it.
func shorten(text string) string {
	const shown = 64
	if len(text) <= shown {
		return text
	}
	return cut(text, shown) + "..."
}
