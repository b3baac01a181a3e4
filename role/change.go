package role

import (
	"cmp"
	"slices"

	"moraine/pgerror"
)

// Change is one change of a state. It may be applied again, to a newer state.
type Change func(*Draft) error

// Draft is a state that is being changed.
type Draft struct{ *State }

// Apply gives the state with changes.
func (s *State) Apply(changes []Change) (*State, error) {
	draft := &Draft{s.clone()}
	for _, change := range changes {
		if err := change(draft); err != nil {
			return nil, err
		}
	}
	return draft.State, nil
}

// Limits of a server.
const (
	// MaximumRoles bounds the roles.
	MaximumRoles = 10_000
	// MaximumObjects bounds the objects of which owners or privileges are recorded.
	MaximumObjects = 1_000_000
)

func undefined(name string) error {
	return pgerror.New(pgerror.UndefinedObject, "role \"%s\" does not exist", name)
}

// CreateRole adds a role, with an OID of its own.
func (d *Draft) CreateRole(role Role) error {
	if d.roles[role.Name] != nil {
		return pgerror.New(pgerror.DuplicateObject, "role \"%s\" already exists", role.Name)
	}
	if len(d.roles) >= MaximumRoles {
		return pgerror.New(pgerror.ProgramLimitExceeded, "too many roles").WithDetail("The limit is %d.", MaximumRoles)
	}
	role.OID = firstOID
	for _, other := range d.roles {
		role.OID = max(role.OID, other.OID+1)
	}
	d.roles[role.Name] = &role
	return nil
}

// AlterRole changes the attributes of a role.
func (d *Draft) AlterRole(name string, change func(*Role)) error {
	before := d.roles[name]
	if before == nil {
		return undefined(name)
	}
	role := *before
	change(&role)
	d.roles[name] = &role
	return nil
}

// RenameRole gives a role another name, wherever it stands.
func (d *Draft) RenameRole(from, to string) error {
	if d.roles[from] == nil {
		return undefined(from)
	}
	if d.roles[to] != nil {
		return pgerror.New(pgerror.DuplicateObject, "role \"%s\" already exists", to)
	}
	role := *d.roles[from]
	role.Name = to
	delete(d.roles, from)
	d.roles[to] = &role
	another := func(name string) string {
		if name == from {
			return to
		}
		return name
	}
	for key, membership := range d.memberships {
		if key.role == from || key.member == from || membership.Grantor == from {
			delete(d.memberships, key)
			renamed := Membership{another(key.role), another(key.member), membership.Admin, another(membership.Grantor)}
			d.memberships[membershipKey{renamed.Role, renamed.Member}] = &renamed
		}
	}
	for object, known := range d.objects {
		if known.Owner == from || known.List.mentions(from) {
			d.objects[object] = &access{object, another(known.Owner), known.List.renamed(from, to)}
		}
	}
	for key, known := range d.defaults {
		if key.Creator == from || known.List.mentions(from) {
			delete(d.defaults, key)
			key.Creator = another(key.Creator)
			d.defaults[key] = &defaults{key, known.List.renamed(from, to)}
		}
	}
	return nil
}

// DropRole removes a role and its memberships. The caller has checked that nothing depends on it; a grant that was
// committed meanwhile falls with it.
func (d *Draft) DropRole(name string) error {
	if d.roles[name] == nil {
		return undefined(name)
	}
	delete(d.roles, name)
	for key := range d.memberships {
		if key.role == name || key.member == name {
			delete(d.memberships, key)
		}
	}
	d.disown(name)
	return nil
}

// disown gives all that a role owns to the server's owner, and revokes all that it has and gave.
func (d *Draft) disown(name string) {
	for object, known := range d.objects {
		if known.Owner == name {
			d.objects[object] = &access{object, Owner, known.List.renamed(name, Owner)}
		} else if known.List.mentions(name) {
			d.objects[object] = &access{object, known.Owner, known.List.without(name)}
		}
	}
	for key, known := range d.defaults {
		if key.Creator == name {
			delete(d.defaults, key)
		} else if known.List.mentions(name) {
			d.defaults[key] = &defaults{key, known.List.without(name)}
		}
	}
}

// RevokeAll takes from a role what it has and gave in a database, default privileges too, but for what it owns.
func (d *Draft) RevokeAll(name, database string) error {
	for object, known := range d.objects {
		if object.Database == database && known.Owner != name && known.List.mentions(name) {
			d.objects[object] = &access{object, known.Owner, known.List.without(name)}
		}
	}
	for key, known := range d.defaults {
		switch {
		case key.Database != database:
		case key.Creator == name:
			delete(d.defaults, key)
		case known.List.mentions(name):
			d.defaults[key] = &defaults{key, known.List.without(name)}
		}
	}
	return nil
}

// Reassign gives what a role owns in a database to another.
func (d *Draft) Reassign(from, to, database string) error {
	for _, object := range d.Owned(from) {
		if object.Database == database {
			if err := d.SetOwner(object, to); err != nil {
				return err
			}
		}
	}
	return nil
}

// AddMember makes a role a member of another.
func (d *Draft) AddMember(added Membership) error {
	if d.roles[added.Role] == nil {
		return undefined(added.Role)
	}
	if d.roles[added.Member] == nil {
		return undefined(added.Member)
	}
	reachable := map[string]bool{added.Role: true}
	d.spread(added.Role, reachable, false)
	if reachable[added.Member] {
		return pgerror.New("0LP01", "role \"%s\" is a member of role \"%s\"", added.Role, added.Member)
	}
	key := membershipKey{added.Role, added.Member}
	if before := d.memberships[key]; before != nil {
		added.Admin = added.Admin || before.Admin
	}
	d.memberships[key] = &added
	return nil
}

