package check

import (
	"bytes"
	"context"

	"moraine/keyspace"
)

// versioned reads the versions of the entities of one kind: the live records and the ended ones side by side.
type versioned struct {
	checker       *checker
	current, past *source
}

// openVersioned starts to read a kind of entity, named by the kind of its live records.
func (c *checker) openVersioned(ctx context.Context, kind keyspace.Kind) (*versioned, error) {
	current, err := c.open(ctx, kind)
	if err != nil {
		return nil, err
	}
	history, _ := kind.History()
	past, err := c.open(ctx, history)
	return &versioned{checker: c, current: current, past: past}, err
}

// next gives the source with the next version: entity by entity, the ended versions first, by their end. nil at the end.
func (v *versioned) next() *source {
	switch {
	case v.past.done && v.current.done:
		return nil
	case v.past.done:
		return v.current
	case v.current.done || bytes.Compare(v.past.entity(), v.current.entity()) <= 0:
		return v.past
	}
	return v.current
}

// first gives the first id of the next version; false at the end.
func (v *versioned) first() (uint64, bool) {
	if next := v.next(); next != nil {
		return next.first(), true
	}
	return 0, false
}

// version is one version of an entity, as a visitor sees it.
type version struct {
	key      keyspace.Key
	message  keyspace.Message // valid until the visitor returns
	decoded  bool             // otherwise only the key is known, and it was reported
	live     bool
	first    bool // of its entity
	lifetime keyspace.Lifetime
}

// each visits the versions of the entities whose first id is given, and checks their lifetimes.
func (v *versioned) each(ctx context.Context, first uint64, visit func(version)) error {
	var entity []byte
	var last keyspace.Lifetime
	for {
		next := v.next()
		if next == nil || next.first() != first {
			return nil
		}
		isNew := !bytes.Equal(entity, next.entity())
		if isNew {
			entity, last = append(entity[:0], next.entity()...), keyspace.Lifetime{}
		}
		of := version{key: next.key, message: next.message, decoded: next.read(), live: !next.ended(), first: isNew}
		if of.decoded {
			of.lifetime, _ = keyspace.LifetimeOf(next.message)
			v.checker.lifetime(next, of.lifetime, last)
			last = of.lifetime
		}
		visit(of)
		if err := next.advance(ctx); err != nil {
			return err
		}
	}
}

// lifetime checks one version against the head and the version before it, whose end is not set when there is none.
func (c *checker) lifetime(s *source, of, before keyspace.Lifetime) {
	table, ids := tableOf(s.kind), s.ids
	if of.End.Set && of.End.Value <= of.Begin {
		c.report(versionInterval, table, ids(), "begins at %d and ends at %d", of.Begin, of.End.Value)
	}
	if before.End.Set && of.Begin < before.End.Value {
		c.report(overlappingVersions, table, ids(), "begins at %d, before the version from %d ends at %d", of.Begin, before.Begin, before.End.Value)
	}
	if !c.headRead {
		return
	}
	if of.Begin > c.head.SnapshotID {
		c.report(versionAboveHead, table, ids(), "begins at %d; the head is %d", of.Begin, c.head.SnapshotID)
	}
	if of.End.Set && of.End.Value > c.head.SnapshotID {
		c.report(versionAboveHead, table, ids(), "ends at %d; the head is %d", of.End.Value, c.head.SnapshotID)
	}
}

// use notes the id of an entity and checks it against its counter.
func (c *checker) use(kind keyspace.Kind, owner, id uint64, files bool) {
	used := usedID{id: id, owner: owner, kind: kind}
	counter, name := uint64(0), "next_catalog_id"
	if files {
		c.fileIDs = append(c.fileIDs, used)
		name = "next_file_id"
	} else {
		c.objectIDs = append(c.objectIDs, used)
	}
	if c.counters == nil {
		return
	}
	if counter = c.counters.NextCatalogID; files {
		counter = c.counters.NextFileID
	}
	if id >= counter {
		c.report(idBeyondCounter, tableOf(kind), used.describe(), "%s of the head snapshot is %d", name, counter)
	}
}
