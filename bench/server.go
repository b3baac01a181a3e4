package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// server is one of the two that are measured.
type server struct {
	name       string
	connection string // libpq keywords without dbname
	process    string // id of its process on this machine; "" when it is not known
}

// setting gives one keyword of the connection.
func (s server) setting(keyword string) string {
	for _, pair := range strings.Fields(s.connection) {
		if value, ok := strings.CutPrefix(pair, keyword+"="); ok {
			return value
		}
	}
	return ""
}

// withDatabase runs do with a new database and drops it.
func (s server) withDatabase(ctx context.Context, name string, do func(database string) error) error {
	name = strings.ToLower(fmt.Sprintf("bench_%s_%s_%d", s.name, name, os.Getpid()))
	administration, err := pgconn.Connect(ctx, s.connection+" dbname=moraine")
	if err != nil {
		return err
	}
	defer administration.Close(ctx)
	if _, err := administration.Exec(ctx, "CREATE DATABASE "+name).ReadAll(); err != nil {
		return err
	}
	failure := do(name)
	if _, err := administration.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)").ReadAll(); err != nil && failure == nil {
		return err
	}
	return failure
}
