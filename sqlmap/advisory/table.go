package advisory

import (
	"context"
	"slices"
	"sync"
	"time"

	"moraine/pgerror"
)

// MaximumLocks bounds the locks that one owner holds.
const MaximumLocks = 10_000

// Key names a lock within a database.
type Key struct {
	Database  uint32 // its OID
	High, Low uint32
	Pair      bool // of two 32-bit numbers; otherwise the halves of one 64-bit number
}

// Scope says how long a lock is held.
type Scope uint8

// Scopes of locks.
const (
	Session Scope = iota
	Transaction
)

// Table is the locks of a server. It is safe for concurrent use.
type Table struct {
	mutex sync.Mutex
	locks map[Key]*lock
}

// NewTable makes a table without locks.
func NewTable() *Table { return &Table{locks: map[Key]*lock{}} }

// lock is a lock that somebody holds. Holders do not exclude each other; waiters come in the order of their arrival.
type lock struct {
	holders map[*Owner]*holding
	waiters []*request
}

// holding counts how often an owner has a lock, by scope.
type holding struct{ exclusive, shared [2]int }

func (h *holding) count(shared bool) *[2]int {
	if shared {
		return &h.shared
	}
	return &h.exclusive
}

func (h *holding) excludes(shared bool) bool {
	exclusive := h.exclusive[Session]+h.exclusive[Transaction] > 0
	return exclusive || !shared && h.shared[Session]+h.shared[Transaction] > 0
}

func (h *holding) empty() bool { return *h == holding{} }

// request is a place in the queue of a lock.
type request struct {
	owner   *Owner
	wanted  acquired
	lock    *lock
	granted chan struct{}
}

// acquired is one lock that was taken.
type acquired struct {
	key    Key
	shared bool
	scope  Scope
}

// Owner is a session as the table knows it. Its methods are called one at a time, but for Waiting.
type Owner struct {
	table *Table
	// What follows is guarded by the table's mutex.
	held        int
	keys        map[Key]bool
	transaction []acquired // of the transaction under way, in order
	waiting     *request
}

// NewOwner makes an owner without locks.
func (t *Table) NewOwner() *Owner { return &Owner{table: t, keys: map[Key]bool{}} }

// Waiting tells whether the owner waits for a lock. It may be called from any goroutine.
func (o *Owner) Waiting() bool {
	o.table.mutex.Lock()
	defer o.table.mutex.Unlock()
	return o.waiting != nil
}

// TryLock takes a lock if no other owner stands in the way; false if one does. What an owner has it can take again.
func (o *Owner) TryLock(key Key, shared bool, scope Scope) (bool, error) {
	o.table.mutex.Lock()
	defer o.table.mutex.Unlock()
	if o.held >= MaximumLocks {
		return false, tooManyLocks()
	}
	wanted := acquired{key, shared, scope}
	if !o.table.free(o, wanted) {
		return false, nil
	}
	o.table.grant(o, wanted)
	return true, nil
}

// Lock takes a lock and waits for those in the way: 40P01 when waiting would never end, 55P03 after timeout (0 for no limit),
// and the cause of ctx when that ends.
func (o *Owner) Lock(ctx context.Context, key Key, shared bool, scope Scope, timeout time.Duration) error {
	place, err := o.enqueue(acquired{key, shared, scope})
	if place == nil || err != nil {
		return err
	}
	var limit <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		limit = timer.C
	}
	select {
	case <-place.granted:
		return nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-limit:
		err = pgerror.New(pgerror.LockNotAvailable, "canceling statement due to lock timeout")
	}
	if o.table.abandon(place) {
		return err
	}
	return nil // it was granted after all
}

func tooManyLocks() error {
	return pgerror.New(pgerror.ProgramLimitExceeded, "a session can hold %d advisory locks at most", MaximumLocks)
}

// enqueue takes a free lock, or gives a place in its queue.
func (o *Owner) enqueue(wanted acquired) (*request, error) {
	t := o.table
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if o.held >= MaximumLocks {
		return nil, tooManyLocks()
	}
	if t.free(o, wanted) {
		t.grant(o, wanted)
		return nil, nil
	}
	place := &request{owner: o, wanted: wanted, lock: t.locks[wanted.key], granted: make(chan struct{})}
	if waitsFor(place, o, map[*Owner]bool{}) {
		return nil, pgerror.New(pgerror.DeadlockDetected, "deadlock detected").WithHint("Roll the transaction back and run it again.")
	}
	place.lock.waiters = append(place.lock.waiters, place)
	o.waiting = place
	return place, nil
}

