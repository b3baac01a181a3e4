package ducklake

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"moraine/overlay"
	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
	"moraine/store/memory"
)

// lake is a store with a catalog over it, for tests.
type lake struct {
	t       *testing.T
	store   store.Store
	catalog *Catalog
	oids    map[string]uint32
	locks   map[string]uint64 // by name: the commit that held it last
	commits uint64
}

func newLake(t *testing.T) *lake { return openLake(t, memory.NewStore()) }

func openLake(t *testing.T, opened store.Store) *lake {
	t.Helper()
	l := &lake{t: t, store: opened, oids: map[string]uint32{}, locks: map[string]uint64{}}
	snapshot := l.snapshot()
	defer snapshot.Close()
	catalog, err := Open(context.Background(), snapshot, store.Path{Database: "lakes", Schema: "public"})
	if err != nil {
		t.Fatal(err)
	}
	l.catalog = catalog
	catalog.unguarded = true
	return l
}

func (l *lake) snapshot() store.Snapshot {
	l.t.Helper()
	snapshot, err := l.store.Snapshot()
	if err != nil {
		l.t.Fatal(err)
	}
	return snapshot
}

// client is one transaction on the lake, and its environment. Locks are not waited for: tests run in one goroutine.
type client struct {
	*lake
	domain   overlay.Domain
	pinned   store.Snapshot
	started  uint64
	held     []string
	tickets  int
	journal  []func()
	readOnly bool
}

func (l *lake) begin() *client {
	c := &client{lake: l, started: l.commits}
	c.domain = l.catalog.Begin(c)
	return c
}

func (c *client) Schema() string { return "public" }

func (c *client) OID(name string) uint32 {
	if c.oids[name] == 0 {
		c.oids[name] = uint32(16384 + len(c.oids))
	}
	return c.oids[name]
}

func (c *client) Snapshot(context.Context) (store.Reader, error) {
	if c.pinned == nil {
		c.pinned = c.snapshot()
		c.started = c.commits
	}
	return c.pinned, nil
}

func (c *client) Latest(_ context.Context, read func(store.Reader) error) error {
	latest := c.snapshot()
	defer latest.Close()
	return read(latest)
}

func (c *client) BeginWrite(context.Context) error {
	if c.readOnly {
		return pgerror.New(pgerror.ReadOnlySQLTransaction, "cannot execute in a read-only transaction")
	}
	return nil
}

func (c *client) Lock(_ context.Context, key string, intent overlay.Intent) error {
	if c.locks[key] > c.started && intent != overlay.ToInsert {
		return pgerror.New(pgerror.SerializationFailure, "could not serialize access due to concurrent update")
	}
	c.held = append(c.held, key)
	return nil
}

func (c *client) Ticket(context.Context) error {
	c.tickets++
	return nil
}

func (c *client) Journal(undo func()) { c.journal = append(c.journal, undo) }

func (c *client) rollbackTo(mark int) {
	for i := len(c.journal) - 1; i >= mark; i-- {
		c.journal[i]()
	}
	c.journal = c.journal[:mark]
}

func (c *client) rollback() {
	if c.pinned != nil {
		c.pinned.Close()
	}
}

// stage gives the batch that the transaction would commit.
func (c *client) stage() *store.Batch {
	c.t.Helper()
	latest, batch := c.snapshot(), &store.Batch{}
	defer latest.Close()
	if err := c.domain.EndMessage(context.Background()); err != nil {
		c.t.Fatal(err)
	}
	if err := c.domain.Stage(context.Background(), latest, batch); err != nil {
		c.t.Fatal(err)
	}
	return batch
}

func (c *client) commit() *store.Batch {
	c.t.Helper()
	batch := c.stage()
	operations := slices.Clone(batch.Operations())
	if err := c.store.Commit(context.Background(), batch); err != nil {
		c.t.Fatal(err)
	}
	c.commits++
	for _, key := range c.held {
		c.locks[key] = c.commits
	}
	c.domain.Committed()
	c.rollback()
	committed := &store.Batch{}
	for _, operation := range operations {
		if operation.Delete {
			committed.Delete(operation.Key)
		} else {
			committed.Put(operation.Key, operation.Value)
		}
	}
	return committed
}

