package lake

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"moraine/pgerror"
)

// lockName names a lock of a database.
type lockName struct {
	kind lockKind
	lake *lake  // nil for a schema's name
	key  string // of a row; or a schema's name
}

type lockKind uint8

const (
	rowLock lockKind = iota
	ticketLock
	schemaLock
)

// lockTable is the exclusive locks of a database. A lock goes to its waiters in the order of their arrival.
type lockTable struct {
	timeout   time.Duration
	leaseWait time.Duration
	leaseTime time.Duration

	mutex sync.Mutex
	locks map[lockName]*lock
}

// lock is a lock that somebody holds.
type lock struct {
	holder  *owner
	leased  bool // the holder loses it to those who wait when its lease ends
	waiters []*waiter
}

type waiter struct {
	owner   *owner
	urgent  bool
	granted chan struct{}
}

// owner is a transaction as the lock table knows it. Its fields are guarded by the table's mutex.
type owner struct {
	held    []lockName
	waiting *lock           // an owner waits for one lock at a time
	waits   *atomic.Bool    // says the same to those who do not have the mutex
	ended   <-chan struct{} // closed when the server ends the session
}

// waitFor notes which lock the owner waits for; nil for none.
func (o *owner) waitFor(wanted *lock) {
	o.waiting = wanted
	o.waits.Store(wanted != nil)
}

func newLockTable(timeout time.Duration) *lockTable {
	return &lockTable{timeout: timeout, leaseWait: leaseWait, leaseTime: leaseTime, locks: map[lockName]*lock{}}
}

// acquire takes a lock until release, waiting for its holder; an owner that has it takes it again at once. Urgent owners
// go before others. 40P01 when waiting would never end, 55P03 when it takes too long, 57014 when ctx ends.
func (t *lockTable) acquire(ctx context.Context, name lockName, owner *owner, urgent bool) error {
	return t.acquireWithin(ctx, name, owner, urgent, t.timeout)
}

func (t *lockTable) acquireWithin(ctx context.Context, name lockName, owner *owner, urgent bool, limit time.Duration) error {
	waiter, err := t.enqueue(name, owner, urgent)
	if err != nil || waiter == nil {
		return err
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-waiter.granted:
		return nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-owner.ended:
		err = terminated()
	case <-timer.C:
		err = pgerror.New(pgerror.LockNotAvailable, "canceling statement due to lock timeout")
	}
	if t.abandon(name, waiter) {
		return err
	}
	return nil // it was granted meanwhile
}

// enqueue takes a free lock, or gives the place in its queue.
func (t *lockTable) enqueue(name lockName, owner *owner, urgent bool) (*waiter, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	wanted, held := t.locks[name]
	switch {
	case held && wanted.holder == owner:
		wanted.leased = false
		return nil, nil
	case len(owner.held) >= maximumLocks:
		return nil, pgerror.New(pgerror.ProgramLimitExceeded, "a transaction can lock %d rows at most", maximumLocks).
			WithHint("Commit in smaller parts.")
	case !held:
		t.locks[name] = &lock{holder: owner}
		owner.held = append(owner.held, name)
		return nil, nil
	case closesCycle(wanted, owner):
		return nil, pgerror.New(pgerror.DeadlockDetected, "deadlock detected").
			WithHint("Roll the transaction back and run it again.")
	}
	place := &waiter{owner: owner, urgent: urgent, granted: make(chan struct{})}
	at := len(wanted.waiters)
	if urgent {
		at = 0
		for at < len(wanted.waiters) && wanted.waiters[at].urgent {
			at++
		}
	}
	wanted.waiters = slices.Insert(wanted.waiters, at, place)
	owner.waitFor(wanted)
	return place, nil
}

// closesCycle tells whether the holder of a lock waits, through any number of others, for owner. Those who wait before
// owner in a queue wait for the same holder, so that following the holders is enough. A lease ends by itself.
func closesCycle(wanted *lock, owner *owner) bool {
	for wanted != nil && !wanted.leased {
		if wanted.holder == owner {
			return true
		}
		wanted = wanted.holder.waiting
	}
	return false
}

// abandon leaves a queue; false when the lock was granted before.
func (t *lockTable) abandon(name lockName, place *waiter) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if place.owner.waiting == nil {
		return false
	}
	queue := t.locks[name]
	queue.waiters = slices.DeleteFunc(queue.waiters, func(other *waiter) bool { return other == place })
	place.owner.waitFor(nil)
	return true
}

// release gives up all locks of an owner, each to the next in its queue.
func (t *lockTable) release(owner *owner) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for _, name := range owner.held {
		t.pass(name)
	}
	owner.held = nil
}

// pass gives a lock to the next in its queue. The mutex is held.
func (t *lockTable) pass(name lockName) {
	released := t.locks[name]
	if len(released.waiters) == 0 {
		delete(t.locks, name)
		return
	}
	next := released.waiters[0]
	released.waiters = slices.Delete(released.waiters, 0, 1)
	released.holder, released.leased = next.owner, false
	next.owner.held = append(next.owner.held, name)
	next.owner.waitFor(nil)
	close(next.granted)
}

// lease takes a lock, waiting for it up to leaseWait, and gives it back after leaseTime unless the owner has acquired it by
// then. That it is not to be had is no error.
func (t *lockTable) lease(ctx context.Context, name lockName, owner *owner) {
	if t.holds(name, owner) || t.acquireWithin(ctx, name, owner, true, t.leaseWait) != nil {
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.locks[name].leased = true
	time.AfterFunc(t.leaseTime, func() { t.expire(name, owner) })
}

// expire ends a lease.
func (t *lockTable) expire(name lockName, owner *owner) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	held, present := t.locks[name]
	if !present || held.holder != owner || !held.leased {
		return
	}
	owner.held = slices.DeleteFunc(owner.held, func(other lockName) bool { return other == name })
	t.pass(name)
}

// holds tells whether an owner has a lock.
func (t *lockTable) holds(name lockName, owner *owner) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	held, present := t.locks[name]
	return present && held.holder == owner
}
