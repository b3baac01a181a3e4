// Package check reads a whole lake and reports what breaks an invariant: of the keyspace (RFC 0002, RFC 0005), of
// DuckLake's catalog, or of the two directories and statistics that follow from other records.
//
// Where to look:
//
//   - rule.go and rules.go are the rules as data: name, severity, what is wrong, what to do.
//   - checker.go is the order of the passes and what they share; scan.go reads records, version.go merges the live and the
//     ended versions of entities.
//   - system.go, objects.go, names.go, other.go are the passes over the records of the lake as a whole; table.go and the
//     files that it names check one table after another.
//
// # Memory
//
// Records are read in key order, and each once. What belongs to a table starts with its id in most kinds of key, so that
// all of it is read side by side and forgotten with the table: the memory follows from the largest table (some 50 bytes for
// a data file, nothing for its statistics) and, for the lake as a whole, from the numbers of objects, snapshots and file ids
// (24 bytes each).
//
// # Trust
//
// The package decodes records itself, by package keyspace alone: it shares no code with the package that writes them
// (ducklake), and believes neither its directories nor its memory. It reads one snapshot and changes nothing.
package check
