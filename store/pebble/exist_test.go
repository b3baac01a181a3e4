package pebble_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"moraine/store"
	"moraine/store/pebble"
)

func TestAStoreThatMustExistIsNotMade(t *testing.T) {
	empty := t.TempDir()
	missing := filepath.Join(empty, "missing")
	for _, directory := range []string{empty, missing} {
		if engine, err := pebble.Open(directory, pebble.Options{MustExist: true}); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: engine %v, error %v", directory, engine, err)
		}
	}
	if entries, err := os.ReadDir(empty); err != nil || len(entries) > 0 {
		t.Errorf("the directory has %v, error %v", entries, err)
	}
	made, err := pebble.Open(missing, pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	opened, err := pebble.Open(missing, pebble.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
}
