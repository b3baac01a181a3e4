package e2e

import "testing"

// buildTags are the tags that the server is built with: those of the tests.
var buildTags []string

// storeKind is a kind of store that the server is tested on. New gives an empty one, as --store names it.
type storeKind struct {
	name string
	new  func(t testing.TB) string
}

var storeKinds = []storeKind{{"directory", func(t testing.TB) string { return t.TempDir() }}}

// onStores runs a test on each kind of store.
func onStores(t *testing.T, test func(t *testing.T, kind storeKind)) {
	for _, kind := range storeKinds {
		t.Run(kind.name, func(t *testing.T) { test(t, kind) })
	}
}
