// Package history tests the transactions of a server by a model: random histories of several sessions run on a server in
// this process, through its wire and its SQL, and beside it on a few hundred lines that say what the isolation levels and
// locks promise. Each result, each wait and the final state must be the same, also after the store was opened again.
//
// It stands above package server, knows SQL and SQLSTATEs, and must not know how anything below the wire works. The model
// (model_test.go, lock_test.go, statement_test.go) knows no server; the driver (client_test.go, runner_test.go) knows no
// rule; what may happen next is chosen in generator_test.go. One goroutine decides everything, so that a seed names a
// history: a statement that has to wait runs in the background and is seen to wait in pg_stat_activity.
package history
