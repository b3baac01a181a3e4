package sqlmap

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/copyformat"
	"moraine/sqlmap/function"
	"moraine/sqlmap/parse"
)

// copyCommand makes COPY ready.
func (s *Session) copyCommand(statement parse.Statement, parameterTypes []uint32, node *pg_query.CopyStmt) (*command, error) {
	if node.Filename != "" || node.IsProgram {
		return nil, pgerror.New(pgerror.InsufficientPrivilege, "COPY to or from a file or program of the server is not allowed").
			WithHint("Use COPY ... TO STDOUT or FROM STDIN; psql's \\copy does so.")
	}
	options, err := copyformat.ParseOptions(copyOptions(&statement, node.Options), node.IsFrom)
	if err != nil {
		return nil, err
	}
	if node.IsFrom {
		return s.copyFrom(statement, node, options)
	}
	query, err := s.copiedQuery(&statement, parameterTypes, node)
	if err != nil {
		return nil, err
	}
	return &command{parameters: query.parameters, changes: query.changes, run: func(arguments []relation.Value) (*result, error) {
		return s.copyTo(query, options, packs(&statement), arguments)
	}}, nil
}

// copyOptions reads the options as the grammar gives them, of the old syntax and the new.
func copyOptions(statement *parse.Statement, nodes []*pg_query.Node) []copyformat.Option {
	options := make([]copyformat.Option, len(nodes))
	for i, node := range nodes {
		element := node.GetDefElem()
		option := &options[i]
		option.Name, option.Given, option.Position = element.Defname, element.Arg != nil, statement.Position(int(element.Location))
		switch value := element.Arg.GetNode().(type) {
		case *pg_query.Node_List:
			option.List = stringsOf(value.List.Items)
		case *pg_query.Node_AStar:
			option.Star = true
		default:
			option.Value = optionText(element.Arg)
		}
	}
	return options
}

// copiedQuery makes the query ready whose rows COPY TO writes.
func (s *Session) copiedQuery(statement *parse.Statement, parameterTypes []uint32, node *pg_query.CopyStmt) (*command, error) {
	tree := node.Query
	if tree == nil {
		definition, err := s.copiedTable(node.Relation)
		if err != nil {
			return nil, err
		}
		columns, err := copiedColumns(definition, stringsOf(node.Attlist))
		if err != nil {
			return nil, err
		}
		tree = tableQuery(node.Relation, definition, columns)
	}
	if into := tree.GetSelectStmt().GetIntoClause(); into != nil {
		return nil, pgerror.New(pgerror.FeatureNotSupported, "COPY (SELECT INTO) is not supported")
	}
	query, err := s.prepare(statement.Inner(tree), parameterTypes)
	if err != nil {
		return nil, err
	}
	if query.columns == nil {
		return nil, pgerror.New(pgerror.FeatureNotSupported, "COPY query must have a RETURNING clause")
	}
	return query, nil
}

func (s *Session) copiedTable(name *pg_query.RangeVar) (*relation.Definition, error) {
	if err := s.checkDatabase(name.Catalogname, name.Schemaname, name.Relname); err != nil {
		return nil, err
	}
	found, err := names{s}.Relation(s.context, name.Schemaname, name.Relname)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, undefinedTable(name.Schemaname, name.Relname)
	}
	return found.Definition(), nil
}

// copiedColumns gives the ordinals of the columns that COPY names, of all without a list.
func copiedColumns(definition *relation.Definition, list []string) ([]int, error) {
	columns := make([]int, 0, len(definition.Columns))
	if len(list) == 0 {
		for i := range definition.Columns {
			columns = append(columns, i)
		}
		return columns, nil
	}
	for _, name := range list {
		ordinal := definition.Ordinal(name)
		if ordinal < 0 {
			return nil, pgerror.New(pgerror.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, definition.Name)
		}
		if slices.Contains(columns, ordinal) {
			return nil, pgerror.New(pgerror.DuplicateColumn, "column \"%s\" specified more than once", name)
		}
		columns = append(columns, ordinal)
	}
	return columns, nil
}

// tableQuery makes the tree of SELECT columns FROM table.
func tableQuery(name *pg_query.RangeVar, definition *relation.Definition, columns []int) *pg_query.Node {
	targets := make([]*pg_query.Node, len(columns))
	for i, ordinal := range columns {
		targets[i] = targetOf(&pg_query.Node{Node: &pg_query.Node_ColumnRef{ColumnRef: &pg_query.ColumnRef{
			Fields: []*pg_query.Node{pg_query.MakeStrNode(definition.Columns[ordinal].Name)}, Location: -1,
		}}})
	}
	tree := selectOf(targets)
	tree.GetSelectStmt().FromClause = []*pg_query.Node{{Node: &pg_query.Node_RangeVar{RangeVar: name}}}
	return tree
}

