package lake

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
	"moraine/store/memory"
)

var background = context.Background()

// fixture is an instance on a store in memory.
type fixture struct {
	*testing.T
	instance *Instance
	engine   *faultyEngine
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	engine := &faultyEngine{Engine: memory.New()}
	instance, err := Open(background, engine, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, database := range instance.list() {
			checkIdle(t, database)
		}
		instance.Close()
		if open := engine.snapshots.Load(); open != 0 {
			t.Errorf("%d snapshots are still open", open)
		}
	})
	return &fixture{T: t, instance: instance, engine: engine}
}

// checkIdle makes sure that the ended transactions of a test have left nothing behind.
func checkIdle(t *testing.T, database *database) {
	if locks := len(database.locks.locks); locks != 0 {
		t.Errorf("%d locks are still held", locks)
	}
	for schema, entry := range database.lakes {
		if entry.lake.references != 0 || len(entry.lake.history.pinned) != 0 || len(entry.lake.history.rows) != 0 {
			t.Errorf("lake %s: %d users, pins %v, %d remembered rows", schema, entry.lake.references,
				entry.lake.history.pinned, len(entry.lake.history.rows))
		}
	}
}

// client is a session with the statements that tests need.
type client struct {
	*testing.T
	session     relation.Session
	transaction relation.Transaction
}

func (f *fixture) connect() *client { return f.connectTo("moraine") }

func (f *fixture) connectTo(database string) *client {
	f.Helper()
	session, err := f.instance.Connect(background, database)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(session.Close)
	return &client{T: f.T, session: session}
}

func (c *client) begin(isolation relation.Isolation) *client {
	c.Helper()
	return c.beginWith(relation.TransactionOptions{Isolation: isolation})
}

func (c *client) beginWith(options relation.TransactionOptions) *client {
	c.Helper()
	transaction, err := c.session.Begin(background, options)
	c.ok(err)
	c.transaction = transaction
	return c
}

func (c *client) ok(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func (c *client) commit() {
	c.Helper()
	c.ok(c.transaction.Commit(background))
}

// integers is the definition of a table (id int8, value text).
func integers(schema, name string, constraints ...relation.Constraint) *relation.Definition {
	return &relation.Definition{
		Schema: schema, Name: name, Kind: relation.Table, Persistence: relation.Permanent, Constraints: constraints,
		Columns: []relation.Column{{Name: "id", Type: relation.Int8Type, Number: 1}, {Name: "value", Type: relation.TextType, Number: 2}},
	}
}

var primaryKey = relation.Constraint{Name: "t_pkey", Kind: relation.PrimaryKey, Columns: []int{0}}

// createTable makes and commits a table in a schema.
func (f *fixture) createTable(definition *relation.Definition) {
	f.Helper()
	client := f.connect().begin(relation.RepeatableRead)
	client.ok(client.transaction.CreateTable(background, definition))
	client.commit()
}

func (c *client) table(name string) relation.Writable {
	c.Helper()
	return c.tableIn("public", name)
}

func (c *client) tableIn(schema, name string) relation.Writable {
	c.Helper()
	found, err := c.transaction.Relation(background, schema, name)
	c.ok(err)
	if found == nil {
		c.Fatalf("no table %s.%s", schema, name)
	}
	return found.(relation.Writable)
}

func (c *client) insertInto(table relation.Writable, id int64, value string) error {
	return table.Insert(background, []relation.Row{{relation.Int(id), relation.Text(value)}})
}

func (c *client) insert(name string, id int64, value string) {
	c.Helper()
	c.ok(c.insertInto(c.table(name), id, value))
}

// rowsOf gives the rows of a table as "id=value", sorted.
func (c *client) rowsOf(table relation.Relation) []string {
	c.Helper()
	rows := []string{}
	c.eachRow(table, func(_ relation.RowIdentity, row relation.Row) {
		rows = append(rows, fmt.Sprintf("%d=%s", row[0].Int(), row[1].Text()))
	})
	slices.Sort(rows)
	return rows
}

func (c *client) eachRow(table relation.Relation, visit func(relation.RowIdentity, relation.Row)) {
	c.Helper()
	cursor, err := table.Scan(background, relation.ScanRequest{Columns: []int{0, 1}, WithIdentities: true})
	c.ok(err)
	defer cursor.Close()
	for {
		batch, err := cursor.Next(background)
		c.ok(err)
		if batch == nil {
			return
		}
		for i := range batch.Length {
			visit(batch.Identities[i], batch.Row(i))
		}
	}
}

func (c *client) wantRows(name string, want ...string) {
	c.Helper()
	c.wantRowsOf(c.table(name), want...)
}

func (c *client) wantRowsOf(table relation.Relation, want ...string) {
	c.Helper()
	if got := c.rowsOf(table); !slices.Equal(got, want) {
		c.Fatalf("rows %v, want %v", got, want)
	}
}

// identity finds the row with an id.
func (c *client) identity(name string, id int64) relation.RowIdentity {
	c.Helper()
	found := -1
	c.eachRow(c.table(name), func(identity relation.RowIdentity, row relation.Row) {
		if row[0].Int() == id {
			found = int(identity)
		}
	})
	if found < 0 {
		c.Fatalf("no row %d in %s", id, name)
	}
	return relation.RowIdentity(found)
}

func (c *client) update(name string, id int64, value string) error {
	c.Helper()
	return c.table(name).Update(background, c.identity(name, id), relation.Row{relation.Int(id), relation.Text(value)})
}

func (c *client) delete(name string, id int64) error {
	c.Helper()
	_, err := c.table(name).Delete(background, c.identity(name, id))
	return err
}

func (c *client) wantError(err error, code, message string) {
	c.Helper()
	if !pgerror.HasCode(err, code) || !strings.Contains(err.Error(), message) {
		c.Fatalf("error %v, want %s with %q", err, code, message)
	}
}

// start runs a statement that is expected to wait, and returns once its transaction waits for a lock.
func (c *client) start(statement func() error) <-chan error {
	c.Helper()
	result := make(chan error, 1)
	go func() { result <- statement() }()
	c.awaitWaiting()
	return result
}

func (c *client) awaitWaiting() {
	c.Helper()
	transaction := c.transaction.(*Transaction)
	locks := transaction.session.database.locks
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		locks.mutex.Lock()
		waiting := transaction.owner.waiting != nil
		locks.mutex.Unlock()
		if waiting {
			return
		}
		if time.Now().After(deadline) {
			c.Fatal("the statement does not wait")
		}
	}
}

