//go:build slatedb

package faults

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"moraine/pgerror"
)

// stuck is a process that stopped in the middle of something and is not dead.
type stuck struct {
	*process
	frozen bool       // false when it was done before it stopped
	done   chan error // what became of it
}

// stickAfter starts a process and lets it commit until it freezes after so many writes, or is done.
func (t *trial) stickAfter(writes int) *stuck {
	t.Helper()
	s := &stuck{process: running(t.T, t.content), done: make(chan error, 1)}
	client := s.connect()
	s.execute(client, commitFiles("before", 1))
	t.acknowledged.add("before")
	t.files["before"], t.files["commit"] = 1, commitFilesCount
	t.freezeWhile(s, writes, func() error {
		return t.acknowledge("commit", execute(client, commitFiles("commit", commitFilesCount)))
	})
	return s
}

// freezeWhile does something in the background until the endpoint freezes, or until it is done.
func (t *trial) freezeWhile(s *stuck, writes int, do func() error) {
	t.Helper()
	s.endpoint.FreezeAfter(writes, t.moment)
	frozen := s.endpoint.Frozen()
	go func() { s.done <- do() }()
	select {
	case err := <-s.done:
		if err != nil {
			t.Fatalf("the operation fails, and the store does not: %v", err)
		}
		s.done <- nil
	case <-frozen:
		s.frozen = true
	}
}

// resume lets the requests of the process through, late, and waits for what becomes of it.
func (t *trial) resume(s *stuck) error {
	t.Helper()
	s.endpoint.Release()
	select {
	case err := <-s.done:
		return err
	case <-time.After(patience):
		t.Fatal("a process that was released does not go on")
		return nil
	}
}

// refused fails the test unless an error is one that DuckLake does not answer by another try.
func (t *trial) refused(err error, what string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s is acknowledged", what)
		return
	}
	var answer *pgconn.PgError
	if !errors.As(err, &answer) {
		return // the connection is gone, and says nothing
	}
	text := &pgerror.Error{Message: answer.Message, Detail: answer.Detail, Hint: answer.Hint, Where: answer.Where}
	if text.Retried() {
		t.Errorf("%s would be tried again: %v", what, err)
	}
}

// takeOverInCommit lets a second process take over while the first one is stuck in a commit, and die in doing so.
func takeOverInCommit(t *testing.T) {
	prepared := filledLake(t)
	for _, moment := range moments {
		trials(t, moment, prepared, func(outer *trial) (completed bool) {
			everyWriteAt(outer.T, moment, prepared, func(t *trial) bool {
				first := t.stickAfter(outer.writes)
				completed = !first.frozen
				t.files["taken"] = 1
				second := newProcess(t.T, t.content)
				return t.dying(second, func() error {
					if err := second.come(); err != nil {
						return err
					}
					return t.acknowledge("taken", execute(second.connect(), commitFiles("taken", 1)))
				})
			}, nil)
			return completed
		})
	}
}

// come launches the server and waits for it.
func (p *process) come() error {
	p.launch()
	return p.await()
}

// resumeFenced lets the requests of a stuck process arrive after another one has taken over and committed.
func resumeFenced(t *testing.T) {
	prepared := filledLake(t)
	for _, moment := range moments {
		trials(t, moment, prepared, func(t *trial) bool {
			first := t.stickAfter(t.writes)
			second := running(t.T, t.content)
			second.execute(second.connect(), commitFiles("taken", 1))
			t.acknowledged.add("taken")
			t.files["taken"], t.files["stale"] = 1, 1
			if err := t.resume(first); err != nil {
				t.refused(err, "a commit of a writer that was fenced")
			}
			if client, err := first.dial(t.Context()); err == nil { // a server that knows that it was fenced may have ended
				t.refused(execute(client, commitFiles("stale", 1)), "a further commit of a writer that was fenced")
			}
			t.prove(second, func(t *trial, _ *process, found *state) {
				if found.has("stale") {
					t.Error("a commit of a writer that was fenced is visible")
				}
			})
			first.kill()
			second.stop()
			t.reopen(nil)
			return !first.frozen
		})
	}
}