func (c *client) relation(name string) relation.Writable {
	c.t.Helper()
	found, err := c.domain.Relation(context.Background(), name)
	if err != nil {
		c.t.Fatal(err)
	}
	if found == nil {
		c.t.Fatalf("there is no relation %s", name)
	}
	return found.(relation.Writable)
}

// createAll creates all catalog tables.
func (c *client) createAll() *client {
	c.t.Helper()
	for _, name := range creationOrder {
		c.create(standardDefinition(catalogTables[name], c).definition)
	}
	return c
}

func (c *client) create(definition *relation.Definition) {
	c.t.Helper()
	taken, err := c.domain.CreateTable(context.Background(), definition)
	if err != nil || !taken {
		c.t.Fatalf("%s: taken %v, error %v", definition.Name, taken, err)
	}
}

// genesis does what DuckLake does first.
func (c *client) genesis() *client {
	c.t.Helper()
	c.createAll()
	c.insert("ducklake_snapshot", 0, instantValue, 0, 1, 0)
	c.insert("ducklake_snapshot_changes", 0, `created_schema:"main"`, nil, nil, nil)
	c.insert("ducklake_metadata", "version", "1.0", nil, nil)
	c.insert("ducklake_metadata", "created_by", "DuckDB 17c0ca4ca7", nil, nil)
	c.insert("ducklake_metadata", "data_path", "data/", nil, nil)
	c.insert("ducklake_metadata", "encrypted", "false", nil, nil)
	c.insert("ducklake_schema", 0, mainUUID, 0, nil, "main", "main/", true)
	return c
}

// instantValue is 2020-01-01 in PostgreSQL's microseconds.
const instantValue = int64(631152000000000)

var mainUUID = relation.Text("\x01\xa2\x2a\xcb\x1a\xca\x77\x33\x96\x96\xd4\x17\xc3\xf5\x11\xf5")

func valueOf(t *testing.T, content any) relation.Value {
	t.Helper()
	switch content := content.(type) {
	case nil:
		return relation.NULL
	case relation.Value:
		return content
	case int:
		return relation.Int(int64(content))
	case int64:
		return relation.Int(content)
	case uint64:
		return relation.Int(int64(content))
	case float64:
		return relation.Float(content)
	case string:
		return relation.Text(content)
	case bool:
		return relation.Bool(content)
	}
	t.Fatalf("no value of %T", content)
	return relation.NULL
}

func rowOf(t *testing.T, contents ...any) relation.Row {
	t.Helper()
	row := make(relation.Row, len(contents))
	for i := range contents {
		row[i] = valueOf(t, contents[i])
	}
	return row
}

func (c *client) tryInsert(table string, contents ...any) error {
	c.t.Helper()
	relation_ := c.relation(table)
	if width := len(relation_.Definition().Columns); width != len(contents) {
		c.t.Fatalf("%s has %d columns, not %d", table, width, len(contents))
	}
	return relation_.Insert(context.Background(), []relation.Row{rowOf(c.t, contents...)})
}

func (c *client) insert(table string, contents ...any) {
	c.t.Helper()
	if err := c.tryInsert(table, contents...); err != nil {
		c.t.Fatalf("insert into %s: %v", table, err)
	}
}

// where is the condition "column = value" of a test.
type where struct {
	column string
	value  any
}

func (c *client) predicates(definition *relation.Definition, conditions []where) []relation.Predicate {
	c.t.Helper()
	var predicates []relation.Predicate
	for _, condition := range conditions {
		predicate := relation.Predicate{Column: definition.Ordinal(condition.column), Comparison: relation.Equal}
		if predicate.Column < 0 {
			c.t.Fatalf("%s has no column %s", definition.Name, condition.column)
		}
		if condition.value == nil {
			predicate.Comparison = relation.IsNull
		} else {
			predicate.Values = []relation.Value{valueOf(c.t, condition.value)}
		}
		predicates = append(predicates, predicate)
	}
	return predicates
}

// found is a row with its identity.
type found struct {
	identity relation.RowIdentity
	row      relation.Row
}

