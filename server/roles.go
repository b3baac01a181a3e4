package server

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"moraine/lake"
	"moraine/pgwire"
	"moraine/role"
	"moraine/store"
	"moraine/transfer"
)

// rolesPath is where an engine keeps the roles of the server.
var rolesPath = store.Path{Database: lake.ServerDatabase, Schema: "roles"}

// openRoles opens the roles of an engine, whose place is made when it is missing.
func openRoles(ctx context.Context, engine store.Engine) (*role.Registry, error) {
	for _, path := range []store.Path{{Database: rolesPath.Database}, rolesPath} {
		if err := engine.Create(ctx, path); err != nil && !errors.Is(err, store.ErrExists) {
			return nil, err
		}
	}
	opened, err := engine.Open(ctx, rolesPath)
	if err != nil {
		return nil, err
	}
	if err := transfer.CheckStore(ctx, opened); err != nil {
		return nil, errors.Join(fmt.Errorf("the roles of the server: %w", err), opened.Close())
	}
	roles, err := role.Open(ctx, opened)
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	roles.ReopenWith(func(ctx context.Context) (store.Store, error) { return engine.Open(ctx, rolesPath) })
	return roles, nil
}

// account gives how a role proves who it is; false for a name without a password. A password that has expired is one that
// nobody knows.
func account(roles *role.Registry, user string) (pgwire.Verifier, bool) {
	made := roles.Current().Role(user)
	if made == nil || made.Verifier == "" {
		return pgwire.Verifier{}, false
	}
	verifier, err := pgwire.ParseVerifier(made.Verifier)
	if err != nil || !made.ValidUntil.IsZero() && time.Now().After(made.ValidUntil) {
		if verifier, err = pgwire.NewVerifier(rand.Text()); err != nil {
			panic(err) // no random text is refused
		}
	}
	return verifier, true
}

// passwordVerifier gives what is kept of a password. One that is a verifier already is taken as it is, as PostgreSQL does.
func passwordVerifier(password string) (string, error) {
	if strings.HasPrefix(password, "SCRAM-SHA-256$") {
		if verifier, err := pgwire.ParseVerifier(password); err == nil {
			return verifier.String(), nil
		}
	}
	verifier, err := pgwire.NewVerifier(password)
	return verifier.String(), err
}
