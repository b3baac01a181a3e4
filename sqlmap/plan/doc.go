// Package plan turns a bound statement into plan nodes: which relations to scan with which predicates, in which order to
// join, where to sort, group and filter.
//
// Expressions in a plan are bound expressions whose columns have been replaced: a [Slot] reads the row of the node's input,
// an [Outer] a value that a node around it has set, a [Subplan] runs a plan. Rows do not exist here; package execute makes
// them.
//
// The package knows PostgreSQL's semantics of queries and relation.ScanRequest. It reads no rows but uses
// Definition.RowEstimate and Definition.Selective.
package plan
