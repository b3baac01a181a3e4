// Package migrate raises the format of a lake (RFC 0015): 9 and 10 to 11 by building the directory of schema and table
// names, 11 to 12 by building the directory of delete files by data file (RFC 0002).
//
// A migration is a unit of three kinds of batch, each atomic: a start, which writes the marker sys/migration and moves
// sys/head; steps, each of which adds the entries of at most [StepRecords] records and moves the marker's cursor; and a finish,
// which stamps the new format and removes the marker. As long as the marker is there nobody serves the lake. What to do
// next is read from the store before each batch, so that a migration that was interrupted anywhere is resumed by running
// it again.
//
// Nothing but the two directories, sys/format, sys/head and sys/migration is written: records that this implementation
// does not serve stay as they are, and so do fields of later versions in the records that are stamped anew.
//
// The package knows the keyspace and a store. It must not know engines, lakes that are open, SQL, or the command line.
package migrate
