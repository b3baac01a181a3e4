// Package ducklake shows DuckLake's catalog as relations over the keyspace of one lake, and turns the rows that a
// transaction wrote into the records of one batch.
//
// Where to look:
//
//   - [Catalog] (catalog.go) is what a lake keeps for as long as it is open; transaction.go is one transaction's view of
//     it, the overlay.Domain.
//   - family*.go are the 28 catalog tables as data: which record holds a row, and which field of it a column. field.go and
//     record.go are the two directions of that mapping.
//   - scan.go reads rows: ranges.go turns predicates into key ranges, order.go keeps small tables in the order of insertion,
//     statistics.go keeps file statistics by column in memory; rowkey.go names rows.
//   - entity.go is one catalog entity with all its versions while a commit changes it; stage.go and place.go turn the changes of a
//     transaction into keys, facts.go and system.go add what a commit tells later ones.
//   - definitions.go keeps which catalog tables exist with which columns; refuge.go keeps the rows that no record can hold.
//   - inline*.go are the tables of inlined data, whose rows are Arrow record batches.
//   - guarded.go shows a commit to the guards (package guard), which refuse it when it would corrupt the lake; computed.go
//     finds what state its deletes were computed on.
//
// # Rows and records
//
// Every column that a client writes comes back verbatim. What a message has no field for goes to its extension; a row that
// has no record (an embedded row without its parent, a second live version of an id, an id that is NULL or negative) goes
// to the table's refuge. So whatever PostgreSQL would accept is kept.
//
// An update of end_snapshot moves a record from current to history. The rows embedded in an entity's record are those of
// its newest version; older versions keep the copy that they ended with.
//
// The package knows DuckLake's tables, keyspace's records and overlay's changes. It must not know SQL, sessions, locks
// or the engine under the store.
package ducklake
