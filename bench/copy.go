package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"moraine/bench/conversation"
)

const (
	filesPerCommit = 100_000
	copyRuns       = 5
)

// copied are the statements that are timed: as DuckDB sends them, of the whole table and of some of its rows.
var copied = []struct{ name, text string }{
	{"all rows, all columns", `COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "file_order", "path", "path_is_relative", "file_format", "record_count", "file_size_bytes", "footer_size", "row_id_start", "partition_id", "encryption_key", "mapping_id", "partial_max" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary");`},
	{"all rows, two columns", `COPY (SELECT "data_file_id", "record_count" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary");`},
	{"one snapshot's rows", `COPY (SELECT "data_file_id", "path" FROM "public"."ducklake_data_file" WHERE "begin_snapshot" = '3') TO STDOUT (FORMAT "binary");`},
}

// runCopy times binary COPY out of a catalog with many data files.
func runCopy(ctx context.Context, servers []server, options options) error {
	exchanges, err := readConversation(options.conversation)
	if err != nil {
		return err
	}
	databases := make([]string, 0, len(servers))
	return withDatabases(ctx, servers, "copy", databases, func(databases []string) error {
		for i, s := range servers {
			start := time.Now()
			if err := loadFiles(ctx, s, databases[i], exchanges, options.files); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			fmt.Printf("%s took %.1f s to load %d data files\n", s.name, time.Since(start).Seconds(), options.files)
		}
		return timeCopies(ctx, servers, databases)
	})
}

// withDatabases runs do with one new database on each server.
func withDatabases(ctx context.Context, servers []server, name string, databases []string, do func([]string) error) error {
	if len(databases) == len(servers) {
		return do(databases)
	}
	return servers[len(databases)].withDatabase(ctx, name, func(database string) error {
		return withDatabases(ctx, servers, name, append(databases, database), do)
	})
}

// loadFiles makes a lake with one table by the first operations of the conversation and adds data files to it, as other
// writers would: with COPY and a snapshot for each part.
func loadFiles(ctx context.Context, s server, database string, exchanges []conversation.Exchange, files int) error {
	const operations = 2 // the first attach, the first table
	for i, e := range exchanges {
		if e.Run > operations {
			exchanges = exchanges[:i]
			break
		}
	}
	if _, err := replay(ctx, s, database, exchanges); err != nil {
		return err
	}
	connection, err := pgconn.Connect(ctx, s.connection+" dbname="+database)
	if err != nil {
		return err
	}
	defer connection.Close(ctx)
	for first, snapshot := 0, operations; first < files; first, snapshot = first+filesPerCommit, snapshot+1 {
		if err := commitFiles(ctx, connection, snapshot, first, min(first+filesPerCommit, files)); err != nil {
			return err
		}
	}
	return nil
}

func commitFiles(ctx context.Context, connection *pgconn.PgConn, snapshot, first, last int) error {
	begin := fmt.Sprintf("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ;"+
		" INSERT INTO ducklake_snapshot VALUES (%d, NOW(), 1, 2, %d);"+
		" INSERT INTO ducklake_snapshot_changes VALUES (%d, 'inserted_into_table:1', NULL, NULL, NULL)", snapshot, last, snapshot)
	if _, err := connection.Exec(ctx, begin).ReadAll(); err != nil {
		return err
	}
	const statement = "COPY ducklake_data_file(data_file_id, table_id, begin_snapshot, path, path_is_relative, file_format," +
		" record_count, file_size_bytes, footer_size, row_id_start) FROM STDIN"
	if _, err := connection.CopyFrom(ctx, fileRows(snapshot, first, last), statement); err != nil {
		return err
	}
	_, err := connection.Exec(ctx, "COMMIT").ReadAll()
	return err
}

// fileRows gives rows of ducklake_data_file in COPY's text format.
func fileRows(snapshot, first, last int) io.Reader {
	var text strings.Builder
	for file := first; file < last; file++ {
		fmt.Fprintf(&text, "%d\t1\t%d\tducklake-%08x-0000-7000-8000-%012x.parquet\tt\tparquet\t100\t4000\t400\t%d\n",
			file, snapshot, file*7919, file, file*100)
	}
	return strings.NewReader(text.String())
}

func timeCopies(ctx context.Context, servers []server, databases []string) error {
	clients := make([]*client, len(servers))
	for i, s := range servers {
		c, err := dial(ctx, s, databases[i])
		if err != nil {
			return err
		}
		defer c.close()
		clients[i] = c
	}
	fmt.Printf("\n%-6s %11s %11s %7s  %s\n", "runs", servers[0].name, servers[1].name, "faster", "binary COPY of data files (median ms)")
	for _, statement := range copied {
		took := make([][]time.Duration, len(servers))
		for range copyRuns {
			var tags [2][]string
			for i, c := range clients {
				got, err := c.exchange(conversation.Exchange{Message: conversation.Query, Text: statement.text}, false)
				if err != nil {
					return fmt.Errorf("%s: %w", servers[i].name, err)
				}
				took[i], tags[i] = append(took[i], got.took), got.tags
			}
			if fmt.Sprint(tags[0]) != fmt.Sprint(tags[1]) {
				return fmt.Errorf("%s: one server answers %v, the other %v", statement.name, tags[0], tags[1])
			}
		}
		printComparison(comparison{statement.name, copyRuns, median(took[0]), median(took[1])}, statement.name)
	}
	fmt.Println()
	return nil
}
