package ducklake

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"moraine/keyspace"
	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

// mint inserts the rows of a snapshot.
func (c *client) mint(snapshot int) *client {
	c.t.Helper()
	c.insert("ducklake_snapshot", snapshot, instantValue, snapshot, 100, 100)
	c.insert("ducklake_snapshot_changes", snapshot, "", nil, nil, nil)
	return c
}

func (c *client) insertFile(id, table, begin int) {
	c.t.Helper()
	c.insert("ducklake_data_file", id, table, begin, nil, nil, fmt.Sprintf("%d.parquet", id), true, "parquet", 10, 100, 20, 0, nil, nil, nil, nil)
}

func (c *client) insertDeleteFile(id, table, file, begin int) {
	c.t.Helper()
	c.insert("ducklake_delete_file", id, table, begin, nil, file, fmt.Sprintf("%d-delete.parquet", id), true, "parquet", 1, 100, 20, nil, nil)
}

func storedRecord[M any, P message[M]](t *testing.T, records map[string]string, key keyspace.Key) *M {
	t.Helper()
	value, found := records[string(key.Bytes())]
	if !found {
		t.Fatalf("no record %s", key)
	}
	m := new(M)
	if err := keyspace.DecodeMessage([]byte(value), P(m)); err != nil {
		t.Fatal(err)
	}
	return m
}

func startedLake(t *testing.T) *lake {
	l := newLake(t)
	l.begin().genesis().commit()
	return l
}

func TestSnapshotRecordSaysWhatTheCommitDid(t *testing.T) {
	l := startedLake(t)
	first := l.begin().mint(1)
	for id := range 3 {
		first.insertFile(id, 7, 1)
	}
	first.insert("ducklake_schema_versions", 1, 1, 9)
	first.insert("ducklake_schema_versions", 1, 1, 7)
	first.create(inlinedDefinition("ducklake_inlined_data_7_1"))
	first.insert("ducklake_inlined_data_7_1", inlinedRowOf(0, 1, nil)...)
	first.commit()
	second := l.begin().mint(2)
	second.insertDeleteFile(5, 7, 2, 2)
	second.insertDeleteFile(4, 7, 0, 2)
	second.commit()
	third := l.begin().mint(3)
	third.insertDeleteFile(6, 7, 1, 3)
	third.update("ducklake_inlined_data_7_1", "end_snapshot", 3, where{"row_id", 0})
	third.commit()
	records := l.dump()
	for snapshot, wanted := range map[uint64]keyspace.SnapshotValue{
		1: {SchemaChangedTableIDs: []uint64{7, 9}},
		2: {DeletedDataFileIDs: []uint64{0, 2}},
		3: {DeletedDataFileIDs: []uint64{1}, DeletesUntargetedFiles: true},
	} {
		got := storedRecord[keyspace.SnapshotValue](t, records, keyspace.SnapshotKey(snapshot))
		if !slices.Equal(got.SchemaChangedTableIDs, wanted.SchemaChangedTableIDs) ||
			!slices.Equal(got.DeletedDataFileIDs, wanted.DeletedDataFileIDs) || got.DeletesUntargetedFiles != wanted.DeletesUntargetedFiles {
			t.Errorf("snapshot %d: %+v", snapshot, got)
		}
	}
	head := storedRecord[keyspace.HeadValue](t, records, keyspace.HeadKey())
	if head.SnapshotID != 3 || head.BatchSequence != 3 {
		t.Errorf("head %+v", head)
	}
}

