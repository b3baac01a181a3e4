package lease

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"moraine/pgerror"
	"moraine/store"
)

// fencedLake is a lake of which each read finds out that another writer has taken it.
type fencedLake struct {
	store.Engine
	store.Store
	store.Iterator
	scans bool // whether a scan begins, and fails on the way
}

func (f *fencedLake) Open(context.Context, store.Path) (store.Store, error) { return f, nil }
func (f *fencedLake) Snapshot() (store.Snapshot, error)                     { return f, nil }
func (f *fencedLake) Close() error                                          { return nil }
func (f *fencedLake) Err() error                                            { return store.ErrFenced }

func (f *fencedLake) Get(context.Context, []byte) ([]byte, bool, error) {
	return nil, false, store.ErrFenced
}

func (f *fencedLake) Scan(context.Context, []byte, []byte) (store.Iterator, error) {
	if f.scans {
		return f, nil
	}
	return nil, store.ErrFenced
}

// TestFencedRead wants the lease to end with the first read that tells of another writer: a server that only reads must not
// keep the store from its standby.
func TestFencedRead(t *testing.T) {
	read := map[string]func(store.Snapshot) error{
		"get": func(snapshot store.Snapshot) error {
			_, _, err := snapshot.Get(t.Context(), nil)
			return err
		},
		"scan": func(snapshot store.Snapshot) error {
			iterator, err := snapshot.Scan(t.Context(), nil, nil)
			if err == nil {
				err = iterator.Err()
			}
			return err
		},
	}
	for _, test := range []struct {
		name, read string
		scans      bool
	}{{"get", "get", false}, {"scan", "scan", false}, {"iteration", "scan", true}} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lease := acquire(t, newDirectory(t))
				opened, err := lease.Guard(&fencedLake{scans: test.scans}).Open(t.Context(), store.Path{})
				if err != nil {
					t.Fatal(err)
				}
				snapshot, err := opened.Snapshot()
				if err != nil {
					t.Fatal(err)
				}
				err = read[test.read](snapshot)
				wantCode(t, err, pgerror.AdminShutdown)
				if !errors.Is(err, store.ErrFenced) {
					t.Errorf("got %v, expected the error of the engine in it", err)
				}
				select {
				case <-lease.Lost():
				default:
					t.Error("the lease holds")
				}
			})
		})
	}
}
