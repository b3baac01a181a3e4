package server_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"moraine/pgwire"
	"moraine/server"
)

// logIn runs statements as a user. What follows "?" in the database's name are parameters.
func logIn(running *server.Server, database, user, password string, statements ...string) error {
	ctx := context.Background()
	database, parameters, _ := strings.Cut(database, "?")
	address := fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable&%s", url.UserPassword(user, password), running.Address(), database, parameters)
	connection, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer connection.Close(ctx)
	for _, statement := range statements {
		if _, err := connection.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

var someRoles = []string{
	"CREATE ROLE ada LOGIN PASSWORD 'secret'", "CREATE ROLE eve LOGIN", "CREATE ROLE staff", "CREATE ROLE root LOGIN SUPERUSER PASSWORD 'secret'",
	"CREATE ROLE old LOGIN PASSWORD 'secret' VALID UNTIL '2020-01-01'", "CREATE ROLE nobody LOGIN CONNECTION LIMIT 0",
	"CREATE ROLE listed", "ALTER ROLE listed LOGIN",
	"CREATE DATABASE closed", "REVOKE CONNECT ON DATABASE closed FROM PUBLIC", "GRANT CONNECT ON DATABASE closed TO eve",
}

func TestWhoIsLetIn(t *testing.T) {
	store := t.TempDir()
	running := start(t, server.Config{Listen: "127.0.0.1:0", Store: store})
	if err := logIn(running, "moraine", "owner", "", someRoles...); err != nil {
		t.Fatal(err)
	}
	const create = "CREATE TABLE t_%d (a int)"
	stop(t, running)
	verifier, err := pgwire.NewVerifier("file")
	if err != nil {
		t.Fatal(err)
	}
	users := map[string]pgwire.Verifier{"boss": verifier, "listed": verifier}
	tests := []struct {
		user, password, database string
		creates                  bool   // tries to make a table
		open, listed             string // parts of the errors without and with users; empty for none
	}{
		{"owner", "", "moraine", true, "", "password authentication failed"},
		{"boss", "file", "moraine", true, "", ""},
		{"ada", "secret", "moraine", false, "", ""},
		{"ada", "secret", "moraine", true, "permission denied for schema public", "permission denied for schema public"},
		{"ada", "wrong", "moraine", false, "password authentication failed", "password authentication failed"},
		{"ada", "", "moraine", false, "password authentication failed", "password authentication failed"},
		{"eve", "", "moraine", false, "", "password authentication failed"},
		{"eve", "", "closed", false, "", "password authentication failed"},
		{"ada", "secret", "closed", false, "permission denied for database", "permission denied for database"},
		{"root", "secret", "closed", true, "", ""},
		{"root", "", "moraine", true, "password authentication failed", "password authentication failed"},
		{"ada", "secret", "moraine?role=root", true, "permission denied to set role", "permission denied to set role"},
		{"ada", "secret", "moraine?role=postgres", true, "permission denied to set role", "permission denied to set role"},
		{"root", "secret", "moraine?role=ada", true, "permission denied for schema public", "permission denied for schema public"},
		{"staff", "", "moraine", false, "not permitted to log in", "password authentication failed"},
		{"old", "secret", "moraine", false, "password authentication failed", "password authentication failed"},
		{"nobody", "", "moraine", false, "too many connections for role", "password authentication failed"},
		{"listed", "file", "moraine", true, "permission denied for schema public", "permission denied for schema public"},
		{"owner", "", "pg_global", false, "does not exist", "password authentication failed"},
		{"boss", "file", "pg_global", false, "does not exist", "does not exist"},
	}
	table := 0
	for _, configured := range []map[string]pgwire.Verifier{nil, users} {
		running := start(t, server.Config{Listen: "127.0.0.1:0", Store: store, Users: configured})
		for _, test := range tests {
			want, statement := test.open, "SELECT 1"
			if configured != nil {
				want = test.listed
			}
			if test.creates {
				table++
				statement = fmt.Sprintf(create, table)
			}
			err := logIn(running, test.database, test.user, test.password, statement)
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("with %d users, %s/%s in %s: got %v, want %q", len(configured), test.user, test.password, test.database, err, want)
			}
		}
		stop(t, running)
	}
}

func TestASessionOfADroppedRoleHasNoRights(t *testing.T) {
	ctx := context.Background()
	running := start(t, server.Config{Listen: "127.0.0.1:0", Store: t.TempDir()})
	defer stop(t, running)
	owner := connect(t, running, "owner")
	exec := func(statements ...string) {
		for _, statement := range statements {
			if _, err := owner.Exec(ctx, statement); err != nil {
				t.Fatal(err)
			}
		}
	}
	exec("CREATE ROLE ada LOGIN SUPERUSER", "CREATE TABLE t (a int)")
	ada := connect(t, running, "ada")
	if _, err := ada.Exec(ctx, "SELECT * FROM t"); err != nil {
		t.Fatal(err)
	}
	exec("DROP ROLE ada")
	if _, err := ada.Exec(ctx, "SELECT * FROM t"); err == nil || !strings.Contains(err.Error(), "permission denied for table t") {
		t.Errorf("got %v", err)
	}
}
