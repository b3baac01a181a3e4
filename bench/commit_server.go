package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"

	"moraine/bench/conversation"
)

// measureServer commits rows of a plain table, and DuckLake snapshots with a data file each, through a server; of is what
// it is measured as.
func measureServer(ctx context.Context, of string, s server, options options) error {
	err := s.withDatabase(ctx, "commit_rows", func(database string) error {
		setup, err := dial(ctx, s, database)
		if err != nil {
			return err
		}
		defer setup.close()
		if _, err := setup.exchange(query("CREATE TABLE t (committer bigint, number bigint, content text)"), false); err != nil {
			return err
		}
		for _, count := range committers {
			measured, err := atOnce(count, options.duration, func(committer int) (func() error, func(), error) {
				return insertRows(ctx, s, database, committer)
			})
			if err != nil {
				return err
			}
			measured.print(of, "server: row, plain table", count)
		}
		return nil
	})
	if err != nil {
		return err
	}
	exchanges, err := readConversation(options.conversation)
	if err != nil {
		return err
	}
	return s.withDatabase(ctx, "commit_lake", func(database string) error {
		for _, name := range []string{"first attach", "create table"} {
			if _, err := replay(ctx, s, database, operation(exchanges, name)); err != nil {
				return err
			}
		}
		for _, count := range lakeCommitters {
			measured, err := atOnce(count, options.duration, func(int) (func() error, func(), error) {
				return commitSnapshots(ctx, s, database)
			})
			if err != nil {
				return err
			}
			measured.print(of, "server: DuckLake commit", count)
		}
		return nil
	})
}

func query(text string) conversation.Exchange {
	return conversation.Exchange{Message: conversation.Query, Text: text}
}

// insertRows gives a commit that inserts a row, in a connection of its own.
func insertRows(ctx context.Context, s server, database string, committer int) (func() error, func(), error) {
	c, err := dial(ctx, s, database)
	if err != nil {
		return nil, nil, err
	}
	number := 0
	return func() error {
		number++
		_, err := c.exchange(query(fmt.Sprintf("INSERT INTO t VALUES (%d, %d, 'content of the row')", committer, number)), false)
		return err
	}, c.close, nil
}

const readSnapshot = "SELECT snapshot_id, schema_version, next_catalog_id, next_file_id FROM ducklake_snapshot" +
	" WHERE snapshot_id = (SELECT max(snapshot_id) FROM ducklake_snapshot)"

// commitSnapshots gives a commit of one data file, in a connection of its own. Who comes too late tries again at once, where
// DuckDB waits, and its time is that of all its attempts.
func commitSnapshots(ctx context.Context, s server, database string) (func() error, func(), error) {
	connection, err := pgconn.Connect(ctx, s.connection+" dbname="+database)
	if err != nil {
		return nil, nil, err
	}
	end := func() { _ = connection.Close(ctx) } // nothing is left to lose
	return func() error {
		for {
			err := commitSnapshot(ctx, connection)
			var refused *pgconn.PgError
			if !errors.As(err, &refused) || refused.Code != "23505" && refused.Code != "40001" {
				return err
			}
			if _, err := connection.Exec(ctx, "ROLLBACK").ReadAll(); err != nil {
				return err
			}
		}
	}, end, nil
}

func commitSnapshot(ctx context.Context, connection *pgconn.PgConn) error {
	if _, err := connection.Exec(ctx, beginGrowth).ReadAll(); err != nil {
		return err
	}
	results, err := connection.Exec(ctx, readSnapshot).ReadAll()
	if err != nil {
		return err
	}
	if len(results) != 1 || len(results[0].Rows) != 1 {
		return errors.New("the lake has no latest snapshot")
	}
	var latest [4]int64
	for i, field := range results[0].Rows[0] {
		if latest[i], err = strconv.ParseInt(string(field), 10, 64); err != nil {
			return err
		}
	}
	snapshot, file := latest[0]+1, latest[3]
	write := fmt.Sprintf("INSERT INTO ducklake_snapshot VALUES (%d, NOW(), %d, %d, %d);", snapshot, latest[1], latest[2], file+1) +
		fmt.Sprintf("INSERT INTO ducklake_data_file VALUES (%d, 1, %d, NULL, NULL, 'ducklake-0000-7000-8000-%012x.parquet', true, 'parquet',"+
			" 100, 4000, 400, %d, NULL, NULL, NULL, NULL);", file, snapshot, file, file*100) +
		fmt.Sprintf("INSERT INTO ducklake_snapshot_changes VALUES (%d, 'inserted_into_table:1', NULL, NULL, NULL)", snapshot)
	for _, text := range []string{write, endGrowth} {
		if _, err := connection.Exec(ctx, text).ReadAll(); err != nil {
			return err
		}
	}
	return nil
}
