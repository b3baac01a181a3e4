package lake

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"moraine/overlay"
	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

var errRefused = fmt.Errorf("%w: %w: %w", store.ErrUnavailable, store.ErrNotApplied, errNoSpace)

// commits is an instance whose store answers a flush only when the test says so.
type commits struct {
	*fixture
	first  *client
	result <-chan error
}

// holdCommit makes table t, and lets a first commit wait for the store, so that those that follow queue up behind it.
func holdCommit(t *testing.T) *commits {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	f.createTable(integers("public", "u"))
	f.engine.hold(true)
	t.Cleanup(func() { f.engine.hold(false) })
	held := &commits{fixture: f, first: f.connect().begin(relation.RepeatableRead)}
	held.first.insert("t", 0, "held")
	held.result = held.first.startCommit(background)
	f.engine.awaitFlush(t)
	return held
}

// startCommit commits in another goroutine.
func (c *client) startCommit(ctx context.Context) <-chan error {
	result := make(chan error, 1)
	transaction := c.transaction
	go func() { result <- transaction.Commit(ctx) }()
	return result
}

// enqueue commits a transaction that is expected to wait for its turn, and returns once it does.
func (h *commits) enqueue(ctx context.Context, c *client) <-chan error {
	h.Helper()
	waiting := h.waiting()
	result := c.startCommit(ctx)
	for deadline := time.Now().Add(time.Minute); h.waiting() != waiting+1; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			h.Fatal("the commit does not wait for its turn")
		}
	}
	return result
}

func (h *commits) waiting() int {
	queue := &h.instance.find("moraine").lakes["public"].lake.commits
	queue.mutex.Lock()
	defer queue.mutex.Unlock()
	return len(queue.waiting)
}

// inserting is a transaction that has inserted a row.
func (f *fixture) inserting(table string, id int64) *client {
	f.Helper()
	c := f.connect().begin(relation.RepeatableRead)
	c.insert(table, id, "x")
	return c
}

func (h *commits) wantResult(result <-chan error, code string) {
	h.Helper()
	err := <-result
	if code == "" && err != nil || code != "" && !pgerror.HasCode(err, code) {
		h.Errorf("the commit ends with %v, want %q", err, code)
	}
}

// wantFlushes counts the batches since the tables were made.
func (h *commits) wantFlushes(want int) {
	h.Helper()
	const before = 2
	if got := int(h.engine.flushes.Load()) - before; got != want {
		h.Errorf("%d flushes, want %d", got, want)
	}
}

func (h *commits) wantTable(name string, want ...string) {
	h.Helper()
	c := h.connect().begin(relation.RepeatableRead)
	c.wantRows(name, want...)
	c.commit()
}

func TestCommitsThatWaitShareAFlush(t *testing.T) {
	h := holdCommit(t)
	var results []<-chan error
	for id := range int64(3) {
		results = append(results, h.enqueue(background, h.inserting("t", id+1)))
	}
	h.wantTable("t")
	h.engine.answer(nil)
	h.wantResult(h.result, "")
	h.engine.awaitFlush(t)
	h.wantTable("t", "0=held")
	h.engine.answer(nil)
	for _, result := range results {
		h.wantResult(result, "")
	}
	h.wantFlushes(2)
	h.wantTable("t", "0=held", "1=x", "2=x", "3=x")
}

func TestAGroupThatIsNotAppliedLeavesNoTrace(t *testing.T) {
	h := holdCommit(t)
	one, two := h.enqueue(background, h.inserting("t", 1)), h.enqueue(background, h.inserting("t", 2))
	h.engine.answer(nil)
	h.wantResult(h.result, "")
	h.engine.awaitFlush(t)
	behind := h.enqueue(background, h.inserting("t", 3))
	h.engine.answer(errRefused)
	h.wantResult(one, pgerror.DiskFull)
	h.wantResult(two, pgerror.DiskFull)
	h.engine.awaitFlush(t)
	h.engine.answer(nil)
	h.wantResult(behind, "")
	h.wantTable("t", "0=held", "3=x")
	h.engine.hold(false)
	h.inserting("t", 4).commit()
	h.wantTable("t", "0=held", "3=x", "4=x")
}

func TestAGroupThatMayBeAppliedEndsTheLake(t *testing.T) {
	h := holdCommit(t)
	one, two := h.enqueue(background, h.inserting("t", 1)), h.enqueue(background, h.inserting("t", 2))
	h.engine.answer(nil)
	h.engine.awaitFlush(t)
	behind := h.enqueue(background, h.inserting("t", 3))
	h.engine.answer(store.ErrUnavailable)
	h.wantResult(h.result, "")
	for _, result := range []<-chan error{one, two, behind} {
		h.wantResult(result, pgerror.IOError)
	}
	h.wantFlushes(2)
	h.wantTable("t", "0=held")
}

// TestAMemberBuildsOnThoseBeforeIt drops a table in the same group in which another transaction inserts into it.
func TestAMemberBuildsOnThoseBeforeIt(t *testing.T) {
	h := holdCommit(t)
	dropping, inserting := h.connect().begin(relation.RepeatableRead), h.inserting("u", 1)
	dropping.ok(dropping.transaction.DropTable(background, "public", "u"))
	before, dropped := h.enqueue(background, h.inserting("t", 1)), h.enqueue(background, dropping)
	late, after := h.enqueue(background, inserting), h.enqueue(background, h.inserting("t", 2))
	h.engine.answer(nil)
	h.wantResult(late, pgerror.SerializationFailure)
	h.engine.awaitFlush(t)
	h.engine.answer(nil)
	for _, result := range []<-chan error{h.result, before, dropped, after} {
		h.wantResult(result, "")
	}
	h.wantFlushes(2)
	h.wantTable("t", "0=held", "1=x", "2=x")
}

