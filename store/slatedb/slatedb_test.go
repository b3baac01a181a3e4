//go:build slatedb

package slatedb_test

import (
	"context"
	"testing"

	"moraine/store"
	"moraine/store/slatedb"
	"moraine/store/storetest"
)

// openAt opens an engine that the test closes.
func openAt(t *testing.T, url string, options slatedb.Options) *slatedb.Engine {
	t.Helper()
	options.Log = t.Logf
	engine, err := slatedb.Open(context.Background(), url, options)
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

func TestConformanceOnDirectory(t *testing.T) {
	urls := map[store.Engine]string{}
	open := func(t *testing.T, url string) store.Engine {
		engine := openAt(t, url, slatedb.Options{})
		urls[engine] = url
		return engine
	}
	storetest.Run(t,
		func(t *testing.T) store.Engine { return open(t, "file://"+t.TempDir()) },
		func(t *testing.T, engine store.Engine) store.Engine {
			if err := engine.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, urls[engine])
		})
}
