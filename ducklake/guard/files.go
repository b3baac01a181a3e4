package guard

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"moraine/keyspace"
)

// fileID names a data file.
type fileID struct{ table, file uint64 }

// fileChange is what a commit does to the rows of one data file.
type fileChange struct {
	// replaced tells that the file was live and is not any more, while its table is.
	replaced bool
	// deletes are the live delete files that the commit leaves for it.
	deletes []*keyspace.DeleteFileValue
	// fresh tells that one of them is new.
	fresh bool
	// inlined are the rows that the commit deletes inline.
	inlined []uint64
	// restored are the rows whose inlined deletions the commit removes.
	restored []uint64
}

func (c *check) change(table, file uint64) *fileChange {
	id := fileID{table, file}
	if c.files[id] == nil {
		c.files[id] = &fileChange{}
	}
	return c.files[id]
}

// checkFiles checks each data file that the commit deletes rows of, or takes away.
func (c *check) checkFiles() error {
	if err := c.gatherFiles(); err != nil {
		return err
	}
	ids := slices.SortedFunc(maps.Keys(c.files), func(a, b fileID) int {
		return cmp.Or(cmp.Compare(a.table, b.table), cmp.Compare(a.file, b.file))
	})
	for _, id := range ids {
		change := c.files[id]
		if change.fresh || len(change.inlined) > 0 {
			if err := c.checkDeletes(id, change); err != nil {
				return err
			}
		}
		if c.old() && (change.replaced || change.fresh || len(change.inlined) > 0) {
			if err := c.checkDeletedSince(id); err != nil {
				return err
			}
		}
	}
	return nil
}

// gatherFiles sorts the changes by data file.
func (c *check) gatherFiles() error {
	for i := range c.commit.Changes {
		change := &c.commit.Changes[i]
		switch change.Kind {
		case keyspace.KindCurrentDataFile:
			if err := c.gatherDataFile(change); err != nil {
				return err
			}
		case keyspace.KindCurrentDeleteFile:
			row, ok := change.After.(*keyspace.DeleteFileValue)
			if !ok || row.EndSnapshot.Set {
				continue
			}
			file := c.change(row.TableID, row.DataFileID)
			file.deletes = append(file.deletes, row)
			file.fresh = true
		}
	}
	for i := range c.commit.Deletions {
		deletions := &c.commit.Deletions[i]
		for _, deletion := range deletions.Inserted {
			file := c.change(deletions.Table, deletion.DataFile)
			file.inlined = append(file.inlined, deletion.Row)
		}
		for _, deletion := range deletions.Removed {
			file := c.change(deletions.Table, deletion.DataFile)
			file.restored = append(file.restored, deletion.Row)
		}
	}
	return nil
}

// gatherDataFile notes a data file that is ended or removed. Dropping a whole table is not in the way of deletes.
func (c *check) gatherDataFile(change *Change) error {
	if !change.Stored || change.Ended || c.live[keyOf(change.Kind, change.IDs)] != nil || !c.old() {
		return nil
	}
	table, err := c.after(keyspace.KindCurrentTable, change.IDs[0])
	if err != nil || table == nil {
		return err
	}
	c.change(change.IDs[0], change.IDs[1]).replaced = true
	return nil
}

// checkDeletes checks the deletes from one data file as the commit leaves them.
func (c *check) checkDeletes(id fileID, change *fileChange) error {
	file, err := c.target(id, change)
	if err != nil {
		return err
	}
	if file == nil {
		return deleteWithoutDataFile.refuse("data file %d of table %d is not live", int64(id.file), id.table)
	}
	stored, err := c.deleteFilesOf(id)
	if err != nil {
		return err
	}
	deletes := slices.Clone(change.deletes)
	for _, file := range stored {
		key := keyOf(keyspace.KindCurrentDeleteFile, []uint64{file.TableID, file.DeleteFileID})
		if !c.gone[key] && c.live[key] == nil {
			deletes = append(deletes, file)
		}
	}
	if len(deletes) > 1 {
		return severalDeleteFiles.refuse("delete files %d and %d of data file %d of table %d are both live",
			deletes[0].DeleteFileID, deletes[1].DeleteFileID, id.file, id.table)
	}
	return c.checkDeleteCount(id, change, file, deletes)
}

// target gives the data file that rows are deleted from; nil when there is none that may be. DuckLake flushes the inlined
// deletions of files that have ended, too, for the snapshots that still show them.
func (c *check) target(id fileID, change *fileChange) (*keyspace.DataFileValue, error) {
	found, err := c.after(keyspace.KindCurrentDataFile, id.table, id.file)
	if err != nil {
		return nil, err
	}
	if found != nil {
		return found.message.(*keyspace.DataFileValue), nil
	}
	if len(change.inlined) > 0 || !c.flushes(change) {
		return nil, nil
	}
	var ended *keyspace.DataFileValue
	err = c.scan(keyspace.KindHistoryDataFile, func(key keyspace.Key, value []byte) error {
		ended = &keyspace.DataFileValue{}
		return decode(key.Bytes(), value, ended)
	}, id.table, id.file)
	return ended, err
}

