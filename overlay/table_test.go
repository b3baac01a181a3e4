package overlay_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"moraine/overlay"
	"moraine/relation"
	"moraine/store"
)

var background = context.Background()

// environment is a transaction that nobody disturbs.
type environment struct {
	overlay.Environment
	journal []func()
	locked  map[string]overlay.Intent
}

func (e *environment) BeginWrite(context.Context) error { return nil }
func (e *environment) Journal(undo func())              { e.journal = append(e.journal, undo) }
func (e *environment) Lock(_ context.Context, key string, intent overlay.Intent) error {
	e.locked[key] = intent
	return nil
}
func (e *environment) Snapshot(context.Context) (store.Reader, error) { return nil, nil }

func (e *environment) rollback(mark int) {
	for len(e.journal) > mark {
		last := e.journal[len(e.journal)-1]
		e.journal = e.journal[:len(e.journal)-1]
		last()
	}
}

// rows is a base in memory, in batches of two. It leaves out what the predicates exclude, as a base may that finds its rows
// by key.
type rows struct {
	keys []string
	rows map[string]relation.Row
}

func (r *rows) Get(_ context.Context, key string) (relation.Row, bool, error) {
	row, found := r.rows[key]
	return row, found, nil
}

func (r *rows) Scan(_ context.Context, request relation.ScanRequest, withKeys bool) (overlay.BaseCursor, error) {
	return &rowsCursor{rows: r, request: request, withKeys: withKeys}, nil
}

type rowsCursor struct {
	rows     *rows
	request  relation.ScanRequest
	withKeys bool
	next     int
	batch    overlay.BaseBatch
}

func (c *rowsCursor) Next(context.Context) (*overlay.BaseBatch, error) {
	c.batch.Reset(len(c.request.Columns))
	for c.next < len(c.rows.keys) && c.batch.Length < 2 {
		key := c.rows.keys[c.next]
		c.next++
		if !admits(c.request.Predicates, c.rows.rows[key]) {
			continue
		}
		to := c.batch.Append()
		for i, column := range c.request.Columns {
			to[i] = c.rows.rows[key][column]
		}
		if c.withKeys {
			c.batch.Keys = append(c.batch.Keys, key)
		}
	}
	if c.batch.Length == 0 {
		return nil, nil
	}
	return &c.batch, nil
}

func (c *rowsCursor) Close() {}

func admits(predicates []relation.Predicate, row relation.Row) bool {
	return !slices.ContainsFunc(predicates, func(p relation.Predicate) bool { return !p.Holds(relation.Int8OID, row[p.Column]) })
}

var definition = &relation.Definition{Name: "t", Columns: []relation.Column{
	{Name: "id", Type: relation.Int8Type, Number: 1}, {Name: "value", Type: relation.Int8Type, Number: 2},
}}

func row(id, value int64) relation.Row { return relation.Row{relation.Int(id), relation.Int(value)} }

// newTable makes a table over stored rows with ids from 0 and value 0.
func newTable(stored int) (*overlay.Table, *environment) {
	base := storedRows(stored)
	environment := &environment{locked: map[string]overlay.Intent{}}
	return overlay.NewTable(definition, environment, &base, unlimited()), environment
}

type found struct {
	identity relation.RowIdentity
	id       int64
	value    int64
}

func drain(t *testing.T, cursor relation.Cursor) (all []found) {
	t.Helper()
	defer cursor.Close()
	for {
		batch, err := cursor.Next(background)
		if err != nil {
			t.Fatal(err)
		}
		if batch == nil {
			return all
		}
		if batch.Length == 0 {
			t.Fatal("an empty batch")
		}
		for i := range batch.Length {
			row := found{id: batch.Row(i)[0].Int(), value: batch.Row(i)[1].Int()}
			if batch.Identities != nil {
				row.identity = batch.Identities[i]
			}
			all = append(all, row)
		}
	}
}

func scan(t *testing.T, table relation.Relation, request relation.ScanRequest) relation.Cursor {
	t.Helper()
	request.Columns = []int{0, 1}
	cursor, err := table.Scan(background, request)
	if err != nil {
		t.Fatal(err)
	}
	return cursor
}

// model is what a table should have: values by id, and what is remembered to undo.
type model struct {
	values     map[int64]int64
	savepoints []savepoint
}

type savepoint struct {
	mark   int
	values map[int64]int64
}

func clone(values map[int64]int64) map[int64]int64 {
	copied := make(map[int64]int64, len(values))
	for id, value := range values {
		copied[id] = value
	}
	return copied
}

