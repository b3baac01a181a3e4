package lease

import (
	"context"
	"errors"
	"time"

	"moraine/store"
)

// watcher looks at the objects of epochs again and again, and knows how long each has stood still.
type watcher struct {
	objects store.Objects
	seen    map[uint64]*observation
}

// observation is what a watcher knows of an epoch.
type observation struct {
	holder Holder
	// silent is for how long the object was seen unchanged, counting only the time between two looks that both succeeded:
	// a medium that was out of reach for the watcher may have been so for the holder.
	silent time.Duration
	looked time.Time // when the last look that succeeded was over; zero after one that failed
}

func newWatcher(objects store.Objects) *watcher {
	return &watcher{objects: objects, seen: map[uint64]*observation{}}
}

// look reads all epochs below a bound. It gives the highest of all that are listed, 0 when there is none.
func (w *watcher) look(ctx context.Context, bound uint64) (highest uint64, err error) {
	defer func() {
		if err != nil {
			for _, observed := range w.seen {
				observed.looked = time.Time{}
			}
		}
	}()
	epochs, err := listEpochs(ctx, w.objects)
	if err != nil {
		return 0, err
	}
	present := map[uint64]*observation{}
	for _, epoch := range epochs {
		if epoch >= bound {
			break
		}
		holder, err := readHolder(ctx, w.objects, epoch)
		if errors.Is(err, store.ErrNotFound) {
			continue // a later holder has cleaned it up
		}
		if err != nil {
			return 0, err
		}
		present[epoch] = w.seen[epoch].next(holder)
	}
	w.seen = present
	if len(epochs) == 0 {
		return 0, nil
	}
	return epochs[len(epochs)-1], nil
}

// next gives the observation after a look that has just found a holder; the one before may be nil.
func (o *observation) next(holder Holder) *observation {
	next := &observation{holder: holder, looked: time.Now()}
	if o == nil || o.holder.ID != holder.ID || o.holder.Sequence != holder.Sequence || o.holder.Released != holder.Released {
		return next
	}
	next.silent = o.silent
	if !o.looked.IsZero() {
		next.silent += next.looked.Sub(o.looked)
	}
	return next
}

// standsStill tells that an object was seen unchanged for at least a time, and for as long as its holder may answer.
func (o *observation) standsStill(atLeast time.Duration) bool {
	return o.silent >= max(atLeast, o.holder.TakeoverAfter)
}

// Await waits, as a standby, until the store is to be taken over, and takes it: when its holder has released it, when the
// heartbeat has stood still for Config.TakeoverAfter and the time that the holder announced, or when nobody has ever held
// it. It gives the server that serves to found each time that it is another one. Errors of the medium are logged and waited
// out; only the end of ctx ends the wait.
func Await(ctx context.Context, config Config, found func(Holder)) (*Lease, error) {
	config = config.withDefaults()
	objects := config.requests()
	watcher := newWatcher(objects)
	tick := time.NewTicker(config.Heartbeat)
	defer tick.Stop()
	failures := failureLog{config: config, what: "the heartbeat of the server that serves cannot be read"}
	var current Holder
	for {
		highest, err := watcher.look(ctx, anyEpoch)
		failures.report(err)
		if err == nil {
			last := watcher.seen[highest]
			if highest == 0 || last != nil && (last.holder.Released || last.standsStill(config.TakeoverAfter)) {
				lease, err := take(ctx, config, objects, watcher, highest)
				if err == nil {
					return lease, nil
				}
				config.Logger.Warn().Err(err).Msg("the store could not be taken over: another attempt will be made")
			} else if last != nil && last.holder.ID != current.ID {
				current = last.holder
				found(current)
			}
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), objects.end())
		case <-tick.C:
		}
	}
}