// free tells whether nobody stands in the way of a lock: no holder, and unless the owner has the lock already, nobody who waits
// for what excludes it.
func (t *Table) free(o *Owner, wanted acquired) bool {
	found := t.locks[wanted.key]
	if found == nil {
		return true
	}
	if found.excluded(o, wanted.shared) {
		return false
	}
	if found.holders[o] != nil {
		return true
	}
	return !slices.ContainsFunc(found.waiters, func(other *request) bool { return !other.wanted.shared || !wanted.shared })
}

func (l *lock) excluded(o *Owner, shared bool) bool {
	for holder, held := range l.holders {
		if holder != o && held.excludes(shared) {
			return true
		}
	}
	return false
}

// waitsFor tells whether a request would wait, through any number of others, for an owner.
func waitsFor(place *request, owner *Owner, seen map[*Owner]bool) bool {
	blocks := func(other *Owner) bool {
		if other == owner && place.owner != owner {
			return true
		}
		if other == place.owner || seen[other] {
			return false
		}
		seen[other] = true
		return other.waiting != nil && waitsFor(other.waiting, owner, seen)
	}
	for holder, held := range place.lock.holders {
		if holder != place.owner && held.excludes(place.wanted.shared) && blocks(holder) {
			return true
		}
	}
	for _, ahead := range place.lock.waiters {
		if ahead == place {
			break
		}
		if (!ahead.wanted.shared || !place.wanted.shared) && blocks(ahead.owner) {
			return true
		}
	}
	return false
}

// grant gives a lock to an owner.
func (t *Table) grant(o *Owner, wanted acquired) {
	found := t.locks[wanted.key]
	if found == nil {
		found = &lock{holders: map[*Owner]*holding{}}
		t.locks[wanted.key] = found
	}
	held := found.holders[o]
	if held == nil {
		held = &holding{}
		found.holders[o] = held
	}
	held.count(wanted.shared)[wanted.scope]++
	o.held++
	o.keys[wanted.key] = true
	if wanted.scope == Transaction {
		o.transaction = append(o.transaction, wanted)
	}
}

// abandon leaves a queue; false when the lock was granted before.
func (t *Table) abandon(place *request) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if place.owner.waiting != place {
		return false
	}
	place.owner.waiting = nil
	place.lock.waiters = slices.DeleteFunc(place.lock.waiters, func(other *request) bool { return other == place })
	t.settle(place.wanted.key)
	return true
}

// Unlock gives back a lock of the session's scope once; false when it is not held.
func (o *Owner) Unlock(key Key, shared bool) bool {
	o.table.mutex.Lock()
	defer o.table.mutex.Unlock()
	found := o.table.locks[key]
	if found == nil || found.holders[o] == nil || found.holders[o].count(shared)[Session] == 0 {
		return false
	}
	o.table.release(o, acquired{key, shared, Session}, 1)
	return true
}

// UnlockAll gives back all locks of the session's scope.
func (o *Owner) UnlockAll() {
	o.table.mutex.Lock()
	defer o.table.mutex.Unlock()
	for key := range o.keys {
		held := o.table.locks[key].holders[o]
		exclusive, shared := held.exclusive[Session], held.shared[Session]
		if exclusive > 0 {
			o.table.release(o, acquired{key, false, Session}, exclusive)
		}
		if shared > 0 {
			o.table.release(o, acquired{key, true, Session}, shared)
		}
	}
}

// Mark gives the place that the transaction's locks have reached, for EndTransaction.
func (o *Owner) Mark() int { return len(o.transaction) }

// EndTransaction gives back the locks that the transaction has taken since a mark; 0 is its beginning.
func (o *Owner) EndTransaction(mark int) {
	if len(o.transaction) <= mark {
		return
	}
	o.table.mutex.Lock()
	defer o.table.mutex.Unlock()
	for _, taken := range o.transaction[mark:] {
		o.table.release(o, taken, 1)
	}
	o.transaction = o.transaction[:mark]
}

// release takes a lock from an owner and gives it to those who wait for it.
func (t *Table) release(o *Owner, taken acquired, times int) {
	found := t.locks[taken.key]
	held := found.holders[o]
	held.count(taken.shared)[taken.scope] -= times
	o.held -= times
	if held.empty() {
		delete(found.holders, o)
		delete(o.keys, taken.key)
	}
	t.settle(taken.key)
}

// settle grants a lock to as many of its waiters as can have it now, and forgets it when nobody has it.
func (t *Table) settle(key Key) {
	found := t.locks[key]
	for len(found.waiters) > 0 {
		next := found.waiters[0]
		if found.excluded(next.owner, next.wanted.shared) {
			break
		}
		found.waiters = slices.Delete(found.waiters, 0, 1)
		t.grant(next.owner, next.wanted)
		next.owner.waiting = nil
		close(next.granted)
	}
	if len(found.holders) == 0 && len(found.waiters) == 0 {
		delete(t.locks, key)
	}
}
