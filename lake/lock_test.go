package lake

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"moraine/pgerror"
	"moraine/relation"
)

func TestChangedRowsAreSerializationFailures(t *testing.T) {
	for _, test := range []struct {
		name          string
		first, second func(c *client) error
		message       string
	}{
		{"update after update", updateOne, updateOne, "concurrent update"},
		{"delete after update", updateOne, deleteOne, "concurrent update"},
		{"update after delete", deleteOne, updateOne, "concurrent delete"},
		{"delete after delete", deleteOne, deleteOne, "concurrent delete"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, waits := range []bool{false, true} {
				f := newFixture(t)
				f.createTable(integers("public", "t"))
				setup := f.connect().begin(relation.RepeatableRead)
				setup.insert("t", 1, "a")
				setup.commit()
				one, two := f.connect().begin(relation.RepeatableRead), f.connect().begin(relation.RepeatableRead)
				two.wantRows("t", "1=a")
				one.ok(test.first(one))
				var err error
				if waits {
					result := two.start(func() error { return test.second(two) })
					one.commit()
					err = <-result
				} else {
					one.commit()
					err = test.second(two)
				}
				two.wantError(err, pgerror.SerializationFailure, test.message)
				two.transaction.Rollback()
			}
		})
	}
}

func updateOne(c *client) error { return c.update("t", 1, "new") }
func deleteOne(c *client) error { return c.delete("t", 1) }

func TestWaitingUpdateGoesOnAfterRollback(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	one, two := f.connect().begin(relation.RepeatableRead), f.connect()
	one.insert("t", 1, "a")
	one.commit()
	one.begin(relation.RepeatableRead)
	two.begin(relation.RepeatableRead)
	one.ok(one.update("t", 1, "one"))
	result := two.start(func() error { return two.update("t", 1, "two") })
	one.transaction.Rollback()
	two.ok(<-result)
	two.commit()
	one.begin(relation.RepeatableRead).wantRows("t", "1=two")
	one.commit()
}

func TestUpdateUndoneBySavepointDoesNotCount(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	one, two := f.connect().begin(relation.RepeatableRead), f.connect()
	one.insert("t", 1, "a")
	one.insert("t", 2, "b")
	one.commit()
	one.begin(relation.RepeatableRead)
	two.begin(relation.RepeatableRead).wantRows("t", "1=a", "2=b")
	mark := one.transaction.Savepoint()
	one.ok(one.update("t", 1, "undone"))
	one.ok(one.transaction.RollbackTo(background, mark))
	one.ok(one.update("t", 2, "done"))
	one.commit()
	two.ok(two.update("t", 1, "two"))
	two.wantError(two.update("t", 2, "two"), pgerror.SerializationFailure, "concurrent update")
	two.transaction.Rollback()
}

func TestReadCommittedRunsAgainOnANewSnapshot(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	one, two := f.connect().begin(relation.RepeatableRead), f.connect()
	one.insert("t", 1, "a")
	one.commit()
	one.begin(relation.RepeatableRead)
	two.begin(relation.ReadCommitted)
	one.ok(one.update("t", 1, "one"))
	mark := two.transaction.Savepoint()
	result := two.start(func() error { return two.update("t", 1, "two") })
	one.commit()
	two.wantError(<-result, pgerror.SerializationFailure, "concurrent update")
	two.ok(two.transaction.RollbackTo(background, mark))
	two.ok(two.transaction.StartStatement(background))
	two.wantRows("t", "1=one")
	two.ok(two.update("t", 1, "two"))
	two.commit()
	one.begin(relation.RepeatableRead).wantRows("t", "1=two")
	one.commit()
}

func TestDeadlockIsFound(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	clients := []*client{f.connect(), f.connect(), f.connect()}
	setup := clients[0].begin(relation.RepeatableRead)
	for i := range clients {
		setup.insert("t", int64(i), "a")
	}
	setup.commit()
	for i, c := range clients {
		c.begin(relation.RepeatableRead)
		c.ok(c.update("t", int64(i), "b"))
	}
	first := clients[0].start(func() error { return clients[0].update("t", 1, "c") })
	second := clients[1].start(func() error { return clients[1].update("t", 2, "c") })
	last := clients[2]
	last.wantError(last.update("t", 0, "c"), pgerror.DeadlockDetected, "deadlock detected")
	last.transaction.Rollback()
	clients[1].ok(<-second)
	clients[1].transaction.Rollback()
	clients[0].ok(<-first)
	clients[0].commit()
}

func TestLockWaitEnds(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	one, two := f.connect().begin(relation.RepeatableRead), f.connect()
	one.insert("t", 1, "a")
	one.commit()
	one.begin(relation.RepeatableRead)
	one.ok(one.update("t", 1, "b"))

	t.Run("at its time limit", func(t *testing.T) {
		locks := one.transaction.(*Transaction).session.database.locks
		locks.timeout = time.Millisecond
		two.begin(relation.RepeatableRead)
		two.wantError(two.update("t", 1, "c"), pgerror.LockNotAvailable, "canceling statement due to lock timeout")
		two.transaction.Rollback()
		locks.timeout = DefaultLockTimeout
	})
	t.Run("when the statement is cancelled", func(t *testing.T) {
		two.begin(relation.RepeatableRead)
		ctx, cancel := context.WithCancelCause(background)
		table, identity := two.table("t"), two.identity("t", 1)
		result := two.start(func() error {
			return table.Update(ctx, identity, relation.Row{relation.Int(1), relation.Text("c")})
		})
		cause := pgerror.New(pgerror.QueryCanceled, "canceling statement due to user request")
		cancel(cause)
		if err := <-result; !errors.Is(err, cause) {
			t.Errorf("error %v, want the cause of the cancellation", err)
		}
		two.transaction.Rollback()
	})
	one.transaction.Rollback()
}

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

func (c *client) ticket() error {
	part, err := c.transaction.(*Transaction).part(background, "public")
	if err != nil {
		return err
	}
	return part.Ticket(background)
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

func TestLoserReadsUnderTheTicket(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	f.instance.find("moraine").locks.leaseTime = time.Hour
	loser, other := f.connect(), f.connect().begin(relation.RepeatableRead)
	f.lose(loser)
	loser.begin(relation.RepeatableRead).wantRows("t")
	result := other.start(other.ticket)
	loser.ok(loser.ticket())
	loser.insert("t", 1, "a")
	loser.commit()
	other.ok(<-result)
	other.commit()
	loser.begin(relation.RepeatableRead).wantRows("t", "1=a")
	if part := loser.transaction.(*Transaction).parts["public"]; loser.transaction.(*Transaction).holds(part.ticket()) {
		t.Error("the ticket is leased again after a commit")
	}
	loser.commit()
}

func TestLeaseOfTheTicketEnds(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	f.instance.find("moraine").locks.leaseTime = time.Millisecond
	loser, other := f.connect(), f.connect().begin(relation.RepeatableRead)
	f.lose(loser)
	loser.begin(relation.RepeatableRead).wantRows("t")
	other.ok(other.ticket())
	result := loser.start(loser.ticket)
	other.commit()
	loser.ok(<-result)
	loser.commit()
}
