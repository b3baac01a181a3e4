package inspect

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"moraine/internal/golden"
	"moraine/keyspace"
	"moraine/store"
	"moraine/store/memory"
)

// recorded gives a file of the golden store.
func recorded(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "testdata", "golden", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// lakeOf makes a lake of pairs, each a key and a value.
func lakeOf(t *testing.T, pairs ...[2][]byte) store.Snapshot {
	t.Helper()
	batch := &store.Batch{}
	for _, pair := range pairs {
		batch.Put(pair[0], pair[1])
	}
	lake := memory.NewStore()
	if err := lake.Commit(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	snapshot, err := lake.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = snapshot.Close() })
	return snapshot
}

// goldenLake is the store that the original implementation wrote.
func goldenLake(t *testing.T) store.Snapshot {
	t.Helper()
	var pairs [][2][]byte
	for key, value := range golden.Records(t) {
		pairs = append(pairs, [2][]byte{[]byte(key), []byte(value)})
	}
	return lakeOf(t, pairs...)
}

func TestTheGoldenStoreIsDumpedAsItWasRecorded(t *testing.T) {
	lake := goldenLake(t)
	var lines bytes.Buffer
	if err := DumpHex(t.Context(), lake, &lines); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(lines.Bytes(), recorded(t, "dump.tsv")) {
		t.Errorf("got\n%s", lines.String())
	}
	census, err := Take(t.Context(), lake)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(lines.Bytes())
	if census.Checksum != hex.EncodeToString(sum[:]) {
		t.Errorf("the checksum %s is not that of the dump", census.Checksum)
	}
}

func TestTheGoldenStoreIsDecodedAsByAnIndependentReader(t *testing.T) {
	var lines bytes.Buffer
	if undecoded, err := DumpDecoded(t.Context(), goldenLake(t), &lines); undecoded > 0 || err != nil {
		t.Fatalf("%d records were not decoded, error %v", undecoded, err)
	}
	got := strings.Split(lines.String(), "\n")
	want := strings.Split(string(recorded(t, "decoded.jsonl")), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	for i := range want[:len(want)-1] {
		if g, w := parse(t, got[i]), parse(t, want[i]); !reflect.DeepEqual(g, w) {
			t.Errorf("got  %v\nwant %v", g, w)
		}
	}
}

// parse reads a line. What the recorded lines show in their own way is made alike: the options of a scope, and a list of
// keys that is empty.
func parse(t *testing.T, line string) (record map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(line), &record); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	delete(record, "reserialized_differs")
	value, _ := record["value"].(map[string]any)
	if options, is := value["options"].([]any); is {
		named := map[string]any{}
		for _, option := range options {
			pair := option.(map[string]any)
			named[pair["key"].(string)] = pair["value"]
		}
		value["options"] = named
	}
	if keys, is := value["keys"].([]any); is && len(keys) == 0 {
		delete(value, "keys")
	}
	return record
}

func TestWhatIsNotACatalogRecordIsDumpedToo(t *testing.T) {
	pair := func(key, value string) [2][]byte { return [2][]byte{[]byte(key), []byte(value)} }
	lake := lakeOf(t,
		pair("\x02\x02", "MRNE\x00\x08\x0c"),
		pair("\x02\x03", "no frame"),
		pair("\x04", ""),
		pair("\xe2\x01name", "\x00\x01"),
		pair("rada", `{"name": "ada",
			"login": true}`),
	)
	var lines bytes.Buffer
	undecoded, err := DumpDecoded(t.Context(), lake, &lines)
	want := `{"kind":"sys/format","components":[],"framed":true,"value":{"format_version":"12"}}
{"error":"sys/head: keyspace: corrupt: HeadValue starts with 6e6f2066: expected 4d524e45","key":"0203","raw_value":"6e6f206672616d65"}
{"error":"keyspace: corrupt: key 04: no such kind of key","key":"04","raw_value":""}
{"kind":"0x72","key":"72616461","key_text":"rada","value":{"name":"ada","login":true}}
{"kind":"user_table","key":"e2016e616d65","key_text":"..name","raw_value":"0001"}
`
	if lines.String() != want || undecoded != 2 || err != nil {
		t.Errorf("%d records were not decoded, error %v; got\n%swant\n%s", undecoded, err, lines.String(), want)
	}
}

func TestCensusAndSummary(t *testing.T) {
	lake := goldenLake(t)
	census, err := Take(t.Context(), lake)
	if err != nil {
		t.Fatal(err)
	}
	var keys, bytes int64
	for i, count := range census.Subspaces {
		keys, bytes = keys+count.Keys, bytes+count.Bytes
		if i > 0 && count.Subspace <= census.Subspaces[i-1].Subspace {
			t.Errorf("%s comes after %s", count.Subspace, census.Subspaces[i-1].Subspace)
		}
	}
	if census.Keys != 160 || census.Bytes != (22910-2*160)/2 || keys != census.Keys || bytes != census.Bytes {
		t.Errorf("%+v", census)
	}
	if first := census.Subspaces[0]; first.Subspace != keyspace.SubspaceSystem || first.Keys != 3 {
		t.Errorf("%+v", first)
	}
	summary, err := Summarize(t.Context(), lake)
	want := Summary{
		Format: keyspace.Some(keyspace.FormatValue{FormatVersion: 9, WriterVersion: "0.7.0"}),
		Head:   keyspace.Some(keyspace.HeadValue{SnapshotID: 22, BatchSequence: 24}),
	}
	if err != nil || !reflect.DeepEqual(summary, want) {
		t.Errorf("%+v, error %v", summary, err)
	}
}

func TestAnEmptyLakeAndADamagedOne(t *testing.T) {
	sum := sha256.Sum256(nil)
	if census, err := Take(t.Context(), lakeOf(t)); err != nil || census.Keys != 0 || census.Checksum != hex.EncodeToString(sum[:]) {
		t.Errorf("%+v, %v", census, err)
	}
	if summary, err := Summarize(t.Context(), lakeOf(t)); err != nil || summary.Format.Set || summary.Head.Set || summary.Migration.Set {
		t.Errorf("%+v, %v", summary, err)
	}
	damaged := lakeOf(t, [2][]byte{keyspace.FormatKey().Bytes(), []byte("x")})
	if _, err := Summarize(t.Context(), damaged); !errors.Is(err, keyspace.ErrCorrupt) || !strings.Contains(err.Error(), "sys/format") {
		t.Errorf("error %v", err)
	}
}

func TestACancelledDumpEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var pairs [][2][]byte
	for i := range 3 * cancelInterval {
		pairs = append(pairs, [2][]byte{{0xe2, byte(i >> 8), byte(i)}, nil})
	}
	written := 0
	err := DumpHex(ctx, lakeOf(t, pairs...), writerFunc(func(line []byte) (int, error) {
		written++
		cancel()
		return len(line), nil
	}))
	if !errors.Is(err, context.Canceled) || written > cancelInterval {
		t.Errorf("%d lines, error %v", written, err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
