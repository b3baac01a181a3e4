package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"moraine/inspect"
	"moraine/store"
	"moraine/store/engine"
	"moraine/transfer"
)

const infoUsage = `Show what a store holds: its engine, and of each lake the format, the head, and the keys and bytes of each subspace.

Usage:
  moraine info [--store location] [--database name] [--schema name]
  moraine info [--store location] --lake database.schema

No server may have a directory open; an object store is read beside its writer. The bytes are those of keys and values.
The checksum is the SHA-256 of the lines that "moraine dump --hex" writes, and the same wherever the same is stored.

The exit status is 0, or 2 when the lakes could not be read.

Flags:
`

// showInfo is the subcommand info.
func showInfo(ctx context.Context, arguments []string, environment func(string) string, output, log io.Writer) int {
	s := &lakeFlags{}
	parsing := &command{name: "info", usage: infoUsage, validate: s.resolve, define: func(flags *flag.FlagSet) { s.define(flags, "show") }}
	if run, status := parsing.parse(arguments, environment, output, log); !run {
		return status
	}
	err := s.selected(ctx, true, func(from store.Engine, paths []store.Path) error {
		fmt.Fprintf(output, "store %s: %s\n", engine.Redacted(s.store), engineName(s.store))
		for _, path := range paths {
			err := withSnapshot(ctx, from, path, func(snapshot store.Snapshot) error { return infoOfLake(ctx, path, snapshot, output) })
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		fmt.Fprintf(log, "moraine: the lakes could not be read: %v\n", explained(err))
		return exitUsage
	}
	return exitSuccess
}

func infoOfLake(ctx context.Context, path store.Path, snapshot store.Snapshot, output io.Writer) error {
	census, err := inspect.Take(ctx, snapshot)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	fmt.Fprintf(output, "\n%s\n", path)
	if err := infoOfSystem(ctx, snapshot, output); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	fmt.Fprintf(output, "  %-14s %12s %15s\n", "subspace", "keys", "bytes")
	for _, count := range census.Subspaces {
		fmt.Fprintf(output, "  %-14s %12d %15d\n", count.Subspace, count.Keys, count.Bytes)
	}
	fmt.Fprintf(output, "  %-14s %12d %15d\n", "in all", census.Keys, census.Bytes)
	_, err = fmt.Fprintf(output, "  checksum %s\n", census.Checksum)
	return err
}

// infoOfSystem prints what the system records of a lake say.
func infoOfSystem(ctx context.Context, snapshot store.Snapshot, output io.Writer) error {
	var unfinished *transfer.Unfinished
	if err := transfer.CheckComplete(ctx, snapshot); errors.As(err, &unfinished) {
		fmt.Fprintf(output, "  %v\n", unfinished)
		return nil
	} else if err != nil {
		return err
	}
	summary, err := inspect.Summarize(ctx, snapshot)
	if err != nil {
		return err
	}
	if !summary.Format.Set {
		fmt.Fprintf(output, "  no catalog\n")
		return nil
	}
	fmt.Fprintf(output, "  format %d, stamped by %q\n", summary.Format.Value.FormatVersion, summary.Format.Value.WriterVersion)
	if summary.Head.Set {
		fmt.Fprintf(output, "  head: snapshot %d, batch %d\n", summary.Head.Value.SnapshotID, summary.Head.Value.BatchSequence)
	}
	if summary.Migration.Set {
		fmt.Fprintf(output, "  a migration from format %d to %d has begun\n", summary.Migration.Value.FromFormat, summary.Migration.Value.ToFormat)
	}
	return nil
}

// engineName gives the name of the engine of a location.
func engineName(location string) string {
	if engine.Remote(location) {
		return "SlateDB"
	}
	return "Pebble"
}
