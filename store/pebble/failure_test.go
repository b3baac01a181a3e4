package pebble_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"moraine/store"
	"moraine/store/pebble"
)

var (
	background = context.Background()
	public     = store.Path{Database: "moraine", Schema: "public"}
)

// failingFS fails operations on files whose name ends as chosen, and tells any free space.
type failingFS struct {
	vfs.FS
	suffix atomic.Value // string; empty means that nothing fails
	free   atomic.Uint64
}

const diskSize = 100 << 30

func newFailingFS() *failingFS {
	fileSystem := &failingFS{FS: vfs.NewCrashableMem()}
	fileSystem.suffix.Store("")
	fileSystem.free.Store(diskSize)
	return fileSystem
}

func (f *failingFS) fails(name string) bool {
	suffix := f.suffix.Load().(string)
	return suffix != "" && strings.Contains(filepath.Base(name), suffix)
}

func (f *failingFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if f.fails(name) {
		return nil, syscall.EIO
	}
	file, err := f.FS.Create(name, category)
	return &failingFile{File: file, name: name, fileSystem: f}, err
}

func (f *failingFS) ReuseForWrite(oldName, newName string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if f.fails(newName) {
		return nil, syscall.EIO
	}
	file, err := f.FS.ReuseForWrite(oldName, newName, category)
	return &failingFile{File: file, name: newName, fileSystem: f}, err
}

func (f *failingFS) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: f.free.Load(), TotalBytes: diskSize, UsedBytes: diskSize - f.free.Load()}, nil
}

type failingFile struct {
	vfs.File
	name       string
	fileSystem *failingFS
}

func (f *failingFile) Write(content []byte) (int, error) {
	if f.fileSystem.fails(f.name) {
		return 0, syscall.EIO
	}
	return f.File.Write(content)
}

func (f *failingFile) Sync() error {
	if f.fileSystem.fails(f.name) {
		return syscall.EIO
	}
	return f.File.Sync()
}

func (f *failingFile) SyncData() error {
	if f.fileSystem.fails(f.name) {
		return syscall.EIO
	}
	return f.File.SyncData()
}

func (f *failingFile) SyncTo(length int64) (bool, error) {
	if f.fileSystem.fails(f.name) {
		return false, syscall.EIO
	}
	return f.File.SyncTo(length)
}

