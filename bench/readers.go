package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"moraine/store/engine"
)

const (
	// readerPoll is short, so that the figures are those of the refresh: with another interval half of it more passes on average.
	readerPoll = 10 * time.Millisecond
	// readerRounds is how often each figure is taken.
	readerRounds = 30
	// readerFiles is how many files a commit adds while the lake grows.
	readerFiles = 1000
)

// readerSizes are the data files of the lakes that are read.
var readerSizes = []int{1, 10_000, 100_000}

// runReaders measures a read-only server beside a writer: how long after its acknowledgement a commit is shown, what the
// refresh takes, and what a filtered query takes after an advance by the changelog and after a rescan.
func runReaders(ctx context.Context, _ []server, options options) error {
	media, closeMedia, err := newMedia()
	if err != nil {
		return err
	}
	defer closeMedia()
	fmt.Printf("%-24s %9s | %9s %9s | %9s %9s %9s %9s | %9s %9s %9s | %8s\n", "read-only server", "", "lag ms", "", "changelog", "", "", "",
		"rescan", "", "", "tail")
	fmt.Printf("%-24s %9s | %9s %9s | %9s %9s %9s %9s | %9s %9s %9s | %8s\n", "medians", "files", "median", "p90", "refresh", "advance",
		"keys", "query ms", "refresh", "advance", "query ms", "KiB")
	for _, medium := range media {
		if !engine.Remote(medium.location) {
			continue
		}
		if err := engine.Validate(medium.location); err != nil {
			fmt.Printf("%-24s %v\n", medium.name, err)
			continue
		}
		if err := measureReaders(ctx, medium, options); err != nil {
			return fmt.Errorf("%s: %w", medium.name, err)
		}
	}
	fmt.Println()
	return nil
}

func measureReaders(ctx context.Context, m medium, options options) (failure error) {
	m.use()
	writer, err := startServer(options.binary, m)
	if err != nil {
		return err
	}
	defer func() {
		if err := writer.stop(); failure == nil {
			failure = err
		}
	}()
	reader, err := startServer(options.binary, m, "--read-only", "--poll-interval", readerPoll.String())
	if err != nil {
		return err
	}
	defer func() {
		if err := reader.stop(); failure == nil {
			failure = err
		}
	}()
	exchanges, err := readConversation(options.conversation)
	if err != nil {
		return err
	}
	for _, files := range readerSizes {
		if err := writer.withDatabase(ctx, fmt.Sprint("readers_", files), func(database string) error {
			if _, err := replay(ctx, writer.server, database, operation(exchanges, "first attach")); err != nil {
				return err
			}
			return measureReader(ctx, m, writer.server, reader.server, database, files)
		}); err != nil {
			return err
		}
	}
	return nil
}

// readerFigures are what a reader took, for advances of one kind.
type readerFigures struct{ lag, refresh, advance, query []time.Duration }

func measureReader(ctx context.Context, m medium, writer, reader server, database string, files int) error {
	client, err := dial(ctx, writer, database)
	if err != nil {
		return err
	}
	defer client.close()
	lake := newGrowingLake(client, lakeSize{})
	if _, err := lake.send(lake.newTable()...); err != nil {
		return err
	}
	for lake.now.files < files {
		if _, err := lake.send(lake.newFiles(min(readerFiles, files-lake.now.files))...); err != nil {
			return err
		}
	}
	r, err := connectReader(ctx, reader, database)
	if err != nil {
		return err
	}
	defer r.close()
	var changelog, rescan readerFigures
	for range readerRounds {
		if err := r.follow(lake, "changelog", &changelog, lake.newFiles(1)); err != nil {
			return err
		}
	}
	for range readerRounds {
		lake.expired++
		statements := []string{beginGrowth, fmt.Sprintf(`DELETE FROM "public".ducklake_snapshot WHERE snapshot_id = %d`, lake.expired), endGrowth}
		// Between two rescans the image of the statistics is made again, by a query.
		if err := r.follow(lake, "rescan", &rescan, statements); err != nil {
			return err
		}
		if _, err := r.query(lake); err != nil {
			return err
		}
	}
	fmt.Printf("%-24s %9d | %9.1f %9.1f | %9s %9s %9d %9.1f | %9s %9s %9.1f | %8d\n", m.name, files,
		milliseconds(at(changelog.lag, 50)), milliseconds(at(changelog.lag, 90)), at(changelog.refresh, 50), at(changelog.advance, 50), r.keys,
		milliseconds(at(changelog.query, 50)), at(rescan.refresh, 50), at(rescan.advance, 50), milliseconds(at(rescan.query, 50)), r.tail>>10)
	return nil
}

