package lake

import (
	"context"
	"errors"
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

// A row that has been changed since the snapshot is lost whoever holds it now: there is nothing to wait for.
func TestNobodyWaitsForARowThatIsLost(t *testing.T) {
	for _, second := range []func(c *client) error{updateOne, deleteOne} {
		f := newFixture(t)
		f.createTable(integers("public", "t"))
		one := f.connect().begin(relation.RepeatableRead)
		one.insert("t", 1, "a")
		one.commit()
		late := f.connect().begin(relation.RepeatableRead)
		late.wantRows("t", "1=a")
		one.begin(relation.RepeatableRead)
		one.ok(updateOne(one))
		one.commit()
		holder := f.connect().begin(relation.RepeatableRead)
		holder.ok(updateOne(holder))
		late.wantError(second(late), pgerror.SerializationFailure, "concurrent update")
		late.transaction.Rollback()
		holder.commit()
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
		locks := f.locks()
		locks.timeout = time.Millisecond
		two.begin(relation.RepeatableRead)
		two.wantError(two.update("t", 1, "c"), pgerror.LockNotAvailable, "canceling statement due to lock timeout")
		two.transaction.Rollback()
		locks.timeout = DefaultLockTimeout
	})
	t.Run("at the limit that the session has set", func(t *testing.T) {
		two.session.SetLockTimeout(time.Millisecond)
		two.begin(relation.RepeatableRead)
		two.wantError(two.update("t", 1, "c"), pgerror.LockNotAvailable, "canceling statement due to lock timeout")
		two.transaction.Rollback()
		two.session.SetLockTimeout(0)
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

func TestIdleHolderOfALockIsEnded(t *testing.T) {
	for _, test := range []struct {
		name string
		lock func(c *client) error
	}{
		{"of a row", updateOne},
		{"of the ticket", (*client).ticket},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable(integers("public", "t"))
			idle, other := f.connect().begin(relation.RepeatableRead), f.connect()
			idle.insert("t", 1, "a")
			idle.commit()
			idle.begin(relation.RepeatableRead)
			idle.ok(test.lock(idle))
			idle.insert("t", 2, "lost")
			idle.session.SetActive(false)

			f.locks().maxIdleHold = time.Millisecond
			other.begin(relation.RepeatableRead)
			result := make(chan error)
			go func() { result <- test.lock(other) }()
			<-idle.session.Done()
			idle.wantError(idle.session.Err(), pgerror.IdleInTransactionSessionTimeout,
				"terminating connection due to idle-in-transaction timeout")
			idle.session.Close()
			other.ok(<-result)
			other.commit()
			check := f.connect().begin(relation.RepeatableRead)
			if rows := check.rowsOf(check.table("t")); len(rows) != 1 {
				t.Errorf("rows %v, want one", rows)
			}
			check.commit()
		})
	}
}

func TestWorkingHolderOfALockIsNotEnded(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	working, other := f.connect().begin(relation.RepeatableRead), f.connect()
	working.insert("t", 1, "a")
	working.commit()
	working.session.SetActive(false)
	working.begin(relation.RepeatableRead)
	working.session.SetActive(true)
	working.ok(updateOne(working))

	f.locks().maxIdleHold, f.locks().timeout = time.Millisecond, 20*time.Millisecond
	other.begin(relation.RepeatableRead)
	other.wantError(updateOne(other), pgerror.LockNotAvailable, "canceling statement due to lock timeout")
	other.transaction.Rollback()
	working.commit()
}

func TestLocksAreGivenUpByWhoGoesBackToBeforeThem(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	one, two := f.connect().begin(relation.RepeatableRead), f.connect()
	one.insert("t", 1, "a")
	one.insert("t", 2, "b")
	one.commit()
	one.begin(relation.RepeatableRead)
	one.ok(one.update("t", 1, "one"))
	mark := one.transaction.Savepoint()
	one.ok(one.update("t", 1, "undone"))
	one.ok(one.update("t", 2, "undone"))
	one.ok(one.ticket())
	one.ok(one.transaction.RollbackTo(background, mark))
	if !one.holdsTicket() {
		t.Error("the ticket is gone before it is given up")
	}
	one.transaction.Unlock(mark)
	two.begin(relation.RepeatableRead)
	two.ok(two.update("t", 2, "two"))
	two.ok(two.ticket())
	result := two.start(func() error { return two.update("t", 1, "two") })
	one.transaction.Rollback()
	two.ok(<-result)
	two.commit()
	one.begin(relation.RepeatableRead).wantRows("t", "1=two", "2=two")
	one.commit()
}

func TestALeasedTicketIsGivenUpByWhoGoesBackToBeforeItsUse(t *testing.T) {
	f := newFixture(t).slowly()
	f.createTable(integers("public", "t"))
	writer := f.connect().write()
	writer.begin(relation.RepeatableRead).wantRows("t")
	if !writer.holdsTicket() {
		t.Fatal("an expected writer has no ticket")
	}
	mark := writer.transaction.Savepoint()
	writer.ok(writer.ticket())
	writer.ok(writer.transaction.RollbackTo(background, mark))
	writer.transaction.Unlock(mark)
	if writer.holdsTicket() {
		t.Error("the ticket is held")
	}
	writer.ok(writer.ticket())
	writer.commit()
}
