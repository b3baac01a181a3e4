package server

import (
	"context"
	"errors"
	"time"

	"moraine/lake"
	"moraine/role"
	"moraine/store"
	"moraine/transfer"
)

// followingRoles are the roles of a read-only server: those that the writer has stored, as of the last look.
type followingRoles struct {
	registry *role.Registry
	engine   store.Engine
	log      func(format string, arguments ...any)
	store    store.Follower // nil as long as the writer has not made the place of the roles
	failed   bool

	stop context.CancelFunc
	done chan struct{}
}

// followRoles reads the roles, and again every interval until close. It must succeed at first: a server that does not know
// its roles would take every name for its owner's.
func followRoles(ctx context.Context, engine store.Engine, interval time.Duration, log func(format string, arguments ...any)) (*followingRoles, error) {
	if interval == 0 {
		interval = lake.DefaultPollInterval
	}
	f := &followingRoles{registry: role.New(), engine: engine, log: log, done: make(chan struct{})}
	if err := f.refresh(ctx); err != nil {
		f.release()
		return nil, err
	}
	ctx, f.stop = context.WithCancel(context.WithoutCancel(ctx))
	go f.run(ctx, interval)
	return f, nil
}

func (f *followingRoles) run(ctx context.Context, interval time.Duration) {
	defer close(f.done)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			f.look(ctx)
		}
	}
}

// look takes over what has changed, and says when that begins or ceases to fail.
func (f *followingRoles) look(ctx context.Context) {
	err := f.refresh(ctx)
	if ctx.Err() != nil || (err != nil) == f.failed {
		return
	}
	if f.failed = err != nil; f.failed {
		f.log("the roles cannot be refreshed and stay as they are: %v", err)
		return
	}
	f.log("the roles are refreshed again")
}

func (f *followingRoles) refresh(ctx context.Context) error {
	moved := false
	var err error
	if f.store == nil {
		moved, err = true, f.open(ctx)
	} else {
		moved, err = f.store.Refresh(ctx)
	}
	switch {
	case errors.Is(err, store.ErrNotFound):
		f.release()
		return nil
	case err != nil || !moved:
		return err
	}
	if err := f.load(ctx); err != nil {
		f.release() // so that it is read again
		return err
	}
	return nil
}

func (f *followingRoles) load(ctx context.Context) error {
	snapshot, err := f.store.Snapshot()
	if err != nil {
		return err
	}
	defer snapshot.Close()
	return f.registry.Load(ctx, snapshot)
}

func (f *followingRoles) open(ctx context.Context) error {
	opened, err := f.engine.Open(ctx, rolesPath)
	if err != nil {
		return err
	}
	if err := transfer.CheckStore(ctx, opened); err != nil {
		return errors.Join(err, opened.Close())
	}
	follower, ok := opened.(store.Follower)
	if !ok {
		return errors.Join(errors.New("the engine of this store cannot be read beside its writer"), opened.Close())
	}
	f.store = follower
	return nil
}

func (f *followingRoles) release() {
	if f.store != nil {
		_ = f.store.Close() // it has nothing to flush
		f.store = nil
	}
}

// close ends the following. The roles stay as they are.
func (f *followingRoles) close() {
	f.stop()
	<-f.done
	f.release()
}