// A migration from version 0.3 of the catalog gives the schema versions of earlier snapshots their tables.
func TestSchemaVersionsOfEarlierSnapshotsAreNamedInTheirRecords(t *testing.T) {
	l := startedLake(t)
	first := l.begin().mint(1)
	first.insert("ducklake_schema_versions", 1, 1, 9)
	first.commit()
	l.begin().mint(2).commit()
	l.begin().mint(3).commit()
	migrate := l.begin()
	for _, table := range []int{9, 7} {
		for snapshot := 1; snapshot <= 4; snapshot++ { // there is no snapshot 4
			if table != 9 || snapshot != 1 {
				migrate.insert("ducklake_schema_versions", snapshot, 1, table)
			}
		}
	}
	migrate.update("ducklake_snapshot", "schema_version", 1, where{"snapshot_id", 2})
	migrate.delete("ducklake_snapshot", where{"snapshot_id", 3})
	migrate.delete("ducklake_snapshot_changes", where{"snapshot_id", 3})
	migrate.commit()
	records := l.dump()
	for snapshot := range uint64(2) {
		got := storedRecord[keyspace.SnapshotValue](t, records, keyspace.SnapshotKey(snapshot+1))
		if !slices.Equal(got.SchemaChangedTableIDs, []uint64{7, 9}) {
			t.Errorf("snapshot %d: %+v", snapshot+1, got)
		}
	}
	for snapshot := range uint64(2) {
		if _, found := records[string(keyspace.SnapshotKey(snapshot+3).Bytes())]; found {
			t.Errorf("snapshot %d has a record", snapshot+3)
		}
	}
}

func TestDeleteTargetsFollowTheLiveDeleteFiles(t *testing.T) {
	l := startedLake(t)
	first := l.begin().mint(1)
	first.insertDeleteFile(4, 7, 2, 1)
	first.insertDeleteFile(5, 7, 3, 1)
	first.commit()
	second := l.begin().mint(2)
	second.update("ducklake_delete_file", "end_snapshot", 2, where{"delete_file_id", 4})
	second.commit()
	records := l.dump()
	if _, found := records[string(keyspace.DeleteTargetKey(7, 2, 4).Bytes())]; found {
		t.Error("an ended delete file has an entry")
	}
	if value, found := records[string(keyspace.DeleteTargetKey(7, 3, 5).Bytes())]; !found || value != "" {
		t.Error("a live delete file has no entry, or one with a value")
	}
}

func TestDirectoriesAreNotWrittenInOlderFormats(t *testing.T) {
	l := goldenLake(t)
	c := l.begin()
	c.update("ducklake_table", "table_name", "renamed", where{"table_id", 19}, where{"end_snapshot", nil})
	c.commit()
	for key := range l.dump() {
		if subspace, _ := keyspace.SubspaceOf([]byte(key)); subspace == keyspace.SubspaceName || subspace == keyspace.SubspaceDeleteTarget {
			t.Fatalf("key %x in a store of format 9", key)
		}
	}
}

func TestChangelogIsAWindowOfSortedKeys(t *testing.T) {
	l := startedLake(t)
	for snapshot := 1; snapshot <= changelogWindow+2; snapshot++ {
		c := l.begin().mint(snapshot)
		c.insertFile(snapshot*2, 7, snapshot)
		c.insertFile(snapshot*2+1, 3, snapshot)
		c.commit()
	}
	records := l.dump()
	count := 0
	for key := range records {
		if subspace, _ := keyspace.SubspaceOf([]byte(key)); subspace == keyspace.SubspaceChangelog {
			count++
		}
	}
	if count != changelogWindow {
		t.Errorf("%d records", count)
	}
	newest := storedRecord[keyspace.ChangelogValue](t, records, keyspace.ChangelogKey(changelogWindow+2))
	if len(newest.Keys) != 2 || !slices.IsSortedFunc(newest.Keys, bytes.Compare) {
		t.Errorf("changelog %x", newest.Keys)
	}
	bulk := l.begin().mint(1000)
	for id := range changelogKeys + 1 {
		bulk.insertFile(10_000+id, 7, 1000)
	}
	bulk.commit()
	if _, found := l.dump()[string(keyspace.ChangelogKey(1000).Bytes())]; found {
		t.Error("a large commit has a changelog")
	}
}

