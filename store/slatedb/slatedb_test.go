//go:build slatedb

package slatedb_test

import (
	"context"
	"fmt"
	"testing"

	"moraine/store"
	"moraine/store/slatedb"
	"moraine/store/storetest"
	"moraine/store/storetest/bucket"
)

var background = context.Background()

// media are what the tests run on: each gives the URL of an empty store.
var media = []struct {
	name string
	open func(t *testing.T) (url string)
}{
	{"directory", func(t *testing.T) string { return "file://" + t.TempDir() }},
	{"bucket", func(t *testing.T) string {
		bucket.New(t).Connect(t).Use(t)
		return "s3://" + bucket.Name + "/some/prefix"
	}},
}

// onMedia runs a test on each of the media.
func onMedia(t *testing.T, test func(t *testing.T, url string)) {
	for _, medium := range media {
		t.Run(medium.name, func(t *testing.T) { test(t, medium.open(t)) })
	}
}

// openAt opens an engine that the test closes itself.
func openAt(t *testing.T, url string, options slatedb.Options) *slatedb.Engine {
	t.Helper()
	engine, err := slatedb.Open(background, url, options)
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

// opened opens an engine that is closed when the test ends.
func opened(t *testing.T, url string) *slatedb.Engine {
	t.Helper()
	engine := openAt(t, url, slatedb.Options{})
	t.Cleanup(func() { noError(t, engine.Close()) })
	return engine
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// create makes a lake, and its database when that is not there.
func create(t *testing.T, engine store.Engine, path store.Path) store.Store {
	t.Helper()
	_ = engine.Create(background, store.Path{Database: path.Database}) // it may be there
	noError(t, engine.Create(background, path))
	return open(t, engine, path)
}

// open opens a lake that is closed when the test ends.
func open(t *testing.T, engine store.Engine, path store.Path) store.Store {
	t.Helper()
	lake, err := engine.Open(background, path)
	noError(t, err)
	t.Cleanup(func() { noError(t, lake.Close()) })
	return lake
}

// put commits keys that are their own values.
func put(lake store.Store, keys ...string) error {
	batch := &store.Batch{}
	for _, key := range keys {
		batch.Put([]byte(key), []byte(key))
	}
	return lake.Commit(background, batch)
}

// keys gives the keys of a lake's newest state.
func keys(t *testing.T, lake store.Store) string {
	t.Helper()
	snapshot, err := lake.Snapshot()
	noError(t, err)
	defer func() { noError(t, snapshot.Close()) }()
	return keysOf(t, snapshot)
}

func keysOf(t *testing.T, reader store.Reader) string {
	t.Helper()
	pairs, err := reader.Scan(background, nil, nil)
	noError(t, err)
	defer func() { noError(t, pairs.Close()) }()
	var found []string
	for pairs.Next() {
		found = append(found, string(pairs.Key()))
	}
	noError(t, pairs.Err())
	return fmt.Sprintf("%q", found)
}

func TestConformance(t *testing.T) {
	for _, medium := range media {
		t.Run(medium.name, func(t *testing.T) {
			urls := map[store.Engine]string{}
			start := func(t *testing.T, url string) store.Engine {
				engine := openAt(t, url, slatedb.Options{})
				urls[engine] = url
				return engine
			}
			storetest.Run(t,
				func(t *testing.T) store.Engine { return start(t, medium.open(t)) },
				func(t *testing.T, engine store.Engine) store.Engine {
					noError(t, engine.Close())
					return start(t, urls[engine])
				})
		})
	}
}
