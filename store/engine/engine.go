package engine

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"moraine/store"
	"moraine/store/pebble"
)

// Options of an engine.
type Options struct {
	// ReadOnly opens it beside its writer: nothing is written, and its stores are [store.Follower]s. Only engines on
	// object stores can.
	ReadOnly bool
	// MustExist refuses a directory without a store, which is ErrNotFound, instead of making one. An object store is
	// there or not without being made: it has the lakes that are found in it.
	MustExist bool
	// Log is given what the engine has to say to an operator. Nil means nobody listens.
	Log func(format string, arguments ...any)
}

// Open opens or creates the store at a location. ErrLocked when another process has a directory open.
func Open(ctx context.Context, location string, options Options) (store.Engine, error) {
	if err := Validate(location); err != nil {
		return nil, err
	}
	if Remote(location) {
		return openObjectStore(ctx, location, options)
	}
	if options.ReadOnly {
		return nil, fmt.Errorf("the store %s is a directory, which one process has for itself: it cannot be opened for reading only beside a writer", location)
	}
	return pebble.Open(location, pebble.Options{MustExist: options.MustExist, Log: options.Log})
}

// Remote tells the URL of an object store from a directory.
func Remote(location string) bool { return strings.Contains(location, "://") }

// Validate checks what can be checked before anything is opened.
func Validate(location string) error {
	if location == "" {
		return errors.New("the store is empty: name a directory, or the URL of an object store")
	}
	if !Remote(location) {
		return nil
	}
	return validateObjectStore(location)
}

// Redacted gives a location without what may be secret in a URL: a password, and what follows its path, which may be a
// signature. Of a URL that cannot be parsed it gives the scheme alone.
func Redacted(location string) string {
	if !Remote(location) {
		return location
	}
	parsed, err := url.Parse(location)
	if err != nil {
		scheme, _, _ := strings.Cut(location, "://")
		return scheme + "://..."
	}
	if parsed.User == nil && parsed.RawQuery == "" && parsed.Fragment == "" {
		return location
	}
	if parsed.RawQuery != "" || parsed.Fragment != "" {
		parsed.RawQuery, parsed.Fragment, parsed.RawFragment = "...", "", ""
	}
	return parsed.Redacted()
}
