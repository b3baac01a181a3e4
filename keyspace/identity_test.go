package keyspace

import (
	"errors"
	"math/rand/v2"
	"testing"
)

// TestOnlyTheValueOfAKeyPasses stores values of every kind under their keys, and the golden records under each other's.
func TestOnlyTheValueOfAKeyPasses(t *testing.T) {
	records := readDump(t)
	for _, record := range records {
		if err := CheckIdentity(record.keyBytes, record.message); err != nil {
			t.Errorf("%s: %v", record.key, err)
		}
	}
	for _, record := range records {
		for _, other := range records {
			if other.key == record.key || other.key.Kind() != record.key.Kind() || identityIn(record.message).count == 0 {
				continue
			}
			if err := CheckIdentity(other.keyBytes, record.message); !errors.Is(err, ErrCorrupt) {
				t.Errorf("the value of %s under %s: %v", record.key, other.key, err)
			}
		}
	}
}

func TestVersionsEndWhereTheirKeysSay(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	for _, kind := range Kinds() {
		current, found := kind.Current()
		if !found || kind != current {
			continue
		}
		if _, versioned := LifetimeOf(NewMessage(kind)); !versioned {
			continue
		}
		live := NewMessage(kind)
		entity, _ := (Key{kind: kind}).Entity()
		if err := CheckIdentity(entity.Current().Bytes(), live); err != nil {
			t.Errorf("a live version of %s: %v", kind, err)
		}
		if err := CheckIdentity(entity.History(5).Bytes(), live); !errors.Is(err, ErrCorrupt) {
			t.Errorf("a live version of %s in the history: %v", kind, err)
		}
		for range randomCases {
			m := randomMessage(random, kind)
			of, _ := LifetimeOf(m)
			if of.End.Set && !errors.Is(CheckIdentity(entity.Current().Bytes(), m), ErrCorrupt) {
				t.Errorf("an ended version of %s is taken as live: %+v", kind, m)
			}
		}
	}
}
