package function

import (
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

// privilegeKind is a kind of object that has_..._privilege asks about.
type privilegeKind struct {
	name       string
	privileges string // what may be asked, between blanks
	check      func(c *Context, name string) error
}

var privilegeKinds = []privilegeKind{
	{"table", " select insert update delete truncate references trigger rule ", checkRelation},
	{"any_column", " select insert update references ", checkRelation},
	{"sequence", " usage select update ", checkRelation},
	{"schema", " create usage ", checkSchema},
	{"database", " create temporary temp connect ", nil},
	{"function", " execute ", checkProcedure},
	{"type", " usage ", checkType},
	{"language", " usage ", nil},
	{"tablespace", " create ", nil},
	{"server", " usage ", nil},
	{"foreign_data_wrapper", " usage ", nil},
	{"parameter", " set alter_system ", nil},
}

// privilegeFunctions answer that the one role, which owns everything, has every privilege on what exists.
func privilegeFunctions() evaluates {
	functions := evaluates{}
	for _, kind := range privilegeKinds {
		for _, form := range []string{"name", "id", "name_name", "name_id", "id_name", "id_id"} {
			if kind.name == "parameter" && strings.HasSuffix(form, "id") {
				continue // parameters have names only
			}
			functions["has_"+kind.name+"_privilege_"+form] = kind.evaluate(form)
		}
	}
	columns := privilegeKind{"column", " select insert update references ", checkRelation}
	for _, user := range []string{"", "name_", "id_"} {
		for _, table := range []string{"name", "id"} {
			for _, column := range []string{"name", "attnum"} {
				functions["has_column_privilege_"+user+table+"_"+column] = columns.evaluateColumn(user != "", table == "name", column == "name")
			}
		}
	}
	for _, form := range []string{"name", "id", "name_name", "name_id", "id_name", "id_id"} {
		functions["pg_has_role_"+form] = hasRole(strings.HasSuffix(form, "name"), strings.Contains(form, "_"))
	}
	functions["row_security_active"] = constant(relation.Bool(false))
	functions["row_security_active_name"] = constant(relation.Bool(false))
	return functions
}

func checkRelation(c *Context, name string) error {
	_, err := findRelation(name, &c.Format)
	return err
}

func checkSchema(c *Context, name string) error {
	if c.Catalog != nil && c.Catalog.SchemaOID(name) == 0 {
		return pgerror.New(pgerror.InvalidSchemaName, "schema \"%s\" does not exist", name)
	}
	return nil
}

func checkProcedure(_ *Context, name string) error {
	_, err := findProcedure(name, nil)
	return err
}

func checkType(_ *Context, name string) error {
	_, err := ParseTypeName(name)
	return err
}

// checkPrivileges refuses words that are no privileges of the kind.
func (k privilegeKind) checkPrivileges(list string) error {
	for _, word := range strings.Split(list, ",") {
		word = trimSpace(word)
		plain := strings.TrimSuffix(lowerASCII(word), " with grant option")
		if plain == "" || !strings.Contains(k.privileges, " "+strings.ReplaceAll(plain, " ", "_")+" ") {
			return pgerror.New(pgerror.InvalidParameterValue, "unrecognized privilege type: \"%s\"", word)
		}
	}
	return nil
}

func (k privilegeKind) evaluate(form string) Evaluate {
	byName := strings.HasSuffix(form, "name")
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		object := a[len(a)-2]
		if byName && k.check != nil {
			if err := k.check(c, object.Text()); err != nil {
				return relation.NULL, err
			}
		}
		return relation.Bool(true), k.checkPrivileges(a[len(a)-1].Text())
	}
}

func (k privilegeKind) evaluateColumn(user, tableByName, columnByName bool) Evaluate {
	place := 0
	if user {
		place = 1
	}
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		if err := k.checkPrivileges(a[place+2].Text()); err != nil {
			return relation.NULL, err
		}
		oid := uint32(a[place].Int())
		if tableByName {
			var err error
			if oid, err = findRelation(a[place].Text(), &c.Format); err != nil {
				return relation.NULL, err
			}
		}
		definition := definitionOf(c, oid)
		if definition == nil {
			return relation.NULL, nil
		}
		if columnByName && definition.Ordinal(a[place+1].Text()) < 0 {
			return relation.NULL, pgerror.New(pgerror.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", a[place+1].Text(), definition.Name)
		}
		return relation.Bool(true), nil
	}
}

// hasRole tells whether the user is a member of a role: of itself only, as there is no other.
func hasRole(byName, user bool) Evaluate {
	place := 0
	if user {
		place = 1
	}
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		if !byName {
			return relation.Bool(uint32(a[place].Int()) == ownerOID), nil
		}
		if name := a[place].Text(); name != c.User && name != c.SessionUser {
			return relation.NULL, pgerror.New(pgerror.UndefinedObject, "role \"%s\" does not exist", name)
		}
		return relation.Bool(true), nil
	}
}