func TestSnapshotsIsolateTransactions(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	reader, writer := f.connect(), f.connect()

	reader.begin(relation.RepeatableRead).wantRows("t")
	writer.begin(relation.RepeatableRead).insert("t", 1, "a")
	writer.wantRows("t", "1=a")
	reader.wantRows("t")
	writer.commit()
	reader.wantRows("t")
	reader.commit()

	reader.begin(relation.ReadCommitted).wantRows("t", "1=a")
	writer.begin(relation.RepeatableRead).insert("t", 2, "b")
	writer.commit()
	reader.wantRows("t", "1=a")
	reader.ok(reader.transaction.StartStatement(background))
	reader.wantRows("t", "1=a", "2=b")
	reader.transaction.Rollback()
}

func TestRolledBackWritesAreGone(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	c := f.connect().begin(relation.RepeatableRead)
	c.insert("t", 1, "a")
	c.transaction.Rollback()
	c.begin(relation.RepeatableRead).wantRows("t")
	c.insert("t", 2, "b")
	c.session.Close()
	other := f.connect().begin(relation.RepeatableRead)
	other.wantRows("t")
	other.commit()
}

func TestChangedRowsAreSerializationFailures(t *testing.T) {
	for _, test := range []struct {
		name          string
		first, second func(c *client) error
		message       string
	}{
		{"update after update", updateOne, updateOne, "concurrent update"},
		{"delete after update", updateOne, deleteOne, "concurrent update"},
		{"update after delete", deleteOne, updateOne, "concurrent delete"},
		{"delete after delete", deleteOne, deleteOne, "concurrent delete"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, waits := range []bool{false, true} {
				f := newFixture(t)
				f.createTable(integers("public", "t"))
				setup := f.connect().begin(relation.RepeatableRead)
				setup.insert("t", 1, "a")
				setup.commit()
				one, two := f.connect().begin(relation.RepeatableRead), f.connect().begin(relation.RepeatableRead)
				two.wantRows("t", "1=a")
				one.ok(test.first(one))
				var err error
				if waits {
					result := two.start(func() error { return test.second(two) })
					one.commit()
					err = <-result
				} else {
					one.commit()
					err = test.second(two)
				}
				two.wantError(err, pgerror.SerializationFailure, test.message)
				two.transaction.Rollback()
			}
		})
	}
}

