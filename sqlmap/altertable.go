package sqlmap

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/role"
	"moraine/sqlmap/parse"
)

// alteration is an ALTER TABLE under way: the definition that the table will have, and the values that its rows get for new
// columns.
type alteration struct {
	tableDesign
	table       relation.Writable
	name        string // of the table now
	fill        map[int16]relation.Value
	conversions []conversion
}

// alterTable runs ALTER TABLE.
func (s *Session) alterTable(statement *parse.Statement, node *pg_query.AlterTableStmt) error {
	if node.Objtype != pg_query.ObjectType_OBJECT_TABLE {
		return pgerror.Unsupported("ALTER of what is not a table")
	}
	a, err := s.alter(statement, node.Relation, node.MissingOk)
	if a == nil || err != nil {
		return err
	}
	for _, item := range node.Cmds {
		if err := a.apply(item.GetAlterTableCmd()); err != nil {
			return err
		}
	}
	return a.finish()
}

// alter begins an alteration; nil without an error for a table that is allowed to be missing.
func (s *Session) alter(statement *parse.Statement, name *pg_query.RangeVar, missingOK bool) (*alteration, error) {
	table, err := s.target(name)
	if missingOK && pgerror.HasCode(err, pgerror.UndefinedTable) {
		return nil, s.notice(pgerror.SeverityNotice, pgerror.SuccessfulCompletion, "relation \"%s\" does not exist, skipping", name.Relname)
	}
	if err != nil {
		return nil, err
	}
	if err := s.requireOwner(s.tableObject(table.Definition()), false); err != nil {
		return nil, err
	}
	return &alteration{
		tableDesign: tableDesign{session: s, statement: statement, definition: copyOf(table.Definition())},
		table:       table, name: table.Definition().Name, fill: map[int16]relation.Value{},
	}, nil
}

// finish puts the new definition in place.
func (a *alteration) finish() error {
	if len(a.conversions) > 0 {
		return a.convert()
	}
	return a.replace(a.definition)
}

func (a *alteration) replace(definition *relation.Definition) error {
	handle, err := a.session.handle()
	if err != nil {
		return err
	}
	defer a.session.definitionsChanged()
	return handle.AlterTable(a.session.context, definition.Schema, a.name, definition, a.fill)
}

func (a *alteration) apply(node *pg_query.AlterTableCmd) error {
	switch node.Subtype {
	case pg_query.AlterTableType_AT_AddColumn:
		return a.addColumn(node)
	case pg_query.AlterTableType_AT_DropColumn:
		return a.dropColumn(node)
	case pg_query.AlterTableType_AT_ColumnDefault:
		return a.setDefault(node)
	case pg_query.AlterTableType_AT_SetNotNull, pg_query.AlterTableType_AT_DropNotNull:
		return a.setNotNull(node)
	case pg_query.AlterTableType_AT_AddConstraint:
		return a.addConstraint(node.Def.GetConstraint())
	case pg_query.AlterTableType_AT_DropConstraint:
		return a.dropConstraint(node)
	case pg_query.AlterTableType_AT_AlterColumnType:
		return a.changeType(node)
	case pg_query.AlterTableType_AT_ChangeOwner:
		return a.session.setOwner(a.session.tableObject(a.table.Definition()), node.Newowner)
	}
	return pgerror.Unsupported("this form of ALTER TABLE")
}

func (a *alteration) addColumn(node *pg_query.AlterTableCmd) error {
	definition := node.Def.GetColumnDef()
	if a.definition.Ordinal(definition.Colname) >= 0 {
		if node.MissingOk {
			return a.session.notice(pgerror.SeverityNotice, pgerror.DuplicateColumn, "column \"%s\" of relation \"%s\" already exists, skipping",
				definition.Colname, a.name)
		}
		return pgerror.New(pgerror.DuplicateColumn, "column \"%s\" of relation \"%s\" already exists", definition.Colname, a.name)
	}
	column, keys, err := a.designColumn(definition)
	if err != nil {
		return err
	}
	if err := a.appendColumn(column); err != nil {
		return err
	}
	added := &a.definition.Columns[len(a.definition.Columns)-1]
	if added.Default != "" {
		value, err := a.session.defaultValue(added)
		if err != nil {
			return err
		}
		a.fill[added.Number] = value
	}
	for _, key := range keys {
		if err := a.tableDesign.addConstraint(key); err != nil {
			return err
		}
	}
	if added = &a.definition.Columns[len(a.definition.Columns)-1]; added.NotNull && a.fill[added.Number].IsNull() {
		return a.requireEmpty(added.Name)
	}
	return nil
}

