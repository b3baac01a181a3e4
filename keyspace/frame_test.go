package keyspace

import (
	"bytes"
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestFramesOfTheSpecification(t *testing.T) {
	cases := []struct {
		key   Key
		value Message
		want  string
	}{
		{FormatKey(), &FormatValue{FormatVersion: 9, WriterVersion: "0.7.0"}, "4d524e4500" + "0809" + "1205302e372e30"},
		{HeadKey(), &HeadValue{}, "4d524e4500"},
		{InlineFileDeleteTableKey(1), &InlineFileDeleteTableValue{}, "4d524e4500"},
		{InlineSchemaDroppedKey(1, 2), &InlineSchemaDroppedValue{}, "4d524e4500"},
		{InlineSchemaDroppedKey(1, 2), &InlineSchemaDroppedValue{TableKept: true}, "4d524e4500" + "c03e01"},
		{IndexUniqueKey(1, nil), &IndexUniqueValue{RowID: 2}, "0000000000000002"},
		{IndexMultiKey(1, nil, 2), &EmptyValue{}, ""},
		{NameKey(NameOfSchema, 0, "main", 0), &EmptyValue{}, ""},
		{DeleteTargetKey(1, 2, 3), &EmptyValue{}, ""},
		{ChangelogKey(1), &ChangelogValue{}, "4d524e4500"},
		{SnapshotKey(0), &SnapshotValue{DeletesUntargetedFiles: true}, "4d524e4500" + "7001"},
	}
	for _, test := range cases {
		value, err := EncodeValue(test.key, test.value)
		if err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(value); got != test.want {
			t.Errorf("%s: got %s, want %s", test.key, got, test.want)
		}
		if _, err := DecodeValue(test.key, value); err != nil {
			t.Error(err)
		}
	}
}

func TestValuesThatAreRefused(t *testing.T) {
	const frame = "4d524e4500"
	head, snapshot, table := HeadKey(), SnapshotKey(1), TableEntity(1).Current()
	cases := []struct {
		name   string
		key    Key
		value  string
		reason string
	}{
		{"empty", head, "", "frame"},
		{"a frame cut short", head, "4d524e45", "frame"},
		{"another magic", head, "4d524e4600", "4d524e46"},
		{"another magic before a message", head, "0000000000" + "0801", "00000000"},
		{"a newer encoding", head, "4d524e4501", "version 1"},
		{"an encoding of the far future", head, "4d524e45ff", "version 255"},
		{"a varint cut short", head, frame + "0880", "field 1: malformed varint"},
		{"a varint of more than 64 bits", head, frame + "08ffffffffffffffffff7f", "field 1: malformed varint"},
		{"a tag without a field", head, frame + "08", "field 1: malformed varint"},
		{"a tag cut short", head, frame + "80", "malformed tag"},
		{"field number 0", head, frame + "0001", "malformed tag"},
		{"a field number beyond all", head, frame + "fcffffffff0f01", "malformed tag"},
		{"a string for a number", head, frame + "0a0161", "field 1: unexpected wire type"},
		{"a number for a string", table, frame + "1001", "field 2: unexpected wire type"},
		{"a fixed number for a varint", head, frame + "090000000000000000", "field 1: unexpected wire type"},
		{"a length beyond the end", table, frame + "120561", "field 2: length beyond the end"},
		{"a length of more than all memory", table, frame + "12ffffffffffffffffff0161", "field 2: length beyond the end"},
		{"a string that is not UTF-8", table, frame + "1201ff", "field 2: not UTF-8"},
		{"a surrogate in a string", table, frame + "1203eda080", "field 2: not UTF-8"},
		{"a packed list cut short", snapshot, frame + "5a0180", "field 11: malformed varint"},
		{"a packed list of booleans cut short", IndexEntity(1, 2).Current(), frame + "720180", "field 14: malformed varint"},
		{"a string for an element", snapshot, frame + "5d00000000", "field 11: unexpected wire type"},
		{"an unknown field cut short", head, frame + "a20605", "field 100: malformed unknown field"},
		{"the end of a group that never began", head, frame + "a406", "field 100: malformed unknown field"},
		{"an unknown wire type", head, frame + "a706", "field 100: malformed unknown field"},
		{"an embedded message that is wrong", ColumnEntity(1, 1).Current(), frame + "7202" + "0880", "field 14: field 1: malformed varint"},
		{"an embedded message beyond the end", ColumnEntity(1, 1).Current(), frame + "7205" + "0801", "field 14: length beyond the end"},
		{"an extension that is wrong", table, frame + "c23e02" + "0aff", "field 1000: field 1: "},
		{"a row id of 7 bytes", IndexUniqueKey(1, nil), "00000000000000", "row id of 8"},
		{"a row id in a frame", IndexUniqueKey(1, nil), frame + "0000000000000000", "row id of 8"},
		{"a frame where nothing belongs", DeleteTargetKey(1, 2, 3), frame, "expected none"},
		{"a value without a key", Key{}, frame, "without a key"},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			m, err := DecodeValue(test.key, unhex(t, test.value))
			if !errors.Is(err, ErrCorrupt) || m != nil {
				t.Fatalf("decoded as %v, error %v", m, err)
			}
			if !strings.Contains(err.Error(), test.reason) {
				t.Errorf("error %q does not say %q", err, test.reason)
			}
		})
	}
}

