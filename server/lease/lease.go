package lease

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"moraine/pgerror"
	"moraine/store"
)

// Defaults and bounds of [Config].
const (
	DefaultHeartbeat     = time.Second
	DefaultTakeoverAfter = 10 * time.Second
	// MinHeartbeat and MaxTakeoverAfter bound the two times, and MinTakeoverHeartbeats is how many heartbeats must fit into
	// the second: one that is late, or two that fail, must not end a server.
	MinHeartbeat          = 50 * time.Millisecond
	MaxTakeoverAfter      = 10 * time.Minute
	MinTakeoverHeartbeats = 4
)

// Config says how a server holds the store.
type Config struct {
	Objects store.Objects
	// Address is where clients of this server connect, host:port. A command that takes the store has its name in Command instead.
	Address string
	Command string
	// Heartbeat is the time between two renewals, and between two looks of a standby.
	Heartbeat time.Duration
	// TakeoverAfter is how long after its last renewal the server may still be taken to be alive: it answers for nine tenths
	// of it, and standbys wait for all of it.
	TakeoverAfter time.Duration
	// Logger gets what an operator should know.
	Logger zerolog.Logger
}

func (c Config) withDefaults() Config {
	if c.Heartbeat == 0 {
		c.Heartbeat = DefaultHeartbeat
	}
	if c.TakeoverAfter == 0 {
		c.TakeoverAfter = DefaultTakeoverAfter
	}
	return c
}

// requests gives the objects with a bounded time for each request.
func (c Config) requests() *bounded {
	return newBounded(c.Objects, c.TakeoverAfter/MinTakeoverHeartbeats)
}

// Validate checks the two times; 0 stands for the default.
func Validate(heartbeat, takeoverAfter time.Duration) error {
	c := Config{Heartbeat: heartbeat, TakeoverAfter: takeoverAfter}.withDefaults()
	switch {
	case c.Heartbeat < MinHeartbeat:
		return fmt.Errorf("the time between heartbeats must be at least %s, not %s", MinHeartbeat, c.Heartbeat)
	case c.TakeoverAfter < MinTakeoverHeartbeats*c.Heartbeat:
		return fmt.Errorf("the time to a takeover must be at least %d heartbeats, that is %s, not %s",
			MinTakeoverHeartbeats, MinTakeoverHeartbeats*c.Heartbeat, c.TakeoverAfter)
	case c.TakeoverAfter > MaxTakeoverAfter:
		return fmt.Errorf("the time to a takeover must be at most %s, not %s", MaxTakeoverAfter, c.TakeoverAfter)
	}
	return nil
}

// Lease is the right of a server to serve the store. Safe for concurrent use.
type Lease struct {
	config  Config
	objects *bounded
	epoch   uint64
	trust   time.Duration // how long after the beginning of a renewal the server answers

	renewed atomic.Pointer[time.Time]     // when the last renewal that counts began
	reason  atomic.Pointer[pgerror.Error] // why the lease is lost; nil while it is not
	lost    chan struct{}                 // closed after reason is set
	doubted atomic.Bool                   // the engine was fenced, and reason is being found out

	stop context.CancelFunc
	done sync.WaitGroup

	holder Holder // written by keep only, and by Release once keep has ended
}

func newLease(config Config, objects *bounded) *Lease {
	host, err := os.Hostname()
	if err != nil {
		host = "an unnamed host"
	}
	return &Lease{
		config:  config,
		objects: objects,
		// The tenth is for clocks that do not run at the same speed.
		trust: config.TakeoverAfter - config.TakeoverAfter/10,
		lost:  make(chan struct{}),
		stop:  func() {},
		holder: Holder{
			ID: rand.Text(), Address: config.Address, Command: config.Command, Host: host, Process: thisProcess(), Started: time.Now().UTC(),
			TakeoverAfter: config.TakeoverAfter,
		},
	}
}

// Unclaimed gives the lease of a server that makes no claim to its store: it holds until the engine says that another writer
// has opened a lake.
func Unclaimed(config Config) *Lease {
	now := time.Now()
	lease := &Lease{config: config.withDefaults(), trust: math.MaxInt64, lost: make(chan struct{}), stop: func() {}}
	lease.renewed.Store(&now)
	return lease
}

// Epoch gives the number of the lease: 1 for the first server that ever held the store, 0 for one without a claim.
func (l *Lease) Epoch() uint64 { return l.epoch }

// Lost is closed when another server has taken over; Err gives the reason.
func (l *Lease) Lost() <-chan struct{} { return l.lost }

// Err gives nil as long as no other server can answer, and otherwise the FATAL for a session. It is cheap, and to be asked
// before anything is answered from memory.
func (l *Lease) Err() error {
	if reason := l.reason.Load(); reason != nil {
		return reason
	}
	if l.doubted.Load() {
		return pgerror.Fatal(pgerror.CannotConnectNow, "another writer has taken over the store")
	}
	if silence := elapsed(*l.renewed.Load()); silence >= l.trust {
		return pgerror.Fatal(pgerror.CannotConnectNow, "the server cannot reach its store").
			WithDetail("Its heartbeat could not be written for %s: another server may have taken the store over.", silence.Round(time.Millisecond)).
			WithHint("Connect again, to the standby server if there is one.")
	}
	return nil
}

