package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
)

// command is what the subcommands for stores have in common when they read their command line.
type command struct {
	name, usage string
	// define defines the flags, and validate looks at what they were set to.
	define   func(flags *flag.FlagSet)
	validate func(flags *flag.FlagSet) error
}

// parse reads the environment and the flags. When run is false, the command has ended with a status: the help text was
// asked for, or the command line is wrong.
func (c *command) parse(arguments []string, environment func(string) string, output, log io.Writer) (run bool, status int) {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	c.define(flags)
	err := setFromEnvironment(flags, environment)
	if err == nil {
		err = flags.Parse(arguments)
	}
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(output, c.usage)
		flags.SetOutput(output)
		printFlags(flags)
		return false, exitSuccess
	}
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if err == nil {
		err = c.validate(flags)
	}
	if err != nil {
		fmt.Fprintf(log, "moraine: %v\nRun \"moraine %s --help\" for the flags.\n", err, c.name)
		return false, exitUsage
	}
	return true, exitSuccess
}
