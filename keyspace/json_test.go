package keyspace

import "testing"

func TestJSONShowsWhatIsOnTheWire(t *testing.T) {
	tests := []struct {
		message Message
		want    string
	}{
		{&FormatValue{}, `{}`},
		{&FormatValue{FormatVersion: 1<<64 - 1, WriterVersion: "a\"b\\c\nd\x7f<é>"},
			`{"format_version":"18446744073709551615","writer_version":"a\"b\\c\u000ad\u007f<é>"}`},
		{&MigrationValue{Cursor: []byte{0x00, 0xff}}, `{"cursor":"00ff"}`},
		{&SnapshotValue{SnapshotTimeMicros: -1, Author: Some(""), SchemaChangedTableIDs: []uint64{0, 7}},
			`{"snapshot_time_micros":"-1","author":"","schema_changed_table_ids":["0","7"]}`},
		{&SchemaVersionValue{Extension: RowExtension{ExtraColumns: []ExtraColumn{{Name: "x", Value: Some("\xff")}}}},
			`{"extension":{"extra_columns":[{"name":"x","value":{"hex":"ff"}}]}}`},
	}
	for _, test := range tests {
		if got := string(AppendJSON(nil, test.message)); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

func TestJSONOfARecord(t *testing.T) {
	tests := []struct {
		key     Key
		message Message
		want    string
	}{
		{HeadKey(), &HeadValue{SnapshotID: 2}, `{"kind":"sys/head","components":[],"framed":true,"value":{"snapshot_id":"2"}}`},
		{NameKey(NameOfTable, 1, "a", 5), &EmptyValue{}, `{"kind":"name","components":[1,1,"61",5],"framed":false,"raw_value":""}`},
	}
	for _, test := range tests {
		if got := string(AppendRecordJSON(nil, test.key, test.message)); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}
