package lake

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
	"moraine/store/memory"
)

func (c *client) schemas() (names []string) {
	c.Helper()
	infos, err := c.transaction.Schemas(background)
	c.ok(err)
	for _, info := range infos {
		names = append(names, info.Name)
	}
	return names
}

func (c *client) wantSchemas(want ...string) {
	c.Helper()
	if got := c.schemas(); !slices.Equal(got, want) {
		c.Fatalf("schemas %v, want %v", got, want)
	}
}

func TestSchemasAreTransactional(t *testing.T) {
	f := newFixture(t)
	one, two := f.connect().begin(relation.RepeatableRead), f.connect().begin(relation.RepeatableRead)
	one.ok(one.transaction.CreateSchema(background, "s"))
	one.wantError(one.transaction.CreateSchema(background, "s"), pgerror.DuplicateSchema, `schema "s" already exists`)
	one.wantSchemas("public", "s")
	two.wantSchemas("public")
	two.wantError(two.transaction.DropSchema(background, "x", true), pgerror.InvalidSchemaName, `schema "x" does not exist`)
	result := two.start(func() error { return two.transaction.CreateSchema(background, "s") })
	one.commit()
	two.wantError(<-result, pgerror.DuplicateSchema, `schema "s" already exists`)
	two.transaction.Rollback()
	two.begin(relation.RepeatableRead).wantSchemas("public", "s")
	two.ok(two.transaction.DropSchema(background, "s", false))
	two.wantSchemas("public")
	two.transaction.Rollback()
	two.begin(relation.RepeatableRead).wantSchemas("public", "s")
	two.wantError(two.transaction.CreateSchema(background, "pg_x"), pgerror.ReservedName, "unacceptable schema name")
	two.commit()
}

func TestDropSchemaNeedsCascade(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	c := f.connect().begin(relation.RepeatableRead)
	c.wantError(c.transaction.DropSchema(background, "public", false), pgerror.DependentObjectsStillExist, "cannot drop schema public")
	c.ok(c.transaction.DropTable(background, "public", "t"))
	c.ok(c.transaction.DropSchema(background, "public", false))
	c.commit()
}

func TestSchemaIsDroppedAndCreatedInOneTransaction(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	c := f.connect()
	for round := range int64(3) {
		c.begin(relation.RepeatableRead)
		c.insert("t", 100, "goes with its schema")
		c.ok(c.transaction.DropSchema(background, "public", true))
		if found, err := c.transaction.Relation(background, "public", "t"); err != nil || found != nil {
			t.Fatalf("table t after the drop: %v, %v", found, err)
		}
		c.ok(c.transaction.CreateSchema(background, "public"))
		c.ok(c.transaction.CreateTable(background, integers("public", "t", primaryKey)))
		c.insert("t", round, "new")
		c.wantRows("t", fmt.Sprintf("%d=new", round))
		c.commit()
		c.begin(relation.RepeatableRead).wantRows("t", fmt.Sprintf("%d=new", round))
		c.wantDuplicate(c.insertInto(c.table("t"), round, "new"), fmt.Sprintf("Key (id)=(%d) already exists.", round))
		c.transaction.Rollback()
	}
}

func TestDroppedLakeStaysReadableAndRefusesCommits(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	reader, writer, dropper := f.connect(), f.connect(), f.connect()
	setup := f.connect().begin(relation.RepeatableRead)
	setup.insert("t", 1, "a")
	setup.commit()
	reader.begin(relation.RepeatableRead).wantRows("t", "1=a")
	writer.begin(relation.RepeatableRead).insert("t", 2, "b")
	dropper.begin(relation.RepeatableRead)
	dropper.ok(dropper.transaction.DropSchema(background, "public", true))
	dropper.ok(dropper.transaction.CreateSchema(background, "public"))
	dropper.commit()
	reader.wantRows("t", "1=a")
	reader.commit()
	err := writer.transaction.Commit(background)
	writer.wantError(err, pgerror.InvalidSchemaName, `schema "public" was dropped by another session`)
	if pgerror.From(err).Retried() {
		t.Errorf("DuckLake would repeat %v", err)
	}
	writer.begin(relation.RepeatableRead)
	if found, err := writer.transaction.Relation(background, "public", "t"); err != nil || found != nil {
		t.Errorf("table t in the new schema: %v, %v", found, err)
	}
	writer.commit()
}

