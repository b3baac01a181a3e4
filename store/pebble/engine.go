package pebble

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	pebbledb "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"moraine/store"
)

// formatVersion is the version of Pebble's files that this package creates and upgrades to. It is named, so that a newer
// Pebble does not change the files by itself.
const formatVersion = pebbledb.FormatValueSeparation

// Sizes in bytes.
const (
	defaultCacheSize = 256 << 20
	// memtableSize bounds the memory of one memtable; Pebble starts with 256 KiB and doubles. A flush writes that much.
	memtableSize = 64 << 20
	// memtableLimit is how many memtables may wait for their flush before writers wait.
	memtableLimit = 3
	// maxBatchSize bounds one batch, well below the 4 GiB that Pebble's batch can address.
	maxBatchSize = 1 << 30
	// bloomBitsPerKey gives one per cent of false positives.
	bloomBitsPerKey = 10
)

// Options of an engine.
type Options struct {
	// CacheSize is the size of the block cache in bytes; 256 MiB when 0.
	CacheSize int64
	// MustExist refuses a directory that holds no instance, which is ErrNotFound, instead of making one.
	MustExist bool
	// Log is given what Pebble has to say: background errors, and what it calls fatal. Nil means nobody listens.
	Log func(format string, arguments ...any)
	// FileSystem replaces that of the operating system in tests.
	FileSystem vfs.FS
}

// Engine is one Pebble instance and the registry of its lakes.
type Engine struct {
	db       *pebbledb.DB
	lock     *pebbledb.Lock
	disk     *disk
	failures *failures
	armed    atomic.Bool // see guardedFS

	mutex      sync.Mutex // guards what follows, and orders changes of the registry
	lakes      map[store.Path]*lake
	nextNumber uint64
	closed     bool
}

var _ store.Engine = (*Engine)(nil)

// lake is what all stores opened on one lake share. Commits hold the mutex to read, Drop to write, so that nothing is
// written behind a range tombstone.
type lake struct {
	number  uint64
	mutex   sync.RWMutex
	dropped bool
}

// Open opens or creates the instance in a directory. ErrLocked when another process has it, ErrCorrupt when it cannot be
// read.
func Open(directory string, options Options) (*Engine, error) {
	fileSystem := options.FileSystem
	if fileSystem == nil {
		fileSystem = vfs.Default
	}
	if err := prepareDirectory(directory, fileSystem, options.MustExist); err != nil {
		return nil, err
	}
	lock, err := pebbledb.LockDirectory(directory, fileSystem)
	if err != nil {
		return nil, lockError(directory, err)
	}
	failures := newFailures(options.Log)
	engine := &Engine{lock: lock, failures: failures, disk: &disk{fileSystem: fileSystem, directory: directory}}
	guarded := &guardedFS{FS: fileSystem, failures: failures, armed: &engine.armed}
	engine.db, err = pebbledb.Open(directory, pebbleOptions(options, lock, guarded, failures))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the store in %s: %w", directory, translate(err)), lock.Close())
	}
	if err := engine.loadRegistry(); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the store in %s: %w", directory, err), engine.db.Close(), lock.Close())
	}
	engine.armed.Store(true)
	return engine, nil
}

// prepareDirectory makes the directory, or sees to it that there is an instance in it.
func prepareDirectory(directory string, fileSystem vfs.FS, mustExist bool) error {
	if !mustExist {
		if err := fileSystem.MkdirAll(directory, 0o755); err != nil {
			return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
		}
		return nil
	}
	found, err := pebbledb.Peek(directory, fileSystem)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", store.ErrNotFound, err)
	case !found.Exists:
		return fmt.Errorf("%w: the directory %s holds no store", store.ErrNotFound, directory)
	}
	return nil
}

func pebbleOptions(options Options, lock *pebbledb.Lock, fileSystem vfs.FS, failures *failures) *pebbledb.Options {
	cacheSize := options.CacheSize
	if cacheSize == 0 {
		cacheSize = defaultCacheSize
	}
	result := &pebbledb.Options{
		CacheSize:                   cacheSize,
		MemTableSize:                memtableSize,
		MemTableStopWritesThreshold: memtableLimit,
		FormatMajorVersion:          formatVersion,
		FS:                          fileSystem,
		Lock:                        lock,
		Logger:                      failures,
		EventListener:               failures.listener(),
	}
	for i := range result.Levels {
		result.Levels[i].FilterPolicy = bloom.FilterPolicy(bloomBitsPerKey)
	}
	return result
}

