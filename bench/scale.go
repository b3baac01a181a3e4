package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"moraine/bench/conversation"
)

// fullScale is the lake that scale grows to; it measures at each step on the way.
var (
	fullScale  = lakeSize{tables: 3_000, snapshots: 100_000, files: 1_000_000}
	scaleSteps = []float64{0.01, 0.1, 1}
)

const (
	statisticsColumns = 10  // columns of each file with statistics
	timedCommits      = 200 // the last commits before a step, which give its figure
	scaleRuns         = 5   // of everything else
	expiredSnapshots  = 10  // that one expiry takes away
)

// lakeSize counts what a lake has.
type lakeSize struct{ tables, snapshots, files int }

func (s lakeSize) times(factor float64) lakeSize {
	scaled := func(n int) int { return max(1, int(float64(n)*factor)) }
	return lakeSize{tables: scaled(s.tables), snapshots: scaled(s.snapshots), files: scaled(s.files)}
}

// measures are the lines of the table, in order.
var measures = []string{"commit of some files", "commit of a table", "attach again", "pruned query", "expiry of snapshots"}

// runScale grows a lake on each server by the commits of many writers, and tells how the cost of what its users do grows
// with it.
func runScale(ctx context.Context, servers []server, options options) error {
	exchanges, err := readConversation(options.conversation)
	if err != nil {
		return err
	}
	for _, s := range servers {
		if err := s.withDatabase(ctx, "scale", func(database string) error {
			return growLake(ctx, s, database, exchanges, fullScale.times(options.scale))
		}); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

func growLake(ctx context.Context, s server, database string, exchanges []conversation.Exchange, size lakeSize) error {
	if _, err := replay(ctx, s, database, operation(exchanges, "first attach")); err != nil {
		return err
	}
	writer, err := dial(ctx, s, database)
	if err != nil {
		return err
	}
	defer writer.close()
	lake := newGrowingLake(writer, size)
	figures := map[string][]time.Duration{}
	for _, step := range scaleSteps {
		if err := lake.growTo(size.times(step)); err != nil {
			return err
		}
		if err := measure(ctx, s, database, exchanges, lake, figures); err != nil {
			return err
		}
	}
	printGrowth(s, size, figures)
	return nil
}

// operation gives the exchanges of the first run of an operation.
func operation(exchanges []conversation.Exchange, name string) []conversation.Exchange {
	var found []conversation.Exchange
	for _, e := range exchanges {
		if e.Operation == name && (len(found) == 0 || e.Run == found[0].Run) {
			found = append(found, e)
		}
	}
	return found
}

// measure adds one figure to each measure.
func measure(ctx context.Context, s server, database string, exchanges []conversation.Exchange, lake *growingLake, figures map[string][]time.Duration) error {
	note := func(name string, took []time.Duration) { figures[name] = append(figures[name], median(took)) }
	note("commit of some files", last(lake.fileCommits, timedCommits))
	note("commit of a table", last(lake.tableCommits, timedCommits))
	var attaches []time.Duration
	for range scaleRuns {
		answers, err := replay(ctx, s, database, operation(exchanges, "attach again"))
		if err != nil {
			return err
		}
		var sum time.Duration
		for _, a := range answers {
			sum += a.took
		}
		attaches = append(attaches, sum)
	}
	note("attach again", attaches)
	for name, statements := range map[string]func() []string{"pruned query": lake.prunedQuery, "expiry of snapshots": lake.expiry} {
		var runs []time.Duration
		for range scaleRuns {
			took, err := lake.send(statements()...)
			if err != nil {
				return err
			}
			runs = append(runs, took)
		}
		note(name, runs)
	}
	return nil
}

func last(took []time.Duration, count int) []time.Duration { return took[max(0, len(took)-count):] }

func printGrowth(s server, size lakeSize, figures map[string][]time.Duration) {
	fmt.Printf("\n%s, growing to %d tables, %d snapshots, %d data files with statistics of %d columns (median ms)\n",
		s.name, size.tables, size.snapshots, size.files, statisticsColumns)
	for _, step := range scaleSteps {
		fmt.Printf("%10.0f%%", 100*step)
	}
	fmt.Printf("%9s\n", "growth")
	for _, name := range measures {
		took := figures[name]
		for _, figure := range took {
			fmt.Printf("%11.3f", milliseconds(figure))
		}
		fmt.Printf("%8.2fx  %s\n", float64(took[len(took)-1])/float64(took[0]), name)
	}
	if peak := s.peakMemory(); peak != "" {
		fmt.Printf("the server's memory at its peak: %s\n", peak)
	}
}

// peakMemory gives what Linux has counted for the server's process.
func (s server) peakMemory() string {
	status, err := os.ReadFile("/proc/" + s.process + "/status")
	if s.process == "" || err != nil {
		return ""
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	peak, _, _ = strings.Cut(peak, "\n")
	return strings.TrimSpace(peak)
}
