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
	taken, release, err := claim(ctx, opened, command)
	if err != nil {
		return err
	}
	return errors.Join(use(taken), release())
}

// claim takes a store until release.
func claim(ctx context.Context, opened store.Engine, command string) (taken store.Engine, release func() error, err error) {
	objects, shared := opened.(store.Objects)
	if !shared {
		return opened, func() error { return nil }, nil
	}
	held, err := lease.Acquire(ctx, lease.Config{Objects: objects, Command: "moraine " + command})
	if err != nil {
		return nil, nil, fmt.Errorf("taking the store from its server: %w", err)
	}
	return held.Guard(opened), func() error {
		releasing, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseLimit)
		defer cancel()
		return held.Release(releasing)
	}, nil
}
