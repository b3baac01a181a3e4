// Package function holds PostgreSQL's types, casts, operators, functions and aggregates, with PostgreSQL's names and OIDs.
//
// The catalogue (pg_type, pg_proc, pg_operator, pg_cast, pg_aggregate) is data: the folder catalog holds what PostgreSQL 15
// has, recorded by catalog/record.sh. Overloads are resolved over all of it; a function without an implementation here is
// 0A000. Implementations are found by pg_proc.prosrc, in one table for each topic.
//
// The binder asks it which overload a call means ([Resolve], [ResolveOperator], [ResolveAggregate], [ResolveCast]); the
// executor calls what it got. It knows values and types (package relation), not relations, plans or trees. What a function
// needs of the session (time zone, search path, names of relations) comes through [Context].
package function