func TestMaintenanceKeepsTheSnapshotAndCountsTheBatch(t *testing.T) {
	l := startedLake(t)
	first := l.begin().mint(1)
	first.insertFile(0, 7, 1)
	first.insert("ducklake_file_partition_value", 0, 7, 0, "a")
	first.insert("ducklake_file_column_stats", 0, 7, 1, 10, 10, 0, "1", "2", nil, nil)
	first.commit()
	cleanup := l.begin()
	cleanup.delete("ducklake_data_file", where{"data_file_id", 0})
	cleanup.delete("ducklake_file_column_stats", where{"data_file_id", 0})
	cleanup.delete("ducklake_file_partition_value", where{"data_file_id", 0})
	cleanup.insert("ducklake_files_scheduled_for_deletion", 0, "0.parquet", true, instantValue)
	cleanup.commit()
	records := l.dump()
	head := storedRecord[keyspace.HeadValue](t, records, keyspace.HeadKey())
	if head.SnapshotID != 1 || head.BatchSequence != 2 {
		t.Errorf("head %+v", head)
	}
	gc := storedRecord[keyspace.GcFileValue](t, records, keyspace.GcFileKey(0))
	if gc.ScheduleStartMicros != instantValue+epochMicros {
		t.Errorf("scheduled file %+v", gc)
	}
	for _, key := range []keyspace.Key{keyspace.DataFileEntity(7, 0).Current(), keyspace.FileColumnStatsEntity(7, 0, 1).Current(), keyspace.ChangelogKey(2)} {
		if _, found := records[string(key.Bytes())]; found {
			t.Errorf("record %s is still there", key)
		}
	}
}

func TestOptionsMintNothing(t *testing.T) {
	l := startedLake(t)
	c := l.begin()
	c.insert("ducklake_metadata", "target_file_size", "1MB", scopeSchema, 0)
	c.insert("ducklake_metadata", "zstd", "1", nil, nil)
	c.update("ducklake_metadata", "value", "elsewhere/", where{"key", "data_path"})
	c.commit()
	records := l.dump()
	options := storedRecord[keyspace.OptionScopeValue](t, records, keyspace.OptionEntity(keyspace.ScopeGlobal, 0).Current())
	var keys []string
	for _, option := range options.Options {
		keys = append(keys, option.Key+"="+option.Value)
	}
	if !slices.Equal(keys, []string{"created_by=DuckDB 17c0ca4ca7", "data_path=elsewhere/", "encrypted=false", "version=1.0", "zstd=1"}) {
		t.Errorf("options %v", keys)
	}
	if head := storedRecord[keyspace.HeadValue](t, records, keyspace.HeadKey()); head.SnapshotID != 0 || head.BatchSequence != 1 {
		t.Errorf("head %+v", head)
	}
}

func TestTagsOfTwoTransactionsMeetInOneRecord(t *testing.T) {
	l := startedLake(t)
	one, two := l.begin(), l.begin()
	one.find("ducklake_tag")
	two.find("ducklake_tag")
	one.insert("ducklake_tag", 7, 1, nil, "comment", "one")
	two.insert("ducklake_tag", 7, 1, nil, "owner", "two")
	one.commit()
	two.commit()
	reader := l.begin()
	defer reader.rollback()
	reader.want("ducklake_tag", []any{7, 1, nil, "comment", "one"}, []any{7, 1, nil, "owner", "two"})
}

func TestRowChangedSinceTheSnapshotCannotBeChanged(t *testing.T) {
	l := startedLake(t)
	c := l.begin().mint(1)
	c.insert("ducklake_table_stats", 7, 1, 1, 1)
	c.commit()
	one, two := l.begin(), l.begin()
	rows := two.find("ducklake_table_stats")
	one.update("ducklake_table_stats", "record_count", 2, where{"table_id", 7})
	one.commit()
	err := two.relation("ducklake_table_stats").Update(context.Background(), rows[0].identity, rows[0].row)
	if !pgerror.HasCode(err, pgerror.SerializationFailure) {
		t.Errorf("got %v", err)
	}
	two.rollback()
}

func TestIdsThatLeadNoKeyAreFound(t *testing.T) {
	l := startedLake(t)
	c := l.begin().mint(1)
	for id := range 40 {
		c.insertFile(id, id%3, 1)
	}
	c.commit()
	older := l.begin()
	older.find("ducklake_snapshot")
	second := l.begin().mint(2)
	second.delete("ducklake_data_file", where{"data_file_id", 7})
	second.update("ducklake_data_file", "end_snapshot", 2, where{"data_file_id", 8})
	second.insertFile(50, 9, 2)
	second.commit()
	newer := l.begin()
	for id, wanted := range map[int][2]int{7: {1, 0}, 8: {1, 1}, 39: {1, 1}, 50: {0, 1}, 60: {0, 0}} {
		if got := len(older.find("ducklake_data_file", where{"data_file_id", id})); got != wanted[0] {
			t.Errorf("file %d: %d rows in the older snapshot", id, got)
		}
		if got := len(newer.find("ducklake_data_file", where{"data_file_id", id})); got != wanted[1] {
			t.Errorf("file %d: %d rows in the newer snapshot", id, got)
		}
	}
	older.rollback()
	newer.rollback()
}

