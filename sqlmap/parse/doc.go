// Package parse turns the text of a message into statements: libpg_query's trees, or, for a bulk INSERT ... VALUES of plain
// literals, the rows themselves.
//
// [Parse] cuts the text at its semicolons, reads what the literal reader knows without libpg_query, takes trees that it has
// seen before from a bounded cache, makes those of statements that differ from earlier ones in numbers only (template.go),
// and gives the rest to libpg_query. Whatever these do not know goes to libpg_query whole, so the grammar and its errors
// are PostgreSQL's; differential fuzz tests hold the ways together. Trees are shared between sessions, and have parts in
// common: nobody may change them.
//
// The package knows PostgreSQL's lexical rules and grammar. It knows no names, types or relations.
package parse
