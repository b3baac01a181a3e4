package sqlmap

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/role"
	"moraine/sqlmap/parse"
)

// createSchema runs CREATE SCHEMA: it makes a lake.
func (s *Session) createSchema(node *pg_query.CreateSchemaStmt) error {
	name, owner := node.Schemaname, s.authority.holder.Name
	if node.Authrole != nil {
		var err error
		if owner, err = s.roleOf(node.Authrole); err != nil {
			return err
		}
		if !s.authority.holder.MayBecome(owner) {
			return pgerror.New(pgerror.InsufficientPrivilege, "must be member of role \"%s\"", s.roleNamed(owner))
		}
		if name == "" {
			name = s.roleNamed(owner)
		}
	}
	if s.authority.holder.Holds(s.databaseObject(), role.Create) == 0 {
		return deniedFor(s.databaseObject())
	}
	if strings.HasPrefix(name, "pg_") {
		return pgerror.New(pgerror.ReservedName, "unacceptable schema name \"%s\"", name).
			WithDetail("The prefix \"pg_\" is reserved for system schemas.")
	}
	handle, err := s.handle()
	if err != nil {
		return err
	}
	err = handle.CreateSchema(s.context, name)
	if node.IfNotExists && pgerror.HasCode(err, pgerror.DuplicateSchema) {
		return s.notice(pgerror.SeverityNotice, pgerror.DuplicateSchema, "schema \"%s\" already exists, skipping", name)
	}
	if err != nil {
		return err
	}
	s.definitionsChanged()
	if owner != role.Owner {
		object := s.schemaObject(name)
		if err := s.changeRoles(func(draft *role.Draft) error { return draft.Created(object, owner) }); err != nil {
			return err
		}
	}
	for _, element := range node.SchemaElts {
		create := element.GetCreateStmt()
		if create == nil {
			return pgerror.Unsupported("CREATE SCHEMA with " + constructOf(element))
		}
		if create.Relation.Schemaname != "" && create.Relation.Schemaname != name {
			return pgerror.New("42P15", "CREATE specifies a schema (%s) different from the one being created (%s)", create.Relation.Schemaname, name)
		}
		in := &pg_query.RangeVar{
			Schemaname: name, Relname: create.Relation.Relname, Relpersistence: create.Relation.Relpersistence, Location: create.Relation.Location,
		}
		table := &pg_query.CreateStmt{Relation: in, TableElts: create.TableElts, IfNotExists: create.IfNotExists, Options: create.Options}
		if err := s.createTable(&parse.Statement{}, table); err != nil {
			return err
		}
	}
	return nil
}

// createDatabase runs CREATE DATABASE, outside of any transaction.
func (s *Session) createDatabase(node *pg_query.CreatedbStmt) error {
	if err := s.insideBlock("CREATE DATABASE"); err != nil {
		return err
	}
	if !s.attribute(func(made *role.Role) bool { return made.CreateDatabase }) {
		return pgerror.New(pgerror.InsufficientPrivilege, "permission denied to create database")
	}
	for _, item := range node.Options {
		if err := s.databaseOption(item.GetDefElem()); err != nil {
			return err
		}
	}
	if err := s.options.Instance.CreateDatabase(s.context, node.Dbname); err != nil {
		return err
	}
	return s.created(role.DatabaseObject(node.Dbname))
}

// databaseOption accepts the options that say what is so anyway.
func (s *Session) databaseOption(option *pg_query.DefElem) error {
	value := optionText(option.Arg)
	switch option.Defname {
	case "owner":
		if value == s.function.User {
			return nil
		}
	case "template":
		if value == "template0" || value == "template1" {
			return nil
		}
	case "encoding":
		if name := strings.ReplaceAll(strings.ToUpper(value), "-", ""); name == "UTF8" || name == "6" {
			return nil
		}
	case "locale", "lc_collate", "lc_ctype":
		if value == "C" || value == "POSIX" || strings.HasPrefix(value, "C.") {
			return nil
		}
	}
	if option.Arg == nil {
		return nil // DEFAULT
	}
	return pgerror.Unsupported("option " + option.Defname + " = " + value + " of CREATE DATABASE")
}

// optionText gives the value of an option as a text; "" without one.
func optionText(node *pg_query.Node) string {
	switch value := node.GetNode().(type) {
	case *pg_query.Node_String_:
		return value.String_.Sval
	case *pg_query.Node_AConst:
		text, _ := constantText(node)
		return text
	case *pg_query.Node_Integer:
		return integerText(value.Integer.Ival)
	case *pg_query.Node_Float:
		return value.Float.Fval
	case *pg_query.Node_Boolean:
		return onOff(value.Boolean.Boolval)
	case *pg_query.Node_TypeName:
		list := stringsOf(value.TypeName.Names)
		return list[len(list)-1]
	}
	return ""
}

// dropDatabase runs DROP DATABASE, outside of any transaction.
func (s *Session) dropDatabase(node *pg_query.DropdbStmt) error {
	if err := s.insideBlock("DROP DATABASE"); err != nil {
		return err
	}
	if node.Dbname == s.database.Name {
		return pgerror.New(pgerror.ObjectInUse, "cannot drop the currently open database")
	}
	if err := s.requireOwner(role.DatabaseObject(node.Dbname), false); err != nil {
		return err
	}
	force := false
	for _, item := range node.Options {
		force = force || item.GetDefElem().GetDefname() == "force"
	}
	err := s.options.Instance.DropDatabase(s.context, node.Dbname, force)
	if err == nil {
		err = s.dropped(role.DatabaseObject(node.Dbname))
	}
	if node.MissingOk && pgerror.HasCode(err, pgerror.InvalidCatalogName) {
		return s.notice(pgerror.SeverityNotice, pgerror.SuccessfulCompletion, "database \"%s\" does not exist, skipping", node.Dbname)
	}
	return err
}

// comment runs COMMENT ON TABLE and COMMENT ON COLUMN.
func (s *Session) comment(node *pg_query.CommentStmt) error {
	parts := stringsOf(node.Object.GetList().GetItems())
	column := ""
	switch node.Objtype {
	case pg_query.ObjectType_OBJECT_TABLE:
	case pg_query.ObjectType_OBJECT_COLUMN:
		if len(parts) < 2 {
			return pgerror.New(pgerror.SyntaxError, "column name must be qualified")
		}
		column, parts = parts[len(parts)-1], parts[:len(parts)-1]
	case pg_query.ObjectType_OBJECT_ROLE:
		return s.commentOnRole(node)
	default:
		return pgerror.Unsupported("COMMENT ON what is not a table or column")
	}
	schema, name, err := s.qualified(parts)
	if err != nil {
		return err
	}
	table, err := s.writable(schema, name)
	if err != nil {
		return err
	}
	if err := s.requireOwner(s.tableObject(table.Definition()), false); err != nil {
		return err
	}
	a := &alteration{tableDesign: tableDesign{session: s, definition: copyOf(table.Definition())}, table: table, name: table.Definition().Name}
	target := &a.definition.Comment
	if column != "" {
		found, _, err := a.column(column)
		if err != nil {
			return err
		}
		target = &found.Comment
	}
	*target = node.Comment
	return a.finish()
}
