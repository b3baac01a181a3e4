// Package parse turns the text of a message into statements: libpg_query's trees, or, for a bulk INSERT ... VALUES of plain
// literals, the rows themselves.
//
// [Parse] cuts the text at its semicolons, reads what the literal reader knows without libpg_query, takes trees that it has
// seen before from a bounded cache, and gives the rest to libpg_query. Whatever the cutter or the literal reader does not
// know goes to libpg_query whole, so the grammar and its errors are PostgreSQL's; differential fuzz tests hold the two
// ways together. Trees are shared between sessions: nobody may change them.
//
// The package knows PostgreSQL's lexical rules and grammar. It knows no names, types or relations.
package parse
