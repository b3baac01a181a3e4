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
)

// lakeFlags say which lakes of a store a subcommand is for; all of them when neither database nor schema is given.
type lakeFlags struct {
	store, database, schema string
}

func (f *lakeFlags) define(flags *flag.FlagSet, purpose string) {
	flags.StringVar(&f.store, "store", "./"+server.DefaultStore, "`location` of the store: a directory, or the URL of an object store")
	flags.StringVar(&f.database, "database", "", "`name` of the only database to "+purpose)
	flags.StringVar(&f.schema, "schema", "", "`name` of the only schema to "+purpose)
}

// wants tells whether a lake is one of those.
func (f *lakeFlags) wants(path store.Path) bool {
	return path.Schema != "" && path.Database != lake.ServerDatabase &&
		(f.database == "" || f.database == path.Database) && (f.schema == "" || f.schema == path.Schema)
}

// each opens the lakes, one after the other. It is an error when one is named and there is none such. With readOnly
// nothing is written, and a server may write an object store meanwhile; a directory belongs to one process.
func (f *lakeFlags) each(ctx context.Context, readOnly bool, visit func(store.Path, store.Store) error) (err error) {
	opened, err := engine.Open(ctx, f.store, engine.Options{ReadOnly: readOnly && engine.Remote(f.store), MustExist: true})
	switch {
	case errors.Is(err, store.ErrLocked):
		return &storeInUse{store: f.store}
	case errors.Is(err, store.ErrNotFound):
		return fmt.Errorf("there is no store at %s", engine.Redacted(f.store))
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	paths, err := opened.List(ctx)
	if err != nil {
		return err
	}
	found := false
	for _, path := range paths {
		if !f.wants(path) {
			continue
		}
		found = true
		if err := visitLake(ctx, opened, path, visit); err != nil {
			return err
		}
	}
	if !found && (f.database != "" || f.schema != "") {
		return errNoSuchLake
	}
	return nil
}

// errNoSuchLake says that no lake has the names that were given.
var errNoSuchLake = errors.New("there is no such lake")

// storeInUse says that another process has a directory open.
type storeInUse struct{ store string }

func (e *storeInUse) Error() string {
	return fmt.Sprintf("the store %s is in use by another process", e.store)
}

func visitLake(ctx context.Context, from store.Engine, path store.Path, visit func(store.Path, store.Store) error) error {
	opened, err := from.Open(ctx, path)
	if err != nil {
		return fmt.Errorf("%s.%s: %w", path.Database, path.Schema, err)
	}
	return errors.Join(visit(path, opened), opened.Close())
}
