package sqlmap

import (
	"moraine/pgerror"
	"moraine/relation"
	"moraine/role"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/pgcatalog"
)

// ownerName is how the owner of the server is called in sessions of other users.
const ownerName = "postgres"

// authority is who the session acts for, and what the roles of the server are to the statement under way.
type authority struct {
	identity string // of the user that connected: a role that was made, or role.Owner
	state    *role.State
	login    *role.Holder // the user that connected
	holder   *role.Holder // the role that SET ROLE chose, else the user
	// What they were made from.
	base       *role.State
	changes    int
	generation uint64 // of the settings, of which role is one
}

// restricted tells that there is something that the user may not do.
func (s *Session) restricted() bool { return !s.authority.holder.Superuser }

// Restricted tells the binder to note what the statement uses.
func (n names) Restricted() bool { return n.session.restricted() }

// authorize brings the authority up to date: roles may have changed, here or elsewhere.
func (s *Session) authorize() {
	a, base, generation := &s.authority, s.options.Roles.Current(), s.settings.Generation()
	var changes []role.Change
	if s.transaction != nil {
		changes = s.transaction.roleChanges
	}
	if a.base == base && a.changes == len(changes) && a.generation == generation {
		return
	}
	state := base
	if len(changes) > 0 {
		applied, err := base.Apply(changes)
		if err != nil {
			return // COMMIT will tell; until then the state before is shown
		}
		state = applied
	}
	a.state, a.base, a.changes, a.generation = state, base, len(changes), generation
	a.login = state.Holder(a.identity)
	a.holder = a.login
	s.function.User, s.function.SessionUser = s.options.User, s.options.User
	// A role that the user is no member of any more gives it nothing.
	if name := s.settings.Raw("role"); name != noRole && a.login.MayBecome(s.identityOf(name)) {
		a.holder = state.Holder(s.identityOf(name))
		s.function.User = name
	}
}

// noRole is what the setting role is without a SET ROLE.
const noRole = "none"

// logIn finds out as whom the user acts, and refuses who may not log in or not to this database.
func (s *Session) logIn() error {
	user, state := s.options.User, s.options.Roles.Current()
	s.authority.identity = role.Owner
	made := state.Role(user)
	if made != nil {
		s.authority.identity = user
	}
	s.authorize()
	if err := s.checkSetRole(s.settings.Raw("role")); err != nil {
		refused := *pgerror.From(err) // the client asked for it as it connected
		refused.Severity = pgerror.SeverityFatal
		return &refused
	}
	if made == nil {
		return nil
	}
	if !made.Login {
		return pgerror.Fatal(pgerror.InvalidAuthorization, "role \"%s\" is not permitted to log in", user)
	}
	if s.authority.login.Superuser {
		return nil
	}
	if s.authority.login.Holds(role.DatabaseObject(s.database.Name), role.Connect) == 0 {
		return pgerror.Fatal(pgerror.InsufficientPrivilege, "permission denied for database \"%s\"", s.database.Name).
			WithDetail("User does not have CONNECT privilege.")
	}
	if made.ConnectionLimit >= 0 && s.options.Sessions != nil {
		count := int32(0)
		for _, other := range s.options.Sessions() {
			if other.User == user {
				count++
			}
		}
		if count >= made.ConnectionLimit {
			return pgerror.Fatal(pgerror.TooManyConnections, "too many connections for role \"%s\"", user)
		}
	}
	return nil
}

// ownersName gives the name of the server's owner: the user's own when it is the owner.
func (s *Session) ownersName() string {
	if s.authority.identity == role.Owner {
		return s.options.User
	}
	return ownerName
}

// roleNamed gives the name by which a role shows.
func (s *Session) roleNamed(identity string) string {
	if identity == role.Owner {
		return s.ownersName()
	}
	return identity
}

// identityOf gives the role that a name means.
func (s *Session) identityOf(name string) string {
	if s.authority.state.Role(name) == nil && (name == s.ownersName() || name == ownerName) {
		return role.Owner
	}
	return name
}

// requireRole gives the role that a name means, 42704 when there is none.
func (s *Session) requireRole(name string) (string, error) {
	identity := s.identityOf(name)
	if identity != role.Owner && s.authority.state.Role(identity) == nil {
		return "", pgerror.New(pgerror.UndefinedObject, "role \"%s\" does not exist", name)
	}
	return identity, nil
}

// changeRoles makes a change of roles or privileges that is durable with the transaction.
func (s *Session) changeRoles(change role.Change) error {
	if _, err := s.authority.state.Apply([]role.Change{change}); err != nil {
		return err
	}
	s.transaction.roleChanges = append(s.transaction.roleChanges, change)
	s.authorize()
	s.definitionsChanged()
	return nil
}

// keepRoleChanges undoes the changes of roles but the first ones.
func (s *Session) keepRoleChanges(count int) {
	if len(s.transaction.roleChanges) > count {
		s.transaction.roleChanges = s.transaction.roleChanges[:count]
		s.authority.base = nil
	}
}

func (s *Session) databaseObject() role.Object { return role.DatabaseObject(s.database.Name) }

func (s *Session) schemaObject(name string) role.Object {
	return role.SchemaObject(s.database.Name, name)
}

