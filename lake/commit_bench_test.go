package lake

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"moraine/relation"
	"moraine/store"
	"moraine/store/memory"
	"moraine/store/pebble"
)

// BenchmarkCommit commits one row on the disk, in one or more sessions at once and through the store alone.
func BenchmarkCommit(b *testing.B) {
	engine, err := pebble.Open(b.TempDir(), pebble.Options{})
	if err != nil {
		b.Fatal(err)
	}
	instance, err := Open(background, engine, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		instance.Close()
		if err := engine.Close(); err != nil {
			b.Error(err)
		}
	})
	if err := insertOne(instance, true); err != nil {
		b.Fatal(err)
	}
	for _, sessions := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("%d sessions", sessions), func(b *testing.B) { commitInSessions(b, instance, sessions) })
	}
	b.Run("store alone", func(b *testing.B) {
		lake, err := engine.Open(background, store.Path{Database: "postgres", Schema: "public"})
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			batch := &store.Batch{}
			batch.Put([]byte("key"), []byte("value"))
			if err := lake.Commit(background, batch); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkCommitFarAway commits one row in a store that takes as long as one behind a network.
func BenchmarkCommitFarAway(b *testing.B) {
	engine := &faultyEngine{Engine: memory.New()}
	instance, err := Open(background, engine, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(instance.Close)
	if err := insertOne(instance, true); err != nil {
		b.Fatal(err)
	}
	engine.fails = func(int64) error {
		time.Sleep(20 * time.Millisecond)
		return nil
	}
	for _, sessions := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("%d sessions", sessions), func(b *testing.B) { commitInSessions(b, instance, sessions) })
	}
}

// commitInSessions shares the commits out among sessions, and reports what a commit takes from each one's view.
func commitInSessions(b *testing.B, instance *Instance, sessions int) {
	var left atomic.Int64
	left.Store(int64(b.N))
	took := make([][]time.Duration, sessions)
	var working sync.WaitGroup
	b.ResetTimer()
	for session := range sessions {
		working.Go(func() {
			for left.Add(-1) >= 0 {
				start := time.Now()
				if err := insertOne(instance, false); err != nil {
					b.Error(err)
					return
				}
				took[session] = append(took[session], time.Since(start))
			}
		})
	}
	working.Wait()
	b.StopTimer()
	all := slices.Sorted(slices.Values(slices.Concat(took...)))
	b.ReportMetric(float64(all[len(all)/2].Microseconds()), "median-us")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds()), "p99-us")
	b.ReportMetric(float64(len(all))/b.Elapsed().Seconds(), "commits/s")
}

// insertOne commits a row in a session of its own.
func insertOne(instance *Instance, create bool) error {
	return inTransaction(instance, relation.TransactionOptions{Isolation: relation.RepeatableRead}, func(transaction relation.Transaction) error {
		if create {
			if err := transaction.CreateTable(background, integers("public", "t")); err != nil {
				return err
			}
		}
		found, err := transaction.Relation(background, "public", "t")
		if err != nil {
			return err
		}
		return found.(relation.Writable).Insert(background, []relation.Row{{relation.Int(1), relation.Text("x")}})
	})
}
