package overlay

import (
	"context"
	"math/rand/v2"

	"github.com/cespare/xxhash/v2"

	"moraine/relation"
)

// localIdentities is where the identities begin that mean nothing outside of their transaction: those of rows that it has
// inserted, and of a stored row whose own identity another row has. They are the blocks from 2^31, so no stored row is
// ever named by one.
const localIdentities = relation.IdentityLimit / 2

// Numbered is a Base that can tell a number for each key, below 2^45 and unlike that of any other key. The identities of
// its rows are these numbers.
type Numbered interface {
	Number(key string) (number uint64, ok bool)
}

// identities names the rows of a table in a transaction. A stored row is named by its key alone, by its number or else a
// hash, so that another transaction knows it by the same identity. Should two keys have one hash, the first one met is
// named by it, the other by a local identity.
type identities struct {
	numbered  Numbered // nil when the base has no numbers
	stored    map[relation.RowIdentity]string
	displaced map[string]relation.RowIdentity

	// first is the first local identity. It is different each time, so that one kept from another transaction names no row.
	first relation.RowIdentity
	local []location
}

// location is where the row of an identity lies: a base row by key, or an inserted one by index.
type location struct {
	key      string
	inserted int // -1 for a base row
}

func newIdentities(base Base) identities {
	numbered, _ := base.(Numbered)
	return identities{numbered: numbered, stored: map[relation.RowIdentity]string{}}
}

// ofStored gives the identity that a key has by itself.
func (i *identities) ofStored(key string) relation.RowIdentity {
	if i.numbered != nil {
		if number, ok := i.numbered.Number(key); ok && number < localIdentities {
			return relation.RowIdentity(number)
		}
	}
	return relation.RowIdentity(xxhash.Sum64String(key) % localIdentities)
}

// ofKey gives the identity of a base row, which is known from then on.
func (i *identities) ofKey(key string) relation.RowIdentity {
	identity := i.ofStored(key)
	switch known, taken := i.stored[identity]; {
	case !taken:
		i.stored[identity] = key
		return identity
	case known == key:
		return identity
	}
	identity, known := i.displaced[key]
	if !known {
		if i.displaced == nil {
			i.displaced = map[string]relation.RowIdentity{}
		}
		identity = i.addLocal(location{key: key, inserted: -1})
		i.displaced[key] = identity
	}
	return identity
}

func (i *identities) addLocal(of location) relation.RowIdentity {
	if len(i.local) == 0 {
		i.first = localIdentities + relation.RowIdentity(rand.Uint64N(localIdentities/2))
	}
	i.local = append(i.local, of)
	return i.first + relation.RowIdentity(len(i.local)-1)
}

// locate says where the row of a known identity lies.
func (i *identities) locate(identity relation.RowIdentity) (location, bool) {
	if identity < localIdentities {
		key, known := i.stored[identity]
		return location{key: key, inserted: -1}, known
	}
	if identity < i.first || uint64(identity-i.first) >= uint64(len(i.local)) {
		return location{}, false
	}
	return i.local[identity-i.first], true
}

// meet looks for the stored rows of identities that this transaction has not given out: another one has. It reads the
// keys of the whole base, but only when there is such an identity. One that two rows could have names neither, as the
// wrong row would be worse than none.
func (t *Table) meet(ctx context.Context, wanted []relation.RowIdentity) error {
	unknown := map[relation.RowIdentity]string{}
	for _, identity := range wanted {
		if _, known := t.stored[identity]; !known && identity < localIdentities {
			unknown[identity] = ""
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	cursor, err := t.base.Scan(ctx, relation.ScanRequest{}, true)
	if err != nil {
		return err
	}
	defer cursor.Close()
	ambiguous := map[relation.RowIdentity]bool{}
	for {
		batch, err := cursor.Next(ctx)
		if err != nil {
			return err
		}
		if batch == nil {
			break
		}
		for _, key := range batch.Keys {
			identity := t.ofStored(key)
			if before, is := unknown[identity]; is {
				ambiguous[identity] = before != ""
				unknown[identity] = key
			}
		}
	}
	for identity, key := range unknown {
		if key != "" && !ambiguous[identity] {
			t.stored[identity] = key
		}
	}
	return nil
}