// columnNames gives the names of columns.
func columnNames(definition *relation.Definition, ordinals []int) []string {
	list := make([]string, len(ordinals))
	for i, ordinal := range ordinals {
		list[i] = definition.Columns[ordinal].Name
	}
	return list
}

// copyTo runs COPY TO STDOUT.
func (s *Session) copyTo(query *command, options copyformat.Options, packed bool, arguments []relation.Value) (*result, error) {
	columns := make([]string, len(query.columns))
	types := make([]relation.Type, len(query.columns))
	for i := range query.columns {
		columns[i], types[i] = query.columns[i].Name, query.columns[i].Type
		if types[i].OID == relation.UnknownOID {
			types[i] = relation.TextType
		}
		if options.Format == copyformat.Binary && !function.HasBinary(types[i].OID) {
			return nil, pgerror.New(pgerror.UndefinedFunction, "no binary output function available for type %s", function.FormatType(types[i]))
		}
	}
	if err := options.CheckColumns("", columns, columns); err != nil {
		return nil, err
	}
	out, err := s.copyWriter(options.Format == copyformat.Binary)
	if err != nil {
		return nil, err
	}
	opened, err := query.run(arguments)
	if err != nil {
		return nil, err
	}
	defer opened.rows.Close()
	// An error of the first rows comes before the client is told to expect any.
	first, err := opened.rows.Next(s.context)
	if err != nil {
		return nil, err
	}
	c := &copyOut{out: out, writer: copyformat.NewWriter(options, columns, types, &s.derived.format), binary: options.Format == copyformat.Binary}
	if packed {
		c.room = messageBytes
	}
	if err := s.out.CopyOut(c.binary, len(columns)); err != nil {
		return nil, err
	}
	if options.Header == copyformat.WriteHeader {
		if err := out.CopyData(func(dst []byte) ([]byte, error) { return c.writer.AppendHeader(dst), nil }); err != nil {
			return nil, err
		}
	}
	if err := c.writeAll(s, first, opened.rows); err != nil {
		return nil, err
	}
	if err := s.out.CopyOutDone(); err != nil {
		return nil, err
	}
	return done(counted("COPY")(c.rows)), nil
}

// messageBytes is about how much binary data goes into one CopyData message of a packed COPY.
const messageBytes = 64 << 10

// packs tells whether binary tuples may share a CopyData message. The protocol lets them, and it is faster, but some drivers
// take a message for a row, as PostgreSQL sends it. DuckDB, which does not, is known by how it spells the format.
func packs(statement *parse.Statement) bool {
	return strings.Contains(statement.Text, `(FORMAT "binary")`)
}

// copyOut writes the rows of COPY TO. A message holds whole rows: one line of text, which clients may rely on, or as many
// binary tuples as fit. The header of the binary format goes with the first tuples, as DuckDB needs it. One closure encodes all
// messages, so a row costs no allocation.
type copyOut struct {
	out    ResultWriter
	writer *copyformat.Writer
	binary bool
	room   int // bytes that a message of tuples may have before another tuple goes into it
	begun  bool
	rows   int
	batch  *relation.Batch
	place  int
}

func (c *copyOut) writeAll(s *Session, batch *relation.Batch, rows relation.Cursor) error {
	encode := c.appendLine
	if c.binary {
		encode = c.appendTuples
	}
	for batch != nil {
		c.rows += batch.Length
		for c.batch, c.place = batch, 0; c.place < batch.Length; {
			if err := c.out.CopyData(encode); err != nil {
				return err
			}
		}
		var err error
		if batch, err = rows.Next(s.context); err != nil {
			return err
		}
	}
	if c.binary {
		return c.out.CopyData(c.appendEnd)
	}
	return nil
}

func (c *copyOut) appendLine(dst []byte) ([]byte, error) {
	c.place++
	return c.writer.AppendRow(dst, c.batch.Row(c.place-1)), nil
}

func (c *copyOut) appendTuples(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = c.appendHeader(dst)
	for {
		dst = c.writer.AppendRow(dst, c.batch.Row(c.place))
		if c.place++; c.place == c.batch.Length || len(dst)-start >= c.room {
			return dst, nil
		}
	}
}

func (c *copyOut) appendHeader(dst []byte) []byte {
	if c.begun {
		return dst
	}
	c.begun = true
	return copyformat.AppendBinaryHeader(dst)
}

func (c *copyOut) appendEnd(dst []byte) ([]byte, error) {
	return copyformat.AppendBinaryTrailer(c.appendHeader(dst)), nil
}
