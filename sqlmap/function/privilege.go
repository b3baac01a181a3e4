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
	object     string // what Roles.HasPrivilege calls it; "" where everybody has every privilege
	find       func(c *Context, name string) (uint32, error)
}

var privilegeKinds = []privilegeKind{
	{"table", " select insert update delete truncate references trigger rule ", "table", findRelationOf},
	{"any_column", " select insert update references ", "table", findRelationOf},
	{"sequence", " usage select update ", "", findRelationOf},
	{"schema", " create usage ", "schema", findSchemaOf},
	{"database", " create temporary temp connect ", "database", findDatabase},
	{"function", " execute ", "", findProcedureOf},
	{"type", " usage ", "", findTypeOf},
	{"language", " usage ", "", nil},
	{"tablespace", " create ", "", nil},
	{"server", " usage ", "", nil},
	{"foreign_data_wrapper", " usage ", "", nil},
	{"parameter", " set alter_system ", "", nil},
}

// privilegeFunctions answer what Roles says of tables, schemas and databases; on all else everybody has every privilege.
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
	columns := privilegeKind{"column", " select insert update references ", "table", findRelationOf}
	for _, user := range []string{"", "name_", "id_"} {
		for _, table := range []string{"name", "id"} {
			for _, column := range []string{"name", "attnum"} {
				functions["has_column_privilege_"+user+table+"_"+column] = columns.evaluateColumn(user, table == "name", column == "name")
			}
		}
	}
	for _, form := range []string{"name", "id", "name_name", "name_id", "id_name", "id_id"} {
		functions["pg_has_role_"+form] = hasRole(form)
	}
	functions["acldefault_sql"] = accessDefault
	functions["row_security_active"] = constant(relation.Bool(false))
	functions["row_security_active_name"] = constant(relation.Bool(false))
	return functions
}

func findRelationOf(c *Context, name string) (uint32, error) { return findRelation(name, &c.Format) }

func findSchemaOf(c *Context, name string) (uint32, error) {
	if c.Catalog == nil {
		return 0, nil
	}
	oid := c.Catalog.SchemaOID(name)
	if oid == 0 {
		return 0, pgerror.New(pgerror.InvalidSchemaName, "schema \"%s\" does not exist", name)
	}
	return oid, nil
}

func findDatabase(c *Context, name string) (uint32, error) {
	roles, known := c.Catalog.(Roles)
	if !known {
		return 0, nil
	}
	oid := roles.DatabaseOID(name)
	if oid == 0 {
		return 0, pgerror.New(pgerror.InvalidCatalogName, "database \"%s\" does not exist", name)
	}
	return oid, nil
}

func findProcedureOf(_ *Context, name string) (uint32, error) { return findProcedure(name, nil) }

func findTypeOf(_ *Context, name string) (uint32, error) {
	found, err := ParseTypeName(name)
	return found.OID, err
}

// privilegeWord is one privilege of a list.
type privilegeWord struct {
	word      string
	grantable bool
}

// privilegeWords reads the list that is asked for and refuses words that are no privileges of the kind.
func (k privilegeKind) privilegeWords(list string) ([]privilegeWord, error) {
	var words []privilegeWord
	for _, word := range strings.Split(list, ",") {
		word = trimSpace(word)
		plain, grantable := strings.CutSuffix(lowerASCII(word), " with grant option")
		if plain == "" || !strings.Contains(k.privileges, " "+strings.ReplaceAll(plain, " ", "_")+" ") {
			return nil, pgerror.New(pgerror.InvalidParameterValue, "unrecognized privilege type: \"%s\"", word)
		}
		words = append(words, privilegeWord{plain, grantable})
	}
	return words, nil
}

func (k privilegeKind) evaluate(form string) Evaluate {
	byName := strings.HasSuffix(form, "name")
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		role, err := askedRole(c, a[:len(a)-2], strings.HasPrefix(form, "name_"))
		if err != nil {
			return relation.NULL, err
		}
		object, oid := a[len(a)-2], uint32(0)
		if !byName {
			oid = uint32(object.Int())
		} else if k.find != nil {
			if oid, err = k.find(c, object.Text()); err != nil {
				return relation.NULL, err
			}
		}
		words, err := k.privilegeWords(a[len(a)-1].Text())
		if err != nil {
			return relation.NULL, err
		}
		return hasAny(c, role, k.object, oid, words), nil
	}
}

// askedRole gives the OID of the role that is asked about: the first argument, or the current user.
func askedRole(c *Context, arguments []relation.Value, byName bool) (uint32, error) {
	roles, known := c.Catalog.(Roles)
	switch {
	case len(arguments) == 0 && known:
		return roles.CurrentRole(), nil
	case len(arguments) == 0:
		return ownerOID, nil
	case !byName:
		return uint32(arguments[0].Int()), nil
	case arguments[0].Text() == "public":
		return 0, nil
	}
	return requireRole(arguments[0].Text(), &c.Format)
}

// hasAny tells whether a role has any of the privileges; NULL when there is no such object.
func hasAny(c *Context, role uint32, kind string, object uint32, words []privilegeWord) relation.Value {
	roles, known := c.Catalog.(Roles)
	if !known || kind == "" {
		return relation.Bool(true)
	}
	for _, word := range words {
		has, found := roles.HasPrivilege(role, kind, object, word.word, word.grantable)
		if !found {
			return relation.NULL
		}
		if has {
			return relation.Bool(true)
		}
	}
	return relation.Bool(false)
}

func (k privilegeKind) evaluateColumn(user string, tableByName, columnByName bool) Evaluate {
	place := 0
	if user != "" {
		place = 1
	}
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		words, err := k.privilegeWords(a[place+2].Text())
		if err != nil {
			return relation.NULL, err
		}
		role, err := askedRole(c, a[:place], user == "name_")
		if err != nil {
			return relation.NULL, err
		}
		oid := uint32(a[place].Int())
		if tableByName {
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
		return hasAny(c, role, k.object, oid, words), nil
	}
}

// hasRole tells whether a role is a member of another.
func hasRole(form string) Evaluate {
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		role, err := askedRole(c, a[:len(a)-2], strings.HasPrefix(form, "name_"))
		if err != nil {
			return relation.NULL, err
		}
		of := uint32(a[len(a)-2].Int())
		if strings.HasSuffix(form, "name") {
			if of, err = requireRole(a[len(a)-2].Text(), &c.Format); err != nil {
				return relation.NULL, err
			}
		}
		words, err := roleKind.privilegeWords(a[len(a)-1].Text())
		if err != nil {
			return relation.NULL, err
		}
		roles, known := c.Catalog.(Roles)
		if !known {
			return relation.Bool(role == of), nil
		}
		for _, word := range words {
			if roles.HasRole(role, of, word.word == "usage") {
				return relation.Bool(true), nil
			}
		}
		return relation.Bool(false), nil
	}
}

var roleKind = privilegeKind{name: "role", privileges: " member usage "}
