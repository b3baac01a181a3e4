package pgcatalog

import (
	"context"

	"moraine/relation"
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

func (s *scan) user() relation.Value { return text(s.catalog.environment.User) }

func informationCatalogRows(_ context.Context, s *scan) error {
	s.emit(relation.Row{s.database()})
	return nil
}

func enabledRoleRows(_ context.Context, s *scan) error {
	s.emit(relation.Row{s.user()})
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
		if !s.emit(relation.Row{s.database(), text(name), s.user(), null, null, null, null}) {
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

// tablePrivileges are what the owner of a table may do.
var tablePrivileges = []string{"INSERT", "SELECT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"}

func privilegeRows(ctx context.Context, s *scan) error {
	definitions, err := s.tables(ctx, "", "table_name")
	if err != nil {
		return err
	}
	for _, definition := range definitions {
		for _, privilege := range tablePrivileges {
			if !s.emit(relation.Row{
				s.user(), s.user(), s.database(), text(shownSchema(definition.Schema)), text(definition.Name), text(privilege), text("YES"),
				yesNo(privilege == "SELECT"),
			}) {
				return nil
			}
		}
	}
	return nil
}
