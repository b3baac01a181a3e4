//go:build slatedb

package e2e

func init() {
	buildTags = append(buildTags, "slatedb")
	storeKinds = append(storeKinds, storeKind{name: "slatedb", scheme: "file://"})
}
