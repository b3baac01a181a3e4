package check

import (
	"context"
	"fmt"
	"slices"

	"moraine/keyspace"
)

// tableSources are all records whose keys start with the id of a table.
type tableSources struct {
	columns, partitions, sorts, indexes, dataFiles, deleteFiles *versioned

	mappings, fileStatistics, tableStatistics, columnStatistics, deleteTargets, schemaVersions *source

	inlinedSchemas, droppedSchemas, chunks, locators, tombstones, deletions, deletionTables *source
}

// openTables starts to read what belongs to tables.
func (c *checker) openTables(ctx context.Context) (*tableSources, error) {
	s := &tableSources{}
	for kind, to := range map[keyspace.Kind]**versioned{
		keyspace.KindCurrentColumn: &s.columns, keyspace.KindCurrentPartition: &s.partitions, keyspace.KindCurrentSort: &s.sorts,
		keyspace.KindCurrentIndex: &s.indexes, keyspace.KindCurrentDataFile: &s.dataFiles, keyspace.KindCurrentDeleteFile: &s.deleteFiles,
	} {
		opened, err := c.openVersioned(ctx, kind)
		if err != nil {
			return nil, err
		}
		*to = opened
	}
	for kind, to := range map[keyspace.Kind]**source{
		keyspace.KindCurrentMapping: &s.mappings, keyspace.KindCurrentFileColumnStats: &s.fileStatistics,
		keyspace.KindCurrentTableStats: &s.tableStatistics, keyspace.KindCurrentTableColumnStats: &s.columnStatistics,
		keyspace.KindDeleteTarget: &s.deleteTargets, keyspace.KindSchemaVersion: &s.schemaVersions,
		keyspace.KindInlineSchema: &s.inlinedSchemas, keyspace.KindInlineSchemaDropped: &s.droppedSchemas,
		keyspace.KindInlineInsert: &s.chunks, keyspace.KindInlineChunkLocator: &s.locators,
		keyspace.KindInlineRowTombstone: &s.tombstones, keyspace.KindInlineFileDelete: &s.deletions,
		keyspace.KindInlineFileDeleteTable: &s.deletionTables,
	} {
		opened, err := c.open(ctx, kind)
		if err != nil {
			return nil, err
		}
		*to = opened
	}
	return s, nil
}

// table is one table while it is checked.
type table struct {
	checker *checker
	sources *tableSources
	id      uint64
	object  *object // nil for a table that is not there at all

	columnIDs    []uint64       // of all versions, ascending
	partitionIDs map[uint64]int // the number of columns of each partitioning
	mappingIDs   []uint64       // ascending
	files        []dataFile
	deletes      []deleteFile
	inlined      inlinedTotals
	lastRowID    rowIDBound
}

// eachTable checks one table after another.
func (c *checker) eachTable(ctx context.Context) error {
	sources, err := c.openTables(ctx)
	if err != nil {
		return err
	}
	c.changesSeen = make([]bool, len(c.changes))
	for {
		id, more := c.firstTable()
		if !more {
			break
		}
		t := &table{checker: c, sources: sources, id: id, object: c.tables[id], partitionIDs: map[uint64]int{}}
		if err := t.check(ctx); err != nil {
			return err
		}
	}
	c.unseenChanges()
	return nil
}

// firstTable gives the smallest table that any open source has records of.
func (c *checker) firstTable() (id uint64, more bool) {
	for _, source := range c.sources {
		if !source.done && (!more || source.first() < id) {
			id, more = source.first(), true
		}
	}
	return id, more
}

