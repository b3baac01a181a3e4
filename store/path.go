package store

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// String gives the path as people write it, database.schema. A name that is not made of letters, digits, '_' and '-' alone
// is in double quotes, as Go has them. [ParsePath] reads it.
func (p Path) String() string {
	if p.Schema == "" {
		return quoteName(p.Database)
	}
	return quoteName(p.Database) + "." + quoteName(p.Schema)
}

// Compare orders paths by database, then schema, so that a database comes before its lakes.
func (p Path) Compare(other Path) int {
	return cmp.Or(cmp.Compare(p.Database, other.Database), cmp.Compare(p.Schema, other.Schema))
}

func quoteName(name string) string {
	if name != "" && strings.IndexFunc(name, notPlain) < 0 {
		return name
	}
	return strconv.Quote(name)
}

func notPlain(letter rune) bool {
	return (letter < 'a' || letter > 'z') && (letter < 'A' || letter > 'Z') && (letter < '0' || letter > '9') && letter != '_' && letter != '-'
}

// ParsePath reads the path of a lake, database.schema; a name that has a dot or a double quote in it must be quoted as by
// [Path.String].
func ParsePath(text string) (Path, error) {
	database, rest, err := parseName(text)
	if err == nil && (rest == "" || rest[0] != '.') {
		err = fmt.Errorf("no dot after the database")
	}
	var schema string
	if err == nil {
		schema, rest, err = parseName(rest[1:])
	}
	if err == nil && (database == "" || schema == "") {
		err = fmt.Errorf("an empty name")
	}
	if err == nil && rest != "" {
		err = fmt.Errorf("more than two names: quote a name that has a dot in it")
	}
	if err != nil {
		return Path{}, fmt.Errorf("expected database.schema, not %q: %w", text, err)
	}
	return Path{Database: database, Schema: schema}, nil
}

// parseName reads a name up to a dot or the end.
func parseName(text string) (name, rest string, err error) {
	if strings.HasPrefix(text, `"`) {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return "", "", fmt.Errorf("a quoted name without an end")
		}
		name, err = strconv.Unquote(quoted)
		return name, text[len(quoted):], err
	}
	end := strings.IndexByte(text, '.')
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:], nil
}
