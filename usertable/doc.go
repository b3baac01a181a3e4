// Package usertable is the plain tables of a lake, and the temporary tables of a session, as a domain of package overlay.
//
// # Keys
//
// Everything lies in subspace 0xe2 (keyspace.SubspaceUserTable), behind a tag byte; numbers are 8 bytes big endian:
//
//	0x00                               the next free table number, 8 bytes
//	0x01 | name                        a table's definition, see definition.go
//	0x02 | table number | ...          its rows, as package rowstore lays them out
//	0x03 | table number | constraint number | key    an entry for each key of a constraint; the value is empty
//	0x04 | table number                a dropped table of which keys are left, to be deleted by later commits
//
// Tags from 0x10 belong to package rowstore.
//
// A name leads to its definition by one point read of the transaction's snapshot, so definitions follow the snapshot like
// rows do; parsed definitions are kept in memory by their bytes.
//
// Temporary tables are the same domain over a store in memory, see [Transaction.ApplyOnCommit].
//
// The package knows neither SQL nor the catalog tables.
package usertable
