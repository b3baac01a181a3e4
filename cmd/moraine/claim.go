package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"moraine/server/lease"
	"moraine/store"
)

// releaseLimit is how long the last request of a command to an object store may take.
const releaseLimit = 15 * time.Second

// claimed gives a command a store to write. One that machines share it takes: a server that holds the store ends, and standby
// servers wait until the command has ended. A directory belongs to one process anyway.
func claimed(ctx context.Context, opened store.Engine, command string, use func(store.Engine) error) error {
	objects, shared := opened.(store.Objects)
	if !shared {
		return use(opened)
	}
	held, err := lease.Acquire(ctx, lease.Config{Objects: objects, Command: "moraine " + command})
	if err != nil {
		return fmt.Errorf("taking the store from its server: %w", err)
	}
	failure := use(held.Guard(opened))
	releasing, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseLimit)
	defer cancel()
	return errors.Join(failure, held.Release(releasing))
}
