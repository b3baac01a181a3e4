//go:build !slatedb

package engine

import (
	"context"
	"fmt"
	"strings"

	"moraine/store"
)

// validateObjectStore refuses every URL: this build has no engine for it.
func validateObjectStore(location string) error {
	scheme, _, _ := strings.Cut(location, "://")
	return fmt.Errorf("this build has no engine for %s:// stores: %q cannot be opened; name a directory, or build with cargo installed (make build)",
		scheme, Redacted(location))
}

func openObjectStore(_ context.Context, location string, _ Options) (store.Engine, error) {
	return nil, validateObjectStore(location)
}
