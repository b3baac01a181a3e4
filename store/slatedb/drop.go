//go:build slatedb

package slatedb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"moraine/store"
)

// clearingBatch is how many keys one batch deletes when a lake is emptied beside its snapshots.
const clearingBatch = 10_000

// drop is a dropped lake whose objects are still there. Its fields are guarded by the engine's mutex.
type drop struct {
	path store.Path
	// shared is the lake's open store, nil when it was not open.
	shared *shared
	// done is closed when a removal has ended, with or without success; nil before one has started.
	done chan struct{}
}

// Drop marks a lake, or a database with all its lakes, as dropped. Its objects are removed in the background.
func (e *Engine) Drop(ctx context.Context, path store.Path) error {
	end, err := e.begin()
	if err != nil {
		return fmt.Errorf("%w: %w", store.ErrNotApplied, err)
	}
	defer end()
	if err := e.mayWrite(ctx, path); err != nil {
		return err
	}
	defer e.databases.lock(path.Database)()
	exists := false
	if path.Schema == "" {
		exists, err = e.databaseExists(path.Database)
	} else if exists, err = e.lakeExists(path); exists && err == nil {
		// Without its last lake the database would be gone, if nothing else stands for it.
		err = e.keepDatabase(path.Database)
	}
	if err != nil {
		return err
	}
	if !exists {
		return store.ErrNotFound
	}
	covered := e.openLakes(func(other store.Path) bool {
		return other == path || path.Schema == "" && other.Database == path.Database
	})
	for _, lake := range covered {
		lake.mutex.Lock()
		defer lake.mutex.Unlock()
	}
	if err := e.native.put(droppedMark(path), nil, false); err != nil {
		// The mark may be there all the same. What is committed to a lake from now on must not go with it.
		for _, lake := range covered {
			lake.ended = fmt.Errorf("%w: %w: whether %s was dropped is not known: %w", store.ErrUnavailable, store.ErrReopen, path, err)
			lake.failed.Store(true)
		}
		return err
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	for _, lake := range covered {
		e.dropLocked(lake)
	}
	if path.Schema == "" {
		e.expandLater(path.Database)
	} else if e.drops[path] == nil {
		e.startRemoval(&drop{path: path})
	}
	return nil
}

func (e *Engine) keepDatabase(database string) error {
	marked, err := e.hasObject(databaseObject(database))
	if err != nil || marked {
		return err
	}
	return e.native.put(databaseObject(database), nil, false)
}

// openLakes gives the open lakes of the chosen paths.
func (e *Engine) openLakes(chosen func(path store.Path) bool) []*lake {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	var found []*lake
	for path, lake := range e.lakes {
		if chosen(path) {
			found = append(found, lake)
		}
	}
	return found
}

// dropLocked takes a lake out of the list. Its removal starts when its last snapshot has been closed. The mutexes of the
// engine and the lake are held.
func (e *Engine) dropLocked(dropped *lake) {
	if !dropped.end(store.ErrNotFound) {
		return
	}
	shared := dropped.shared
	e.drops[shared.path] = &drop{path: shared.path, shared: shared}
	if shared.references--; shared.references == 0 {
		e.startRemoval(e.drops[shared.path])
	}
}

// startRemoval removes a dropped lake's objects in the background, unless the engine is being closed: then the next one that
// is opened does. The engine's mutex is held.
func (e *Engine) startRemoval(dropped *drop) {
	dropped.done = make(chan struct{})
	e.drops[dropped.path] = dropped
	e.background.Go(func() {
		defer close(dropped.done)
		if dropped.shared != nil {
			dropped.shared.close()
		}
		if !e.isClosed() {
			if err := e.remove(dropped.path); err != nil {
				e.options.Log("slatedb: removing the dropped lake %s, to be tried again at the next start: %v", folder(dropped.path), err)
			}
		}
		e.mutex.Lock()
		defer e.mutex.Unlock()
		delete(e.drops, dropped.path)
	})
}

// remove removes a dropped lake's objects, and then the mark.
func (e *Engine) remove(path store.Path) error {
	if err := e.native.removeBelow(folder(path)); err != nil {
		return err
	}
	if e.directory != "" {
		// A file that a crash left half written is no object. Failing to tidy up is no failure of the drop.
		_ = os.RemoveAll(filepath.Join(e.directory, folder(path)))
		if err := e.syncFolder(encode(path.Database)); err != nil {
			return err
		}
	}
	return e.removeObject(droppedMark(path))
}

// removeObject removes an object for good: a mark must not come back after a crash, beside a lake that was made meanwhile.
func (e *Engine) removeObject(name string) error {
	if err := e.native.remove(name); err != nil || e.directory == "" {
		return err
	}
	return e.syncFolder(name[:strings.LastIndexByte(name, '/')])
}

// syncFolder makes durable what was removed from a folder of a local directory, where the library does not see to it.
func (e *Engine) syncFolder(name string) error {
	names, err := os.Open(filepath.Join(e.directory, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	defer names.Close()
	if err := names.Sync(); err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return nil
}

// expandLater replaces the mark of a dropped database in the background. The engine's mutex is held.
func (e *Engine) expandLater(database string) {
	e.background.Go(func() {
		if e.isClosed() {
			return
		}
		defer e.databases.lock(database)()
		if err := e.expandDrop(database); err != nil {
			e.options.Log("slatedb: removing the dropped database %q, to be tried again at the next start: %v", database, err)
		}
	})
}

// expandDrop replaces the mark of a dropped database by marks of its lakes, so that the database can be made again. There
// may be none. The database is locked.
func (e *Engine) expandDrop(database string) error {
	mark := droppedMark(store.Path{Database: database})
	if dropped, err := e.hasObject(mark); err != nil || !dropped {
		return err
	}
	schemas, err := e.subfolders(database)
	if err != nil {
		return err
	}
	paths := make([]store.Path, 0, len(schemas))
	for _, schema := range schemas {
		path := store.Path{Database: database, Schema: schema}
		if err := e.native.put(droppedMark(path), nil, false); err != nil {
			return err
		}
		e.detachFailed(path)
		paths = append(paths, path)
	}
	if err := e.removeObject(databaseObject(database)); err != nil {
		return err
	}
	if err := e.removeObject(mark); err != nil {
		return err
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	for _, path := range paths {
		if e.drops[path] == nil {
			e.startRemoval(&drop{path: path})
		}
	}
	return nil
}

// resumeDrops goes on with what an earlier writer has left, once, when the lakes are first used: a server that opens the
// engine and waits for its turn leaves alone what the writer does.
func (e *Engine) resumeDrops() error {
	e.resuming.Lock()
	defer e.resuming.Unlock()
	if e.resumed || e.options.ReadOnly {
		return nil
	}
	dropped, err := e.droppedPaths()
	if err != nil {
		return err
	}
	e.resumed = true
	e.mutex.Lock()
	defer e.mutex.Unlock()
	for path := range dropped {
		if path.Schema == "" {
			e.expandLater(path.Database)
		} else {
			e.startRemoval(&drop{path: path})
		}
	}
	return nil
}

// finishDrop ends the drop of a lake that is to be made again, if there was one. It tells whether that has made the lake:
// when snapshots of the dropped one keep its objects.
func (e *Engine) finishDrop(path store.Path) (revived bool, err error) {
	e.mutex.Lock()
	dropped := e.drops[path]
	if dropped != nil && dropped.done == nil {
		dropped.shared.references++
		delete(e.drops, path)
		e.mutex.Unlock()
		return true, e.revive(dropped)
	}
	e.mutex.Unlock()
	if dropped != nil {
		<-dropped.done
	}
	marked, err := e.hasObject(droppedMark(path))
	if err != nil || !marked {
		return false, err
	}
	return false, e.remove(path)
}

// revive makes a lake anew in the store of the dropped one, by deleting its keys. A reference is held for the new lake.
func (e *Engine) revive(dropped *drop) error {
	shared := dropped.shared
	err := clearKeys(shared.native)
	if err == nil {
		err = e.removeObject(droppedMark(dropped.path))
	}
	e.mutex.Lock()
	if err == nil {
		e.lakes[dropped.path] = &lake{shared: shared}
		e.mutex.Unlock()
		return nil
	}
	e.drops[dropped.path] = dropped
	e.mutex.Unlock()
	shared.release()
	return fmt.Errorf("empty the lake %s: %w", folder(dropped.path), err)
}

// clearKeys deletes all keys.
func clearKeys(lake nativeLake) error {
	state, err := lake.snapshot()
	if err != nil {
		return err
	}
	defer func() { _ = state.close() }()
	scan, err := state.scan(nil, nil)
	if err != nil {
		return err
	}
	defer func() { _ = scan.close() }()
	batch := &store.Batch{}
	for ended := false; !ended; {
		var page []byte
		if page, ended, err = scan.next(nil, maxPageSize); err != nil {
			return err
		}
		for len(page) > 0 {
			var key []byte
			if key, _, page, err = cutPair(page); err != nil {
				return err
			}
			batch.Delete(key)
		}
		if batch.Len() >= clearingBatch || ended && batch.Len() > 0 {
			if err := lake.commit(batch); err != nil {
				return err
			}
			batch = &store.Batch{}
		}
	}
	return nil
}