// defaultValue computes the default of a column once.
func (s *Session) defaultValue(column *relation.Column) (relation.Value, error) {
	computation, err := s.defaultCommand(column)
	if err != nil {
		return relation.NULL, err
	}
	return s.only(computation)
}

// requireEmpty gives 23502 for a new NOT NULL column without a value for the rows that are there.
func (a *alteration) requireEmpty(column string) error {
	cursor, err := a.table.Scan(a.session.context, relation.ScanRequest{})
	if err != nil {
		return err
	}
	defer cursor.Close()
	batch, err := cursor.Next(a.session.context)
	if err != nil || batch == nil {
		return err
	}
	return containsNull(a.name, column)
}

func containsNull(table, column string) error {
	return pgerror.New(pgerror.NotNullViolation, "column \"%s\" of relation \"%s\" contains null values", column, table)
}

// column finds a column that a command names.
func (a *alteration) column(name string) (*relation.Column, int, error) {
	ordinal := a.definition.Ordinal(name)
	if ordinal < 0 {
		return nil, 0, pgerror.New(pgerror.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, a.name)
	}
	return &a.definition.Columns[ordinal], ordinal, nil
}

func (a *alteration) dropColumn(node *pg_query.AlterTableCmd) error {
	_, ordinal, err := a.column(node.Name)
	if err != nil {
		if node.MissingOk {
			return a.session.notice(pgerror.SeverityNotice, pgerror.SuccessfulCompletion, "column \"%s\" of relation \"%s\" does not exist, skipping",
				node.Name, a.name)
		}
		return err
	}
	a.definition.Columns = slices.Delete(a.definition.Columns, ordinal, ordinal+1)
	// A key with the column goes with it; the others have their ordinals moved.
	a.definition.Constraints = slices.DeleteFunc(a.definition.Constraints, func(constraint relation.Constraint) bool {
		return slices.Contains(constraint.Columns, ordinal)
	})
	for i := range a.definition.Constraints {
		constraint := &a.definition.Constraints[i]
		constraint.Columns = slices.Clone(constraint.Columns)
		for j := range constraint.Columns {
			if constraint.Columns[j] > ordinal {
				constraint.Columns[j]--
			}
		}
	}
	return nil
}

func (a *alteration) setDefault(node *pg_query.AlterTableCmd) error {
	column, _, err := a.column(node.Name)
	if err != nil {
		return err
	}
	column.Default = ""
	if node.Def != nil {
		column.Default, err = a.session.defaultText(a.statement, node.Def, column)
	}
	return err
}

func (a *alteration) setNotNull(node *pg_query.AlterTableCmd) error {
	column, ordinal, err := a.column(node.Name)
	if err != nil {
		return err
	}
	column.NotNull = node.Subtype == pg_query.AlterTableType_AT_SetNotNull
	if column.NotNull {
		return a.requireValues(ordinal)
	}
	for i := range a.definition.Constraints {
		constraint := &a.definition.Constraints[i]
		if constraint.Kind == relation.PrimaryKey && slices.Contains(constraint.Columns, ordinal) {
			return pgerror.New(pgerror.InvalidTableDefinition, "column \"%s\" is in the table's main key", column.Name)
		}
	}
	return nil
}

// requireValues gives 23502 when a row has NULL in the column. A column that the same ALTER TABLE adds is checked where it is added.
func (a *alteration) requireValues(ordinal int) error {
	column := &a.definition.Columns[ordinal]
	present := slices.IndexFunc(a.table.Definition().Columns, func(other relation.Column) bool { return other.Number == column.Number })
	if present < 0 {
		return nil
	}
	cursor, err := a.table.Scan(a.session.context, relation.ScanRequest{Columns: []int{present}})
	if err != nil {
		return err
	}
	defer cursor.Close()
	for {
		batch, err := cursor.Next(a.session.context)
		if err != nil || batch == nil {
			return err
		}
		for i := range batch.Length {
			if batch.Row(i)[0].IsNull() {
				return containsNull(a.name, column.Name)
			}
		}
	}
}

// addConstraint adds a key to a table with rows; the table checks that it holds.
func (a *alteration) addConstraint(node *pg_query.Constraint) error {
	if err := a.tableDesign.addConstraint(node); err != nil {
		return err
	}
	added := a.definition.Constraints[len(a.definition.Constraints)-1]
	if added.Kind != relation.PrimaryKey {
		return nil
	}
	for _, ordinal := range added.Columns {
		if err := a.requireValues(ordinal); err != nil {
			return err
		}
	}
	return nil
}

