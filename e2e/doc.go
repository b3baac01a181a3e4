// Package e2e tests the built binary with the clients that people use: DuckDB 1.5.5 with its ducklake and postgres
// extensions, psql, and raw sockets. It knows the command line and the wire, and nothing of the packages behind them;
// the tests that put records into a store are the exceptions.
//
// What DuckDB and psql must see stands in testdata/tour and testdata/versions, recorded from PostgreSQL 15 by `make record`. DuckDB comes from
// the Python environment that `make` keeps in .venv; MORAINE_E2E_PYTHON names another interpreter, MORAINE_E2E_BINARY a
// binary that is built already. In a build with SlateDB (tag slatedb) the broad tests run on both engines.
package e2e
