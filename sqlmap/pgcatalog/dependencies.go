package pgcatalog

import (
	"context"
	"slices"

	"moraine/relation"
	"moraine/role"
)

// Dependencies is what rows of a catalog's relations were derived from. Rows that were derived from the same are the same.
type Dependencies struct {
	// schemas count always: which of them there are decides what a name means.
	schemas []relation.SchemaInfo
	// all are the definitions of all schemas, if they were asked for.
	all      []*relation.Definition
	needsAll bool
	named    map[string][]*relation.Definition // those that were found by name
	// Owners and privileges show beside definitions, and the user in whose name all is shown. A state of the roles is immutable.
	roles       *role.State
	user, owner string
}

// Dependencies gives what has been read of the catalog so far; ok is false when its rows depend on more than definitions.
func (c *Catalog) Dependencies(ctx context.Context) (dependencies *Dependencies, ok bool, err error) {
	schemas, err := c.Schemas(ctx)
	if err != nil {
		return nil, false, err
	}
	e := c.environment
	return &Dependencies{
		schemas: schemas, all: c.user, needsAll: c.user != nil, named: c.found, roles: e.Roles, user: e.User, owner: e.Owner,
	}, !c.session, nil
}

// Hold tells whether everything that the dependencies name is in another catalog as it was.
func (d *Dependencies) Hold(ctx context.Context, c *Catalog) (bool, error) {
	if e := c.environment; e.Roles != d.roles || e.User != d.user || e.Owner != d.owner {
		return false, nil
	}
	schemas, err := c.Schemas(ctx)
	if err != nil || !slices.Equal(schemas, d.schemas) {
		return false, err
	}
	for name, before := range d.named {
		found, err := c.named(ctx, name)
		if err != nil || !slices.EqualFunc(found, before, sameDefinition) {
			return false, err
		}
	}
	if !d.needsAll {
		return true, nil
	}
	all, err := c.Definitions(ctx)
	return err == nil && slices.EqualFunc(all, d.all, sameDefinition), err
}

// sameDefinition compares what the relations of the catalog show of definitions. Most are the very same.
func sameDefinition(a, b *relation.Definition) bool {
	return a == b || a.OID == b.OID && a.Schema == b.Schema && a.Name == b.Name && a.Kind == b.Kind && a.Persistence == b.Persistence &&
		a.Comment == b.Comment && slices.Equal(a.Columns, b.Columns) &&
		slices.EqualFunc(a.Constraints, b.Constraints, func(a, b relation.Constraint) bool {
			return a.Name == b.Name && a.Kind == b.Kind && slices.Equal(a.Columns, b.Columns)
		})
}
