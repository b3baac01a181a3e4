package ducklake

import (
	"slices"
)

// orderedRecords is how many records a scan of a whole table brings into the order of insertion. PostgreSQL gives the rows
// of a small table in that order, and some clients rely on it; larger ones come in the order of the keys.
const orderedRecords = 4096

// gatheredRecord is a record that waits for its turn. Its bytes lie in the cursor's arena.
type gatheredRecord struct {
	ids   [maxComponents]uint64
	key   []byte
	value []byte
}

// orderByInsertion makes a scan of a whole table give its first records in the order of insertion: by the id that comes
// from a counter of the catalog, which is not the first one in the keys of what belongs to a table.
func (c *recordCursor) orderByInsertion() {
	ranges := c.plan.ranges
	if c.base.table.family.counted && len(ranges) == 1 && len(ranges[0].lower) == 0 && ranges[0].upper == nil {
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
			slices.SortStableFunc(c.gathered, func(a, b gatheredRecord) int { return compareIDs(a.ids[1], b.ids[1]) })
			return nil
		}
		if value != nil {
			c.gathered = append(c.gathered, gatheredRecord{ids: c.scratchID, key: c.strings.copy(c.key), value: value})
		}
	}
	return nil
}

// takeGathered takes the rows of the next gathered record.
func (c *recordCursor) takeGathered() error {
	record := &c.gathered[0]
	c.gathered = c.gathered[1:]
	c.scratchID, c.key = record.ids, append(c.key[:0], record.key...)
	return c.take(record.value)
}