func TestStatisticsImageFollowsTheCommits(t *testing.T) {
	l := startedLake(t)
	insert := func(snapshot, from, to int) {
		c := l.begin().mint(snapshot)
		for id := from; id < to; id++ {
			for column := 1; column <= 3; column++ {
				c.insert("ducklake_file_column_stats", id, 7, column, 10, snapshot, 0, "1", "2", nil, nil)
			}
		}
		c.commit()
	}
	count := func(c *client) int { return len(c.scanStatistics(7, 2)) }
	insert(1, 0, 2*imageRows)
	older := l.begin()
	if got := count(older); got != 2*imageRows {
		t.Fatalf("%d rows", got)
	}
	if len(l.catalog.statistics.images) != 1 {
		t.Fatal("no image was made")
	}
	insert(2, 2*imageRows, 3*imageRows)
	newer := l.begin()
	if count(older) != 2*imageRows || count(newer) != 3*imageRows {
		t.Errorf("%d and %d rows", count(older), count(newer))
	}
	change := l.begin()
	change.delete("ducklake_file_column_stats", where{"table_id", 7}, where{"data_file_id", 5})
	if got := count(change); got != 3*imageRows-1 {
		t.Errorf("%d rows after an own delete", got)
	}
	change.commit()
	newest := l.begin()
	if count(older) != 2*imageRows || count(newer) != 3*imageRows || count(newest) != 3*imageRows-1 {
		t.Errorf("%d, %d and %d rows", count(older), count(newer), count(newest))
	}
	for _, c := range []*client{older, newer, newest} {
		c.rollback()
	}
}

// scanStatistics reads one column of the file statistics as DuckDB does: without identities.
func (c *client) scanStatistics(table, column int) (files []int64) {
	c.t.Helper()
	scanned := c.relation("ducklake_file_column_stats")
	request := relation.ScanRequest{
		Columns:    []int{0, 1, 2, 6},
		Predicates: c.predicates(scanned.Definition(), []where{{"column_id", column}, {"table_id", table}}),
	}
	c.scan(scanned, request, func(batch *relation.Batch, i int) {
		row := batch.Row(i)
		if row[1].Int() == int64(table) && row[2].Int() == int64(column) {
			files = append(files, row[0].Int())
		}
	})
	return files
}

func TestMaximumOfTheSnapshotsIsKnown(t *testing.T) {
	l := startedLake(t)
	l.begin().mint(1).commit()
	c := l.begin()
	defer c.rollback()
	check := func(wanted int64, wantKnown bool) {
		t.Helper()
		value, known, err := c.relation("ducklake_snapshot").(relation.Maximal).Maximum(context.Background(), 0)
		if err != nil || known != wantKnown || known && value != relation.Int(wanted) {
			t.Errorf("got %d, %v, %v", value.Int(), known, err)
		}
	}
	check(1, true)
	c.insert("ducklake_snapshot", 4, instantValue, 1, 1, 1)
	check(4, true)
	c.delete("ducklake_snapshot", where{"snapshot_id", 1})
	check(0, false)
}

// inlinedRowOf is a row of inlinedDefinition.
func inlinedRowOf(row, begin int, end any) []any {
	return []any{
		row, begin, end, true, 1, 2, 3, 0.5, 1.25, "text", "\x00\xff", mainUUID, "1.50", 1000,
		relation.TimeWithZone(1000, -3600), relation.Interval(1, 2, 3), "{}",
	}
}

