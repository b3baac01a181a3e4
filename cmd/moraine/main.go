// Command moraine serves DuckLake catalogs over the PostgreSQL protocol.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Exit statuses.
const (
	exitSuccess = 0
	exitFailure = 1 // the server could not start, or did not end well
	exitUsage   = 2 // the command line or the environment is wrong
)

const usage = `Moraine serves DuckLake catalogs over the PostgreSQL protocol, from a store of its own.

Usage:
  moraine serve [flags]   serve the lakes of a store
  moraine check [flags]   check the lakes of a store or a running server, and report what is broken
  moraine copy [flags]    copy lakes between stores; backup and restore
  moraine info [flags]    show what a store holds
  moraine dump [flags]    print the records of a lake
  moraine migrate [flags] raise lakes to the newest format
  moraine version         show the version of this build
  moraine help            show this text; "moraine serve --help" and so on list the flags of a subcommand
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

// run runs a subcommand until it ends or ctx is done, and gives the exit status.
func run(ctx context.Context, arguments []string, environment func(string) string, output, errors io.Writer) int {
	command := "help"
	if len(arguments) > 0 {
		command, arguments = arguments[0], arguments[1:]
	} else {
		fmt.Fprint(errors, usage)
		return exitUsage
	}
	switch command {
	case "serve":
		return serve(ctx, arguments, environment, output, errors)
	case "check":
		return checkLakes(ctx, arguments, environment, output, errors)
	case "copy":
		return copyLakes(ctx, arguments, environment, output, errors)
	case "info":
		return showInfo(ctx, arguments, environment, output, errors)
	case "dump":
		return dumpLake(ctx, arguments, environment, output, errors)
	case "migrate":
		return migrateLakes(ctx, arguments, environment, output, errors)
	case "version", "--version", "-version":
		fmt.Fprintln(output, describeVersion())
		return exitSuccess
	case "help", "--help", "-help", "-h":
		fmt.Fprint(output, usage)
		return exitSuccess
	}
	fmt.Fprintf(errors, "moraine: unknown command %q\n\n%s", command, usage)
	return exitUsage
}