func updateOne(c *client) error { return c.update("t", 1, "new") }
func deleteOne(c *client) error { return c.delete("t", 1) }

func TestWaitingUpdateGoesOnAfterRollback(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	one, two := f.connect().begin(relation.RepeatableRead), f.connect()
	one.insert("t", 1, "a")
	one.commit()
	one.begin(relation.RepeatableRead)
	two.begin(relation.RepeatableRead)
	one.ok(one.update("t", 1, "one"))
	result := two.start(func() error { return two.update("t", 1, "two") })
	one.transaction.Rollback()
	two.ok(<-result)
	two.commit()
	one.begin(relation.RepeatableRead).wantRows("t", "1=two")
	one.commit()
}

func TestUpdateUndoneBySavepointDoesNotCount(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	one, two := f.connect().begin(relation.RepeatableRead), f.connect()
	one.insert("t", 1, "a")
	one.insert("t", 2, "b")
	one.commit()
	one.begin(relation.RepeatableRead)
	two.begin(relation.RepeatableRead).wantRows("t", "1=a", "2=b")
	mark := one.transaction.Savepoint()
	one.ok(one.update("t", 1, "undone"))
	one.ok(one.transaction.RollbackTo(background, mark))
	one.ok(one.update("t", 2, "done"))
	one.commit()
	two.ok(two.update("t", 1, "two"))
	two.wantError(two.update("t", 2, "two"), pgerror.SerializationFailure, "concurrent update")
	two.transaction.Rollback()
}

func TestReadCommittedRunsAgainOnANewSnapshot(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	one, two := f.connect().begin(relation.RepeatableRead), f.connect()
	one.insert("t", 1, "a")
	one.commit()
	one.begin(relation.RepeatableRead)
	two.begin(relation.ReadCommitted)
	one.ok(one.update("t", 1, "one"))
	mark := two.transaction.Savepoint()
	result := two.start(func() error { return two.update("t", 1, "two") })
	one.commit()
	two.wantError(<-result, pgerror.SerializationFailure, "concurrent update")
	two.ok(two.transaction.RollbackTo(background, mark))
	two.ok(two.transaction.StartStatement(background))
	two.wantRows("t", "1=one")
	two.ok(two.update("t", 1, "two"))
	two.commit()
	one.begin(relation.RepeatableRead).wantRows("t", "1=two")
	one.commit()
}

func TestDeadlockIsFound(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	clients := []*client{f.connect(), f.connect(), f.connect()}
	setup := clients[0].begin(relation.RepeatableRead)
	for i := range clients {
		setup.insert("t", int64(i), "a")
	}
	setup.commit()
	for i, c := range clients {
		c.begin(relation.RepeatableRead)
		c.ok(c.update("t", int64(i), "b"))
	}
	first := clients[0].start(func() error { return clients[0].update("t", 1, "c") })
	second := clients[1].start(func() error { return clients[1].update("t", 2, "c") })
	last := clients[2]
	last.wantError(last.update("t", 0, "c"), pgerror.DeadlockDetected, "deadlock detected")
	last.transaction.Rollback()
	clients[1].ok(<-second)
	clients[1].transaction.Rollback()
	clients[0].ok(<-first)
	clients[0].commit()
}

func TestLockWaitEnds(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	one, two := f.connect().begin(relation.RepeatableRead), f.connect()
	one.insert("t", 1, "a")
	one.commit()
	one.begin(relation.RepeatableRead)
	one.ok(one.update("t", 1, "b"))

	t.Run("at its time limit", func(t *testing.T) {
		locks := one.transaction.(*Transaction).session.database.locks
		locks.timeout = time.Millisecond
		two.begin(relation.RepeatableRead)
		two.wantError(two.update("t", 1, "c"), pgerror.LockNotAvailable, "canceling statement due to lock timeout")
		two.transaction.Rollback()
		locks.timeout = DefaultLockTimeout
	})
	t.Run("when the statement is cancelled", func(t *testing.T) {
		two.begin(relation.RepeatableRead)
		ctx, cancel := context.WithCancelCause(background)
		table, identity := two.table("t"), two.identity("t", 1)
		result := two.start(func() error {
			return table.Update(ctx, identity, relation.Row{relation.Int(1), relation.Text("c")})
		})
		cause := pgerror.New(pgerror.QueryCanceled, "canceling statement due to user request")
		cancel(cause)
		if err := <-result; !errors.Is(err, cause) {
			t.Errorf("error %v, want the cause of the cancellation", err)
		}
		two.transaction.Rollback()
	})
	one.transaction.Rollback()
}

