package sqlmap

import (
	"slices"
	"strconv"
	"strings"
	"time"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/role"
	"moraine/sqlmap/function"
	"moraine/sqlmap/parse"
)

// prepareRoles makes the commands ready that make roles and give them privileges; nil for another statement.
func (s *Session) prepareRoles(statement parse.Statement) (*command, error) {
	switch node := statement.Tree.GetNode().(type) {
	case *pg_query.Node_CreateRoleStmt:
		return s.definition("CREATE ROLE", func() error { return s.createRole(&statement, node.CreateRoleStmt) }), nil
	case *pg_query.Node_AlterRoleStmt:
		return s.definition("ALTER ROLE", func() error { return s.alterRole(&statement, node.AlterRoleStmt) }), nil
	case *pg_query.Node_DropRoleStmt:
		return s.definition("DROP ROLE", func() error { return s.dropRoles(node.DropRoleStmt) }), nil
	case *pg_query.Node_AlterRoleSetStmt:
		return nil, pgerror.Unsupported("ALTER ROLE ... SET").WithHint("Give settings in the connection's options.")
	case *pg_query.Node_GrantRoleStmt:
		tag := "REVOKE ROLE"
		if node.GrantRoleStmt.IsGrant {
			tag = "GRANT ROLE"
		}
		return s.definition(tag, func() error { return s.grantRoles(node.GrantRoleStmt) }), nil
	case *pg_query.Node_GrantStmt:
		return s.definition(grantTag(node.GrantStmt), func() error { return s.grant(node.GrantStmt) }), nil
	case *pg_query.Node_AlterDefaultPrivilegesStmt:
		return s.definition("ALTER DEFAULT PRIVILEGES", func() error { return s.alterDefaultPrivileges(node.AlterDefaultPrivilegesStmt) }), nil
	case *pg_query.Node_AlterOwnerStmt:
		return s.alterOwner(node.AlterOwnerStmt)
	case *pg_query.Node_DropOwnedStmt:
		return s.definition("DROP OWNED", func() error { return s.dropOwned(node.DropOwnedStmt) }), nil
	case *pg_query.Node_ReassignOwnedStmt:
		return s.definition("REASSIGN OWNED", func() error { return s.reassignOwned(node.ReassignOwnedStmt) }), nil
	}
	return nil, nil
}

// roleOf gives the role that a statement names.
func (s *Session) roleOf(node *pg_query.RoleSpec) (string, error) {
	switch node.GetRoletype() {
	case pg_query.RoleSpecType_ROLESPEC_CURRENT_USER, pg_query.RoleSpecType_ROLESPEC_CURRENT_ROLE:
		return s.authority.holder.Name, nil
	case pg_query.RoleSpecType_ROLESPEC_SESSION_USER:
		return s.authority.identity, nil
	case pg_query.RoleSpecType_ROLESPEC_PUBLIC:
		return "", pgerror.New(pgerror.UndefinedObject, "role \"public\" does not exist")
	}
	return s.requireRole(node.GetRolename())
}

// attribute tells whether the current role may do everything, or has an attribute.
func (s *Session) attribute(of func(*role.Role) bool) bool {
	made := s.authority.state.Role(s.authority.holder.Name)
	return s.authority.holder.Superuser || made != nil && of(made)
}

func (s *Session) mayCreateRoles() bool {
	return s.attribute(func(made *role.Role) bool { return made.CreateRole })
}

// roleOptions is what CREATE ROLE and ALTER ROLE say.
type roleOptions struct {
	set                             []func(*role.Role)
	superuser                       *bool
	replication, bypass             bool
	passwordOnly                    bool
	memberOf, members, adminMembers []string
}

// readRoleOptions reads the options of CREATE ROLE and ALTER ROLE.
func (s *Session) readRoleOptions(statement *parse.Statement, nodes []*pg_query.Node) (*roleOptions, error) {
	options := &roleOptions{passwordOnly: true}
	seen := map[string]bool{}
	for _, item := range nodes {
		option := item.GetDefElem()
		if seen[option.Defname] {
			return nil, pgerror.New(pgerror.SyntaxError, "conflicting or redundant options").
				WithPosition(statement.Position(int(option.Location)))
		}
		seen[option.Defname] = true
		options.passwordOnly = options.passwordOnly && option.Defname == "password"
		if err := s.readRoleOption(options, option); err != nil {
			return nil, err
		}
	}
	return options, nil
}

