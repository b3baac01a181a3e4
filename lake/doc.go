// Package lake is databases, schemas and transactions over an engine of package store: it implements relation.Instance,
// relation.Session and relation.Transaction.
//
// A lake is one schema of one database, with a store of its own. Its content belongs to domains (ducklake, usertable; see
// package overlay), which the package asks in turn; it knows no table and no record. What it adds is what they share:
//
//   - Snapshots. A lake publishes a snapshot of its store after each durable commit; transactions pin the published one, so
//     nobody reads what is not on disk yet (snapshot.go).
//   - Locks. Rows, the names of schemas and a lake's commit ticket are locks of one table for each database, with one graph
//     in which deadlocks are found (lock.go). A lake remembers which rows recent commits have changed as long as a
//     transaction has an older snapshot, for the 40001 of REPEATABLE READ.
//     The ticket is first come, first served, but for sessions that have just held it in vain: they go first. Sessions that
//     are expected to write (forecast.go) lease it before the first read of a transaction, so that their commit builds on a
//     state that stays the newest (turn.go). Waits are bounded, and a holder whose client is idle for too long is ended.
//   - Commits. All domains stage into one batch against the newest state, one commit of a lake after the other (commit.go).
//     Those that come while others are made durable share a flush: each stages on what the ones before it have staged, and
//     their batches are written as one (commit_queue.go, commit_group.go). CREATE SCHEMA and DROP SCHEMA are done at
//     COMMIT, before the batch (schema.go).
//   - Temporary tables: the domain usertable over a store in the session's memory (temporary.go).
//
// Order of locks: Instance.administration, Instance.mutex, the turn of a lake's commitQueue, database.mutex, lake.mutex,
// lockTable.mutex. None is held while waiting for a client or another transaction.
//
// The package knows no SQL.
package lake
