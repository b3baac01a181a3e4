package lake

import (
	"testing"
	"time"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/store/memory"
)

// readers is an instance that follows the writer of a fixture, whose lakes are refreshed only when the test says so.
type readers struct {
	*fixture
	writer *fixture
}

func newReaders(t *testing.T) *readers {
	writer := newFixture(t)
	instance, err := Open(background, writer.engine.Engine.(*memory.Engine).Reader(), Options{ReadOnly: true, PollInterval: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(instance.Close)
	return &readers{fixture: &fixture{T: t, instance: instance}, writer: writer}
}

// refresh refreshes the open lakes of a database.
func (r *readers) refresh() error {
	r.Helper()
	var failure error
	for _, lake := range r.instance.find("moraine").followers() {
		if err := lake.following.refresh(background); err != nil {
			failure = err
		}
	}
	return failure
}

func (r *readers) insert(id int64, value string) {
	r.Helper()
	client := r.writer.connect().begin(relation.RepeatableRead)
	client.insert("t", id, value)
	client.commit()
}

func TestReadersFollowTheirWriter(t *testing.T) {
	r := newReaders(t)
	r.writer.createTable(integers("public", "t"))
	r.insert(1, "a")
	early := r.connect().begin(relation.RepeatableRead)
	early.wantRows("t", "1=a")

	r.insert(2, "b")
	late := r.connect().begin(relation.RepeatableRead)
	late.wantRows("t", "1=a") // nobody has looked yet
	late.commit()
	early.ok(r.refresh())
	early.wantRows("t", "1=a")
	late.begin(relation.RepeatableRead).wantRows("t", "1=a", "2=b")
	late.commit()
	early.commit()

	early.begin(relation.ReadCommitted).wantRows("t", "1=a", "2=b")
	r.insert(3, "c")
	early.ok(r.refresh())
	early.wantRows("t", "1=a", "2=b")
	early.ok(early.transaction.StartStatement(background))
	early.wantRows("t", "1=a", "2=b", "3=c")
	early.transaction.Rollback()
}

func TestReadersRefuseWrites(t *testing.T) {
	r := newReaders(t)
	r.writer.createTable(integers("public", "t"))
	c := r.connect().begin(relation.RepeatableRead)
	refused := map[string]error{
		"insert":          c.insertInto(c.table("t"), 1, "a"),
		"create table":    c.transaction.CreateTable(background, integers("public", "u")),
		"drop table":      c.transaction.DropTable(background, "public", "t"),
		"create schema":   c.transaction.CreateSchema(background, "s"),
		"drop schema":     c.transaction.DropSchema(background, "public", true),
		"create database": r.instance.CreateDatabase(background, "d"),
		"drop database":   r.instance.DropDatabase(background, "postgres", true),
	}
	for what, err := range refused {
		if !pgerror.HasCode(err, pgerror.ReadOnlySQLTransaction) || pgerror.From(err).Hint != relation.ReadOnlyServerHint {
			t.Errorf("%s: %v", what, err)
		}
	}
	c.transaction.Rollback()
}

func TestReadersFindAndLoseDatabasesAndSchemas(t *testing.T) {
	r := newReaders(t)
	r.ok(r.writer.instance.CreateDatabase(background, "made"))
	if _, err := r.instance.Connect(background, "made"); !pgerror.HasCode(err, pgerror.InvalidCatalogName) {
		t.Fatalf("a database that nobody has looked for: %v", err)
	}
	r.ok(r.instance.discover(background, 0))
	made := r.connectTo("made")

	writer := r.writer.connect().begin(relation.RepeatableRead)
	writer.ok(writer.transaction.CreateSchema(background, "extra"))
	writer.ok(writer.transaction.CreateTable(background, integers("extra", "t")))
	writer.commit()
	r.ok(r.instance.discover(background, 0))
	c := r.connect().begin(relation.RepeatableRead)
	c.wantRowsOf(c.tableIn("extra", "t"))
	writer.begin(relation.RepeatableRead)
	writer.ok(writer.transaction.DropSchema(background, "extra", true))
	writer.commit()
	c.wantRowsOf(c.tableIn("extra", "t")) // pinned
	c.commit()

	r.ok(r.writer.instance.DropDatabase(background, "made", false))
	r.ok(r.instance.discover(background, 0))
	if found, err := c.begin(relation.RepeatableRead).transaction.Relation(background, "extra", "t"); found != nil || err != nil {
		t.Errorf("in a dropped schema: %v, %v", found, err)
	}
	c.commit()
	if err := made.session.Err(); !pgerror.HasCode(err, pgerror.AdminShutdown) {
		t.Errorf("the session of a dropped database: %v", err)
	}
}

// TestReadersLeaveAReplacedLake drops a schema and makes another one of its name: readers must not take the one for the
// other's earlier state.
func TestReadersLeaveAReplacedLake(t *testing.T) {
	r := newReaders(t)
	r.writer.createTable(integers("public", "t"))
	r.insert(1, "a")
	before := r.connect().begin(relation.RepeatableRead)
	before.wantRows("t", "1=a")

	writer := r.writer.connect().begin(relation.RepeatableRead)
	writer.ok(writer.transaction.DropSchema(background, "public", true))
	writer.ok(writer.transaction.CreateSchema(background, "public"))
	writer.ok(writer.transaction.CreateTable(background, integers("public", "t")))
	writer.commit()
	r.insert(2, "b")

	opened := r.instance.find("moraine").followers()[0]
	if err := opened.following.refresh(background); err == nil {
		t.Fatal("the refresh of a replaced lake succeeds")
	}
	opened.following.database.replaced(opened)
	before.wantRows("t", "1=a")
	after := r.connect().begin(relation.RepeatableRead)
	after.wantRows("t", "2=b")
	after.commit()
	before.commit()
}

func TestReplicationIsTold(t *testing.T) {
	r := newReaders(t)
	r.writer.createTable(integers("public", "t"))
	c := r.connect().begin(relation.RepeatableRead)
	c.wantRows("t")
	r.insert(1, "a")
	c.ok(r.refresh())
	rows := replicationRows(c)
	if len(rows) != 1 || rows[0][0].Text() != "public" || rows[0][7].Text() != "unchanged" || !rows[0][13].IsNull() {
		t.Errorf("rows %v", rows)
	}
	c.commit()
	writer := r.writer.connect().begin(relation.RepeatableRead)
	writer.wantRows("t", "1=a")
	if rows := replicationRows(writer); len(rows) != 0 {
		t.Errorf("the writer has %v", rows)
	}
	writer.commit()
}

func replicationRows(c *client) (rows []relation.Row) {
	c.Helper()
	function, err := c.transaction.(*Transaction).Function(background, "public", "moraine_replication")
	c.ok(err)
	cursor, err := function.Call(background, nil)
	c.ok(err)
	defer cursor.Close()
	for {
		batch, err := cursor.Next(background)
		c.ok(err)
		if batch == nil {
			return rows
		}
		for i := range batch.Length {
			rows = append(rows, append(relation.Row(nil), batch.Row(i)...))
		}
	}
}

func (f *fixture) ok(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}
