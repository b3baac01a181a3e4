// Package bind resolves a statement's tree: names to relations and columns, types, overloads of functions and operators,
// casts, parameters. What it gives is a typed tree ([Statement], [Query], [Expression]) in which nothing is left to look up.
//
// Errors have PostgreSQL's codes, texts and positions. A construct that is not supported is 0A000 with its name.
//
// The package knows PostgreSQL's rules of scopes and types. It reads no rows and knows nothing of plans.
package bind
