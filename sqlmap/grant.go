package sqlmap

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/role"
)

func grantTag(node *pg_query.GrantStmt) string {
	if node.IsGrant {
		return "GRANT"
	}
	return "REVOKE"
}

// readGrant reads what a GRANT or REVOKE gives to whom, on objects of a kind.
func (s *Session) readGrant(node *pg_query.GrantStmt, kind role.Kind) (role.Grant, error) {
	grant := role.Grant{
		Revoke: !node.IsGrant, Option: node.GrantOption, Cascade: node.Behavior == pg_query.DropBehavior_DROP_CASCADE,
	}
	for _, item := range node.Grantees {
		spec, grantee := item.GetRoleSpec(), role.Public
		if spec.Roletype != pg_query.RoleSpecType_ROLESPEC_PUBLIC {
			var err error
			if grantee, err = s.roleOf(spec); err != nil {
				return grant, err
			}
		} else if node.GrantOption && node.IsGrant {
			return grant, pgerror.New("0LP01", "grant options can only be granted to roles")
		}
		grant.Grantees = append(grant.Grantees, grantee)
	}
	if len(node.Privileges) == 0 {
		grant.Privileges = kind.All()
	}
	for _, item := range node.Privileges {
		privilege, err := readPrivilege(item.GetAccessPriv(), kind)
		if err != nil {
			return grant, err
		}
		grant.Privileges |= privilege
	}
	if node.Grantor != nil {
		grantor, err := s.roleOf(node.Grantor)
		if err != nil {
			return grant, err
		}
		if grantor != s.authority.holder.Name {
			return grant, pgerror.New(pgerror.FeatureNotSupported, "grantor must be current user")
		}
	}
	return grant, nil
}

func readPrivilege(node *pg_query.AccessPriv, kind role.Kind) (role.Privilege, error) {
	if len(node.Cols) > 0 {
		return 0, pgerror.Unsupported("a privilege on single columns")
	}
	privilege := role.ParsePrivilege(node.PrivName)
	if privilege == 0 {
		return 0, pgerror.New(pgerror.SyntaxError, "unrecognized privilege type \"%s\"", node.PrivName)
	}
	if privilege&kind.All() == 0 {
		objects := kind.String()
		if kind == role.Table && privilege != role.Usage { // USAGE is one of sequences, which are relations
			objects = "relation"
		}
		return 0, pgerror.New("0LP01", "invalid privilege type %s for %s", strings.Join(privilege.Words(), ""), objects)
	}
	return privilege, nil
}

// kindOf gives the kind of the objects of a grant; none tells that there are no objects of the kind, so that nothing can be
// granted on all of them.
func kindOf(node *pg_query.GrantStmt) (kind role.Kind, none bool, err error) {
	switch node.Objtype {
	case pg_query.ObjectType_OBJECT_TABLE:
		return role.Table, false, nil
	case pg_query.ObjectType_OBJECT_SCHEMA:
		return role.Schema, false, nil
	case pg_query.ObjectType_OBJECT_DATABASE:
		return role.Database, false, nil
	case pg_query.ObjectType_OBJECT_SEQUENCE, pg_query.ObjectType_OBJECT_FUNCTION, pg_query.ObjectType_OBJECT_PROCEDURE,
		pg_query.ObjectType_OBJECT_ROUTINE:
		if node.Targtype != pg_query.GrantTargetType_ACL_TARGET_OBJECT {
			return 0, true, nil
		}
	}
	words := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(node.Objtype.String(), "OBJECT_"), "_", " "))
	return 0, false, pgerror.Unsupported("a privilege on a " + words)
}

// grant runs GRANT and REVOKE of privileges.
func (s *Session) grant(node *pg_query.GrantStmt) error {
	kind, none, err := kindOf(node)
	if none || err != nil {
		return err
	}
	grant, err := s.readGrant(node, kind)
	if err != nil {
		return err
	}
	objects, err := s.grantedObjects(node, kind)
	if err != nil {
		return err
	}
	type single struct {
		object role.Object
		grant  role.Grant
	}
	var grants []single
	for _, object := range objects {
		one := grant
		one.Grantor = s.authority.holder.Grantor(object)
		if one.Privileges, err = s.passable(object, grant); err != nil {
			return err
		}
		if one.Privileges != 0 {
			grants = append(grants, single{object, one})
		}
	}
	if len(grants) == 0 {
		return nil
	}
	return s.changeRoles(func(draft *role.Draft) error {
		for _, one := range grants {
			if err := draft.Grant(one.object, one.grant); err != nil {
				return err
			}
		}
		return nil
	})
}

