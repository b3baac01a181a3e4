package sqlmap

import (
	"context"
	"slices"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/function"
	"moraine/sqlmap/pgcatalog"
)

// names resolves the names of a statement's relations; it is the binder's environment.
type names struct{ session *Session }

var _ bind.Environment = names{}

// FunctionContext gives what functions know of the session.
func (n names) FunctionContext() *function.Context { return &n.session.function }

// Relation finds a relation: in the schema, or along the search path when schema is "".
func (n names) Relation(ctx context.Context, schema, name string) (relation.Relation, error) {
	if schema != "" {
		if err := n.session.requireUsage(schema); err != nil {
			return nil, err
		}
		return n.session.relationIn(ctx, schema, name)
	}
	for _, schema := range n.session.searchPath() {
		if !n.session.usable(schema) {
			continue
		}
		found, err := n.session.relationIn(ctx, schema, name)
		if found != nil || err != nil {
			return found, err
		}
	}
	return nil, nil
}

// Function finds a function of a lake, by the same path as relations.
func (n names) Function(ctx context.Context, schema, name string) (*relation.TableFunction, error) {
	path := []string{schema}
	if schema == "" {
		path = n.session.searchPath()
	}
	handle, err := n.session.handle()
	if err != nil {
		return nil, err
	}
	for _, schema := range path {
		if schema == pgcatalog.Schema || schema == pgcatalog.InformationSchema || actualSchema(schema) == relation.TemporarySchema ||
			!n.session.usable(schema) {
			continue
		}
		found, err := handle.Function(ctx, schema, name)
		if found != nil || err != nil {
			n.session.lakeReads++
			return found, err
		}
	}
	return nil, nil
}

// relationIn finds a relation in one schema.
func (s *Session) relationIn(ctx context.Context, schema, name string) (relation.Relation, error) {
	if schema == pgcatalog.Schema || schema == pgcatalog.InformationSchema {
		catalog, err := s.pgCatalog()
		if err != nil {
			return nil, err
		}
		return catalog.Relation(schema, name), nil
	}
	handle, err := s.handle()
	if err != nil {
		return nil, err
	}
	found, err := handle.Relation(ctx, actualSchema(schema), name)
	if found != nil {
		s.lakeReads++
	}
	return found, err
}

// actualSchema gives a schema's name within a transaction.
func actualSchema(schema string) string {
	if schema == pgcatalog.TemporarySchemaName {
		return relation.TemporarySchema
	}
	return schema
}

// searchPath gives the schemas that names without a schema are looked up in: temporary tables and pg_catalog first, unless the
// path says otherwise.
func (s *Session) searchPath() []string {
	path := s.derived.searchPath
	implicit := make([]string, 0, len(path)+2)
	if !slices.Contains(path, relation.TemporarySchema) {
		implicit = append(implicit, relation.TemporarySchema)
	}
	if !slices.Contains(path, pgcatalog.Schema) {
		implicit = append(implicit, pgcatalog.Schema)
	}
	return append(implicit, path...)
}

// pgCatalog gives the catalog of the statement under way.
func (s *Session) pgCatalog() (*pgcatalog.Catalog, error) {
	if s.catalog == nil {
		handle, err := s.handle()
		if err != nil {
			return nil, err
		}
		s.catalog = pgcatalog.New(&pgcatalog.Environment{
			Transaction: handle, Instance: s.options.Instance, Database: s.database, User: s.function.User, Settings: s.settings,
			Roles: s.authority.state, Owner: s.ownersName(),
			Statements: s.listStatements, Cursors: s.listCursors, Backends: s.listBackends,
		})
	}
	return s.catalog, nil
}

// definitionsChanged forgets what the statement knows of definitions: it has just changed some.
func (s *Session) definitionsChanged() {
	s.catalog = nil
	s.moment++
}

// creationSchema gives the schema that a new table goes to: the one named, or the first of the search path that exists.
func (s *Session) creationSchema(schema string) (string, error) {
	if schema == pgcatalog.Schema || schema == pgcatalog.InformationSchema {
		return "", pgerror.New(pgerror.InsufficientPrivilege, "permission denied to create in schema \"%s\"", schema).
			WithDetail("System catalog modifications are currently disallowed.")
	}
	if schema != "" {
		return actualSchema(schema), nil
	}
	existing, err := s.existingPath()
	if err != nil {
		return "", err
	}
	if len(existing) == 0 {
		return "", pgerror.New(pgerror.InvalidSchemaName, "no schema has been selected to create in")
	}
	return existing[0], nil
}

// requireSchema gives 3F000 for a schema that does not exist.
func (s *Session) requireSchema(name string) error {
	catalog, err := s.pgCatalog()
	if err != nil {
		return err
	}
	oid, err := catalog.SchemaOID(s.context, name)
	if err == nil && oid == 0 {
		err = pgerror.New(pgerror.InvalidSchemaName, "schema \"%s\" does not exist", name)
	}
	return err
}

// existingPath gives the schemas of search_path that exist.
func (s *Session) existingPath() ([]string, error) {
	handle, err := s.handle()
	if err != nil {
		return nil, err
	}
	schemas, err := handle.Schemas(s.context)
	if err != nil {
		return nil, err
	}
	var existing []string
	for _, name := range s.derived.searchPath {
		if name == pgcatalog.Schema || name == pgcatalog.InformationSchema || s.usable(name) &&
			slices.ContainsFunc(schemas, func(schema relation.SchemaInfo) bool { return schema.Name == name }) {
			existing = append(existing, name)
		}
	}
	return existing, nil
}

// writable finds a table for a command that changes it: 42P01 when there is none, 42809 for what is not a table.
func (s *Session) writable(schema, name string) (relation.Writable, error) {
	found, err := names{s}.Relation(s.context, schema, name)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, undefinedTable(schema, name)
	}
	table, ok := found.(relation.Writable)
	if !ok {
		if found.Definition().OID < relation.FirstOID {
			return nil, pgerror.New(pgerror.InsufficientPrivilege, "permission denied: \"%s\" is a system catalog", name)
		}
		return nil, pgerror.New(pgerror.WrongObjectType, "\"%s\" is not a table", name)
	}
	return table, nil
}

func undefinedTable(schema, name string) error {
	if schema != "" {
		name = schema + "." + name
	}
	return pgerror.New(pgerror.UndefinedTable, "relation \"%s\" does not exist", name)
}