// flushes tells whether the new delete files of a data file are made of deletes that were inline: their partial_max, the
// newest snapshot that deleted one of their rows, is not that of the commit then.
func (c *check) flushes(change *fileChange) bool {
	return len(change.deletes) > 0 && !slices.ContainsFunc(change.deletes, func(file *keyspace.DeleteFileValue) bool {
		return !file.PartialMax.Set || file.PartialMax.Value > c.computedOn
	})
}

// checkDeleteCount checks that the deletes are not more than the rows, and that none is inlined twice.
func (c *check) checkDeleteCount(id fileID, change *fileChange, file *keyspace.DataFileValue, deletes []*keyspace.DeleteFileValue) error {
	inlined, err := c.inlinedAfter(id, change)
	if err != nil {
		return err
	}
	count := len(inlined)
	if written := c.live[keyOf(keyspace.KindCurrentDataFile, []uint64{id.table, id.file})]; written == nil && count > 0 && c.flushes(change) {
		return rowsDeletedTwice.refuse("delete file %d has the inlined deletions of data file %d of table %d, and %d of them stay",
			change.deletes[0].DeleteFileID, id.file, id.table, count)
	}
	for _, file := range deletes {
		count += int(file.DeleteCount)
	}
	if uint64(count) > file.RecordCount {
		return rowsDeletedTwice.refuse("%d rows are deleted from data file %d of table %d, which has %d", count, id.file, id.table, file.RecordCount)
	}
	return nil
}

// inlinedAfter gives the rows of a data file that are deleted inline once the commit is there.
func (c *check) inlinedAfter(id fileID, change *fileChange) (map[uint64]bool, error) {
	rows := map[uint64]bool{}
	if !c.emptied(id.table) {
		err := c.scan(keyspace.KindInlineFileDelete, func(key keyspace.Key, value []byte) error {
			rows[key.Component(keyspace.RowID)] = true
			return decode(key.Bytes(), value, &keyspace.InlineFileDeleteValue{})
		}, id.table, id.file)
		if err != nil {
			return nil, err
		}
	}
	for _, row := range change.restored {
		delete(rows, row)
	}
	for _, row := range change.inlined {
		if rows[row] {
			return nil, rowsDeletedTwice.refuse("row %d of data file %d of table %d is deleted inline already", int64(row), id.file, id.table)
		}
		rows[row] = true
	}
	return rows, nil
}

// emptied tells whether the commit removes all inlined deletions of a table.
func (c *check) emptied(table uint64) bool {
	return slices.ContainsFunc(c.commit.Deletions, func(d InlinedDeletions) bool { return d.Table == table && d.Emptied })
}

// deleteFilesOf gives the live delete files that the latest state has for a data file.
func (c *check) deleteFilesOf(id fileID) (files []*keyspace.DeleteFileValue, err error) {
	if c.commit.Format >= keyspace.FormatWithDeleteTargets {
		err = c.scan(keyspace.KindDeleteTarget, func(entry keyspace.Key, content []byte) error {
			file, err := c.listed(entry, content)
			files = append(files, file)
			return err
		}, id.table, id.file)
		return files, err
	}
	err = c.scan(keyspace.KindCurrentDeleteFile, func(key keyspace.Key, value []byte) error {
		var file keyspace.DeleteFileValue
		if err := decode(key.Bytes(), value, &file); err != nil {
			return err
		}
		if file.DataFileID == id.file {
			files = append(files, &file)
		}
		return nil
	}, id.table)
	return files, err
}

// listed reads the delete file that an entry of the directory is for.
func (c *check) listed(entry keyspace.Key, content []byte) (*keyspace.DeleteFileValue, error) {
	if err := decode(entry.Bytes(), content, &keyspace.EmptyValue{}); err != nil {
		return nil, err
	}
	file := &keyspace.DeleteFileValue{}
	key := keyspace.DeleteFileEntity(entry.Component(keyspace.TableID), entry.Component(keyspace.DeleteFileID)).Current()
	found, err := c.read(key.Bytes(), file)
	if err == nil && (!found || file.DataFileID != entry.Component(keyspace.DataFileID)) {
		err = fmt.Errorf("record %s is corrupt: %w: %s is not its delete file", entry, keyspace.ErrCorrupt, key)
	}
	return file, err
}

// checkDeletedSince checks that no other commit has deleted rows of a data file since the commit was computed.
func (c *check) checkDeletedSince(id fileID) error {
	files, err := c.deleteFilesOf(id)
	if err != nil {
		return err
	}
	since := c.computedOn
	for _, file := range files {
		if file.BeginSnapshot > since {
			return deletedSince.refuse("delete file %d of data file %d of table %d is of snapshot %d, and the commit was computed on %d",
				file.DeleteFileID, id.file, id.table, file.BeginSnapshot, since)
		}
	}
	return c.scan(keyspace.KindInlineFileDelete, func(key keyspace.Key, value []byte) error {
		var deletion keyspace.InlineFileDeleteValue
		if err := decode(key.Bytes(), value, &deletion); err != nil {
			return err
		}
		if deletion.BeginSnapshot > since {
			return deletedSince.refuse("row %d of data file %d of table %d was deleted inline by snapshot %d, and the commit was computed on %d",
				int64(key.Component(keyspace.RowID)), id.file, id.table, deletion.BeginSnapshot, since)
		}
		return nil
	}, id.table, id.file)
}