// passable gives the privileges on an object that the user may pass on; that they are not all is a warning.
func (s *Session) passable(object role.Object, grant role.Grant) (role.Privilege, error) {
	holder := s.authority.holder
	passable := holder.Grantable(object, grant.Privileges)
	if passable == grant.Privileges {
		return passable, nil
	}
	if passable == 0 && holder.Grantable(object, object.Kind.All()) == 0 && holder.Holds(object, object.Kind.All()) == 0 {
		return 0, deniedFor(object)
	}
	verb, code := "granted", "01007"
	if grant.Revoke {
		verb, code = "revoked", "01006"
	}
	if passable == 0 {
		return 0, s.warn(code, "no privileges %s for \"%s\"", map[bool]string{false: "were " + verb, true: "could be " + verb}[grant.Revoke], object.LastName())
	}
	return passable, s.warn(code, "not all privileges %s for \"%s\"", map[bool]string{false: "were " + verb, true: "could be " + verb}[grant.Revoke], object.LastName())
}

// grantedObjects gives the objects that a GRANT names.
func (s *Session) grantedObjects(node *pg_query.GrantStmt, kind role.Kind) (objects []role.Object, err error) {
	for _, item := range node.Objects {
		switch {
		case kind == role.Database:
			name := item.GetString_().GetSval()
			if _, known := s.databaseOIDs()[name]; !known {
				return nil, pgerror.New(pgerror.InvalidCatalogName, "database \"%s\" does not exist", name)
			}
			objects = append(objects, role.DatabaseObject(name))
		case kind == role.Schema:
			name := item.GetString_().GetSval()
			if err := s.requireSchema(name); err != nil {
				return nil, err
			}
			objects = append(objects, s.schemaObject(name))
		case node.Targtype == pg_query.GrantTargetType_ACL_TARGET_ALL_IN_SCHEMA:
			tables, err := s.tablesOf(item.GetString_().GetSval())
			if err != nil {
				return nil, err
			}
			objects = append(objects, tables...)
		default:
			table, err := s.grantedTable(item.GetRangeVar())
			if err != nil {
				return nil, err
			}
			objects = append(objects, table)
		}
	}
	return objects, nil
}

func (s *Session) grantedTable(name *pg_query.RangeVar) (role.Object, error) {
	if err := s.checkDatabase(name.Catalogname, name.Schemaname, name.Relname); err != nil {
		return role.Object{}, err
	}
	found, err := names{s}.Relation(s.context, name.Schemaname, name.Relname)
	if err != nil {
		return role.Object{}, err
	}
	if found == nil {
		return role.Object{}, undefinedTable(name.Schemaname, name.Relname)
	}
	definition := found.Definition()
	if openSchema(definition.Schema) {
		return role.Object{}, pgerror.Unsupported("a privilege on a system catalog or a temporary table")
	}
	return s.tableObject(definition), nil
}

// tablesOf gives the tables that a schema has at this moment.
func (s *Session) tablesOf(schema string) ([]role.Object, error) {
	if err := s.requireSchema(schema); err != nil {
		return nil, err
	}
	if err := s.requireUsage(schema); err != nil {
		return nil, err
	}
	if openSchema(schema) {
		return nil, pgerror.Unsupported("a privilege on a system catalog or a temporary table")
	}
	handle, err := s.handle()
	if err != nil {
		return nil, err
	}
	definitions, err := handle.Definitions(s.context, schema)
	if err != nil {
		return nil, err
	}
	objects := make([]role.Object, len(definitions))
	for i, definition := range definitions {
		objects[i] = s.tableObject(definition)
	}
	return objects, nil
}

// alterDefaultPrivileges runs ALTER DEFAULT PRIVILEGES, for tables that are made later.
func (s *Session) alterDefaultPrivileges(node *pg_query.AlterDefaultPrivilegesStmt) error {
	action := node.Action
	kind, none, err := kindOf(action)
	if err == nil && !none && kind != role.Table {
		err = pgerror.Unsupported("default privileges on a " + kind.String())
	}
	if none || err != nil {
		return err
	}
	grant, err := s.readGrant(action, role.Table)
	if err != nil {
		return err
	}
	creators, schemas := []string{s.authority.holder.Name}, []string{""}
	for _, item := range node.Options {
		option := item.GetDefElem()
		switch option.Defname {
		case "roles":
			if creators, err = s.rolesOf(option.Arg.GetList().GetItems()); err != nil {
				return err
			}
		case "schemas":
			schemas = stringsOf(option.Arg.GetList().GetItems())
		}
	}
	var keys []role.DefaultKey
	for _, creator := range creators {
		if !s.authority.holder.MayBecome(creator) {
			return pgerror.New(pgerror.InsufficientPrivilege, "must be member of role \"%s\"", s.roleNamed(creator))
		}
		for _, schema := range schemas {
			if schema != "" {
				if err := s.requireSchema(schema); err != nil {
					return err
				}
			}
			keys = append(keys, role.DefaultKey{Creator: creator, Database: s.database.Name, Schema: schema})
		}
	}
	return s.changeRoles(func(draft *role.Draft) error {
		for _, key := range keys {
			if err := draft.GrantDefault(key, grant); err != nil {
				return err
			}
		}
		return nil
	})
}