func (s *Session) readRoleOption(options *roleOptions, option *pg_query.DefElem) (err error) {
	on := option.Arg.GetBoolean().GetBoolval()
	flag := func(set func(*role.Role)) { options.set = append(options.set, set) }
	switch option.Defname {
	case "superuser":
		options.superuser = &on
		flag(func(r *role.Role) { r.Superuser = on })
	case "inherit":
		flag(func(r *role.Role) { r.Inherit = on })
	case "createrole":
		flag(func(r *role.Role) { r.CreateRole = on })
	case "createdb":
		flag(func(r *role.Role) { r.CreateDatabase = on })
	case "canlogin":
		flag(func(r *role.Role) { r.Login = on })
	case "isreplication":
		options.replication = true
		flag(func(r *role.Role) { r.Replication = on })
	case "bypassrls":
		options.bypass = true
		flag(func(r *role.Role) { r.BypassRLS = on })
	case "connectionlimit":
		limit := option.Arg.GetInteger().GetIval()
		if limit < -1 {
			return pgerror.New(pgerror.InvalidParameterValue, "invalid connection limit: %d", limit)
		}
		flag(func(r *role.Role) { r.ConnectionLimit = limit })
	case "validUntil":
		return s.readValidUntil(options, option.Arg.GetString_().GetSval())
	case "password":
		return s.readPassword(options, option.Arg)
	case "addroleto":
		options.memberOf, err = s.rolesOf(option.Arg.GetList().GetItems())
	case "rolemembers":
		options.members, err = s.rolesOf(option.Arg.GetList().GetItems())
	case "adminmembers":
		options.adminMembers, err = s.rolesOf(option.Arg.GetList().GetItems())
	case "sysid":
		return s.notice(pgerror.SeverityNotice, pgerror.SuccessfulCompletion, "SYSID can no longer be specified")
	default:
		return pgerror.Unsupported("option " + option.Defname + " of a role")
	}
	return err
}

func (s *Session) readValidUntil(options *roleOptions, text string) error {
	value, err := function.Input(relation.TimestampTZType, text, &s.derived.format)
	if err != nil {
		return err
	}
	until := time.Time{} // infinity
	if microseconds := value.Int(); microseconds != maximumMoment {
		until = time.UnixMicro(microseconds + postgresEpoch).UTC()
	}
	options.set = append(options.set, func(r *role.Role) { r.ValidUntil = until })
	return nil
}

// postgresEpoch is 2000-01-01 UTC in microseconds of Unix time; maximumMoment is infinity.
const (
	postgresEpoch = 946684800000000
	maximumMoment = 1<<63 - 1
)

func (s *Session) readPassword(options *roleOptions, node *pg_query.Node) error {
	verifier := ""
	if password := node.GetString_().GetSval(); node != nil && password == "" {
		if err := s.notice(pgerror.SeverityNotice, pgerror.SuccessfulCompletion, "empty string is not a valid password, clearing password"); err != nil {
			return err
		}
	} else if node != nil {
		if s.options.PasswordVerifier == nil {
			return pgerror.Unsupported("a password")
		}
		var err error
		if verifier, err = s.options.PasswordVerifier(password); err != nil {
			return pgerror.New(pgerror.InvalidParameterValue, "the password cannot be used").WithDetail("%s", err.Error())
		}
	}
	options.set = append(options.set, func(r *role.Role) { r.Verifier = verifier })
	return nil
}

// rolesOf gives the roles of a list.
func (s *Session) rolesOf(nodes []*pg_query.Node) ([]string, error) {
	roles := make([]string, len(nodes))
	for i, node := range nodes {
		var err error
		if roles[i], err = s.roleOf(node.GetRoleSpec()); err != nil {
			return nil, err
		}
	}
	return roles, nil
}

// checkNewRoleName refuses the names that no role may get.
func (s *Session) checkNewRoleName(name string) error {
	switch {
	case name == role.Public || name == noRole:
		return pgerror.New(pgerror.ReservedName, "role name \"%s\" is reserved", name)
	case strings.HasPrefix(name, "pg_"):
		return pgerror.New(pgerror.ReservedName, "role name \"%s\" is reserved", name).
			WithDetail("Role names starting with \"pg_\" are reserved.")
	case s.identityOf(name) == role.Owner || s.authority.state.Role(name) != nil:
		return pgerror.New(pgerror.DuplicateObject, "role \"%s\" already exists", name)
	}
	return nil
}

