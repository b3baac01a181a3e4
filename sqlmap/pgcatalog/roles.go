package pgcatalog

import (
	"context"

	"moraine/relation"
	"moraine/role"
	"moraine/sqlmap/function"
)

var roleBuilders = map[string]builder{
	"pg_roles":        roleRows,
	"pg_authid":       authorizationRows,
	"pg_user":         userRows,
	"pg_shadow":       userRows,
	"pg_group":        groupRows,
	"pg_auth_members": membershipRows,
	"pg_default_acl":  defaultPrivilegeRows,
}

// hiddenPassword is what is shown instead of passwords.
const hiddenPassword = "********"

// everyRole gives the server's owner and the roles that there are.
func (e *Environment) everyRole() []*role.Role {
	owner := &role.Role{
		Name: e.Owner, OID: role.OwnerOID, Superuser: true, Inherit: true, CreateRole: true, CreateDatabase: true, Login: true,
		Replication: true, BypassRLS: true, ConnectionLimit: -1,
	}
	return append([]*role.Role{owner}, e.Roles.Roles()...)
}

// roleName gives the name by which a role shows.
func (e *Environment) roleName(name string) string {
	if name == role.Owner {
		return e.Owner
	}
	return name
}

func (e *Environment) roleOID(name string) relation.Value { return integer(e.Roles.OID(name)) }

// list gives an access control list; NULL for none.
func (e *Environment) list(items []role.Item) relation.Value {
	if items == nil {
		return null
	}
	return array(function.ACLItemOID, len(items), 1, func(dst []byte, i int) []byte { return append(dst, items[i].Text(e.Owner)...) })
}

// tableAccess gives the owner and the access control list of a table.
func (e *Environment) tableAccess(definition *relation.Definition) (owner, list relation.Value) {
	if e.Roles.Plain() || definition.OID < relation.FirstOID || definition.Schema == relation.TemporarySchema {
		return ownerRef, null
	}
	object := role.TableObject(e.Database.Name, definition.Schema, definition.Name)
	return e.roleOID(e.Roles.Owner(object)), e.list(e.Roles.List(object))
}

func roleRows(_ context.Context, s *scan) error {
	for _, known := range s.catalog.environment.everyRole() {
		if !s.emit(relation.Row{
			text(known.Name), relation.Bool(known.Superuser), relation.Bool(known.Inherit), relation.Bool(known.CreateRole),
			relation.Bool(known.CreateDatabase), relation.Bool(known.Login), relation.Bool(known.Replication), integer(known.ConnectionLimit),
			text(hiddenPassword), moment(known.ValidUntil), relation.Bool(known.BypassRLS), null, integer(known.OID),
		}) {
			return nil
		}
	}
	return nil
}

func authorizationRows(_ context.Context, s *scan) error {
	for _, known := range s.catalog.environment.everyRole() {
		if !s.emit(relation.Row{
			integer(known.OID), text(known.Name), relation.Bool(known.Superuser), relation.Bool(known.Inherit), relation.Bool(known.CreateRole),
			relation.Bool(known.CreateDatabase), relation.Bool(known.Login), relation.Bool(known.Replication), relation.Bool(known.BypassRLS),
			integer(known.ConnectionLimit), optional(known.Verifier), moment(known.ValidUntil),
		}) {
			return nil
		}
	}
	return nil
}

func userRows(_ context.Context, s *scan) error {
	for _, known := range s.catalog.environment.everyRole() {
		password := text(hiddenPassword)
		if s.definition.Name == "pg_shadow" {
			password = optional(known.Verifier)
		}
		if known.Login && !s.emit(relation.Row{
			text(known.Name), integer(known.OID), relation.Bool(known.CreateDatabase), relation.Bool(known.Superuser),
			relation.Bool(known.Replication), relation.Bool(known.BypassRLS), password, moment(known.ValidUntil), null,
		}) {
			return nil
		}
	}
	return nil
}

func groupRows(_ context.Context, s *scan) error {
	e := s.catalog.environment
	for _, known := range e.Roles.Roles() {
		members := []uint32{}
		for _, membership := range e.Roles.Memberships() {
			if membership.Role == known.Name {
				members = append(members, e.Roles.OID(membership.Member))
			}
		}
		if !known.Login && !s.emit(relation.Row{text(known.Name), integer(known.OID), oidArray(members)}) {
			return nil
		}
	}
	return nil
}

func membershipRows(_ context.Context, s *scan) error {
	e := s.catalog.environment
	for _, membership := range e.Roles.Memberships() {
		if !s.emit(relation.Row{e.roleOID(membership.Role), e.roleOID(membership.Member), e.roleOID(membership.Grantor), relation.Bool(membership.Admin)}) {
			return nil
		}
	}
	return nil
}

func defaultPrivilegeRows(ctx context.Context, s *scan) error {
	e := s.catalog.environment
	for i, key := range e.Roles.Defaults() {
		if key.Database != e.Database.Name {
			continue
		}
		schema := uint32(0)
		if key.Schema != "" {
			var err error
			if schema, err = s.catalog.SchemaOID(ctx, key.Schema); err != nil {
				return err
			}
		}
		if !s.emit(relation.Row{
			integer(firstDefaultOID + i), e.roleOID(key.Creator), integer(schema), text("r"), e.list(e.Roles.DefaultList(key)),
		}) {
			return nil
		}
	}
	return nil
}

// firstDefaultOID is the OID of the first row of pg_default_acl; nothing refers to it.
const firstDefaultOID = 16384
