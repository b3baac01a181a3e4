// Package server puts Moraine together: an engine for the store, the lakes in it, a SQL session for each connection, and
// the protocol in front.
//
// It knows how the parts are joined and nothing of what they do. [Start] gives a running server within this process, as
// the moraine binary and the tests use it.
package server
