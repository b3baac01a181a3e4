// Command bench measures a Moraine server and a PostgreSQL 15 side by side, over the wire, in one run.
//
// The two take turns at each step, so that the noise of the machine falls on both. POSTGRES_CONNECTION and
// MORAINE_CONNECTION name the servers (libpq keywords without dbname); `make bench` starts both. Every measurement uses
// databases of its own and drops them.
//
// `-only commit` measures what a commit takes on each engine: by itself, and through servers that it starts (bin/moraine),
// on a directory and on an S3-compatible bucket in its own process, which also answers as slowly as one in a network.
package main
