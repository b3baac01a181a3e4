package lake

import (
	"context"
	"errors"
	"sync"
	"time"

	"moraine/overlay"
	"moraine/pgerror"
	"moraine/store"
)

// followingCatalog is a catalog that keeps something in memory of the states that it has shown, and has to be told of the
// states that another server makes; see ducklake.Catalog.Follow.
type followingCatalog interface {
	Follow(ctx context.Context, before, after store.Reader) (overlay.Advance, error)
}

// following keeps an open lake of a read-only instance up with its writer. One goroutine does, which closes the store when
// the lake is given up.
type following struct {
	database *database
	lake     *lake
	store    store.Follower
	stop     context.CancelFunc
	// pending tells that the store has come to a state that could not be shown yet.
	pending bool

	mutex    sync.Mutex
	progress progress
}

// progress is what an operator may know of a lake that follows.
type progress struct {
	position overlay.Position
	kind     overlay.AdvanceKind // of the last advance; empty before the first
	keys     int                 // read from the changelog by the last advance
	moved    time.Time           // when the shown state was found
	looked   time.Time           // when the last refresh that succeeded was started
	took     time.Duration       // by that refresh, with the advance
	advanced time.Duration       // by the last advance
	failure  error               // of the last refresh
}

// follow lets a lake that was just opened follow its writer.
func (d *database) follow(opened *lake) error {
	follower, ok := opened.store.(store.Follower)
	if !ok {
		return pgerror.New(pgerror.FeatureNotSupported, "the engine of this store cannot be read beside its writer")
	}
	ctx, stop := context.WithCancel(d.instance.closing)
	f := &following{database: d, lake: opened, store: follower, stop: stop}
	now := time.Now()
	f.progress.looked, f.progress.moved = now, now
	if err := f.advance(ctx, nil, opened.published.Snapshot); err != nil {
		stop()
		return err
	}
	opened.following = f
	d.instance.followers.Go(func() { f.run(ctx) })
	return nil
}

// run refreshes the lake until it is given up, or the instance is closed.
func (f *following) run(ctx context.Context) {
	defer f.store.Close() // it has nothing to flush; what is pinned stays readable
	ticker := time.NewTicker(f.database.instance.options.PollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := f.refresh(ctx); errors.Is(err, store.ErrNotFound) || errors.Is(err, overlay.ErrOlder) {
			f.database.replaced(f.lake)
			<-ctx.Done()
			return
		}
	}
}

// refresh shows what the writer has made durable since.
func (f *following) refresh(ctx context.Context) error {
	started := time.Now()
	moved, err := f.store.Refresh(ctx)
	f.pending = f.pending || moved
	if err == nil && f.pending {
		moved, err = true, f.show(ctx)
		f.pending = err != nil
	}
	if ctx.Err() != nil {
		return nil
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if before := f.progress.failure; (err == nil) != (before == nil) {
		f.database.instance.logRefresh(f.database.path(f.lake.schema), err)
	}
	f.progress.failure = err
	if err == nil {
		f.progress.looked, f.progress.took = started, time.Since(started)
		if moved {
			f.progress.moved = started
		}
	}
	return err
}

// show publishes the state that the store has come to, once what the catalogs keep in memory has been brought up to date.
func (f *following) show(ctx context.Context) error {
	before, err := f.lake.pin()
	if err != nil {
		return err
	}
	defer f.lake.unpin(before)
	opened, err := f.store.Snapshot()
	if err != nil {
		return err
	}
	after := reading{opened, f.lake}
	if err := f.advance(ctx, before.Snapshot, after); err != nil {
		_ = after.Close() // a snapshot has nothing to lose
		return err
	}
	f.lake.mutex.Lock()
	defer f.lake.mutex.Unlock()
	if f.lake.published == nil {
		return after.Close()
	}
	f.lake.publish(after, nil)
	return nil
}

func (f *following) advance(ctx context.Context, before, after store.Reader) error {
	started := time.Now()
	for _, catalog := range f.lake.catalogs {
		catalog, ok := catalog.(followingCatalog)
		if !ok {
			continue
		}
		advance, err := catalog.Follow(ctx, before, after)
		if err != nil {
			return err
		}
		f.mutex.Lock()
		f.progress.position = advance.Position
		if before != nil {
			f.progress.kind, f.progress.keys, f.progress.advanced = advance.Kind, advance.Keys, time.Since(started)
		}
		f.mutex.Unlock()
	}
	return nil
}

// now gives a copy of the progress.
func (f *following) now() progress {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.progress
}

// replaced takes a lake out of use that was dropped, or in whose place there is another one: who needs it opens it anew.
func (d *database) replaced(gone *lake) {
	d.mutex.Lock()
	var unused []*lake
	if entry, found := d.lakes[gone.schema]; found && entry.lake == gone {
		unused = d.retire(gone.schema)
	}
	d.mutex.Unlock()
	closeAll(unused)
}