func TestTicketIsFirstComeFirstServed(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	const clients = 4
	order := make(chan int, clients)
	var waiting sync.WaitGroup
	holder := f.connect().begin(relation.RepeatableRead)
	holder.ok(holder.ticket())
	holder.ok(holder.ticket())
	for i := range clients {
		c := f.connect().begin(relation.RepeatableRead)
		waiting.Go(func() {
			if err := c.ticket(); err != nil {
				t.Errorf("ticket: %v", err)
			}
			order <- i
			c.transaction.Rollback()
		})
		c.awaitWaiting()
	}
	holder.transaction.Rollback()
	waiting.Wait()
	for want := range clients {
		if got := <-order; got != want {
			t.Errorf("client %d came at place %d", got, want)
		}
	}
}

// ticket takes the commit ticket of schema public.
func (c *client) ticket() error {
	part, err := c.transaction.(*Transaction).part(background, "public")
	if err != nil {
		return err
	}
	return part.Ticket(background)
}

// lose makes the session of loser hold the ticket in vain.
func (f *fixture) lose(loser *client) {
	f.Helper()
	winner := f.connect()
	loser.begin(relation.RepeatableRead).wantRows("t")
	winner.begin(relation.RepeatableRead)
	winner.ok(winner.ticket())
	winner.ok(winner.transaction.CreateTable(background, integers("public", "other")))
	winner.commit()
	loser.ok(loser.ticket())
	loser.transaction.Rollback()
}

func TestLoserOfTheTicketIsNext(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	loser, holder, other := f.connect(), f.connect().begin(relation.RepeatableRead), f.connect().begin(relation.RepeatableRead)
	f.lose(loser)
	holder.ok(holder.ticket())
	last := other.start(other.ticket)
	next := loser.begin(relation.RepeatableRead).start(loser.ticket)
	holder.transaction.Rollback()
	loser.ok(<-next)
	loser.commit()
	other.ok(<-last)
	other.commit()
}

func TestLoserReadsUnderTheTicket(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	f.instance.find("moraine").locks.leaseTime = time.Hour
	loser, other := f.connect(), f.connect().begin(relation.RepeatableRead)
	f.lose(loser)
	loser.begin(relation.RepeatableRead).wantRows("t")
	result := other.start(other.ticket)
	loser.ok(loser.ticket())
	loser.insert("t", 1, "a")
	loser.commit()
	other.ok(<-result)
	other.commit()
	loser.begin(relation.RepeatableRead).wantRows("t", "1=a")
	if part := loser.transaction.(*Transaction).parts["public"]; loser.transaction.(*Transaction).holds(part.ticket()) {
		t.Error("the ticket is leased again after a commit")
	}
	loser.commit()
}

func TestLeaseOfTheTicketEnds(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	f.instance.find("moraine").locks.leaseTime = time.Millisecond
	loser, other := f.connect(), f.connect().begin(relation.RepeatableRead)
	f.lose(loser)
	loser.begin(relation.RepeatableRead).wantRows("t")
	other.ok(other.ticket())
	result := loser.start(loser.ticket)
	other.commit()
	loser.ok(<-result)
	loser.commit()
}

