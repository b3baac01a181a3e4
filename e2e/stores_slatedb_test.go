//go:build slatedb

package e2e

import "testing"

func init() {
	buildTags = append(buildTags, "slatedb")
	storeKinds = append(storeKinds, storeKind{"slatedb", func(t testing.TB) string { return "file://" + t.TempDir() }})
}
