package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"moraine/store"
	"moraine/store/engine"
	"moraine/transfer"
)

const copyUsage = `Copy lakes from one store to another, and verify the copy. That is also a backup, and its restoring.

Usage:
  moraine copy --from location --to location [--database name] [--schema name]
  moraine copy --from location --to location --lake database.schema

A location is a directory or the URL of an object store. Without names the whole store is copied, with the roles of the
server. Each lake is copied as of one moment. No server may have a directory open, nor write the lakes of the target; an
object store is copied beside its writer.

Lakes that the target has already are never overwritten. A copy that was interrupted goes on when the same command is run
again; until it is finished, the target does not serve the lakes.

The exit status is 0 when all lakes are copied and verified, 1 when the copy was interrupted or failed on the way, 2 when
nothing was copied because the command line is wrong, a store cannot be opened, or something is in the way.

Flags:
`

// maximumCopyBatch bounds --batch-size.
const maximumCopyBatch = 256 << 20

// copySettings are the flags of `moraine copy`.
type copySettings struct {
	lakeSelection
	from, to  string
	batchSize byteSize
}

func (s *copySettings) define(flags *flag.FlagSet) {
	flags.StringVar(&s.from, "from", "", "`location` of the store to copy from: a directory, or the URL of an object store")
	flags.StringVar(&s.to, "to", "", "`location` of the store to copy to; a directory is made when it is missing")
	s.lakeSelection.define(flags, "copy")
	s.batchSize = transfer.DefaultBatchSize
	flags.Var(&s.batchSize, "batch-size", "how much is written at once: `bytes`, or with unit KiB, MiB, GiB")
}

func (s *copySettings) validate(flags *flag.FlagSet) error {
	if s.from == "" || s.to == "" {
		return errors.New("--from and --to must be given")
	}
	for _, location := range []string{s.from, s.to} {
		if err := engine.Validate(location); err != nil {
			return err
		}
	}
	if canonical(s.from) == canonical(s.to) {
		return errors.New("--from and --to are the same store")
	}
	if s.batchSize < 1 || s.batchSize > maximumCopyBatch {
		return fmt.Errorf("--batch-size must be from 1 byte to %d MiB", maximumCopyBatch>>20)
	}
	return s.resolve(flags)
}

// canonical gives the same text for the same store, as far as its location tells, without a password.
func canonical(location string) string {
	if engine.Remote(location) {
		return strings.TrimRight(engine.Redacted(location), "/")
	}
	if absolute, err := filepath.Abs(location); err == nil {
		return absolute
	}
	return filepath.Clean(location)
}

// copyLakes is the subcommand copy.
func copyLakes(ctx context.Context, arguments []string, environment func(string) string, output, log io.Writer) int {
	s := &copySettings{}
	parsing := &command{name: "copy", usage: copyUsage, define: s.define, validate: s.validate}
	if run, status := parsing.parse(arguments, environment, output, log); !run {
		return status
	}
	begun, progress := time.Now(), newProgressLine(log)
	results, err := s.run(ctx, progress)
	progress.end()
	var refused *transfer.Refused
	var notOpened *notOpenedError
	switch {
	case errors.As(err, &refused) || errors.As(err, &notOpened):
		fmt.Fprintf(log, "moraine: nothing was copied: %v\n", err)
		return exitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(log, "moraine: the copy was interrupted. Run the same command again to go on.\n")
		return exitFailure
	case err != nil:
		fmt.Fprintf(log, "moraine: the copy is not finished: %v\nRun the same command again to go on.\n", err)
		return exitFailure
	}
	reportCopy(output, results, time.Since(begun))
	return exitSuccess
}

// notOpenedError is why one of the stores cannot be opened.
type notOpenedError struct{ cause error }

func (e *notOpenedError) Error() string { return e.cause.Error() }
func (e *notOpenedError) Unwrap() error { return e.cause }

func (s *copySettings) run(ctx context.Context, progress *progressLine) (results []transfer.Result, err error) {
	from, err := openExisting(ctx, s.from, true)
	if err != nil {
		return nil, &notOpenedError{explained(err)}
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, examined, err := s.openTarget(ctx)
	if err != nil {
		return nil, &notOpenedError{explained(err)}
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	if examined != nil {
		defer func() { err = errors.Join(err, examined.Close()) }()
	}
	release := func() error { return nil }
	defer func() { err = errors.Join(err, release()) }()
	claiming := func(ctx context.Context) (taken store.Engine, err error) {
		taken, free, err := claim(ctx, to, "copy")
		if err == nil {
			release = free
		}
		return taken, err
	}
	return transfer.Copy(ctx, from, to, transfer.Options{
		Database: s.database, Schema: s.schema, Examined: examined, Claim: claiming, Source: canonical(s.from),
		BatchSize: int(s.batchSize), Progress: progress.show,
	})
}

// openTarget opens the target, and an object store for reading only besides: its lakes must not be taken from their writer
// before it is known that they can be copied to.
func (s *copySettings) openTarget(ctx context.Context) (to, examined store.Engine, err error) {
	if engine.Remote(s.to) {
		if examined, err = engine.Open(ctx, s.to, engine.Options{ReadOnly: true}); err != nil {
			return nil, nil, err
		}
	}
	to, err = engine.Open(ctx, s.to, engine.Options{})
	switch {
	case errors.Is(err, store.ErrLocked):
		return nil, nil, &storeInUse{store: s.to}
	case err != nil && examined != nil:
		return nil, nil, errors.Join(err, examined.Close())
	}
	return to, examined, err
}

// reportCopy prints what was done to each lake, and the sum.
func reportCopy(output io.Writer, results []transfer.Result, took time.Duration) {
	present, keys, size := 0, int64(0), int64(0)
	for _, result := range results {
		done := "copied and verified"
		if result.Present {
			done = "there already, the same"
			present++
		} else {
			keys, size = keys+result.Census.Keys, size+result.Census.Bytes
		}
		fmt.Fprintf(output, "%s: %s%s, %s, checksum %s: %s\n", result.Path, snapshotText(result), countRecords(result.Census.Keys),
			sizeText(result.Census.Bytes), result.Census.Checksum, done)
	}
	fmt.Fprintf(output, "lakes copied: %d, there already: %d; %s, %s in %.1f s\n", len(results)-present, present, countRecords(keys),
		sizeText(size), took.Seconds())
}

func snapshotText(result transfer.Result) string {
	if !result.Head.Set {
		return ""
	}
	return fmt.Sprintf("snapshot %d, ", result.Head.Value.SnapshotID)
}

// sizeText gives bytes for people.
func sizeText(bytes int64) string {
	for i := len(byteUnits) - 1; i >= 0; i-- {
		if unit := byteUnits[i]; bytes >= int64(unit.size) {
			return fmt.Sprintf("%.1f %s", float64(bytes)/float64(unit.size), unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", bytes)
}