// openOn opens an engine with one lake that has the key "before".
func openOn(t *testing.T, fileSystem vfs.FS) (*pebble.Engine, store.Store) {
	t.Helper()
	engine, err := pebble.Open("data", pebble.Options{FileSystem: fileSystem, CacheSize: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []store.Path{{Database: public.Database}, public} {
		if err := engine.Create(background, path); err != nil {
			t.Fatal(err)
		}
	}
	lake, err := engine.Open(background, public)
	if err != nil {
		t.Fatal(err)
	}
	if err := put(lake, "before"); err != nil {
		t.Fatal(err)
	}
	return engine, lake
}

func put(lake store.Store, key string) error {
	batch := &store.Batch{}
	batch.Put([]byte(key), []byte("value"))
	return lake.Commit(background, batch)
}

func wantKey(t *testing.T, lake store.Store, key string, want bool) {
	t.Helper()
	snapshot, err := lake.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	if _, found, err := snapshot.Get(background, []byte(key)); err != nil || found != want {
		t.Fatalf("key %q: found %v, %v; want %v", key, found, err, want)
	}
}

func TestFullDiskRefusesWritesUntilThereIsSpace(t *testing.T) {
	fileSystem := newFailingFS()
	engine, lake := openOn(t, fileSystem)
	fileSystem.free.Store(1 << 20)
	err := put(lake, "refused")
	for _, want := range []error{store.ErrUnavailable, store.ErrNotApplied, syscall.ENOSPC} {
		if !errors.Is(err, want) {
			t.Errorf("error %v is not %v", err, want)
		}
	}
	if err := engine.Create(background, store.Path{Database: "other"}); !errors.Is(err, store.ErrNotApplied) {
		t.Errorf("create: %v", err)
	}
	wantKey(t, lake, "before", true)
	wantKey(t, lake, "refused", false)
	fileSystem.free.Store(diskSize)
	if err := put(lake, "after"); err != nil {
		t.Fatal(err)
	}
	wantKey(t, lake, "after", true)
	if err := engine.Close(); err != nil {
		t.Error(err)
	}
}

// TestSpaceForTheNextFlushIsKept leaves enough space for a commit, but not for writing once more what is in the log only.
// The refusal starts a flush, after which there is enough.
func TestSpaceForTheNextFlushIsKept(t *testing.T) {
	fileSystem := newFailingFS()
	engine, lake := openOn(t, fileSystem)
	batch := &store.Batch{}
	batch.Put([]byte("large"), make([]byte, 20<<20))
	if err := lake.Commit(background, batch); err != nil {
		t.Fatal(err)
	}
	fileSystem.free.Store(128<<20 + 10<<20)
	if err := put(lake, "refused"); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v, want %v", err, syscall.ENOSPC)
	}
	for put(lake, "after the flush") != nil {
		runtime.Gosched()
	}
	wantKey(t, lake, "large", true)
	wantKey(t, lake, "refused", false)
	if err := engine.Close(); err != nil {
		t.Error(err)
	}
}

// TestFailingLogIsAnErrorForWritersOnly has many writers at the moment in which the log fails: all of them come back with
// an error, and so do later ones; reads go on; a restart finds all that was acknowledged.
func TestFailingLogIsAnErrorForWritersOnly(t *testing.T) {
	const writers = 8
	fileSystem := newFailingFS()
	engine, lake := openOn(t, fileSystem)
	var waiting sync.WaitGroup
	acknowledged := make([]int, writers)
	for writer := range writers {
		waiting.Go(func() {
			for i := 0; ; i++ {
				if writer == 0 && i == 20 {
					fileSystem.suffix.Store(".log")
				}
				if err := put(lake, fmt.Sprintf("%d/%d", writer, i)); err != nil {
					if !errors.Is(err, store.ErrUnavailable) {
						t.Errorf("error %v", err)
					}
					acknowledged[writer] = i
					return
				}
			}
		})
	}
	waiting.Wait()
	if err := put(lake, "late"); !errors.Is(err, store.ErrUnavailable) || !errors.Is(err, syscall.EIO) {
		t.Errorf("a later write: %v", err)
	}
	fileSystem.suffix.Store("")
	if err := put(lake, "later"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a write after the disk has recovered: %v", err)
	}
	wantKey(t, lake, "before", true)
	if err := engine.Close(); err != nil {
		t.Errorf("close: %v", err)
	}

	crashed := fileSystem.FS.(*vfs.MemFS).CrashClone(vfs.CrashCloneCfg{})
	engine, err := pebble.Open("data", pebble.Options{FileSystem: crashed, CacheSize: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if lake, err = engine.Open(background, public); err != nil {
		t.Fatal(err)
	}
	wantKey(t, lake, "before", true)
	for writer, count := range acknowledged {
		for i := range count {
			wantKey(t, lake, fmt.Sprintf("%d/%d", writer, i), true)
		}
	}
	wantKey(t, lake, "late", false)
	if err := put(lake, "after"); err != nil {
		t.Error(err)
	}
	if err := engine.Close(); err != nil {
		t.Error(err)
	}
}

// TestFailingRotationOfTheLog lets the creation of a new log file fail, which Pebble answers with a panic.
func TestFailingRotationOfTheLog(t *testing.T) {
	fileSystem := newFailingFS()
	engine, lake := openOn(t, fileSystem)
	fileSystem.suffix.Store(".log")
	batch := &store.Batch{}
	batch.Put([]byte("large"), make([]byte, 48<<20))
	if err := lake.Commit(background, batch); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("commit: %v", err)
	}
	wantKey(t, lake, "before", true)
	if err := put(lake, "late"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a later write: %v", err)
	}
	if err := engine.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// TestFailingManifest lets the manifest fail under a flush that nobody waits for.
func TestFailingManifest(t *testing.T) {
	fileSystem := newFailingFS()
	engine, lake := openOn(t, fileSystem)
	fileSystem.suffix.Store("MANIFEST")
	for i := 0; ; i++ {
		batch := &store.Batch{}
		batch.Put(fmt.Appendf(nil, "large %d", i), make([]byte, 1<<20))
		if err := lake.Commit(background, batch); err != nil {
			if !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("commit: %v", err)
			}
			break
		}
	}
	wantKey(t, lake, "before", true)
	if err := engine.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func TestSecondOpenerIsRefused(t *testing.T) {
	directory := t.TempDir()
	if os.Getenv("MORAINE_TEST_OPEN") != "" {
		_, err := pebble.Open(os.Getenv("MORAINE_TEST_OPEN"), pebble.Options{})
		fmt.Println("locked:", errors.Is(err, store.ErrLocked))
		return
	}
	engine, err := pebble.Open(directory, pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	if _, err := pebble.Open(directory, pebble.Options{}); !errors.Is(err, store.ErrLocked) {
		t.Errorf("in this process: %v", err)
	}
	command := exec.Command(os.Args[0], "-test.run=^TestSecondOpenerIsRefused$")
	command.Env = append(os.Environ(), "MORAINE_TEST_OPEN="+directory)
	output, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "locked: true") {
		t.Errorf("in another process: %v, %s", err, output)
	}
}

func TestCorruptFilesAreToldAsSuch(t *testing.T) {
	directory := t.TempDir()
	engine, err := pebble.Open(directory, pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	manifests, err := filepath.Glob(filepath.Join(directory, "MANIFEST-*"))
	if err != nil || len(manifests) == 0 {
		t.Fatalf("manifests %v, %v", manifests, err)
	}
	for _, manifest := range manifests {
		if err := os.WriteFile(manifest, []byte(strings.Repeat("not a manifest ", 1000)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := pebble.Open(directory, pebble.Options{}); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("error %v, want %v", err, store.ErrCorrupt)
	}
}
