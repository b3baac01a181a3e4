package migrate

import (
	"moraine/keyspace"
	"moraine/store"
)

// unit is one migration: it gives each current record of some kinds an entry in a directory.
type unit struct {
	name string
	from []uint64
	to   uint64
	// first and last are the kinds of the records, which lie side by side; directory is the kind of their entries.
	first, last, directory keyspace.Kind
}

// units are all migrations, ascending by format.
var units = []*unit{
	{
		name: "directory of names", from: []uint64{9, 10}, to: keyspace.FormatWithNames,
		first: keyspace.KindCurrentSchema, last: keyspace.KindCurrentTable, directory: keyspace.KindName,
	},
	{
		name: "directory of delete targets", from: []uint64{keyspace.FormatWithNames}, to: keyspace.FormatWithDeleteTargets,
		first: keyspace.KindCurrentDeleteFile, last: keyspace.KindCurrentDeleteFile, directory: keyspace.KindDeleteTarget,
	},
}

// unitFrom gives the unit that raises a format; nil when there is none.
func unitFrom(format uint64) *unit {
	for _, unit := range units {
		for _, from := range unit.from {
			if from == format {
				return unit
			}
		}
	}
	return nil
}

// bounds give the range of the keys that the unit reads, behind a cursor.
func (u *unit) bounds(cursor []byte) (lower, upper []byte) {
	lower, upper = keyspace.Prefix(u.first), store.PrefixEnd(keyspace.Prefix(u.last))
	if len(cursor) > 0 {
		lower = append(append([]byte(nil), cursor...), 0)
	}
	return lower, upper
}

// reads tells whether a key is one of those that the unit reads.
func (u *unit) reads(key keyspace.Key) bool { return key.Kind() >= u.first && key.Kind() <= u.last }
