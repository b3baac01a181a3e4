//go:build slatedb

package slatedb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"moraine/store"
)

// Defaults of Options.
const (
	// DefaultCacheSize is the bytes of the block cache that all lakes of an engine share.
	DefaultCacheSize = 256 << 20
	// DefaultRequestTimeout bounds a request to the object store, and the client's repetitions of it.
	DefaultRequestTimeout = 15 * time.Second
	// DefaultCommitTimeout is how long a commit waits for the object store before it is uncertain; large ones wait longer, see
	// the library's COMMIT_RATE.
	DefaultCommitTimeout = 30 * time.Second
)

// errGivenUp is what the stores of a lake say that has been opened again.
var errGivenUp = fmt.Errorf("%w: %w", store.ErrUnavailable, store.ErrReopen)

// Options of an engine. Zero values stand for the defaults.
type Options struct {
	// ReadOnly opens it beside its writer: nothing is written, and its stores are [store.Follower]s.
	ReadOnly bool
	// Log is given SlateDB's warnings and errors. Nil means nobody listens.
	Log func(format string, arguments ...any)
	// CacheSize is in bytes.
	CacheSize                     int64
	RequestTimeout, CommitTimeout time.Duration
	// CheckpointLifetime and TailSize (bytes) are for an engine that only reads.
	CheckpointLifetime time.Duration
	TailSize           int64
}

// withDefaults fills in what is zero.
func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	if o.CacheSize == 0 {
		o.CacheSize = DefaultCacheSize
	}
	if o.RequestTimeout == 0 {
		o.RequestTimeout = DefaultRequestTimeout
	}
	if o.CommitTimeout == 0 {
		o.CommitTimeout = DefaultCommitTimeout
	}
	if o.CheckpointLifetime == 0 {
		o.CheckpointLifetime = DefaultCheckpointLifetime
	}
	if o.TailSize == 0 {
		o.TailSize = DefaultTailSize
	}
	return o
}

// Engine is the lakes of an object store. It is a store.Engine and store.Objects.
type Engine struct {
	native  nativeEngine
	options Options
	// directory is that of a store on this machine, else empty.
	directory string

	// calls is held for reading by whoever uses native, and so by Close until they are done.
	calls sync.RWMutex
	// databases serializes what is done to the lakes of one database.
	databases keyedMutex
	// resuming is held by who takes up the drops that an earlier writer has left; resumed tells that it was done.
	resuming sync.Mutex
	resumed  bool

	mutex sync.Mutex
	// closed refuses everything; closing only new work in the background.
	closed bool
	// lakes are the open ones that exist.
	lakes map[store.Path]*lake
	// drops are the dropped lakes whose objects are still there.
	drops map[store.Path]*drop
	// fenced are the lakes that another writer has taken from this engine.
	fenced map[store.Path]bool
	// background counts the removals that run.
	background sync.WaitGroup
}

// Open opens the object store that a URL names: s3://, gs://, az:// or file://, with a path below which everything is.
// Credentials and endpoints come from the environment, as the providers' own tools take them.
func Open(ctx context.Context, url string, options Options) (*Engine, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	options = options.withDefaults()
	engine := &Engine{
		directory: localDirectory(url),
		options:   options,
		lakes:     map[store.Path]*lake{},
		drops:     map[store.Path]*drop{},
		fenced:    map[store.Path]bool{},
	}
	engine.listen(options.Log)
	native, err := openNative(url, options)
	if err != nil {
		engine.forget()
		return nil, err
	}
	engine.native = native
	// The first request tells whether the store answers at all.
	if _, err := engine.droppedPaths(); err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return engine, nil
}

// Create makes a lake or a database.
func (e *Engine) Create(ctx context.Context, path store.Path) error {
	end, err := e.begin()
	if err != nil {
		return fmt.Errorf("%w: %w", store.ErrNotApplied, err)
	}
	defer end()
	if err := e.mayWrite(ctx, path); err != nil {
		return err
	}
	defer e.databases.lock(path.Database)()
	if path.Schema == "" {
		return e.createDatabase(path.Database)
	}
	switch exists, err := e.databaseExists(path.Database); {
	case err != nil:
		return err
	case !exists:
		return store.ErrNotFound
	}
	e.detachFailed(path)
	if revived, err := e.finishDrop(path); err != nil || revived {
		return err
	}
	switch exists, err := e.lakeExists(path); {
	case err != nil:
		return err
	case exists:
		return store.ErrExists
	}
	_, err = e.openLake(path)
	return err
}

// begin begins a call, unless the engine is closed.
func (e *Engine) begin() (end func(), err error) {
	e.calls.RLock()
	if e.isClosed() {
		e.calls.RUnlock()
		return nil, store.ErrClosed
	}
	return e.calls.RUnlock, nil
}