// Create makes a database or an empty lake.
func (e *Engine) Create(ctx context.Context, path store.Path) error {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.closed {
		return store.ErrClosed
	}
	if path.Database == "" {
		return fmt.Errorf("%w: a database needs a name", store.ErrNotFound)
	}
	if _, exists := e.lakes[path]; exists {
		return store.ErrExists
	}
	batch := e.db.NewBatch()
	lake := &lake{}
	if path.Schema != "" {
		if _, exists := e.lakes[store.Path{Database: path.Database}]; !exists {
			return store.ErrNotFound
		}
		lake.number = e.nextNumber
		if err := batch.Set(nextNumberKey, numberValue(e.nextNumber+1), nil); err != nil {
			return translate(err)
		}
	}
	if err := batch.Set(registryKey(path), numberValue(lake.number), nil); err != nil {
		return translate(err)
	}
	if err := e.apply(ctx, batch); err != nil {
		return err
	}
	if path.Schema != "" {
		e.nextNumber++
	}
	e.lakes[path] = lake
	return nil
}

// Drop removes a lake, or a database with all its lakes.
func (e *Engine) Drop(ctx context.Context, path store.Path) error {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.closed {
		return store.ErrClosed
	}
	if _, exists := e.lakes[path]; !exists {
		return store.ErrNotFound
	}
	batch := e.db.NewBatch()
	var dropped []store.Path
	for other, lake := range e.lakes {
		if other != path && (path.Schema != "" || other.Database != path.Database) {
			continue
		}
		dropped = append(dropped, other)
		lake.mutex.Lock()
		defer lake.mutex.Unlock()
		if err := dropInBatch(batch, other, lake.number); err != nil {
			return translate(err)
		}
	}
	if err := e.apply(ctx, batch); err != nil {
		return err
	}
	for _, other := range dropped {
		e.lakes[other].dropped = true
		delete(e.lakes, other)
	}
	return nil
}

func dropInBatch(batch *pebbledb.Batch, path store.Path, number uint64) error {
	if err := batch.Delete(registryKey(path), nil); err != nil {
		return err
	}
	if path.Schema == "" {
		return nil
	}
	return batch.DeleteRange(numberValue(number), numberValue(number+1), nil)
}

// List gives all databases and lakes in order.
func (e *Engine) List(context.Context) ([]store.Path, error) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.closed {
		return nil, store.ErrClosed
	}
	return slices.SortedFunc(maps.Keys(e.lakes), store.Path.Compare), nil
}

// Open gives the store of a lake.
func (e *Engine) Open(_ context.Context, path store.Path) (store.Store, error) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.closed {
		return nil, store.ErrClosed
	}
	lake, exists := e.lakes[path]
	if !exists || path.Schema == "" {
		return nil, store.ErrNotFound
	}
	opened := &lakeStore{engine: e, lake: lake}
	binary.BigEndian.PutUint64(opened.prefix[:], lake.number)
	return opened, nil
}

// Close closes the instance. After a failure of the log it does nothing, see the package comment.
func (e *Engine) Close() error {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	if e.failures.err() != nil {
		return nil
	}
	e.disk.flushes.Wait()
	e.armed.Store(false)
	return errors.Join(translate(e.db.Close()), e.lock.Close())
}

// apply writes a batch and waits for the flush of the log. It owns the batch.
func (e *Engine) apply(ctx context.Context, batch *pebbledb.Batch) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", store.ErrNotApplied, err)
	}
	if err := e.failures.err(); err != nil {
		return fmt.Errorf("%w: %w", store.ErrNotApplied, err)
	}
	if err := e.disk.checkSpace(e.db, batch.Len()); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- e.applyRecovered(batch) }()
	select {
	case err := <-done:
		return err
	case <-e.failures.failed:
		return e.failures.err()
	}
}

// applyRecovered turns what Pebble does about a failure (an error of the flush, a call of Fatalf, a panic) into the
// engine's failure. A batch that failed is not given back to Pebble's pool.
func (e *Engine) applyRecovered(batch *pebbledb.Batch) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = e.failures.fail(asError(cause))
		}
	}()
	if err := e.db.ApplyNoSyncWait(batch, pebbledb.Sync); err != nil {
		return e.failures.fail(err)
	}
	if err := e.failures.err(); err != nil {
		return err
	}
	if err := batch.SyncWait(); err != nil {
		return e.failures.fail(err)
	}
	return translate(batch.Close())
}

func asError(cause any) error {
	if err, ok := cause.(error); ok {
		return err
	}
	return fmt.Errorf("%v", cause)
}
