package lake

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"moraine/pgerror"
	"moraine/relation"
)

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

func (c *client) part() *part {
	c.Helper()
	part, err := c.transaction.(*Transaction).part(background, "public")
	c.ok(err)
	return part
}

// ticket does what the insertion of a snapshot row does first.
func (c *client) ticket() error { return c.part().Ticket(background) }

func (c *client) holdsTicket() bool { return c.transaction.(*Transaction).holds(c.part().ticket()) }

// write commits a transaction with a snapshot row.
func (c *client) write() *client {
	c.Helper()
	c.begin(relation.RepeatableRead)
	c.ok(c.ticket())
	c.commit()
	return c
}

// read commits a transaction without a snapshot row, and tells whether it read under the ticket.
func (c *client) read() (underTicket bool) {
	c.Helper()
	c.begin(relation.RepeatableRead).wantRows("t")
	underTicket = c.holdsTicket()
	c.commit()
	return underTicket
}

func (f *fixture) locks() *lockTable { return f.instance.find("moraine").locks }

// slowly lets leases last as long as the test.
func (f *fixture) slowly() *fixture {
	f.locks().leaseTime, f.locks().leaseIdle, f.locks().leaseWait = time.Hour, time.Hour, time.Hour
	return f
}

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

func TestExpectedWriterReadsUnderTheTicket(t *testing.T) {
	for _, test := range []struct {
		name    string
		prepare func(f *fixture, c *client)
	}{
		{"after a commit", func(_ *fixture, c *client) { c.write() }},
		{"after a lost commit", func(f *fixture, c *client) { f.lose(c) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t).slowly()
			f.createTable(integers("public", "t"))
			writer, other := f.connect(), f.connect().begin(relation.RepeatableRead)
			test.prepare(f, writer)
			writer.begin(relation.RepeatableRead).wantRows("t")
			result := other.start(other.ticket)
			writer.ok(writer.ticket())
			writer.insert("t", 1, "a")
			writer.commit()
			other.ok(<-result)
			other.commit()
		})
	}
}

func TestExpectedWritersDoNotLose(t *testing.T) {
	f := newFixture(t).slowly()
	f.createTable(integers("public", "t"))
	one, two := f.connect().write(), f.connect().write()
	one.begin(relation.RepeatableRead).wantRows("t")
	two.begin(relation.RepeatableRead)
	result := two.start(func() error {
		two.wantRows("t", "1=one")
		return two.ticket()
	})
	one.ok(one.ticket())
	one.insert("t", 1, "one")
	one.commit()
	two.ok(<-result)
	if part := two.part(); part.lake.movedOn(part.pinned) {
		t.Error("the second writer's snapshot is not the newest")
	}
	two.commit()
}

func TestReaderIsNotTakenForAWriter(t *testing.T) {
	f := newFixture(t).slowly()
	f.createTable(integers("public", "t"))
	holder, reader := f.connect().begin(relation.RepeatableRead), f.connect()
	holder.ok(holder.ticket())
	for range 3 {
		if reader.read() {
			t.Error("a reader has taken the ticket")
		}
	}
	holder.commit()
	reader.write()
	if !reader.read() {
		t.Error("a session that has just written is not expected to write again")
	}
	if reader.read() {
		t.Error("a session that has read is still expected to write")
	}
}

func TestReadOnlyTransactionWaitsForNoTurn(t *testing.T) {
	f := newFixture(t).slowly()
	f.createTable(integers("public", "t"))
	holder, reader := f.connect(), f.connect().write()
	holder.begin(relation.RepeatableRead)
	holder.ok(holder.ticket())
	reader.beginWith(relation.TransactionOptions{Isolation: relation.RepeatableRead, ReadOnly: true}).wantRows("t")
	reader.commit()
	holder.commit()
	if !reader.read() {
		t.Error("a read-only transaction counts against the next one")
	}
}

func TestTurnEndsWithItsTransaction(t *testing.T) {
	f := newFixture(t).slowly()
	f.createTable(integers("public", "t"))
	mistaken, other := f.connect().write(), f.connect()
	mistaken.begin(relation.RepeatableRead).wantRows("t")
	other.begin(relation.RepeatableRead)
	result := other.start(other.ticket)
	mistaken.commit()
	other.ok(<-result)
	other.commit()
}

