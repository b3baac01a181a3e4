package lake

import (
	"context"
	"sync"
	"time"

	"moraine/relation"
	"moraine/store"
)

// publicSchema is the schema that a new database has.
const publicSchema = "public"

// database is one database with its schemas.
type database struct {
	instance   *Instance
	info       relation.DatabaseInfo
	locks      *lockTable
	relations  *identities
	namespaces *identities

	mutex    sync.Mutex
	schemas  map[string]struct{}
	lakes    map[string]*opening
	sessions map[*Session]struct{}
	barred   bool // no new sessions
}

// opening is a lake that is open or being opened.
type opening struct {
	done chan struct{} // closed when lake and err are set
	lake *lake
	err  error
}

func newDatabase(instance *Instance, name string) *database {
	return &database{
		instance: instance, info: relation.DatabaseInfo{Name: name, OID: instance.databaseOIDs.oid("", name)},
		locks:     newLockTable(instance.options),
		relations: newIdentities(), namespaces: newIdentities(),
		schemas: map[string]struct{}{}, lakes: map[string]*opening{}, sessions: map[*Session]struct{}{},
	}
}

func (d *database) path(schema string) store.Path {
	return store.Path{Database: d.info.Name, Schema: schema}
}

// schemaOID gives the OID of a schema.
func (d *database) schemaOID(name string) uint32 {
	if name == publicSchema {
		return publicOID
	}
	return d.namespaces.oid("", name)
}

// schemaNames gives the committed schemas.
func (d *database) schemaNames() []string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	names := make([]string, 0, len(d.schemas))
	for name := range d.schemas {
		names = append(names, name)
	}
	return names
}

func (d *database) hasSchema(name string) bool {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	_, exists := d.schemas[name]
	return exists
}

// acquire gives the lake of a schema, opening it when it is not open, until release; nil when there is no such schema.
func (d *database) acquire(ctx context.Context, schema string) (*lake, error) {
	for {
		opened, first, failed := d.find(schema)
		if opened == nil {
			return nil, nil
		}
		if failed != nil {
			failed.close()
		}
		if first {
			// Others may wait for it, so the client that happened to come first cannot cancel it.
			lake, err := d.open(context.WithoutCancel(ctx), schema)
			d.finish(schema, opened, lake, err)
		}
		select {
		case <-opened.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if opened.err != nil {
			return nil, storeError(opened.err)
		}
		if d.reference(schema, opened) {
			return opened.lake, nil
		}
	}
}

// find gives the entry of a lake, nil when there is no such schema; first tells that the caller has to open it, after it
// has closed the failed one, if there is one.
func (d *database) find(schema string) (entry *opening, first bool, failed *lake) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if _, exists := d.schemas[schema]; !exists {
		return nil, false, nil
	}
	entry, found := d.lakes[schema]
	if found && entry.failed() {
		found, failed = false, entry.lake
	}
	if !found {
		entry = &opening{done: make(chan struct{})}
		d.lakes[schema] = entry
	}
	return entry, !found, failed
}

// failed tells whether the lake is open and must be opened again.
func (o *opening) failed() bool {
	select {
	case <-o.done:
		return o.lake != nil && o.lake.reopens.Load()
	default:
		return false
	}
}

func (d *database) open(ctx context.Context, schema string) (*lake, error) {
	opened, err := d.instance.engine.Open(ctx, d.path(schema))
	if err != nil {
		return nil, err
	}
	result, err := openLake(ctx, d.path(schema), opened)
	if err != nil || !d.instance.options.ReadOnly {
		return result, err
	}
	if err := d.follow(result); err != nil {
		result.close()
		return nil, err
	}
	return result, nil
}

// finish sets what came of an opening. A lake that was dropped meanwhile is closed, a failed one is tried again by the next.
func (d *database) finish(schema string, entry *opening, opened *lake, err error) {
	d.mutex.Lock()
	entry.lake, entry.err = opened, err
	close(entry.done)
	wanted := d.lakes[schema] == entry
	if err != nil && wanted {
		delete(d.lakes, schema)
	}
	d.mutex.Unlock()
	if err == nil && !wanted {
		opened.close()
	}
}

// reference counts a user of an open lake; false when it was closed or dropped meanwhile.
func (d *database) reference(schema string, entry *opening) bool {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.lakes[schema] != entry {
		return false
	}
	entry.lake.references++
	return true
}

// release gives a lake back. A dropped one closes with its last user.
func (d *database) release(used *lake) {
	d.mutex.Lock()
	used.references--
	used.lastUsed = time.Now()
	entry, found := d.lakes[used.schema]
	last := used.references == 0 && (!found || entry.lake != used)
	d.mutex.Unlock()
	if last {
		used.close()
	}
}

// removeSchema forgets a schema that was dropped from the engine.
func (d *database) removeSchema(schema string) {
	d.mutex.Lock()
	delete(d.schemas, schema)
	unused := d.retire(schema)
	d.mutex.Unlock()
	closeAll(unused)
}

// retire takes a dropped lake out of use, and gives it to be closed when nobody uses it: a store may take its time for that.
// The mutex is held.
func (d *database) retire(schema string) (unused []*lake) {
	entry, found := d.lakes[schema]
	if !found {
		return nil
	}
	delete(d.lakes, schema)
	select {
	case <-entry.done:
	default:
		return nil // finish closes it
	}
	entry.lake.end(droppedSchema(schema))
	if entry.lake.references > 0 {
		return nil // its last user closes it
	}
	return []*lake{entry.lake}
}

// closeAll closes lakes at once: together they take as long as the slowest store.
func closeAll(lakes []*lake) {
	var closing sync.WaitGroup
	for _, lake := range lakes {
		closing.Go(lake.close)
	}
	closing.Wait()
}

// addSchema makes a created schema known.
func (d *database) addSchema(schema string) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.schemas[schema] = struct{}{}
}

// closeIdle closes the lakes that nobody has used since a moment. That may take as long as the store needs to answer, so
// nobody is kept from the database meanwhile.
func (d *database) closeIdle(before time.Time) {
	closeAll(d.takeIdle(before))
}

// takeIdle takes the lakes out of use that nobody has used since a moment. A lake that takes no more commits stays, because
// what its store shows after a reopening may not be durable.
func (d *database) takeIdle(before time.Time) (idle []*lake) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for schema, entry := range d.lakes {
		select {
		case <-entry.done:
		default:
			continue
		}
		if entry.lake.references == 0 && entry.lake.lastUsed.Before(before) && entry.lake.writable() == nil {
			delete(d.lakes, schema)
			idle = append(idle, entry.lake)
		}
	}
	return idle
}

// bar keeps new sessions out, or lets them in again.
func (d *database) bar(barred bool) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.barred = barred
}

// end ends all sessions and takes all lakes out of use; those to be closed are returned.
func (d *database) end(reason error) (unused []*lake) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.barred = true
	for session := range d.sessions {
		session.terminate(reason)
	}
	for schema := range d.lakes {
		unused = append(unused, d.retire(schema)...)
	}
	clear(d.schemas)
	return unused
}

// enter registers a session; false when the database is being dropped.
func (d *database) enter(session *Session) bool {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.barred {
		return false
	}
	d.sessions[session] = struct{}{}
	return true
}

func (d *database) leave(session *Session) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	delete(d.sessions, session)
}

func (d *database) sessionCount() int {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return len(d.sessions)
}
