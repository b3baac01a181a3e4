package role_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"moraine/pgerror"
	"moraine/role"
	"moraine/store"
	"moraine/store/memory"
)

var background = context.Background()

var path = store.Path{Database: "server", Schema: "roles"}

func newEngine(t *testing.T) store.Engine {
	t.Helper()
	engine := memory.New()
	check(t, engine.Create(background, store.Path{Database: path.Database}))
	check(t, engine.Create(background, path))
	return engine
}

func open(t *testing.T, engine store.Engine) *role.Registry {
	t.Helper()
	opened, err := engine.Open(background, path)
	check(t, err)
	registry, err := role.Open(background, opened)
	check(t, err)
	return registry
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var (
	table  = role.TableObject("d", "s", "t")
	schema = role.SchemaObject("d", "s")
)

// TestStatesSurviveAReopening makes random changes and compares what is read again with what was committed.
func TestStatesSurviveAReopening(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	engine := newEngine(t)
	registry := open(t, engine)
	for range 300 {
		// A refused change changes nothing.
		_ = registry.Commit(background, []role.Change{randomChange(random)}, func() error { return nil })
		if random.IntN(10) > 0 {
			continue
		}
		before := registry.Current()
		check(t, registry.Close())
		registry = open(t, engine)
		if !reflect.DeepEqual(before, registry.Current()) {
			t.Fatalf("state %+v was read again as %+v", before, registry.Current())
		}
	}
	if len(registry.Current().Roles()) < 6 {
		t.Errorf("too few roles are left for a test: %d", len(registry.Current().Roles()))
	}
	check(t, registry.Close())
}

func randomChange(random *rand.Rand) role.Change {
	name := func() string { return fmt.Sprintf("role %d", random.IntN(8)) }
	object := []role.Object{table, schema, role.DatabaseObject("d"), role.TableObject("d", "other", "t")}[random.IntN(4)]
	key := role.DefaultKey{Creator: name(), Database: "d", Schema: []string{"", "s"}[random.IntN(2)]}
	grant := role.Grant{
		Grantees: []string{name()}, Privileges: role.Privilege(random.IntN(1 << 11)), Option: random.IntN(2) == 0, Revoke: random.IntN(3) == 0, Cascade: true,
	}
	one, other := name(), name()
	limit := int32(random.IntN(9))
	changes := []role.Change{
		func(d *role.Draft) error {
			return d.CreateRole(role.Role{Name: one, Login: true, ValidUntil: time.UnixMicro(int64(limit)).UTC()})
		},
		func(d *role.Draft) error { return d.CreateRole(role.Role{Name: other, Inherit: true}) },
		func(d *role.Draft) error {
			return d.AlterRole(one, func(r *role.Role) { r.ConnectionLimit, r.Verifier = limit, "SCRAM-SHA-256$..." })
		},
		func(d *role.Draft) error { return d.RenameRole(one, other) },
		func(d *role.Draft) error { return d.DropRole(one) },
		func(d *role.Draft) error { return d.AddMember(role.Membership{Role: one, Member: other}) },
		func(d *role.Draft) error { return d.RemoveMember(one, other, limit > 4) },
		func(d *role.Draft) error { return d.Grant(object, grant) },
		func(d *role.Draft) error { return d.GrantDefault(key, grant) },
		func(d *role.Draft) error { return d.Created(object, one) },
		func(d *role.Draft) error { return d.SetOwner(object, one) },
		func(d *role.Draft) error { return d.Forget(object) },
		func(d *role.Draft) error { return d.Reassign(one, other, "d") },
		func(d *role.Draft) error { return d.RevokeAll(one, "d") },
	}
	return changes[random.IntN(len(changes))]
}

func TestWhatFailsChangesNothing(t *testing.T) {
	registry := open(t, newEngine(t))
	create := func(d *role.Draft) error { return d.CreateRole(role.Role{Name: "ada"}) }
	before := registry.Current()
	failure := errors.New("the lake's commit failed")
	if err := registry.Commit(background, []role.Change{create}, func() error { return failure }); !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
	asked := false
	err := registry.Commit(background, []role.Change{create, create}, func() error { asked = true; return nil })
	if !pgerror.HasCode(err, pgerror.DuplicateObject) || asked {
		t.Errorf("got %v, and the lake's commit was asked for: %v", err, asked)
	}
	if registry.Current() != before {
		t.Error("the state has changed")
	}
}

func TestADamagedRecordIsSaid(t *testing.T) {
	engine := newEngine(t)
	opened, err := engine.Open(background, path)
	check(t, err)
	batch := &store.Batch{}
	batch.Put([]byte("rada"), []byte("{"))
	check(t, opened.Commit(background, batch))
	if _, err := role.Open(background, opened); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("got %v", err)
	}
}

// uncertainStore is a store whose next commit fails so that nobody knows what has become of it.
type uncertainStore struct {
	store.Store
	fails, applies bool
}

func (s *uncertainStore) Commit(ctx context.Context, batch *store.Batch) error {
	if !s.fails {
		return s.Store.Commit(ctx, batch)
	}
	if s.applies {
		if err := s.Store.Commit(ctx, batch); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w: %w", store.ErrUnavailable, store.ErrReopen)
}

func TestUncertainChange(t *testing.T) {
	for _, test := range []struct{ applies, unreachable bool }{{false, false}, {true, false}, {true, true}} {
		t.Run(fmt.Sprintf("%+v", test), func(t *testing.T) {
			engine := newEngine(t)
			opened, err := engine.Open(background, path)
			check(t, err)
			registry, err := role.Open(background, &uncertainStore{Store: opened, fails: true, applies: test.applies})
			check(t, err)
			unreachable := test.unreachable
			registry.ReopenWith(func(ctx context.Context) (store.Store, error) {
				if unreachable {
					return nil, store.ErrUnavailable
				}
				return engine.Open(ctx, path)
			})
			create := func(name string) error {
				change := func(d *role.Draft) error { return d.CreateRole(role.Role{Name: name}) }
				return registry.Commit(background, []role.Change{change}, func() error { return nil })
			}
			if err := create("ada"); !pgerror.HasCode(err, pgerror.TransactionResolutionUnknown) {
				t.Errorf("the uncertain change gets %v", err)
			}
			if test.unreachable {
				if err := create("eve"); !pgerror.HasCode(err, pgerror.IOError) {
					t.Errorf("a change while the store cannot be opened gets %v", err)
				}
				unreachable = false
			}
			check(t, create("bob"))
			if there := registry.Current().Role("ada") != nil; there != test.applies {
				t.Errorf("the role is there: %t", there)
			}
			if registry.Current().Role("eve") != nil || registry.Current().Role("bob") == nil {
				t.Error("the changes after it are not what they should be")
			}
			check(t, registry.Close())
		})
	}
}