// TestRandomHistories runs random inserts, updates, deletes, savepoints and rollbacks against a map, and has cursors open
// across them that must not see what comes after their start.
func TestRandomHistories(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { runHistory(t, rand.New(rand.NewPCG(seed, 0))) })
	}
}

func runHistory(t *testing.T, random *rand.Rand) {
	const stored = 7
	table, environment := newTable(stored)
	model := &model{values: map[int64]int64{}}
	for id := range int64(stored) {
		model.values[id] = 0
	}
	identities := map[int64]relation.RowIdentity{}
	nextID := int64(stored)
	type openCursor struct {
		cursor relation.Cursor
		want   map[int64]int64
	}
	var open []openCursor
	for step := range 120 {
		switch random.IntN(8) {
		case 0, 1:
			var inserted []relation.Row
			for range 1 + random.IntN(3) {
				inserted = append(inserted, row(nextID, int64(step)))
				model.values[nextID] = int64(step)
				nextID++
			}
			check(t, table.Insert(background, inserted))
		case 2, 3:
			if id, identity, present := pick(t, random, table, identities); present {
				check(t, table.Update(background, identity, row(id, int64(step))))
				model.values[id] = int64(step)
			}
		case 4:
			if id, identity, present := pick(t, random, table, identities); present {
				wantDeleted(t, table, identity, true)
				wantDeleted(t, table, identity, false)
				delete(model.values, id)
			}
		case 5:
			model.savepoints = append(model.savepoints, savepoint{len(environment.journal), clone(model.values)})
		case 6:
			if len(model.savepoints) > 0 {
				at := random.IntN(len(model.savepoints))
				environment.rollback(model.savepoints[at].mark)
				model.values = clone(model.savepoints[at].values)
				model.savepoints = model.savepoints[:at+1]
			}
		case 7:
			open = append(open, openCursor{scan(t, table, relation.ScanRequest{WithIdentities: random.IntN(2) == 0}), clone(model.values)})
		}
		wantValues(t, drain(t, scan(t, table, relation.ScanRequest{})), model.values)
		wantRecent(t, random, table, step, model.values)
	}
	for _, opened := range open {
		wantValues(t, drain(t, opened.cursor), opened.want)
	}
	wantChanges(t, table, stored, model.values)
}

// wantRecent checks a scan for the rows that a late step has written.
func wantRecent(t *testing.T, random *rand.Rand, table *overlay.Table, step int, values map[int64]int64) {
	t.Helper()
	since := int64(random.IntN(step + 1))
	recent := []relation.Predicate{{Column: 1, Comparison: relation.GreaterOrEqual, Values: []relation.Value{relation.Int(since)}}}
	want := clone(values)
	for id, value := range values {
		if value < since {
			delete(want, id)
		}
	}
	request := relation.ScanRequest{Predicates: recent, WithIdentities: random.IntN(2) == 0}
	wantValues(t, drain(t, scan(t, table, request)), want)
}

// pick chooses a row, and checks that each row keeps its identity.
func pick(t *testing.T, random *rand.Rand, table *overlay.Table, identities map[int64]relation.RowIdentity) (int64, relation.RowIdentity, bool) {
	t.Helper()
	all := drain(t, scan(t, table, relation.ScanRequest{WithIdentities: true}))
	for _, row := range all {
		if before, known := identities[row.id]; known && before != row.identity {
			t.Fatalf("row %d had identity %d, now %d", row.id, before, row.identity)
		}
		identities[row.id] = row.identity
	}
	if len(all) == 0 {
		return 0, 0, false
	}
	chosen := all[random.IntN(len(all))]
	again := drain(t, scan(t, table, relation.ScanRequest{Identities: []relation.RowIdentity{chosen.identity}, WithIdentities: true}))
	if !slices.Equal(again, []found{chosen}) {
		t.Fatalf("by its identity row %v is %v", chosen, again)
	}
	return chosen.id, chosen.identity, true
}

func wantDeleted(t *testing.T, table *overlay.Table, identity relation.RowIdentity, want bool) {
	t.Helper()
	deleted, err := table.Delete(background, identity)
	check(t, err)
	if deleted != want {
		t.Fatalf("deleted %v, want %v", deleted, want)
	}
}

func wantValues(t *testing.T, rows []found, want map[int64]int64) {
	t.Helper()
	got := map[int64]int64{}
	for _, row := range rows {
		got[row.id] = row.value
	}
	if len(rows) != len(got) || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("rows %v, want %v", got, want)
	}
}

