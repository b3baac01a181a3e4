//go:build slatedb

package faults

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"moraine/pgerror"
	"moraine/store/storetest/bucket"
)

// commitFilesCount is how many files a commit of the deaths has.
const commitFilesCount = 3

// dieInCommit lets a commit die at one of the moments. Some of the deaths must be the one that the moment stands for.
func dieInCommit(t *testing.T, moment bucket.Moment) {
	prepared := filledLake(t)
	seen := false
	everyWriteAt(t, moment, prepared, func(t *trial) bool {
		writer := running(t.T, t.content)
		client := writer.connect()
		writer.execute(client, commitFiles("before", 1))
		t.acknowledged.add("before")
		t.files["before"], t.files["commit"] = 1, commitFilesCount
		return t.dying(writer, func() error { return t.acknowledge("commit", execute(client, commitFiles("commit", commitFilesCount))) })
	}, func(t *trial, _ *process, found *state) {
		unacknowledged := !t.acknowledged.has("commit")
		seen = seen || unacknowledged && found.has("commit") == (moment == bucket.Unanswered)
	})
	if !seen {
		t.Error("no trial has met this death")
	}
}

// acknowledge records that a commit was acknowledged, when it was.
func (t *trial) acknowledge(name string, err error) error {
	if err == nil {
		t.acknowledged.add(name)
	}
	return err
}

// manyFiles is how many files the dropped table has.
const manyFiles = 2000

func dieInDropOfTable(t *testing.T) {
	prepared := prepare(t, func(p *process) {
		client := p.connect()
		if err := genesis(t)(t.Context(), client); err != nil {
			t.Fatal(err)
		}
		fill(t, t.Context(), client)
		p.execute(client, commitFiles("many", manyFiles))
	})
	everyWrite(t, prepared, func(t *trial) bool {
		writer := running(t.T, t.content)
		client := writer.connect()
		writer.execute(client, "SELECT count(*) FROM ducklake_data_file")
		t.acknowledged.add("many")
		t.files["many"] = manyFiles
		return t.dying(writer, func() error { return t.acknowledge("drop", execute(client, dropTable())) })
	}, func(t *trial, _ *process, found *state) {
		dropped := found.changes["drop"] == 1
		if dropped == found.live || dropped != (found.ended["many"] == manyFiles) || dropped == (found.files["many"] == manyFiles) {
			t.Errorf("the drop is there: %t, the table is live: %t, with %d live and %d ended files",
				dropped, found.live, found.files["many"], found.ended["many"])
		}
	})
}

// The sessions of a group, and how often each commits.
const (
	groupSessions = 8
	groupCommits  = 4
	groupDelay    = 2 * time.Millisecond // for each request
)

// dieInGroupCommit lets many sessions commit at once: each of their commits is whole, or absent and not acknowledged.
func dieInGroupCommit(t *testing.T) {
	prepared := filledLake(t)
	everyWrite(t, prepared, func(t *trial) bool {
		writer := running(t.T, t.content)
		clients := make([]func(commit int) error, groupSessions)
		for session := range clients {
			client := writer.connect()
			writer.execute(client, "SELECT count(*) FROM pair_a")
			clients[session] = func(commit int) error {
				name := fmt.Sprintf("session %d commit %d", session, commit)
				if session%4 == 0 { // some of them are DuckLake's
					name = fmt.Sprintf("session %d files %d", session, commit)
					return t.acknowledge(name, executeAgain(client, commitFiles(name, 1)))
				}
				return t.acknowledge(name, execute(client, commitPair(name)))
			}
		}
		for session := 0; session < groupSessions; session += 4 {
			for commit := range groupCommits {
				t.files[fmt.Sprintf("session %d files %d", session, commit)] = 1
			}
		}
		// A store that takes a while gives commits the time to share a write.
		writer.endpoint.Disturb(func(write bool) bucket.Fault { return bucket.Fault{Delay: groupDelay} })
		return t.dying(writer, func() error { return atOnce(clients) })
	}, nil)
}

// executeAgain repeats a commit that has lost to another one, as DuckLake does.
func executeAgain(client *pgconn.PgConn, statement string) error {
	for {
		err := execute(client, statement)
		var answer *pgconn.PgError
		if !errors.As(err, &answer) || answer.Code != pgerror.UniqueViolation {
			return err
		}
		if err := execute(client, "ROLLBACK"); err != nil {
			return err
		}
	}
}

// atOnce lets all sessions commit, and gives an error of one of them.
func atOnce(sessions []func(commit int) error) error {
	failures := make([]error, len(sessions))
	var group sync.WaitGroup
	for session, commit := range sessions {
		group.Go(func() {
			for number := range groupCommits {
				if failures[session] = commit(number); failures[session] != nil {
					return
				}
			}
		})
	}
	group.Wait()
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}
