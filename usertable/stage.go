package usertable

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"moraine/rowstore"
	"moraine/store"
)

// purgedKeys is how many keys of dropped tables one commit deletes at most.
const purgedKeys = 10_000

// Stage adds the keys of the transaction's changes to the batch.
func (t *Transaction) Stage(ctx context.Context, latest store.Reader, batch *store.Batch) error {
	purge := &purge{latest: latest, batch: batch, budget: purgedKeys}
	if err := purge.rest(ctx); err != nil {
		return err
	}
	counter := tagged(counterTag)
	next, err := readNumber(ctx, latest, counter)
	if err != nil {
		return rowstore.Corrupt(t.environment.Schema(), counter, err)
	}
	first := max(next, 1) // 0 stands for a table without a number
	next = first
	for _, name := range t.order {
		if err := t.stageName(ctx, name, latest, batch, purge, &next); err != nil {
			return err
		}
	}
	if next != first {
		batch.Put(counter, binary.BigEndian.AppendUint64(nil, next))
	}
	return nil
}

func (t *Transaction) stageName(ctx context.Context, name string, latest store.Reader, batch *store.Batch, purge *purge, next *uint64) error {
	entry := t.entries[name]
	changed, present := entry.changed(), entry.present
	if !changed && (present == nil || !present.Dirty()) {
		return nil
	}
	if err := t.checkDefinition(ctx, name, entry, latest); err != nil {
		return err
	}
	if entry.stored != nil && !t.keeps(entry.stored.number) {
		if err := purge.table(ctx, entry.stored.number); err != nil {
			return err
		}
	}
	if present == nil {
		batch.Delete(definitionKey(name))
		return nil
	}
	stored := present.stored
	if stored.number == 0 {
		stored = stored.withNumber(*next)
		*next++
	}
	if changed {
		encoded, err := stored.encode()
		if err != nil {
			return err
		}
		batch.Put(definitionKey(name), encoded)
		if err := present.checkUnchanged(ctx, latest); err != nil {
			return err
		}
	}
	for _, constraint := range present.constraints {
		constraint.stage(stored.number, batch)
	}
	return stored.rows.Stage(ctx, latest, present.Inserted(), present.Changes(), batch)
}

// keeps tells whether a stored table is there in the end, under its name or another.
func (t *Transaction) keeps(number uint64) bool {
	for _, entry := range t.entries {
		if entry.present != nil && entry.present.stored.number == number {
			return true
		}
	}
	return false
}

// checkDefinition makes sure that the table which was changed is still the one that the transaction has seen.
func (t *Transaction) checkDefinition(ctx context.Context, name string, entry *entry, latest store.Reader) error {
	encoded, found, err := latest.Get(ctx, definitionKey(name))
	if err != nil {
		return err
	}
	if found != (entry.stored != nil) || found && string(encoded) != entry.stored.encoded {
		return changedMeanwhile()
	}
	return nil
}

// purge deletes the keys of dropped tables, a bounded number in each commit, and notes the tables of which some are left.
type purge struct {
	latest store.Reader
	batch  *store.Batch
	budget int
}

// rest goes on with the tables that earlier commits have dropped.
func (p *purge) rest(ctx context.Context) error {
	prefix := tagged(garbageTag)
	iterator, err := p.latest.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	defer iterator.Close()
	for p.budget > 0 && iterator.Next() {
		key := bytes.Clone(iterator.Key())
		if len(key) != len(prefix)+numberSize {
			return fmt.Errorf("%w: key %x of a dropped table", store.ErrCorrupt, key)
		}
		number := binary.BigEndian.Uint64(key[len(prefix):])
		done, err := p.keys(ctx, number)
		if err != nil {
			return err
		}
		if done {
			p.batch.Delete(key)
		}
	}
	return iterator.Err()
}

// table deletes the keys of a table.
func (p *purge) table(ctx context.Context, number uint64) error {
	done, err := p.keys(ctx, number)
	if err == nil && !done {
		p.batch.Put(numbered(garbageTag, number), []byte{})
	}
	return err
}

// keys deletes what the budget allows; done tells that nothing is left.
func (p *purge) keys(ctx context.Context, number uint64) (done bool, err error) {
	for _, tag := range []byte{rowsTag, uniqueTag} {
		if done, err := p.prefix(ctx, numbered(tag, number)); err != nil || !done {
			return false, err
		}
	}
	return true, nil
}

func (p *purge) prefix(ctx context.Context, prefix []byte) (done bool, err error) {
	iterator, err := p.latest.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return false, err
	}
	defer iterator.Close()
	for iterator.Next() {
		if p.budget == 0 {
			return false, nil
		}
		p.budget--
		p.batch.Delete(bytes.Clone(iterator.Key()))
	}
	return true, iterator.Err()
}

// sameKeys tells whether two states hold the same under a prefix.
func sameKeys(ctx context.Context, one, other store.Reader, prefix []byte) (bool, error) {
	left, err := one.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return false, err
	}
	defer left.Close()
	right, err := other.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return false, err
	}
	defer right.Close()
	for {
		more := left.Next()
		if more != right.Next() || more && !(bytes.Equal(left.Key(), right.Key()) && bytes.Equal(left.Value(), right.Value())) {
			return false, firstOf(left.Err(), right.Err())
		}
		if !more {
			return true, firstOf(left.Err(), right.Err())
		}
	}
}

func firstOf(one, other error) error {
	if one != nil {
		return one
	}
	return other
}
