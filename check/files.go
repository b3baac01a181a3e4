package check

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"moraine/keyspace"
)

// dataFile is what is kept of a data file, of its live version if there is one.
type dataFile struct {
	id          uint64
	rows, bytes uint64
	end         uint64 // of the newest version; meaningless while it is live
	live        bool
	decoded     bool
	merged      bool // its rows come from several commits
	deleted     uint64
	inlined     uint64 // rows that inlined deletions delete
}

// deleteFile is what is kept of a delete file.
type deleteFile struct {
	id       uint64
	dataFile uint64
	rows     uint64
	begin    uint64
	live     bool
	decoded  bool
	listed   bool // the directory has it
}

// file finds a data file of the table; nil when there is none.
func (t *table) file(id uint64) *dataFile {
	at := sort.Search(len(t.files), func(i int) bool { return t.files[i].id >= id })
	if at == len(t.files) || t.files[at].id != id {
		return nil
	}
	return &t.files[at]
}

// scheduledNow reports a file that is to be deleted.
func (t *table) scheduledNow(v version, id uint64) {
	if _, found := slices.BinarySearch(t.checker.scheduled, id); found {
		t.checker.report(scheduledFile, tableOf(keyspace.KindGcFile), fmt.Sprintf("data_file_id=%d", id),
			"%s has it (%s)", v.key.Kind(), describeIDs(v.key))
	}
}

// deleteFiles reads the delete files. Whether they fit their data files shows when those are known.
func (t *table) deleteFiles(ctx context.Context) error {
	err := t.sources.deleteFiles.each(ctx, t.id, func(v version) {
		id := v.key.Component(keyspace.DeleteFileID)
		if v.first {
			t.checker.use(keyspace.KindCurrentDeleteFile, t.id, id, true)
			t.scheduledNow(v, id)
		}
		t.belongs(v)
		m := v.message.(*keyspace.DeleteFileValue)
		file := deleteFile{id: id, live: v.live, decoded: v.decoded}
		if v.decoded {
			file.dataFile, file.rows, file.begin = m.DataFileID, m.DeleteCount, m.BeginSnapshot
		}
		t.deletes = append(t.deletes, file)
	})
	slices.SortStableFunc(t.deletes, func(a, b deleteFile) int {
		if a.dataFile != b.dataFile {
			return compareIDs(a.dataFile, b.dataFile)
		}
		return compareIDs(a.id, b.id)
	})
	return err
}

// dataFiles reads the data files, and puts the delete files to them.
func (t *table) dataFiles(ctx context.Context) error {
	err := t.sources.dataFiles.each(ctx, t.id, func(v version) {
		id := v.key.Component(keyspace.DataFileID)
		if v.first {
			t.checker.use(keyspace.KindCurrentDataFile, t.id, id, true)
			t.scheduledNow(v, id)
			t.files = append(t.files, dataFile{id: id})
		}
		t.belongs(v)
		file := &t.files[len(t.files)-1]
		file.live, file.decoded = v.live, v.decoded
		if v.decoded {
			t.dataFile(v, file, v.message.(*keyspace.DataFileValue))
		}
	})
	if err != nil {
		return err
	}
	t.matchDeleteFiles()
	return nil
}

// dataFile checks one version of a data file.
func (t *table) dataFile(v version, file *dataFile, m *keyspace.DataFileValue) {
	file.rows, file.bytes, file.merged, file.end = m.RecordCount, m.FileSizeBytes, m.PartialMax.Set, m.EndSnapshot.Value
	ids := func() string { return describeIDs(v.key) }
	if m.RowIDStart.Set && !m.PartialMax.Set {
		t.lastRowID.raise(m.RowIDStart.Value, m.RecordCount, "ducklake_data_file", ids)
	}
	if m.MappingID.Set {
		if _, found := slices.BinarySearch(t.mappingIDs, m.MappingID.Value); !found {
			t.checker.report(unknownMapping, "ducklake_data_file", ids(), "the table has no mapping %d", m.MappingID.Value)
		}
	}
	if !v.live {
		return
	}
	columns, known := t.partitionIDs[m.PartitionID.Value]
	switch {
	case !m.PartitionID.Set && len(m.PartitionValues) == 0:
	case !m.PartitionID.Set:
		t.checker.report(partitionValues, "ducklake_file_partition_value", ids(), "%d values without a partitioning", len(m.PartitionValues))
	case !known:
		t.checker.report(partitionValues, "ducklake_data_file", ids(), "the table has no partitioning %d", m.PartitionID.Value)
	case columns != anyNumber && columns != len(m.PartitionValues):
		t.checker.report(partitionValues, "ducklake_file_partition_value", ids(), "%d values for the %d columns of partitioning %d",
			len(m.PartitionValues), columns, m.PartitionID.Value)
	}
}

