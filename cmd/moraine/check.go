package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"moraine/check"
	"moraine/store"
	"moraine/store/engine"
)

// exitBroken is the exit status of a check that has found something; one that could not be made is exitUsage.
const exitBroken = 1

const checkUsage = `Check the lakes of a store, and report each broken invariant.

Usage:
  moraine check [--store location] [--database name] [--schema name]   a store: a directory that no server has open, or the
                                                                       URL of an object store, beside its writer
  moraine check [--store location] [--lake database.schema]
  moraine check --connect 'host=... dbname=...' [--schema name]        one database of a running server

Without names all lakes are checked. The exit status is 0 when all are sound, 1 when something was
found, 2 when the check could not be made.

Flags:
`

// checkSettings are the flags of `moraine check`.
type checkSettings struct {
	lakeFlags
	connect string
}

func (s *checkSettings) define(flags *flag.FlagSet) {
	s.lakeFlags.define(flags, "check")
	flags.StringVar(&s.connect, "connect", "", "`connection` string or URL of a running server's database, as psql takes it; instead of --store and --database")
}

func (s *checkSettings) validate(flags *flag.FlagSet) error {
	if err := s.resolve(flags); err != nil {
		return err
	}
	if s.connect != "" && s.database != "" {
		return errors.New("--database and --lake do not go with --connect: name the database in the connection string (dbname=...)")
	}
	return nil
}

// checkLakes is the subcommand check.
func checkLakes(ctx context.Context, arguments []string, environment func(string) string, output, log io.Writer) int {
	s := &checkSettings{}
	parsing := &command{name: "check", usage: checkUsage, define: s.define, validate: s.validate}
	if run, status := parsing.parse(arguments, environment, output, log); !run {
		return status
	}
	var err error
	report := &checkReport{output: output}
	if s.connect != "" {
		err = s.checkServer(ctx, report)
	} else {
		err = s.checkStore(ctx, report)
	}
	if err == nil && report.lakes == 0 {
		err = s.nothingToCheck()
	}
	if err != nil {
		fmt.Fprintf(log, "moraine: the check could not be made: %v\n", err)
		return exitUsage
	}
	return report.end()
}

// nothingToCheck says that there are no lakes. A server always has some, so the store is probably not the one that is meant.
func (s *checkSettings) nothingToCheck() error {
	if s.database != "" || s.schema != "" || s.connect != "" {
		return errNoSuchLake
	}
	return fmt.Errorf("there are no lakes at %s", engine.Redacted(s.store))
}

// checkReport prints findings and counts them.
type checkReport struct {
	output          io.Writer
	lakes, findings int
}

func (r *checkReport) lake(path store.Path, findings []check.Finding) {
	r.lakes++
	r.findings += len(findings)
	for _, finding := range findings {
		fmt.Fprintf(r.output, "%s.%s: %s: %s", path.Database, path.Schema, finding.Rule.Severity, finding.Rule.Name)
		for _, part := range []string{finding.Table, finding.IDs} {
			if part != "" {
				fmt.Fprintf(r.output, " %s", part)
			}
		}
		fmt.Fprintf(r.output, ": %s\n    %s\n", finding.Found, finding.Rule.Remedy)
	}
}

// end prints the sum and gives the exit status.
func (r *checkReport) end() int {
	fmt.Fprintf(r.output, "lakes checked: %d, findings: %d\n", r.lakes, r.findings)
	if r.findings > 0 {
		return exitBroken
	}
	return exitSuccess
}