func TestErrorsNameTheKeyAndTheMessage(t *testing.T) {
	_, err := DecodeValue(DataFileEntity(1, 2).Current(), []byte("MRNE\x00\x08"))
	const want = "current/file(1,2): keyspace: corrupt: DataFileValue: field 1: malformed varint"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestAMessageIsStoredOnlyUnderItsKeys(t *testing.T) {
	for _, key := range []Key{HeadKey(), {}, TableEntity(1).History(2)} {
		if value, err := EncodeValue(key, &FormatValue{}); err == nil {
			t.Errorf("a format under %s: %x", key, value)
		}
	}
}

func TestFieldsOfLaterVersionsAreSkipped(t *testing.T) {
	// Field 100 as varint, 64 bits, string, group and 32 bits, around the known field 1.
	value := unhex(t, "4d524e4500"+"a00601"+"a1060102030405060708"+"0807"+"a2060161"+"a306"+"0801"+"a406"+"a50601020304")
	m, err := DecodeValue(SnapshotKey(1), value)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.(*SnapshotValue); got.SnapshotID != 7 {
		t.Errorf("got %+v", got)
	}
}

func TestHeadAndFormatKeepFieldsOfLaterVersions(t *testing.T) {
	later := "a00601" + "a1060102030405060708" + "a2060161" + "a306" + "0801" + "a406" + "a50601020304"
	for _, key := range []Key{HeadKey(), FormatKey()} {
		m, err := DecodeValue(key, unhex(t, "4d524e4500"+later[:6]+"0807"+later[6:]))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := AppendMessage(nil, m), unhex(t, "4d524e4500"+"0807"+later); !bytes.Equal(got, want) {
			t.Errorf("%s: written again as %x, not %x", key, got, want)
		}
		again, err := DecodeValue(key, AppendMessage(nil, m))
		if err != nil || !reflect.DeepEqual(again, m) {
			t.Errorf("%s: read again as %+v, not %+v, %v", key, again, m, err)
		}
	}
}

func TestListsAreReadPackedAndUnpacked(t *testing.T) {
	cases := []struct {
		key       Key
		payload   string
		canonical string
	}{
		{SnapshotKey(1), "5a03030405", "5a03030405"},
		{SnapshotKey(1), "580358045805", "5a03030405"},
		{SnapshotKey(1), "5a020304" + "5805", "5a03030405"},
		{SnapshotKey(1), "5a00", ""},
		{IndexEntity(1, 2).Current(), "72020100", "72020100"},
		{IndexEntity(1, 2).Current(), "70017000", "72020100"},
		{IndexEntity(1, 2).Current(), "7201057000", "72020100"},
	}
	for _, test := range cases {
		m, err := DecodeValue(test.key, unhex(t, "4d524e4500"+test.payload))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := EncodeValue(test.key, m); err != nil || hex.EncodeToString(got[frameSize:]) != test.canonical {
			t.Errorf("%s: written as %x, want %s, error %v", test.payload, got, test.canonical, err)
		}
	}
}

func TestOptionsAreWrittenInTheOrderOfTheirKeys(t *testing.T) {
	unordered := &OptionScopeValue{Options: []OptionEntry{{Key: "b", Value: "1"}, {Key: "a", Value: "2"}}}
	ordered := &OptionScopeValue{}
	ordered.Put(OptionEntry{Key: "b", Value: "0"})
	ordered.Put(OptionEntry{Key: "c", Value: "3"})
	ordered.Put(OptionEntry{Key: "a", Value: "2"})
	ordered.Put(OptionEntry{Key: "b", Value: "1"})
	if !ordered.Remove("c") || ordered.Remove("c") {
		t.Error("an option is removed once")
	}
	a, b := AppendMessage(nil, unordered), AppendMessage(nil, ordered)
	if !bytes.Equal(a, b) || !bytes.Contains(a, []byte("\x01a\x12\x012\x0a\x06\x0a\x01b")) {
		t.Errorf("got %q and %q", a, b)
	}
	if value, found := ordered.Get("b"); !found || value != "1" {
		t.Errorf("option b is %q, found %t", value, found)
	}
	if _, found := ordered.Get("c"); found {
		t.Error("option c is found")
	}
}

func TestOfEqualOptionsTheLastOneCounts(t *testing.T) {
	value := unhex(t, "4d524e4500"+"0a060a0162120131"+"0a060a0161120132"+"0a060a0162120133")
	var options OptionScopeValue
	if err := DecodeMessage(value, &options); err != nil {
		t.Fatal(err)
	}
	if b, _ := options.Get("b"); len(options.Options) != 2 || b != "3" {
		t.Errorf("got %+v", options.Options)
	}
}
