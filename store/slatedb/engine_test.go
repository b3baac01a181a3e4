//go:build slatedb

package slatedb_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"moraine/store"
	"moraine/store/slatedb"
	"moraine/store/storetest/bucket"
)

var public = store.Path{Database: "moraine", Schema: "public"}

func wantError(t *testing.T, what string, err error, wants ...error) {
	t.Helper()
	for _, want := range wants {
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
}

func wantKeys(t *testing.T, what, got string, want ...string) {
	t.Helper()
	if want := fmt.Sprintf("%q", want); got != want {
		t.Errorf("%s: keys %s, want %s", what, got, want)
	}
}

var oddNames = []string{
	"a b", "100%", "%41", "a/b", "..", ".hidden", "ends.", "naïve", "数据", "🦆", "\n\"'\\", "#?&+=:", "UPPER", "\xff\xfe",
	strings.Repeat("long", 60),
}

func TestOddNames(t *testing.T) {
	onMedia(t, func(t *testing.T, url string) {
		engine := openAt(t, url, slatedb.Options{})
		var want []store.Path
		for i, name := range oddNames {
			path := store.Path{Database: name, Schema: oddNames[len(oddNames)-1-i]}
			noError(t, engine.Create(background, store.Path{Database: name}))
			noError(t, engine.Create(background, path))
			lake, err := engine.Open(background, path)
			noError(t, err)
			noError(t, put(lake, name))
			noError(t, lake.Close())
			want = append(want, store.Path{Database: name}, path)
		}
		noError(t, engine.Close())
		slices.SortFunc(want, store.Path.Compare)
		engine = opened(t, url)
		got, err := engine.List(background)
		noError(t, err)
		if !slices.Equal(got, want) {
			t.Errorf("listed:\n%q\nwant:\n%q", got, want)
		}
		for _, path := range want {
			if path.Schema != "" {
				wantKeys(t, path.Database, keys(t, open(t, engine, path)), path.Database)
			}
		}
	})
}

func TestNamesThatNoMediumHolds(t *testing.T) {
	engine := opened(t, "file://"+t.TempDir())
	long := store.Path{Database: strings.Repeat("ü", 100)}
	wantError(t, "create", engine.Create(background, long), store.ErrNotApplied)
	_, err := engine.Open(background, store.Path{Database: long.Database, Schema: "public"})
	wantError(t, "open", err, store.ErrNotFound)
}

// TestNamesInTheBucket holds the names to what other programs on the same bucket write and look for.
func TestNamesInTheBucket(t *testing.T) {
	objects := bucket.New(t)
	objects.Connect(t).Use(t)
	engine := opened(t, "s3://"+bucket.Name+"/pre fix/a%25b")
	noError(t, put(create(t, engine, store.Path{Database: "my lake%", Schema: ".dot/ü"}), "k"))
	noError(t, engine.PutObject(background, "servers/one", []byte("x"), true))
	var folders []string
	for _, name := range objects.List(t, "pre fix/a%b/") {
		parts := strings.Split(name, "/")
		if folder := strings.Join(parts[:4], "/"); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	want := []string{"pre fix/a%b/.moraine/databases", "pre fix/a%b/.moraine/objects", "pre fix/a%b/my%20lake%25/%2Edot%2F%C3%BC"}
	if !slices.Equal(folders, want) {
		t.Errorf("folders:\n%s\nwant:\n%s", strings.Join(folders, "\n"), strings.Join(want, "\n"))
	}
}

func TestSecondWriterFencesTheFirst(t *testing.T) {
	onMedia(t, func(t *testing.T, url string) {
		one, two := opened(t, url), opened(t, url)
		old := create(t, one, public)
		noError(t, put(old, "a"))
		newer := open(t, two, public)
		wantError(t, "the fenced writer's commit", put(old, "lost"), store.ErrFenced)
		wantError(t, "its next commit", put(old, "lost"), store.ErrFenced)
		_, err := old.Snapshot()
		wantError(t, "its snapshot", err, store.ErrFenced)
		_, err = one.Open(background, public)
		wantError(t, "opening it again there", err, store.ErrFenced)
		wantError(t, "dropping it there", one.Drop(background, public), store.ErrFenced, store.ErrNotApplied)
		noError(t, put(newer, "b"))
		wantKeys(t, "the new writer", keys(t, newer), "a", "b")
	})
}

func TestEngineClosedBeforeItsLakes(t *testing.T) {
	engine := openAt(t, "file://"+t.TempDir(), slatedb.Options{})
	lake := create(t, engine, public)
	noError(t, engine.Close())
	wantError(t, "commit", put(lake, "a"), store.ErrClosed, store.ErrNotApplied)
	_, err := engine.Open(background, public)
	wantError(t, "open", err, store.ErrClosed)
	_, err = engine.List(background)
	wantError(t, "list", err, store.ErrClosed)
}

func TestLakeIsSharedByItsStores(t *testing.T) {
	engine := opened(t, "file://"+t.TempDir())
	one := create(t, engine, public)
	two := open(t, engine, public)
	noError(t, put(one, "a"))
	noError(t, put(two, "b"))
	noError(t, one.Close())
	noError(t, put(two, "c"))
	wantKeys(t, "the other store", keys(t, two), "a", "b", "c")
}

func TestLakeMadeAgainBesideASnapshot(t *testing.T) {
	onMedia(t, func(t *testing.T, url string) {
		engine := openAt(t, url, slatedb.Options{})
		old := create(t, engine, public)
		noError(t, put(old, "a", "b"))
		before, err := old.Snapshot()
		noError(t, err)
		pairs, err := before.Scan(background, nil, nil)
		noError(t, err)
		noError(t, engine.Drop(background, public))
		fresh := create(t, engine, public)
		wantKeys(t, "made again", keys(t, fresh))
		noError(t, put(fresh, "c"))
		wantKeys(t, "the snapshot of the dropped lake", keysOf(t, before), "a", "b")
		noError(t, before.Close())
		if !pairs.Next() || string(pairs.Key()) != "a" {
			t.Errorf("the iterator of the dropped lake: %v", pairs.Err())
		}
		noError(t, pairs.Close())
		wantError(t, "a late commit", put(old, "late"), store.ErrNotFound, store.ErrNotApplied)
		noError(t, old.Close())
		noError(t, fresh.Close())
		noError(t, engine.Close())
		wantKeys(t, "after a restart", keys(t, open(t, opened(t, url), public)), "c")
	})
}

// TestDropIsFinishedByTheNextWriter marks lakes as dropped the way a writer does that then dies.
func TestDropIsFinishedByTheNextWriter(t *testing.T) {
	objects := bucket.New(t)
	objects.Connect(t).Use(t)
	url := "s3://" + bucket.Name
	engine := openAt(t, url, slatedb.Options{})
	second := store.Path{Database: "moraine", Schema: "second"}
	other := store.Path{Database: "other", Schema: "public"}
	for _, path := range []store.Path{public, second, other} {
		lake := create(t, engine, path)
		noError(t, put(lake, "old"))
		noError(t, lake.Close())
	}
	noError(t, engine.Close())
	objects.Put(t, ".moraine/dropped/moraine/second", nil)
	objects.Put(t, ".moraine/dropped/other/.database", nil)

	engine = opened(t, url)
	got, err := engine.List(background)
	noError(t, err)
	if want := []store.Path{{Database: "moraine"}, public}; !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
	_, err = engine.Open(background, other)
	wantError(t, "a lake of the dropped database", err, store.ErrNotFound)
	for _, path := range []store.Path{second, other} {
		wantKeys(t, path.String(), keys(t, create(t, engine, path)))
	}
	wantKeys(t, "the lake that stays", keys(t, open(t, engine, public)), "old")
	if marks := objects.List(t, ".moraine/dropped/"); len(marks) != 0 {
		t.Errorf("marks that are left: %q", marks)
	}
}

// TestDropLeavesNoFiles drops a lake whose writer has left a file that is half written.
func TestDropLeavesNoFiles(t *testing.T) {
	root := t.TempDir()
	engine := opened(t, "file://"+root)
	noError(t, put(create(t, engine, public), "a"))
	folder := filepath.Join(root, "moraine", "public")
	noError(t, os.WriteFile(filepath.Join(folder, "wal", "00000000000000000009.sst#1"), []byte("half"), 0o600))
	noError(t, engine.Drop(background, public))
	fresh := create(t, engine, public)
	if _, err := os.Stat(filepath.Join(folder, "wal", "00000000000000000009.sst#1")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file of the dropped lake: %v", err)
	}
	wantKeys(t, "made again", keys(t, fresh))
}

// TestUncertainDrop fails while the mark is written: the lake takes nothing more until it has been opened again, which shows
// whether the mark is there.
func TestUncertainDrop(t *testing.T) {
	objects := bucket.New(t)
	network := objects.Connect(t)
	network.Use(t)
	engine := opened(t, "s3://"+bucket.Name)
	for _, applied := range []bool{false, true} {
		lake := create(t, engine, public)
		noError(t, put(lake, "a"))
		network.Disturb(func(write bool) (fault bucket.Fault) {
			if write {
				fault = bucket.Fault{Status: http.StatusForbidden, Applied: applied}
			}
			return fault
		})
		wantError(t, "drop", engine.Drop(background, public), store.ErrUnavailable)
		network.Disturb(nil)
		wantError(t, "a commit then", put(lake, "b"), store.ErrUnavailable, store.ErrReopen, store.ErrNotApplied)
		_, err := lake.Snapshot()
		wantError(t, "a snapshot then", err, store.ErrUnavailable, store.ErrReopen)
		if applied {
			break
		}
		wantKeys(t, "opened again", keys(t, open(t, engine, public)), "a")
		noError(t, engine.Drop(background, public))
	}
	fresh := create(t, engine, public)
	noError(t, put(fresh, "c"))
	wantKeys(t, "made again", keys(t, fresh), "c")
}

func TestDatabaseOutlivesItsLastLake(t *testing.T) {
	objects := bucket.New(t)
	objects.Connect(t).Use(t)
	engine := opened(t, "s3://"+bucket.Name)
	create(t, engine, public)
	objects.Remove(t, ".moraine/databases/moraine") // as if another program had made the lake
	noError(t, engine.Drop(background, public))
	got, err := engine.List(background)
	noError(t, err)
	if want := []store.Path{{Database: "moraine"}}; !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
}

func TestUncertainCommit(t *testing.T) {
	objects := bucket.New(t)
	network := objects.Connect(t)
	network.Use(t)
	engine := openAt(t, "s3://"+bucket.Name, slatedb.Options{CommitTimeout: 200 * time.Millisecond})
	defer func() { noError(t, engine.Close()) }()
	lake := create(t, engine, public)
	noError(t, put(lake, "a"))
	for round, moment := range []bucket.Moment{bucket.Lost, bucket.Unanswered} {
		network.FreezeAfter(0, moment)
		wantError(t, "the commit", put(lake, fmt.Sprint(round)), store.ErrUnavailable, store.ErrReopen)
		err := put(lake, "refused")
		wantError(t, "the next commit", err, store.ErrUnavailable, store.ErrReopen, store.ErrNotApplied)
		_, err = lake.Snapshot()
		wantError(t, "a snapshot", err, store.ErrUnavailable, store.ErrReopen)
		network.Release()
		noError(t, lake.Close())
		lake = open(t, engine, public)
		noError(t, put(lake, "z"))
	}
	if got := keys(t, lake); !strings.HasPrefix(got, `["1" "a"`) && !strings.HasPrefix(got, `["0" "1" "a"`) || strings.Contains(got, "refused") {
		t.Errorf("keys %s: the second commit was applied, and the first one may be", got)
	}
}

// The stores of a lake that another store has found to be uncertain take nothing once it has been opened again.
func TestStoresOfALakeThatIsOpenedAgain(t *testing.T) {
	network := bucket.New(t).Connect(t)
	network.Use(t)
	engine := openAt(t, "s3://"+bucket.Name, slatedb.Options{CommitTimeout: 200 * time.Millisecond})
	defer func() { noError(t, engine.Close()) }()
	failing, other := create(t, engine, public), open(t, engine, public)
	network.FreezeAfter(0, bucket.Lost)
	wantError(t, "the commit", put(failing, "a"), store.ErrUnavailable, store.ErrReopen)
	network.Release()
	again := open(t, engine, public)
	wantError(t, "a commit to another store", put(other, "b"), store.ErrUnavailable, store.ErrReopen, store.ErrNotApplied)
	_, err := other.Snapshot()
	wantError(t, "a snapshot of another store", err, store.ErrUnavailable, store.ErrReopen)
	noError(t, put(again, "c"))
	noError(t, other.Close())
	noError(t, failing.Close())
	noError(t, put(again, "d"))
}

// TestAnswerIsLost has the first write of a commit applied without an answer. The client repeats it and finds its own object.
func TestAnswerIsLost(t *testing.T) {
	objects := bucket.New(t)
	network := objects.Connect(t)
	network.Use(t)
	engine := opened(t, "s3://"+bucket.Name)
	lake := create(t, engine, public)
	for _, lost := range []bucket.Fault{{Reset: true, Applied: true}, {Status: http.StatusInternalServerError, Applied: true}, {Reset: true}} {
		var once sync.Once
		network.Disturb(func(write bool) (fault bucket.Fault) {
			if write {
				once.Do(func() { fault = lost })
			}
			return fault
		})
		noError(t, put(lake, fmt.Sprintf("%+v", lost)))
		network.Disturb(nil)
	}
	noError(t, put(lake, "after"))
	wantKeys(t, "the lake", keys(t, lake), "after", "{Delay:0s Status:0 Reset:true Applied:false}",
		"{Delay:0s Status:0 Reset:true Applied:true}", "{Delay:0s Status:500 Reset:false Applied:true}")
}

func TestStoreThatDoesNotAnswer(t *testing.T) {
	network := bucket.New(t).Connect(t)
	network.Use(t)
	network.Sever()
	_, err := slatedb.Open(background, "s3://"+bucket.Name, slatedb.Options{RequestTimeout: 100 * time.Millisecond})
	wantError(t, "open", err, store.ErrUnavailable)
}

// TestScanOfManyPages crosses pages and segments, by steps and by leaps.
func TestScanOfManyPages(t *testing.T) {
	engine := opened(t, "file://"+t.TempDir())
	lake := create(t, engine, public)
	const count = 20_000
	batch := &store.Batch{}
	key := func(i int) []byte { return fmt.Appendf(nil, "%c%08d", 'a'+i%4, i/4) }
	for i := range count {
		batch.Put(key(i), make([]byte, 100))
	}
	noError(t, lake.Commit(background, batch))
	snapshot, err := lake.Snapshot()
	noError(t, err)
	defer func() { noError(t, snapshot.Close()) }()
	pairs, err := snapshot.Scan(background, []byte("a"), []byte("d00004999\x00"))
	noError(t, err)
	defer func() { noError(t, pairs.Close()) }()
	for i := range count / 8 {
		if !pairs.Next() || string(pairs.Key()) != fmt.Sprintf("a%08d", i) {
			t.Fatalf("pair %d is %q (%v)", i, pairs.Key(), pairs.Err())
		}
	}
	for _, leap := range []struct{ to, want string }{
		{"a00002500", "a00002500"}, {"a00002501\x00", "a00002502"}, {"b", "b00000000"}, {"c00004999\x00", "d00000000"}, {"d00004999", "d00004999"},
	} {
		if !pairs.SeekGE([]byte(leap.to)) || string(pairs.Key()) != leap.want || len(pairs.Value()) != 100 {
			t.Fatalf("leap to %q: at %q (%v)", leap.to, pairs.Key(), pairs.Err())
		}
	}
	if pairs.Next() || pairs.SeekGE([]byte("e")) || pairs.Err() != nil {
		t.Errorf("behind the end: %q, %v", pairs.Key(), pairs.Err())
	}
}

func TestObjects(t *testing.T) {
	onMedia(t, func(t *testing.T, url string) {
		var objects store.Objects = opened(t, url)
		noError(t, objects.PutObject(background, "servers/b", []byte("1"), true))
		wantError(t, "put if absent", objects.PutObject(background, "servers/b", []byte("2"), true), store.ErrExists)
		noError(t, objects.PutObject(background, "servers/a/x", nil, false))
		noError(t, objects.PutObject(background, "serversides", nil, false))
		noError(t, objects.PutObject(background, "servers/b", []byte("3"), false))
		content, err := objects.GetObject(background, "servers/b")
		if noError(t, err); string(content) != "3" {
			t.Errorf("the object has %q", content)
		}
		names, err := objects.ListObjects(background, "servers/")
		if noError(t, err); !slices.Equal(names, []string{"servers/a/x", "servers/b"}) {
			t.Errorf("listed %q", names)
		}
		noError(t, objects.DeleteObject(background, "servers/b"))
		noError(t, objects.DeleteObject(background, "servers/b"))
		_, err = objects.GetObject(background, "servers/b")
		wantError(t, "get", err, store.ErrNotFound)
		for _, name := range []string{"", "/", "a//b", "../a", "a.b", "ü"} {
			if err := objects.PutObject(background, name, nil, false); err == nil {
				t.Errorf("the name %q was taken", name)
			}
		}
	})
}
