package function

import (
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

// accessPrivileges are the letters of an aclitem and their words, in PostgreSQL's order.
var accessPrivileges = []struct {
	letter byte
	word   string
}{
	{'a', "INSERT"}, {'r', "SELECT"}, {'w', "UPDATE"}, {'d', "DELETE"}, {'D', "TRUNCATE"}, {'x', "REFERENCES"}, {'t', "TRIGGER"},
	{'X', "EXECUTE"}, {'U', "USAGE"}, {'C', "CREATE"}, {'T', "TEMPORARY"}, {'c', "CONNECT"}, {'s', "SET"}, {'A', "ALTER SYSTEM"},
}

// defaultAccess gives the privileges of PUBLIC and of the owner on a new object, by the letter of its kind (acldefault in
// PostgreSQL's manual, "ACL Privilege Abbreviations").
var defaultAccess = map[string][2]string{
	"c": {"", ""}, "r": {"", "arwdDxt"}, "s": {"", "rwU"}, "d": {"Tc", "CTc"}, "f": {"X", "X"}, "l": {"U", "U"}, "L": {"", "rw"},
	"n": {"", "UC"}, "p": {"", "sA"}, "t": {"", "C"}, "F": {"", "U"}, "S": {"", "U"}, "T": {"U", "U"},
}

// accessDefault is acldefault.
func accessDefault(c *Context, a []relation.Value) (relation.Value, error) {
	access, known := defaultAccess[a[0].Text()]
	if !known {
		return relation.NULL, pgerror.New(pgerror.InternalError, "unrecognized objtype abbreviation: %s", a[0].Text())
	}
	owner := roleName(uint32(a[1].Int()), &c.Format)
	if owner == "" {
		owner = string(appendUnsignedText(nil, a[1], nil))
	}
	owner = quoteAccessName(owner)
	var items []relation.Value
	if access[0] != "" {
		items = append(items, relation.Text("="+access[0]+"/"+owner))
	}
	if access[1] != "" {
		items = append(items, relation.Text(owner+"="+access[1]+"/"+owner))
	}
	return NewArray(ACLItemOID, items), nil
}

// quoteAccessName quotes a name in an aclitem that has other characters than letters, digits and underscores.
func quoteAccessName(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" {
		return name
	}
	return QuoteIdentifier(name)
}

// cutAccessName reads a name, quoted or not, from the start of an aclitem.
func cutAccessName(text string) (name, rest string) {
	var read strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch character := text[i]; {
		case character == '"' && quoted && i+1 < len(text) && text[i+1] == '"':
			read.WriteByte('"')
			i++
		case character == '"':
			quoted = !quoted
		case !quoted && (character == '=' || character == '/'):
			return read.String(), text[i:]
		default:
			read.WriteByte(character)
		}
	}
	return read.String(), ""
}

// explodeAccess is aclexplode: a row for each privilege of each item.
func explodeAccess(c *Context, a []relation.Value) ([]relation.Row, error) {
	var rows []relation.Row
	for _, item := range OpenArray(a[0]).Elements {
		name, rest := cutAccessName(item.Text())
		letters, grantorName, _ := strings.Cut(strings.TrimPrefix(rest, "="), "/")
		grantorName, _ = cutAccessName(grantorName)
		grantor, err := requireRole(grantorName, &c.Format)
		if err != nil {
			return nil, err
		}
		grantee := uint32(0) // PUBLIC
		if name != "" {
			if grantee, err = requireRole(name, &c.Format); err != nil {
				return nil, err
			}
		}
		for _, privilege := range accessPrivileges {
			at := strings.IndexByte(letters, privilege.letter)
			if at < 0 {
				continue
			}
			grantable := at+1 < len(letters) && letters[at+1] == '*'
			rows = append(rows, relation.Row{
				relation.Int(int64(grantor)), relation.Int(int64(grantee)), relation.Text(privilege.word), relation.Bool(grantable),
			})
		}
	}
	return rows, nil
}
