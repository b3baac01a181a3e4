package lake

import (
	"context"
	"sync"
	"time"
)

// commitQueue lets the commits of a lake stage one after the other, first come first served. Who has the turn passes it on
// together with the group that its commit has joined; the last one flushes. A group is who has come while the one before was
// made durable.
//
// Whoever commits again and again comes back a moment after a flush, when the next one has just begun, and would wait for
// both. So for a small part of a long flush's time those that took part in it are awaited. Who comes later, or is alone,
// flushes at once.
type commitQueue struct {
	mutex   sync.Mutex
	taken   bool // somebody stages or flushes
	waiting []*commit

	expected  int // how many commits a group may get by the expiry
	expiry    time.Time
	gathering chan struct{} // closed when a commit comes; nil when nobody waits for that
}

// commit is a transaction's changes of a lake on their way into a group.
type commit struct {
	part *part
	// schemas makes the changes of schemas that come between staging and flush, nil when there are none. A failure
	// of others must not leave them behind, so such a commit is a group of its own.
	schemas func(context.Context) error
	// serial has the bits of the domains with changes that must be durable before others of the domain are staged.
	serial uint
	turn   chan *commitGroup // gives the turn to stage in a group, once
}

func newCommit(written *part) *commit {
	result := &commit{part: written}
	for i, domain := range written.domains {
		if domain.Serial() && domain.Dirty() {
			result.serial |= 1 << i
		}
	}
	return result
}

// commit makes a transaction's changes durable, then visible. Once they are staged, ctx no longer stops it.
func (l *lake) commit(ctx context.Context, commit *commit) error {
	group, err := l.commits.enter(ctx, commit)
	if err != nil {
		return err
	}
	if group, err = group.join(ctx, commit); err != nil {
		return err
	}
	<-group.done
	return copied(group.failure)
}

// enter waits for the turn to stage, and gives the group to stage in.
func (q *commitQueue) enter(ctx context.Context, entering *commit) (*commitGroup, error) {
	q.mutex.Lock()
	if !q.taken {
		q.taken = true
		q.mutex.Unlock()
		return newCommitGroup(entering.part.lake), nil
	}
	entering.turn = make(chan *commitGroup, 1)
	q.waiting = append(q.waiting, entering)
	if q.gathering != nil {
		close(q.gathering)
		q.gathering = nil
	}
	q.mutex.Unlock()
	select {
	case group := <-entering.turn:
		return group, nil
	case <-ctx.Done():
		if q.withdraw(entering) {
			return nil, context.Cause(ctx)
		}
		return <-entering.turn, nil // it has just been given the turn, and must pass it on
	}
}

// withdraw takes a commit out of the queue; false when it has the turn already.
func (q *commitQueue) withdraw(leaving *commit) bool {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for i, waiting := range q.waiting {
		if waiting == leaving {
			q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
			return true
		}
	}
	return false
}

// pass gives the turn and the group to the next commit, for which it may wait; false when none comes, or it cannot join the
// group.
func (q *commitQueue) pass(group *commitGroup) bool {
	for {
		passed, comes, patience := q.tryPass(group)
		if passed || comes == nil {
			return passed
		}
		timer := time.NewTimer(patience)
		select {
		case <-comes:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// tryPass passes the turn on if it can be, and else gives a channel that is closed when a commit comes, if one is expected.
func (q *commitQueue) tryPass(group *commitGroup) (passed bool, comes <-chan struct{}, patience time.Duration) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.gathering = nil
	if len(q.waiting) > 0 {
		if passed = group.admits(q.waiting[0]); passed {
			q.first().turn <- group
		}
		return passed, nil, 0
	}
	if len(group.members) == 0 || len(group.members) >= q.expected || group.complete() {
		return false, nil, 0
	}
	if patience = time.Until(q.expiry); patience <= 0 {
		return false, nil, 0
	}
	q.gathering = make(chan struct{})
	return false, q.gathering, patience
}

// next gives the turn to the next commit, with a new group. The group before had members, and took a time.
func (q *commitQueue) next(members int, took time.Duration) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if q.expected = 0; took >= longFlush {
		q.expected, q.expiry = members+len(q.waiting), time.Now().Add(took/gatheringPart)
	}
	if len(q.waiting) == 0 {
		q.taken = false
		return
	}
	first := q.first()
	first.turn <- newCommitGroup(first.part.lake)
}

// first takes the first commit out of the queue. The mutex is held.
func (q *commitQueue) first() *commit {
	first := q.waiting[0]
	q.waiting[0] = nil
	if q.waiting = q.waiting[1:]; len(q.waiting) == 0 {
		q.waiting = nil
	}
	return first
}
