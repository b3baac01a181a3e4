package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"moraine/check"
	"moraine/store"
)

// Statements by which a running server is asked for its lakes, and for the findings in one of them.
const (
	lakesStatement = "SELECT pg_catalog.current_database(), nspname FROM pg_catalog.pg_namespace " +
		"WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' ORDER BY nspname"
	checkStatement = "SELECT rule, severity, remedy, catalog_table, ids, found FROM %s.moraine_check()"
)

// checkServer checks the lakes of one database of a running server.
func (s *checkSettings) checkServer(ctx context.Context, report *checkReport) error {
	connection, err := pgconn.Connect(ctx, s.connect)
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close(ctx) }() // nothing is lost with it
	lakes, err := queryText(ctx, connection, lakesStatement)
	if err != nil {
		return err
	}
	for _, lake := range lakes {
		path := store.Path{Database: lake[0], Schema: lake[1]}
		if !s.selects(path) {
			continue
		}
		rows, err := queryText(ctx, connection, fmt.Sprintf(checkStatement, quoteIdentifier(path.Schema)))
		if err != nil {
			return fmt.Errorf("%s.%s: %w", path.Database, path.Schema, err)
		}
		var findings []check.Finding
		for _, row := range rows {
			rule := &check.Rule{Name: row[0], Severity: check.Severity(row[1]), Remedy: row[2]}
			findings = append(findings, check.Finding{Rule: rule, Table: row[3], IDs: row[4], Found: row[5]})
		}
		report.lake(path, findings)
	}
	return nil
}

// queryText runs a statement and gives its rows as text, NULL as "".
func queryText(ctx context.Context, connection *pgconn.PgConn, statement string) ([][]string, error) {
	result := connection.ExecParams(ctx, statement, nil, nil, nil, nil).Read()
	if result.Err != nil {
		return nil, result.Err
	}
	rows := make([][]string, len(result.Rows))
	for i, row := range result.Rows {
		for _, value := range row {
			rows[i] = append(rows[i], string(value))
		}
	}
	return rows, nil
}

func quoteIdentifier(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
