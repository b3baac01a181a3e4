package check

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"moraine/keyspace"
	"moraine/store"
)

// idSize is the width of an id in a key.
const idSize = 8

// cancelInterval is how many records are read between two looks at the context.
const cancelInterval = 4096

// source reads the records of one kind in key order. It stands on a record whose key decodes, or is done.
type source struct {
	checker  *checker
	kind     keyspace.Kind
	prefix   []byte
	iterator store.Iterator
	key      keyspace.Key
	message  keyspace.Message // of the record, once read has given true; its strings are valid until advance
	done     bool
}

// open starts to read a kind.
func (c *checker) open(ctx context.Context, kind keyspace.Kind) (*source, error) {
	prefix := keyspace.Prefix(kind)
	iterator, err := c.reader.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return nil, err
	}
	s := &source{checker: c, kind: kind, prefix: prefix, iterator: iterator, message: keyspace.NewMessage(kind)}
	c.sources = append(c.sources, s)
	return s, s.advance(ctx)
}

// advance moves to the next record whose key decodes; those that do not are reported.
func (s *source) advance(ctx context.Context) error {
	for s.iterator.Next() {
		if err := s.checker.count(ctx); err != nil {
			return err
		}
		key, err := keyspace.DecodeKey(s.iterator.Key())
		if err == nil {
			s.key = key
			return nil
		}
		s.checker.undecodable(s.iterator.Key(), err)
	}
	s.done = true
	return s.iterator.Err()
}

// read decodes the value. It gives false, and reports, when the value does not decode or is that of another key.
func (s *source) read() bool {
	if err := keyspace.DecodeMessageAliased(s.iterator.Value(), s.message); err != nil {
		s.checker.undecodable(s.iterator.Key(), err)
		return false
	}
	if different := keyspace.Difference(s.iterator.Key(), s.message); different != "" {
		s.checker.report(recordIdentity, tableOf(s.kind), s.ids(), "the value has %s", different)
		return false
	}
	return true
}

// first gives the first id of the key: the table, for most kinds.
func (s *source) first() uint64 {
	return binary.BigEndian.Uint64(s.iterator.Key()[len(s.prefix):])
}

// entity gives the ids of the entity, without the end of its version, as the key has them.
func (s *source) entity() []byte {
	ids := s.iterator.Key()[len(s.prefix):]
	if s.ended() {
		ids = ids[:len(ids)-idSize]
	}
	return ids
}

// ended tells whether the kind is one of ended versions.
func (s *source) ended() bool {
	return s.kind.Subspace() == keyspace.SubspaceHistory
}

// ids names the ids of the key.
func (s *source) ids() string { return describeIDs(s.key) }

func describeIDs(key keyspace.Key) string {
	var text []byte
	for _, component := range key.Kind().Components() {
		if len(text) > 0 {
			text = append(text, ' ')
		}
		switch component {
		case keyspace.ExactName:
			text = fmt.Appendf(text, "%s=%q", component, key.Text())
		case keyspace.CanonicalKey:
			text = fmt.Appendf(text, "%s=%x", component, key.Text())
		default:
			text = fmt.Appendf(text, "%s=%d", component, key.Component(component))
		}
	}
	return string(text)
}

// each visits the records of a source whose first id is given; those whose values do not decode have been reported.
func (s *source) each(ctx context.Context, first uint64, visit func(decoded bool)) error {
	for !s.done && s.first() == first {
		visit(s.read())
		if err := s.advance(ctx); err != nil {
			return err
		}
	}
	return nil
}

// all visits the records of a kind whose values decode.
func (c *checker) all(ctx context.Context, kind keyspace.Kind, visit func(s *source)) error {
	s, err := c.open(ctx, kind)
	if err != nil {
		return err
	}
	for !s.done {
		if s.read() {
			visit(s)
		}
		if err := s.advance(ctx); err != nil {
			return err
		}
	}
	return nil
}

// single reads a record by its key; false when there is none or it does not decode.
func (c *checker) single(ctx context.Context, key keyspace.Key, message keyspace.Message) (bool, error) {
	encoded := key.Bytes()
	value, found, err := c.reader.Get(ctx, encoded)
	if err != nil || !found {
		return false, err
	}
	if err := keyspace.DecodeMessage(value, message); err != nil {
		c.undecodable(encoded, err)
		return false, nil
	}
	return true, nil
}

// maximumShownKey bounds the bytes of a key that a finding shows.
const maximumShownKey = 256

func (c *checker) undecodable(key []byte, err error) {
	table, ids := "", fmt.Sprintf("key=%x", key[:min(len(key), maximumShownKey)])
	if decoded, failure := keyspace.DecodeKey(key); failure == nil {
		table = tableOf(decoded.Kind())
		if named := describeIDs(decoded); named != "" {
			ids += " " + named
		}
	}
	if c.damaged[string(key)] {
		return
	}
	if len(c.damaged) < maximumFindings {
		c.damaged[string(bytes.Clone(key))] = true
	}
	c.report(undecodableRecord, table, ids, "%v", err)
}
