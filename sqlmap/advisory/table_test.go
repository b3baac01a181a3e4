package advisory

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"moraine/pgerror"
)

var (
	one = Key{Database: 1, Low: 1}
	two = Key{Database: 1, Low: 2}
)

func try(t *testing.T, o *Owner, key Key, shared bool, scope Scope, want bool) {
	t.Helper()
	taken, err := o.TryLock(key, shared, scope)
	if err != nil || taken != want {
		t.Fatalf("taken %v, error %v; want %v", taken, err, want)
	}
}

// lockAside takes a lock in a goroutine, and gives its result once it waits.
func lockAside(o *Owner, key Key, shared bool) <-chan error {
	result := make(chan error, 1)
	go func() { result <- o.Lock(context.Background(), key, shared, Session, 0) }()
	for !o.Waiting() {
		runtime.Gosched()
	}
	return result
}

func TestLocksAreCountedByScope(t *testing.T) {
	table := NewTable()
	a, b := table.NewOwner(), table.NewOwner()
	try(t, a, one, false, Session, true)
	try(t, a, one, false, Session, true)
	try(t, a, one, true, Transaction, true) // nobody is in one's own way
	try(t, b, one, true, Session, false)
	if !a.Unlock(one, false) || a.Unlock(one, true) {
		t.Error("a lock of the transaction was given back by Unlock")
	}
	try(t, b, one, true, Session, false)
	if !a.Unlock(one, false) || a.Unlock(one, false) {
		t.Error("a lock was given back more often than it was taken")
	}
	try(t, b, one, true, Session, true)
	try(t, b, one, false, Session, false)
	a.EndTransaction(0)
	try(t, b, one, false, Session, true)
	b.UnlockAll()
	if len(table.locks) != 0 || a.held != 0 || b.held != 0 || len(b.keys) != 0 {
		t.Errorf("left over: %v", table.locks)
	}
}

func TestRollbackToASavepointGivesBackLocks(t *testing.T) {
	table := NewTable()
	a, b := table.NewOwner(), table.NewOwner()
	try(t, a, one, false, Transaction, true)
	mark := a.Mark()
	try(t, a, two, false, Transaction, true)
	a.EndTransaction(mark)
	try(t, b, two, false, Session, true)
	try(t, b, one, false, Session, false)
}

func TestWaitersComeInOrder(t *testing.T) {
	table := NewTable()
	a, b, c, d := table.NewOwner(), table.NewOwner(), table.NewOwner(), table.NewOwner()
	try(t, a, one, true, Session, true)
	second := lockAside(b, one, false)
	third := lockAside(c, one, true) // behind the exclusive one
	try(t, d, one, true, Session, false)
	try(t, a, one, true, Session, true) // has it already
	a.UnlockAll()
	if err := <-second; err != nil {
		t.Fatal(err)
	}
	if !c.Waiting() {
		t.Error("a shared lock beside an exclusive one")
	}
	b.UnlockAll()
	if err := <-third; err != nil {
		t.Fatal(err)
	}
}

func TestDeadlocksAreFound(t *testing.T) {
	table := NewTable()
	a, b, c := table.NewOwner(), table.NewOwner(), table.NewOwner()
	three := Key{Database: 1, Low: 3}
	try(t, a, one, false, Session, true)
	try(t, b, two, false, Session, true)
	try(t, c, three, false, Session, true)
	first := lockAside(a, two, false)
	second := lockAside(b, three, true)
	if err := c.Lock(context.Background(), one, false, Session, 0); !pgerror.HasCode(err, pgerror.DeadlockDetected) {
		t.Fatalf("error %v", err)
	}
	c.UnlockAll()
	if err := <-second; err != nil {
		t.Fatal(err)
	}
	b.UnlockAll()
	if err := <-first; err != nil {
		t.Fatal(err)
	}
}

func TestTwoSharedHoldersThatBothWantMore(t *testing.T) {
	table := NewTable()
	a, b := table.NewOwner(), table.NewOwner()
	try(t, a, one, true, Session, true)
	try(t, b, one, true, Session, true)
	first := lockAside(a, one, false)
	if err := b.Lock(context.Background(), one, false, Session, 0); !pgerror.HasCode(err, pgerror.DeadlockDetected) {
		t.Fatalf("error %v", err)
	}
	b.UnlockAll()
	if err := <-first; err != nil {
		t.Fatal(err)
	}
}

func TestWaitsEnd(t *testing.T) {
	table := NewTable()
	a, b := table.NewOwner(), table.NewOwner()
	try(t, a, one, false, Session, true)
	if err := b.Lock(context.Background(), one, false, Session, time.Nanosecond); !pgerror.HasCode(err, pgerror.LockNotAvailable) {
		t.Errorf("error %v", err)
	}
	reason := errors.New("stop")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(reason)
	if err := b.Lock(ctx, one, true, Session, 0); !errors.Is(err, reason) {
		t.Errorf("error %v", err)
	}
	a.UnlockAll()
	if len(table.locks) != 0 || b.Waiting() {
		t.Error("an abandoned place was kept")
	}
}

func TestLocksAreBounded(t *testing.T) {
	o := NewTable().NewOwner()
	for i := range MaximumLocks {
		try(t, o, Key{Low: uint32(i)}, true, Session, true)
	}
	if _, err := o.TryLock(one, true, Session); !pgerror.HasCode(err, pgerror.ProgramLimitExceeded) {
		t.Errorf("error %v", err)
	}
	if err := o.Lock(context.Background(), one, true, Session, 0); !pgerror.HasCode(err, pgerror.ProgramLimitExceeded) {
		t.Errorf("error %v", err)
	}
}
