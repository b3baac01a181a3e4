package ducklake

import (
	"context"

	"moraine/keyspace"
	"moraine/relation"
	"moraine/store"
)

// The rows of ducklake_metadata that a store written by the original does not have, but which DuckLake needs (RFC 0006).
const (
	metadataVersion   = "version"
	metadataCreator   = "created_by"
	metadataEncrypted = "encrypted"

	// catalogVersion is the only version of DuckLake's catalog that the original has; another would start a migration.
	catalogVersion = "1.0"
	catalogCreator = "moraine"
	notEncrypted   = "false"
)

var madeUp = []struct{ key, value string }{
	{metadataVersion, catalogVersion}, {metadataCreator, catalogCreator}, {metadataEncrypted, notEncrypted},
}

// synthetic gives the rows that are made up for a state: those of ducklake_metadata in a store that the original wrote,
// as far as nobody has stored others.
func (b *recordBase) synthetic(ctx context.Context, reader store.Reader) ([]keyedRow, error) {
	if b.table.name != metadataTable {
		return nil, nil
	}
	state, err := b.transaction.catalog.stateAt(ctx, reader, b.transaction.environment)
	if err != nil || !state.original() {
		return nil, b.transaction.corrupt(err)
	}
	var stored keyspace.OptionScopeValue
	if _, err := readMessage(ctx, reader, keyspace.OptionEntity(keyspace.ScopeGlobal, 0).Current(), &stored); err != nil {
		return nil, b.transaction.corrupt(err)
	}
	var rows []keyedRow
	for _, made := range madeUp {
		if hasOption(&stored, made.key) {
			continue
		}
		rows = append(rows, keyedRow{key: b.table.syntheticKey(made.key), row: syntheticRow(b.layout, made.key)})
	}
	return rows, nil
}

// syntheticRow gives the row that is made up for an option; its value is NULL when none is.
func syntheticRow(layout *layout, key string) relation.Row {
	row := make(relation.Row, len(layout.columns))
	for _, made := range madeUp {
		if made.key == key {
			row[ordinalOf(layout.columns, "key")] = relation.Text(made.key)
			row[ordinalOf(layout.columns, "value")] = relation.Text(made.value)
		}
	}
	return row
}

func hasOption(options *keyspace.OptionScopeValue, key string) bool {
	for i := range options.Options {
		if options.Options[i].Key == key {
			return true
		}
	}
	return false
}

func (b *recordBase) getSynthetic(ctx context.Context, reader store.Reader, name string) (relation.Row, bool, error) {
	rows, err := b.synthetic(ctx, reader)
	if err != nil {
		return nil, false, err
	}
	for _, synthetic := range rows {
		if synthetic.key == b.table.syntheticKey(name) {
			return synthetic.row, true, nil
		}
	}
	return nil, false, nil
}

// adopt gives the rows that were made up so far, other than those that the transaction has changed, to be stored.
func (s *staging) adopt(ctx context.Context, metadata *member) error {
	definition := s.state.tables[metadataTable]
	latest := func(context.Context) (store.Reader, error) { return s.latest, nil }
	rows, err := s.transaction.base(definition, latest).synthetic(ctx, s.latest)
	if err != nil {
		return err
	}
	changed := map[string]bool{}
	if metadata.changes != nil {
		for _, change := range metadata.changes.Changes() {
			changed[change.Key] = true
		}
	}
	for _, synthetic := range rows {
		if changed[synthetic.key] || metadata.emptied() {
			continue
		}
		row := synthetic.row
		if metadata.adapt != nil {
			row = metadata.adapt.row(row)
		}
		metadata.adopts = append(metadata.adopts, row)
	}
	return nil
}
