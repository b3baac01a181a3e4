package sqlmap

import (
	"context"
	"fmt"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/role"
	"moraine/sqlmap/function"
	"moraine/sqlmap/pgcatalog"
)

// drop makes DROP ready.
func (s *Session) drop(node *pg_query.DropStmt) (*command, error) {
	cascade := node.Behavior == pg_query.DropBehavior_DROP_CASCADE
	switch node.RemoveType {
	case pg_query.ObjectType_OBJECT_TABLE:
		return s.definition("DROP TABLE", func() error { return s.each(node, s.dropTable) }), nil
	case pg_query.ObjectType_OBJECT_INDEX:
		return s.definition("DROP INDEX", func() error { return s.each(node, s.dropIndex) }), nil
	case pg_query.ObjectType_OBJECT_VIEW:
		return s.definition("DROP VIEW", func() error { return s.each(node, s.dropView) }), nil
	case pg_query.ObjectType_OBJECT_SCHEMA:
		return s.definition("DROP SCHEMA", func() error {
			for _, object := range node.Objects {
				if err := s.dropSchema(object.GetString_().GetSval(), node.MissingOk, cascade); err != nil {
					return err
				}
			}
			return nil
		}), nil
	}
	kind := strings.ReplaceAll(strings.TrimPrefix(node.RemoveType.String(), "OBJECT_"), "_", " ")
	return nil, pgerror.Unsupported("DROP " + kind)
}

// each calls drop for each name of the statement.
func (s *Session) each(node *pg_query.DropStmt, drop func(schema, name string, missingOK bool) error) error {
	for _, object := range node.Objects {
		schema, name, err := s.qualified(stringsOf(object.GetList().GetItems()))
		if err != nil {
			return err
		}
		if err := drop(schema, name, node.MissingOk); err != nil {
			return err
		}
	}
	return nil
}

// missing is what happens when there is nothing to drop: an error, or a notice where that is allowed.
func (s *Session) missing(code, kind, schema, name string, allowed bool) error {
	if schema != "" {
		if catalog, err := s.pgCatalog(); err != nil {
			return err
		} else if oid, err := catalog.SchemaOID(s.context, actualSchema(schema)); err != nil {
			return err
		} else if oid == 0 && schema != relation.TemporarySchema {
			code, kind, name = pgerror.InvalidSchemaName, "schema", schema
		}
	}
	if allowed {
		return s.notice(pgerror.SeverityNotice, pgerror.SuccessfulCompletion, "%s \"%s\" does not exist, skipping", kind, name)
	}
	return pgerror.New(code, "%s \"%s\" does not exist", kind, name)
}

func (s *Session) dropTable(schema, name string, missingOK bool) error {
	table, err := s.writable(schema, name)
	if pgerror.HasCode(err, pgerror.UndefinedTable) || err == nil && relation.IsDropped(table) {
		return s.missing(pgerror.UndefinedTable, "table", schema, name, missingOK)
	}
	if err != nil {
		return err
	}
	handle, err := s.handle()
	if err != nil {
		return err
	}
	defer s.definitionsChanged()
	definition := table.Definition()
	if err := s.requireOwner(s.tableObject(definition), true); err != nil {
		return err
	}
	if err := handle.DropTable(s.context, definition.Schema, definition.Name); err != nil {
		return err
	}
	return s.dropped(s.tableObject(definition))
}

func (s *Session) dropView(schema, name string, missingOK bool) error {
	found, err := names{s}.Relation(s.context, schema, name)
	if err != nil {
		return err
	}
	if found == nil {
		return s.missing(pgerror.UndefinedTable, "view", schema, name, missingOK)
	}
	return pgerror.New(pgerror.WrongObjectType, "\"%s\" is not a view", name).WithHint("Use DROP TABLE to remove a table.")
}

// dropIndex drops the index of a UNIQUE constraint, with the constraint: CREATE UNIQUE INDEX made them together.
func (s *Session) dropIndex(schema, name string, missingOK bool) error {
	oid, err := functionCatalog{s}.indexOID(schema, name)
	if err != nil {
		return err
	}
	table, i, ok := relation.TableOfConstraint(oid)
	if !ok {
		return s.missing(pgerror.UndefinedObject, "index", schema, name, missingOK)
	}
	handle, err := s.handle()
	if err != nil {
		return err
	}
	definition := copyOf(functionCatalog{s}.Definition(table))
	if err := s.requireOwner(s.tableObject(definition), false); err != nil {
		return err
	}
	constraint := definition.Constraints[i]
	if constraint.Kind == relation.PrimaryKey || strings.HasSuffix(name, "_key") {
		return pgerror.New(pgerror.DependentObjectsStillExist, "cannot drop index %s because constraint %s on table %s requires it",
			name, name, definition.Name).WithHint("You can drop constraint %s on table %s instead.", name, definition.Name)
	}
	definition.Constraints = append(definition.Constraints[:i], definition.Constraints[i+1:]...)
	defer s.definitionsChanged()
	return handle.AlterTable(s.context, definition.Schema, definition.Name, definition, nil)
}