func (a *alteration) dropConstraint(node *pg_query.AlterTableCmd) error {
	for i := range a.definition.Constraints {
		if a.definition.Constraints[i].Name == node.Name {
			a.definition.Constraints = slices.Delete(a.definition.Constraints, i, i+1)
			return nil
		}
	}
	if node.MissingOk {
		return a.session.notice(pgerror.SeverityNotice, pgerror.SuccessfulCompletion, "constraint \"%s\" of relation \"%s\" does not exist, skipping",
			node.Name, a.name)
	}
	return pgerror.New(pgerror.UndefinedObject, "constraint \"%s\" of relation \"%s\" does not exist", node.Name, a.name)
}

// rename runs ALTER ... RENAME.
func (s *Session) rename(statement *parse.Statement, node *pg_query.RenameStmt) error {
	switch node.RenameType {
	case pg_query.ObjectType_OBJECT_TABLE, pg_query.ObjectType_OBJECT_COLUMN, pg_query.ObjectType_OBJECT_TABCONSTRAINT:
	default:
		return pgerror.Unsupported("ALTER ... RENAME of what is not a table, column or constraint")
	}
	a, err := s.alter(statement, node.Relation, node.MissingOk)
	if a == nil || err != nil {
		return err
	}
	switch node.RenameType {
	case pg_query.ObjectType_OBJECT_TABLE:
		if err := a.renameTable(node.Newname); err != nil {
			return err
		}
	case pg_query.ObjectType_OBJECT_COLUMN:
		column, _, err := a.column(node.Subname)
		if err != nil {
			return err
		}
		if a.definition.Ordinal(node.Newname) >= 0 || systemColumns[node.Newname] {
			return pgerror.New(pgerror.DuplicateColumn, "column \"%s\" of relation \"%s\" already exists", node.Newname, a.name)
		}
		column.Name = node.Newname
	default:
		if err := a.renameConstraint(node.Subname, node.Newname); err != nil {
			return err
		}
	}
	return a.finish()
}

func (a *alteration) renameTable(name string) error {
	taken, err := a.takenNames()
	if err != nil {
		return err
	}
	if taken[name] {
		return pgerror.New(pgerror.DuplicateTable, "relation \"%s\" already exists", name)
	}
	from, to := a.session.tableObject(a.definition), a.session.tableObject(a.definition)
	a.definition.Name, to.Name = name, name
	if !a.session.authority.state.Listed(from) {
		return nil
	}
	return a.session.changeRoles(func(draft *role.Draft) error { return draft.RenameTable(from, to) })
}

func (a *alteration) renameConstraint(from, to string) error {
	taken, err := a.takenNames()
	if err != nil {
		return err
	}
	if taken[to] {
		return pgerror.New(pgerror.DuplicateTable, "relation \"%s\" already exists", to)
	}
	for i := range a.definition.Constraints {
		if a.definition.Constraints[i].Name == from {
			a.definition.Constraints[i].Name = to
			return nil
		}
	}
	return pgerror.New(pgerror.UndefinedObject, "constraint \"%s\" for table \"%s\" does not exist", from, a.name)
}

// createIndex runs CREATE INDEX. A unique index is a UNIQUE constraint; any other one changes no result, and the stores have
// no use for it, which the client is told.
func (s *Session) createIndex(statement *parse.Statement, node *pg_query.IndexStmt) error {
	a, err := s.alter(statement, node.Relation, false)
	if err != nil {
		return err
	}
	columnNames := make([]string, len(node.IndexParams))
	for i, item := range node.IndexParams {
		element := item.GetIndexElem()
		if element.Name == "" && node.Unique {
			return pgerror.Unsupported("a UNIQUE index on an expression")
		}
		if columnNames[i] = element.Name; element.Name != "" {
			if _, _, err := a.column(element.Name); err != nil {
				return err
			}
		}
	}
	if !node.Unique {
		return s.warn(pgerror.Warning, "this index is not kept: scans of \"%s\" do not need it", a.name)
	}
	if node.WhereClause != nil {
		return pgerror.Unsupported("a partial UNIQUE index")
	}
	taken, err := a.takenNames()
	if err != nil {
		return err
	}
	name := node.Idxname
	if node.IfNotExists && taken[name] {
		return s.notice(pgerror.SeverityNotice, pgerror.DuplicateTable, "relation \"%s\" already exists, skipping", name)
	}
	columns, err := a.keyColumns(columnNames)
	if err != nil {
		return err
	}
	if name == "" {
		name = chooseName(a.name, keyNamePart(a.definition, relation.Unique, columns), "idx", taken)
	}
	if err := a.addKey(relation.Unique, name, columns); err != nil {
		return err
	}
	return a.finish()
}
