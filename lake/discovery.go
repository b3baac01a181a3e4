package lake

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

// discovery finds the databases and schemas that another server makes and drops.
type discovery struct {
	mutex sync.Mutex // held by who looks
	last  time.Time
	// wanted tells that a client has connected since the last look: it may come for what has just been made.
	wanted atomic.Bool
}

// due tells whether it is time to look again. On a bucket each look costs some listings.
func (d *discovery) due() bool {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.wanted.Swap(false) || time.Since(d.last) >= discoveryInterval
}

// discover takes over what the engine has, unless that was done within the given time.
func (i *Instance) discover(ctx context.Context, within time.Duration) error {
	i.discovery.mutex.Lock()
	defer i.discovery.mutex.Unlock()
	if time.Since(i.discovery.last) < within {
		return nil
	}
	paths, err := i.engine.List(ctx)
	if err != nil {
		return storeError(err)
	}
	i.discovery.last = time.Now()
	found := map[string]map[string]bool{}
	for _, path := range paths {
		switch {
		case path.Database == ServerDatabase:
		case path.Schema == "":
			found[path.Database] = map[string]bool{}
		default:
			found[path.Database][path.Schema] = true
		}
	}
	for name, schemas := range found {
		database := i.find(name)
		if database == nil {
			database = newDatabase(i, name)
			database.reconcile(schemas)
			i.set(name, database)
			continue
		}
		database.reconcile(schemas)
	}
	for _, database := range i.list() {
		if found[database.info.Name] == nil {
			i.set(database.info.Name, nil)
			closeAll(database.end(terminated()))
		}
	}
	return nil
}

// reconcile makes the schemas of a database those that the engine has.
func (d *database) reconcile(schemas map[string]bool) {
	for name := range schemas {
		d.addSchema(name)
	}
	for _, name := range d.schemaNames() {
		if !schemas[name] {
			d.removeSchema(name)
		}
	}
}

// discoverPeriodically is the goroutine of a read-only instance that looks for other databases.
func (i *Instance) discoverPeriodically() {
	ticker := time.NewTicker(discoveryPolls * i.options.PollInterval)
	defer ticker.Stop()
	failed := false
	for {
		select {
		case <-i.closing.Done():
			return
		case <-ticker.C:
		}
		if !i.discovery.due() {
			continue
		}
		err := i.discover(i.closing, 0)
		if i.closing.Err() == nil && (err != nil) != failed {
			failed = err != nil
			i.logRefresh(store.Path{}, err)
		}
	}
}

// logRefresh says that a lake, or the list of all, cannot be refreshed any more, or can again.
func (i *Instance) logRefresh(path store.Path, err error) {
	if i.options.Log == nil {
		return
	}
	what := "the list of databases"
	if path.Database != "" {
		what = "lake " + path.Schema + " of database " + path.Database
	}
	if err != nil {
		i.options.Log("%s cannot be refreshed and stays as it is: %v", what, err)
		return
	}
	i.options.Log("%s is refreshed again", what)
}

// findOrDiscover finds a database, also one that was made a moment ago by the writer of a read-only instance.
func (i *Instance) findOrDiscover(ctx context.Context, name string) (*database, error) {
	if !i.options.ReadOnly {
		return i.find(name), nil
	}
	i.discovery.wanted.Store(true)
	if database := i.find(name); database != nil {
		return database, nil
	}
	if err := i.discover(ctx, i.options.PollInterval); err != nil {
		return nil, err
	}
	return i.find(name), nil
}

// checkWritable is 25006 for what would write on a read-only instance.
func (i *Instance) checkWritable() error {
	if !i.options.ReadOnly {
		return nil
	}
	return pgerror.New(pgerror.ReadOnlySQLTransaction, "this server only reads").WithHint(relation.ReadOnlyServerHint)
}
