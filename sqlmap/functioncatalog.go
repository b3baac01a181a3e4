package sqlmap

import (
	"slices"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
	"moraine/sqlmap/pgcatalog"
)

// functionCatalog answers what functions ask of the session.
type functionCatalog struct{ session *Session }

var (
	_ function.Catalog = functionCatalog{}
	_ function.Server  = functionCatalog{}
	_ function.Roles   = functionCatalog{}
)

// RelationOID finds a relation, or an index, by its name.
func (c functionCatalog) RelationOID(schema, name string) (uint32, error) {
	s := c.session
	found, err := names{s}.Relation(s.context, schema, name)
	if err != nil {
		return 0, err
	}
	if found != nil {
		return found.Definition().OID, nil
	}
	return c.indexOID(schema, name)
}

// indexOID finds the index of a constraint by its name.
func (c functionCatalog) indexOID(schema, name string) (uint32, error) {
	s := c.session
	catalog, err := s.pgCatalog()
	if err != nil {
		return 0, err
	}
	definitions, err := catalog.Definitions(s.context)
	if err != nil {
		return 0, err
	}
	path := []string{actualSchema(schema)}
	if schema == "" {
		path = s.searchPath()
	}
	for _, definition := range definitions {
		for i := range definition.Constraints {
			if definition.Constraints[i].Name == name && slices.Contains(path, definition.Schema) {
				return relation.ConstraintOID(definition.OID, i), nil
			}
		}
	}
	return 0, nil
}

// RelationName gives the name of a relation or an index.
func (c functionCatalog) RelationName(oid uint32) (schema, name string, visible, ok bool) {
	s := c.session
	table, constraint, isIndex := relation.TableOfConstraint(oid)
	if !isIndex {
		table = oid
	}
	definition := c.Definition(table)
	if definition == nil || isIndex && constraint >= len(definition.Constraints) {
		return "", "", false, false
	}
	if name = definition.Name; isIndex {
		name = definition.Constraints[constraint].Name
	}
	for _, searched := range s.searchPath() {
		if searched == definition.Schema {
			visible = true
			break
		}
		if other, err := s.relationIn(s.context, searched, name); err != nil || other != nil {
			break
		}
	}
	if schema = definition.Schema; schema == relation.TemporarySchema {
		schema = pgcatalog.TemporarySchemaName
	}
	return schema, name, visible, true
}

// Definition gives a relation's definition.
func (c functionCatalog) Definition(oid uint32) *relation.Definition {
	catalog, err := c.session.pgCatalog()
	if err != nil {
		return nil
	}
	definition, err := catalog.ByOID(c.session.context, oid)
	if err != nil {
		return nil
	}
	return definition
}

// SchemaOID gives the OID of a schema; 0 when there is none.
func (c functionCatalog) SchemaOID(name string) uint32 {
	catalog, err := c.session.pgCatalog()
	if err != nil {
		return 0
	}
	oid, err := catalog.SchemaOID(c.session.context, actualSchema(name))
	if err != nil {
		return 0
	}
	return oid
}

// SchemaName gives the name of a schema; "" when there is none.
func (c functionCatalog) SchemaName(oid uint32) string {
	catalog, err := c.session.pgCatalog()
	if err != nil {
		return ""
	}
	name, err := catalog.SchemaName(c.session.context, oid)
	if err != nil {
		return ""
	}
	return name
}

// SearchPath gives the schemas of search_path that exist, and with implicit what is searched before them.
func (c functionCatalog) SearchPath(implicit bool) []string {
	s := c.session
	existing, err := s.existingPath()
	if err != nil {
		return nil
	}
	if !implicit {
		return existing
	}
	var before []string
	if catalog, err := s.pgCatalog(); err == nil {
		schemas, err := catalog.Schemas(s.context)
		if err == nil && slices.ContainsFunc(schemas, func(schema relation.SchemaInfo) bool { return schema.Temporary }) {
			before = append(before, pgcatalog.TemporarySchemaName)
		}
	}
	if !slices.Contains(existing, pgcatalog.Schema) {
		before = append(before, pgcatalog.Schema)
	}
	return append(before, existing...)
}

// Setting gives a run-time parameter as SHOW prints it.
func (c functionCatalog) Setting(name string) (string, bool) { return c.session.showSetting(name) }

// SetSetting changes one, as set_config does.
func (c functionCatalog) SetSetting(name, value string, local bool) error {
	return c.session.setSetting(name, value, local)
}

// DatabaseSize gives the bytes of a database on its store.
func (c functionCatalog) DatabaseSize(name string) (int64, error) {
	s := c.session
	databases, err := s.options.Instance.Databases(s.context)
	if err != nil {
		return 0, err
	}
	if !slices.ContainsFunc(databases, func(database relation.DatabaseInfo) bool { return database.Name == name }) {
		return 0, pgerror.New(pgerror.InvalidCatalogName, "database \"%s\" does not exist", name)
	}
	if s.options.DatabaseSize == nil {
		return 0, pgerror.Unsupported("the size of a database on this store")
	}
	return s.options.DatabaseSize(s.context, name)
}

// VersionText is what version() gives.
func (c functionCatalog) VersionText() string { return c.session.options.VersionText }

// SignalBackend cancels the statement of another session or ends it; that there is none is a warning, as in PostgreSQL.
func (c functionCatalog) SignalBackend(processID uint32, terminate bool) (bool, error) {
	s := c.session
	if s.options.SignalBackend == nil {
		return false, pgerror.Unsupported("a signal to another session")
	}
	if err := s.maySignal(processID); err != nil {
		return false, err
	}
	if s.options.SignalBackend(processID, terminate) {
		return true, nil
	}
	return false, s.warn(pgerror.Warning, "PID %d is not a PostgreSQL backend process", int32(processID))
}