func TestDatabases(t *testing.T) {
	f := newFixture(t)
	wantDatabases(t, f.instance, "moraine", "postgres")
	c := f.connect()
	c.wantError(f.instance.CreateDatabase(background, "moraine"), pgerror.DuplicateDatabase, `database "moraine" already exists`)
	c.ok(f.instance.CreateDatabase(background, "other"))
	wantDatabases(t, f.instance, "moraine", "other", "postgres")
	other := f.connectTo("other").begin(relation.RepeatableRead)
	other.wantSchemas("public")
	other.ok(other.transaction.CreateTable(background, integers("public", "t")))
	other.commit()
	c.begin(relation.RepeatableRead)
	if found, err := c.transaction.Relation(background, "public", "t"); err != nil || found != nil {
		t.Errorf("another database's table: %v, %v", found, err)
	}
	c.commit()

	c.wantError(f.instance.DropDatabase(background, "other", false), pgerror.ObjectInUse, "is being accessed by other users")
	other.begin(relation.RepeatableRead).insert("t", 1, "a")
	c.ok(f.instance.DropDatabase(background, "other", true))
	<-other.session.Done()
	other.wantError(other.session.Err(), pgerror.AdminShutdown, "terminating connection")
	other.wantError(other.transaction.Commit(background), pgerror.AdminShutdown, "terminating connection")
	other.session.Close()
	_, err := f.instance.Connect(background, "other")
	c.wantError(err, pgerror.InvalidCatalogName, `database "other" does not exist`)
	c.wantError(f.instance.DropDatabase(background, "other", true), pgerror.InvalidCatalogName, "does not exist")
	wantDatabases(t, f.instance, "moraine", "postgres")
}

func wantDatabases(t *testing.T, instance *Instance, want ...string) {
	t.Helper()
	infos, err := instance.Databases(background)
	var names []string
	for _, info := range infos {
		names = append(names, info.Name)
	}
	if err != nil || !slices.Equal(names, want) {
		t.Fatalf("databases %v, %v, want %v", names, err, want)
	}
}

func TestDropDatabaseEndsAWait(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	one, two := f.connect().begin(relation.RepeatableRead), f.connect().begin(relation.RepeatableRead)
	one.ok(one.ticket())
	result := two.start(two.ticket)
	one.ok(f.instance.DropDatabase(background, "moraine", true))
	two.wantError(<-result, pgerror.AdminShutdown, "terminating connection")
}

func TestInstanceFindsWhatWasCommitted(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t", primaryKey))
	c := f.connect().begin(relation.RepeatableRead)
	c.ok(c.transaction.CreateSchema(background, "s"))
	c.insert("t", 1, "a")
	c.commit()
	oid := c.begin(relation.RepeatableRead).table("t").Definition().OID
	c.session.Close()
	f.instance.Close()

	reopened, err := Open(background, f.engine, Options{})
	c.ok(err)
	f.instance.closing, f.instance.databases = reopened.closing, reopened.databases
	session, err := reopened.Connect(background, "moraine")
	c.ok(err)
	again := (&client{T: t, session: session}).begin(relation.RepeatableRead)
	again.wantSchemas("public", "s")
	again.wantRows("t", "1=a")
	if now := again.table("t").Definition().OID; now != oid {
		t.Errorf("table t had OID %d, now %d", oid, now)
	}
	again.wantDuplicate(again.insertInto(again.table("t"), 1, "b"), "Key (id)=(1) already exists.")
	session.Close()
}