func (s *Session) tableObject(definition *relation.Definition) role.Object {
	return role.TableObject(s.database.Name, definition.Schema, definition.Name)
}

// open tells that a schema is everybody's to use: the session's own temporary tables, and the catalogs.
func openSchema(name string) bool {
	switch name {
	case pgcatalog.Schema, pgcatalog.InformationSchema, relation.TemporarySchema, pgcatalog.TemporarySchemaName:
		return true
	}
	return false
}

// usable tells whether the user may look for names in a schema.
func (s *Session) usable(schema string) bool {
	return !s.restricted() || openSchema(schema) || s.authority.holder.Holds(s.schemaObject(schema), role.Usage) != 0
}

// requireUsage gives 42501 for a schema that the user may not look into.
func (s *Session) requireUsage(schema string) error {
	if s.usable(schema) {
		return nil
	}
	catalog, err := s.pgCatalog()
	if err != nil {
		return err
	}
	if oid, err := catalog.SchemaOID(s.context, schema); err != nil || oid == 0 {
		return err // whoever looks for the name will not find it
	}
	return deniedFor(s.schemaObject(schema))
}

func deniedFor(object role.Object) error {
	return pgerror.New(pgerror.InsufficientPrivilege, "permission denied for %s %s", object.Kind, object.LastName())
}

// secretRelations are those of pg_catalog that only superusers may read.
var secretRelations = map[string]string{"pg_authid": "table", "pg_shadow": "view"}

// require gives 42501 unless the user has a privilege on a relation.
func (s *Session) require(used relation.Relation, privileges role.Privilege) error {
	definition := used.Definition()
	switch {
	case !s.restricted() || definition.Schema == relation.TemporarySchema || relation.IsDropped(used):
		return nil
	case openSchema(definition.Schema):
		if kind, secret := secretRelations[definition.Name]; secret {
			return pgerror.New(pgerror.InsufficientPrivilege, "permission denied for %s %s", kind, definition.Name)
		}
		return nil
	}
	if object := s.tableObject(definition); s.authority.holder.Holds(object, privileges) != privileges {
		return deniedFor(object)
	}
	return nil
}

// requireLock gives 42501 unless the user may do with a table what a lock of that mode is for.
func (s *Session) requireLock(found relation.Relation, mode int32) error {
	enough := role.Update | role.Delete | role.Truncate
	switch mode {
	case accessShareLock:
		enough |= role.Select
	case rowExclusiveLock:
		enough |= role.Insert
	}
	definition := found.Definition()
	if !s.restricted() || openSchema(definition.Schema) || s.authority.holder.Holds(s.tableObject(definition), enough) != 0 {
		return nil
	}
	return deniedFor(s.tableObject(definition))
}

// purposes are the privileges that uses of a relation need.
var purposes = []struct {
	purpose   bind.Purpose
	privilege role.Privilege
}{{bind.Reads, role.Select}, {bind.Inserts, role.Insert}, {bind.Updates, role.Update}, {bind.Deletes, role.Delete}}

// requireUses checks what a query does with relations.
func (s *Session) requireUses(uses []bind.Use) error {
	for _, use := range uses {
		var privileges role.Privilege
		for _, needed := range purposes {
			if use.Purpose&needed.purpose != 0 {
				privileges |= needed.privilege
			}
		}
		if err := s.require(use.Relation, privileges); err != nil {
			return err
		}
	}
	return nil
}

// requireOwner gives 42501 unless the user is the owner of an object, or of the schema that it is in when drop says so.
func (s *Session) requireOwner(object role.Object, drop bool) error {
	if !s.restricted() || openSchema(object.Schema) || s.authority.holder.Owns(object) {
		return nil
	}
	if drop && s.authority.holder.Owns(s.schemaObject(object.Schema)) {
		return nil
	}
	return pgerror.New(pgerror.InsufficientPrivilege, "must be owner of %s %s", object.Kind, object.LastName())
}

// requireCreation gives 42501 unless the user may make a table in a schema.
func (s *Session) requireCreation(schema string) error {
	object, privilege := s.schemaObject(schema), role.Create
	if schema == relation.TemporarySchema {
		object, privilege = s.databaseObject(), role.Temporary
	}
	if s.authority.holder.Holds(object, privilege) != 0 {
		return nil
	}
	if schema == relation.TemporarySchema {
		return pgerror.New(pgerror.InsufficientPrivilege, "permission denied to create temporary tables in database \"%s\"", s.database.Name)
	}
	return deniedFor(object)
}

// created records who made an object, where that is not plain.
func (s *Session) created(object role.Object) error {
	creator := s.authority.holder.Name
	if object.Kind == role.Table && !s.authority.state.NeedsRecord(creator, object.Database, object.Schema) ||
		object.Kind != role.Table && creator == role.Owner {
		return nil
	}
	return s.changeRoles(func(draft *role.Draft) error { return draft.Created(object, creator) })
}

// dropped forgets who owned an object.
func (s *Session) dropped(object role.Object) error {
	if !s.authority.state.Listed(object) {
		return nil
	}
	return s.changeRoles(func(draft *role.Draft) error { return draft.Forget(object) })
}
