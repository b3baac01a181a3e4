// Package guard refuses commits that would corrupt a lake: what its rules say holds in the lake after every commit that
// passes them, if it held before.
//
// Where to look:
//
//   - rule.go and rules.go are the rules as data; docs/guards.md lists them for users.
//   - commit.go is a commit as the rules see it: final rows as messages, without layouts or statements.
//   - check.go is the order of the checks and what they share; snapshot.go, version.go, names.go, parents.go, files.go,
//     inlined.go and statistics.go are the checks by subject.
//   - directory.go keeps the live names of a lake in memory.
//
// # Cost
//
// A check reads the records that the rows of the commit name, by their keys, and of tables whose columns, partitioning or
// sort order the commit adds to, those. It scans no subspace, but once in the life of a lake, for the directory of names.
//
// # What a commit was computed on
//
// Rows are deleted by their place in a data file, so a delete is right on the state that it was computed on and on later
// ones that have the same rows in the file. A client that repeats a lost commit does not compute it again: [Commit] says
// what its transaction has read, which tells what snapshot it was computed on (check.go), and the checks "since" compare
// with what has happened after that.
//
// The package knows messages and keys. It must not know rows, relations, transactions or SQL.
package guard
