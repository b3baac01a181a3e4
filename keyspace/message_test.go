package keyspace

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

func TestRandomMessagesOfEveryKindComeBack(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for _, kind := range Kinds() {
		reused, reusedAliased := NewMessage(kind), NewMessage(kind)
		for range randomCases {
			key, m := randomKey(random, kind), randomMessage(random, kind)
			value, err := EncodeValue(key, m)
			if err != nil {
				t.Fatal(err)
			}
			got, err := DecodeValue(key, value)
			if err != nil || !reflect.DeepEqual(got, m) {
				t.Fatalf("%s:\nwrote %+v\n read %+v, error %v", key, m, got, err)
			}
			if err := DecodeMessage(value, reused); err != nil || !reflect.DeepEqual(describe(reused), describe(m)) {
				t.Fatalf("%s into a used message:\nwrote %+v\n read %+v, error %v", key, m, reused, err)
			}
			if err := DecodeMessageAliased(value, reusedAliased); err != nil || !reflect.DeepEqual(describe(reusedAliased), describe(m)) {
				t.Fatalf("%s aliased:\nwrote %+v\n read %+v, error %v", key, m, reusedAliased, err)
			}
			if again := AppendMessage([]byte("before"), reusedAliased); !bytes.Equal(again, append([]byte("before"), value...)) {
				t.Fatalf("%s: %x written again as %x", key, value, again)
			}
		}
	}
}

func TestOnlyAliasedMessagesLieInTheValue(t *testing.T) {
	value := AppendMessage(nil, &DataFileValue{Path: "a.parquet", EncryptionKey: Some("key")})
	var copied, aliased DataFileValue
	if err := DecodeMessage(value, &copied); err != nil {
		t.Fatal(err)
	}
	if err := DecodeMessageAliased(value, &aliased); err != nil {
		t.Fatal(err)
	}
	clear(value)
	if copied.Path != "a.parquet" || copied.EncryptionKey != Some("key") {
		t.Errorf("the copied message changed with the value: %+v", copied)
	}
	inside := uintptr(unsafe.Pointer(unsafe.StringData(aliased.Path))) - uintptr(unsafe.Pointer(&value[0]))
	if inside >= uintptr(len(value)) || aliased.Path != strings.Repeat("\x00", 9) {
		t.Errorf("the aliased path lies outside the value, or was copied: %q", aliased.Path)
	}
}

// hotMessages are messages that scans read by the thousands, with all their fields.
func hotMessages() []Message {
	return []Message{
		&DataFileValue{DataFileID: 100000, TableID: 7, BeginSnapshot: 4000, EndSnapshot: Some(uint64(4001)), FileOrder: Some(uint64(1)),
			Path: "ducklake-01980e6a-5a5e-7a0b-8c5a-3b8d6f0f1c2d.parquet", PathIsRelative: true, FileFormat: "parquet",
			RecordCount: 122880, FileSizeBytes: 5 << 20, FooterSize: 1200, RowIDStart: Some(uint64(1 << 33)),
			PartitionID: Some(uint64(3)), PartialMax: Some(uint64(4000)),
			PartitionValues: []FilePartitionValue{{PartitionValue: "2024"}, {PartitionKeyIndex: 1, PartitionValue: "EU"}}},
		&FileColumnStatsValue{DataFileID: 100000, TableID: 7, ColumnID: 12, ColumnSizeBytes: 40000, ValueCount: 122880, NullCount: 12,
			MinValue: Some("2024-01-01 00:00:00"), MaxValue: Some("2024-01-02 00:00:00"), ContainsNaN: Some(false)},
		&DeleteFileValue{DeleteFileID: 100001, TableID: 7, BeginSnapshot: 4001, DataFileID: 100000, Path: "d.parquet", Format: "parquet"},
		&TableColumnStatsValue{TableID: 7, ColumnID: 12, ContainsNull: Some(true), MinValue: Some("1"), MaxValue: Some("99")},
		&TableStatsValue{TableID: 7, RecordCount: 1 << 40, NextRowID: 1 << 40, FileSizeBytes: 1 << 50},
		&SchemaValue{SchemaUUID: "a913d714-1285-46e6-97bd-6b7b910928e9", SchemaName: "main", Path: "main/", PathIsRelative: true},
		&TableValue{TableID: 7, TableUUID: "a913d714-1285-46e6-97bd-6b7b910928e9", TableName: "orders", Path: "orders/"},
		&ViewValue{ViewID: 8, ViewName: "v", Dialect: "duckdb", SQL: "SELECT 1", ColumnAliases: Some("a")},
		&ColumnValue{ColumnID: 12, TableID: 7, ColumnName: "amount", ColumnType: "decimal(10,2)", DefaultValue: Some("0"),
			Tags: []ColumnTag{{Key: "comment", Value: "in cents"}}},
		&SnapshotValue{SnapshotID: 4000, SnapshotTimeMicros: 1796013405798400, ChangesMade: "inserted_into_table:7", Author: Some("a"),
			SchemaChangedTableIDs: []uint64{1, 2, 3}},
		&SchemaVersionValue{SchemaVersion: 12},
		&InlineChunkValue{Body: []byte("rows"), RowIDStart: 1, RowCount: 2},
		&InlineInlineDeleteValue{EndSnapshot: 2},
		&TagValue{ObjectID: 7, Entries: []TagEntry{{Key: "comment", Value: "v"}}},
		&ChangelogValue{Keys: [][]byte{HeadKey().Bytes()}},
	}
}

