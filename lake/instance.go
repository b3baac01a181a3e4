package lake

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

// initialDatabases exist from the first start, each with an empty schema public: one for lakes, and the one that tools
// connect to in order to create others. One that was dropped is back after a restart.
var initialDatabases = []string{"moraine", "postgres"}

// ServerDatabase is a name that no database can have: the engine keeps under it what belongs to the server and to no lake.
const ServerDatabase = "pg_global"

// Options of an instance; zero values mean the defaults.
type Options struct {
	// LockTimeout bounds the wait for a lock; DefaultLockTimeout when 0.
	LockTimeout time.Duration
	// MaxIdleHold bounds the time that a transaction may wait for its client while others wait for its locks;
	// DefaultMaxIdleHold when 0. The session of a longer one is ended.
	MaxIdleHold time.Duration
	// ReadOnly serves the lakes of an engine that was opened for reading only, whose stores are store.Followers: they are
	// refreshed every PollInterval (DefaultPollInterval when 0), and nothing can be written.
	ReadOnly     bool
	PollInterval time.Duration
	// Serving tells whether this server may answer, or another one may have taken over: its error is the FATAL for a
	// session. It is asked at the beginning of each statement and commit. Nil means always.
	Serving func() error
	// Log is given what an operator should know of lakes that cannot be refreshed. Nil means nobody listens.
	Log func(format string, arguments ...any)
}

// Instance is all databases of an engine. It is safe for concurrent use.
type Instance struct {
	engine       store.Engine
	options      Options
	databaseOIDs *identities
	sessions     atomic.Uint64 // counts them, for the names of their temporary schemas

	administration sync.Mutex // held by what creates and drops databases

	mutex     sync.Mutex
	databases map[string]*database

	discovery discovery
	followers sync.WaitGroup // the goroutines of lakes that follow

	closing context.Context // done when the instance is closed
	close   context.CancelFunc
	closed  sync.WaitGroup
}

var _ relation.Instance = (*Instance)(nil)

// Open makes an instance of what the engine has. The engine is the caller's, to be closed after the instance.
func Open(ctx context.Context, engine store.Engine, options Options) (*Instance, error) {
	if options.LockTimeout == 0 {
		options.LockTimeout = DefaultLockTimeout
	}
	if options.MaxIdleHold == 0 {
		options.MaxIdleHold = DefaultMaxIdleHold
	}
	if options.PollInterval == 0 {
		options.PollInterval = DefaultPollInterval
	}
	if options.Serving == nil {
		options.Serving = func() error { return nil }
	}
	instance := &Instance{engine: engine, options: options, databaseOIDs: newIdentities(), databases: map[string]*database{}}
	instance.closing, instance.close = context.WithCancel(context.WithoutCancel(ctx))
	if err := instance.load(ctx); err != nil {
		instance.close()
		return nil, err
	}
	instance.closed.Go(instance.closeIdleLakes)
	if options.ReadOnly {
		instance.closed.Go(instance.discoverPeriodically)
	}
	return instance, nil
}

// load makes the databases known that the engine has, and the initial ones where they may be made.
func (i *Instance) load(ctx context.Context) error {
	if i.options.ReadOnly {
		return i.discover(ctx, 0)
	}
	paths, err := i.engine.List(ctx)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if path.Database == ServerDatabase {
			continue
		}
		if path.Schema == "" {
			i.databases[path.Database] = newDatabase(i, path.Database)
			continue
		}
		i.databases[path.Database].addSchema(path.Schema)
	}
	for _, database := range i.list() {
		if err := i.complete(ctx, database); err != nil {
			return err
		}
	}
	for _, name := range initialDatabases {
		if err := i.CreateDatabase(ctx, name); err != nil && !pgerror.HasCode(err, pgerror.DuplicateDatabase) {
			return err
		}
	}
	return nil
}

// complete gives a database that has no schema at all its first one: a crash can end CREATE DATABASE between the two.
func (i *Instance) complete(ctx context.Context, incomplete *database) error {
	if len(incomplete.schemaNames()) > 0 {
		return nil
	}
	err := i.engine.Create(ctx, incomplete.path(publicSchema))
	if err != nil && !errors.Is(err, store.ErrExists) {
		return storeError(err)
	}
	incomplete.addSchema(publicSchema)
	return nil
}

