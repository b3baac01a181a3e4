// Package pgerror is the error that reaches a client: a SQLSTATE, what happened (Message), with which values (Detail)
// and what to do about it (Hint), as section "Error and Notice Message Fields" of the PostgreSQL protocol lists them.
//
// It is a leaf: every package that can fail in front of a user builds its errors here, and pgwire writes them out. It
// knows nothing of SQL, lakes or sockets.
//
// DuckLake never looks at the SQLSTATE. It retries a commit when the text of the error contains, in lower case, one of
// the words in [RetryWords]; an error that must not be retried has to avoid them.
package pgerror
