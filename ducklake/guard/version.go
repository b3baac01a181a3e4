package guard

import "slices"

// checkVersions checks each row by itself, and that no id gets a second live version. It gathers what later checks need.
func (c *check) checkVersions() error {
	for i := range c.commit.Changes {
		change := &c.commit.Changes[i]
		if change.Stored && !change.Ended {
			c.gone[keyOf(change.Kind, change.IDs)] = true
		}
	}
	for i := range c.commit.Changes {
		change := &c.commit.Changes[i]
		if change.After == nil {
			continue
		}
		row, ok := entityOf(change.Kind, change.After)
		if !ok {
			continue
		}
		if err := c.checkRow(change, &row); err != nil {
			return err
		}
		c.written = append(c.written, row)
	}
	for i := range c.written {
		if row := &c.written[i]; row.live() {
			if err := c.addLive(row); err != nil {
				return err
			}
		}
	}
	return c.checkNew()
}

// checkRow checks ids, begin and end of one row.
func (c *check) checkRow(change *Change, row *entity) error {
	noun, snapshot := nouns[row.kind], c.snapshot.SnapshotID
	for _, id := range row.ids {
		if int64(id) < 0 {
			return rowWithoutID.refuse("a %s with id %d", noun, int64(id))
		}
	}
	for _, column := range row.extension.NullColumns {
		if slices.Contains(identities, column) || column == "begin_snapshot" {
			return rowWithoutID.refuse("a %s whose %s is null (id %d)", noun, column, row.id())
		}
	}
	if !versioned(row.kind) {
		return nil
	}
	if change.Stored && change.Ended {
		// Its end is part of the key that it had.
		if end := change.IDs[len(row.ids)]; !row.end.Set || row.end.Value != end {
			return versionEndedAgain.refuse("%s %d ended with snapshot %d already", noun, row.id(), end)
		}
		return nil
	}
	switch {
	case row.begin > snapshot:
		return versionInterval.refuse("%s %d begins with snapshot %d, and the commit's is %d", noun, row.id(), int64(row.begin), snapshot)
	case row.live():
		return nil
	case change.Stored && row.end.Value != snapshot, row.end.Value > snapshot:
		return versionInterval.refuse("%s %d ends with snapshot %d, and the commit's is %d", noun, row.id(), int64(row.end.Value), snapshot)
	case row.end.Value <= row.begin:
		return versionInterval.refuse("%s %d begins with snapshot %d and ends with %d", noun, row.id(), row.begin, row.end.Value)
	}
	return nil
}

// identities are the columns that name a row.
var identities = []string{
	"schema_id", "table_id", "view_id", "macro_id", "column_id", "data_file_id", "delete_file_id", "partition_id", "sort_id", "mapping_id",
}

// addLive notes a live version, which must be the only one.
func (c *check) addLive(row *entity) error {
	key := keyOf(row.kind, row.ids)
	if c.live[key] != nil {
		return overlappingVersions.refuse("the commit has two live versions of %s %d", nouns[row.kind], row.id())
	}
	c.live[key] = row
	if c.gone[key] || c.isNew(row) {
		return nil
	}
	before, err := c.get(row.kind, row.ids...)
	if err != nil {
		return err
	}
	if before != nil {
		return overlappingVersions.refuse("%s %d has a live version since snapshot %d, which the commit does not end",
			nouns[row.kind], row.id(), before.begin)
	}
	return nil
}

// isNew tells whether the id comes from the counters as the latest snapshot left them, so that nothing can have it.
func (c *check) isNew(row *entity) bool {
	counter := counterOf(row.kind)
	return counter != noCounter && row.id() >= counter.next(c.head)
}

// checkNew checks the ids of rows that are not another version of a stored one.
func (c *check) checkNew() error {
	for i := range c.commit.Changes {
		change := &c.commit.Changes[i]
		if change.Stored || change.After == nil {
			continue
		}
		row, ok := entityOf(change.Kind, change.After)
		counter := counterOf(change.Kind)
		if !ok || counter == noCounter || !row.live() {
			continue
		}
		if next := counter.next(c.snapshot); row.id() >= next {
			return idBeyondCounter.refuse("%s %d, and the next id of snapshot %d is %d", nouns[row.kind], row.id(), c.snapshot.SnapshotID, next)
		}
		if !c.isNew(&row) && !c.gone[keyOf(row.kind, row.ids)] {
			return idReused.refuse("%s %d, and the next id of snapshot %d was %d", nouns[row.kind], row.id(), c.head.SnapshotID, counter.next(c.head))
		}
	}
	return nil
}
