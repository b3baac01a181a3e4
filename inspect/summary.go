package inspect

import (
	"context"
	"fmt"

	"moraine/keyspace"
	"moraine/store"
)

// Summary is what the system records of a lake say.
type Summary struct {
	Format    keyspace.Optional[keyspace.FormatValue] // absent without a catalog
	Head      keyspace.Optional[keyspace.HeadValue]
	Migration keyspace.Optional[keyspace.MigrationValue]
}

// Summarize reads the system records of a lake. A record that does not decode is an error that names it.
func Summarize(ctx context.Context, reader store.Reader) (summary Summary, err error) {
	if summary.Format.Set, err = read(ctx, reader, keyspace.FormatKey(), &summary.Format.Value); err != nil {
		return summary, err
	}
	if summary.Head.Set, err = read(ctx, reader, keyspace.HeadKey(), &summary.Head.Value); err != nil {
		return summary, err
	}
	summary.Migration.Set, err = read(ctx, reader, keyspace.MigrationKey(), &summary.Migration.Value)
	return summary, err
}

func read(ctx context.Context, reader store.Reader, key keyspace.Key, message keyspace.Message) (found bool, err error) {
	value, found, err := reader.Get(ctx, key.Bytes())
	if err != nil || !found {
		return false, err
	}
	if err := keyspace.DecodeMessage(value, message); err != nil {
		return false, fmt.Errorf("the record %s: %w", key, err)
	}
	return true, nil
}
