// Command bench measures a Moraine server and a PostgreSQL 15 side by side, over the wire, in one run.
//
// The two take turns at each step, so that the noise of the machine falls on both. POSTGRES_CONNECTION and
// MORAINE_CONNECTION name the servers (libpq keywords without dbname); `make bench` starts both. Every measurement uses
// databases of its own and drops them.
package main