func (s *Session) dropSchema(name string, missingOK, cascade bool) error {
	if name == pgcatalog.Schema || name == pgcatalog.InformationSchema {
		return pgerror.New(pgerror.InsufficientPrivilege, "permission denied for schema %s", name)
	}
	catalog, err := s.pgCatalog()
	if err != nil {
		return err
	}
	oid, err := catalog.SchemaOID(s.context, name)
	if err != nil {
		return err
	}
	if oid == 0 {
		return s.missing(pgerror.InvalidSchemaName, "schema", "", name, missingOK)
	}
	if err := s.requireOwner(s.schemaObject(name), false); err != nil {
		return err
	}
	handle, err := s.handle()
	if err != nil {
		return err
	}
	dependents, err := handle.Definitions(s.context, name)
	if err != nil && !(cascade && unservable(err)) {
		return err
	}
	if len(dependents) > 0 {
		if err := s.dropDependents(name, dependents, cascade); err != nil {
			return err
		}
	}
	defer s.definitionsChanged()
	if err := handle.DropSchema(s.context, name, cascade); err != nil {
		return err
	}
	return s.dropped(s.schemaObject(name))
}

// unservable tells that a lake cannot be opened, because of what is stored in it: it can still be dropped.
func unservable(err error) bool {
	return pgerror.HasCode(err, pgerror.ObjectNotInPrerequisiteState) || pgerror.HasCode(err, pgerror.DataCorrupted) ||
		pgerror.HasCode(err, pgerror.FeatureNotSupported)
}

// maximumNamedDependents bounds the tables that a message about them names, as in PostgreSQL.
const maximumNamedDependents = 100

// dropDependents gives 2BP01 for a schema with tables, or tells that they go with it.
func (s *Session) dropDependents(schema string, dependents []*relation.Definition, cascade bool) error {
	lines := make([]string, 0, len(dependents))
	for i, definition := range dependents {
		if i == maximumNamedDependents {
			lines = append(lines, fmt.Sprintf("and %d other objects", len(dependents)-i))
			break
		}
		name := "table " + function.QuoteIdentifier(schema) + "." + function.QuoteIdentifier(definition.Name)
		if cascade {
			lines = append(lines, "drop cascades to "+name)
		} else {
			lines = append(lines, name+" depends on schema "+function.QuoteIdentifier(schema))
		}
	}
	if !cascade {
		return pgerror.New(pgerror.DependentObjectsStillExist, "cannot drop schema %s because other objects depend on it",
			function.QuoteIdentifier(schema)).WithDetail("%s", strings.Join(lines, "\n")).
			WithHint("Use DROP ... CASCADE to drop the dependent objects too.")
	}
	if len(dependents) == 1 {
		return s.notice(pgerror.SeverityNotice, pgerror.SuccessfulCompletion, "%s", lines[0])
	}
	return s.notify(pgerror.New(pgerror.SuccessfulCompletion, "drop cascades to %d other objects", len(dependents)).
		WithDetail("%s", strings.Join(lines, "\n")), pgerror.SeverityNotice)
}

// truncate runs TRUNCATE: it deletes all rows of the tables.
func (s *Session) truncate(node *pg_query.TruncateStmt) error {
	for _, item := range node.Relations {
		table, err := s.target(item.GetRangeVar())
		if err != nil {
			return err
		}
		if err := s.require(table, role.Truncate); err != nil {
			return err
		}
		if err := deleteAll(s.context, table); err != nil {
			return err
		}
	}
	return nil
}

func deleteAll(ctx context.Context, table relation.Writable) error {
	cursor, err := table.Scan(ctx, relation.ScanRequest{WithIdentities: true})
	if err != nil {
		return err
	}
	defer cursor.Close()
	for {
		batch, err := cursor.Next(ctx)
		if err != nil || batch == nil {
			return err
		}
		for _, identity := range batch.Identities {
			if _, err := table.Delete(ctx, identity); err != nil {
				return err
			}
		}
	}
}
