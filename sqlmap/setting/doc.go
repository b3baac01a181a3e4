// Package setting holds the run-time parameters of a session: which there are, how their values are read, checked and
// shown, and how transactions undo changes, as chapter "Server Configuration" of PostgreSQL's documentation and its SET
// command say.
//
// It knows texts and types of parameters, not sessions: what a parameter does is the session's business. The list of
// parameters is recorded from PostgreSQL 15 (data/record.sh).
package setting
