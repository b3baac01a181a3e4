// Package pgwire speaks the PostgreSQL protocol (3.0): startup, TLS, authentication, simple and extended query, portals, COPY, cancel.
//
// It turns messages into calls of a [Session] and what the session gives into messages. It knows no SQL.
package pgwire
