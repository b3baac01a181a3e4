package role

import "strings"

// Privilege is a set of privileges.
type Privilege uint16

// Privileges, in the order in which PostgreSQL writes their letters.
const (
	Insert Privilege = 1 << iota
	Select
	Update
	Delete
	Truncate
	References
	Trigger
	Usage
	Create
	Temporary
	Connect
)

// privilegeNames are the letters and words of the privileges, in order.
var privilegeNames = []struct {
	letter byte
	word   string
}{
	{'a', "INSERT"}, {'r', "SELECT"}, {'w', "UPDATE"}, {'d', "DELETE"}, {'D', "TRUNCATE"}, {'x', "REFERENCES"}, {'t', "TRIGGER"},
	{'U', "USAGE"}, {'C', "CREATE"}, {'T', "TEMPORARY"}, {'c', "CONNECT"},
}

// ParsePrivilege reads the word of one privilege in any case; 0 for another word.
func ParsePrivilege(word string) Privilege {
	if strings.EqualFold(word, "TEMP") {
		return Temporary
	}
	for i, name := range privilegeNames {
		if strings.EqualFold(word, name.word) {
			return 1 << i
		}
	}
	return 0
}

// Words gives the privileges of the set by their words.
func (p Privilege) Words() (words []string) {
	for i, name := range privilegeNames {
		if p&(1<<i) != 0 {
			words = append(words, name.word)
		}
	}
	return words
}

// Kind is a kind of object.
type Kind uint8

// Kinds of objects.
const (
	Database Kind = iota
	Schema
	Table
)

// All gives the privileges that there are on a kind of object.
func (k Kind) All() Privilege {
	switch k {
	case Database:
		return Create | Temporary | Connect
	case Schema:
		return Usage | Create
	}
	return Insert | Select | Update | Delete | Truncate | References | Trigger
}

// String gives the kind as errors name it.
func (k Kind) String() string {
	switch k {
	case Database:
		return "database"
	case Schema:
		return "schema"
	}
	return "table"
}

// Object names a database, a schema (with its database) or a table (with both).
type Object struct {
	Kind                   Kind
	Database, Schema, Name string
}

// DatabaseObject, SchemaObject and TableObject name objects.
func DatabaseObject(database string) Object { return Object{Kind: Database, Database: database} }

// SchemaObject names a schema.
func SchemaObject(database, schema string) Object {
	return Object{Kind: Schema, Database: database, Schema: schema}
}

// TableObject names a table.
func TableObject(database, schema, name string) Object {
	return Object{Kind: Table, Database: database, Schema: schema, Name: name}
}

// LastName gives the object's name without what it is in.
func (o Object) LastName() string {
	switch o.Kind {
	case Database:
		return o.Database
	case Schema:
		return o.Schema
	}
	return o.Name
}

// in tells whether the object is within another, or is it.
func (o Object) in(outer Object) bool {
	switch outer.Kind {
	case Database:
		return o.Database == outer.Database
	case Schema:
		return o.Kind != Database && o.Database == outer.Database && o.Schema == outer.Schema
	}
	return o == outer
}
