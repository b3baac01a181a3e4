package history

import "slices"

// ticket names the lock that whoever inserts a snapshot holds.
const ticket = "ticket"

// lock is an exclusive lock; those who wait get it in the order of their arrival.
type lock struct {
	holder  *session
	waiters []*session
}

// access is the result of asking for a lock.
type access int

const (
	granted access = iota
	waits
	deadlock
)

// acquire takes a lock to the end of the session's transaction.
func (m *model) acquire(s *session, name string) access {
	wanted := m.locks[name]
	switch {
	case wanted == nil:
		m.locks[name] = &lock{holder: s}
		s.held = append(s.held, name)
		return granted
	case wanted.holder == s:
		return granted
	case m.closesCycle(wanted, s):
		return deadlock
	}
	wanted.waiters = append(wanted.waiters, s)
	s.waiting = name
	return waits
}

// closesCycle tells whether the holder of a lock waits, through any number of others, for s.
func (m *model) closesCycle(wanted *lock, s *session) bool {
	for wanted != nil {
		if wanted.holder == s {
			return true
		}
		wanted = m.locks[wanted.holder.waiting]
	}
	return false
}

// abandon leaves the queue of a lock.
func (m *model) abandon(s *session) {
	queue := m.locks[s.waiting]
	queue.waiters = slices.DeleteFunc(queue.waiters, func(other *session) bool { return other == s })
	s.waiting = ""
}

// release gives all locks of a session to those who wait, who then go on.
func (m *model) release(s *session) {
	s.hasty = s.hasty || slices.Contains(s.held, ticket)
	m.releaseFrom(s, 0)
}

// releaseFrom gives up all but the first locks of a session.
func (m *model) releaseFrom(s *session, first int) {
	held := s.held[first:]
	s.held = slices.Clone(s.held[:first])
	var resumed []*session
	for _, name := range held {
		released := m.locks[name]
		if len(released.waiters) == 0 {
			delete(m.locks, name)
			continue
		}
		next := released.waiters[0]
		released.holder, released.waiters = next, released.waiters[1:]
		next.held, next.waiting = append(next.held, name), ""
		resumed = append(resumed, next)
	}
	for _, next := range resumed {
		m.advance(next)
	}
}

// heldByOther tells whether another session has a lock.
func (m *model) heldByOther(s *session, name string) bool {
	held := m.locks[name]
	return held != nil && held.holder != s
}
