package guard

import (
	"maps"
	"slices"
)

// checkInlined compares what the commit says that it does to inlined rows with what it does.
func (c *check) checkInlined() error {
	for _, table := range slices.Sorted(maps.Keys(c.claims[claimsInlineFlush])) {
		rows := c.inlined(table)
		if rows.Removed == 0 && c.addsFile(table) {
			return flushedSince.refuse("the flush of table %d writes a file, and removes no inlined rows", table)
		}
		if c.old() && rows.LatestEnd > c.computedOn {
			return flushedSince.refuse("the flush of table %d removes a row that snapshot %d has ended, and was computed on %d",
				table, rows.LatestEnd, c.computedOn)
		}
	}
	for _, table := range slices.Sorted(maps.Keys(c.claims[claimsInlinedDelete])) {
		deletes := slices.ContainsFunc(c.commit.Deletions, func(d InlinedDeletions) bool { return d.Table == table && len(d.Inserted) > 0 })
		if !deletes && c.inlined(table).Ended == 0 {
			return deletesNothing.refuse("table %d", table)
		}
	}
	return nil
}

// inlined gives what the commit does to the inlined rows of a table.
func (c *check) inlined(table uint64) InlinedRows {
	for _, rows := range c.commit.Inlined {
		if rows.Table == table {
			return rows
		}
	}
	return InlinedRows{}
}
