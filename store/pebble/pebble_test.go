package pebble_test

import (
	"testing"

	"moraine/store"
	"moraine/store/pebble"
	"moraine/store/storetest"
)

func TestConformance(t *testing.T) {
	directories := map[store.Engine]string{}
	open := func(t *testing.T, directory string) store.Engine {
		engine, err := pebble.Open(directory, pebble.Options{})
		if err != nil {
			t.Fatal(err)
		}
		directories[engine] = directory
		return engine
	}
	storetest.Run(t,
		func(t *testing.T) store.Engine { return open(t, t.TempDir()) },
		func(t *testing.T, engine store.Engine) store.Engine {
			if err := engine.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, directories[engine])
		})
}
