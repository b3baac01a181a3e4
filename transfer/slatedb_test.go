//go:build slatedb

package transfer

import (
	"testing"

	"moraine/store"
	"moraine/store/slatedb"
)

func init() {
	engines["slatedb"] = func(t testing.TB) store.Engine {
		engine, err := slatedb.Open(t.Context(), "file://"+t.TempDir(), slatedb.Options{CacheSize: 8 << 20})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := engine.Close(); err != nil {
				t.Error(err)
			}
		})
		return engine
	}
}
