package role

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"moraine/pgerror"
	"moraine/store"
)

// Tags of the records: the first byte of a key. A value is the record in JSON.
const (
	roleTag       = 'r' // name
	membershipTag = 'm' // role 0x00 member
	objectTag     = 'o' // database 0x00 schema 0x00 name, each empty where the kind has none
	defaultTag    = 'd' // database 0x00 schema 0x00 creator
)

// Registry is the roles of a server: the newest state, and the store that keeps it. It is safe for concurrent use.
type Registry struct {
	current atomic.Pointer[State]

	mutex  sync.Mutex
	store  store.Store                                // nil for one in memory only
	reopen func(context.Context) (store.Store, error) // nil where the store needs no second opening
	failed bool                                       // the store must be opened again
}

// New makes a registry without roles that keeps nothing beyond its life.
func New() *Registry {
	r := &Registry{}
	r.current.Store(newState())
	return r
}

// Open reads the roles of a store, which belongs to the registry afterwards.
func Open(ctx context.Context, opened store.Store) (*Registry, error) {
	r := &Registry{store: opened}
	snapshot, err := opened.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snapshot.Close()
	if err := r.Load(ctx, snapshot); err != nil {
		return nil, err
	}
	return r, nil
}

// ReopenWith gives the way to open the store again when nobody knows whether a change is durable (store.ErrReopen). It is
// called before the first change.
func (r *Registry) ReopenWith(reopen func(context.Context) (store.Store, error)) { r.reopen = reopen }

// recover opens a failed store again, and takes over what is durable. The mutex is held.
func (r *Registry) recover(ctx context.Context) error {
	if !r.failed || r.reopen == nil {
		return nil
	}
	if r.store != nil {
		_ = r.store.Close() // it has failed already
		r.store = nil
	}
	opened, err := r.reopen(ctx)
	if err != nil {
		return err
	}
	r.store = opened
	snapshot, err := opened.Snapshot()
	if err != nil {
		return err
	}
	defer snapshot.Close()
	if err := r.Load(ctx, snapshot); err != nil {
		return err
	}
	r.failed = false
	return nil
}

// Load takes over the roles of a state that another server has stored. After an error those before stay.
func (r *Registry) Load(ctx context.Context, reader store.Reader) error {
	state := newState()
	records, err := reader.Scan(ctx, nil, nil)
	if err != nil {
		return err
	}
	defer records.Close()
	for records.Next() {
		if err := state.read(records.Key(), records.Value()); err != nil {
			return fmt.Errorf("%w: the record %q of roles: %w", store.ErrCorrupt, records.Key(), err)
		}
	}
	if err := records.Err(); err != nil {
		return err
	}
	r.current.Store(state)
	return nil
}

// Close gives up the store.
func (r *Registry) Close() error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.store == nil {
		return nil
	}
	return r.store.Close()
}

// Current gives the newest state.
func (r *Registry) Current() *State { return r.current.Load() }

// Commit applies changes to the newest state and makes it durable, after meanwhile has succeeded, which commits what
// belongs to the changes elsewhere. When that fails, or a change does, nothing has changed.
func (r *Registry) Commit(ctx context.Context, changes []Change, meanwhile func() error) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if err := r.recover(ctx); err != nil {
		return pgerror.New(pgerror.IOError, "roles and privileges cannot be changed: their store failed").WithDetail("%v", err).WithCause(err)
	}
	before := r.current.Load()
	after, err := before.Apply(changes)
	if err != nil {
		return err
	}
	batch, err := after.difference(before)
	if err != nil {
		return err
	}
	if err := meanwhile(); err != nil {
		return err
	}
	if err := r.save(context.WithoutCancel(ctx), batch); err != nil {
		return err
	}
	r.current.Store(after)
	return nil
}

// save makes a batch durable. After an uncertain outcome the state is the one that is durable, as soon as it can be read. The
// mutex is held.
func (r *Registry) save(ctx context.Context, batch *store.Batch) error {
	if r.store == nil {
		return nil
	}
	err := r.store.Commit(ctx, batch)
	var known *pgerror.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return known
	case errors.Is(err, store.ErrReopen):
		r.failed = true
		_ = r.recover(ctx) // or else the next change tries it
		return pgerror.New(pgerror.TransactionResolutionUnknown, "the store failed while roles and privileges were saved: they may be durable or not").
			WithDetail("Other changes of the transaction were committed.").
			WithHint("Look whether the roles are as they should be before you repeat it.").WithCause(err)
	}
	return pgerror.New(pgerror.IOError, "roles and privileges could not be saved").
		WithDetail("Other changes of the transaction were committed.").WithCause(err)
}

// read adds a record to a state.
func (s *State) read(key, value []byte) (err error) {
	if len(key) == 0 {
		return fmt.Errorf("no tag")
	}
	switch key[0] {
	case roleTag:
		record := &Role{}
		err = json.Unmarshal(value, record)
		s.roles[record.Name] = record
	case membershipTag:
		record := &Membership{}
		err = json.Unmarshal(value, record)
		s.memberships[membershipKey{record.Role, record.Member}] = record
	case objectTag:
		record := &access{}
		err = json.Unmarshal(value, record)
		s.objects[record.Object] = record
	case defaultTag:
		record := &defaults{}
		err = json.Unmarshal(value, record)
		s.defaults[record.Key] = record
	default:
		err = fmt.Errorf("unknown tag")
	}
	return err
}

// difference gives the batch that leads from one state to another.
func (s *State) difference(before *State) (*store.Batch, error) {
	batch := &store.Batch{}
	return batch, errors.Join(
		addDifference(batch, before.roles, s.roles, func(name string) []byte { return recordKey(roleTag, name) }),
		addDifference(batch, before.memberships, s.memberships, func(key membershipKey) []byte {
			return recordKey(membershipTag, key.role, key.member)
		}),
		addDifference(batch, before.objects, s.objects, func(object Object) []byte {
			return recordKey(objectTag, object.Database, object.Schema, object.Name)
		}),
		addDifference(batch, before.defaults, s.defaults, func(key DefaultKey) []byte {
			return recordKey(defaultTag, key.Database, key.Schema, key.Creator)
		}))
}

// recordKey makes a key. Names of PostgreSQL have no zero bytes.
func recordKey(tag byte, names ...string) []byte {
	return append([]byte{tag}, strings.Join(names, "\x00")...)
}

// addDifference adds the records that differ. Records are immutable, so the same pointer is the same record.
func addDifference[K comparable, V any](batch *store.Batch, before, after map[K]*V, key func(K) []byte) error {
	for name, record := range after {
		if before[name] == record {
			continue
		}
		value, err := json.Marshal(record)
		if err != nil {
			return err
		}
		batch.Put(key(name), value)
	}
	for name := range before {
		if _, kept := after[name]; !kept {
			batch.Delete(key(name))
		}
	}
	return nil
}
