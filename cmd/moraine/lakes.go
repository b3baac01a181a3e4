package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"moraine/lake"
	"moraine/server"
	"moraine/store"
	"moraine/store/engine"
	"moraine/transfer"
)

// lakeFlags say which lakes of a store a subcommand is for; all of them when none is named.
type lakeFlags struct {
	lakeSelection
	store string
}

func (f *lakeFlags) define(flags *flag.FlagSet, purpose string) {
	flags.StringVar(&f.store, "store", "./"+server.DefaultStore, "`location` of the store: a directory, or the URL of an object store")
	f.lakeSelection.define(flags, purpose)
}

// selected opens the store, and gives the chosen lakes, of which there must be one, to a function. With readOnly nothing
// is written, and a server may write an object store meanwhile; a directory belongs to one process.
func (f *lakeFlags) selected(ctx context.Context, readOnly bool, use func(from store.Engine, paths []store.Path) error) (err error) {
	opened, err := openExisting(ctx, f.store, readOnly)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	all, err := opened.List(ctx)
	if err != nil {
		return err
	}
	var paths []store.Path
	for _, path := range all {
		if f.selects(path) {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 && (f.database != "" || f.schema != "") {
		return errNoSuchLake
	}
	return use(opened, paths)
}

// read opens the lakes that have a catalog, or may have one, one after the other. An unfinished copy is an error.
func (f *lakeFlags) read(ctx context.Context, visit func(store.Path, store.Store) error) error {
	return f.selected(ctx, true, func(from store.Engine, paths []store.Path) error { return visitLakes(ctx, from, paths, visit) })
}

// write does so for a command that writes them.
func (f *lakeFlags) write(ctx context.Context, command string, visit func(store.Path, store.Store) error) error {
	return f.selected(ctx, false, func(from store.Engine, paths []store.Path) error {
		return claimed(ctx, from, command, func(from store.Engine) error { return visitLakes(ctx, from, paths, visit) })
	})
}

func visitLakes(ctx context.Context, from store.Engine, paths []store.Path, visit func(store.Path, store.Store) error) error {
	found := false
	for _, path := range paths {
		if path.Database == lake.ServerDatabase {
			continue
		}
		found = true
		if err := visitLake(ctx, from, path, visit); err != nil {
			return err
		}
	}
	if !found && len(paths) > 0 {
		return errNoSuchLake
	}
	return nil
}

func visitLake(ctx context.Context, from store.Engine, path store.Path, visit func(store.Path, store.Store) error) error {
	opened, err := from.Open(ctx, path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := transfer.CheckStore(ctx, opened); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", path, err), opened.Close())
	}
	return errors.Join(visit(path, opened), opened.Close())
}

// withSnapshot gives a snapshot of a lake to a function.
func withSnapshot(ctx context.Context, from store.Engine, path store.Path, use func(store.Snapshot) error) (err error) {
	lake, err := from.Open(ctx, path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer func() { err = errors.Join(err, lake.Close()) }()
	snapshot, err := lake.Snapshot()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	return use(snapshot)
}

// openExisting opens a store without making it, and says what is in the way in the words of an operator.
func openExisting(ctx context.Context, location string, readOnly bool) (store.Engine, error) {
	opened, err := engine.Open(ctx, location, engine.Options{ReadOnly: readOnly && engine.Remote(location), MustExist: true})
	switch {
	case errors.Is(err, store.ErrLocked):
		return nil, &storeInUse{store: location}
	case errors.Is(err, store.ErrNotFound):
		return nil, fmt.Errorf("there is no store at %s", engine.Redacted(location))
	case err != nil:
		return nil, err
	}
	return opened, nil
}

// errNoSuchLake says that no lake has the names that were given.
var errNoSuchLake = errors.New("there is no such lake")

// storeInUse says that another process has a directory open.
type storeInUse struct{ store string }

func (e *storeInUse) Error() string {
	return fmt.Sprintf("the store %s is in use by another process", e.store)
}

// explained adds to an error what to do about a store in use.
func explained(err error) error {
	var used *storeInUse
	if errors.As(err, &used) {
		return fmt.Errorf("%w: stop the server first", err)
	}
	return err
}