func TestKeysStaySingle(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t", primaryKey))
	one, two := f.connect().begin(relation.RepeatableRead), f.connect()
	one.insert("t", 1, "a")
	one.wantDuplicate(one.insertInto(one.table("t"), 1, "b"), "Key (id)=(1) already exists.")
	one.transaction.Rollback()

	t.Run("among waiting inserts", func(t *testing.T) {
		one.begin(relation.RepeatableRead).insert("t", 1, "one")
		two.begin(relation.RepeatableRead)
		result := two.start(func() error { return two.insertInto(two.table("t"), 1, "two") })
		one.commit()
		two.wantDuplicate(<-result, "Key (id)=(1) already exists.")
		two.transaction.Rollback()
	})
	t.Run("against commits behind the snapshot", func(t *testing.T) {
		two.begin(relation.RepeatableRead).wantRows("t", "1=one")
		one.begin(relation.RepeatableRead).insert("t", 2, "one")
		one.commit()
		two.wantDuplicate(two.insertInto(two.table("t"), 2, "two"), "Key (id)=(2) already exists.")
		two.transaction.Rollback()
	})
	t.Run("when the one who had it lets go", func(t *testing.T) {
		one.begin(relation.RepeatableRead)
		one.ok(one.delete("t", 1))
		two.begin(relation.RepeatableRead)
		result := two.start(func() error { return two.insertInto(two.table("t"), 1, "two") })
		one.commit()
		two.ok(<-result)
		two.commit()
	})
	t.Run("through updates of the same transaction", func(t *testing.T) {
		one.begin(relation.RepeatableRead)
		one.ok(one.table("t").Update(background, one.identity("t", 1), relation.Row{relation.Int(7), relation.Text("moved")}))
		one.insert("t", 1, "again")
		one.wantDuplicate(one.insertInto(one.table("t"), 7, "no"), "Key (id)=(7) already exists.")
		one.transaction.Rollback()
		one.begin(relation.RepeatableRead).wantRows("t", "1=two", "2=one")
		mark := one.transaction.Savepoint()
		one.ok(one.delete("t", 2))
		one.ok(one.transaction.RollbackTo(background, mark))
		one.wantDuplicate(one.insertInto(one.table("t"), 2, "no"), "Key (id)=(2) already exists.")
		one.transaction.Rollback()
	})
}

func (c *client) wantDuplicate(err error, detail string) {
	c.Helper()
	c.wantError(err, pgerror.UniqueViolation, `duplicate key value violates unique constraint "t_pkey"`)
	if got := pgerror.From(err).Detail; got != detail {
		c.Fatalf("detail %q, want %q", got, detail)
	}
}

func TestSavepointsUndoEverything(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	c := f.connect().begin(relation.RepeatableRead)
	c.insert("t", 1, "a")
	c.commit()
	c.begin(relation.RepeatableRead).insert("t", 2, "b")
	mark := c.transaction.Savepoint()
	c.ok(c.update("t", 1, "c"))
	c.ok(c.delete("t", 2))
	c.ok(c.transaction.CreateTable(background, integers("public", "u")))
	c.insert("u", 1, "u")
	c.ok(c.transaction.CreateSchema(background, "s"))
	altered := *c.table("t").Definition()
	altered.Columns = append(slices.Clone(altered.Columns), relation.Column{Name: "extra", Type: relation.Int8Type, Number: 3})
	c.ok(c.transaction.AlterTable(background, "public", "t", &altered, map[int16]relation.Value{3: relation.Int(5)}))
	c.wantRows("t", "1=c")
	c.ok(c.transaction.DropTable(background, "public", "t"))
	c.ok(c.transaction.RollbackTo(background, mark))
	c.wantRows("t", "1=a", "2=b")
	if columns := len(c.table("t").Definition().Columns); columns != 2 {
		t.Errorf("%d columns after the rollback", columns)
	}
	if found, err := c.transaction.Relation(background, "public", "u"); err != nil || found != nil {
		t.Errorf("table u: %v, %v", found, err)
	}
	c.ok(c.transaction.RollbackTo(background, mark))
	c.commit()
	c.begin(relation.RepeatableRead).wantRows("t", "1=a", "2=b")
	c.commit()
}

func TestReadOnlyTransactionWritesTemporaryTablesOnly(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	c := f.connect().beginWith(relation.TransactionOptions{Isolation: relation.RepeatableRead, ReadOnly: true})
	c.wantError(c.insertInto(c.table("t"), 1, "a"), pgerror.ReadOnlySQLTransaction, "cannot write in a read-only transaction")
	c.wantError(c.transaction.CreateSchema(background, "s"), pgerror.ReadOnlySQLTransaction, "read-only")
	c.ok(c.transaction.CreateTable(background, integers(relation.TemporarySchema, "temporary")))
	c.ok(c.insertInto(c.tableIn(relation.TemporarySchema, "temporary"), 1, "a"))
	c.commit()
}

