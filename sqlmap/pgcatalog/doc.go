// Package pgcatalog shows the schemas pg_catalog and information_schema as relations, derived from the other relations of a
// transaction, from package function's types and functions, and from rows recorded from PostgreSQL 15 (data/record.sh).
//
// The rows of a relation are made while it is scanned, and only for the tables that the scan's predicates name: clients
// ask for one table at a time, often. Every relation of PostgreSQL 15's two schemas is there with its columns; those of
// which Moraine has nothing to tell (triggers, policies, foreign tables) have no rows.
//
// The package reads definitions, never the rows of tables. It knows no SQL.
package pgcatalog
