package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"moraine/migrate"
	"moraine/store"
	"moraine/store/engine"
)

const migrateUsage = `Raise lakes to the newest format. A directory that a server has open is refused. An object store is taken from its server,
which ends, if there is anything to migrate; standby servers wait until the command has ended.

Usage:
  moraine migrate [--store location] [--database name] [--schema name] [--dry-run]
  moraine migrate [--store location] --lake database.schema [--dry-run]

Without names all lakes of the store are migrated. A migration that was interrupted goes on where it
stopped when the command is run again; until then no server opens the lake. A lake of the newest format stays as it is.
There is no way back to an older format: make a backup first.

The exit status is 0 when all lakes have the newest format, or with --dry-run were looked at; 1 when a lake could not be
migrated; 2 when the command line is wrong or the store cannot be opened.

Flags:
`

// progressInterval is the least time between two lines that say how far a migration is.
const progressInterval = 2 * time.Second

// migrateSettings are the flags of `moraine migrate`.
type migrateSettings struct {
	lakeFlags
	dryRun bool
}

func (s *migrateSettings) define(flags *flag.FlagSet) {
	s.lakeFlags.define(flags, "migrate")
	flags.BoolVar(&s.dryRun, "dry-run", false, "say what there is to do, and write nothing")
}

// migrateLakes is the subcommand migrate.
func migrateLakes(ctx context.Context, arguments []string, environment func(string) string, output, log io.Writer) int {
	s := &migrateSettings{}
	parsing := &command{name: "migrate", usage: migrateUsage, define: s.define, validate: s.resolve}
	if run, status := parsing.parse(arguments, environment, output, log); !run {
		return status
	}
	report := &migrateReport{output: output, log: log}
	if err := s.run(ctx, report); err != nil {
		fmt.Fprintf(log, "moraine: the lakes could not be migrated: %v\n", explained(err))
		return exitUsage
	}
	return report.end(s.dryRun)
}

// run looks at the lakes or migrates them. An object store whose lakes have nothing to migrate keeps its server.
func (s *migrateSettings) run(ctx context.Context, report *migrateReport) error {
	if s.dryRun {
		return s.read(ctx, report.visitor(ctx, report.inspect))
	}
	if engine.Remote(s.store) {
		needed, err := s.needed(ctx)
		if err != nil {
			return err
		}
		if !needed {
			return s.read(ctx, report.visitor(ctx, report.migrate))
		}
	}
	return s.write(ctx, "migrate", report.visitor(ctx, report.migrate))
}

// needed tells whether some lake has something to migrate. What is wrong with a lake is said when it is migrated.
func (s *migrateSettings) needed(ctx context.Context) (needed bool, err error) {
	err = s.read(ctx, func(_ store.Path, lake store.Store) error {
		snapshot, err := lake.Snapshot()
		if err != nil {
			return err
		}
		defer snapshot.Close()
		pending, err := migrate.Pending(ctx, snapshot)
		needed = needed || pending || err != nil
		return nil
	})
	return needed, err
}

func describeMigrateError(err error) string {
	if errors.Is(err, store.ErrFenced) {
		return "another process has taken over the lake: stop all servers of the store, then run the command again"
	}
	return err.Error()
}

// migrateReport prints what is done, and counts.
type migrateReport struct {
	output, log             io.Writer
	lakes, migrated, failed int
}

// visitor reports what fails for a lake, and goes on with the others.
func (r *migrateReport) visitor(ctx context.Context, visit func(context.Context, store.Path, store.Store) error) func(store.Path, store.Store) error {
	return func(path store.Path, lake store.Store) error {
		if err := visit(ctx, path, lake); err != nil {
			r.failed++
			fmt.Fprintf(r.log, "moraine: %s: %s\n", path, describeMigrateError(err))
		}
		r.lakes++
		return ctx.Err()
	}
}

func (r *migrateReport) migrate(ctx context.Context, path store.Path, lake store.Store) error {
	shown := time.Now()
	result, err := migrate.Run(ctx, lake, migrate.Options{Progress: func(p migrate.Progress) {
		if now := time.Now(); p.Finished || now.Sub(shown) >= progressInterval {
			shown = now
			state := "so far"
			if p.Finished {
				state = "done"
			}
			fmt.Fprintf(r.log, "%s: format %d to %d, %s: %s %s\n", path, p.From, p.To, p.Unit, countRecords(p.Records), state)
		}
	}})
	switch {
	case err != nil:
		return err
	case result.To == 0:
		fmt.Fprintf(r.output, "%s: no catalog, nothing to migrate\n", path)
	case result.From == result.To:
		fmt.Fprintf(r.output, "%s: format %d already\n", path, result.To)
	default:
		r.migrated++
		fmt.Fprintf(r.output, "%s: migrated from format %d to %d\n", path, result.From, result.To)
	}
	return nil
}

func (r *migrateReport) inspect(ctx context.Context, path store.Path, lake store.Store) error {
	snapshot, err := lake.Snapshot()
	if err != nil {
		return err
	}
	defer snapshot.Close()
	plan, err := migrate.Inspect(ctx, snapshot)
	switch {
	case err != nil:
		return err
	case plan.Format == 0:
		fmt.Fprintf(r.output, "%s: no catalog, nothing to migrate\n", path)
		return nil
	}
	fmt.Fprintf(r.output, "%s: format %d\n", path, plan.Format)
	for _, unit := range plan.Units {
		fmt.Fprintf(r.output, "    format %d to %d, %s: %s", unit.From, unit.To, unit.Name, countRecords(unit.Records))
		if unit.Begun {
			fmt.Fprintf(r.output, ", under way, %d done", unit.Done)
		}
		fmt.Fprintln(r.output)
	}
	if len(plan.Units) > 0 {
		r.migrated++
	}
	return nil
}

func countRecords[number int | int64](count number) string {
	if count == 1 {
		return "1 record"
	}
	return fmt.Sprintf("%d records", count)
}

// end prints the sum and gives the exit status.
func (r *migrateReport) end(dryRun bool) int {
	verb := "migrated"
	if dryRun {
		verb = "to migrate"
	}
	fmt.Fprintf(r.output, "lakes: %d, %s: %d, failed: %d\n", r.lakes, verb, r.migrated, r.failed)
	if r.failed > 0 {
		return exitFailure
	}
	return exitSuccess
}
