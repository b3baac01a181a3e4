// Package function holds PostgreSQL's types, casts, operators, functions and aggregates, with PostgreSQL's names and OIDs.
//
// The binder asks it which overload a call means ([Resolve], [ResolveOperator], [ResolveAggregate], [ResolveCast]); the
// executor calls what it got. It knows values and types (package relation), not relations, plans or trees. What a function
// needs of the session (time zone, search path, names of relations) comes through [Context].
package function