func (e *Engine) createDatabase(database string) error {
	if err := e.expandDrop(database); err != nil {
		return err
	}
	switch exists, err := e.databaseExists(database); {
	case err != nil:
		return err
	case exists:
		return store.ErrExists
	}
	return e.native.put(databaseObject(database), nil, true)
}

// mayWrite tells whether lakes may be made and dropped.
func (e *Engine) mayWrite(ctx context.Context, path store.Path) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", store.ErrNotApplied, err)
	}
	if e.options.ReadOnly {
		return fmt.Errorf("%w: %w", store.ErrNotApplied, store.ErrReadOnly)
	}
	e.mutex.Lock()
	fenced := e.fenced[path]
	e.mutex.Unlock()
	if fenced {
		return fmt.Errorf("%w: %w", store.ErrNotApplied, store.ErrFenced)
	}
	if err := checkNames(path); err != nil {
		return err
	}
	return e.resumeDrops()
}

// Open gives the store of a lake.
func (e *Engine) Open(ctx context.Context, path store.Path) (store.Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	end, err := e.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	if path.Schema == "" || checkNames(path) != nil {
		return nil, store.ErrNotFound
	}
	if err := e.resumeDrops(); err != nil {
		return nil, err
	}
	defer e.databases.lock(path.Database)()
	if e.options.ReadOnly {
		return e.openFollower(ctx, path)
	}
	if lake, err := e.share(path); lake != nil || err != nil {
		return lake, err
	}
	switch exists, err := e.lakeExists(path); {
	case err != nil:
		return nil, err
	case !exists:
		return nil, store.ErrNotFound
	}
	opened, err := e.openLake(path)
	if err != nil {
		return nil, err
	}
	return opened.store(), nil
}

// share gives one more store of a lake that is open and works, or nil.
func (e *Engine) share(path store.Path) (store.Store, error) {
	e.detachFailed(path)
	e.mutex.Lock()
	defer e.mutex.Unlock()
	switch open := e.lakes[path]; {
	case e.fenced[path]:
		return nil, store.ErrFenced
	case open == nil:
		return nil, nil
	default:
		return open.storeLocked(), nil
	}
}

// detachFailed gives an open lake up that must be opened again. Its stores take nothing more, and stay until they are closed.
func (e *Engine) detachFailed(path store.Path) {
	e.mutex.Lock()
	failed := e.lakes[path]
	e.mutex.Unlock()
	if failed == nil || !failed.failed.Load() {
		return
	}
	failed.mutex.Lock() // calls under way use what is closed below
	defer failed.mutex.Unlock()
	e.mutex.Lock()
	last := failed.end(cmp.Or(failed.ended, errGivenUp))
	e.mutex.Unlock()
	if last {
		failed.shared.release()
	}
}

// openLake opens a lake, or makes one, and takes it into the list of open lakes.
func (e *Engine) openLake(path store.Path) (*lake, error) {
	native, err := e.native.openLake(folder(path))
	if errors.Is(err, errInvalid) {
		err = fmt.Errorf("%w: %w", store.ErrCorrupt, err) // name and settings are ours: what is stored does not fit them
	}
	if err != nil {
		return nil, fmt.Errorf("open the lake %s: %w", folder(path), err)
	}
	opened := &lake{shared: &shared{engine: e, path: path, native: native, references: 1}}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.lakes[path] = opened
	return opened, nil
}

// Close closes the engine.
func (e *Engine) Close() error {
	e.mutex.Lock()
	if e.closed {
		e.mutex.Unlock()
		return nil
	}
	e.closed = true
	e.mutex.Unlock()
	e.calls.Lock()
	defer e.calls.Unlock()
	for _, open := range e.openLakes(func(store.Path) bool { return true }) {
		open.mutex.Lock()
		e.mutex.Lock()
		last := open.end(store.ErrClosed)
		e.mutex.Unlock()
		open.mutex.Unlock()
		if last {
			open.shared.release()
		}
	}
	e.background.Wait()
	err := e.native.close()
	e.forget()
	return err
}

// keyedMutex is a mutex for each key.
type keyedMutex struct {
	mutex sync.Mutex
	held  map[string]*keyLock
}

type keyLock struct {
	sync.Mutex
	users int
}

// lock locks a key, and gives the function that unlocks it.
func (m *keyedMutex) lock(key string) (unlock func()) {
	m.mutex.Lock()
	if m.held == nil {
		m.held = map[string]*keyLock{}
	}
	lock := m.held[key]
	if lock == nil {
		lock = &keyLock{}
		m.held[key] = lock
	}
	lock.users++
	m.mutex.Unlock()
	lock.Lock()
	return func() {
		lock.Unlock()
		m.mutex.Lock()
		defer m.mutex.Unlock()
		if lock.users--; lock.users == 0 {
			delete(m.held, key)
		}
	}
}
