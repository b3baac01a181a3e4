// Package execute runs plans: each node becomes an operator that gives batches of rows, each expression a closure over a
// row.
//
// The operators of an execution are made once and may be started many times (the inner side of a correlated subquery is).
// They belong to one goroutine. What rows an operator keeps, it accounts for: an execution that keeps more than
// [MaximumMemory] fails with 53200.
//
// The package knows plans and the interfaces of package relation. A statement's changes are applied after its last row has
// been read, so that it never sees them.
package execute
