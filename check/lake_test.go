package check

import (
	"bufio"
	"context"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"moraine/keyspace"
	"moraine/store"
	"moraine/store/memory"
)

// testLake is a lake in memory that tests damage.
type testLake struct {
	testing.TB
	store store.Store
	batch *store.Batch
}

// recordedLake loads the lake that DuckDB made by the statements of testdata/lake.sql.
func recordedLake(t testing.TB) *testLake {
	t.Helper()
	return loadLake(t, "testdata/lake.tsv")
}

// loadLake loads keys and values in hexadecimal.
func loadLake(t testing.TB, path string) *testLake {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lake := &testLake{TB: t, store: memory.NewStore(), batch: &store.Batch{}}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		key, value, found := strings.Cut(lines.Text(), "\t")
		if !found {
			t.Fatalf("%s: a line without a value: %q", path, lines.Text())
		}
		lake.batch.Put(lake.decoded(key), lake.decoded(value))
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	lake.commit()
	return lake
}

func (l *testLake) decoded(text string) []byte {
	l.Helper()
	raw, err := hex.DecodeString(text)
	if err != nil {
		l.Fatal(err)
	}
	return raw
}

func (l *testLake) commit() {
	l.Helper()
	if err := l.store.Commit(context.Background(), l.batch); err != nil {
		l.Fatal(err)
	}
	l.batch = &store.Batch{}
}

func (l *testLake) snapshot() store.Snapshot {
	l.Helper()
	snapshot, err := l.store.Snapshot()
	if err != nil {
		l.Fatal(err)
	}
	return snapshot
}

// check commits what was staged and gives the findings.
func (l *testLake) check() []Finding {
	l.Helper()
	l.commit()
	snapshot := l.snapshot()
	defer snapshot.Close()
	findings, err := Run(context.Background(), snapshot)
	if err != nil {
		l.Fatal(err)
	}
	return findings
}

func (l *testLake) put(key keyspace.Key, message keyspace.Message) {
	l.Helper()
	value, err := keyspace.EncodeValue(key, message)
	if err != nil {
		l.Fatal(err)
	}
	l.batch.Put(key.Bytes(), value)
}

func (l *testLake) raw(key keyspace.Key, value string) { l.batch.Put(key.Bytes(), []byte(value)) }

func (l *testLake) delete(keys ...keyspace.Key) {
	for _, key := range keys {
		l.batch.Delete(key.Bytes())
	}
}

// read gives a record, which must be there.
func (l *testLake) read(key keyspace.Key) keyspace.Message {
	l.Helper()
	snapshot := l.snapshot()
	defer snapshot.Close()
	value, found, err := snapshot.Get(context.Background(), key.Bytes())
	if err != nil || !found {
		l.Fatalf("%s: %v, %v", key, found, err)
	}
	message, err := keyspace.DecodeValue(key, value)
	if err != nil {
		l.Fatal(err)
	}
	return message
}

// edit changes a record.
func edit[M keyspace.Message](l *testLake, key keyspace.Key, change func(M)) {
	l.Helper()
	copyTo(l, key, key, change)
}

// copyTo puts a changed copy of a record under another key.
func copyTo[M keyspace.Message](l *testLake, from, to keyspace.Key, change func(M)) {
	l.Helper()
	message := l.read(from).(M)
	change(message)
	l.put(to, message)
}
