package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"moraine/server"
)

// closeLimit is how long a store may take to be closed once sessions are no longer waited for: an object store may be out of
// reach, and a supervisor waits for the process.
const closeLimit = 10 * time.Second

var logLevels = map[string]zerolog.Level{
	"debug": zerolog.DebugLevel,
	"info":  zerolog.InfoLevel,
	"warn":  zerolog.WarnLevel,
	"error": zerolog.ErrorLevel,
}

// serve is the subcommand of that name.
func serve(ctx context.Context, arguments []string, environment func(string) string, output, log io.Writer) int {
	s, err := parseSettings(arguments, environment, output)
	if errors.Is(err, flag.ErrHelp) {
		return exitSuccess
	}
	if err != nil {
		return usageError(log, err)
	}
	logger := newLogger(s, log)
	config, err := s.config(logger)
	if err != nil {
		return usageError(log, err)
	}
	defer reserveHeap()()
	running, err := server.Start(ctx, config)
	if err != nil {
		logger.Error().Msg("cannot start: " + err.Error())
		return exitFailure
	}
	fmt.Fprintf(output, "In DuckDB:\n  %s\n", attachStatement(running.Address(), config))

	status := exitSuccess
	select {
	case <-ctx.Done():
		logger.Info().Stringer("drain_timeout", s.drainTimeout).Msg("stopping: statements under way may finish")
	case err := <-running.Failed():
		logger.Error().Err(err).Msg("the server ends")
		status = exitFailure
	}
	if err := drain(running.Shutdown, s.drainTimeout, closeLimit); err != nil {
		status = exitFailure
		if errors.Is(err, errNotClosed) { // of other errors the server has logged why
			logger.Warn().Msg(err.Error())
		}
	}
	return status
}

// errNotClosed says that the server ended with its store open. What is acknowledged is durable, as after a crash.
var errNotClosed = errors.New("the store does not answer: the server ends without closing it")

// drain shuts a server down. Another signal, or the timeout, ends the wait for its sessions; the store may then take up to
// closeLimit to be closed.
func drain(shutdown func(context.Context) error, timeout, closeLimit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- shutdown(ctx) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(closeLimit):
		return errNotClosed
	}
}

func usageError(log io.Writer, err error) int {
	fmt.Fprintf(log, "moraine: %v\nRun \"moraine serve --help\" for the flags.\n", err)
	return exitUsage
}

func newLogger(s *settings, log io.Writer) zerolog.Logger {
	if s.logFormat == "console" {
		log = zerolog.ConsoleWriter{Out: log, TimeFormat: time.DateTime, NoColor: true}
	}
	return zerolog.New(log).Level(logLevels[s.logLevel]).With().Timestamp().Logger()
}

// attachStatement gives the statement by which DuckDB attaches the first lake of the server.
func attachStatement(address string, config server.Config) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return ""
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	connection := fmt.Sprintf("host=%s port=%s dbname=%s", host, port, server.DefaultDatabase)
	if names := slices.Sorted(maps.Keys(config.Users)); len(names) > 0 {
		connection += fmt.Sprintf(" user=%s password=...", names[0])
	}
	if config.TLS != nil {
		connection += " sslmode=require"
	}
	options := fmt.Sprintf("DATA_PATH '%s-files/'", strings.TrimRight(config.Store, "/"))
	if config.ReadOnly {
		options = "READ_ONLY" // the lake knows where its files are
	}
	return fmt.Sprintf("ATTACH 'ducklake:postgres:%s' AS lake (%s);", connection, options)
}
