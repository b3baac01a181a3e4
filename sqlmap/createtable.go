package sqlmap

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/parse"
)

// maximumColumns bounds the columns of a table, as PostgreSQL's MaxHeapAttributeNumber.
const maximumColumns = 1600

// systemColumns are the names that a table's columns cannot have.
var systemColumns = map[string]bool{"ctid": true, "xmin": true, "xmax": true, "cmin": true, "cmax": true, "tableoid": true}

// tableDesign is a table that is being defined.
type tableDesign struct {
	session    *Session
	statement  *parse.Statement
	definition *relation.Definition
}

// createTable runs CREATE TABLE.
func (s *Session) createTable(statement *parse.Statement, node *pg_query.CreateStmt) error {
	switch {
	case len(node.InhRelations) > 0:
		return pgerror.Unsupported("table inheritance")
	case node.Partspec != nil || node.Partbound != nil:
		return pgerror.Unsupported("a partitioned table")
	case node.OfTypename != nil:
		return pgerror.Unsupported("CREATE TABLE OF")
	case len(node.Options) > 0:
		return pgerror.Unsupported("a storage parameter")
	}
	definition, exists, err := s.newDefinition(statement, node.Relation, node.Oncommit, node.IfNotExists)
	if err != nil || exists {
		return err
	}
	design := &tableDesign{session: s, statement: statement, definition: definition}
	if err := design.addElements(node.TableElts); err != nil {
		return err
	}
	return s.create(definition)
}

// create makes the table.
func (s *Session) create(definition *relation.Definition) error {
	handle, err := s.handle()
	if err != nil {
		return err
	}
	if err := handle.CreateTable(s.context, definition); err != nil || definition.Schema == relation.TemporarySchema {
		return err
	}
	return s.created(s.tableObject(definition))
}

// newDefinition begins the definition of a table. It tells whether there is a table of that name already, which IF NOT EXISTS
// allows.
func (s *Session) newDefinition(
	statement *parse.Statement, name *pg_query.RangeVar, onCommit pg_query.OnCommitAction, ifNotExists bool,
) (*relation.Definition, bool, error) {
	position := func() int { return statement.Position(int(name.Location)) }
	if err := s.checkDatabase(name.Catalogname, name.Schemaname, name.Relname); err != nil {
		return nil, false, err
	}
	definition := &relation.Definition{Name: name.Relname, Kind: relation.Table, Persistence: relation.Permanent}
	temporary := name.Relpersistence == "t" || actualSchema(name.Schemaname) == relation.TemporarySchema
	switch {
	case temporary && name.Schemaname != "" && actualSchema(name.Schemaname) != relation.TemporarySchema:
		return nil, false, pgerror.New(pgerror.InvalidTableDefinition, "cannot create temporary relation in non-temporary schema").
			WithPosition(position())
	case temporary:
		definition.Schema, definition.Persistence = relation.TemporarySchema, relation.Temporary
	default:
		schema, err := s.creationSchema(name.Schemaname)
		if err != nil {
			return nil, false, err
		}
		if err := s.requireSchema(schema); err != nil {
			return nil, false, positioned(err, position())
		}
		definition.Schema = schema
	}
	if err := s.requireCreation(definition.Schema); err != nil {
		return nil, false, positioned(err, position())
	}
	if err := setOnCommit(definition, onCommit); err != nil {
		return nil, false, err
	}
	exists, err := s.tableExists(definition, ifNotExists)
	return definition, exists, err
}

func setOnCommit(definition *relation.Definition, action pg_query.OnCommitAction) error {
	switch action {
	case pg_query.OnCommitAction_ONCOMMIT_DELETE_ROWS:
		definition.OnCommit = relation.DeleteRows
	case pg_query.OnCommitAction_ONCOMMIT_DROP:
		definition.OnCommit = relation.Drop
	case pg_query.OnCommitAction_ONCOMMIT_PRESERVE_ROWS:
	default:
		return nil
	}
	if definition.Persistence != relation.Temporary {
		return pgerror.New(pgerror.InvalidTableDefinition, "ON COMMIT can only be used on temporary tables")
	}
	return nil
}

// tableExists looks for a table of the definition's name: 42P07, or a notice when that is allowed.
func (s *Session) tableExists(definition *relation.Definition, allowed bool) (bool, error) {
	found, err := s.relationIn(s.context, definition.Schema, definition.Name)
	if found == nil || err != nil || relation.IsDropped(found) {
		return false, err
	}
	if allowed {
		return true, s.notice(pgerror.SeverityNotice, pgerror.DuplicateTable, "relation \"%s\" already exists, skipping", definition.Name)
	}
	return true, pgerror.New(pgerror.DuplicateTable, "relation \"%s\" already exists", definition.Name)
}

