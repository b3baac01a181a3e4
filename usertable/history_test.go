package usertable

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"moraine/pgerror"
	"moraine/relation"
)

// history is a table t (id primary key, value), and what it should hold.
type history struct {
	lake      *lake
	client    *client
	random    *rand.Rand
	values    map[int]string // in the transaction
	committed map[int]string
}

func runHistory(t *testing.T, seed uint64) {
	lake := newLake(t)
	setup := lake.begin()
	setup.create("t", primaryKey)
	setup.commit()
	h := &history{lake: lake, client: lake.begin(), random: rand.New(rand.NewPCG(seed, 1)), values: map[int]string{}, committed: map[int]string{}}
	type savepoint struct {
		mark   int
		values map[int]string
	}
	var saved []savepoint
	for step := range 150 {
		switch h.random.IntN(9) {
		case 0, 1, 2:
			h.insert(h.random.IntN(20), fmt.Sprint(step))
		case 3, 4:
			h.update(h.random.IntN(20), h.random.IntN(20), fmt.Sprint(step))
		case 5:
			h.delete(h.random.IntN(20))
		case 6:
			saved = append(saved, savepoint{len(h.client.journal), maps.Clone(h.values)})
		case 7:
			if len(saved) > 0 {
				last := saved[len(saved)-1]
				h.client.rollbackTo(last.mark)
				h.values = maps.Clone(last.values)
			}
		case 8:
			if h.random.IntN(3) > 0 {
				h.client.commit()
				h.committed = h.values
			}
			h.client, h.values, saved = lake.begin(), maps.Clone(h.committed), nil
		}
		h.check()
	}
	h.client.commit()
	if entries := lake.keys(uniqueTag); entries != len(h.values) {
		t.Errorf("%d entries of the key for %d rows", entries, len(h.values))
	}
}

// attempt runs a change that fails if the key is taken, and undoes what it did then.
func (h *history) attempt(taken bool, change func() error) (done bool) {
	h.client.Helper()
	mark := len(h.client.journal)
	err := change()
	if !taken {
		h.client.ok(err)
		return true
	}
	h.client.wantError(err, pgerror.UniqueViolation, `duplicate key value violates unique constraint "t_pkey"`)
	h.client.rollbackTo(mark)
	return false
}

func (h *history) insert(id int, value string) {
	_, taken := h.values[id]
	if h.attempt(taken, func() error { return h.client.insert("t", id, value) }) {
		h.values[id] = value
	}
}

func (h *history) update(id, to int, value string) {
	if _, present := h.values[id]; !present {
		return
	}
	_, taken := h.values[to]
	if h.attempt(taken && to != id, func() error {
		row := relation.Row{relation.Int(int64(to)), relation.Text(value)}
		return h.client.table("t").Update(background, h.client.identity("t", int64(id)), row)
	}) {
		delete(h.values, id)
		h.values[to] = value
	}
}

func (h *history) delete(id int) {
	if _, present := h.values[id]; present {
		h.client.delete("t", int64(id))
		delete(h.values, id)
	}
}

func (h *history) check() {
	h.client.Helper()
	want := []string{}
	for id, value := range h.values {
		want = append(want, fmt.Sprintf("%d %s", id, value))
	}
	got := h.client.rows("t")
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		h.client.Fatalf("rows %q, want %q", got, want)
	}
}