func TestInlinedChunksAreArrowRecordBatches(t *testing.T) {
	l := startedLake(t)
	c := l.begin().mint(1)
	c.create(inlinedDefinition("ducklake_inlined_data_7_1"))
	for row := range 3 {
		c.insert("ducklake_inlined_data_7_1", inlinedRowOf(row, 1, nil)...)
	}
	nulls := append([]any{5, 1, nil}, make([]any, len(inlinedUserColumns))...)
	c.insert("ducklake_inlined_data_7_1", nulls...)
	c.commit()
	records := l.dump()
	schema := storedRecord[keyspace.InlineSchemaValue](t, records, keyspace.InlineSchemaKey(7, 1))
	for sequence, rows := range []int64{3, 1} {
		chunk := storedRecord[keyspace.InlineChunkValue](t, records, keyspace.InlineInsertKey(7, 1, 1, uint64(sequence)))
		last := chunk.RowIDStart + chunk.RowCount - 1
		storedRecord[keyspace.InlineChunkRangeValue](t, records, keyspace.InlineChunkLocatorKey(7, last, 1, 1, uint64(sequence)))
		reader, err := ipc.NewReader(bytes.NewReader(streamOf(schema.ArrowSchema, chunk.Body)))
		if err != nil {
			t.Fatal(err)
		}
		batch, err := reader.Read()
		if err != nil {
			t.Fatal(err)
		}
		if batch.NumRows() != rows || batch.NumCols() != int64(len(inlinedUserColumns)) {
			t.Errorf("%d rows, %d columns", batch.NumRows(), batch.NumCols())
		}
		if sequence == 0 {
			if text := batch.Column(6).(*array.String).Value(2); text != "text" {
				t.Errorf("text %q", text)
			}
			if price := batch.Column(9).(*array.Decimal128).ValueStr(0); price != "1.5" && price != "1.50" {
				t.Errorf("decimal %s", price)
			}
		} else if batch.Column(4).NullN() != 1 {
			t.Error("NULL is not NULL")
		}
	}
}

// streamOf makes an Arrow stream of a schema and a chunk.
func streamOf(schema, body []byte) []byte {
	stream := bytes.TrimSuffix(schema, []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0})
	length := binary.LittleEndian.Uint32(body)
	stream = append(append([]byte(nil), stream...), 0xff, 0xff, 0xff, 0xff)
	stream = binary.LittleEndian.AppendUint32(stream, length)
	return append(append(stream, body[lengthPrefix:]...), 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0)
}

func TestFlushRemovesChunksLocatorsAndTombstones(t *testing.T) {
	l := startedLake(t)
	c := l.begin().mint(1)
	c.create(inlinedDefinition("ducklake_inlined_data_7_1"))
	c.insert("ducklake_inlined_data_tables", 7, "ducklake_inlined_data_7_1", 1)
	for row := range 3 {
		c.insert("ducklake_inlined_data_7_1", inlinedRowOf(row, 1, nil)...)
	}
	c.commit()
	update := l.begin().mint(2)
	update.insert("ducklake_inlined_data_7_1", inlinedRowOf(1, 2, nil)...)
	update.update("ducklake_inlined_data_7_1", "end_snapshot", 2, where{"row_id", 1}, where{"begin_snapshot", 1})
	update.commit()
	records := l.dump()
	storedRecord[keyspace.InlineInlineDeleteValue](t, records, keyspace.InlineRowTombstoneKey(7, 1, 2))
	part := l.begin()
	part.delete("ducklake_inlined_data_7_1", where{"row_id", 2})
	part.commit()
	reader := l.begin()
	reader.want("ducklake_inlined_data_7_1", inlinedRowOf(0, 1, nil), inlinedRowOf(1, 1, 2), inlinedRowOf(1, 2, nil))
	reader.rollback()
	flush := l.begin().mint(3)
	flush.delete("ducklake_inlined_data_7_1")
	flush.commit()
	for raw := range l.dump() {
		key, err := keyspace.DecodeKey([]byte(raw))
		if err == nil && key.Kind().Subspace() == keyspace.SubspaceInline && key.Kind() != keyspace.KindInlineSchema {
			t.Errorf("%s is left", key)
		}
	}
}

