package ducklake

import (
	"bytes"
	"context"

	"moraine/keyspace"
	"moraine/relation"
	"moraine/store"
)

var _ relation.Maximal = (*table)(nil)

// Maximum implements relation.Maximal for the ids of snapshots: every commit asks for the latest, and head knows it.
func (t *table) Maximum(ctx context.Context, column int) (relation.Value, bool, error) {
	definition := t.definition
	if definition.table != snapshots.parent || column != definition.layout.identity[0] || len(t.Changes()) > 0 ||
		!t.transaction.catalog.noRefuge() {
		return relation.NULL, false, nil
	}
	greatest := relation.NULL
	if _, made := t.transaction.redefined[definition.table.name]; !made {
		reader, err := t.transaction.environment.Snapshot(ctx)
		if err != nil {
			return relation.NULL, false, err
		}
		stored, known, err := storedMaximum(ctx, reader)
		if err != nil || !known {
			return relation.NULL, false, t.transaction.corrupt(err)
		}
		greatest = stored
	}
	for _, row := range t.Inserted() {
		if value := row[column]; greatest.IsNull() || !value.IsNull() && value.Int() > greatest.Int() {
			greatest = value
		}
	}
	return greatest, true, nil
}

// storedMaximum gives the id of the last snapshot record; known is false when it is not the one that head names, which
// then says nothing.
func storedMaximum(ctx context.Context, reader store.Reader) (relation.Value, bool, error) {
	var head keyspace.HeadValue
	if _, err := readMessage(ctx, reader, keyspace.HeadKey(), &head); err != nil {
		return relation.NULL, false, err
	}
	key := keyspace.SnapshotKey(head.SnapshotID).Bytes()
	iterator, err := reader.Scan(ctx, key, store.PrefixEnd(keyspace.Prefix(keyspace.KindSnapshot)))
	if err != nil {
		return relation.NULL, false, err
	}
	defer iterator.Close()
	last := iterator.Next() && bytes.Equal(iterator.Key(), key) && !iterator.Next()
	return relation.Int(int64(head.SnapshotID)), last, iterator.Err()
}