func TestOneTransactionWritesOneLake(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	c := f.connect().begin(relation.RepeatableRead)
	c.ok(c.transaction.CreateSchema(background, "s"))
	c.ok(c.transaction.CreateTable(background, integers("s", "t")))
	err := c.insertInto(c.table("t"), 1, "a")
	c.wantError(err, pgerror.FeatureNotSupported, "in one transaction")
	if pgerror.From(err).Retried() {
		t.Errorf("DuckLake would repeat %v", err)
	}
	c.commit()
	c.begin(relation.RepeatableRead)
	mark := c.transaction.Savepoint()
	c.insert("t", 1, "a")
	c.wantRowsOf(c.tableIn("s", "t"))
	c.ok(c.transaction.RollbackTo(background, mark))
	c.ok(c.insertInto(c.tableIn("s", "t"), 2, "b"))
	c.commit()
	c.begin(relation.RepeatableRead).wantRows("t")
	c.wantRowsOf(c.tableIn("s", "t"), "2=b")
	c.commit()
}

func TestStoreFailures(t *testing.T) {
	for _, test := range []struct {
		name    string
		failure error
		code    string
		message string
		heals   bool
	}{
		{"disk full", fmt.Errorf("%w: %w: %w", store.ErrUnavailable, store.ErrNotApplied, errNoSpace), pgerror.DiskFull, "No space left", true},
		{"input or output error", store.ErrUnavailable, pgerror.IOError, "the store failed", false},
		{"fenced", store.ErrFenced, pgerror.AdminShutdown, "another server has taken over", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable(integers("public", "t"))
			c := f.connect().begin(relation.RepeatableRead)
			c.insert("t", 1, "a")
			f.engine.fail(test.failure)
			err := c.transaction.Commit(background)
			c.wantError(err, test.code, test.message)
			if pgerror.From(err).Retried() {
				t.Errorf("DuckLake would repeat %v", err)
			}
			f.engine.fail(nil)
			c.begin(relation.RepeatableRead).wantRows("t")
			err = c.insertInto(c.table("t"), 2, "b")
			if !test.heals {
				c.wantError(err, test.code, test.message)
				c.transaction.Rollback()
				return
			}
			c.ok(err)
			c.commit()
			c.begin(relation.RepeatableRead).wantRows("t", "2=b")
			c.commit()
		})
	}
}

func TestPanicInADomainLeavesNoLock(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	c := f.connect().begin(relation.RepeatableRead)
	c.insert("t", 1, "a")
	f.engine.panics.Store(true)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic did not come through")
			}
		}()
		_ = c.transaction.Commit(background)
	}()
	f.engine.panics.Store(false)
	other := f.connect().begin(relation.RepeatableRead)
	other.insert("t", 2, "b")
	other.commit()
	c.begin(relation.RepeatableRead).wantRows("t", "2=b")
	c.commit()
}

func TestOIDsAreStableAndDistinct(t *testing.T) {
	one, two := newIdentities(), newIdentities()
	seen := map[uint32]string{}
	for i := range 20_000 {
		name := fmt.Sprintf("table_%d", i)
		oid := one.oid("public", name)
		if oid < relation.FirstOID || oid >= relation.OIDLimit {
			t.Fatalf("OID %d of %s", oid, name)
		}
		if other, taken := seen[oid]; taken {
			t.Fatalf("%s and %s both have OID %d", name, other, oid)
		}
		seen[oid] = name
		if again := one.oid("public", name); again != oid {
			t.Fatalf("%s has OID %d and then %d", name, oid, again)
		}
	}
	if one.oid("public", "table_0") != two.oid("public", "table_0") {
		t.Error("the OID of a name differs between two starts")
	}
	before := one.oid("pg_temp_1", "x")
	one.release("pg_temp_1")
	if again := one.oid("pg_temp_1", "x"); again != before {
		t.Errorf("a released name has OID %d, then %d", before, again)
	}
}

func TestDefinitionsComeByOID(t *testing.T) {
	f := newFixture(t)
	for i := range 10 {
		f.createTable(integers("public", fmt.Sprintf("t%d", i)))
	}
	c := f.connect().begin(relation.RepeatableRead)
	c.ok(c.transaction.CreateTable(background, integers("public", "own")))
	definitions, err := c.transaction.Definitions(background, "public")
	c.ok(err)
	var oids []uint32
	for _, definition := range definitions {
		oids = append(oids, definition.OID)
		if reflect.DeepEqual(definition, c.table(definition.Name).Definition()) == false {
			t.Errorf("table %s is listed with another definition than it has", definition.Name)
		}
	}
	if len(oids) != 11 || !slices.IsSorted(oids) {
		t.Errorf("OIDs %v", oids)
	}
	c.transaction.Rollback()
}
