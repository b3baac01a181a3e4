// Package role is the roles of a server and what they may do: attributes, memberships, owners, privileges and default
// privileges, by PostgreSQL 15's rules (its manual, chapters "Database Roles" and "Privileges").
//
// A [State] is all of it at one moment; it is immutable. A transaction collects [Change]s and sees them applied to the
// newest state; [Registry.Commit] makes them durable. The registry keeps its records in a store of its own, apart from the
// lakes, because roles belong to the server.
//
// A name that no CREATE ROLE has made means the owner of the server, who may do everything and has the name "" here.
// Objects are known by their names; the package knows no relations and no SQL.
package role
