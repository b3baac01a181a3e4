package ducklake

import (
	"context"

	"moraine/ducklake/guard"
	"moraine/keyspace"
	"moraine/store"
)

// anyIndex tells whether a lake has an equality index of the original's. Nothing here makes or ends one, so that the answer
// stays as long as the lake is open.
func anyIndex(ctx context.Context, reader store.Reader) (bool, error) {
	prefix := keyspace.Prefix(keyspace.KindCurrentIndex)
	iterator, err := reader.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return false, err
	}
	defer iterator.Close()
	return iterator.Next(), iterator.Err()
}

// guardIndexes refuses changes without a new snapshot that would leave an index incomplete: they are not judged otherwise.
func (t *transaction) guardIndexes(ctx context.Context, latest store.Reader) error {
	if !t.catalog.indexed {
		return nil
	}
	commit := &guard.Commit{Indexed: true}
	if err := t.describeChanges(ctx, commit); err != nil {
		return t.corrupt(err)
	}
	return t.refusal(guard.CheckIndexes(ctx, latest, commit))
}