// TestInterruptedCreationOfADatabase opens what a crash has left between the two steps of CREATE DATABASE.
func TestInterruptedCreationOfADatabase(t *testing.T) {
	engine := memory.New()
	for _, name := range []string{"moraine", "other"} {
		if err := engine.Create(background, store.Path{Database: name}); err != nil {
			t.Fatal(err)
		}
	}
	instance, err := Open(background, engine, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer instance.Close()
	for _, name := range []string{"moraine", "other", "postgres"} {
		session, err := instance.Connect(background, name)
		if err != nil {
			t.Fatal(err)
		}
		(&client{T: t, session: session}).begin(relation.RepeatableRead).wantSchemas("public")
		session.Close()
	}
}

// A schema is made, then written. Who looks in between must not open it empty, and keep it so.
func TestASchemaIsKnownWithItsContent(t *testing.T) {
	f := newFixture(t)
	creator, other := f.connect().begin(relation.RepeatableRead), f.connect()
	creator.ok(creator.transaction.CreateSchema(background, "s"))
	creator.ok(creator.transaction.CreateTable(background, integers("s", "t")))
	f.engine.hold(true)
	created := creator.startCommit(background)
	f.engine.awaitFlush(t)
	other.begin(relation.ReadCommitted).wantSchemas("public")
	_, err := other.transaction.Definitions(background, "s")
	other.ok(err)
	f.engine.hold(false)
	other.ok(<-created)
	other.wantSchemas("public", "s")
	other.wantRowsOf(other.tableIn("s", "t"))
	other.commit()
}

func TestIdleLakesClose(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	database := f.instance.find("moraine")
	c := f.connect().begin(relation.RepeatableRead)
	c.wantRows("t")
	later := database.lakes["public"].lake.lastUsed.Add(2 * idleLimit)
	database.closeIdle(later)
	c.wantRows("t")
	if len(database.lakes) != 1 {
		t.Error("a lake in use was closed")
	}
	c.commit()
	later = later.Add(2 * idleLimit)
	database.closeIdle(later)
	if len(database.lakes) != 0 {
		t.Error("an idle lake is open")
	}
	c.begin(relation.RepeatableRead).wantRows("t")
	c.commit()
}

// A store may take its time to close. Sessions of the database go on meanwhile, also in the lake that is closed.
func TestNobodyWaitsForAnIdleLakeToClose(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	database := f.instance.find("moraine")
	held := &heldClose{Store: database.lakes["public"].lake.store, begun: make(chan struct{}), ends: make(chan struct{})}
	database.lakes["public"].lake.store = held
	var closing sync.WaitGroup
	closing.Go(func() { database.closeIdle(time.Now().Add(idleLimit)) })
	<-held.begun
	c := f.connect().begin(relation.RepeatableRead)
	c.insert("t", 1, "a")
	c.commit()
	close(held.ends)
	closing.Wait()
	c.begin(relation.RepeatableRead).wantRows("t", "1=a")
	c.commit()
}

// A client that has closed its connection is gone a moment later: DROP DATABASE waits for that, and can be cancelled meanwhile.
func TestDropDatabaseWaitsForSessionsToLeave(t *testing.T) {
	f := newFixture(t)
	c := f.connect()
	c.ok(f.instance.CreateDatabase(background, "other"))
	leaving := f.connectTo("other")
	cancelled, cancel := context.WithCancelCause(background)
	cancel(pgerror.New(pgerror.QueryCanceled, "canceling statement due to user request"))
	c.wantError(f.instance.DropDatabase(cancelled, "other", false), pgerror.QueryCanceled, "canceling statement")
	dropped := make(chan error)
	go func() { dropped <- f.instance.DropDatabase(background, "other", false) }()
	leaving.session.Close()
	c.ok(<-dropped)
	wantDatabases(t, f.instance, "moraine", "postgres")
}

// An instance closes its lakes at once: a store that does not answer must not hold up the others.
func TestLakesCloseAtOnce(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	c := f.connect().begin(relation.RepeatableRead)
	c.ok(c.transaction.CreateSchema(background, "s"))
	c.commit()
	c.begin(relation.RepeatableRead)
	_, err := c.transaction.Definitions(background, "s")
	c.ok(err)
	c.commit()
	database := f.instance.find("moraine")
	ends := make(chan struct{})
	var held []*heldClose
	for _, schema := range []string{"public", "s"} {
		store := &heldClose{Store: database.lakes[schema].lake.store, begun: make(chan struct{}), ends: ends}
		database.lakes[schema].lake.store = store
		held = append(held, store)
	}
	var closing sync.WaitGroup
	closing.Go(func() { closeAll(database.end(terminated())) })
	for _, store := range held {
		<-store.begun
	}
	close(ends)
	closing.Wait()
}

// heldClose is a store that closes when it is told to.
type heldClose struct {
	store.Store
	begun, ends chan struct{}
}

func (h *heldClose) Close() error {
	close(h.begun)
	<-h.ends
	return h.Store.Close()
}

func TestFailingDropLeavesTheDatabase(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	f.instance.engine = failingDrop{f.engine}
	c := f.connect()
	c.wantError(f.instance.DropDatabase(background, "moraine", true), pgerror.IOError, "the store failed")
	c.begin(relation.RepeatableRead).insert("t", 1, "a")
	c.commit()
	f.instance.engine = f.engine
}

// A drop whose answer was lost is completed by the next one.
func TestADatabaseThatIsGoneAlreadyIsDropped(t *testing.T) {
	f := newFixture(t)
	f.connect().ok(f.engine.Drop(background, store.Path{Database: "postgres"}))
	f.connect().ok(f.instance.DropDatabase(background, "postgres", false))
	if _, err := f.instance.Connect(background, "postgres"); !pgerror.HasCode(err, pgerror.InvalidCatalogName) {
		t.Errorf("a session gets %v", err)
	}
	f.connect().ok(f.instance.CreateDatabase(background, "postgres"))
}

type failingDrop struct{ store.Engine }

func (failingDrop) Drop(context.Context, store.Path) error {
	return store.ErrUnavailable
}