func TestAFaultInOneStagingIsItsOwn(t *testing.T) {
	for _, last := range []bool{false, true} {
		h := holdCommit(t)
		faulty := h.inserting("t", 2)
		faulty.part().domains = append(faulty.part().domains, faultyDomain{})
		before := h.enqueue(background, h.inserting("t", 1))
		panicked := make(chan any, 1)
		go func() {
			defer func() { panicked <- recover() }()
			_ = faulty.transaction.Commit(background)
		}()
		for h.waiting() != 2 {
			time.Sleep(time.Millisecond)
		}
		results := []<-chan error{h.result, before}
		want := []string{"0=held", "1=x"}
		if !last {
			results = append(results, h.enqueue(background, h.inserting("t", 3)))
			want = append(want, "3=x")
		}
		h.engine.hold(false)
		for _, result := range results {
			h.wantResult(result, "")
		}
		if <-panicked == nil {
			t.Error("the panic did not come through")
		}
		h.wantFlushes(2)
		h.wantTable("t", want...)
	}
}

// faultyDomain is a domain that panics when its changes are staged.
type faultyDomain struct{ overlay.Domain }

func (faultyDomain) Dirty() bool  { return true }
func (faultyDomain) Serial() bool { return false }
func (faultyDomain) Stage(context.Context, store.Reader, *store.Batch) error {
	panic("the domain panics")
}

func TestACommitThatWaitsCanBeCancelled(t *testing.T) {
	h := holdCommit(t)
	ctx, cancel := context.WithCancel(background)
	before, cancelled, after := h.enqueue(background, h.inserting("t", 1)), h.enqueue(ctx, h.inserting("t", 2)), h.enqueue(background, h.inserting("t", 3))
	cancel()
	if err := <-cancelled; !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled commit ends with %v", err)
	}
	h.engine.hold(false)
	for _, result := range []<-chan error{h.result, before, after} {
		h.wantResult(result, "")
	}
	h.wantFlushes(2)
	h.wantTable("t", "0=held", "1=x", "3=x")
}

func TestWhatDoesNotShareAFlush(t *testing.T) {
	large := strings.Repeat("x", maximumGroup)
	for _, test := range []struct {
		name    string
		write   func(c *client, id int64)
		flushes int
	}{
		{"large commits", func(c *client, id int64) { c.insert("t", id, large) }, 3},
		{"commits that change schemas", func(c *client, id int64) {
			c.insert("t", id, "x")
			c.ok(c.transaction.CreateSchema(background, fmt.Sprintf("s%d", id)))
		}, 3},
		{"commits of catalog tables", func(c *client, id int64) {
			c.insert("t", id, "x")
			table := c.table("ducklake_metadata")
			row := make(relation.Row, len(table.Definition().Columns))
			row[0], row[1] = relation.Text(fmt.Sprintf("key %d", id)), relation.Text("value")
			c.ok(table.Insert(background, []relation.Row{row}))
		}, 3},
		{"small commits", func(c *client, id int64) { c.insert("t", id, "x") }, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable(integers("public", "t"))
			f.createTable(catalogTable())
			f.engine.hold(true)
			h := &commits{fixture: f, first: f.inserting("t", 0)}
			h.result = h.first.startCommit(background)
			f.engine.awaitFlush(t)
			var results []<-chan error
			for id := range int64(3) {
				c := h.connect().begin(relation.RepeatableRead)
				test.write(c, id+1)
				results = append(results, h.enqueue(background, c))
			}
			h.engine.hold(false)
			for _, result := range append(results, h.result) {
				h.wantResult(result, "")
			}
			h.wantFlushes(1 + test.flushes)
		})
	}
}

func catalogTable() *relation.Definition {
	definition := &relation.Definition{Schema: "public", Name: "ducklake_metadata", Kind: relation.Table, Persistence: relation.Permanent}
	for i, name := range []string{"key", "value", "scope", "scope_id"} {
		column := relation.Column{Name: name, Type: relation.TextType, Number: int16(i + 1), NotNull: i < 2}
		if name == "scope_id" {
			column.Type = relation.Int8Type
		}
		definition.Columns = append(definition.Columns, column)
	}
	return definition
}

// TestAFlushAwaitsThoseOfTheOneBefore lets a group expect a second commit for longer than the test takes.
func TestAFlushAwaitsThoseOfTheOneBefore(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	queue := &f.instance.find("moraine").lakes["public"].lake.commits
	before := f.engine.flushes.Load()
	queue.mutex.Lock()
	queue.expected, queue.expiry = 2, time.Now().Add(time.Hour)
	queue.mutex.Unlock()
	first := f.inserting("t", 1).startCommit(background)
	for gathering := false; !gathering; time.Sleep(time.Millisecond) {
		queue.mutex.Lock()
		gathering = queue.gathering != nil
		queue.mutex.Unlock()
	}
	f.inserting("t", 2).commit()
	if err := <-first; err != nil {
		t.Error(err)
	}
	if flushes := f.engine.flushes.Load() - before; flushes != 1 {
		t.Errorf("%d flushes", flushes)
	}
	f.inserting("t", 3).commit() // alone, and at once
}
