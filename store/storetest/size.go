package storetest

import (
	"testing"

	"moraine/store"
)

func testSize(t *testing.T, engine store.Engine) {
	_, err := engine.Size(background, database)
	wantError(t, "size of an unknown database", err, store.ErrNotFound)
	one, two := createAndOpen(t, engine, first), createAndOpen(t, engine, second)
	wantSize(t, engine, database, 0)
	put(t, one, "a", "b")
	written := wantSize(t, engine, first, 1)
	wantSize(t, engine, second, 0)
	put(t, two, "c")
	wantSize(t, engine, database, written+1)
	_, err = engine.Size(background, store.Path{Database: "moraine", Schema: "third"})
	wantError(t, "size of an unknown lake", err, store.ErrNotFound)
}

// wantSize asks for at least so many bytes, and for none when that is 0.
func wantSize(t *testing.T, engine store.Engine, path store.Path, least int64) int64 {
	t.Helper()
	size, err := engine.Size(background, path)
	noError(t, err)
	if size < least || least == 0 && size != 0 {
		t.Errorf("%v takes %d bytes, want at least %d", path, size, least)
	}
	return size
}