// Close ends all sessions and closes all lakes. The transactions must have ended.
func (i *Instance) Close() {
	i.close()
	i.closed.Wait()
	var unused []*lake
	for _, database := range i.list() {
		unused = append(unused, database.end(terminated())...)
	}
	closeAll(unused)
	i.followers.Wait()
}

func (i *Instance) closeIdleLakes() {
	ticker := time.NewTicker(idleInterval)
	defer ticker.Stop()
	for {
		select {
		case <-i.closing.Done():
			return
		case now := <-ticker.C:
			for _, database := range i.list() {
				database.closeIdle(now.Add(-idleLimit))
			}
		}
	}
}

func (i *Instance) list() []*database {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	databases := make([]*database, 0, len(i.databases))
	for _, database := range i.databases {
		databases = append(databases, database)
	}
	return databases
}

func (i *Instance) find(name string) *database {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return i.databases[name]
}

func (i *Instance) set(name string, database *database) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	if database == nil {
		delete(i.databases, name)
		return
	}
	i.databases[name] = database
}

// Databases lists the databases by name.
func (i *Instance) Databases(context.Context) ([]relation.DatabaseInfo, error) {
	var infos []relation.DatabaseInfo
	for _, database := range i.list() {
		infos = append(infos, database.info)
	}
	slices.SortFunc(infos, func(a, b relation.DatabaseInfo) int { return cmp.Compare(a.Name, b.Name) })
	return infos, nil
}

// Connect opens a session.
func (i *Instance) Connect(ctx context.Context, name string) (relation.Session, error) {
	database, err := i.findOrDiscover(ctx, name)
	if err != nil {
		return nil, err
	}
	if database == nil {
		return nil, unknownDatabase(name)
	}
	session := newSession(database, i.sessions.Add(1))
	if !database.enter(session) {
		return nil, unknownDatabase(name)
	}
	return session, nil
}

// CreateDatabase makes a database.
func (i *Instance) CreateDatabase(ctx context.Context, name string) error {
	if name == "" {
		return pgerror.New(pgerror.InvalidName, "a database needs a name")
	}
	if err := i.checkWritable(); err != nil {
		return err
	}
	if name == ServerDatabase {
		return pgerror.New(pgerror.ReservedName, "unacceptable database name %q", name).WithDetail("The name is the server's own.")
	}
	i.administration.Lock()
	defer i.administration.Unlock()
	if i.find(name) != nil {
		return pgerror.New(pgerror.DuplicateDatabase, "database %q already exists", name)
	}
	// A database that a crash left without its schema is completed.
	for _, path := range []store.Path{{Database: name}, {Database: name, Schema: publicSchema}} {
		if err := i.engine.Create(ctx, path); err != nil && !errors.Is(err, store.ErrExists) {
			return storeError(err)
		}
	}
	created := newDatabase(i, name)
	created.addSchema(publicSchema)
	i.set(name, created)
	return nil
}

// DropDatabase removes a database. Unless it is forced, it waits a little for other sessions to leave.
func (i *Instance) DropDatabase(ctx context.Context, name string, force bool) error {
	if err := i.checkWritable(); err != nil {
		return err
	}
	if !force {
		if err := i.awaitDeparture(ctx, name); err != nil {
			return err
		}
	}
	i.administration.Lock()
	defer i.administration.Unlock()
	database := i.find(name)
	if database == nil {
		return unknownDatabase(name)
	}
	if count := database.sessionCount(); count > 0 && !force {
		err := pgerror.New(pgerror.ObjectInUse, "database %q is being accessed by other users", name)
		if count == 1 {
			return err.WithDetail("There is 1 other session using the database.")
		}
		return err.WithDetail("There are %d other sessions using the database.", count)
	}
	database.bar(true)
	if err := i.engine.Drop(ctx, store.Path{Database: name}); err != nil && !errors.Is(err, store.ErrNotFound) {
		database.bar(false)
		return storeError(err)
	}
	i.set(name, nil)
	closeAll(database.end(terminated()))
	return nil
}

// awaitDeparture waits until a database has no sessions, or long enough.
func (i *Instance) awaitDeparture(ctx context.Context, name string) error {
	enough := time.After(departureWait)
	for {
		database := i.find(name)
		if database == nil || database.sessionCount() == 0 {
			return nil
		}
		select {
		case <-time.After(departureInterval):
		case <-enough:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func unknownDatabase(name string) error {
	return pgerror.New(pgerror.InvalidCatalogName, "database %q does not exist", name)
}
