//go:build slatedb

package slatedb

import (
	"errors"
	"fmt"
	"strings"

	"moraine/store"
)

// maxNameLength is the most bytes of one encoded name: what file systems take.
const maxNameLength = 255

// Where the engine's own objects are, see the package comment.
const (
	databasesFolder = ".moraine/databases"
	droppedFolder   = ".moraine/dropped"
	objectsFolder   = ".moraine/objects"
	databaseMark    = ".database"
)

// errNoObject says that the medium has no object of a name; errInvalid that it refuses a name or a setting.
var (
	errNoObject = errors.New("no such object")
	errInvalid  = errors.New("invalid")
)

// encode gives the name of a folder or object for a name.
func encode(name string) string {
	const digits = "0123456789ABCDEF"
	var encoded strings.Builder
	for i := range len(name) {
		if c := name[i]; plain(c) || c == '.' && i > 0 {
			encoded.WriteByte(c)
		} else {
			encoded.Write([]byte{'%', digits[c>>4], digits[c&0xf]})
		}
	}
	return encoded.String()
}

func plain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

// decode gives the name that encode has encoded; false for what encode never gives.
func decode(encoded string) (string, bool) {
	name := make([]byte, 0, len(encoded))
	for i := 0; i < len(encoded); i++ {
		c := encoded[i]
		if c == '%' {
			if i+2 >= len(encoded) {
				return "", false
			}
			c = hexDigit(encoded[i+1])<<4 | hexDigit(encoded[i+2])
			i += 2
		}
		name = append(name, c)
	}
	return string(name), encoded != "" && encode(string(name)) == encoded
}

// hexDigit gives the value of a digit; what is none, decode finds by encoding again.
func hexDigit(c byte) byte {
	if c >= 'A' {
		return c - 'A' + 10
	}
	return c - '0'
}

// folder gives the folder of a lake or database.
func folder(path store.Path) string {
	if path.Schema == "" {
		return encode(path.Database)
	}
	return encode(path.Database) + "/" + encode(path.Schema)
}

// droppedMark gives the name of the object that says that a lake or database was dropped.
func droppedMark(path store.Path) string {
	if path.Schema == "" {
		return droppedFolder + "/" + folder(path) + "/" + databaseMark
	}
	return droppedFolder + "/" + folder(path)
}

// droppedPath gives the lake or database that droppedMark has named.
func droppedPath(mark string) (path store.Path, valid bool) {
	database, schema, _ := strings.Cut(strings.TrimPrefix(mark, droppedFolder+"/"), "/")
	if path.Database, valid = decode(database); valid && schema != databaseMark {
		path.Schema, valid = decode(schema)
	}
	return path, valid
}

// databaseObject gives the name of the object that stands for a database.
func databaseObject(database string) string { return databasesFolder + "/" + encode(database) }

// checkNames refuses names that no medium holds.
func checkNames(path store.Path) error {
	if path.Database == "" {
		return fmt.Errorf("%w: %w: a database without a name", store.ErrNotApplied, errInvalid)
	}
	for _, name := range []string{path.Database, path.Schema} {
		if length := len(encode(name)); length > maxNameLength {
			return fmt.Errorf("%w: %w: the name %.40q... takes %d bytes in the store, at most %d are possible",
				store.ErrNotApplied, errInvalid, name, length, maxNameLength)
		}
	}
	return nil
}

// base gives what follows the last slash.
func base(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