// elapsed gives the time since a moment. The monotonic clock stands still while a machine is suspended and the other one may be
// set back, so the larger of the two counts.
func elapsed(since time.Time) time.Duration {
	now := time.Now()
	return max(now.Sub(since), now.Round(0).Sub(since.Round(0)))
}

// lose ends the lease for good; the first reason stays.
func (l *Lease) lose(reason *pgerror.Error) {
	if l.reason.CompareAndSwap(nil, reason) {
		close(l.lost)
	}
}

// fencedBy ends the lease because of a higher epoch.
func (l *Lease) fencedBy(ctx context.Context, epoch uint64) {
	reason := pgerror.Fatal(pgerror.AdminShutdown, "another server has taken over the store: this one has stopped serving")
	successor, err := readHolder(ctx, l.objects, epoch)
	if err != nil {
		l.lose(reason.WithHint("Connect to the other server.").WithCause(err))
		return
	}
	l.lose(reason.WithDetail("It is %s, with epoch %d.", successor, epoch).WithHint("%s", successor.Hint()))
}

// Fence ends the lease because the engine has said, with cause, that another writer has opened a lake.
func (l *Lease) Fence(cause error) {
	l.doubted.Store(true)
	ctx := context.Background() // each request has its limit
	if l.objects != nil {
		if epochs, err := listEpochs(ctx, l.objects); err == nil && len(epochs) > 0 && epochs[len(epochs)-1] > l.epoch {
			l.fencedBy(ctx, epochs[len(epochs)-1])
			return
		}
	}
	l.lose(pgerror.Fatal(pgerror.AdminShutdown, "another writer has taken over the store: this server has stopped serving").
		WithDetail("%v", cause).WithHint("Find out what has opened the store for writing before you start this server again.").
		WithCause(cause))
}

// keep renews the lease until it is lost or stopped.
func (l *Lease) keep(ctx context.Context) {
	tick := time.NewTicker(l.config.Heartbeat)
	defer tick.Stop()
	failures := failureLog{config: l.config, what: "the heartbeat could not be written"}
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.lost:
			return
		case <-tick.C:
			// A renewal that has begun is waited for: it must not come to the store after the release.
			failures.report(l.renew(context.WithoutCancel(ctx)))
		}
	}
}

// renew puts the object, then looks for higher epochs. The order matters: see the package's comment.
func (l *Lease) renew(ctx context.Context) error {
	begun := time.Now()
	if err := l.put(ctx, begun, false); err != nil {
		return err
	}
	return l.confirm(ctx, begun)
}

// confirm counts a renewal, or the creation of the epoch, that began at a moment, unless there is a higher epoch.
func (l *Lease) confirm(ctx context.Context, begun time.Time) error {
	epochs, err := listEpochs(ctx, l.objects)
	if err != nil {
		return err
	}
	if len(epochs) > 0 && epochs[len(epochs)-1] > l.epoch {
		l.fencedBy(ctx, epochs[len(epochs)-1])
		return nil
	}
	l.renewed.Store(&begun)
	return nil
}

// put writes the object of the lease.
func (l *Lease) put(ctx context.Context, now time.Time, released bool) error {
	l.holder.Sequence++
	l.holder.Renewed, l.holder.Released = now.UTC(), released
	return writeHolder(ctx, l.objects, l.epoch, l.holder, false)
}

// ErrUnsettled says that requests are under way that nobody waits for any more: the engine must not be closed.
var ErrUnsettled = errors.New("requests to the store are not answered")

// Release gives the store up, so that another server can take it at once. No session may be answered any more, and the
// lakes must have been closed. After an error the engine may still be in use, and must not be closed.
func (l *Lease) Release(ctx context.Context) error {
	l.lose(pgerror.Fatal(pgerror.AdminShutdown, "terminating connection due to administrator command"))
	l.stop()
	l.done.Wait()
	if l.objects == nil {
		return nil
	}
	if err := l.put(ctx, time.Now(), true); err != nil {
		l.config.Logger.Warn().Err(err).Msg("the store could not be released: the next server waits until this one's time is over")
	}
	if !l.objects.settled(ctx) {
		return ErrUnsettled
	}
	return nil
}

// failureLog logs the first of several failures in a row, and the first success after them.
type failureLog struct {
	config Config
	what   string
	since  time.Time // zero while nothing fails
}

func (f *failureLog) report(err error) {
	switch {
	case err != nil && f.since.IsZero():
		f.since = time.Now()
		f.config.Logger.Warn().Err(err).Msg(f.what)
	case err == nil && !f.since.IsZero():
		f.config.Logger.Info().Dur("after", time.Since(f.since)).Msg("the store can be reached again")
		f.since = time.Time{}
	}
}
