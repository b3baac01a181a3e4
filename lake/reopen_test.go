package lake

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

// After a commit of which nobody knows whether it is durable, the next transaction opens the lake again and sees which of
// the two it is. Nothing that was begun before is committed after it.
func TestUncertainCommitOpensTheLakeAgain(t *testing.T) {
	for _, applied := range []bool{false, true} {
		t.Run(fmt.Sprintf("durable %t", applied), func(t *testing.T) {
			f := newFixture(t)
			f.createTable(integers("public", "t"))
			writer, reader, committed := f.connect(), f.connect(), f.connect()
			writer.begin(relation.RepeatableRead).insert("t", 1, "writer")
			reader.begin(relation.RepeatableRead).wantRows("t")
			committed.begin(relation.ReadCommitted).wantRows("t")

			uncertain := f.connect().begin(relation.RepeatableRead)
			uncertain.insert("t", 2, "uncertain")
			f.engine.applies.Store(applied)
			f.engine.fail(fmt.Errorf("%w: %w", store.ErrUnavailable, store.ErrReopen))
			err := uncertain.transaction.Commit(background)
			f.engine.fail(nil)
			uncertain.wantError(err, pgerror.TransactionResolutionUnknown, "may be durable or not")
			wantNoRetry(t, err)

			var want []string
			if applied {
				want = []string{"2=uncertain"}
			}
			after := f.connect().begin(relation.RepeatableRead)
			after.wantRows("t", want...)
			after.insert("t", 3, "after")
			after.commit()

			// What was pinned stays readable, and nothing else of those transactions goes on.
			reader.wantRows("t")
			err = writer.transaction.Commit(background)
			writer.wantError(err, pgerror.SerializationFailure, "opened again")
			wantNoRetry(t, err)
			reader.wantError(reader.insertInto(reader.table("t"), 4, "reader"), pgerror.SerializationFailure, "opened again")
			reader.transaction.Rollback()
			committed.ok(committed.transaction.StartStatement(background))
			_, err = committed.transaction.Relation(background, "public", "t")
			committed.wantError(err, pgerror.SerializationFailure, "opened again")
			committed.transaction.Rollback()

			writer.begin(relation.RepeatableRead).wantRows("t", append(want, "3=after")...)
			writer.commit()
		})
	}
}

// A lake that was opened again does not close the new one when the last transaction of the old one ends.
func TestOldUsersOfALakeThatWasOpenedAgain(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	old := f.connect().begin(relation.RepeatableRead)
	old.wantRows("t")
	for round := range int64(3) {
		failing := f.connect().begin(relation.RepeatableRead)
		failing.insert("t", round, "x")
		f.engine.fail(fmt.Errorf("%w: %w", store.ErrUnavailable, store.ErrReopen))
		failing.wantError(failing.transaction.Commit(background), pgerror.TransactionResolutionUnknown, "")
		f.engine.fail(nil)
	}
	current := f.connect().begin(relation.RepeatableRead)
	current.wantRows("t")
	old.transaction.Rollback()
	current.insert("t", 9, "y")
	current.commit()
}

// An instance that may not answer any more ends sessions at their next statement, and commits nothing.
func TestNotServing(t *testing.T) {
	f := newFixture(t)
	f.createTable(integers("public", "t"))
	fenced := pgerror.Fatal(pgerror.AdminShutdown, "another server serves")
	var away atomic.Bool
	f.instance.options.Serving = func() error {
		if away.Load() {
			return fenced
		}
		return nil
	}
	c := f.connect().begin(relation.ReadCommitted)
	c.insert("t", 1, "a")
	away.Store(true)
	_, err := c.transaction.Relation(background, "public", "t")
	for _, err := range []error{err, c.transaction.StartStatement(background), c.transaction.Commit(background)} {
		if !errors.Is(err, fenced) {
			t.Errorf("a transaction gets %v", err)
		}
	}
	c.transaction.Rollback()
	if _, err := c.session.Begin(background, relation.TransactionOptions{}); !errors.Is(err, fenced) {
		t.Errorf("a session gets %v", err)
	}
	away.Store(false)
	f.connect().begin(relation.ReadCommitted).wantRows("t")
}

// What an object store answers is no reason for DuckLake to repeat a commit that may be durable.
func TestAnswersOfStoresAreNotRetried(t *testing.T) {
	for _, kind := range []error{store.ErrReopen, store.ErrUnavailable, store.ErrCorrupt, errNoSpace} {
		wantNoRetry(t, storeError(fmt.Errorf("%w: %w: PUT wal/7.sst: 409 Conflict", store.ErrUnavailable, kind)))
		err := pgerror.From(storeError(fmt.Errorf("%w: %w: PUT wal/7.sst: 503", store.ErrUnavailable, kind)))
		if !strings.Contains(err.Detail, "503") {
			t.Errorf("%v does not say why", err)
		}
	}
}

func wantNoRetry(t *testing.T, err error) {
	t.Helper()
	if pgerror.From(err).Retried() {
		t.Errorf("DuckLake would repeat %v", err)
	}
}
