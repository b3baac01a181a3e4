package lease

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"moraine/store"
)

// anyEpoch bounds a look at all epochs.
const anyEpoch = math.MaxUint64

// giveUpLimit bounds how long a server that gives up waits for its requests.
const giveUpLimit = 15 * time.Second

// settleLooks is how many looks there are in a heartbeat while a new holder waits for the ones before it.
const settleLooks = 4

// Acquire takes the store, from whoever holds it. It returns when nobody else can answer any more.
func Acquire(ctx context.Context, config Config) (*Lease, error) {
	config = config.withDefaults()
	objects := config.requests()
	watcher := newWatcher(objects)
	for {
		highest, err := watcher.look(ctx, anyEpoch)
		if err != nil {
			return nil, errors.Join(err, objects.end())
		}
		lease, err := take(ctx, config, objects, watcher, highest)
		if err == nil {
			return lease, nil
		}
		if !errors.Is(err, store.ErrExists) {
			return nil, errors.Join(err, objects.end())
		}
	}
}

// take creates the epoch after the highest, and waits for the holders of lower ones. ErrExists when another server was
// quicker.
func take(ctx context.Context, config Config, objects *bounded, watcher *watcher, highest uint64) (*Lease, error) {
	lease := newLease(config, objects)
	lease.epoch = highest + 1
	begun := time.Now()
	lease.renewed.Store(&begun)
	lease.holder.Renewed = begun.UTC()
	if err := createEpoch(ctx, objects, lease.epoch, lease.holder); err != nil {
		return nil, err
	}
	created := time.Now()
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	lease.stop = stop
	lease.done.Go(func() { lease.keep(keeping) })
	if err := lease.settle(ctx, watcher, created); err != nil {
		return nil, errors.Join(err, lease.giveUp())
	}
	lease.clean(ctx, watcher)
	return lease, nil
}

// settle waits until nobody with a lower epoch can answer any more.
func (l *Lease) settle(ctx context.Context, watcher *watcher, created time.Time) error {
	tick := time.NewTicker(l.config.Heartbeat / settleLooks)
	defer tick.Stop()
	failures := failureLog{config: l.config, what: "the servers before this one cannot be looked for"}
	named := map[string]bool{}
	for {
		highest, err := watcher.look(ctx, l.epoch)
		failures.report(err)
		if err == nil && highest > l.epoch {
			l.fencedBy(ctx, highest)
			return l.Err()
		}
		if err == nil && l.passed(watcher, created, named) && l.Err() == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-l.lost:
			return l.reason.Load()
		case <-tick.C:
		}
	}
}

// passed tells, after a look that began after the epoch was created, whether all lower epochs are past. It logs whom this
// server waits for.
func (l *Lease) passed(watcher *watcher, created time.Time, named map[string]bool) bool {
	waited := time.Since(created)
	all := true
	for _, before := range watcher.seen {
		holder := before.holder
		if holder.Released {
			continue
		}
		if !named[holder.ID] {
			named[holder.ID] = true
			l.config.Logger.Warn().Str("id", holder.ID).Str("address", holder.Address).Str("host", holder.Host).
				Int("process", holder.Process.ID).Uint64("epoch", l.epoch).Time("last_heartbeat", holder.Renewed).
				Msg("taking the store over: the server that had it is fenced")
		}
		if !holder.Process.gone(l.holder.Process) && !before.standsStill(l.config.TakeoverAfter) &&
			waited < max(holder.TakeoverAfter, l.config.TakeoverAfter) {
			all = false
		}
	}
	return all
}

// giveUp releases an epoch that was never used.
func (l *Lease) giveUp() error {
	ctx, cancel := context.WithTimeout(context.Background(), giveUpLimit)
	defer cancel()
	return l.Release(ctx)
}

// clean removes the objects of lower epochs, which are past.
func (l *Lease) clean(ctx context.Context, watcher *watcher) {
	for epoch := range watcher.seen {
		if err := l.objects.DeleteObject(ctx, objectName(epoch)); err != nil {
			l.config.Logger.Warn().Err(fmt.Errorf("deleting %s: %w", objectName(epoch), err)).Msg("an object of a past epoch stays")
		}
	}
}