// alterOwner makes ALTER SCHEMA ... OWNER TO and ALTER DATABASE ... OWNER TO ready.
func (s *Session) alterOwner(node *pg_query.AlterOwnerStmt) (*command, error) {
	name := node.Object.GetString_().GetSval()
	switch node.ObjectType {
	case pg_query.ObjectType_OBJECT_SCHEMA:
		return s.definition("ALTER SCHEMA", func() error {
			if err := s.requireSchema(name); err != nil {
				return err
			}
			return s.setOwner(s.schemaObject(name), node.Newowner)
		}), nil
	case pg_query.ObjectType_OBJECT_DATABASE:
		return s.definition("ALTER DATABASE", func() error {
			if _, known := s.databaseOIDs()[name]; !known {
				return pgerror.New(pgerror.InvalidCatalogName, "database \"%s\" does not exist", name)
			}
			return s.setOwner(role.DatabaseObject(name), node.Newowner)
		}), nil
	}
	return nil, pgerror.Unsupported("ALTER ... OWNER TO of what is not a table, schema or database")
}

// setOwner gives an object to another role.
func (s *Session) setOwner(object role.Object, to *pg_query.RoleSpec) error {
	owner, err := s.roleOf(to)
	if err != nil {
		return err
	}
	if openSchema(object.Schema) && object.Kind != role.Database || s.authority.state.Owner(object) == owner {
		return nil
	}
	if err := s.requireOwner(object, false); err != nil {
		return err
	}
	if !s.authority.holder.MayBecome(owner) {
		return pgerror.New(pgerror.InsufficientPrivilege, "must be member of role \"%s\"", s.roleNamed(owner))
	}
	return s.changeRoles(func(draft *role.Draft) error { return draft.SetOwner(object, owner) })
}

// dropOwned runs DROP OWNED: what the roles own in this database is dropped, what they were granted is revoked.
func (s *Session) dropOwned(node *pg_query.DropOwnedStmt) error {
	roles, err := s.rolesOf(node.Roles)
	if err != nil {
		return err
	}
	cascade := node.Behavior == pg_query.DropBehavior_DROP_CASCADE
	for _, name := range roles {
		if name == role.Owner {
			return pgerror.New(pgerror.DependentObjectsStillExist, "cannot drop objects owned by role %s because they are required by the database system",
				s.roleNamed(name))
		}
		if !s.authority.holder.Is(name) {
			return pgerror.New(pgerror.InsufficientPrivilege, "permission denied to drop objects")
		}
		if err := s.dropObjects(name, cascade); err != nil {
			return err
		}
		database := s.database.Name
		if err := s.changeRoles(func(draft *role.Draft) error { return draft.RevokeAll(name, database) }); err != nil {
			return err
		}
	}
	return nil
}

// dropObjects drops the tables that a role owns in this database, then the schemas. A database is not dropped, as in
// PostgreSQL.
func (s *Session) dropObjects(name string, cascade bool) error {
	owned := s.authority.state.Owned(name)
	for _, object := range owned {
		if object.Kind != role.Table || object.Database != s.database.Name {
			continue
		}
		found, err := s.relationIn(s.context, object.Schema, object.Name)
		if err != nil {
			return err
		}
		if found == nil || relation.IsDropped(found) {
			continue
		}
		if err := s.dropTable(object.Schema, object.Name, false); err != nil {
			return err
		}
	}
	for _, object := range owned {
		if object.Kind == role.Schema && object.Database == s.database.Name {
			if err := s.dropSchema(object.Schema, true, cascade); err != nil {
				return err
			}
		}
	}
	return nil
}

// reassignOwned runs REASSIGN OWNED.
func (s *Session) reassignOwned(node *pg_query.ReassignOwnedStmt) error {
	from, err := s.rolesOf(node.Roles)
	if err != nil {
		return err
	}
	to, err := s.roleOf(node.Newrole)
	if err != nil {
		return err
	}
	for _, name := range append(from, to) {
		if !s.authority.holder.Is(name) {
			return pgerror.New(pgerror.InsufficientPrivilege, "permission denied to reassign objects")
		}
	}
	for _, name := range from {
		if name == role.Owner {
			return pgerror.New(pgerror.DependentObjectsStillExist, "cannot reassign ownership of objects owned by role %s because they are required by the database system",
				s.roleNamed(name))
		}
		database := s.database.Name
		if err := s.changeRoles(func(draft *role.Draft) error { return draft.Reassign(name, to, database) }); err != nil {
			return err
		}
	}
	return nil
}
