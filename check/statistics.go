package check

import (
	"context"

	"moraine/keyspace"
)

// rowIDBound is the greatest row id that the records of a table imply, and the record that has it.
type rowIDBound struct {
	next  uint64 // the id after it
	table string
	ids   string
}

// raise takes in a run of row ids.
func (b *rowIDBound) raise(first, count uint64, table string, ids func() string) {
	if next := saturated(first, count); next > b.next {
		b.next, b.table, b.ids = next, table, ids()
	}
}

// columnStatistics checks that statistics of columns are of columns that the table has or had.
func (t *table) columnStatistics(ctx context.Context) error {
	s := t.sources.columnStatistics
	return s.each(ctx, t.id, func(bool) {
		if t.object != nil && !t.hasColumn(s.key.Component(keyspace.ColumnID)) {
			t.checker.report(orphanColumnStatistics, tableOf(s.kind), s.ids(), "the column is unknown")
		}
	})
}

// statistics compares the statistics of a table with what its records come to. DuckLake adds to record_count and
// file_size_bytes when it writes rows: the rows of a flush have been counted when they were inlined, deletions and merges
// change nothing, and a rewrite may count anew. So both are upper bounds, for rows that are not deleted and for files that
// were not merged. next_row_id only grows, and row ids below it have been given out; a file of several commits has its row
// ids in it, and may have several versions of one.
func (t *table) statistics(ctx context.Context) error {
	s := t.sources.tableStatistics
	return s.each(ctx, t.id, func(decoded bool) {
		if !decoded || !t.live() {
			return
		}
		m := s.message.(*keyspace.TableStatsValue)
		rows, bytes := t.totals()
		if m.RecordCount < rows {
			t.checker.report(recordCount, tableOf(s.kind), s.ids(), "record_count is %d; there are %d live rows", m.RecordCount, rows)
		}
		if m.FileSizeBytes < bytes {
			t.checker.report(fileSize, tableOf(s.kind), s.ids(), "file_size_bytes is %d; the live files have %d", m.FileSizeBytes, bytes)
		}
		if m.NextRowID < t.lastRowID.next {
			t.checker.report(nextRowID, tableOf(s.kind), s.ids(), "next_row_id is %d; %s (%s) has row id %d", m.NextRowID,
				t.lastRowID.table, t.lastRowID.ids, t.lastRowID.next-1)
		}
	})
}

// totals gives the live rows of the table, in files and inlined, and the bytes of its live files that were not merged.
func (t *table) totals() (rows, bytes uint64) {
	rows = t.inlined.rows - t.inlined.ended
	for _, file := range t.files {
		if !file.live {
			continue
		}
		if deleted := saturated(file.deleted, file.inlined); deleted < file.rows {
			rows = saturated(rows, file.rows-deleted)
		}
		if !file.merged {
			bytes = saturated(bytes, file.bytes)
		}
	}
	return rows, bytes
}
