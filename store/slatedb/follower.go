//go:build slatedb

package slatedb

import (
	"context"
	"fmt"

	"moraine/store"
)

// openFollower gives a store that reads beside its writer.
func (e *Engine) openFollower(context.Context, store.Path) (store.Store, error) {
	return nil, fmt.Errorf("%w: followers are not built in", store.ErrUnavailable)
}