// addElements adds columns and constraints. Constraints of columns come in the order of the columns, those of the table after
// them, as in PostgreSQL.
func (d *tableDesign) addElements(elements []*pg_query.Node) error {
	var constraints []*pg_query.Constraint
	for _, element := range elements {
		switch node := element.GetNode().(type) {
		case *pg_query.Node_ColumnDef:
			own, err := d.addColumn(node.ColumnDef)
			if err != nil {
				return err
			}
			constraints = append(constraints, own...)
		case *pg_query.Node_Constraint:
			constraints = append(constraints, node.Constraint)
		case *pg_query.Node_TableLikeClause:
			if err := d.addLike(node.TableLikeClause); err != nil {
				return err
			}
		default:
			return pgerror.Unsupported(constructOf(element))
		}
	}
	// The primary key comes first, whatever its place.
	for _, primary := range []bool{true, false} {
		for _, constraint := range constraints {
			if (constraint.Contype == pg_query.ConstrType_CONSTR_PRIMARY) == primary {
				if err := d.addConstraint(constraint); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// appendColumn adds a column with the next number.
func (d *tableDesign) appendColumn(column relation.Column) error {
	definition := d.definition
	switch {
	case len(definition.Columns) >= maximumColumns:
		return pgerror.New(pgerror.TooManyColumns, "tables can have at most %d columns", maximumColumns)
	case definition.Ordinal(column.Name) >= 0:
		return pgerror.New(pgerror.DuplicateColumn, "column \"%s\" specified more than once", column.Name)
	case systemColumns[column.Name]:
		return pgerror.New(pgerror.DuplicateColumn, "column name \"%s\" is the name of a system column", column.Name)
	}
	column.Number = 1
	for i := range definition.Columns {
		column.Number = max(column.Number, definition.Columns[i].Number+1)
	}
	definition.Columns = append(definition.Columns, column)
	return nil
}

// addColumn adds a column and gives the key constraints that were written with it.
func (d *tableDesign) addColumn(node *pg_query.ColumnDef) ([]*pg_query.Constraint, error) {
	column, constraints, err := d.designColumn(node)
	if err != nil {
		return nil, err
	}
	return constraints, d.appendColumn(column)
}

func (d *tableDesign) designColumn(node *pg_query.ColumnDef) (relation.Column, []*pg_query.Constraint, error) {
	column := relation.Column{Name: node.Colname}
	var err error
	if column.Type, err = resolveType(d.statement, node.TypeName); err != nil {
		return column, nil, err
	}
	if err := storable(&column); err != nil {
		return column, nil, positioned(err, d.statement.Position(int(node.Location)))
	}
	if err := supportedCollation(node.CollClause); err != nil {
		return column, nil, err
	}
	var keys []*pg_query.Constraint
	nullable := false
	for _, item := range node.Constraints {
		constraint := item.GetConstraint()
		switch constraint.GetContype() {
		case pg_query.ConstrType_CONSTR_NULL:
			nullable = true
		case pg_query.ConstrType_CONSTR_NOTNULL:
			column.NotNull = true
		case pg_query.ConstrType_CONSTR_DEFAULT:
			if column.Default, err = d.session.defaultText(d.statement, constraint.RawExpr, &column); err != nil {
				return column, nil, err
			}
		case pg_query.ConstrType_CONSTR_PRIMARY, pg_query.ConstrType_CONSTR_UNIQUE:
			key := &pg_query.Constraint{
				Contype: constraint.Contype, Conname: constraint.Conname, Location: constraint.Location,
				Deferrable: constraint.Deferrable, Initdeferred: constraint.Initdeferred, NullsNotDistinct: constraint.NullsNotDistinct,
				Keys: []*pg_query.Node{pg_query.MakeStrNode(node.Colname)},
			}
			keys = append(keys, key)
		default:
			if err := unsupportedConstraint(constraint); err != nil {
				return column, nil, err
			}
		}
	}
	if nullable && column.NotNull {
		return column, nil, pgerror.New(pgerror.SyntaxError, "column \"%s\" of table \"%s\" is declared both NULL and NOT NULL",
			column.Name, d.definition.Name)
	}
	return column, keys, nil
}

// storable refuses the types that no column can have.
func storable(column *relation.Column) error {
	switch column.Type.OID {
	case relation.UnknownOID, relation.VoidOID, relation.RecordOID:
		return pgerror.New(pgerror.InvalidTableDefinition, "column \"%s\" has a pseudo-type", column.Name)
	}
	return nil
}

func supportedCollation(clause *pg_query.CollateClause) error {
	if clause == nil {
		return nil
	}
	name := stringsOf(clause.Collname)
	switch name[len(name)-1] {
	case "C", "POSIX", "default", "ucs_basic":
		return nil
	}
	return pgerror.Unsupported("collation \"" + strings.Join(name, ".") + "\"")
}

func unsupportedConstraint(constraint *pg_query.Constraint) error {
	switch constraint.GetContype() {
	case pg_query.ConstrType_CONSTR_CHECK:
		return pgerror.Unsupported("a CHECK constraint")
	case pg_query.ConstrType_CONSTR_FOREIGN:
		return pgerror.Unsupported("a FOREIGN KEY constraint")
	case pg_query.ConstrType_CONSTR_EXCLUSION:
		return pgerror.Unsupported("an EXCLUDE constraint")
	case pg_query.ConstrType_CONSTR_GENERATED:
		return pgerror.Unsupported("a generated column")
	case pg_query.ConstrType_CONSTR_IDENTITY:
		return pgerror.Unsupported("an identity column").WithHint("Give the values in INSERT.")
	case pg_query.ConstrType_CONSTR_ATTR_DEFERRABLE, pg_query.ConstrType_CONSTR_ATTR_DEFERRED:
		return pgerror.Unsupported("a deferrable constraint")
	}
	return nil
}

// defaultText gives the SQL text of a default, once it is known that it makes a value of the column's type; "" for NULL, which
// is no default. A literal becomes a value of its type now, so that 'today' means the day of the definition.
func (s *Session) defaultText(statement *parse.Statement, expression *pg_query.Node, column *relation.Column) (string, error) {
	bound, err := bind.Default(s.context, names{s}, statement, expression, column)
	if err != nil {
		return "", err
	}
	if constant, ok := bound.(*bind.Constant); ok && constant.Value.IsNull() {
		return "", nil
	}
	if text, ok := bind.SQL(bound); ok {
		return text, nil
	}
	return expressionText(expression)
}

// grammarVersion is the version of PostgreSQL's grammar that libpg_query's trees have.
const grammarVersion = 170007

// expressionText writes an expression as SQL.
func expressionText(expression *pg_query.Node) (string, error) {
	text, err := pg_query.Deparse(&pg_query.ParseResult{Version: grammarVersion, Stmts: []*pg_query.RawStmt{{Stmt: selectOf([]*pg_query.Node{targetOf(expression)})}}})
	if err != nil {
		return "", pgerror.New(pgerror.FeatureNotSupported, "this expression cannot be kept as a default: %s", err.Error())
	}
	return strings.TrimPrefix(text, "SELECT "), nil
}

// targetOf makes a target of a select list.
func targetOf(expression *pg_query.Node) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_ResTarget{ResTarget: &pg_query.ResTarget{Val: expression, Location: -1}}}
}

// Options of LIKE in the grammar's bit set.
const (
	likeComments = 1 << 0
	likeDefaults = 1 << 3
	likeIndexes  = 1 << 6
)

// addLike adds the columns of another table.
func (d *tableDesign) addLike(node *pg_query.TableLikeClause) error {
	source, err := names{d.session}.Relation(d.session.context, node.Relation.Schemaname, node.Relation.Relname)
	if err != nil {
		return err
	}
	if source == nil {
		return positioned(undefinedTable(node.Relation.Schemaname, node.Relation.Relname), d.statement.Position(int(node.Relation.Location)))
	}
	model := source.Definition()
	first := len(d.definition.Columns)
	for _, column := range model.Columns {
		if node.Options&likeDefaults == 0 {
			column.Default = ""
		}
		if node.Options&likeComments == 0 {
			column.Comment = ""
		}
		if err := d.appendColumn(column); err != nil {
			return err
		}
	}
	if node.Options&likeIndexes == 0 {
		return nil
	}
	for _, constraint := range model.Constraints {
		columns := make([]int, len(constraint.Columns))
		for i, ordinal := range constraint.Columns {
			columns[i] = ordinal + first
		}
		if err := d.addKey(constraint.Kind, "", columns); err != nil {
			return err
		}
	}
	return nil
}

// createTableAsStatement makes CREATE TABLE ... AS ready.
func (s *Session) createTableAsStatement(statement parse.Statement, parameterTypes []uint32, node *pg_query.CreateTableAsStmt) (*command, error) {
	if node.Objtype != pg_query.ObjectType_OBJECT_TABLE {
		return nil, pgerror.Unsupported("CREATE MATERIALIZED VIEW")
	}
	return s.createFromQuery(statement.Inner(node.Query), parameterTypes, node.Into, node.IfNotExists)
}

// createTableAs makes SELECT INTO ready.
func (s *Session) createTableAs(statement parse.Statement, parameterTypes []uint32, query *pg_query.SelectStmt, into *pg_query.IntoClause) (*command, error) {
	plain := pg_query.Node{Node: &pg_query.Node_SelectStmt{SelectStmt: withoutInto(query)}}
	return s.createFromQuery(statement.Inner(&plain), parameterTypes, into, false)
}

// withoutInto gives the query of a SELECT INTO. Trees are shared, so the node is copied.
func withoutInto(query *pg_query.SelectStmt) *pg_query.SelectStmt {
	return &pg_query.SelectStmt{
		DistinctClause: query.DistinctClause, TargetList: query.TargetList, FromClause: query.FromClause, WhereClause: query.WhereClause,
		GroupClause: query.GroupClause, GroupDistinct: query.GroupDistinct, HavingClause: query.HavingClause, WindowClause: query.WindowClause,
		ValuesLists: query.ValuesLists, SortClause: query.SortClause, LimitOffset: query.LimitOffset, LimitCount: query.LimitCount,
		LimitOption: query.LimitOption, LockingClause: query.LockingClause, WithClause: query.WithClause, Op: query.Op, All: query.All,
		Larg: query.Larg, Rarg: query.Rarg,
	}
}

// createFromQuery makes a command ready that creates a table with the rows of a query.
func (s *Session) createFromQuery(query parse.Statement, parameterTypes []uint32, into *pg_query.IntoClause, ifNotExists bool) (*command, error) {
	made, err := s.prepare(query, parameterTypes)
	if err != nil {
		return nil, err
	}
	return &command{parameters: made.parameters, changes: true, run: func(arguments []relation.Value) (*result, error) {
		if err := s.readOnly("CREATE TABLE AS"); err != nil {
			return nil, err
		}
		definition, exists, err := s.newDefinition(&query, into.Rel, into.OnCommit, ifNotExists)
		if err != nil {
			return nil, err
		}
		if exists || into.SkipData {
			if !exists {
				err = s.createFor(definition, made.columns, stringsOf(into.ColNames))
			}
			return done("CREATE TABLE AS"), err
		}
		if err := s.createFor(definition, made.columns, stringsOf(into.ColNames)); err != nil {
			return nil, err
		}
		count, err := s.fill(definition, made, arguments)
		if err != nil {
			return nil, err
		}
		return done(counted("SELECT")(count)), nil
	}}, nil
}

// createFor creates a table with the columns of a query.
func (s *Session) createFor(definition *relation.Definition, columns []bind.SourceColumn, columnNames []string) error {
	if len(columnNames) > len(columns) {
		return pgerror.New(pgerror.SyntaxError, "too many column names were specified")
	}
	design := &tableDesign{session: s, definition: definition}
	for i := range columns {
		column := relation.Column{Name: columns[i].Name, Type: columns[i].Type}
		if i < len(columnNames) {
			column.Name = columnNames[i]
		}
		if column.Type.OID == relation.UnknownOID {
			column.Type = relation.TextType
		}
		if err := storable(&column); err != nil {
			return err
		}
		if err := design.appendColumn(column); err != nil {
			return err
		}
	}
	defer s.definitionsChanged()
	return s.create(definition)
}

// fill inserts the rows of a query into a new table.
func (s *Session) fill(definition *relation.Definition, made *command, arguments []relation.Value) (int, error) {
	table, err := s.writable(definition.Schema, definition.Name)
	if err != nil {
		return 0, err
	}
	result, err := made.run(arguments)
	if err != nil {
		return 0, err
	}
	if result.rows == nil {
		return 0, pgerror.Unsupported("CREATE TABLE AS of a statement without rows")
	}
	defer result.rows.Close()
	count := 0
	for {
		batch, err := result.rows.Next(s.context)
		if batch == nil || err != nil {
			return count, err
		}
		values := append([]relation.Value(nil), batch.Values[:batch.Length*batch.Width]...)
		rows := make([]relation.Row, batch.Length)
		for i := range rows {
			rows[i] = values[i*batch.Width : (i+1)*batch.Width : (i+1)*batch.Width]
		}
		if err := table.Insert(s.context, rows); err != nil {
			return count, err
		}
		count += len(rows)
	}
}