func (t *table) check(ctx context.Context) error {
	t.homeless()
	for _, step := range []func(context.Context) error{
		t.columns, t.partitionings, t.sortOrders, t.indexes, t.mappings, t.deleteFiles, t.dataFiles, t.fileStatistics,
		t.deletions, t.deleteTargets, t.inlinedData, t.columnStatistics, t.statistics,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return t.schemaVersions(ctx, t.sources.schemaVersions)
}

// live tells whether the table is live.
func (t *table) live() bool { return t.object != nil && t.object.live }

// named names the table in a finding.
func (t *table) named() string { return fmt.Sprintf("table_id=%d", t.id) }

// homeless reports that there are records of a table which is not there at all: once for each kind. Live entities are
// reported one by one, in unlike places, by belongs; schema versions may be those of a view.
func (t *table) homeless() {
	if t.object != nil {
		return
	}
	s := t.sources
	for _, source := range []*source{
		s.columns.past, s.partitions.past, s.sorts.past, s.indexes.past, s.dataFiles.past, s.deleteFiles.past, s.mappings,
		s.fileStatistics, s.tableStatistics, s.columnStatistics,
	} {
		if !source.done && source.first() == t.id {
			t.checker.report(orphanRecord, tableOf(source.kind), t.named(), "%s: the table is unknown", source.kind)
		}
	}
}

// belongs reports a live entity of a table that is not live.
func (t *table) belongs(v version) {
	if v.live && !t.live() {
		t.checker.report(liveWithoutTable, tableOf(v.key.Kind()), describeIDs(v.key), "the table is %s", t.object.state())
	}
}

// columns checks the columns of the table.
func (t *table) columns(ctx context.Context) error {
	type liveColumn struct {
		id     uint64
		parent keyspace.Optional[uint64]
	}
	type place struct {
		parent keyspace.Optional[uint64]
		name   string
	}
	var live []liveColumn
	names := map[place]uint64{}
	err := t.sources.columns.each(ctx, t.id, func(v version) {
		id := v.key.Component(keyspace.ColumnID)
		if v.first {
			t.columnIDs = append(t.columnIDs, id)
		}
		t.belongs(v)
		if !v.live {
			return
		}
		m := v.message.(*keyspace.ColumnValue)
		if !v.decoded {
			live = append(live, liveColumn{id: id})
			return
		}
		live = append(live, liveColumn{id: id, parent: m.ParentColumn})
		at := place{parent: m.ParentColumn, name: folded(cloned(m.ColumnName))}
		if other, taken := names[at]; taken {
			t.checker.report(duplicateColumnName, "ducklake_column", describeIDs(v.key), "the name %q is that of column %d too", m.ColumnName, other)
		}
		names[at] = id
	})
	if err != nil {
		return err
	}
	for _, column := range live {
		found := slices.ContainsFunc(live, func(other liveColumn) bool { return other.id == column.parent.Value })
		if column.parent.Set && (!found || column.parent.Value == column.id) {
			t.checker.report(columnParent, "ducklake_column", fmt.Sprintf("%s column_id=%d", t.named(), column.id),
				"its parent %d is no live column", column.parent.Value)
		}
	}
	return nil
}

// firstReservedColumn starts the column ids that stand for no column of a table: row ids and the like, by the numbers that
// Parquet files of Iceberg have for them.
const firstReservedColumn = 2147483447

func (t *table) hasColumn(id uint64) bool {
	_, found := slices.BinarySearch(t.columnIDs, id)
	return found || id >= firstReservedColumn
}

func (t *table) partitionings(ctx context.Context) error {
	live := 0
	return t.sources.partitions.each(ctx, t.id, func(v version) {
		id := v.key.Component(keyspace.PartitionID)
		if v.first {
			t.checker.use(keyspace.KindCurrentPartition, t.id, id, false)
		}
		t.belongs(v)
		m := v.message.(*keyspace.PartitionValue)
		t.partitionIDs[id] = anyNumber
		if v.decoded {
			t.partitionIDs[id] = len(m.Columns)
		}
		if !v.live {
			return
		}
		if live++; live > 1 {
			t.checker.report(severalPartitionings, tableOf(v.key.Kind()), describeIDs(v.key), "the table has another live partitioning")
		}
		for _, column := range m.Columns {
			if v.decoded && !t.hasColumn(column.ColumnID) {
				t.checker.report(partitionColumn, "ducklake_partition_column", describeIDs(v.key), "the table has no column %d", column.ColumnID)
			}
		}
	})
}

// anyNumber is the number of columns of a partitioning that does not decode.
const anyNumber = -1

func (t *table) sortOrders(ctx context.Context) error {
	live := 0
	return t.sources.sorts.each(ctx, t.id, func(v version) {
		if v.first {
			t.checker.use(keyspace.KindCurrentSort, t.id, v.key.Component(keyspace.SortID), false)
		}
		t.belongs(v)
		if !v.live {
			return
		}
		if live++; live > 1 {
			t.checker.report(severalPartitionings, tableOf(v.key.Kind()), describeIDs(v.key), "the table has another live sort order")
		}
	})
}

func (t *table) indexes(ctx context.Context) error {
	return t.sources.indexes.each(ctx, t.id, func(v version) {
		if v.first {
			t.checker.use(keyspace.KindCurrentIndex, t.id, v.key.Component(keyspace.IndexID), false)
		}
		t.belongs(v)
	})
}

func (t *table) mappings(ctx context.Context) error {
	s := t.sources.mappings
	return s.each(ctx, t.id, func(bool) {
		id := s.key.Component(keyspace.MappingID)
		t.mappingIDs = append(t.mappingIDs, id)
		t.checker.use(keyspace.KindCurrentMapping, t.id, id, true)
	})
}
