package ducklake

import (
	"context"

	"moraine/keyspace"
	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

// Equality indexes (RFC 0016) are the original's own: no table shows them, and this package does not maintain their
// entries. A file or a row that came without entries would be missing from every look-up, so the rows that would bring
// one are refused for tables that have an index.

// refuseIndexed refuses a change of the rows of a DuckLake table with an index (0A000).
func (t *transaction) refuseIndexed(ctx context.Context, table uint64) error {
	if t.unindexed[table] {
		return nil
	}
	reader, err := t.environment.Snapshot(ctx)
	if err != nil {
		return err
	}
	prefix := keyspace.Prefix(keyspace.KindCurrentIndex, table)
	iterator, err := reader.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	defer iterator.Close()
	if iterator.Next() {
		return pgerror.New(pgerror.FeatureNotSupported, "table %d has an equality index, which this server does not maintain", table).
			WithHint("Drop the index with the program that made it.")
	}
	t.unindexed[table] = iterator.Err() == nil
	return iterator.Err()
}

// refuseIndexedFiles does so for new rows of the tables of files.
func (t *table) refuseIndexedFiles(ctx context.Context, rows []relation.Row) error {
	if of := t.definition.table; of != dataFiles.parent && of != deleteFiles.parent {
		return nil
	}
	for _, row := range rows {
		table := t.definition.layout.value(row, "table_id")
		if table.IsNull() || table.Int() < 0 {
			continue
		}
		if err := t.transaction.refuseIndexed(ctx, uint64(table.Int())); err != nil {
			return err
		}
	}
	return nil
}
