package pgcatalog

import (
	"context"
	"slices"

	"moraine/relation"
	"moraine/role"
)

var informationBuilders = map[string]builder{
	"information_schema_catalog_name": informationCatalogRows,
	"schemata":                        schemataRows,
	"tables":                          informationTableRows,
	"columns":                         informationColumnRows,
	"views":                           informationViewRows,
	"table_constraints":               tableConstraintRows,
	"key_column_usage":                keyColumnRows,
	"constraint_column_usage":         constraintColumnRows,
	"table_privileges":                privilegeRows,
	"role_table_grants":               privilegeRows,
	"enabled_roles":                   enabledRoleRows,
	"character_sets":                  characterSetRows,
	"collations":                      collationRows,
}

func (s *scan) database() relation.Value { return text(s.catalog.environment.Database.Name) }

// ownerOf gives the name of an object's owner.
func (s *scan) ownerOf(object role.Object) relation.Value {
	e := s.catalog.environment
	return text(e.roleName(e.Roles.Owner(object)))
}

func informationCatalogRows(_ context.Context, s *scan) error {
	s.emit(relation.Row{s.database()})
	return nil
}

func enabledRoleRows(_ context.Context, s *scan) error {
	e := s.catalog.environment
	user := e.Roles.Holder(e.Roles.Identity(e.User, e.Owner))
	for _, known := range e.everyRole() {
		name := known.Name
		if known.OID == role.OwnerOID {
			name = role.Owner
		}
		if user.MayBecome(name) && !s.emit(relation.Row{text(known.Name)}) {
			return nil
		}
	}
	return nil
}

func characterSetRows(_ context.Context, s *scan) error {
	s.emit(relation.Row{null, null, text("UTF8"), text("UCS"), text("UTF8"), s.database(), text(Schema), text("C")})
	return nil
}

func collationRows(_ context.Context, s *scan) error {
	for _, row := range fixedTables()["pg_collation"] {
		if !s.emit(relation.Row{s.database(), text(Schema), row[1], text("NO PAD")}) {
			return nil
		}
	}
	return nil
}

func schemataRows(ctx context.Context, s *scan) error {
	schemas, err := s.catalog.Schemas(ctx)
	if err != nil {
		return err
	}
	names := []string{Schema, InformationSchema, toastSchema}
	for _, schema := range schemas {
		names = append(names, shownSchema(schema.Name))
	}
	for _, name := range names {
		owner := s.ownerOf(role.SchemaObject(s.catalog.environment.Database.Name, name))
		if !s.emit(relation.Row{s.database(), text(name), owner, null, null, null, null}) {
			return nil
		}
	}
	return nil
}

func informationTableRows(ctx context.Context, s *scan) error {
	definitions, err := s.tables(ctx, "", "table_name")
	if err != nil {
		return err
	}
	for _, definition := range definitions {
		kind, commit := "BASE TABLE", null
		switch {
		case definition.Kind == relation.View:
			kind = "VIEW"
		case definition.Persistence == relation.Temporary:
			kind, commit = "LOCAL TEMPORARY", text("PRESERVE")
		}
		if !s.emit(relation.Row{
			s.database(), text(shownSchema(definition.Schema)), text(definition.Name), text(kind), null, null, null, null, null,
			yesNo(definition.Kind == relation.Table), text("NO"), commit,
		}) {
			return nil
		}
	}
	return nil
}

func informationViewRows(ctx context.Context, s *scan) error {
	definitions, err := s.tables(ctx, "", "table_name")
	if err != nil {
		return err
	}
	for _, definition := range definitions {
		if definition.Kind == relation.View && !s.emit(relation.Row{
			s.database(), text(shownSchema(definition.Schema)), text(definition.Name), null, text("NONE"), text("NO"), text("NO"), text("NO"),
			text("NO"), text("NO"),
		}) {
			return nil
		}
	}
	return nil
}

func informationColumnRows(ctx context.Context, s *scan) error {
	definitions, err := s.tables(ctx, "", "table_name")
	if err != nil {
		return err
	}
	for _, definition := range definitions {
		for i := range definition.Columns {
			if !s.emit(s.informationColumnRow(definition, &definition.Columns[i])) {
				return nil
			}
		}
	}
	return nil
}

func tableConstraintRows(ctx context.Context, s *scan) error {
	definitions, err := s.tables(ctx, "", "table_name")
	if err != nil {
		return err
	}
	for _, definition := range definitions {
		schema, table := text(shownSchema(definition.Schema)), text(definition.Name)
		for i := range definition.Constraints {
			constraint := &definition.Constraints[i]
			kind := "UNIQUE"
			if constraint.Kind == relation.PrimaryKey {
				kind = "PRIMARY KEY"
			}
			if !s.emit(relation.Row{
				s.database(), schema, text(constraint.Name), s.database(), schema, table, text(kind), text("NO"), text("NO"), text("YES"), text("YES"),
			}) {
				return nil
			}
		}
	}
	return nil
}

func keyColumnRows(ctx context.Context, s *scan) error {
	definitions, err := s.tables(ctx, "", "table_name")
	if err != nil {
		return err
	}
	for _, definition := range definitions {
		schema, table := text(shownSchema(definition.Schema)), text(definition.Name)
		for i := range definition.Constraints {
			constraint := &definition.Constraints[i]
			for place, ordinal := range constraint.Columns {
				if !s.emit(relation.Row{
					s.database(), schema, text(constraint.Name), s.database(), schema, table, text(definition.Columns[ordinal].Name), integer(place + 1), null,
				}) {
					return nil
				}
			}
		}
	}
	return nil
}

func constraintColumnRows(ctx context.Context, s *scan) error {
	definitions, err := s.tables(ctx, "", "table_name")
	if err != nil {
		return err
	}
	for _, definition := range definitions {
		schema, table := text(shownSchema(definition.Schema)), text(definition.Name)
		for i := range definition.Constraints {
			constraint := &definition.Constraints[i]
			for _, ordinal := range constraint.Columns {
				if !s.emit(relation.Row{
					s.database(), schema, table, text(definition.Columns[ordinal].Name), s.database(), schema, text(constraint.Name),
				}) {
					return nil
				}
			}
		}
	}
	return nil
}

func privilegeRows(ctx context.Context, s *scan) error {
	definitions, err := s.tables(ctx, "", "table_name")
	if err != nil {
		return err
	}
	e := s.catalog.environment
	for _, definition := range definitions {
		object := role.TableObject(e.Database.Name, definition.Schema, definition.Name)
		for _, item := range e.Roles.Effective(object) {
			if !s.emitPrivileges(definition, item) {
				return nil
			}
		}
	}
	return nil
}

func (s *scan) emitPrivileges(definition *relation.Definition, item role.Item) bool {
	e := s.catalog.environment
	grantee := text("PUBLIC")
	if item.Grantee != role.Public {
		grantee = text(e.roleName(item.Grantee))
	}
	passable := item.Grantable.Words()
	for _, privilege := range item.Privileges.Words() {
		if !s.emit(relation.Row{
			text(e.roleName(item.Grantor)), grantee, s.database(), text(shownSchema(definition.Schema)), text(definition.Name), text(privilege),
			yesNo(item.Grantee == item.Grantor || slices.Contains(passable, privilege)), yesNo(privilege == "SELECT"),
		}) {
			return false
		}
	}
	return true
}