// createRole runs CREATE ROLE, CREATE USER and CREATE GROUP.
func (s *Session) createRole(statement *parse.Statement, node *pg_query.CreateRoleStmt) error {
	options, err := s.readRoleOptions(statement, node.Options)
	if err != nil {
		return err
	}
	made := role.Role{
		Name: node.Role, Inherit: true, ConnectionLimit: -1, Login: node.StmtType == pg_query.RoleStmtType_ROLESTMT_USER,
	}
	for _, set := range options.set {
		set(&made)
	}
	switch {
	case made.Superuser && s.restricted():
		return pgerror.New(pgerror.InsufficientPrivilege, "must be superuser to create superusers")
	case made.Replication && s.restricted():
		return pgerror.New(pgerror.InsufficientPrivilege, "must be superuser to create replication users")
	case made.BypassRLS && s.restricted():
		return pgerror.New(pgerror.InsufficientPrivilege, "must be superuser to create bypassrls users")
	case !s.mayCreateRoles():
		return pgerror.New(pgerror.InsufficientPrivilege, "permission denied to create role")
	}
	if err := s.checkNewRoleName(node.Role); err != nil {
		return err
	}
	grantor := s.authority.holder.Name
	return s.changeRoles(func(draft *role.Draft) error {
		if err := draft.CreateRole(made); err != nil {
			return err
		}
		for _, of := range options.memberOf {
			if err := draft.AddMember(role.Membership{Role: of, Member: made.Name, Grantor: grantor}); err != nil {
				return err
			}
		}
		return addMembers(draft, made.Name, grantor, options)
	})
}

func addMembers(draft *role.Draft, of, grantor string, options *roleOptions) error {
	for _, member := range options.members {
		if err := draft.AddMember(role.Membership{Role: of, Member: member, Grantor: grantor}); err != nil {
			return err
		}
	}
	for _, member := range options.adminMembers {
		if err := draft.AddMember(role.Membership{Role: of, Member: member, Admin: true, Grantor: grantor}); err != nil {
			return err
		}
	}
	return nil
}

// requireMade gives the role that a statement changes, which must be one that was made.
func (s *Session) requireMade(node *pg_query.RoleSpec) (*role.Role, error) {
	name, err := s.roleOf(node)
	if err != nil {
		return nil, err
	}
	if name == role.Owner {
		return nil, pgerror.Unsupported("changing the owner of the server").
			WithHint("The owner is no role that was made. Its password is set by the server's users file.")
	}
	if strings.HasPrefix(name, "pg_") {
		return nil, pgerror.New(pgerror.ReservedName, "role name \"%s\" is reserved", name).
			WithDetail("Role names starting with \"pg_\" are reserved.")
	}
	return s.authority.state.Role(name), nil
}

// alterRole runs ALTER ROLE, and ALTER GROUP ... ADD or DROP USER.
func (s *Session) alterRole(statement *parse.Statement, node *pg_query.AlterRoleStmt) error {
	options, err := s.readRoleOptions(statement, node.Options)
	if err != nil {
		return err
	}
	before, err := s.requireMade(node.Role)
	if err != nil {
		return err
	}
	switch {
	case (before.Superuser || options.superuser != nil) && s.restricted():
		return pgerror.New(pgerror.InsufficientPrivilege, "must be superuser to alter superuser roles or change superuser attribute")
	case (before.Replication || options.replication) && s.restricted():
		return pgerror.New(pgerror.InsufficientPrivilege, "must be superuser to alter replication roles or change replication attribute")
	case options.bypass && s.restricted():
		return pgerror.New(pgerror.InsufficientPrivilege, "must be superuser to change bypassrls attribute")
	case !s.mayCreateRoles() && !(options.passwordOnly && before.Name == s.authority.holder.Name):
		return pgerror.New(pgerror.InsufficientPrivilege, "permission denied")
	}
	grantor := s.authority.holder.Name
	return s.changeRoles(func(draft *role.Draft) error {
		err := draft.AlterRole(before.Name, func(altered *role.Role) {
			for _, set := range options.set {
				set(altered)
			}
		})
		if err != nil || node.Action > 0 {
			return firstError(err, func() error { return addMembers(draft, before.Name, grantor, options) })
		}
		for _, member := range options.members {
			if err := draft.RemoveMember(before.Name, member, false); err != nil {
				return err
			}
		}
		return nil
	})
}

