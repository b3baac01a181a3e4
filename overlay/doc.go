// Package overlay holds the writes of a transaction as rows by identity, in statement order, over the stored rows of its
// snapshot, until COMMIT turns them into keys.
//
// Rows and not keys are kept, so that one batch of statements may insert the new version of an entity before or after it
// ends the old one, and so that records which hold many rows (a macro with its parameters, an object's tags) are built
// once, from the final rows. The identity of a stored row follows from its key, so a client may name rows in a later
// transaction than the one in which it read them. A [Table] is one relation's overlay; the domains (ducklake, usertable) give it the [Base] it
// lies over and read its changes when they stage the batch. It knows neither keys nor SQL.
package overlay
