package lake

import (
	"context"
	"slices"
	"sync"
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
	noLock lockKind = iota
	rowLock
	ticketLock
	schemaLock
)

// lockTable is the exclusive locks of a database. A lock goes to its waiters in the order of their arrival.
type lockTable struct {
	timeout     time.Duration
	maxIdleHold time.Duration
	leaseWait   time.Duration
	leaseTime   time.Duration
	leaseIdle   time.Duration

	mutex sync.Mutex
	locks map[lockName]*lock
}

// lock is a lock that somebody holds.
type lock struct {
	holder  *owner
	lease   *time.Timer // ends the holder's lease; nil when it is not on lease
	waiters []*waiter
}

type waiter struct {
	owner   *owner
	urgent  bool
	granted chan struct{}
}

// owner is a transaction as the lock table knows it. Its fields are guarded by the table's mutex.
type owner struct {
	session *Session
	held    []heldLock // in the order in which they were taken
	count   uint64     // of the locks taken so far
	waiting *lock      // an owner waits for one lock at a time
}

// heldLock is a lock that an owner has: the number says how many it had taken with this one.
type heldLock struct {
	name   lockName
	number uint64
}

// take notes a lock that the owner has now.
func (o *owner) take(name lockName) {
	o.count++
	o.held = append(o.held, heldLock{name, o.count})
}

// drop forgets a lock.
func (o *owner) drop(name lockName) {
	o.held = slices.DeleteFunc(o.held, func(other heldLock) bool { return other.name == name })
}

// waitFor notes which lock the owner waits for; nil for none.
func (o *owner) waitFor(wanted *lock) {
	o.waiting = wanted
	o.session.waiting.Store(wanted != nil)
}

func newLockTable(options Options) *lockTable {
	return &lockTable{
		timeout: options.LockTimeout, maxIdleHold: options.MaxIdleHold, leaseWait: leaseWait, leaseTime: leaseTime,
		leaseIdle: leaseIdle, locks: map[lockName]*lock{},
	}
}

// acquire takes a lock until release, waiting for its holder; an owner that has it takes it again at once. Urgent owners
// go before others. 40P01 when waiting would never end, 55P03 when it takes too long, 57014 when ctx ends. A holder that
// has left others waiting and its client idle for too long loses its session.
func (t *lockTable) acquire(ctx context.Context, name lockName, owner *owner, urgent bool) error {
	return t.acquireWithin(ctx, name, owner, urgent, t.timeout)
}

// acquireWithin does so within a limit, or the session's own if that is shorter.
func (t *lockTable) acquireWithin(ctx context.Context, name lockName, owner *owner, urgent bool, limit time.Duration) error {
	waiter, err := t.enqueue(name, owner, urgent)
	if err != nil || waiter == nil {
		return err
	}
	if own := owner.session.lockTimeout; own > 0 {
		limit = min(limit, own)
	}
	err = t.wait(ctx, waiter, name, limit)
	if err != nil && t.abandon(name, waiter) {
		return err
	}
	return nil // perhaps it was granted after all
}

// wait waits for a place in a queue to come up.
func (t *lockTable) wait(ctx context.Context, place *waiter, name lockName, limit time.Duration) error {
	timeout, idleness := time.NewTimer(limit), time.NewTimer(t.endIdleHolder(name))
	defer timeout.Stop()
	defer idleness.Stop()
	for {
		select {
		case <-place.granted:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-place.owner.session.done:
			return terminated()
		case <-timeout.C:
			return pgerror.New(pgerror.LockNotAvailable, "canceling statement due to lock timeout")
		case <-idleness.C:
			idleness.Reset(t.endIdleHolder(name))
		}
	}
}

// endIdleHolder ends the session that holds a lock when its client has been idle for too long; otherwise it tells when to look
// again.
func (t *lockTable) endIdleHolder(name lockName) time.Duration {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	held, present := t.locks[name]
	if !present || held.lease != nil {
		return t.maxIdleHold // a lease ends by itself
	}
	left := t.maxIdleHold - held.holder.session.idle()
	if left > 0 {
		return left
	}
	held.holder.session.terminate(pgerror.Fatal(pgerror.IdleInTransactionSessionTimeout,
		"terminating connection due to idle-in-transaction timeout"))
	return t.maxIdleHold
}

// enqueue takes a free lock, or gives the place in its queue.
func (t *lockTable) enqueue(name lockName, owner *owner, urgent bool) (*waiter, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	wanted, held := t.locks[name]
	switch {
	case held && wanted.holder == owner:
		if wanted.lease != nil {
			wanted.endLease()
			owner.drop(name) // it is the owner's own from now on, and no sooner
			owner.take(name)
		}
		return nil, nil
	case len(owner.held) >= maximumLocks:
		return nil, pgerror.New(pgerror.ProgramLimitExceeded, "a transaction can lock %d rows at most", maximumLocks).
			WithHint("Commit in smaller parts.")
	case !held:
		t.locks[name] = &lock{holder: owner}
		owner.take(name)
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
	for wanted != nil && wanted.lease == nil {
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
	for _, held := range owner.held {
		t.pass(held.name)
	}
	owner.held = nil
}

// taken gives the number of locks that an owner has taken so far.
func (t *lockTable) taken(owner *owner) uint64 {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return owner.count
}

// releaseSince gives up the locks that an owner has taken since it had taken so many.
func (t *lockTable) releaseSince(owner *owner, taken uint64) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	first := len(owner.held)
	for first > 0 && owner.held[first-1].number > taken {
		first--
	}
	for _, held := range owner.held[first:] {
		t.pass(held.name)
	}
	clear(owner.held[first:])
	owner.held = owner.held[:first]
}

// pass gives a lock to the next in its queue. The mutex is held.
func (t *lockTable) pass(name lockName) {
	released := t.locks[name]
	released.endLease()
	if len(released.waiters) == 0 {
		delete(t.locks, name)
		return
	}
	next := released.waiters[0]
	released.waiters = slices.Delete(released.waiters, 0, 1)
	released.holder = next.owner
	next.owner.take(name)
	next.owner.waitFor(nil)
	close(next.granted)
}

// lease takes a lock, waiting for it up to leaseWait, and gives it back unless the owner has acquired it after hold, or while its
// client idles for longer than idle. It tells whether the lock was to be had.
func (t *lockTable) lease(ctx context.Context, name lockName, owner *owner, urgent bool, hold, idle time.Duration) bool {
	if t.holds(name, owner) || t.acquireWithin(ctx, name, owner, urgent, t.leaseWait) != nil {
		return false
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	end := time.Now().Add(hold)
	t.locks[name].lease = time.AfterFunc(min(hold, idle), func() { t.review(name, owner, end, idle) })
	return true
}

// review ends a lease that is over, and otherwise comes back when it may be.
func (t *lockTable) review(name lockName, owner *owner, end time.Time, idle time.Duration) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	held, present := t.locks[name]
	if !present || held.holder != owner || held.lease == nil {
		return
	}
	if left := min(time.Until(end), idle-owner.session.idle()); left > 0 {
		held.lease.Reset(left)
		return
	}
	owner.drop(name)
	t.pass(name)
}

// endLease leaves the lock to its holder, or to the next one, without a limit of time.
func (l *lock) endLease() {
	if l.lease != nil {
		l.lease.Stop()
		l.lease = nil
	}
}

// holds tells whether an owner has a lock.
func (t *lockTable) holds(name lockName, owner *owner) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	held, present := t.locks[name]
	return present && held.holder == owner
}
