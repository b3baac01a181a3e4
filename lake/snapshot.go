package lake

import (
	"moraine/overlay"
	"moraine/pgerror"
	"moraine/store"
)

// snapshot is a published state of a lake, shared by the transactions that have pinned it.
type snapshot struct {
	store.Snapshot
	sequence   uint64 // counts the lake's flushes since it was opened
	references int    // guarded by lake.mutex; the lake itself holds one as long as it is the published one
}

// history is what a lake's recent commits have changed, as far back as the oldest pinned snapshot. Guarded by lake.mutex.
type history struct {
	rows    map[string]change // the last change of a row
	commits []commitRecord    // oldest first
	pinned  map[uint64]int    // how many pins there are of each sequence
}

type change struct {
	sequence uint64
	intent   overlay.Intent
}

type commitRecord struct {
	sequence uint64
	keys     []string
}

func newHistory() history { return history{rows: map[string]change{}, pinned: map[uint64]int{}} }

// record adds the changes of a commit.
func (h *history) record(sequence uint64, changed map[string]overlay.Intent) {
	if len(h.pinned) == 0 || len(changed) == 0 {
		return
	}
	keys := make([]string, 0, len(changed))
	for key, intent := range changed {
		h.rows[key] = change{sequence: sequence, intent: intent}
		keys = append(keys, key)
	}
	h.commits = append(h.commits, commitRecord{sequence: sequence, keys: keys})
}

// prune forgets the commits that every pinned snapshot shows.
func (h *history) prune() {
	oldest := ^uint64(0)
	for sequence := range h.pinned {
		oldest = min(oldest, sequence)
	}
	forgotten := 0
	for _, commit := range h.commits {
		if commit.sequence > oldest {
			break
		}
		for _, key := range commit.keys {
			if h.rows[key].sequence == commit.sequence {
				delete(h.rows, key)
			}
		}
		forgotten++
	}
	h.commits = h.commits[forgotten:]
	if len(h.commits) == 0 {
		h.commits = nil
	}
}

// pin gives the published snapshot, to be unpinned.
func (l *lake) pin() (*snapshot, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.published == nil && l.ended != nil {
		return nil, copied(l.ended)
	}
	if l.published == nil {
		return nil, storeError(store.ErrClosed)
	}
	l.published.references++
	l.history.pinned[l.published.sequence]++
	return l.published, nil
}

func (l *lake) unpin(pinned *snapshot) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.history.pinned[pinned.sequence]--; l.history.pinned[pinned.sequence] == 0 {
		delete(l.history.pinned, pinned.sequence)
		l.history.prune()
	}
	l.dereference(pinned)
}

// dereference closes a snapshot that nobody holds any more. The mutex is held.
func (l *lake) dereference(held *snapshot) {
	if held.references--; held.references == 0 {
		_ = held.Close() // a snapshot has nothing to lose
	}
}

// publish makes a snapshot the one that transactions pin from now on, and records the changes of the commits that led to it.
func (l *lake) publish(opened store.Snapshot, changes []map[string]overlay.Intent) {
	before := l.published
	l.published = &snapshot{Snapshot: opened, sequence: before.sequence + 1, references: 1}
	for _, changed := range changes {
		l.history.record(l.published.sequence, changed)
	}
	l.dereference(before)
}

// checkUnchanged is 40001 when a commit after the snapshot has changed the row.
func (l *lake) checkUnchanged(key string, pinned *snapshot) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	last, found := l.history.rows[key]
	if !found || last.sequence <= pinned.sequence {
		return nil
	}
	if last.intent == overlay.ToDelete {
		return pgerror.New(pgerror.SerializationFailure, "could not serialize access due to concurrent delete")
	}
	return pgerror.New(pgerror.SerializationFailure, "could not serialize access due to concurrent update")
}

// movedOn tells whether a commit has followed the snapshot.
func (l *lake) movedOn(pinned *snapshot) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.published != nil && l.published.sequence > pinned.sequence
}
