package ducklake

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"moraine/relation"
)

// alike makes rows of one embedded table that belong to one record and are called alike there, by their natural columns.
type alike struct {
	table    *catalogTable
	distinct string // the column that tells them apart
	natural  string // the column in which others are called otherwise
}

// embeddedTables gives the tables whose rows lie in records of others, but for ducklake_snapshot_changes, whose primary key
// keeps rows from being alike.
func embeddedTables(t *testing.T) (tables []alike) {
	t.Helper()
	for _, family := range families {
		for _, table := range family.members() {
			if !table.embedded() || table.primaryKey != "" {
				continue
			}
			fixed := slices.Concat(table.identity, table.natural, []string{"scope", "scope_id"})
			distinct := slices.IndexFunc(table.standard, func(c relation.Column) bool {
				return c.Type.OID == relation.VarcharOID && !slices.Contains(fixed, c.Name)
			})
			if distinct < 0 {
				t.Fatalf("%s has no column to tell rows apart by", table.name)
			}
			called := slices.DeleteFunc(slices.Clone(table.natural), func(name string) bool { return name == endColumn })
			tables = append(tables, alike{table: table, distinct: table.standard[distinct].Name, natural: called[len(called)-1]})
		}
	}
	return tables
}

// row makes a row of any of the family's tables; natural is what it is called by.
func (a alike) row(table *catalogTable, natural int, distinct string) []any {
	row := make([]any, len(table.standard))
	for i, column := range table.standard {
		number := 1
		if table == a.table && column.Name == a.natural {
			number = natural
		}
		switch {
		case table == a.table && column.Name == a.distinct:
			row[i] = distinct
		case column.Name == "scope" || column.Name == "scope_id" || column.Name == endColumn:
			row[i] = nil
		case column.Type.OID == relation.Int8OID || column.Type.OID == relation.TimestampTZOID:
			row[i] = number
		case column.Type.OID == relation.BoolOID:
			row[i] = true
		case column.Type.OID == relation.UUIDOID:
			row[i] = mainUUID
		default:
			row[i] = fmt.Sprint("text ", number)
		}
	}
	return row
}

// start makes a lake with the rows, in one record.
func (a alike) start(t *testing.T, rows ...[]any) *lake {
	l := startedLake(t)
	setup := l.begin()
	for _, table := range a.table.family.members() {
		if table == a.table {
			break // those before it are what its rows belong to
		}
		setup.insert(table.name, a.row(table, 1, "")...)
	}
	for _, other := range setup.find(a.table.name) {
		if _, err := setup.relation(a.table.name).Delete(context.Background(), other.identity); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range rows {
		setup.insert(a.table.name, row...)
	}
	setup.commit()
	return l
}

// A commit that changes a row must not make another transaction's change of a row beside it go to the wrong one.
func TestAChangeKeepsToItsRow(t *testing.T) {
	for _, a := range embeddedTables(t) {
		name := a.table.name
		t.Run(name+" when a row that was called alike is gone", func(t *testing.T) {
			l := a.start(t, a.row(a.table, 1, "one"), a.row(a.table, 1, "two"), a.row(a.table, 1, "three"))
			late, mover := l.begin(), l.begin()
			late.find(name)
			mover.delete(name, where{a.distinct, "one"})
			mover.commit()
			late.update(name, a.distinct, "new", where{a.distinct, "two"})
			late.commit()
			reader := l.begin()
			reader.want(name, a.row(a.table, 1, "new"), a.row(a.table, 1, "three"))
			reader.rollback()
		})
		t.Run(name+" when another row comes to be called alike", func(t *testing.T) {
			l := a.start(t, a.row(a.table, 2, "one"), a.row(a.table, 1, "two"))
			late, mover := l.begin(), l.begin()
			late.find(name)
			called := a.row(a.table, 1, "one")
			mover.update(name, a.natural, called[ordinalOf(a.table.standard, a.natural)], where{a.distinct, "one"})
			mover.commit()
			late.update(name, a.distinct, "new", where{a.distinct, "two"})
			late.commit()
			reader := l.begin()
			reader.want(name, called, a.row(a.table, 1, "new"))
			reader.rollback()
		})
		t.Run(name+" when an equal row is gone", func(t *testing.T) {
			l := a.start(t, a.row(a.table, 1, "one"), a.row(a.table, 1, "one"), a.row(a.table, 1, "one"))
			late, mover := l.begin(), l.begin()
			for c, place := range map[*client]int{mover: 0, late: 2} {
				rows := c.find(name)
				if _, err := c.relation(name).Delete(context.Background(), rows[place].identity); err != nil {
					t.Fatal(err)
				}
			}
			mover.commit()
			late.commit()
			reader := l.begin()
			reader.want(name, a.row(a.table, 1, "one"))
			reader.rollback()
		})
	}
}

// A row has one lock for those who see it with a column that another transaction has added, and for those who see it without.
func TestARowKeepsItsLockWhenAColumnIsAdded(t *testing.T) {
	for _, a := range embeddedTables(t) {
		for _, fill := range []relation.Value{relation.NULL, relation.Int(7)} {
			l := a.start(t, a.row(a.table, 1, "one"))
			old := l.begin()
			old.find(a.table.name)
			alterer := l.begin()
			alter := addColumn("added", relation.Int8Type)
			number := int16(len(a.table.standard) + 1)
			if err := alterer.alter(a.table.name, alter, map[int16]relation.Value{number: fill}); err != nil {
				t.Fatal(err)
			}
			alterer.commit()
			newer := l.begin()
			var locks []string
			for _, c := range []*client{old, newer} {
				c.update(a.table.name, a.distinct, "new", where{a.distinct, "one"})
				locks = append(locks, c.held[len(c.held)-1])
				c.rollback()
			}
			if locks[0] != locks[1] {
				t.Errorf("%s, filled with %v: locks %q and %q", a.table.name, fill, locks[0], locks[1])
			}
		}
	}
}

// The options that are made up for a store of the original become rows like others once a commit takes the store over.
func TestAChangeOfAMadeUpOptionKeepsToIt(t *testing.T) {
	l := goldenLake(t)
	late, other := l.begin(), l.begin()
	late.find("ducklake_metadata")
	other.delete("ducklake_metadata", where{"key", "created_by"})
	other.commit()
	late.update("ducklake_metadata", "value", "0.9", where{"key", "version"})
	late.delete("ducklake_metadata", where{"key", "encrypted"})
	late.commit()
	reader := l.begin()
	defer reader.rollback()
	for key, count := range map[string]int{"version": 1, "created_by": 0, "encrypted": 0} {
		if got := reader.rows("ducklake_metadata", where{"key", key}); len(got) != count {
			t.Errorf("%s: %v", key, got)
		}
	}
	if got := reader.rows("ducklake_metadata", where{"value", "0.9"}); len(got) != 1 {
		t.Errorf("options with the changed value: %v", got)
	}
}