func TestTurnOfTheSlowEnds(t *testing.T) {
	for _, test := range []struct {
		name  string
		limit func(locks *lockTable, c *client)
	}{
		{"who work", func(locks *lockTable, _ *client) { locks.leaseTime = time.Millisecond }},
		{"whose clients are silent", func(locks *lockTable, c *client) {
			locks.leaseIdle = time.Millisecond
			c.session.SetActive(false)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t).slowly()
			f.createTable(integers("public", "t"))
			slow, other := f.connect().write(), f.connect()
			test.limit(f.locks(), slow)
			slow.begin(relation.RepeatableRead).wantRows("t")
			other.begin(relation.RepeatableRead)
			other.ok(other.ticket())
			result := slow.start(slow.ticket)
			other.commit()
			slow.ok(<-result)
			slow.commit()
			if slow.read() {
				t.Error("a session that was too slow for its turn gets another one at once")
			}
		})
	}
}

func TestTurnOfTheBusyGoesOn(t *testing.T) {
	f := newFixture(t).slowly()
	f.createTable(integers("public", "t"))
	f.locks().leaseIdle = time.Millisecond
	busy, other := f.connect().write(), f.connect()
	busy.session.SetActive(true)
	busy.begin(relation.RepeatableRead).wantRows("t")
	other.session.SetLockTimeout(20 * time.Millisecond)
	other.begin(relation.RepeatableRead)
	other.wantError(other.ticket(), pgerror.LockNotAvailable, "canceling statement due to lock timeout")
	other.transaction.Rollback()
	busy.ok(busy.ticket())
	busy.commit()
}

func TestWaitForATurnIsBounded(t *testing.T) {
	for _, test := range []struct {
		name  string
		limit func(f *fixture, c *client)
	}{
		{"by the server", func(f *fixture, _ *client) { f.locks().leaseWait = time.Millisecond }},
		{"by the session", func(_ *fixture, c *client) { c.session.SetLockTimeout(time.Millisecond) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t).slowly()
			f.createTable(integers("public", "t"))
			holder, writer := f.connect(), f.connect().write()
			test.limit(f, writer)
			holder.begin(relation.RepeatableRead)
			holder.ok(holder.ticket())
			writer.begin(relation.RepeatableRead).wantRows("t")
			writer.transaction.Rollback()
			holder.commit()
		})
	}
}

func TestWaitForTheTicketIsBounded(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	holder, other := f.connect().begin(relation.RepeatableRead), f.connect().begin(relation.RepeatableRead)
	holder.ok(holder.ticket())
	other.session.SetLockTimeout(time.Millisecond)
	other.wantError(other.ticket(), pgerror.LockNotAvailable, "canceling statement due to lock timeout")
	other.transaction.Rollback()
	holder.commit()
}

func TestForecast(t *testing.T) {
	// The history is a transaction for each letter: w writes, l loses its commit, r reads, W and R do so on another lake.
	for _, test := range []struct {
		history string
		writes  bool
		repeats bool
	}{
		{"", false, false},
		{"r", false, false},
		{"w", true, false},
		{"wr", false, false},
		{"wrw", false, false},
		{"wrww", true, false},
		{"wrwwr", false, false},
		{"wrwwrwww", false, false},
		{"wrwwrwwww", true, false},
		{"l", false, true},
		{"lw", true, false},
		{"lr", false, false},
		{"wl", true, true},
		{"wW", false, false},
		{"wR", false, false},
		{"lW", false, false},
		// Trust comes back.
		{"wrwwwwwwww" + "r" + "w", false, false},
		{"wrwwwwwwww" + "r" + "ww", true, false},
	} {
		t.Run(test.history, func(t *testing.T) {
			here, elsewhere := &lake{}, &lake{}
			f := &forecast{}
			for _, letter := range test.history {
				switch letter {
				case 'w':
					f.committed(here)
				case 'l':
					f.lost(here)
				case 'r':
					f.refrained(here, f.writes(here) || f.repeats(here))
				case 'W':
					f.committed(elsewhere)
				case 'R':
					f.refrained(elsewhere, false)
				}
			}
			if got := fmt.Sprint(f.writes(here), f.repeats(here)); got != fmt.Sprint(test.writes, test.repeats) {
				t.Errorf("writes and repeats %s, want %t %t", got, test.writes, test.repeats)
			}
		})
	}
}

func TestForecastIsBounded(t *testing.T) {
	here := &lake{}
	f := &forecast{}
	for range 100 {
		f.refrained(here, true)
	}
	for range maximumNeededStreak {
		f.committed(here)
	}
	if !f.writes(here) {
		t.Errorf("%d commits in a row do not make another one expected", maximumNeededStreak)
	}
	for range 100 {
		f.lost(here)
	}
	if got, want := f.patience(time.Second), time.Second<<maximumHoldDoublings; got != want {
		t.Errorf("a loser may keep the ticket for %s, want %s", got, want)
	}
}