// wantChanges checks that the changes lead from the stored rows to the wanted ones.
func wantChanges(t *testing.T, table *overlay.Table, stored int, want map[int64]int64) {
	t.Helper()
	got := map[int64]int64{}
	for id := range int64(stored) {
		got[id] = 0
	}
	for _, change := range table.Changes() {
		var id int64
		if _, err := fmt.Sscanf(change.Key, "key %d", &id); err != nil {
			t.Fatal(err)
		}
		if delete(got, id); change.Row != nil {
			got[change.Row[0].Int()] = change.Row[1].Int()
		}
	}
	for _, row := range table.Inserted() {
		got[row[0].Int()] = row[1].Int()
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("the changes lead to %v, want %v", got, want)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestPredicatesAreCheckedAgainstChangedRows(t *testing.T) {
	table, _ := newTable(4)
	all := drain(t, scan(t, table, relation.ScanRequest{WithIdentities: true}))
	check(t, table.Update(background, all[1].identity, row(1, 9)))
	check(t, table.Insert(background, []relation.Row{row(10, 9), row(11, 3)}))
	nine := []relation.Predicate{{Column: 1, Comparison: relation.Equal, Values: []relation.Value{relation.Int(9)}}}
	cursor, err := table.Scan(background, relation.ScanRequest{Columns: []int{0}, Predicates: nine})
	check(t, err)
	defer cursor.Close()
	var ids []int64
	for {
		batch, err := cursor.Next(background)
		check(t, err)
		if batch == nil {
			break
		}
		for i := range batch.Length {
			ids = append(ids, batch.Row(i)[0].Int())
		}
	}
	if !slices.Equal(ids, []int64{1, 10}) {
		t.Errorf("rows %v have the value 9", ids)
	}
}

func TestRowsAreLockedByKeyAndIntent(t *testing.T) {
	table, environment := newTable(3)
	all := drain(t, scan(t, table, relation.ScanRequest{WithIdentities: true}))
	check(t, table.Update(background, all[0].identity, row(0, 1)))
	wantDeleted(t, table, all[2].identity, true)
	want := map[string]overlay.Intent{"key 000": overlay.ToUpdate, "key 002": overlay.ToDelete}
	if fmt.Sprint(environment.locked) != fmt.Sprint(want) {
		t.Errorf("locks %v, want %v", environment.locked, want)
	}
}

func TestUnknownIdentitiesNameNoRow(t *testing.T) {
	table, _ := newTable(1)
	wantDeleted(t, table, 5, false)
	if rows := drain(t, scan(t, table, relation.ScanRequest{Identities: []relation.RowIdentity{5}})); len(rows) != 0 {
		t.Errorf("rows %v", rows)
	}
}

func TestIdentityOfAnUndoneInsertNamesNoOtherRow(t *testing.T) {
	table, environment := newTable(0)
	check(t, table.Insert(background, []relation.Row{row(1, 1)}))
	identity := drain(t, scan(t, table, relation.ScanRequest{WithIdentities: true}))[0].identity
	environment.rollback(0)
	check(t, table.Insert(background, []relation.Row{row(2, 2)}))
	if rows := drain(t, scan(t, table, relation.ScanRequest{Identities: []relation.RowIdentity{identity}})); len(rows) != 0 {
		t.Errorf("the identity of a row that is gone gives %v", rows)
	}
}

func TestDeriveCarriesChangesIntoANewShape(t *testing.T) {
	table, environment := newTable(3)
	all := drain(t, scan(t, table, relation.ScanRequest{WithIdentities: true}))
	check(t, table.Update(background, all[0].identity, row(0, 7)))
	wantDeleted(t, table, all[1].identity, true)
	check(t, table.Insert(background, []relation.Row{row(9, 9)}))
	derived := table.Derive(definition, &rows{}, func(row relation.Row) relation.Row {
		return relation.Row{row[0], relation.Int(row[1].Int() + 100)}
	})
	environment.rollback(0)
	var got []found
	for _, change := range derived.Changes() {
		if change.Row != nil {
			got = append(got, found{id: change.Row[0].Int(), value: change.Row[1].Int()})
		}
	}
	for _, row := range derived.Inserted() {
		got = append(got, found{id: row[0].Int(), value: row[1].Int()})
	}
	slices.SortFunc(got, func(a, b found) int { return cmp.Compare(a.id, b.id) })
	if !slices.Equal(got, []found{{id: 0, value: 107}, {id: 9, value: 109}}) || len(derived.Changes()) != 2 {
		t.Errorf("derived changes %v of %d", got, len(derived.Changes()))
	}
	if table.Dirty() || !derived.Dirty() {
		t.Errorf("after the rollback the table is dirty: %v, the derived one: %v", table.Dirty(), derived.Dirty())
	}
}
