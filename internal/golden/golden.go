// Package golden gives tests the lake that the original implementation wrote: its records, its store, its rows, and what a
// migration makes of the records. The files lie in testdata/golden. It also opens lakes of stores that no server has open.
package golden

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"moraine/keyspace"
	"moraine/store"
	"moraine/store/engine"
)

// Format is the format of the lake.
const Format = 9

// path gives the path of a file, wherever the test runs.
func path(name string) string {
	_, source, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(source), "..", "..", "testdata", "golden", name)
}

// Records gives the records of the lake, by key.
func Records(t testing.TB) map[string]string { return pairs(t, "dump.tsv") }

// Directories gives the records that formats 11 and 12 add.
func Directories(t testing.TB) map[string]string { return pairs(t, "format12_expected.tsv") }

// pairs reads a file of keys and values in hexadecimal, one pair a line.
func pairs(t testing.TB, name string) map[string]string {
	t.Helper()
	content, err := os.ReadFile(path(name))
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), "\t")
		read[unhex(t, key)] = unhex(t, value)
	}
	return read
}

func unhex(t testing.TB, text string) string {
	t.Helper()
	raw, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// Migrated gives the records that the lake has once it was migrated to format 12: a start moves head, and there are two.
func Migrated(t testing.TB) map[string]string {
	t.Helper()
	records := Records(t)
	for key, value := range Directories(t) {
		records[key] = value
	}
	var head keyspace.HeadValue
	if err := keyspace.DecodeMessage([]byte(records[string(keyspace.HeadKey().Bytes())]), &head); err != nil {
		t.Fatal(err)
	}
	head.BatchSequence += 2
	records[string(keyspace.HeadKey().Bytes())] = string(keyspace.AppendMessage(nil, &head))
	format := keyspace.FormatValue{FormatVersion: keyspace.NewestFormat, WriterVersion: keyspace.WriterVersion}
	records[string(keyspace.FormatKey().Bytes())] = string(keyspace.AppendMessage(nil, &format))
	return records
}

// Fill writes records into a store.
func Fill(t testing.TB, to store.Store, records map[string]string) {
	t.Helper()
	batch := &store.Batch{}
	for key, value := range records {
		batch.Put([]byte(key), []byte(value))
	}
	if err := to.Commit(context.Background(), batch); err != nil {
		t.Fatal(err)
	}
}

// With opens a lake of a store, both of which it makes when they are not there, for as long as the test uses it.
func With(t testing.TB, location string, path store.Path, use func(store.Store)) {
	t.Helper()
	ctx := context.Background()
	opened, err := engine.Open(ctx, location, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	for _, made := range []store.Path{{Database: path.Database}, path} {
		if err := opened.Create(ctx, made); err != nil && !errors.Is(err, store.ErrExists) {
			t.Fatal(err)
		}
	}
	lake, err := opened.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer lake.Close()
	use(lake)
}

// Dump gives all records of a store.
func Dump(t testing.TB, from store.Store) map[string]string {
	t.Helper()
	snapshot, err := from.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	iterator, err := snapshot.Scan(context.Background(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer iterator.Close()
	records := map[string]string{}
	for iterator.Next() {
		records[string(iterator.Key())] = string(iterator.Value())
	}
	if err := iterator.Err(); err != nil {
		t.Fatal(err)
	}
	return records
}

// Compare fails a test unless records are those wanted.
func Compare(t testing.TB, got, wanted map[string]string) {
	t.Helper()
	for key, value := range wanted {
		if found, present := got[key]; !present {
			t.Errorf("%s is missing", shown(key))
		} else if found != value {
			t.Errorf("%s is %x, not %x", shown(key), found, value)
		}
	}
	for key := range got {
		if _, present := wanted[key]; !present {
			t.Errorf("%s should not be there", shown(key))
		}
	}
}

func shown(key string) string {
	if decoded, err := keyspace.DecodeKey([]byte(key)); err == nil {
		return decoded.String()
	}
	return hex.EncodeToString([]byte(key))
}

// Catalog gives what the original's own interface answers on the lake: rows by table, and other facts.
func Catalog(t testing.TB) map[string]json.RawMessage {
	t.Helper()
	content, err := os.ReadFile(path("catalog.json"))
	if err != nil {
		t.Fatal(err)
	}
	catalog := map[string]json.RawMessage{}
	if err := json.Unmarshal(content, &catalog); err != nil {
		t.Fatal(err)
	}
	return catalog
}

// Unpack makes the SlateDB store that the original wrote, at a directory that is made.
func Unpack(t testing.TB, directory string) {
	t.Helper()
	file, err := os.Open(path("store.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		name, _ := strings.CutPrefix(header.Name, "store/")
		to := filepath.Join(directory, filepath.FromSlash(name))
		if header.Typeflag == tar.TypeDir {
			err = os.MkdirAll(to, 0o755)
		} else {
			err = unpackFile(to, archive)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func unpackFile(name string, content io.Reader) error {
	whole, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	return os.WriteFile(name, whole, 0o644)
}
