// Package faults tests what is left of a lake in an object store when its writer dies between two writes, when two writers
// meet, and when the store fails, is slow, or has lost or damaged an object.
//
// It stands above package server: its processes are servers, in this process or as children, each with its own way to one
// bucket ([moraine/store/storetest/bucket]). A way is frozen after 0, 1, 2, ... writes, until what is under way completes
// without noticing; then the process is dead, and another one must find the lake whole. The deaths are the ones that
// docs/durability.md lists (deaths_test.go holds the two together); what "whole" means is in state_test.go.
//
// All of it needs the engine for object stores (build tag slatedb).
package faults
