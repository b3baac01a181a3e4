package usertable

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"moraine/overlay"
	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
	"moraine/store/memory"
)

var background = context.Background()

// lake is a store in memory with the catalog of its plain tables.
type lake struct {
	*testing.T
	store   store.Store
	catalog *Catalog
}

func newLake(t *testing.T) *lake {
	t.Helper()
	l := &lake{T: t, store: memory.NewStore()}
	var err error
	if l.catalog, err = Open(background, l.state(), "public"); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *lake) state() store.Reader {
	l.Helper()
	snapshot, err := l.store.Snapshot()
	if err != nil {
		l.Fatal(err)
	}
	return snapshot
}

// keys gives how many keys there are behind a tag.
func (l *lake) keys(tag byte) (count int) {
	l.Helper()
	iterator, err := l.state().Scan(background, tagged(tag), store.PrefixEnd(tagged(tag)))
	if err != nil {
		l.Fatal(err)
	}
	defer iterator.Close()
	for iterator.Next() {
		count++
	}
	return count
}

// client is a transaction on a lake, and its environment: nobody else holds locks.
type client struct {
	*lake
	snapshot store.Reader
	journal  []func()
	tables   *Transaction
}

var _ overlay.Environment = (*client)(nil)

func (l *lake) begin() *client {
	l.Helper()
	c := &client{lake: l, snapshot: l.state()}
	c.tables = l.catalog.Begin(c).(*Transaction)
	return c
}

func (c *client) Schema() string         { return "public" }
func (c *client) OID(name string) uint32 { return relation.FirstOID + uint32(len(name)) }
func (c *client) Snapshot(context.Context) (store.Reader, error) {
	return c.snapshot, nil
}
func (c *client) Latest(_ context.Context, read func(store.Reader) error) error {
	return read(c.state())
}
func (c *client) BeginWrite(context.Context) error                   { return nil }
func (c *client) Lock(context.Context, string, overlay.Intent) error { return nil }
func (c *client) Ticket(context.Context) error                       { return nil }
func (c *client) Journal(undo func())                                { c.journal = append(c.journal, undo) }

func (c *client) rollbackTo(mark int) {
	for len(c.journal) > mark {
		last := c.journal[len(c.journal)-1]
		c.journal = c.journal[:len(c.journal)-1]
		last()
	}
}

func (c *client) tryCommit() error {
	batch := &store.Batch{}
	if err := c.tables.Stage(background, c.state(), batch); err != nil {
		return err
	}
	return c.store.Commit(background, batch)
}

func (c *client) commit() {
	c.Helper()
	c.ok(c.tryCommit())
}

func (c *client) ok(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func (c *client) wantError(err error, code, message string) {
	c.Helper()
	if !pgerror.HasCode(err, code) || pgerror.From(err).Message != message {
		c.Fatalf("error %v, want %s with %q", err, code, message)
	}
}

func (c *client) create(name string, constraints ...relation.Constraint) {
	c.Helper()
	taken, err := c.tables.CreateTable(background, &relation.Definition{
		Name: name, Kind: relation.Table, Persistence: relation.Permanent, Constraints: constraints,
		Columns: []relation.Column{{Name: "id", Type: relation.Int8Type, Number: 1}, {Name: "value", Type: relation.TextType, Number: 2}},
	})
	c.ok(err)
	if !taken {
		c.Fatal("the domain does not take the table")
	}
}

func (c *client) table(name string) *table {
	c.Helper()
	found, err := c.tables.Relation(background, name)
	c.ok(err)
	if found == nil {
		c.Fatalf("no table %q", name)
	}
	return found.(*table)
}

func (c *client) wantNoTable(name string) {
	c.Helper()
	if found, err := c.tables.Relation(background, name); err != nil || found != nil {
		c.Fatalf("table %q: %v, %v", name, found, err)
	}
}

func (c *client) insert(name string, values ...any) error {
	c.Helper()
	row := make(relation.Row, len(values))
	for i, value := range values {
		switch value := value.(type) {
		case int:
			row[i] = relation.Int(int64(value))
		case string:
			row[i] = relation.Text(value)
		}
	}
	return c.table(name).Insert(background, []relation.Row{row})
}

func (c *client) alter(name string, change func(definition *relation.Definition), fill map[int16]relation.Value) error {
	c.Helper()
	definition := *c.table(name).Definition()
	definition.Columns, definition.Constraints = slices.Clone(definition.Columns), slices.Clone(definition.Constraints)
	change(&definition)
	return c.tables.AlterTable(background, name, &definition, fill)
}

// rows gives the rows of a table, each as its values in text.
func (c *client) rows(name string) []string {
	c.Helper()
	table := c.table(name)
	request := relation.ScanRequest{}
	for i := range table.Definition().Columns {
		request.Columns = append(request.Columns, i)
	}
	cursor, err := table.Scan(background, request)
	c.ok(err)
	defer cursor.Close()
	rows := []string{}
	for {
		batch, err := cursor.Next(background)
		c.ok(err)
		if batch == nil {
			return rows
		}
		for i := range batch.Length {
			text := ""
			for column, value := range batch.Row(i) {
				shown, known := textOf(table.Definition().Columns[column].Type.OID, value)
				if value.IsNull() || !known {
					shown = "NULL"
				}
				text += fmt.Sprintf("%s ", shown)
			}
			rows = append(rows, text[:len(text)-1])
		}
	}
}

func (c *client) wantRows(name string, want ...string) {
	c.Helper()
	if got := c.rows(name); !slices.Equal(got, want) {
		c.Fatalf("rows %q, want %q", got, want)
	}
}

// identity gives the first row with an id.
func (c *client) identity(name string, id int64) relation.RowIdentity {
	c.Helper()
	cursor, err := c.table(name).Scan(background, relation.ScanRequest{Columns: []int{0}, WithIdentities: true})
	c.ok(err)
	defer cursor.Close()
	for {
		batch, err := cursor.Next(background)
		c.ok(err)
		if batch == nil {
			c.Fatalf("no row %d", id)
		}
		for i := range batch.Length {
			if batch.Row(i)[0].Int() == id {
				return batch.Identities[i]
			}
		}
	}
}

func (c *client) delete(name string, id int64) {
	c.Helper()
	deleted, err := c.table(name).Delete(background, c.identity(name, id))
	c.ok(err)
	if !deleted {
		c.Fatalf("row %d is not deleted", id)
	}
}

func (c *client) names() (names []string) {
	c.Helper()
	definitions, err := c.tables.Definitions(background)
	c.ok(err)
	for _, definition := range definitions {
		names = append(names, definition.Name)
	}
	return names
}
