package role_test

import (
	"testing"

	"moraine/pgerror"
	"moraine/role"
)

// state gives the state after changes.
func state(t *testing.T, changes ...role.Change) *role.State {
	t.Helper()
	made, err := role.New().Current().Apply(changes)
	check(t, err)
	return made
}

func create(names ...string) role.Change {
	return func(d *role.Draft) error {
		for _, name := range names {
			if err := d.CreateRole(role.Role{Name: name, Inherit: name != "aloof"}); err != nil {
				return err
			}
		}
		return nil
	}
}

func member(of, name string) role.Change {
	return func(d *role.Draft) error { return d.AddMember(role.Membership{Role: of, Member: name}) }
}

func grant(object role.Object, to string, privileges role.Privilege) role.Change {
	return func(d *role.Draft) error {
		return d.Grant(object, role.Grant{Grantees: []string{to}, Privileges: privileges})
	}
}

func TestHolds(t *testing.T) {
	made := state(t, create("ada", "staff", "all", "aloof", "root"), member("staff", "ada"), member("all", "staff"), member("all", "aloof"),
		grant(table, "all", role.Select), grant(table, role.Public, role.Delete),
		func(d *role.Draft) error { return d.Created(role.TableObject("d", "s", "own"), "staff") },
		func(d *role.Draft) error { return d.AlterRole("root", func(r *role.Role) { r.Superuser = true }) },
		member(role.ReadAllData, "root"))
	public := role.SchemaObject("d", "public")
	own := role.TableObject("d", "s", "own")
	tests := []struct {
		who    string
		object role.Object
		wanted role.Privilege
		held   role.Privilege
	}{
		{"ada", table, role.Select | role.Insert | role.Delete, role.Select | role.Delete},
		{"aloof", table, role.Select | role.Delete, role.Delete},
		{"ada", own, role.Select | role.Truncate, role.Select | role.Truncate},
		{"all", own, role.Select, 0},
		{"root", table, role.Truncate, role.Truncate},
		{role.Owner, table, role.Truncate, role.Truncate},
		{"gone", table, role.Select | role.Delete, role.Delete},
		{"ada", public, role.Usage | role.Create, role.Usage},
		{"ada", schema, role.Usage | role.Create, 0},
		{"ada", role.DatabaseObject("d"), role.Connect | role.Create | role.Temporary, role.Connect | role.Temporary},
	}
	for _, test := range tests {
		if held := made.Holder(test.who).Holds(test.object, test.wanted); held != test.held {
			t.Errorf("%q has %v on %v, want %v", test.who, held.Words(), test.object, test.held.Words())
		}
	}
	if !made.Holder("aloof").MayBecome("all") || made.Holder("aloof").Is("all") || made.Holder("all").MayBecome("ada") {
		t.Error("memberships go the wrong way")
	}
}

func TestMembershipsGoInNoCircle(t *testing.T) {
	made := state(t, create("a", "b", "c"), member("a", "b"), member("b", "c"))
	for _, circle := range []role.Change{member("c", "a"), member("a", "a"), member("b", "a")} {
		if _, err := made.Apply([]role.Change{circle}); !pgerror.HasCode(err, "0LP01") {
			t.Errorf("got %v", err)
		}
	}
}

func TestADroppedObjectLeavesNothing(t *testing.T) {
	made := state(t, create("ada"), grant(table, "ada", role.Select), grant(schema, "ada", role.Usage), grant(role.SchemaObject("d", "s2"), "ada", role.Usage),
		func(d *role.Draft) error {
			return d.GrantDefault(role.DefaultKey{Database: "d", Schema: "s"}, role.Grant{Grantees: []string{"ada"}, Privileges: role.Select})
		},
		func(d *role.Draft) error { return d.Forget(schema) })
	if made.Listed(table) || made.Listed(schema) || !made.Listed(role.DatabaseObject("d")) || len(made.Defaults()) != 0 {
		t.Errorf("left: %v, %v", made.Dependent("ada"), made.Defaults())
	}
}

func TestADroppedRoleLeavesNothing(t *testing.T) {
	made := state(t, create("ada", "bob"), member("bob", "ada"), grant(table, "ada", role.Select),
		func(d *role.Draft) error { return d.Created(schema, "ada") },
		func(d *role.Draft) error { return d.DropRole("ada") })
	if len(made.Dependent("ada")) != 0 || len(made.Memberships()) != 0 || made.Owner(schema) != role.Owner {
		t.Errorf("left: %v, %v", made.Dependent("ada"), made.Memberships())
	}
}

func TestRevokingAnOptionCascades(t *testing.T) {
	pass := func(from, to string) role.Change {
		return func(d *role.Draft) error {
			return d.Grant(table, role.Grant{Grantees: []string{to}, Grantor: from, Privileges: role.Select, Option: true})
		}
	}
	made := state(t, create("a", "b", "c"), pass(role.Owner, "a"), pass("a", "b"), pass("b", "c"))
	if _, err := made.Apply([]role.Change{pass("c", "a")}); !pgerror.HasCode(err, "0LP01") {
		t.Errorf("a circle of grants gives %v", err)
	}
	revoke := role.Grant{Grantees: []string{"a"}, Privileges: role.Select, Revoke: true}
	if _, err := made.Apply([]role.Change{func(d *role.Draft) error { return d.Grant(table, revoke) }}); !pgerror.HasCode(err, pgerror.DependentObjectsStillExist) {
		t.Errorf("got %v", err)
	}
	revoke.Cascade = true
	made, err := made.Apply([]role.Change{func(d *role.Draft) error { return d.Grant(table, revoke) }})
	check(t, err)
	for _, name := range []string{"a", "b", "c"} {
		if made.Holder(name).Holds(table, role.Select) != 0 {
			t.Errorf("%s may still read", name)
		}
	}
}

func TestItemText(t *testing.T) {
	tests := []struct {
		item role.Item
		want string
	}{
		{role.Item{Grantee: role.Public, Grantor: role.Owner, Privileges: role.Usage}, "=U/me"},
		{role.Item{Grantee: "ada", Grantor: "bob", Privileges: role.Table.All(), Grantable: role.Insert | role.Trigger}, "ada=a*rwdDxt*/bob"},
		{role.Item{Grantee: `a "b"`, Grantor: "c-d", Privileges: role.Connect | role.Create}, `"a ""b"""=Cc/"c-d"`},
	}
	for _, test := range tests {
		if got := test.item.Text("me"); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}
