package keyspace

import "testing"

func TestPeekFindsWhatDecodingFinds(t *testing.T) {
	value := AppendMessage(nil, &DataFileValue{
		DataFileID: 7, BeginSnapshot: 300, Path: "a path", RecordCount: 1 << 40, FileSizeBytes: 12,
		PartitionValues: []FilePartitionValue{{PartitionKeyIndex: 3, PartitionValue: "x"}},
	})
	for field, want := range map[int]uint64{1: 7, 2: 0, 3: 300, 9: 1 << 40, 10: 12, 11: 0} {
		if got, ok := PeekUint64(value, field); got != want || !ok {
			t.Errorf("field %d: %d, %v, want %d", field, got, ok, want)
		}
	}
	if got, ok := PeekUint64(append(value, 3<<3, 5), 3); got != 5 || !ok {
		t.Errorf("of a field that comes twice the last counts: got %d, %v", got, ok)
	}
	for _, wrong := range [][]byte{nil, value[:4], value[1:], value[:len(value)-1], append(value[:len(value):len(value)], 0xff)} {
		if _, ok := PeekUint64(wrong, 3); ok {
			t.Errorf("%x is taken for well formed", wrong)
		}
	}
	if _, ok := PeekUint64(value, 6); ok {
		t.Error("a text is taken for a number")
	}
}
