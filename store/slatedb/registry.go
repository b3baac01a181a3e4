//go:build slatedb

package slatedb

import (
	"context"
	"errors"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"moraine/store"
)

// listConcurrency is how many requests List has under way at once.
const listConcurrency = 16

// maxListed bounds the objects that one request of the library gives: no limit that a lake reaches.
const maxListed = 1 << 30

// List gives all databases and lakes: the folders with a manifest and the databases' own objects, without what was dropped.
func (e *Engine) List(ctx context.Context) ([]store.Path, error) {
	end, err := e.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	if err := e.resumeDrops(); err != nil {
		return nil, err
	}
	dropped, err := e.droppedPaths()
	if err != nil {
		return nil, err
	}
	lakes, err := e.foundLakes(ctx)
	if err != nil {
		return nil, err
	}
	marked, err := e.native.folder(databasesFolder)
	if err != nil {
		return nil, err
	}
	found := map[store.Path]bool{}
	for _, object := range marked {
		if name, valid := decode(base(object.name)); valid && !object.folder && !dropped[store.Path{Database: name}] {
			found[store.Path{Database: name}] = true
		}
	}
	for _, lake := range lakes {
		database := store.Path{Database: lake.Database}
		if !dropped[lake] && !dropped[database] {
			found[lake], found[database] = true, true
		}
	}
	return slices.SortedFunc(maps.Keys(found), store.Path.Compare), nil
}

// foundLakes gives the lakes that the medium holds, dropped ones too.
func (e *Engine) foundLakes(ctx context.Context) ([]store.Path, error) {
	databases, err := e.subfolders("")
	if err != nil {
		return nil, err
	}
	group, _ := errgroup.WithContext(ctx)
	group.SetLimit(listConcurrency)
	lakes := make([][]store.Path, len(databases))
	for i, database := range databases {
		group.Go(func() error {
			schemas, err := e.subfolders(database)
			for _, schema := range schemas {
				path := store.Path{Database: database, Schema: schema}
				exists, failed := e.hasManifest(path)
				if failed != nil {
					return failed
				}
				if exists {
					lakes[i] = append(lakes[i], path)
				}
			}
			return err
		})
	}
	err = group.Wait()
	return slices.Concat(lakes...), err
}

// subfolders gives the decoded names of the folders of a database, or with an empty name of the databases. What is no name
// of the engine's is not a lake.
func (e *Engine) subfolders(database string) ([]string, error) {
	entries, err := e.native.folder(encode(database))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, found := range entries {
		if name, valid := decode(base(found.name)); valid && found.folder {
			names = append(names, name)
		}
	}
	return names, nil
}

// hasManifest tells whether there is a SlateDB store in the folder of a lake.
func (e *Engine) hasManifest(path store.Path) (bool, error) {
	manifests, err := e.native.list(folder(path)+"/manifest", 1)
	return len(manifests) > 0, err
}

// droppedPaths gives the lakes and databases that are marked as dropped. Who asks first and looks for lakes then misses no
// drop that was before: a mark goes when the lake's objects have gone.
func (e *Engine) droppedPaths() (map[store.Path]bool, error) {
	dropped := map[store.Path]bool{}
	// The mark of a database turns into those of its lakes. Who looks twice sees one of them.
	for range 2 {
		marks, err := e.native.list(droppedFolder, maxListed)
		if err != nil {
			return nil, err
		}
		for _, mark := range marks {
			if path, valid := droppedPath(mark.name); valid {
				dropped[path] = true
			}
		}
	}
	return dropped, nil
}

func (e *Engine) isClosed() bool {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	return e.closed
}

// hasObject tells whether there is an object of a name.
func (e *Engine) hasObject(name string) (bool, error) {
	switch _, err := e.native.get(name); {
	case err == nil:
		return true, nil
	case errors.Is(err, errNoObject):
		return false, nil
	default:
		return false, err
	}
}

// lakeExists tells whether a lake is there and not dropped.
func (e *Engine) lakeExists(path store.Path) (bool, error) {
	for _, mark := range []string{droppedMark(store.Path{Database: path.Database}), droppedMark(path)} {
		if dropped, err := e.hasObject(mark); dropped || err != nil {
			return false, err
		}
	}
	return e.hasManifest(path)
}

// databaseExists tells whether a database is there and not dropped: by its object, or by a lake.
func (e *Engine) databaseExists(database string) (bool, error) {
	if dropped, err := e.hasObject(droppedMark(store.Path{Database: database})); dropped || err != nil {
		return false, err
	}
	if marked, err := e.hasObject(databaseObject(database)); marked || err != nil {
		return marked, err
	}
	lakes, err := e.lakesOf(database)
	return len(lakes) > 0, err
}

// lakesOf gives the lakes of a database that exist.
func (e *Engine) lakesOf(database string) ([]store.Path, error) {
	schemas, err := e.subfolders(database)
	if err != nil {
		return nil, err
	}
	var lakes []store.Path
	for _, schema := range schemas {
		path := store.Path{Database: database, Schema: schema}
		if exists, err := e.lakeExists(path); err != nil {
			return nil, err
		} else if exists {
			lakes = append(lakes, path)
		}
	}
	return lakes, nil
}

// Size adds up the objects that hold keys: of the log and of the sorted tables.
func (e *Engine) Size(_ context.Context, path store.Path) (int64, error) {
	end, err := e.begin()
	if err != nil {
		return 0, err
	}
	defer end()
	lakes := []store.Path{path}
	exists := false
	if path.Schema != "" {
		exists, err = e.lakeExists(path)
	} else if exists, err = e.databaseExists(path.Database); exists && err == nil {
		lakes, err = e.lakesOf(path.Database)
	}
	if err != nil {
		return 0, err
	}
	if !exists {
		return 0, store.ErrNotFound
	}
	total := int64(0)
	for _, lake := range lakes {
		for _, part := range []string{"wal", "compacted"} {
			objects, err := e.native.list(folder(lake)+"/"+part, maxListed)
			if err != nil {
				return 0, err
			}
			for _, object := range objects {
				total += object.size
			}
		}
	}
	return total, nil
}
