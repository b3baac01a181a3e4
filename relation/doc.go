// Package relation is the small vocabulary between SQL and everything that has rows: types, values, rows, relations,
// predicates, transactions.
//
// sqlmap reads and writes through the interfaces of this package and knows nothing below it; lake, ducklake and
// usertable implement them and know nothing of SQL. The package itself knows neither.
//
// # Values
//
// A [Value] carries no type: the type is static, known from the column or the expression. [Value] says how each
// PostgreSQL type is represented.
package relation
