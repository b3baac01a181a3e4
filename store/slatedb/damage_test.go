//go:build slatedb

package slatedb_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"moraine/store"
	"moraine/store/slatedb"
	"moraine/store/storetest/bucket"
)

// TestDamagedObjects damages each object of a lake at a few places, once while its keys are in the log, and once when they are
// in tables. Who opens it gets an error of damage, or what was written.
func TestDamagedObjects(t *testing.T) {
	for _, test := range []struct {
		name    string
		commits int
		part    string
	}{
		{"log", 20, ""}, {"tables", 100, "compacted/"},
	} {
		t.Run(test.name, func(t *testing.T) {
			sound := bucket.New(t)
			sound.Connect(t).Use(t)
			url := "s3://" + bucket.Name
			want := fill(t, url, test.commits)
			outcomes := map[string]int{}
			for _, name := range sound.List(t, "moraine/public/"+test.part) {
				damageAndRead(t, sound, url, name, want, outcomes)
			}
			t.Logf("%v", outcomes)
			if outcomes["refused"] == 0 {
				t.Error("no damage was noticed")
			}
		})
	}
}

// fill makes a lake with a key for each commit, and gives the keys.
func fill(t *testing.T, url string, commits int) string {
	t.Helper()
	engine := openAt(t, url, slatedb.Options{})
	lake := create(t, engine, public)
	written := make([]string, commits)
	for i := range written {
		written[i] = fmt.Sprintf("%03d", i)
		noError(t, put(lake, written[i]))
	}
	noError(t, lake.Close())
	noError(t, engine.Close())
	return fmt.Sprintf("%q", written)
}

// damageAndRead damages an object in copies of a bucket, and counts what comes of it.
func damageAndRead(t *testing.T, sound *bucket.Bucket, url, name, want string, outcomes map[string]int) {
	t.Helper()
	const places = 5
	content := sound.Get(t, name)
	for place := range places {
		if len(content) == 0 {
			return
		}
		at := (len(content) - 1) * place / (places - 1)
		damaged := sound.Copy(t)
		changed := bytes.Clone(content)
		changed[at] ^= 0x5a
		damaged.Put(t, name, changed)
		damaged.Connect(t).Use(t)
		got, err := readLake(t, url)
		switch {
		case err == nil && got == want:
			outcomes["read"]++
		case errors.Is(err, store.ErrCorrupt) || errors.Is(err, store.ErrFenced): // by the larger epoch that it reads
			outcomes["refused"]++
		default:
			t.Errorf("%s, byte %d of %d: %v, keys %s", name, at, len(content), err, got)
		}
	}
}

// readLake gives the keys of the lake.
func readLake(t *testing.T, url string) (keys string, err error) {
	t.Helper()
	engine := openAt(t, url, slatedb.Options{CommitTimeout: time.Second})
	defer func() { noError(t, engine.Close()) }()
	lake, err := engine.Open(background, public)
	if err != nil {
		return "", err
	}
	defer func() { noError(t, lake.Close()) }()
	snapshot, err := lake.Snapshot()
	if err != nil {
		return "", err
	}
	defer func() { noError(t, snapshot.Close()) }()
	pairs, err := snapshot.Scan(background, nil, nil)
	if err != nil {
		return "", err
	}
	defer func() { noError(t, pairs.Close()) }()
	var found []string
	for pairs.Next() {
		found = append(found, string(pairs.Key()))
	}
	return fmt.Sprintf("%q", found), pairs.Err()
}
