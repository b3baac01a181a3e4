package lease

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"moraine/pgerror"
	"moraine/store"
)

// The times are those of a bubble (testing/synctest): nothing in them depends on the machine.
const (
	heartbeat     = time.Second
	takeoverAfter = 10 * time.Second
)

func testConfig(objects store.Objects) Config {
	return Config{Objects: objects, Address: "127.0.0.1:5433", Heartbeat: heartbeat, TakeoverAfter: takeoverAfter}
}

func acquire(t *testing.T, objects store.Objects) *Lease {
	t.Helper()
	lease, err := Acquire(t.Context(), testConfig(objects))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(lease) })
	return lease
}

// kill ends the heartbeat, as the end of a process does.
func kill(lease *Lease) {
	lease.stop()
	lease.done.Wait()
	lease.objects.running.Wait()
}

// waiting is a standby.
type waiting struct {
	lease chan *Lease
	found atomic.Pointer[Holder]
}

func standBy(t *testing.T, objects store.Objects) *waiting {
	t.Helper()
	w := &waiting{lease: make(chan *Lease, 1)}
	startInBackground(t, func() {
		lease, err := Await(t.Context(), testConfig(objects), func(holder Holder) { w.found.Store(&holder) })
		if err == nil {
			t.Cleanup(func() { kill(lease) })
			w.lease <- lease
		}
	})
	return w
}

// startInBackground runs a function that ends with the test, which waits for it.
func startInBackground(t *testing.T, run func()) {
	t.Helper()
	ended := make(chan struct{})
	t.Cleanup(func() { <-ended })
	go func() {
		defer close(ended)
		run()
	}()
}

// holds tells whether the standby has taken over.
func (w *waiting) holds() bool { return len(w.lease) == 1 }

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	var failure *pgerror.Error
	if !errors.As(err, &failure) || failure.Code != code || failure.Severity != pgerror.SeverityFatal {
		t.Fatalf("the error is %v, not a FATAL %s", err, code)
	}
	if failure.Retried() {
		t.Errorf("DuckLake would try again after %v", failure)
	}
}

func release(t *testing.T, lease *Lease) {
	t.Helper()
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A standby takes over when the heartbeat has stood still, not before, and the old holder has stopped answering by then.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		objects := newDirectory(t)
		first := acquire(t, objects)
		standby := standBy(t, objects)
		time.Sleep(time.Minute)
		if standby.holds() || first.Err() != nil {
			t.Fatalf("a living holder was replaced: %v", first.Err())
		}
		if found := standby.found.Load(); found == nil || found.ID != first.holder.ID {
			t.Fatalf("the standby has found %v", found)
		}
		kill(first)
		time.Sleep(takeoverAfter - heartbeat)
		if standby.holds() {
			t.Fatal("the standby has taken over too early")
		}
		wantCode(t, first.Err(), pgerror.CannotConnectNow)
		time.Sleep(3 * heartbeat)
		if !standby.holds() {
			t.Fatal("the standby has not taken over")
		}
		second := <-standby.lease
		if err := second.Err(); err != nil || second.Epoch() != first.Epoch()+1 {
			t.Fatalf("the new holder has epoch %d and %v", second.Epoch(), err)
		}
		if err := first.renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantCode(t, first.Err(), pgerror.AdminShutdown)
		<-first.Lost()
	})
}

// A holder that ends in order is followed at the next look.
func TestRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		objects := newDirectory(t)
		first := acquire(t, objects)
		standby := standBy(t, objects)
		time.Sleep(takeoverAfter)
		release(t, first)
		time.Sleep(2 * heartbeat)
		if !standby.holds() {
			t.Fatal("the standby waits although the holder has released the store")
		}
		wantCode(t, first.Err(), pgerror.AdminShutdown)
		if names, err := objects.ListObjects(t.Context(), folder); err != nil || len(names) != 1 {
			t.Errorf("objects %v are left, %v", names, err)
		}
	})
}

