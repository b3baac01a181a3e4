package keyspace

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// readGolden gives the lines of a golden file, split at tabs.
func readGolden(t *testing.T, file string) [][]string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "testdata", "golden", file))
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	scanner := bufio.NewScanner(bytes.NewReader(content))
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		lines = append(lines, strings.Split(scanner.Text(), "\t"))
	}
	if err := scanner.Err(); err != nil || len(lines) == 0 {
		t.Fatalf("%s: %d lines, error %v", file, len(lines), err)
	}
	return lines
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	decoded, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

type storedRecord struct {
	key        Key
	keyBytes   []byte
	valueBytes []byte
	message    Message
}

func readDump(t *testing.T) []storedRecord {
	t.Helper()
	var records []storedRecord
	for _, line := range readGolden(t, "dump.tsv") {
		record := storedRecord{keyBytes: unhex(t, line[0]), valueBytes: unhex(t, line[1])}
		var err error
		if record.key, err = DecodeKey(record.keyBytes); err != nil {
			t.Fatal(err)
		}
		if record.message, err = DecodeValue(record.key, record.valueBytes); err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
	}
	return records
}

func TestEveryRecordOfTheOriginalIsWrittenWithTheSameBytes(t *testing.T) {
	for _, record := range readDump(t) {
		if got := record.key.Bytes(); !bytes.Equal(got, record.keyBytes) {
			t.Errorf("%s: got key %x, want %x", record.key, got, record.keyBytes)
		}
		got, err := EncodeValue(record.key, record.message)
		if err != nil {
			t.Fatal(err)
		}
		if record.key == OptionEntity(ScopeGlobal, 0).Current() {
			got, record.valueBytes = sortedBytes(got), sortedBytes(record.valueBytes)
		}
		if !bytes.Equal(got, record.valueBytes) {
			t.Errorf("%s: got value %x, want %x", record.key, got, record.valueBytes)
		}
	}
}

// sortedBytes makes two records equal that differ in the order of map entries.
func sortedBytes(value []byte) []byte { return slices.Sorted(slices.Values(value)) }

func TestDecodedFieldsAgreeWithAnIndependentReader(t *testing.T) {
	records := readDump(t)
	lines := readGolden(t, "decoded.jsonl")
	if len(lines) != len(records) {
		t.Fatalf("%d decoded lines for %d records", len(lines), len(records))
	}
	for i, line := range lines {
		var want struct {
			Kind       string
			Components []any
			Value      map[string]any
			RawValue   *string `json:"raw_value"`
		}
		if err := json.Unmarshal([]byte(strings.Join(line, "\t")), &want); err != nil {
			t.Fatal(err)
		}
		record := records[i]
		if record.key.Kind().String() != want.Kind {
			t.Errorf("%x: got kind %s, want %s", record.keyBytes, record.key.Kind(), want.Kind)
		}
		if got := describeComponents(record.key); !reflect.DeepEqual(got, want.Components) {
			t.Errorf("%x: got components %v, want %v", record.keyBytes, got, want.Components)
		}
		if want.RawValue != nil {
			if got := hex.EncodeToString(record.message.Append(nil)); got != *want.RawValue {
				t.Errorf("%s: got raw value %s, want %s", record.key, got, *want.RawValue)
			}
			continue
		}
		if got := describeRecord(record.message); !reflect.DeepEqual(got, want.Value) {
			t.Errorf("%s:\n got %v\nwant %v", record.key, got, want.Value)
		}
	}
}

// describeComponents gives the components as JSON has them.
func describeComponents(key Key) []any {
	components := []any{}
	for _, component := range key.Kind().Components() {
		if component.isString() {
			components = append(components, hex.EncodeToString([]byte(key.Text())))
			continue
		}
		components = append(components, float64(key.Component(component)))
	}
	return components
}

// describeRecord is describe, but for the two records that decoded.jsonl shows in their own way: options as an object, and
// the keys of a changelog even when there are none.
func describeRecord(m Message) map[string]any {
	fields := describe(m)
	switch value := m.(type) {
	case *OptionScopeValue:
		pairs := map[string]any{}
		for _, option := range value.Options {
			pairs[option.Key] = option.Value
		}
		return map[string]any{"options": pairs}
	case *ChangelogValue:
		if len(value.Keys) == 0 {
			fields["keys"] = []any{}
		}
	}
	return fields
}

func TestDirectoriesOfFormat12FollowFromTheRecords(t *testing.T) {
	var got [][]byte
	for _, record := range readDump(t) {
		switch value := record.message.(type) {
		case *SchemaValue:
			if record.key.Kind() == KindCurrentSchema {
				got = append(got, NameKey(NameOfSchema, 0, value.SchemaName, value.SchemaID).Bytes())
			}
		case *TableValue:
			if record.key.Kind() == KindCurrentTable {
				got = append(got, NameKey(NameOfTable, value.SchemaID, value.TableName, value.TableID).Bytes())
			}
		case *DeleteFileValue:
			if record.key.Kind() == KindCurrentDeleteFile {
				got = append(got, DeleteTargetKey(value.TableID, value.DataFileID, value.DeleteFileID).Bytes())
			}
		}
	}
	slices.SortFunc(got, bytes.Compare)
	want := readGolden(t, "format12_expected.tsv")
	if len(got) != len(want) {
		t.Fatalf("got %d keys, want %d", len(got), len(want))
	}
	for i, line := range want {
		if !bytes.Equal(got[i], unhex(t, line[0])) {
			t.Errorf("got key %x, want %s", got[i], line[0])
		}
		value, err := EncodeValue(mustDecodeKey(t, got[i]), &EmptyValue{})
		if err != nil || hex.EncodeToString(value) != line[1] {
			t.Errorf("%x: got value %x and error %v, want %q", got[i], value, err, line[1])
		}
	}
}

func mustDecodeKey(t *testing.T, encoded []byte) Key {
	t.Helper()
	key, err := DecodeKey(encoded)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
