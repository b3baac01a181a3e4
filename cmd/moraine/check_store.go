package main

import (
	"context"
	"errors"
	"fmt"

	"moraine/check"
	"moraine/store"
)

// checkStore checks the lakes of a store.
func (s *checkSettings) checkStore(ctx context.Context, report *checkReport) error {
	err := s.read(ctx, func(path store.Path, lake store.Store) error {
		findings, err := checkLake(ctx, lake)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", path.Database, path.Schema, err)
		}
		report.lake(path, findings)
		return nil
	})
	var used *storeInUse
	if errors.As(err, &used) {
		return fmt.Errorf("%w: check a running server with --connect", err)
	}
	return err
}

func checkLake(ctx context.Context, lake store.Store) ([]check.Finding, error) {
	snapshot, err := lake.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snapshot.Close()
	return check.Run(ctx, snapshot)
}