// find gives the rows for which all conditions hold.
func (c *client) find(table string, conditions ...where) []found {
	c.t.Helper()
	scanned := c.relation(table)
	definition := scanned.Definition()
	request := relation.ScanRequest{WithIdentities: true, Predicates: c.predicates(definition, conditions)}
	for i := range definition.Columns {
		request.Columns = append(request.Columns, i)
	}
	var rows []found
	c.scan(scanned, request, func(batch *relation.Batch, i int) {
		row := slices.Clone(batch.Row(i))
		for _, predicate := range request.Predicates {
			if !predicate.Holds(definition.Columns[predicate.Column].Type.OID, row[predicate.Column]) {
				return
			}
		}
		rows = append(rows, found{identity: batch.Identities[i], row: row})
	})
	return rows
}

func (c *client) scan(scanned relation.Relation, request relation.ScanRequest, visit func(*relation.Batch, int)) {
	c.t.Helper()
	cursor, err := scanned.Scan(context.Background(), request)
	if err != nil {
		c.t.Fatal(err)
	}
	defer cursor.Close()
	for {
		batch, err := cursor.Next(context.Background())
		if err != nil {
			c.t.Fatal(err)
		}
		if batch == nil {
			return
		}
		for i := range batch.Length {
			visit(batch, i)
		}
	}
}

// update sets a column of all rows for which the conditions hold.
func (c *client) update(table, column string, content any, conditions ...where) int {
	c.t.Helper()
	updated := c.relation(table)
	rows := c.find(table, conditions...)
	for _, found := range rows {
		found.row[updated.Definition().Ordinal(column)] = valueOf(c.t, content)
		if err := updated.Update(context.Background(), found.identity, found.row); err != nil {
			c.t.Fatal(err)
		}
	}
	return len(rows)
}

func (c *client) delete(table string, conditions ...where) int {
	c.t.Helper()
	rows := c.find(table, conditions...)
	for _, found := range rows {
		if _, err := c.relation(table).Delete(context.Background(), found.identity); err != nil {
			c.t.Fatal(err)
		}
	}
	return len(rows)
}

// shownRow prints a row for comparisons.
func shownRow(definition *relation.Definition, row relation.Row) string {
	var parts []string
	for i, value := range row {
		if value.IsNull() {
			parts = append(parts, "NULL")
			continue
		}
		switch definition.Columns[i].Type.OID {
		case relation.UUIDOID:
			parts = append(parts, formatUUID(value.Text()))
		case relation.BoolOID, relation.Int8OID, relation.Int4OID, relation.Int2OID, relation.TimestampTZOID:
			parts = append(parts, fmt.Sprint(value.Int()))
		case relation.Float8OID, relation.Float4OID:
			parts = append(parts, fmt.Sprint(value.Float()))
		default:
			parts = append(parts, fmt.Sprintf("%q", value.Text()))
		}
	}
	return strings.Join(parts, ",")
}

// rows prints the rows of a table, sorted.
func (c *client) rows(table string, conditions ...where) []string {
	c.t.Helper()
	definition := c.relation(table).Definition()
	var shown []string
	for _, found := range c.find(table, conditions...) {
		shown = append(shown, shownRow(definition, found.row))
	}
	slices.Sort(shown)
	return shown
}

// want fails unless the table has exactly those rows.
func (c *client) want(table string, rows ...[]any) {
	c.t.Helper()
	definition := c.relation(table).Definition()
	var wanted []string
	for _, contents := range rows {
		wanted = append(wanted, shownRow(definition, rowOf(c.t, contents...)))
	}
	slices.Sort(wanted)
	if got := c.rows(table); !slices.Equal(got, wanted) {
		c.t.Fatalf("%s has\n%s\nwanted\n%s", table, strings.Join(got, "\n"), strings.Join(wanted, "\n"))
	}
}

// dump gives all keys and values of the store.
func (l *lake) dump() map[string]string {
	l.t.Helper()
	snapshot := l.snapshot()
	defer snapshot.Close()
	iterator, err := snapshot.Scan(context.Background(), []byte{0}, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	defer iterator.Close()
	records := map[string]string{}
	for iterator.Next() {
		records[string(iterator.Key())] = string(iterator.Value())
	}
	if iterator.Err() != nil {
		l.t.Fatal(iterator.Err())
	}
	return records
}

// storePath makes a database with a lake and gives its path.
func storePath(t *testing.T, engine store.Engine) store.Path {
	t.Helper()
	path := store.Path{Database: "moraine", Schema: "public"}
	for _, created := range []store.Path{{Database: path.Database}, path} {
		if err := engine.Create(context.Background(), created); err != nil {
			t.Fatal(err)
		}
	}
	return path
}
