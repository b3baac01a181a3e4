package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"moraine/check"
	"moraine/lake"
	"moraine/store"
	"moraine/store/pebble"
)

// checkStore checks the lakes of a directory.
func (s *checkSettings) checkStore(ctx context.Context, report *checkReport) (err error) {
	if _, err := os.Stat(s.store); err != nil {
		return err // opening the store would make it
	}
	engine, err := pebble.Open(s.store, pebble.Options{})
	if errors.Is(err, store.ErrLocked) {
		return fmt.Errorf("the store %s is in use by another process: check a running server with --connect", s.store)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	paths, err := engine.List(ctx)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if !s.wants(path) || path.Database == lake.ServerDatabase {
			continue
		}
		findings, err := checkLake(ctx, engine, path)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", path.Database, path.Schema, err)
		}
		report.lake(path, findings)
	}
	return nil
}

func checkLake(ctx context.Context, engine store.Engine, path store.Path) ([]check.Finding, error) {
	lake, err := engine.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer lake.Close()
	snapshot, err := lake.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snapshot.Close()
	return check.Run(ctx, snapshot)
}
