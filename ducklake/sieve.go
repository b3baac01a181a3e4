package ducklake

import (
	"moraine/keyspace"
	"moraine/relation"
)

// sieve is a predicate on a plain number of a record, by which a scan passes over records without decoding them.
type sieve struct {
	field     int // of the message
	predicate relation.Predicate
}

// sieves gives the predicates of a request that can be checked so. A NULL, which a message has as 0 and an extension, passes
// when 0 does: the caller checks again.
func (b *recordBase) sieves(predicates []relation.Predicate) []sieve {
	if b.table.embedded() {
		return nil
	}
	var found []sieve
	for _, predicate := range predicates {
		at := b.layout.fields[predicate.Column]
		if at < 0 || predicate.Comparison == relation.IsNull || predicate.Comparison == relation.IsNotNull ||
			b.layout.columns[predicate.Column].Type.OID != relation.Int8OID {
			continue
		}
		if field := b.table.codec.plain(at); field > 0 {
			found = append(found, sieve{field: field, predicate: predicate})
		}
	}
	return found
}

// passes tells whether a record may have a row that is wanted.
func (c *recordCursor) passes(value []byte) bool {
	for i := range c.sieves {
		number, ok := keyspace.PeekUint64(value, c.sieves[i].field)
		if ok && !c.sieves[i].predicate.Holds(relation.Int8OID, relation.Int(int64(number))) {
			return false
		}
	}
	return true
}
