package role

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Role is the attributes of a role. It is immutable.
type Role struct {
	Name            string
	OID             uint32
	Superuser       bool `json:",omitempty"`
	Inherit         bool `json:",omitempty"`
	CreateRole      bool `json:",omitempty"`
	CreateDatabase  bool `json:",omitempty"`
	Login           bool `json:",omitempty"`
	Replication     bool `json:",omitempty"`
	BypassRLS       bool `json:",omitempty"`
	ConnectionLimit int32
	ValidUntil      time.Time `json:",omitzero"`
	// Verifier is what is kept of the password: SCRAM-SHA-256$...; "" for none.
	Verifier string `json:",omitempty"`
	Comment  string `json:",omitempty"`
}

// Membership says that Member is a member of Role.
type Membership struct {
	Role, Member string
	Admin        bool `json:",omitempty"` // may make others members
	Grantor      string
}

type membershipKey struct{ role, member string }

// access is who owns an object and what others may do with it.
type access struct {
	Object Object
	Owner  string
	// List is nil as long as the kind's default holds.
	List list
}

// DefaultKey says which new objects default privileges are for: tables that Creator makes in a database, in all schemas
// when Schema is "".
type DefaultKey struct{ Creator, Database, Schema string }

type defaults struct {
	Key  DefaultKey
	List list
}

// Owner is the name of the server's owner, which is no role that was made.
const Owner = ""

// OwnerOID is the OID of the owner of the server, PostgreSQL's first superuser.
const OwnerOID = 10

// firstOID is the OID of the first role that is made, as in PostgreSQL.
const firstOID = 16384

// Predefined roles that mean something here (PostgreSQL's manual, "Predefined Roles").
const (
	DatabaseOwner = "pg_database_owner"
	ReadAllData   = "pg_read_all_data"
	WriteAllData  = "pg_write_all_data"
	SignalBackend = "pg_signal_backend"
)

var predefined = []*Role{
	{Name: SignalBackend, OID: 4200, Inherit: true, ConnectionLimit: -1},
	{Name: DatabaseOwner, OID: 6171, Inherit: true, ConnectionLimit: -1},
	{Name: ReadAllData, OID: 6181, Inherit: true, ConnectionLimit: -1},
	{Name: WriteAllData, OID: 6182, Inherit: true, ConnectionLimit: -1},
}

// publicSchema is the schema that everyone may use from the start.
const publicSchema = "public"

// State is all roles and privileges at one moment.
type State struct {
	roles       map[string]*Role
	memberships map[membershipKey]*Membership
	objects     map[Object]*access
	defaults    map[DefaultKey]*defaults
}

func newState() *State {
	s := &State{
		roles: map[string]*Role{}, memberships: map[membershipKey]*Membership{}, objects: map[Object]*access{},
		defaults: map[DefaultKey]*defaults{},
	}
	for _, role := range predefined {
		s.roles[role.Name] = role
	}
	return s
}

func (s *State) clone() *State {
	return &State{
		roles: maps.Clone(s.roles), memberships: maps.Clone(s.memberships), objects: maps.Clone(s.objects), defaults: maps.Clone(s.defaults),
	}
}

// Role finds a role that was made or is predefined; nil when there is none.
func (s *State) Role(name string) *Role { return s.roles[name] }

// OID gives the OID of a role; 0 when there is none.
func (s *State) OID(name string) uint32 {
	if name == Owner {
		return OwnerOID
	}
	if role := s.roles[name]; role != nil {
		return role.OID
	}
	return 0
}

// Named tells the name of a role by its OID.
func (s *State) Named(oid uint32) (name string, ok bool) {
	if oid == OwnerOID {
		return Owner, true
	}
	for _, role := range s.roles {
		if role.OID == oid {
			return role.Name, true
		}
	}
	return "", false
}

// Roles lists the roles by OID.
func (s *State) Roles() []*Role {
	return slices.SortedFunc(maps.Values(s.roles), func(a, b *Role) int { return cmp.Compare(a.OID, b.OID) })
}

