package ducklake

import (
	"cmp"
	"slices"

	"moraine/keyspace"
)

// orderedRecords is how many records a scan of a whole table brings into the order of insertion. PostgreSQL gives the rows
// of a small table in that order, and some clients rely on it; larger ones come in the order of the keys.
const orderedRecords = 1024

// gatheredRecord is a record that waits for its turn. Its bytes lie in the cursor's arena.
type gatheredRecord struct {
	ids   [maxComponents]uint64
	key   []byte
	value []byte
	// place is what the records are ordered by: the id, or the snapshot that last wrote the row; ended is behind it.
	place uint64
	ended bool
}

// orderByInsertion makes a scan of a whole table give its first records in the order of insertion: by the id that comes
// from a counter of the catalog, where that is not the first one of the keys, or else by the snapshot that wrote the row.
func (c *recordCursor) orderByInsertion() {
	ranges, family := c.plan.ranges, c.base.table.family
	if (family.counted || family.begun != nil) && len(ranges) == 1 && len(ranges[0].lower) == 0 && ranges[0].upper == nil {
		c.ordering, c.textual = true, true
	}
}

// gather reads the first records and puts them in order, if they are all.
func (c *recordCursor) gather() error {
	c.ordering = false
	for len(c.gathered) < orderedRecords {
		value, more, err := c.fetch()
		if err != nil {
			return err
		}
		if !more {
			slices.SortStableFunc(c.gathered, compareGathered)
			return nil
		}
		if value == nil {
			continue
		}
		record := gatheredRecord{ids: c.scratchID, key: c.strings.copy(c.key), value: value, place: c.scratchID[1]}
		if !c.base.table.family.counted {
			if err := c.placeByWrite(&record); err != nil {
				return err
			}
		}
		c.gathered = append(c.gathered, record)
	}
	return nil
}

func compareGathered(a, b gatheredRecord) int {
	switch {
	case a.place != b.place:
		return cmp.Compare(a.place, b.place)
	case a.ended == b.ended:
		return 0
	case a.ended:
		return -1
	}
	return 1
}

// placeByWrite orders a version by the snapshot that ended it, or else began it: PostgreSQL moves a row that is updated
// behind the others, and DuckLake ends versions before it inserts new ones.
func (c *recordCursor) placeByWrite(record *gatheredRecord) error {
	if _, version := c.base.table.entityOfKey(aliased(record.key)); version.ended {
		record.place, record.ended = version.end, true
		return nil
	}
	if err := keyspace.DecodeMessageAliased(record.value, c.record.message); err != nil {
		return c.base.corrupt(record.key, err)
	}
	record.place = c.base.table.family.begun(c.record.message)
	return nil
}

// takeGathered takes the rows of the next gathered record.
func (c *recordCursor) takeGathered() error {
	record := &c.gathered[0]
	c.gathered = c.gathered[1:]
	c.scratchID, c.key = record.ids, append(c.key[:0], record.key...)
	return c.take(record.value)
}
