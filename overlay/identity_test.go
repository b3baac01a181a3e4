package overlay_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"moraine/overlay"
	"moraine/relation"
)

// numberedRows are rows that share a number by tens, so that several keys want one identity.
type numberedRows struct{ rows }

func (r *numberedRows) Number(key string) (uint64, bool) {
	id, err := strconv.Atoi(strings.TrimPrefix(key, "key "))
	return uint64(id / 10), err == nil
}

// transactions makes tables over the same rows, as several transactions have them.
func transactions(base overlay.Base, count int) (tables []*overlay.Table) {
	for range count {
		tables = append(tables, overlay.NewTable(definition, &environment{locked: map[string]overlay.Intent{}}, base, unlimited()))
	}
	return tables
}

func storedRows(count int) rows {
	base := rows{rows: map[string]relation.Row{}}
	for id := range count {
		key := fmt.Sprintf("key %03d", id)
		base.keys = append(base.keys, key)
		base.rows[key] = row(int64(id), 0)
	}
	return base
}

func someIDs(random *rand.Rand, stored int) []relation.Predicate {
	from := relation.Int(int64(random.IntN(stored)))
	return []relation.Predicate{{Column: 0, Comparison: relation.GreaterOrEqual, Values: []relation.Value{from}}}
}

func TestStoredRowsHaveTheSameIdentityInEachTransaction(t *testing.T) {
	const stored = 200
	base := storedRows(stored)
	identities := map[int64]relation.RowIdentity{}
	random := rand.New(rand.NewPCG(1, 1))
	for _, table := range transactions(&base, 20) {
		check(t, table.Insert(background, []relation.Row{row(stored, 0)}))
		for range 3 {
			request := relation.ScanRequest{WithIdentities: true, Predicates: someIDs(random, stored)}
			for _, found := range drain(t, scan(t, table, request)) {
				if found.id == stored {
					continue // the transaction's own row
				}
				if before, known := identities[found.id]; known && before != found.identity {
					t.Fatalf("row %d has identity %d and %d", found.id, before, found.identity)
				}
				identities[found.id] = found.identity
			}
		}
	}
}

func TestIdentitiesOfOtherTransactionsNameTheirRows(t *testing.T) {
	base := storedRows(50)
	tables := transactions(&base, 2)
	check(t, tables[0].Insert(background, []relation.Row{row(50, 0)}))
	all := drain(t, scan(t, tables[0], relation.ScanRequest{WithIdentities: true}))
	wanted := []found{all[7], all[31]}
	// The last one is a row that only the first transaction has.
	request := relation.ScanRequest{WithIdentities: true, Identities: []relation.RowIdentity{wanted[0].identity, wanted[1].identity, all[50].identity}}
	check(t, tables[1].Insert(background, []relation.Row{row(60, 0)}))
	if got := drain(t, scan(t, tables[1], request)); !slices.Equal(got, wanted) {
		t.Errorf("rows %v, want %v", got, wanted)
	}
	wantDeleted(t, tables[1], wanted[0].identity, true)
	if got := drain(t, scan(t, tables[1], request)); !slices.Equal(got, wanted[1:]) {
		t.Errorf("after the deletion rows %v, want %v", got, wanted[1:])
	}
}

// TestRowsOfATransactionNeverShareAnIdentity holds where each number belongs to ten rows.
func TestRowsOfATransactionNeverShareAnIdentity(t *testing.T) {
	const stored = 100
	random := rand.New(rand.NewPCG(2, 2))
	for _, table := range transactions(&numberedRows{storedRows(stored)}, 20) {
		rowOf := map[relation.RowIdentity]int64{}
		for step := range 5 {
			check(t, table.Insert(background, []relation.Row{row(int64(stored+step), 0)}))
			request := relation.ScanRequest{WithIdentities: true, Predicates: someIDs(random, stored)}
			for _, found := range drain(t, scan(t, table, request)) {
				if other, known := rowOf[found.identity]; known && other != found.id {
					t.Fatalf("rows %d and %d have identity %d", found.id, other, found.identity)
				}
				rowOf[found.identity] = found.id
				if back, ok := relation.IdentityOfTID(found.identity.TID()); !ok || back != found.identity {
					t.Fatalf("identity %d becomes %d", found.identity, back)
				}
			}
		}
		for identity, id := range rowOf {
			got := drain(t, scan(t, table, relation.ScanRequest{Identities: []relation.RowIdentity{identity}}))
			if len(got) != 1 || got[0].id != id {
				t.Fatalf("identity %d of row %d gives %v", identity, id, got)
			}
		}
	}
}

func TestAnIdentityThatTwoRowsCouldHaveNamesNeither(t *testing.T) {
	tables := transactions(&numberedRows{storedRows(11)}, 1)
	request := relation.ScanRequest{Identities: []relation.RowIdentity{0, 1}}
	if got := drain(t, scan(t, tables[0], request)); len(got) != 1 || got[0].id != 10 {
		t.Errorf("rows %v, want the one that is alone", got)
	}
}