// A server that is told to serve takes the store at once, and answers when the one before has ended.
func TestAcquireFromLiving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		objects := newDirectory(t)
		first := acquire(t, objects)
		begun := time.Now()
		released := make(chan error, 1)
		go func() {
			<-first.Lost()
			time.Sleep(heartbeat / 2) // it closes its lakes
			released <- first.Release(t.Context())
		}()
		second := acquire(t, objects)
		if waited := time.Since(begun); waited > 3*heartbeat {
			t.Errorf("it has waited for %s", waited)
		}
		var failure *pgerror.Error
		if !errors.As(first.Err(), &failure) || !strings.Contains(failure.Detail, second.holder.ID) {
			t.Errorf("the fenced server does not know by whom: %+v", failure)
		}
		if err := <-released; err != nil {
			t.Errorf("the fenced server cannot release the store: %v", err)
		}
	})
}

// A holder that neither releases the store nor renews may answer until its time is over, so the next one waits for that.
func TestAcquireFromSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		objects := newDirectory(t)
		first := acquire(t, objects)
		kill(first)
		begun := time.Now()
		second := acquire(t, objects)
		if waited := time.Since(begun); waited < takeoverAfter || waited > takeoverAfter+heartbeat {
			t.Errorf("it has waited for %s", waited)
		}
		if first.Err() == nil || second.Err() != nil {
			t.Errorf("after the takeover: %v and %v", first.Err(), second.Err())
		}
	})
}

// A medium that is out of reach fences nobody: the holder stops answering in time, and goes on when it is back, because the
// standby has not seen the silence either.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		objects := newDirectory(t)
		own, other := &unreliable{Objects: objects}, &unreliable{Objects: objects}
		first := acquire(t, own)
		standby := standBy(t, other)
		time.Sleep(takeoverAfter)
		own.setDown(true)
		time.Sleep(3 * heartbeat)
		if err := first.Err(); err != nil {
			t.Fatalf("an outage of three heartbeats has ended the holder: %v", err)
		}
		own.setDown(false)
		time.Sleep(2 * heartbeat)
		own.setDown(true)
		other.setDown(true)
		time.Sleep(takeoverAfter)
		wantCode(t, first.Err(), pgerror.CannotConnectNow)
		time.Sleep(time.Hour)
		own.setDown(false)
		other.setDown(false)
		time.Sleep(2 * heartbeat)
		if err := first.Err(); err != nil || standby.holds() {
			t.Fatalf("after the outage the holder says %v; taken over: %v", err, standby.holds())
		}
		// Only the holder is cut off now.
		own.setDown(true)
		time.Sleep(takeoverAfter + 3*heartbeat)
		if !standby.holds() {
			t.Fatal("the standby has not taken over from a holder that is cut off")
		}
		wantCode(t, first.Err(), pgerror.CannotConnectNow)
		own.setDown(false)
		time.Sleep(2 * heartbeat)
		wantCode(t, first.Err(), pgerror.AdminShutdown)
	})
}

// A renewal that comes to the medium after a takeover does not count, although the one who took over has not seen it.
func TestLateRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		objects := newDirectory(t)
		own := &unreliable{Objects: objects}
		first := acquire(t, own)
		standby := standBy(t, objects)
		time.Sleep(heartbeat / 2)
		kill(first)
		time.Sleep(takeoverAfter - heartbeat)
		own.setDelays(takeoverAfter/5, 0)
		if standby.holds() {
			t.Fatal("the standby has taken over before the renewal begins")
		}
		if err := first.renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !standby.holds() {
			t.Fatal("the standby has not taken over before the renewal has ended")
		}
		wantCode(t, first.Err(), pgerror.AdminShutdown)
	})
}

// However long a renewal takes, it counts from its beginning: others may have seen it that early.
func TestSlowRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := &unreliable{Objects: newDirectory(t)}
		first := acquire(t, own)
		kill(first)
		own.setDelays(0, takeoverAfter/5)
		begun := time.Now()
		if err := first.renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		if time.Since(begun) < takeoverAfter/5 || first.Err() != nil {
			t.Fatalf("the renewal has taken %s: %v", time.Since(begun), first.Err())
		}
		time.Sleep(takeoverAfter - takeoverAfter/10 - time.Since(begun))
		wantCode(t, first.Err(), pgerror.CannotConnectNow)
	})
}