// firstError gives an error, or what next gives when there is none.
func firstError(err error, next func() error) error {
	if err != nil {
		return err
	}
	return next()
}

// renameRole runs ALTER ROLE ... RENAME TO.
func (s *Session) renameRole(node *pg_query.RenameStmt) error {
	before, err := s.requireMade(&pg_query.RoleSpec{Rolename: node.Subname})
	if err != nil {
		return err
	}
	switch {
	case before.Name == s.authority.identity:
		return pgerror.New(pgerror.FeatureNotSupported, "session user cannot be renamed")
	case before.Name == s.authority.holder.Name:
		return pgerror.New(pgerror.FeatureNotSupported, "current user cannot be renamed")
	case before.Superuser && s.restricted():
		return pgerror.New(pgerror.InsufficientPrivilege, "must be superuser to rename superusers")
	case !s.mayCreateRoles():
		return pgerror.New(pgerror.InsufficientPrivilege, "permission denied to rename role")
	}
	if err := s.checkNewRoleName(node.Newname); err != nil {
		return err
	}
	return s.changeRoles(func(draft *role.Draft) error { return draft.RenameRole(before.Name, node.Newname) })
}

// dropRoles runs DROP ROLE.
func (s *Session) dropRoles(node *pg_query.DropRoleStmt) error {
	if !s.mayCreateRoles() {
		return pgerror.New(pgerror.InsufficientPrivilege, "permission denied to drop role")
	}
	for _, item := range node.Roles {
		name := item.GetRoleSpec().GetRolename()
		if node.MissingOk && s.identityOf(name) != role.Owner && s.authority.state.Role(name) == nil {
			if err := s.notice(pgerror.SeverityNotice, pgerror.SuccessfulCompletion, "role \"%s\" does not exist, skipping", name); err != nil {
				return err
			}
			continue
		}
		if s.restricted() && s.identityOf(name) == role.Owner {
			return pgerror.New(pgerror.InsufficientPrivilege, "must be superuser to drop superusers")
		}
		made, err := s.requireMade(item.GetRoleSpec())
		if err != nil {
			return err
		}
		if err := s.checkDrop(made); err != nil {
			return err
		}
		if err := s.changeRoles(func(draft *role.Draft) error { return draft.DropRole(made.Name) }); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) checkDrop(made *role.Role) error {
	switch {
	case made.Name == s.authority.holder.Name:
		return pgerror.New(pgerror.ObjectInUse, "current user cannot be dropped")
	case made.Name == s.authority.identity:
		return pgerror.New(pgerror.ObjectInUse, "session user cannot be dropped")
	case made.Superuser && s.restricted():
		return pgerror.New(pgerror.InsufficientPrivilege, "must be superuser to drop superusers")
	}
	lines := s.dependents(made.Name)
	if len(lines) == 0 {
		return nil
	}
	return pgerror.New(pgerror.DependentObjectsStillExist, "role \"%s\" cannot be dropped because some objects depend on it", made.Name).
		WithDetail("%s", strings.Join(lines, "\n"))
}

// dependents says what depends on a role, as far as a message goes.
func (s *Session) dependents(name string) (lines []string) {
	state, elsewhere := s.authority.state, map[string]int{}
	for _, object := range state.Dependent(name) {
		line := s.describe(object)
		if state.Owner(object) == name {
			line = "owner of " + line
		} else {
			line = "privileges for " + line
		}
		if object.Database != s.database.Name && object.Kind != role.Database {
			elsewhere[object.Database]++
			continue
		}
		lines = append(lines, line)
	}
	for _, key := range state.Defaults() {
		if key.Creator == name || slices.ContainsFunc(state.DefaultList(key), func(item role.Item) bool { return item.Grantee == name }) {
			if key.Database != s.database.Name {
				elsewhere[key.Database]++
				continue
			}
			lines = append(lines, "privileges for default privileges on new relations belonging to role "+s.roleNamed(key.Creator)+inSchema(key.Schema))
		}
	}
	slices.Sort(lines)
	for database, count := range elsewhere {
		objects := " objects"
		if count == 1 {
			objects = " object"
		}
		lines = append(lines, strconv.Itoa(count)+objects+" in database "+database)
	}
	if len(lines) > maximumNamedDependents {
		left := len(lines) - maximumNamedDependents
		lines = append(lines[:maximumNamedDependents], "and "+strconv.Itoa(left)+" other objects (see server log for list)")
	}
	return lines
}

func inSchema(schema string) string {
	if schema == "" {
		return ""
	}
	return " in schema " + function.QuoteIdentifier(schema)
}

// describe names an object as messages do.
func (s *Session) describe(object role.Object) string {
	name := function.QuoteIdentifier(object.LastName())
	if object.Kind == role.Table && !slices.Contains(s.searchPath(), object.Schema) {
		name = function.QuoteIdentifier(object.Schema) + "." + name
	}
	return object.Kind.String() + " " + name
}

// grantRoles runs GRANT and REVOKE of roles.
func (s *Session) grantRoles(node *pg_query.GrantRoleStmt) error {
	members, err := s.rolesOf(node.GranteeRoles)
	if err != nil {
		return err
	}
	admin := false
	for _, item := range node.Opt {
		switch option := item.GetDefElem(); option.GetDefname() {
		case "admin":
			admin = !node.IsGrant || option.GetArg() == nil || option.GetArg().GetBoolean().GetBoolval()
		default:
			return pgerror.New(pgerror.SyntaxError, "unrecognized role option \"%s\"", option.GetDefname())
		}
	}
	for _, item := range node.GrantedRoles {
		name, err := s.requireRole(item.GetAccessPriv().GetPrivName())
		if err != nil {
			return err
		}
		if err := s.mayGrantRole(name); err != nil {
			return err
		}
		for _, member := range members {
			if err := s.changeMembership(name, member, node.IsGrant, admin); err != nil {
				return err
			}
		}
	}
	return nil
}

// mayGrantRole gives 42501 unless the user may make others members of a role.
func (s *Session) mayGrantRole(name string) error {
	if s.authority.state.Superuser(name) && s.restricted() {
		return pgerror.New(pgerror.InsufficientPrivilege, "must be superuser to alter superusers")
	}
	if name == role.Owner {
		return pgerror.Unsupported("membership in the owner of the server").WithHint("Use ALTER ROLE ... SUPERUSER.")
	}
	if !s.mayCreateRoles() && !s.authority.holder.Administers(name) {
		return pgerror.New(pgerror.InsufficientPrivilege, "must have admin option on role \"%s\"", name)
	}
	return nil
}

func (s *Session) changeMembership(name, member string, grant, admin bool) error {
	before := s.authority.state.Member(name, member)
	if grant {
		if before != nil && (before.Admin || !admin) {
			return s.notice(pgerror.SeverityNotice, pgerror.SuccessfulCompletion, "role \"%s\" is already a member of role \"%s\"", s.roleNamed(member), name)
		}
		if member == role.Owner {
			return pgerror.Unsupported("a membership of the owner of the server").WithHint("The owner has all rights anyway.")
		}
		added := role.Membership{Role: name, Member: member, Admin: admin, Grantor: s.authority.holder.Name}
		return s.changeRoles(func(draft *role.Draft) error { return draft.AddMember(added) })
	}
	if before == nil {
		return s.warn(pgerror.Warning, "role \"%s\" is not a member of role \"%s\"", s.roleNamed(member), name)
	}
	return s.changeRoles(func(draft *role.Draft) error { return draft.RemoveMember(name, member, admin) })
}

// checkSetRole gives the error for a role that SET ROLE may not choose.
func (s *Session) checkSetRole(name string) error {
	if name == noRole {
		return nil
	}
	identity := s.identityOf(name)
	if identity != role.Owner && s.authority.state.Role(identity) == nil {
		return pgerror.New(pgerror.InvalidParameterValue, "role \"%s\" does not exist", name)
	}
	if !s.authority.login.MayBecome(identity) {
		return pgerror.New(pgerror.InsufficientPrivilege, "permission denied to set role \"%s\"", name)
	}
	return nil
}

// commentOnRole runs COMMENT ON ROLE.
func (s *Session) commentOnRole(node *pg_query.CommentStmt) error {
	made, err := s.requireMade(&pg_query.RoleSpec{Rolename: node.Object.GetString_().GetSval()})
	if err != nil {
		return err
	}
	if !s.mayCreateRoles() || made.Superuser && s.restricted() {
		return pgerror.New(pgerror.InsufficientPrivilege, "must have CREATEROLE privilege")
	}
	return s.changeRoles(func(draft *role.Draft) error {
		return draft.AlterRole(made.Name, func(altered *role.Role) { altered.Comment = node.Comment })
	})
}
