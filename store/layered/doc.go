// Package layered shows batches over a state that they have not been written to: what the next of several commits that are
// made durable together builds on.
//
// It knows keys and batches. It writes nothing.
package layered
