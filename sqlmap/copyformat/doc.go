// Package copyformat reads and writes the three formats of COPY: text, CSV and binary, as chapter "COPY", section "File
// Formats", of PostgreSQL's documentation describes them.
//
// It turns rows into bytes and bytes into rows. It knows types (package function), not tables, transactions or the
// protocol.
package copyformat
