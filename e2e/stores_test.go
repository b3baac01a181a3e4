package e2e

import "testing"

// buildTags are the tags that the server is built with: those of the tests.
var buildTags []string

// storeKind is a kind of store that the server is tested on, in a folder.
type storeKind struct {
	name string
	// scheme is what --store has before the folder.
	scheme string
}

var storeKinds = []storeKind{{name: "directory"}}

// new gives an empty store.
func (k storeKind) new(t testing.TB) string { return k.scheme + t.TempDir() }

// onStores runs a test on each kind of store.
func onStores(t *testing.T, test func(t *testing.T, kind storeKind)) {
	for _, kind := range storeKinds {
		t.Run(kind.name, func(t *testing.T) { test(t, kind) })
	}
}
