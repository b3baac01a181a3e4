package lake

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"moraine/pgerror"
	"moraine/relation"
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
