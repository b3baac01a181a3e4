package pgcatalog

import (
	"context"
	"time"

	"moraine/relation"
	"moraine/role"
	"moraine/sqlmap/setting"
)

// ownerOID is the OID of the one role that a session sees: its own user, with the OID of PostgreSQL's first superuser.
const ownerOID = 10

// Environment is what the relations are derived from.
type Environment struct {
	Transaction relation.Transaction
	Instance    relation.Instance
	Database    relation.DatabaseInfo
	User        string // the current one
	Settings    *setting.Values
	// Roles are the roles of the server; its owner shows as Owner.
	Roles *role.State
	Owner string
	// Statements, Cursors and Backends list the session's prepared statements and cursors, and the server's sessions.
	Statements func() []PreparedStatement
	Cursors    func() []OpenCursor
	Backends   func() []Backend
}

// PreparedStatement is a row of pg_prepared_statements.
type PreparedStatement struct {
	Name       string
	Text       string
	Prepared   time.Time
	Parameters []uint32
	FromSQL    bool
}

// OpenCursor is a row of pg_cursors.
type OpenCursor struct {
	Name       string
	Text       string
	Hold       bool
	Binary     bool
	Scrollable bool
	Created    time.Time
}

// Backend is a row of pg_stat_activity. Times are zero when they are not known.
type Backend struct {
	ProcessID       uint32
	User            string
	Database        relation.DatabaseInfo
	ApplicationName string
	ClientAddress   string // without a port; "" for a Unix socket
	ClientPort      int
	Started         time.Time
	TransactionTime time.Time
	StatementTime   time.Time
	State           string
	Query           string
	Waiting         bool // for a lock
}

// Catalog gives the relations for one statement. It keeps what it has listed, so a statement that creates or changes a table
// needs a new one.
type Catalog struct {
	environment *Environment
	schemas     []relation.SchemaInfo
	user        []*relation.Definition
	byOID       map[uint32]*relation.Definition
	found       map[string][]*relation.Definition // by name, as far as asked for
	session     bool                              // rows of the session or the server have been read
}

// New makes the catalog of one statement.
func New(environment *Environment) *Catalog { return &Catalog{environment: environment} }

// Relation gives a relation of pg_catalog or information_schema; nil when there is none.
func (c *Catalog) Relation(schema, name string) relation.Relation {
	known := recorded().byName[schema+"."+name]
	if known == nil {
		return nil
	}
	full := schema + "." + name
	return &catalogRelation{catalog: c, definition: known.definition, rows: builders[full], session: sessionRelations[full]}
}

// Schemas lists the lakes of the database and, if there is one, the session's schema of temporary tables.
func (c *Catalog) Schemas(ctx context.Context) ([]relation.SchemaInfo, error) {
	if c.schemas == nil {
		schemas, err := c.environment.Transaction.Schemas(ctx)
		if err != nil {
			return nil, err
		}
		c.schemas = schemas
	}
	return c.schemas, nil
}

// Definitions lists the relations of all schemas but pg_catalog and information_schema.
func (c *Catalog) Definitions(ctx context.Context) ([]*relation.Definition, error) {
	if c.user != nil {
		return c.user, nil
	}
	schemas, err := c.Schemas(ctx)
	if err != nil {
		return nil, err
	}
	all := []*relation.Definition{}
	for _, schema := range schemas {
		definitions, err := c.environment.Transaction.Definitions(ctx, schema.Name)
		if err != nil {
			return nil, err
		}
		all = append(all, definitions...)
	}
	c.user = all
	return all, nil
}

// ByOID finds the definition of a relation in any schema by its OID; nil when there is none. One that was found by name
// already is found without a list of all.
func (c *Catalog) ByOID(ctx context.Context, oid uint32) (*relation.Definition, error) {
	if oid < relation.FirstOID {
		return DefinitionByOID(oid), nil
	}
	for _, found := range c.found {
		for _, definition := range found {
			if definition.OID == oid {
				return definition, nil
			}
		}
	}
	if c.byOID == nil {
		definitions, err := c.Definitions(ctx)
		if err != nil {
			return nil, err
		}
		c.byOID = make(map[uint32]*relation.Definition, len(definitions))
		for _, definition := range definitions {
			c.byOID[definition.OID] = definition
		}
	}
	return c.byOID[oid], nil
}

// named finds the relations of a name in all schemas, pg_catalog and information_schema last.
func (c *Catalog) named(ctx context.Context, name string) ([]*relation.Definition, error) {
	if known, ok := c.found[name]; ok {
		return known, nil
	}
	schemas, err := c.Schemas(ctx)
	if err != nil {
		return nil, err
	}
	var found []*relation.Definition
	for _, schema := range schemas {
		table, err := c.environment.Transaction.Relation(ctx, schema.Name, name)
		if err != nil {
			return nil, err
		}
		if table != nil {
			found = append(found, table.Definition())
		}
	}
	for _, schema := range []string{Schema, InformationSchema} {
		if definition := Definition(schema, name); definition != nil {
			found = append(found, definition)
		}
	}
	if c.found == nil {
		c.found = map[string][]*relation.Definition{}
	}
	c.found[name] = found
	return found, nil
}

// SchemaOID gives the OID of a schema by name; 0 when there is none.
func (c *Catalog) SchemaOID(ctx context.Context, name string) (uint32, error) {
	switch name {
	case Schema:
		return SchemaOID, nil
	case InformationSchema:
		return InformationSchemaOID, nil
	case toastSchema:
		return toastSchemaOID, nil
	}
	schemas, err := c.Schemas(ctx)
	if err != nil {
		return 0, err
	}
	for _, schema := range schemas {
		if schema.Name == name {
			return schema.OID, nil
		}
	}
	return 0, nil
}

// SchemaName gives the name of a schema by its OID; "" when there is none.
func (c *Catalog) SchemaName(ctx context.Context, oid uint32) (string, error) {
	switch oid {
	case SchemaOID:
		return Schema, nil
	case InformationSchemaOID:
		return InformationSchema, nil
	case toastSchemaOID:
		return toastSchema, nil
	}
	schemas, err := c.Schemas(ctx)
	if err != nil {
		return "", err
	}
	for _, schema := range schemas {
		if schema.OID == oid {
			return shownSchema(schema.Name), nil
		}
	}
	return "", nil
}

// TemporarySchemaName is how the session's schema of temporary tables shows; PostgreSQL numbers them by backend.
const TemporarySchemaName = "pg_temp_1"

// shownSchema gives the name by which a schema shows.
func shownSchema(name string) string {
	if name == relation.TemporarySchema {
		return TemporarySchemaName
	}
	return name
}
