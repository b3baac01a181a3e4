package ducklake

import (
	"bytes"
	"context"
	"strings"

	"moraine/keyspace"
	"moraine/store"
)

// forget removes the schema records of inlined tables that are gone, once nothing is left of the DuckLake table that they
// were of: it was dropped, and its last version has expired, so that no client can name them any more (RFC 0005).
func (r *registryStaging) forget(ctx context.Context) error {
	opened := r.transaction.tables[tables.parent.name]
	if opened == nil {
		return nil
	}
	removed := map[string]bool{}
	expired := map[uint64]bool{}
	for _, change := range opened.Changes() {
		if storeKey, ok := tables.parent.recordKeyOf(change.Key); ok && change.Row == nil {
			removed[storeKey] = true
			expired[tables.parent.idsOfKey(storeKey)[0]] = true
		}
	}
	for _, id := range r.transaction.insertedNumbers(tables.parent, "table_id") {
		delete(expired, id)
	}
	for _, id := range sortedIDs(expired) {
		left, err := r.versionsLeft(ctx, id, removed)
		if err != nil {
			return err
		}
		if !left {
			if err := r.forgetTable(ctx, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// versionsLeft tells whether a DuckLake table has versions other than those removed.
func (r *registryStaging) versionsLeft(ctx context.Context, table uint64, removed map[string]bool) (bool, error) {
	for _, kind := range []keyspace.Kind{tables.current, tables.history} {
		left := false
		err := r.eachKey(ctx, keyspace.Prefix(kind, table), func(key string) error {
			left = left || !removed[key]
			return nil
		})
		if left || err != nil {
			return left, err
		}
	}
	return false, nil
}

// forgetTable removes the schema records of one table, if none of its inlined tables is there: a record may refer to another.
func (r *registryStaging) forgetTable(ctx context.Context, table uint64) error {
	prefix := keyspace.Prefix(keyspace.KindInlineSchema, table)
	var gone []inlinedID
	kept := false
	err := r.eachKey(ctx, prefix, func(key string) error {
		id := inlinedID{table: table, version: idsOf([]byte(strings.TrimPrefix(key, string(prefix))))[0]}
		of, err := r.of(ctx, id)
		if err != nil {
			return err
		}
		kept = kept || of.exists
		gone = append(gone, id)
		return nil
	})
	if err != nil || kept {
		return err
	}
	for _, id := range gone {
		r.batch.Delete(keyspace.InlineSchemaKey(id.table, id.version).Bytes())
		r.batch.Delete(keyspace.InlineSchemaDroppedKey(id.table, id.version).Bytes())
	}
	return nil
}

// eachKey visits the keys of the latest state that start with a prefix.
func (r *registryStaging) eachKey(ctx context.Context, prefix []byte, visit func(key string) error) error {
	iterator, err := r.latest.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	defer iterator.Close()
	for iterator.Next() {
		if err := visit(string(bytes.Clone(iterator.Key()))); err != nil {
			return err
		}
	}
	return iterator.Err()
}