// RemoveMember ends a membership, or only the right to make others members.
func (d *Draft) RemoveMember(role, member string, adminOnly bool) error {
	key := membershipKey{role, member}
	before := d.memberships[key]
	switch {
	case before == nil:
	case adminOnly:
		d.memberships[key] = &Membership{role, member, false, before.Grantor}
	default:
		delete(d.memberships, key)
	}
	return nil
}

// Member gives a membership; nil when there is none.
func (s *State) Member(role, member string) *Membership {
	return s.memberships[membershipKey{role, member}]
}

// Grant is what one GRANT or REVOKE does with one object or one set of default privileges.
type Grant struct {
	Grantees   []string
	Grantor    string
	Privileges Privilege
	// Option is WITH GRANT OPTION, or GRANT OPTION FOR.
	Option  bool
	Revoke  bool
	Cascade bool
}

// Grant changes the privileges on an object.
func (d *Draft) Grant(object Object, grant Grant) error {
	known := d.objects[object]
	if known == nil {
		if len(d.objects) >= MaximumObjects {
			return tooManyObjects()
		}
		known = &access{Object: object, Owner: d.Owner(object)}
	}
	changed, err := grant.apply(slices.Clone(d.effective(object)), known.Owner)
	if err != nil {
		return err
	}
	d.objects[object] = &access{object, known.Owner, changed}
	return nil
}

func tooManyObjects() error {
	return pgerror.New(pgerror.ProgramLimitExceeded, "too many objects with privileges").WithDetail("The limit is %d.", MaximumObjects)
}

// apply gives the list after the grant; it changes the one given.
func (g *Grant) apply(before list, owner string) (list, error) {
	for _, grantee := range g.Grantees {
		if !g.Revoke && g.Option && before.circular(grantee, g.Grantor, owner, g.Privileges) {
			return nil, pgerror.New("0LP01", "grant options cannot be granted back to your own grantor")
		}
		if !g.Revoke {
			before = before.grant(grantee, g.Grantor, g.Privileges, g.Option)
			continue
		}
		var dependent bool
		if before, dependent = before.revoke(grantee, g.Grantor, owner, g.Privileges, g.Option, g.Cascade); dependent {
			return nil, pgerror.New(pgerror.DependentObjectsStillExist, "dependent privileges exist").
				WithHint("Use CASCADE to revoke them too.")
		}
	}
	if before == nil {
		before = list{}
	}
	return before, nil
}

// GrantDefault changes default privileges.
func (d *Draft) GrantDefault(key DefaultKey, grant Grant) error {
	grant.Grantor = key.Creator
	var before list
	if known := d.defaults[key]; known != nil {
		before = slices.Clone(known.List)
	} else if key.Schema == "" {
		before = list{{Grantee: key.Creator, Grantor: key.Creator, Privileges: Table.All()}}
	}
	changed, err := grant.apply(before, key.Creator)
	if err != nil {
		return err
	}
	d.sort(changed)
	if len(changed) == 0 && key.Schema != "" {
		delete(d.defaults, key)
		return nil
	}
	d.defaults[key] = &defaults{key, changed}
	return nil
}

// sort orders a list as PostgreSQL orders those that come from default privileges: by OID, PUBLIC first.
func (d *Draft) sort(items list) {
	oid := func(name string) uint32 {
		if name == Public {
			return 0
		}
		return d.OID(name)
	}
	slices.SortStableFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(oid(a.Grantee), oid(b.Grantee)), cmp.Compare(oid(a.Grantor), oid(b.Grantor)))
	})
}

// Created records who made an object, and what default privileges give others on it.
func (d *Draft) Created(object Object, creator string) error {
	if len(d.objects) >= MaximumObjects {
		return tooManyObjects()
	}
	made := &access{Object: object, Owner: creator}
	if object.Kind == Table {
		everywhere := d.defaults[DefaultKey{creator, object.Database, ""}]
		here := d.defaults[DefaultKey{creator, object.Database, object.Schema}]
		if everywhere != nil {
			made.List = slices.Clone(everywhere.List)
		} else if here != nil {
			made.List = list{{Grantee: creator, Grantor: creator, Privileges: Table.All()}}
		}
		if here != nil {
			for _, item := range here.List {
				made.List = made.List.grant(item.Grantee, item.Grantor, item.Privileges&^item.Grantable, false)
				made.List = made.List.grant(item.Grantee, item.Grantor, item.Grantable, true)
			}
		}
		d.sort(made.List)
	}
	d.objects[object] = made
	return nil
}

// SetOwner gives an object to another role, with the privileges of the one before.
func (d *Draft) SetOwner(object Object, owner string) error {
	known := d.objects[object]
	if known == nil {
		known = &access{Object: object, Owner: d.Owner(object)}
	}
	d.objects[object] = &access{object, owner, known.List.renamed(known.Owner, owner)}
	return nil
}

// Forget removes all that is known of an object and of what is within it, for it was dropped.
func (d *Draft) Forget(object Object) error {
	for other := range d.objects {
		if other.in(object) {
			delete(d.objects, other)
		}
	}
	for key := range d.defaults {
		inside := SchemaObject(key.Database, key.Schema)
		if key.Schema == "" {
			inside = DatabaseObject(key.Database)
		}
		if inside.in(object) {
			delete(d.defaults, key)
		}
	}
	return nil
}

// RenameTable lets a table keep its owner and privileges under another name.
func (d *Draft) RenameTable(from, to Object) error {
	if known := d.objects[from]; known != nil {
		delete(d.objects, from)
		d.objects[to] = &access{to, known.Owner, known.List}
	}
	return nil
}
