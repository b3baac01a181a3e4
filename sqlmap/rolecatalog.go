package sqlmap

import (
	"moraine/pgerror"
	"moraine/relation"
	"moraine/role"
)

// RoleOID finds a role; 0 when there is none.
func (c functionCatalog) RoleOID(name string) uint32 {
	return c.session.authority.state.OID(c.session.identityOf(name))
}

// RoleName gives the name of a role; "" when there is none.
func (c functionCatalog) RoleName(oid uint32) string {
	name, ok := c.session.authority.state.Named(oid)
	if !ok {
		return ""
	}
	return c.session.roleNamed(name)
}

// CurrentRole gives the OID of the current user.
func (c functionCatalog) CurrentRole() uint32 {
	return c.session.authority.state.OID(c.session.authority.holder.Name)
}

// DatabaseOID finds a database; 0 when there is none.
func (c functionCatalog) DatabaseOID(name string) uint32 { return c.session.databaseOIDs()[name] }

// HasPrivilege tells whether a role has a privilege on an object. The role 0 is PUBLIC, which has what was granted to it.
func (c functionCatalog) HasPrivilege(of uint32, kind string, oid uint32, privilege string, grantable bool) (has, found bool) {
	object, system, found := c.object(kind, oid)
	if !found {
		return false, false
	}
	holder := c.holder(of)
	wanted := role.ParsePrivilege(privilege)
	switch {
	case object.Schema == relation.TemporarySchema:
		return true, true
	case holder.Superuser || wanted == 0: // RULE, which does nothing
		return holder.Superuser, true
	case system:
		_, secret := secretRelations[object.Name]
		return wanted&(role.Select|role.Usage) != 0 && !secret && !grantable, true
	case grantable:
		return holder.Grantable(object, wanted) != 0, true
	}
	return holder.Holds(object, wanted) != 0, true
}

func (c functionCatalog) holder(of uint32) *role.Holder {
	s := c.session
	name, ok := s.authority.state.Named(of)
	if !ok {
		name = role.Public
	}
	if name == s.authority.holder.Name {
		return s.authority.holder
	}
	return s.authority.state.Holder(name)
}

// object names the object of an OID; system tells that it is part of pg_catalog or information_schema, or a temporary table.
func (c functionCatalog) object(kind string, oid uint32) (object role.Object, system, found bool) {
	s := c.session
	switch kind {
	case "database":
		for name, known := range s.databaseOIDs() {
			if known == oid {
				return role.DatabaseObject(name), false, true
			}
		}
		return role.Object{}, false, false
	case "schema":
		name := c.SchemaName(oid)
		return s.schemaObject(name), openSchema(name), name != ""
	}
	if definition := c.Definition(oid); definition != nil {
		return s.tableObject(definition), openSchema(definition.Schema) && definition.Schema != relation.TemporarySchema, true
	}
	return role.Object{}, false, false
}

// HasRole tells whether a role is a member of another, or with usage whether it has its privileges.
func (c functionCatalog) HasRole(of, in uint32, usage bool) bool {
	name, ok := c.session.authority.state.Named(in)
	if !ok {
		return false
	}
	if usage {
		return c.holder(of).Is(name)
	}
	return c.holder(of).MayBecome(name)
}

// maySignal gives 42501 unless the user may cancel or end another session: as a superuser, as a member of the other's
// role, or of pg_signal_backend.
func (s *Session) maySignal(processID uint32) error {
	if !s.restricted() || s.options.Sessions == nil {
		return nil
	}
	for _, other := range s.options.Sessions() {
		if other.ProcessID != processID {
			continue
		}
		state := s.authority.state
		switch {
		case state.Role(other.User) == nil || state.Superuser(other.User):
			return pgerror.New(pgerror.InsufficientPrivilege, "must be a superuser to terminate superuser process")
		case !s.authority.holder.MayBecome(other.User) && !s.authority.holder.Is(role.SignalBackend):
			return pgerror.New(pgerror.InsufficientPrivilege,
				"must be a member of the role whose process is being terminated or member of pg_signal_backend")
		}
	}
	return nil
}
