package guard

import (
	"slices"

	"moraine/keyspace"
)

// checkStatistics checks the counts of tables and files, and the row ids that a table gives out.
func (c *check) checkStatistics() error {
	after := map[uint64]*keyspace.TableStatsValue{}
	for i := range c.commit.Changes {
		change := &c.commit.Changes[i]
		if err := checkCounts(change); err != nil {
			return err
		}
		if row, ok := change.After.(*keyspace.TableStatsValue); ok {
			after[row.TableID] = row
			if err := c.checkNextRowID(row); err != nil {
				return err
			}
		}
	}
	return c.checkRowIDs(after)
}

// checkCounts checks that no count or size is negative.
func checkCounts(change *Change) error {
	var id uint64
	var counts []uint64
	switch row := change.After.(type) {
	case *keyspace.TableStatsValue:
		id, counts = row.TableID, []uint64{row.RecordCount, row.NextRowID, row.FileSizeBytes}
	case *keyspace.DataFileValue:
		id, counts = row.DataFileID, []uint64{row.RecordCount, row.FileSizeBytes, row.FooterSize, row.RowIDStart.Value}
	case *keyspace.DeleteFileValue:
		id, counts = row.DeleteFileID, []uint64{row.DeleteCount, row.FileSizeBytes, row.FooterSize}
	}
	for _, count := range counts {
		if int64(count) < 0 {
			return negativeCount.refuse("%s %d has a count or size of %d", nouns[change.Kind], id, int64(count))
		}
	}
	return nil
}

// storedStatistics gives the statistics of a table in the latest state; nil when there are none.
func (c *check) storedStatistics(table uint64) (*keyspace.TableStatsValue, error) {
	var stored keyspace.TableStatsValue
	found, err := c.read(keyspace.TableStatsEntity(table).Current().Bytes(), &stored)
	if err != nil || !found {
		return nil, err
	}
	return &stored, nil
}

// checkNextRowID checks that next_row_id does not fall.
func (c *check) checkNextRowID(row *keyspace.TableStatsValue) error {
	before, err := c.storedStatistics(row.TableID)
	if err != nil || before == nil || row.NextRowID >= before.NextRowID {
		return err
	}
	return nextRowID.refuse("next_row_id of table %d falls from %d to %d", row.TableID, before.NextRowID, row.NextRowID)
}

// addsFile tells whether the commit inserts a data file into a table.
func (c *check) addsFile(table uint64) bool {
	return slices.ContainsFunc(c.commit.Changes, func(change Change) bool {
		file, ok := change.After.(*keyspace.DataFileValue)
		return ok && !change.Stored && file.TableID == table
	})
}

// checkRowIDs checks the row ids of new data files and inlined rows against next_row_id before and after the commit. Files
// that a compaction or a flush writes keep the row ids of what they are made of.
func (c *check) checkRowIDs(after map[uint64]*keyspace.TableStatsValue) error {
	before := map[uint64]*keyspace.TableStatsValue{}
	for table := range after {
		stored, err := c.storedStatistics(table)
		if err != nil {
			return err
		}
		before[table] = stored
	}
	for i := range c.commit.Changes {
		change := &c.commit.Changes[i]
		file, ok := change.After.(*keyspace.DataFileValue)
		if !ok || change.Stored || !file.RowIDStart.Set || file.BeginSnapshot != c.snapshot.SnapshotID || c.claims.compacts(file.TableID) {
			continue
		}
		present := after[file.TableID]
		if present == nil {
			continue
		}
		if last := file.RowIDStart.Value + file.RecordCount; last > present.NextRowID {
			return nextRowID.refuse("data file %d of table %d has row ids up to %d, and next_row_id is %d", file.DataFileID, file.TableID, last, present.NextRowID)
		}
		if stored := before[file.TableID]; stored != nil && file.RowIDStart.Value < stored.NextRowID {
			return rowIDReused.refuse("data file %d of table %d has row ids from %d on, and next_row_id was %d",
				file.DataFileID, file.TableID, file.RowIDStart.Value, stored.NextRowID)
		}
	}
	for _, rows := range c.commit.Inlined {
		if present := after[rows.Table]; rows.Inserted > 0 && present != nil && rows.GreatestRowID >= int64(present.NextRowID) {
			return nextRowID.refuse("inlined row %d of table %d, and next_row_id is %d", rows.GreatestRowID, rows.Table, present.NextRowID)
		}
	}
	return nil
}
