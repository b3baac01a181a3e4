// Package inspect reads what a lake's store holds, record by record, without serving it: how much of what kind there is
// (census.go, summary.go), and the records as lines of text (dump.go).
//
// It needs no lake that can be opened: it reads damaged lakes, those in the middle of a migration or a copy, and formats
// that no other package knows. It changes nothing.
package inspect
