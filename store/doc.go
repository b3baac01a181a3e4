// Package store is the ordered key-value store under a lake: its interface and the conformance test that every engine
// must pass (package storetest).
//
// It is shaped by what SlateDB can do (RFC 0002): keys ascend, there is no descending scan; all writes are atomic
// batches; a lake is a path with a store of its own; a second writer fences the first. An engine for the local disk
// (store/pebble) keeps all lakes in one instance, each under a prefix, which this interface does not show.
//
// It knows nothing of catalogs or SQL.
package store
