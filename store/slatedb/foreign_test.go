//go:build slatedb

package slatedb_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"moraine/store"
)

const golden = "../../testdata/golden/"

// TestStoreOfTheOriginal opens a SlateDB store that the original implementation wrote, with an older SlateDB.
func TestStoreOfTheOriginal(t *testing.T) {
	root := t.TempDir()
	unpack(t, golden+"store.tar.gz", "store/", filepath.Join(root, "moraine", "public"))
	engine := opened(t, "file://"+root)
	found, err := engine.List(background)
	noError(t, err)
	if len(found) != 2 || found[1] != public {
		t.Errorf("listed %q", found)
	}
	lake := open(t, engine, public)
	snapshot, err := lake.Snapshot()
	noError(t, err)
	defer func() { noError(t, snapshot.Close()) }()
	want, err := os.ReadFile(golden + "dump.tsv")
	noError(t, err)
	if got := dump(t, snapshot); got != string(want) {
		t.Errorf("the store has\n%s\nwant\n%s", got, want)
	}
	noError(t, put(lake, "\xff"))
}

func dump(t *testing.T, reader store.Reader) string {
	t.Helper()
	pairs, err := reader.Scan(background, nil, nil)
	noError(t, err)
	defer func() { noError(t, pairs.Close()) }()
	var lines strings.Builder
	for pairs.Next() {
		lines.WriteString(hex.EncodeToString(pairs.Key()) + "\t" + hex.EncodeToString(pairs.Value()) + "\n")
	}
	noError(t, pairs.Err())
	return lines.String()
}

// unpack unpacks what is below a folder of an archive.
func unpack(t *testing.T, archive, folder, to string) {
	t.Helper()
	packed, err := os.ReadFile(archive)
	noError(t, err)
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	noError(t, err)
	for files := tar.NewReader(plain); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		noError(t, err)
		name := filepath.Join(to, strings.TrimPrefix(strings.TrimPrefix(header.Name, "./"), folder))
		if header.Typeflag != tar.TypeReg {
			continue
		}
		noError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		content, err := io.ReadAll(files)
		noError(t, err)
		noError(t, os.WriteFile(name, content, 0o644))
	}
}
