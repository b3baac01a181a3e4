package lake

import (
	"context"
	"errors"

	"moraine/store"
)

// DatabaseSize gives the bytes that the lakes of a database take on the store, as near as the store can tell; 3D000 when
// there is no such database.
func (i *Instance) DatabaseSize(ctx context.Context, name string) (int64, error) {
	size, err := i.engine.Size(ctx, store.Path{Database: name})
	if errors.Is(err, store.ErrNotFound) {
		return 0, unknownDatabase(name)
	}
	return size, storeError(err)
}
