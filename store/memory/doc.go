// Package memory is a store in memory: for temporary tables, for lakes that exist only within the transaction that creates
// them, and for tests.
//
// A commit copies the list of keys (not their bytes), so it costs O(keys of the lake). The engine knows nothing of
// catalogs or SQL.
package memory
