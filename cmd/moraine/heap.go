package main

import "runtime"

// heapReserveBytes is memory that is never touched, so that it takes none of the machine. The garbage collector counts it
// as live: without it a server with a small catalog, which keeps a few MB, would collect after every few MB that its
// statements use for a moment, and spend half of its time so.
const heapReserveBytes = 64 << 20

// reserveHeap holds the reserve until release is called.
func reserveHeap() (release func()) {
	reserve := make([]byte, heapReserveBytes)
	return func() { runtime.KeepAlive(reserve) }
}
