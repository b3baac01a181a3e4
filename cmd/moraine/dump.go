package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"

	"moraine/inspect"
	"moraine/store"
)

const dumpUsage = `Print the records of one lake, one a line, in the order of their keys.

Usage:
  moraine dump [--hex] [--store location] --lake database.schema
  moraine dump [--hex] [--store location] [--database name] [--schema name]

Without --hex a line is a JSON object: the kind of the record, the components of its key and its message. With --hex it is
the key, a tab and the value, both in hexadecimal. No server may have a directory open; an object store is read beside its
writer. The names may be left out where they leave no choice.

The exit status is 0, 1 when there are records that cannot be decoded (their lines say so), or 2 when the lake could not be
read.

Flags:
`

// dumpBuffer is how many bytes are written to the output at once.
const dumpBuffer = 64 << 10

// dumpSettings are the flags of `moraine dump`.
type dumpSettings struct {
	lakeFlags
	hex bool
}

// dumpLake is the subcommand dump.
func dumpLake(ctx context.Context, arguments []string, environment func(string) string, output, log io.Writer) int {
	s := &dumpSettings{}
	parsing := &command{name: "dump", usage: dumpUsage, validate: s.resolve, define: func(flags *flag.FlagSet) {
		s.define(flags, "print")
		flags.BoolVar(&s.hex, "hex", false, "print keys and values in hexadecimal")
	}}
	if run, status := parsing.parse(arguments, environment, output, log); !run {
		return status
	}
	// Whoever reads the output may have enough of it: then writing fails with EPIPE instead of ending the process.
	signal.Ignore(syscall.SIGPIPE)
	defer signal.Reset(syscall.SIGPIPE)
	undecoded := 0
	err := s.selected(ctx, true, func(from store.Engine, paths []store.Path) (err error) {
		if len(paths) == 0 {
			return errNoSuchLake
		}
		if len(paths) > 1 {
			return fmt.Errorf("choose one of the lakes with --lake: %s", joinPaths(paths))
		}
		undecoded, err = s.dump(ctx, from, paths[0], output)
		return err
	})
	switch {
	case errors.Is(err, syscall.EPIPE):
		return exitSuccess
	case err != nil:
		fmt.Fprintf(log, "moraine: the lake could not be printed: %v\n", explained(err))
		return exitUsage
	case undecoded > 0:
		fmt.Fprintf(log, "moraine: %d records could not be decoded: their lines start with {\"error\"\n", undecoded)
		return exitBroken
	}
	return exitSuccess
}

func (s *dumpSettings) dump(ctx context.Context, from store.Engine, path store.Path, output io.Writer) (undecoded int, err error) {
	err = withSnapshot(ctx, from, path, func(snapshot store.Snapshot) error {
		buffered := bufio.NewWriterSize(output, dumpBuffer)
		if s.hex {
			err = inspect.DumpHex(ctx, snapshot, buffered)
		} else {
			undecoded, err = inspect.DumpDecoded(ctx, snapshot, buffered)
		}
		if err != nil {
			return err
		}
		return buffered.Flush()
	})
	return undecoded, err
}

// maximumShownPaths bounds how many lakes an error names.
const maximumShownPaths = 10

func joinPaths(paths []store.Path) string {
	var names []string
	for _, path := range paths[:min(len(paths), maximumShownPaths)] {
		names = append(names, path.String())
	}
	if len(paths) > maximumShownPaths {
		names = append(names, fmt.Sprintf("and %d more", len(paths)-maximumShownPaths))
	}
	return strings.Join(names, ", ")
}
