package ducklake

import (
	"strconv"
	"strings"
)

// The names of the tables of inlined data (RFC 0005): ducklake_inlined_data_<table>_<schema version> holds rows, and
// ducklake_inlined_delete_<table> deletions of rows of data files.
const (
	inlinedDataPrefix   = "ducklake_inlined_data_"
	inlinedDeletePrefix = "ducklake_inlined_delete_"
)

// inlinedID is the table and schema version that a table of inlined rows is for.
type inlinedID struct {
	table, version uint64
}

func (id inlinedID) name() string {
	return string(id.appendName(nil))
}

func (id inlinedID) appendName(name []byte) []byte {
	name = strconv.AppendUint(append(name, inlinedDataPrefix...), id.table, 10)
	return strconv.AppendUint(append(name, '_'), id.version, 10)
}

// inlinedIDOf reads a name; false for any that DuckLake does not give.
func inlinedIDOf(name string) (inlinedID, bool) {
	rest, ok := strings.CutPrefix(name, inlinedDataPrefix)
	table, version, both := strings.Cut(rest, "_")
	if !ok || !both {
		return inlinedID{}, false
	}
	tableID, okTable := canonicalID(table)
	versionID, okVersion := canonicalID(version)
	return inlinedID{table: tableID, version: versionID}, okTable && okVersion
}

// inlinedDeleteIDOf reads the name of a table of deletions.
func inlinedDeleteIDOf(name string) (uint64, bool) {
	rest, ok := strings.CutPrefix(name, inlinedDeletePrefix)
	if !ok {
		return 0, false
	}
	return canonicalID(rest)
}

// canonicalID reads a number that is spelled as it is printed.
func canonicalID(text string) (uint64, bool) {
	id, err := strconv.ParseUint(text, 10, 63)
	return id, err == nil && strconv.FormatUint(id, 10) == text
}