// at gives a percentile.
func at(times []time.Duration, percent int) time.Duration {
	slices.Sort(times)
	return times[len(times)*percent/100]
}

// readerClient is a client of the reader: one connection for questions, one for the query that is timed.
type readerClient struct {
	ctx        context.Context
	connection *pgconn.PgConn
	timed      *client
	batches    int64 // of the last state that was waited for
	keys, tail int64 // of the last changelog, of the last state
}

func connectReader(ctx context.Context, reader server, database string) (*readerClient, error) {
	r := &readerClient{ctx: ctx}
	var err error
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(readerPoll) {
		if r.connection, err = pgconn.Connect(ctx, reader.connection+" dbname="+database); err == nil {
			break
		}
		if time.Now().After(deadline) {
			return nil, err
		}
	}
	if r.timed, err = dial(ctx, reader, database); err != nil {
		return nil, err
	}
	if _, err := r.replication(); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *readerClient) close() {
	r.timed.close()
	_ = r.connection.Close(r.ctx) // nothing is left to lose
}

// replication asks how far the reader is.
func (r *readerClient) replication() ([]string, error) {
	results, err := r.connection.Exec(r.ctx, "SELECT batches, advance, refresh_us, advance_us, advance_keys, tail_bytes FROM moraine_replication()").ReadAll()
	if err != nil {
		return nil, err
	}
	if len(results[0].Rows) != 1 {
		return nil, fmt.Errorf("%d lakes are followed", len(results[0].Rows))
	}
	var row []string
	for _, field := range results[0].Rows[0] {
		row = append(row, string(field))
	}
	r.batches, err = strconv.ParseInt(row[0], 10, 64)
	return row, err
}

// follow commits statements and waits for the reader to show them.
func (r *readerClient) follow(lake *growingLake, kind string, figures *readerFigures, statements []string) error {
	if _, err := r.query(lake); err != nil { // so that there is an image
		return err
	}
	before := r.batches
	if _, err := lake.send(statements...); err != nil {
		return err
	}
	acknowledged := time.Now()
	for {
		row, err := r.replication()
		if err != nil {
			return err
		}
		if r.batches == before {
			time.Sleep(100 * time.Microsecond)
			continue
		}
		figures.lag = append(figures.lag, time.Since(acknowledged))
		if row[1] != kind {
			return fmt.Errorf("the reader has advanced by %s, not by %s", row[1], kind)
		}
		figures.refresh = append(figures.refresh, microseconds(row[2]))
		figures.advance = append(figures.advance, microseconds(row[3]))
		if kind == "changelog" {
			r.keys, _ = strconv.ParseInt(row[4], 10, 64)
		}
		r.tail, _ = strconv.ParseInt(row[5], 10, 64)
		took, err := r.query(lake)
		figures.query = append(figures.query, took)
		return err
	}
}

func microseconds(text string) time.Duration {
	count, _ := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return time.Duration(count) * time.Microsecond
}

// query times the queries of a filtered SELECT.
func (r *readerClient) query(lake *growingLake) (time.Duration, error) {
	reading := growingLake{client: r.timed}
	return reading.send(lake.prunedQuery()...)
}