// Memberships lists who is a member of what, by name.
func (s *State) Memberships() []*Membership {
	return slices.SortedFunc(maps.Values(s.memberships), func(a, b *Membership) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Member, b.Member))
	})
}

// Superuser tells whether a role may do everything.
func (s *State) Superuser(name string) bool {
	role := s.roles[name]
	return name == Owner || role != nil && role.Superuser
}

// Holder is a role with all that it is a member of.
type Holder struct {
	Name string
	// Superuser tells that nothing need be asked.
	Superuser bool
	// inherited are the roles whose privileges it has, itself among them; members those that it may become.
	inherited, members map[string]bool
	state              *State
}

// Holder gives a role as a holder of privileges.
func (s *State) Holder(name string) *Holder {
	h := &Holder{Name: name, Superuser: s.Superuser(name), state: s}
	if !h.Superuser {
		h.inherited, h.members = map[string]bool{name: true}, map[string]bool{name: true}
		s.spread(name, h.inherited, true)
		s.spread(name, h.members, false)
	}
	return h
}

// spread adds the roles that a role is a member of, directly or not. Privileges are not inherited through NOINHERIT.
func (s *State) spread(member string, into map[string]bool, inherit bool) {
	if role := s.roles[member]; inherit && (role == nil || !role.Inherit) {
		return
	}
	for key := range s.memberships {
		if key.member == member && !into[key.role] {
			into[key.role] = true
			s.spread(key.role, into, inherit)
		}
	}
}

// Is tells whether the holder has the privileges of a role, as an owner must.
func (h *Holder) Is(name string) bool { return h.Superuser || h.inherited[name] }

// MayBecome tells whether the holder is a member of a role.
func (h *Holder) MayBecome(name string) bool { return h.Superuser || h.members[name] }

// Administers tells whether the holder may make others members of a role.
func (h *Holder) Administers(name string) bool {
	if h.Superuser {
		return true
	}
	for member := range h.members {
		if membership := h.state.memberships[membershipKey{name, member}]; membership != nil && membership.Admin {
			return true
		}
	}
	return false
}

// Owner gives the owner of an object.
func (s *State) Owner(object Object) string {
	if known := s.objects[object]; known != nil {
		return known.Owner
	}
	if object.Kind == Schema && object.Schema == publicSchema {
		return s.Owner(DatabaseObject(object.Database)) // through pg_database_owner
	}
	return Owner
}

// CatalogOwner gives the owner of an object as catalogs show it: nobody's schema public is pg_database_owner's.
func (s *State) CatalogOwner(object Object) string {
	if s.objects[object] == nil && object.Kind == Schema && object.Schema == publicSchema {
		return DatabaseOwner
	}
	return s.Owner(object)
}

// Owns tells whether the holder has the rights of an object's owner.
func (h *Holder) Owns(object Object) bool { return h.Superuser || h.Is(h.state.Owner(object)) }

// Plain tells that nothing is known of any object beside the defaults.
func (s *State) Plain() bool { return len(s.objects) == 0 }

// Listed tells whether anything is known of an object, or of one within it, beside the defaults.
func (s *State) Listed(object Object) bool {
	if _, listed := s.objects[object]; listed || object.Kind == Table {
		return listed
	}
	for other := range s.objects {
		if other.in(object) {
			return true
		}
	}
	return false
}

// List gives the access control list of an object; nil as long as its default holds.
func (s *State) List(object Object) []Item {
	if known := s.objects[object]; known != nil && known.List != nil {
		return known.List
	}
	if object.Kind == Schema && object.Schema == publicSchema {
		return s.defaultList(object)
	}
	return nil
}