// Of servers and standbys that start at the same moment exactly one answers in the end.
func TestStartedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		objects := newDirectory(t)
		leases := make(chan *Lease, 6)
		for server := range cap(leases) {
			startInBackground(t, func() {
				start := Acquire
				if server%2 == 1 {
					start = func(ctx context.Context, config Config) (*Lease, error) { return Await(ctx, config, func(Holder) {}) }
				}
				lease, err := start(t.Context(), testConfig(objects))
				if err == nil {
					t.Cleanup(func() { kill(lease) })
					leases <- lease
				}
			})
		}
		time.Sleep(5 * takeoverAfter)
		serving := 0
		for range len(leases) {
			if lease := <-leases; lease.Err() == nil {
				serving++
			}
		}
		if serving != 1 {
			t.Errorf("%d servers answer", serving)
		}
	})
}

// Whatever the delays, no two servers answer at the same time, and there is always one again.
func TestNeverTwo(t *testing.T) {
	for seed := range uint64(6) {
		synctest.Test(t, func(t *testing.T) { neverTwo(t, seed) })
	}
}

func neverTwo(t *testing.T, seed uint64) {
	objects := newDirectory(t)
	var serving [4]atomic.Pointer[Lease]
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{}, len(serving))
	for server := range serving {
		random := rand.New(rand.NewPCG(seed, uint64(server)))
		medium := &unreliable{Objects: objects, random: rand.New(rand.NewPCG(seed, uint64(server+100))), slowest: takeoverAfter * 3 / 2}
		go func() {
			for ctx.Err() == nil {
				live(ctx, medium, random, &serving[server])
			}
			ended <- struct{}{}
		}()
	}
	changes, last := 0, -1
	for range 20_000 {
		time.Sleep(heartbeat / 10)
		answering := -1
		for server := range serving {
			lease := serving[server].Load()
			if lease == nil || lease.Err() != nil {
				continue
			}
			if answering >= 0 {
				t.Fatalf("seed %d: servers %d and %d answer at the same time", seed, answering, server)
			}
			answering = server
		}
		if answering >= 0 && answering != last {
			changes, last = changes+1, answering
		}
	}
	cancel()
	for range serving {
		<-ended
	}
	if changes < 10 {
		t.Errorf("seed %d: only %d takeovers in %s", seed, changes, 20_000*heartbeat/10)
	}
}

// live is one life of a server, from its start to its end.
func live(ctx context.Context, medium store.Objects, random *rand.Rand, serving *atomic.Pointer[Lease]) {
	start := Acquire
	if random.IntN(3) > 0 {
		start = func(ctx context.Context, config Config) (*Lease, error) { return Await(ctx, config, func(Holder) {}) }
	}
	lease, err := start(ctx, testConfig(medium))
	if err != nil {
		return
	}
	serving.Store(lease)
	select {
	case <-lease.Lost():
	case <-ctx.Done():
	case <-time.After(time.Duration(random.Int64N(int64(3 * time.Minute)))):
	}
	if random.IntN(2) == 0 {
		kill(lease) // it answers as long as it thinks it may
		time.Sleep(2 * takeoverAfter)
		return
	}
	serving.Store(nil)
	_ = lease.Release(ctx) // the medium may fail: then the next one waits
}

func TestValidate(t *testing.T) {
	for _, test := range []struct {
		heartbeat, takeoverAfter time.Duration
		want                     string
	}{
		{0, 0, ""},
		{time.Millisecond, time.Second, "at least 50ms"},
		{3 * time.Second, 0, "at least 4 heartbeats, that is 12s"},
		{time.Second, time.Hour, "at most 10m0s"},
		{MinHeartbeat, MinTakeoverHeartbeats * MinHeartbeat, ""},
	} {
		err := Validate(test.heartbeat, test.takeoverAfter)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s and %s: %v", test.heartbeat, test.takeoverAfter, err)
		}
	}
}
