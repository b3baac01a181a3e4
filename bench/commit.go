package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"moraine/store"
	"moraine/store/engine"
)

// committers is how many commit at once; DuckLake commits of one lake are single file, so fewer tell as much.
var (
	committers     = []int{1, 8, 64}
	lakeCommitters = []int{1, 8}
)

const (
	batchPuts  = 20  // of a commit with several records
	valueBytes = 200 // of each
)

// runCommit measures what a commit takes, and how many there are in a second, for one and more committers at once: on each
// engine alone, through a server on that engine into a plain table, and as DuckLake commits, beside PostgreSQL.
func runCommit(ctx context.Context, servers []server, options options) error {
	media, closeMedia, err := newMedia()
	if err != nil {
		return err
	}
	defer closeMedia()
	fmt.Printf("%-34s %-26s %10s %11s %11s %11s\n", "commits at once", "", "committers", "commits/s", "median ms", "p99 ms")
	for _, medium := range media {
		if err := engine.Validate(medium.location); err != nil {
			fmt.Printf("%-34s %v\n", medium.name, err)
			continue
		}
		if err := medium.measure(ctx, options); err != nil {
			return fmt.Errorf("%s: %w", medium.name, err)
		}
	}
	if err := measureServer(ctx, servers[0].name, servers[0], options); err != nil {
		return fmt.Errorf("%s: %w", servers[0].name, err)
	}
	fmt.Println()
	return nil
}

// measure prints the figures of an engine, and of a server on it.
func (m medium) measure(ctx context.Context, options options) error {
	m.use()
	if err := measureEngine(ctx, m, options); err != nil {
		return err
	}
	started, err := startServer(options.binary, m)
	if err != nil {
		return err
	}
	err = measureServer(ctx, m.name, started.server, options)
	if failure := started.stop(); err == nil {
		err = failure
	}
	return err
}

// measureEngine commits batches of one put, which is the least that the engine can do, and of some more.
func measureEngine(ctx context.Context, m medium, options options) error {
	opened, err := engine.Open(ctx, m.location+"/engine", engine.Options{})
	if err != nil {
		return err
	}
	defer opened.Close()
	path := store.Path{Database: "bench", Schema: "public"}
	for _, create := range []store.Path{{Database: path.Database}, path} {
		if err := opened.Create(ctx, create); err != nil {
			return err
		}
	}
	lake, err := opened.Open(ctx, path)
	if err != nil {
		return err
	}
	defer lake.Close()
	for _, puts := range []int{1, batchPuts} {
		name := "engine: one put"
		if puts > 1 {
			name = fmt.Sprintf("engine: batch of %d puts", puts)
		}
		for _, count := range committers {
			measured, err := atOnce(count, options.duration, func(committer int) (func() error, func(), error) {
				number := 0
				return func() error {
					number++
					return lake.Commit(ctx, someBatch(committer, number, puts))
				}, func() {}, nil
			})
			if err != nil {
				return err
			}
			measured.print(m.name, name, count)
		}
	}
	return nil
}

func someBatch(committer, number, puts int) *store.Batch {
	batch := &store.Batch{}
	for put := range puts {
		batch.Put(fmt.Appendf(nil, "%04d/%08d/%02d", committer, number, put), make([]byte, valueBytes))
	}
	return batch
}

// commitFigures are the times of commits, and the time that they took together.
type commitFigures struct {
	took    []time.Duration // ascending
	elapsed time.Duration
}

func (f commitFigures) print(of, what string, committers int) {
	fmt.Printf("%-34s %-26s %10d %11.0f %11.3f %11.3f\n", of, what, committers, float64(len(f.took))/f.elapsed.Seconds(),
		milliseconds(f.took[len(f.took)/2]), milliseconds(f.took[len(f.took)*99/100]))
}

// atOnce lets committers commit again and again for a time. open gives each of them its commit and what ends it.
func atOnce(count int, duration time.Duration, open func(committer int) (commit func() error, end func(), err error)) (commitFigures, error) {
	commits := make([]func() error, count)
	for committer := range count {
		commit, end, err := open(committer)
		if err != nil {
			return commitFigures{}, err
		}
		defer end()
		commits[committer] = commit
	}
	took, failures := make([][]time.Duration, count), make([]error, count)
	var working sync.WaitGroup
	start := time.Now()
	for committer, commit := range commits {
		working.Go(func() {
			for time.Since(start) < duration || len(took[committer]) == 0 {
				before := time.Now()
				if failures[committer] = commit(); failures[committer] != nil {
					return
				}
				took[committer] = append(took[committer], time.Since(before))
			}
		})
	}
	working.Wait()
	figures := commitFigures{took: slices.Concat(took...), elapsed: time.Since(start)}
	slices.Sort(figures.took)
	for _, failure := range failures {
		if failure != nil {
			return figures, failure
		}
	}
	return figures, nil
}
