//go:build slatedb

package faults

import (
	"context"
	"testing"

	"moraine/store/storetest/bucket"
)

// genesisName is how the acknowledgements know the first ATTACH.
const genesisName = "genesis"

// found takes a process from nothing to a lake, or to the lake that is there already.
func (t *trial) found(p *process, make func(context.Context, *process) error) error {
	if err := p.come(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return make(ctx, p)
}

// makeLake makes the catalog, unless it is there.
func (t *trial) makeLake() func(context.Context, *process) error {
	first := genesis(t)
	return func(ctx context.Context, p *process) error {
		client, err := p.dial(ctx)
		if err != nil {
			return err
		}
		found, err := read(ctx, client)
		if err != nil {
			return err
		}
		if found.catalog {
			return nil
		}
		if err := first(ctx, client); err != nil {
			return err
		}
		t.acknowledged.add(genesisName)
		return nil
	}
}

// dieInGenesis lets a process die between its start on an empty bucket and the end of the first ATTACH.
func dieInGenesis(t *testing.T) {
	everyWrite(t, bucket.New(t), func(t *trial) bool {
		p := newProcess(t.T, t.content)
		make := t.makeLake()
		return t.dying(p, func() error { return t.found(p, make) })
	}, (*trial).proveGenesis)
}

// proveGenesis makes the lake where it has not been made, and fills it.
func (t *trial) proveGenesis(after *process, found *state) {
	t.Helper()
	if t.acknowledged.has(genesisName) && !found.catalog {
		t.Error("an acknowledged genesis is lost")
	}
	if err := t.makeLake()(t.Context(), after); err != nil {
		t.Fatalf("the lake cannot be made: %v", err)
	}
	fill(t, t.Context(), after.connect())
	t.compare(after.read())
}

// meetInGenesis lets one process make the lake while another one is stuck in doing so, then lets that one go on.
func meetInGenesis(t *testing.T) {
	for _, moment := range moments {
		trials(t, moment, bucket.New(t), func(t *trial) bool {
			makeFirst, makeSecond := t.makeLake(), t.makeLake()
			first := &stuck{process: newProcess(t.T, t.content), done: make(chan error, 1)}
			t.freezeWhile(first, t.writes, func() error { return t.found(first.process, makeFirst) })
			second := newProcess(t.T, t.content)
			if err := t.found(second, makeSecond); err != nil {
				t.Errorf("the second server cannot make the lake: %v", err)
			}
			if err := t.resume(first); err != nil {
				t.refused(err, "the genesis of a writer that was fenced")
			}
			first.kill()
			second.kill()
			t.reopen((*trial).proveGenesis)
			return !first.frozen
		})
	}
}
