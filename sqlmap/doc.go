// Package sqlmap is SQL over relations: a session runs statements one by one on a relation.Session and writes what they
// give.
//
// A statement goes one way: parse (libpg_query's tree) -> bind (names, types and overloads resolved) -> plan (predicates
// to scans, joins, sorts) -> execute (batches of rows). This package holds what is around that: the session with its
// transaction state, settings, prepared statements, portals and cursors, COPY, DDL. It knows relations (package
// relation), not lakes or sockets.
package sqlmap
