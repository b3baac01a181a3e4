//go:build slatedb

package faults

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"moraine/store/storetest/bucket"
)

// A load: sessions that commit so many times each. With -long there are more of it.
const (
	loadSessions = 6
	loadCommits  = 10
	loads        = 2
	longLoads    = 30
)

// TestLoadOnAFailingStore lets sessions commit while the store fails requests, breaks connections and is slow, before and after
// it has applied what was asked of it.
func TestLoadOnAFailingStore(t *testing.T) {
	prepared := filledLake(t)
	seeds := loads
	if *long {
		seeds = longLoads
	}
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			current := &trial{T: t, content: prepared.Copy(t), files: map[string]int{}}
			writer := running(t, current.content)
			writer.endpoint.Disturb(disturbance(uint64(seed)))
			current.load(writer)
			writer.endpoint.Disturb(nil)
			current.prove(writer, nil)
			writer.kill()
			current.reopen(nil)
		})
	}
}

// disturbance decides by a seed what happens to each request.
func disturbance(seed uint64) func(write bool) bucket.Fault {
	var mutex sync.Mutex
	random := rand.New(rand.NewPCG(seed, 0))
	return func(bool) bucket.Fault {
		mutex.Lock()
		defer mutex.Unlock()
		fault := bucket.Fault{Applied: random.IntN(2) == 0}
		switch chance := random.IntN(100); {
		case chance < 6:
			fault.Status = http.StatusServiceUnavailable
		case chance < 10:
			fault.Status = http.StatusInternalServerError
		case chance < 14:
			fault.Reset = true
		case chance < 30:
			fault.Delay = time.Duration(random.IntN(20)) * time.Millisecond
		}
		return fault
	}
}

// load lets sessions commit. A commit that fails must not be one that DuckLake would repeat, unless it lost to another one.
func (t *trial) load(writer *process) {
	t.Helper()
	for session := range loadSessions {
		for number := range loadCommits {
			t.files[loadName(session, number)] = 1 + number%3
		}
	}
	var group sync.WaitGroup
	for session := range loadSessions {
		client := writer.connect()
		group.Go(func() {
			for number := range loadCommits {
				name := loadName(session, number)
				err := t.acknowledge(name, executeAgain(client, commitFiles(name, t.files[name])))
				if err == nil {
					continue
				}
				t.refused(err, name)
				if client = t.recovered(writer, client); client == nil {
					return
				}
			}
		})
	}
	group.Wait()
	if acknowledged := len(t.acknowledged.sorted()); acknowledged == 0 {
		t.Error("no commit was acknowledged")
	}
}

func loadName(session, number int) string {
	return fmt.Sprintf("session %d commit %d", session, number)
}

// recovered gives a connection without a failed transaction, the one given where that goes.
func (t *trial) recovered(writer *process, client *pgconn.PgConn) *pgconn.PgConn {
	if execute(client, "ROLLBACK") == nil {
		return client
	}
	client, err := writer.dial(t.Context())
	if err != nil {
		t.Errorf("the server takes no connections any more: %v", err)
	}
	return client
}

// TestOutage takes the store away until a commit fails, and gives it back: the server goes on by itself.
func TestOutage(t *testing.T) {
	if !*long {
		t.Skip("a commit waits half a minute for its store: -long")
	}
	for _, outage := range []struct {
		name       string
		begin, end func(*bucket.Endpoint)
	}{
		{"the store answers by errors", func(e *bucket.Endpoint) {
			e.Disturb(func(bool) bucket.Fault { return bucket.Fault{Status: http.StatusServiceUnavailable} })
		}, func(e *bucket.Endpoint) { e.Disturb(nil) }},
		{"connections break", func(e *bucket.Endpoint) {
			e.Disturb(func(bool) bucket.Fault { return bucket.Fault{Reset: true} })
		}, func(e *bucket.Endpoint) { e.Disturb(nil) }},
		{"nothing is answered, and arrives late", func(e *bucket.Endpoint) { e.FreezeAfter(0, bucket.Lost) }, (*bucket.Endpoint).Release},
		{"a write is applied and not answered", func(e *bucket.Endpoint) { e.FreezeAfter(0, bucket.Unanswered) }, (*bucket.Endpoint).Release},
	} {
		t.Run(outage.name, func(t *testing.T) {
			current := &trial{T: t, files: map[string]int{}}
			current.outage(outage.begin, outage.end)
		})
	}
}

func (t *trial) outage(begin, end func(*bucket.Endpoint)) {
	t.content = filledLake(t.T)
	writer := running(t.T, t.content)
	client, reader := writer.connect(), writer.connect()
	writer.execute(client, commitFiles("before", 1))
	t.acknowledged.add("before")
	t.files["before"], t.files["commit"] = 1, commitFilesCount
	begin(writer.endpoint)
	started := time.Now()
	err := execute(client, commitFiles("commit", commitFilesCount))
	t.refused(err, "a commit without a store")
	t.Logf("after %s: %v", time.Since(started).Round(time.Second), err)
	if err := execute(reader, "SELECT count(*) FROM ducklake_data_file"); err != nil {
		t.Logf("meanwhile a reader gets: %v", err)
	}
	end(writer.endpoint)
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		client = t.recovered(writer, client)
		err := execute(client, commitFiles("later", 1))
		if err == nil {
			break
		}
		if t.refused(err, "a commit after the outage"); time.Now().After(deadline) || strings.Contains(err.Error(), "FATAL") {
			t.Fatalf("the server does not recover: %v", err)
		}
	}
	t.acknowledged.add("later")
	t.files["later"] = 1
	t.prove(writer, nil)
	writer.stop()
	t.reopen(nil)
}