func TestDroppedInlinedTableCanBeMadeAgain(t *testing.T) {
	l := startedLake(t)
	const name = "ducklake_inlined_data_7_1"
	c := l.begin()
	c.create(inlinedDefinition(name))
	c.insert("ducklake_inlined_data_tables", 7, name, 1)
	c.insert(name, inlinedRowOf(0, 1, nil)...)
	c.commit()
	drop := l.begin()
	drop.delete("ducklake_inlined_data_tables", where{"table_id", 7})
	if err := drop.domain.DropTable(context.Background(), name); err != nil {
		t.Fatal(err)
	}
	drop.commit()
	if got := *storedRecord[keyspace.InlineSchemaDroppedValue](t, l.dump(), keyspace.InlineSchemaDroppedKey(7, 1)); got.TableKept {
		t.Error("the marker says that the table is there")
	}
	again := l.begin()
	if found := again.relation(name); !relation.IsDropped(found) {
		t.Error("the dropped table does not say so")
	}
	again.want("ducklake_inlined_data_tables")
	if rows := again.find(name); len(rows) != 0 {
		t.Errorf("%d rows", len(rows))
	}
	again.create(inlinedDefinition(name))
	again.insert(name, inlinedRowOf(4, 2, nil)...)
	again.commit()
	if got := *storedRecord[keyspace.InlineSchemaDroppedValue](t, l.dump(), keyspace.InlineSchemaDroppedKey(7, 1)); !got.TableKept {
		t.Error("the marker says that the table is not there")
	}
	last := l.begin()
	last.want(name, inlinedRowOf(4, 2, nil))
	last.insert("ducklake_inlined_data_tables", 7, name, 1)
	last.commit()
	if _, found := l.dump()[string(keyspace.InlineSchemaDroppedKey(7, 1).Bytes())]; found {
		t.Error("a registered table has a marker")
	}
}

func TestTablesThatAreNotDuckLakesAreNotTaken(t *testing.T) {
	l := startedLake(t)
	c := l.begin()
	defer c.rollback()
	plain := func(name string, columns ...relation.Column) *relation.Definition {
		return &relation.Definition{Name: name, Columns: columns}
	}
	array := relation.Column{Name: "a", Type: relation.Type{OID: 1007, Modifier: -1}}
	for _, definition := range []*relation.Definition{
		plain("ducklake_tag", relation.Column{Name: "object_id", Type: relation.TextType}),
		plain("ducklake_inlined_data_1_1", inlinedHead[0], inlinedHead[1], array, array),
		plain("ducklake_inlined_data_1_1", inlinedHead[0], inlinedHead[1], inlinedHead[2], array),
		plain("ducklake_inlined_data_01_1", inlinedDefinition("").Columns...),
		plain("ducklake_inlined_delete_1", inlinedHead[0]),
		plain("orders", relation.Column{Name: "id", Type: relation.Int8Type}),
	} {
		if taken, err := c.domain.CreateTable(context.Background(), definition); taken || err != nil {
			t.Errorf("%s: taken %v, %v", definition.Name, taken, err)
		}
	}
}

func TestCorruptRecordNamesLakeAndKey(t *testing.T) {
	l := startedLake(t)
	batch := &store.Batch{}
	batch.Put(keyspace.ViewEntity(5).Current().Bytes(), []byte("garbage"))
	if err := l.store.Commit(context.Background(), batch); err != nil {
		t.Fatal(err)
	}
	c := l.begin()
	defer c.rollback()
	cursor, err := c.relation("ducklake_view").Scan(context.Background(), relation.ScanRequest{Columns: []int{0}})
	if err == nil {
		_, err = cursor.Next(context.Background())
		cursor.Close()
	}
	if known := pgerror.From(err); known.Code != pgerror.DataCorrupted || !slices.Contains([]string{
		`lake "public": record current/view(5) is corrupt: keyspace: corrupt: ViewValue starts with 67617262: expected 4d524e45`,
	}, known.Message) {
		t.Errorf("got %v", known)
	}
	c.find("ducklake_table")
}

func TestWholeTableComesInTheOrderOfInsertion(t *testing.T) {
	l := startedLake(t)
	c := l.begin().mint(1)
	for id := range 9 {
		c.insertFile(id, 3-id%3, 1)
	}
	c.commit()
	reader := l.begin()
	defer reader.rollback()
	for i, found := range reader.find("ducklake_data_file") {
		if found.row[0] != relation.Int(int64(i)) {
			t.Errorf("file %d at place %d", found.row[0].Int(), i)
		}
	}
}
