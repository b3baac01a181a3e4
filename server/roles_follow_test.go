package server

import (
	"context"
	"errors"
	"testing"
	"time"

	"moraine/role"
	"moraine/store"
	"moraine/store/memory"
)

// TestRolesAreFollowed lets a reader start before its writer has made the place of the roles.
func TestRolesAreFollowed(t *testing.T) {
	ctx, engine := context.Background(), memory.New()
	followed, err := followRoles(ctx, engine.Reader(), time.Hour, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	defer followed.close()
	known := func(name string) bool { return followed.registry.Current().Role(name) != nil }
	written, err := openRoles(ctx, engine)
	if err != nil {
		t.Fatal(err)
	}
	defer written.Close()
	for _, name := range []string{"ada", "eve"} {
		made := func(d *role.Draft) error { return d.CreateRole(role.Role{Name: name}) }
		if err := written.Commit(ctx, []role.Change{made}, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		if known(name) {
			t.Errorf("%s is known before the reader has looked", name)
		}
		followed.look(ctx)
		if !known(name) {
			t.Errorf("%s is not known after the reader has looked", name)
		}
	}
	if err := engine.Drop(ctx, rolesPath); err != nil {
		t.Fatal(err)
	}
	followed.look(ctx)
	followed.look(ctx)
	if !known("ada") || !known("eve") {
		t.Error("roles vanish with their store: everybody would be the owner")
	}
}

type brokenEngine struct{ store.Engine }

func (brokenEngine) Open(context.Context, store.Path) (store.Store, error) {
	return nil, store.ErrUnavailable
}

func TestAReaderThatCannotReadTheRolesDoesNotStart(t *testing.T) {
	engine := brokenEngine{memory.New().Reader()}
	if _, err := followRoles(context.Background(), engine, time.Hour, t.Logf); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}
