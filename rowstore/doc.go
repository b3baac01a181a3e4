// Package rowstore keeps the rows of a relation under a key prefix, one row in one value, in the order of insertion.
//
// It serves the plain tables (package usertable) and the rows of catalog tables that the specification's records cannot
// hold (package ducklake). The layout under a prefix:
//
//	prefix | 0x00                 the next free row number, 8 bytes big endian
//	prefix | 0x01 | row number    a row, see [Codec]; the number is 8 bytes big endian
//
// Row numbers are never used twice. The package knows values, overlays and keys; it knows nothing of constraints, of
// definitions that are stored, or of SQL.
package rowstore
