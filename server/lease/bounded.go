package lease

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"moraine/store"
)

// maximumRequests is how many requests a server has under way at once, those included that it no longer waits for.
const maximumRequests = 8

// bounded gives each request a time: one that hangs in the network must not keep the next one from renewing the lease. What it
// no longer waits for may still take effect, which the protocol allows: a late renewal is one that shows an older number.
type bounded struct {
	objects store.Objects
	limit   time.Duration
	places  chan struct{}
	running sync.WaitGroup
}

func newBounded(objects store.Objects, limit time.Duration) *bounded {
	return &bounded{objects: objects, limit: limit, places: make(chan struct{}, maximumRequests)}
}

// do makes a request and waits for it within the limit.
func do[T any](ctx context.Context, b *bounded, request func(context.Context) (T, error)) (T, error) {
	type answer struct {
		result T
		err    error
	}
	ctx, cancel := context.WithTimeout(ctx, b.limit)
	defer cancel()
	answered := make(chan answer, 1)
	select {
	case b.places <- struct{}{}:
	case <-ctx.Done():
		return *new(T), b.unanswered(ctx)
	}
	b.running.Go(func() {
		result, err := request(ctx)
		<-b.places
		answered <- answer{result, err}
	})
	select {
	case given := <-answered:
		return given.result, given.err
	case <-ctx.Done():
		return *new(T), b.unanswered(ctx)
	}
}

func (b *bounded) unanswered(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%w: no answer within %s", store.ErrUnavailable, b.limit)
	}
	return context.Cause(ctx)
}

// settled waits for the requests that nobody waits for any more; false when ctx is done first.
func (b *bounded) settled(ctx context.Context) bool {
	ended := make(chan struct{})
	go func() {
		b.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return true
	case <-ctx.Done():
		return false
	}
}

// end waits for them as long as a server does that gives up.
func (b *bounded) end() error {
	ctx, cancel := context.WithTimeout(context.Background(), giveUpLimit)
	defer cancel()
	if !b.settled(ctx) {
		return ErrUnsettled
	}
	return nil
}

func (b *bounded) PutObject(ctx context.Context, name string, content []byte, ifAbsent bool) error {
	_, err := do(ctx, b, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, b.objects.PutObject(ctx, name, content, ifAbsent)
	})
	return err
}

func (b *bounded) GetObject(ctx context.Context, name string) ([]byte, error) {
	return do(ctx, b, func(ctx context.Context) ([]byte, error) { return b.objects.GetObject(ctx, name) })
}

func (b *bounded) ListObjects(ctx context.Context, prefix string) ([]string, error) {
	return do(ctx, b, func(ctx context.Context) ([]string, error) { return b.objects.ListObjects(ctx, prefix) })
}

func (b *bounded) DeleteObject(ctx context.Context, name string) error {
	_, err := do(ctx, b, func(ctx context.Context) (struct{}, error) { return struct{}{}, b.objects.DeleteObject(ctx, name) })
	return err
}