// defaultList is what an object allows before anything was granted.
func (s *State) defaultList(object Object) list {
	owner := s.Owner(object)
	result := list{{Grantee: owner, Grantor: owner, Privileges: object.Kind.All()}}
	switch {
	case object.Kind == Database:
		result = append(list{{Grantee: Public, Grantor: owner, Privileges: Temporary | Connect}}, result...)
	case object.Kind == Schema && object.Schema == publicSchema:
		result = append(result, Item{Grantee: Public, Grantor: owner, Privileges: Usage})
	}
	return result
}

// Identity gives the role that a name means; owner is the name of the server's owner.
func (s *State) Identity(name, owner string) string {
	if name == owner && s.roles[name] == nil {
		return Owner
	}
	return name
}

// Effective gives the access control list of an object, its default when nothing was granted.
func (s *State) Effective(object Object) []Item { return s.effective(object) }

func (s *State) effective(object Object) list {
	if known := s.objects[object]; known != nil && known.List != nil {
		return known.List
	}
	return s.defaultList(object)
}

// Holds tells which of the privileges on an object the holder has.
func (h *Holder) Holds(object Object, wanted Privilege) Privilege {
	if h.Superuser {
		return wanted
	}
	var held Privilege
	for _, item := range h.state.effective(object) {
		if item.Grantee == Public || h.inherited[item.Grantee] {
			held |= item.Privileges
		}
	}
	return (held | h.predefined(object.Kind)) & wanted
}

// predefined gives what the predefined roles allow on every object of a kind.
func (h *Holder) predefined(kind Kind) (held Privilege) {
	switch reads, writes := h.inherited[ReadAllData], h.inherited[WriteAllData]; kind {
	case Schema:
		if reads || writes {
			held = Usage
		}
	case Table:
		if reads {
			held |= Select
		}
		if writes {
			held |= Insert | Update | Delete
		}
	}
	return held
}

// Grantable tells which of the privileges on an object the holder may pass on.
func (h *Holder) Grantable(object Object, wanted Privilege) Privilege {
	if h.Owns(object) {
		return wanted
	}
	var held Privilege
	for _, item := range h.state.effective(object) {
		if item.Grantee == Public || h.inherited[item.Grantee] {
			held |= item.Grantable
		}
	}
	return held & wanted
}

// Grantor gives the role in whose name the holder grants: the owner when it may act as that, else itself.
func (h *Holder) Grantor(object Object) string {
	if h.Owns(object) {
		return h.state.Owner(object)
	}
	return h.Name
}

// Defaults lists the default privileges.
func (s *State) Defaults() []DefaultKey {
	return slices.SortedFunc(maps.Keys(s.defaults), func(a, b DefaultKey) int {
		return cmp.Or(cmp.Compare(a.Database, b.Database), cmp.Compare(a.Creator, b.Creator), cmp.Compare(a.Schema, b.Schema))
	})
}

// DefaultList gives the list of default privileges.
func (s *State) DefaultList(key DefaultKey) []Item {
	if known := s.defaults[key]; known != nil {
		return known.List
	}
	return nil
}

// NeedsRecord tells whether a table that a role makes has to be recorded: it is not the server's owner, or there are
// default privileges for it.
func (s *State) NeedsRecord(creator, database, schema string) bool {
	return creator != Owner || s.defaults[DefaultKey{creator, database, schema}] != nil || s.defaults[DefaultKey{creator, database, ""}] != nil
}

// Dependent lists the objects that a role owns or has privileges on.
func (s *State) Dependent(name string) (objects []Object) {
	for object, known := range s.objects {
		if known.Owner == name || known.List.mentions(name) {
			objects = append(objects, object)
		}
	}
	slices.SortFunc(objects, compareObjects)
	return objects
}

// Owned lists the objects that a role owns.
func (s *State) Owned(name string) (objects []Object) {
	for _, object := range s.Dependent(name) {
		if s.objects[object].Owner == name {
			objects = append(objects, object)
		}
	}
	return objects
}

func compareObjects(a, b Object) int {
	return cmp.Or(cmp.Compare(a.Database, b.Database), cmp.Compare(b.Kind, a.Kind), cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Name, b.Name))
}