func TestScansDecodeWithoutAllocation(t *testing.T) {
	for _, m := range hotMessages() {
		value := AppendMessage(nil, m)
		reused := reflect.New(reflect.TypeOf(m).Elem()).Interface().(Message)
		allocations := testing.AllocsPerRun(100, func() {
			if err := DecodeMessageAliased(value, reused); err != nil {
				t.Fatal(err)
			}
		})
		if allocations != 0 {
			t.Errorf("%s: %v allocations for a value", m.name(), allocations)
		}
	}
}

func TestWritingIntoAReadyBufferDoesNotAllocate(t *testing.T) {
	buffer := make([]byte, 0, 4096)
	for _, m := range hotMessages() {
		if allocations := testing.AllocsPerRun(100, func() { buffer = AppendMessage(buffer[:0], m) }); allocations != 0 {
			t.Errorf("%s: %v allocations", m.name(), allocations)
		}
	}
}

func TestExtensionsCostNothingWhenAbsent(t *testing.T) {
	row := TableStatsValue{TableID: 1}
	plain := AppendMessage(nil, &row)
	row.Extension = RowExtension{NullColumns: []string{}, ExtraColumns: []ExtraColumn{}}
	if got := AppendMessage(nil, &row); !bytes.Equal(got, plain) {
		t.Errorf("an empty extension is written: %x", got)
	}
	row.Extension.NullColumns = []string{"record_count"}
	row.Extension.ExtraColumns = []ExtraColumn{{Name: "row_group_count", Value: Some("\xff\x01")}, {Name: "later"}}
	var got TableStatsValue
	if err := DecodeMessage(AppendMessage(nil, &row), &got); err != nil || !reflect.DeepEqual(got, row) {
		t.Errorf("got %+v, error %v", got, err)
	}
	if kept := got.Extension.ExtraColumns; !kept[0].Value.Set || kept[1].Value.Set {
		t.Errorf("an empty string and NULL are not told apart: %+v", kept)
	}
}

func BenchmarkDecodeDataFile(b *testing.B) { benchmarkDecode(b, &DataFileValue{}) }

func BenchmarkDecodeFileColumnStats(b *testing.B) { benchmarkDecode(b, &FileColumnStatsValue{}) }

func BenchmarkDecodeSnapshot(b *testing.B) { benchmarkDecode(b, &SnapshotValue{}) }

func benchmarkDecode(b *testing.B, reused Message) {
	hot := hotMessages()
	i := slices.IndexFunc(hot, func(m Message) bool { return m.name() == reused.name() })
	value := AppendMessage(nil, hot[i])
	b.SetBytes(int64(len(value)))
	b.ReportAllocs()
	for b.Loop() {
		if err := DecodeMessageAliased(value, reused); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeKeyOfFileColumnStats(b *testing.B) {
	encoded := FileColumnStatsEntity(7, 100000, 12).Current().Bytes()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeKey(encoded); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeFileColumnStats(b *testing.B) {
	m := hotMessages()[1]
	buffer := make([]byte, 0, 256)
	b.ReportAllocs()
	for b.Loop() {
		buffer = AppendMessage(buffer[:0], m)
	}
}
