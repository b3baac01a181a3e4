package lake

import (
	"context"
	"fmt"
	"testing"

	"moraine/pgerror"
	"moraine/store"
	"moraine/store/memory"
)

// failingReads is a state that cannot be read.
type failingReads struct {
	store.Snapshot
	failure error
}

func (f failingReads) Get(context.Context, []byte) (value []byte, found bool, err error) {
	return nil, false, f.failure
}

func (f failingReads) Scan(ctx context.Context, lower, upper []byte) (store.Iterator, error) {
	if lower == nil {
		return nil, f.failure
	}
	iterator, err := f.Snapshot.Scan(ctx, lower, upper)
	return failingIteration{iterator, f.failure}, err
}

type failingIteration struct {
	store.Iterator
	failure error
}

func (f failingIteration) Next() bool { return false }
func (f failingIteration) Err() error { return f.failure }

func TestFailuresOfReadsAreErrorsForClients(t *testing.T) {
	open, ended := &lake{schema: "public"}, &lake{schema: "public"}
	ended.endForReopening()
	for _, test := range []struct {
		lake    *lake
		failure error
		code    string
	}{
		{open, store.ErrCorrupt, pgerror.DataCorrupted},
		{open, store.ErrUnavailable, pgerror.IOError},
		{open, store.ErrFenced, pgerror.AdminShutdown},
		{ended, store.ErrClosed, pgerror.SerializationFailure},
	} {
		state, err := memory.NewStore().Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		read := reading{failingReads{state, fmt.Errorf("block 7: %w", test.failure)}, test.lake}
		_, _, getting := read.Get(background, []byte("key"))
		_, scanning := read.Scan(background, nil, nil)
		iterator, err := read.Scan(background, []byte("key"), nil)
		if err != nil || iterator.Next() {
			t.Fatal(err)
		}
		for _, err := range []error{getting, scanning, iterator.Err()} {
			if !pgerror.HasCode(err, test.code) {
				t.Errorf("%v is answered by %v", test.failure, err)
			}
		}
		if err := state.Close(); err != nil {
			t.Error(err)
		}
	}
}
