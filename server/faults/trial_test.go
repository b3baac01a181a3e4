//go:build slatedb

package faults

import (
	"fmt"
	"strings"
	"testing"

	"moraine/store/storetest/bucket"
)

// maximumWrites bounds the writes of one operation: one that makes more does not come to an end.
const maximumWrites = 60

// moments are what can become of the write at which a process dies.
var moments = []bucket.Moment{bucket.Lost, bucket.Unanswered}

// trial is one death: after a number of writes, in a bucket of its own.
type trial struct {
	*testing.T
	content      *bucket.Bucket
	writes       int
	moment       bucket.Moment
	acknowledged acknowledgements
	files        map[string]int // the commits of files that may be there, with their numbers of files
	proofs       int            // counts what prove commits
}

// everyWrite lets an operation die after 0, 1, 2, ... writes, at both moments, until it completes, each time in a copy of
// the bucket. Whatever verify expects of the outcome besides, the lake must be whole and take commits.
func everyWrite(t *testing.T, prepared *bucket.Bucket, operate func(*trial) (completed bool), verify func(*trial, *process, *state)) {
	t.Helper()
	for _, moment := range moments {
		everyWriteAt(t, moment, prepared, operate, verify)
	}
}

// everyWriteAt is everyWrite at one of the moments.
func everyWriteAt(t *testing.T, moment bucket.Moment, prepared *bucket.Bucket, operate func(*trial) (completed bool), verify func(*trial, *process, *state)) {
	t.Helper()
	trials(t, moment, prepared, func(t *trial) bool {
		completed := operate(t)
		t.reopen(verify)
		return completed
	})
}

// trials makes trials with 0, 1, 2, ... writes, each in a copy of the bucket, until one completes.
func trials(t *testing.T, moment bucket.Moment, prepared *bucket.Bucket, run func(*trial) (completed bool)) {
	t.Helper()
	for writes, completed := 0, false; !completed && !t.Failed(); writes++ {
		if writes > maximumWrites {
			t.Fatalf("the operation has not completed after %d writes", maximumWrites)
		}
		t.Run(fmt.Sprintf("%s after %d", moment, writes), func(t *testing.T) {
			completed = run(&trial{T: t, content: prepared.Copy(t), writes: writes, moment: moment, files: map[string]int{}})
		})
	}
}

// reopen opens the lake as a new process does, and proves it whole.
func (t *trial) reopen(verify func(*trial, *process, *state)) {
	t.Helper()
	after := running(t.T, t.content)
	t.prove(after, verify)
	after.stop()
}

// prove reads the lake, compares it with what was acknowledged, and commits to it.
func (t *trial) prove(after *process, verify func(*trial, *process, *state)) {
	t.Helper()
	found := after.read()
	t.compare(found)
	if verify != nil {
		verify(t, after, found)
	}
	if !found.catalog {
		return
	}
	client := after.connect()
	if found.live {
		t.proofs++
		name := fmt.Sprintf("proof %d", t.proofs)
		after.execute(client, commitFiles(name, 1))
		t.acknowledged.add(name)
		t.files[name] = 1
	}
	t.compare(after.read())
}

func (t *trial) compare(found *state) {
	t.Helper()
	if problems := found.problems(t.acknowledged.sorted(), t.files); len(problems) > 0 {
		t.Errorf("acknowledged were %v:\n%s", t.acknowledged.sorted(), strings.Join(problems, "\n"))
	}
}

// dying runs what a process does until it has done it, or until the endpoint freezes, at the trial's number of writes from
// now on; then the process is killed. It tells whether all was done.
func (t *trial) dying(p *process, do func() error) (completed bool) {
	t.Helper()
	p.endpoint.FreezeAfter(t.writes, t.moment)
	frozen := p.endpoint.Frozen()
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		select {
		case <-frozen:
		default:
			if err != nil {
				t.Fatalf("the operation fails, and the store does not: %v", err)
			}
		}
		p.kill()
		return err == nil
	case <-frozen:
		p.kill()
		<-done // without its store and its server it has to end
		return false
	}
}

// prepare makes a bucket by a healthy process that ends in good order.
func prepare(t *testing.T, work func(p *process)) *bucket.Bucket {
	t.Helper()
	content := bucket.New(t)
	p := running(t, content)
	work(p)
	p.stop()
	return content
}

// filledLake makes the bucket of a lake with a table, and the two plain tables.
func filledLake(t *testing.T) *bucket.Bucket {
	t.Helper()
	return prepare(t, func(p *process) {
		client := p.connect()
		if err := genesis(t)(t.Context(), client); err != nil {
			t.Fatal(err)
		}
		fill(t, t.Context(), client)
	})
}
