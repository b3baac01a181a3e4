// Package engine opens the engine that a location names: Pebble for a directory, SlateDB for the URL of an object store,
// where this build has it (build tag slatedb).
//
// It knows the forms of locations and the engines. It knows nothing of what is stored.
package engine