// matchDeleteFiles checks the delete files against their data files. A flush of inlined deletions writes live delete files
// of data files that have ended, too, for the snapshots that still show them.
func (t *table) matchDeleteFiles() {
	for i := range t.deletes {
		file := &t.deletes[i]
		if !file.decoded {
			continue
		}
		ids := fmt.Sprintf("%s delete_file_id=%d data_file_id=%d", t.named(), file.id, file.dataFile)
		target := t.file(file.dataFile)
		switch {
		case target == nil:
			t.checker.report(deleteFileWithoutDataFile, "ducklake_delete_file", ids, "the data file is unknown")
			continue
		case !target.live && target.decoded && file.begin >= target.end:
			t.checker.report(deleteFileWithoutDataFile, "ducklake_delete_file", ids, "it begins at %d, and the data file has ended at %d",
				file.begin, target.end)
			continue
		case !file.live || !target.live:
			continue
		}
		target.deleted = saturated(target.deleted, file.rows)
		if before := t.liveDeleteFileBefore(i); before != nil {
			t.checker.report(severalDeleteFiles, "ducklake_delete_file", ids, "delete file %d is live too", before.id)
			target.deleted = max(before.rows, file.rows)
		}
	}
}

func (t *table) liveDeleteFileBefore(i int) *deleteFile {
	for j := i - 1; j >= 0 && t.deletes[j].dataFile == t.deletes[i].dataFile; j-- {
		if t.deletes[j].live && t.deletes[j].decoded {
			return &t.deletes[j]
		}
	}
	return nil
}

// saturated adds without overflow.
func saturated(a, b uint64) uint64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return ^uint64(0)
}

// fileStatistics checks that statistics are of files and columns that are known: reported once for each of these.
func (t *table) fileStatistics(ctx context.Context) error {
	s := t.sources.fileStatistics
	unknownColumns := map[uint64]bool{}
	at, lastUnknown := 0, keyspace.Optional[uint64]{}
	return s.each(ctx, t.id, func(bool) {
		if t.object == nil {
			return
		}
		file, column := s.key.Component(keyspace.DataFileID), s.key.Component(keyspace.ColumnID)
		for at < len(t.files) && t.files[at].id < file {
			at++
		}
		if (at == len(t.files) || t.files[at].id != file) && lastUnknown != keyspace.Some(file) {
			lastUnknown = keyspace.Some(file)
			t.checker.report(orphanFileStatistics, tableOf(s.kind), fmt.Sprintf("%s data_file_id=%d", t.named(), file), "the data file is unknown")
		}
		if !unknownColumns[column] && !t.hasColumn(column) {
			unknownColumns[column] = true
			t.checker.report(orphanColumnStatistics, tableOf(s.kind), s.ids(), "the column is unknown")
		}
	})
}

// deleteTargets compares the directory of delete targets with the live delete files.
func (t *table) deleteTargets(ctx context.Context) error {
	s := t.sources.deleteTargets
	err := s.each(ctx, t.id, func(bool) {
		target, id := s.key.Component(keyspace.DataFileID), s.key.Component(keyspace.DeleteFileID)
		at := sort.Search(len(t.deletes), func(i int) bool {
			return t.deletes[i].dataFile > target || t.deletes[i].dataFile == target && t.deletes[i].id >= id
		})
		for ; at < len(t.deletes) && t.deletes[at].dataFile == target && t.deletes[at].id == id; at++ {
			if t.deletes[at].live {
				t.deletes[at].listed = true
				return
			}
		}
		if !t.damagedDeleteFile(id) {
			t.checker.report(deleteTargetStale, "", s.ids(), "there is no such live delete file")
		}
	})
	if err != nil || t.checker.format < keyspace.FormatWithDeleteTargets {
		return err
	}
	for _, file := range t.deletes {
		if file.live && file.decoded && !file.listed {
			t.checker.report(deleteTargetMissing, "ducklake_delete_file",
				fmt.Sprintf("%s delete_file_id=%d data_file_id=%d", t.named(), file.id, file.dataFile), "there is no entry")
		}
	}
	return nil
}

// damagedDeleteFile tells whether a live delete file does not decode, so that its data file is not known.
func (t *table) damagedDeleteFile(id uint64) bool {
	return slices.ContainsFunc(t.deletes, func(file deleteFile) bool { return file.id == id && file.live && !file.decoded })
}

// deletions checks the inlined deletions of rows of data files, and what they come to together with the delete files.
func (t *table) deletions(ctx context.Context) error {
	marked := false
	if err := t.sources.deletionTables.each(ctx, t.id, func(bool) { marked = true }); err != nil {
		return err
	}
	name := fmt.Sprintf("ducklake_inlined_delete_%d", t.id)
	if marked && t.object == nil {
		t.checker.report(inlinedTableWithoutTable, name, t.named(), "the table is unknown")
	}
	s := t.sources.deletions
	found, lastUnknown := false, keyspace.Optional[uint64]{}
	err := s.each(ctx, t.id, func(bool) {
		id := s.key.Component(keyspace.DataFileID)
		file := t.file(id)
		if file == nil && lastUnknown != keyspace.Some(id) {
			lastUnknown = keyspace.Some(id)
			t.checker.report(inlinedDeleteWithoutFile, name, fmt.Sprintf("%s data_file_id=%d", t.named(), id), "the data file is unknown")
		}
		if file != nil {
			file.inlined++
		}
		found = true
	})
	if found && !marked {
		t.checker.report(inlinedDeleteWithoutTable, name, t.named(), "there are deletions and no marker")
	}
	for _, file := range t.files {
		if deleted := saturated(file.deleted, file.inlined); file.live && file.decoded && deleted > file.rows {
			t.checker.report(rowsDeletedTwice, "ducklake_data_file", fmt.Sprintf("%s data_file_id=%d", t.named(), file.id),
				"%d rows; its delete file deletes %d and inlined deletions %d", file.rows, file.deleted, file.inlined)
		}
	}
	return err
}
