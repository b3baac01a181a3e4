package ducklake

import (
	"bytes"
	"context"

	"moraine/keyspace"
	"moraine/relation"
	"moraine/store"
)

// registryTable lists the tables of inlined rows. Its rows are the schema records without a marker that says otherwise.
const registryTable = "ducklake_inlined_data_tables"

var registry = &catalogTable{
	name:     registryTable,
	identity: []string{"table_id", "schema_version"}, selective: []string{"table_id"},
	locate: locateRegistered,
	codec: keyedRows[keyspace.InlineSchemaValue, *keyspace.InlineSchemaValue](
		func(m *keyspace.InlineSchemaValue) *keyspace.RowExtension { return &m.Extension },
		keyNumber("table_id", func(r *registryRow) uint64 { return r.ids[0] }),
		field[registryRow]{
			column: column("table_name", relation.VarcharType),
			get: func(r *registryRow, strings *arena) (relation.Value, error) {
				var name [64]byte
				return relation.Text(strings.keep(inlinedID{table: r.ids[0], version: r.ids[1]}.appendName(name[:0]))), nil
			},
			set: func(*registryRow, relation.Value) bool { return true },
		},
		keyNumber("schema_version", func(r *registryRow) uint64 { return r.ids[1] }),
	),
}

type registryRow = embeddedRow[keyspace.InlineSchemaValue, keyspace.InlineSchemaValue]

// inlineSchemas are the schema records. They outlive the rows of the registry, so they are not staged as other families.
var inlineSchemas = unversionedFamily(keyspace.KindInlineSchema).of(registry)

// locateRegistered gives the ids of a row of the registry; false when its name is not that of its ids.
func locateRegistered(row relation.Row, layout *layout) ([]uint64, bool) {
	ids, ok := layout.ids(row)
	if !ok || layout.value(row, "table_name") != relation.Text(inlinedID{table: ids[0], version: ids[1]}.name()) {
		return nil, false
	}
	return ids, true
}

// unregistered gives the ids, as keys have them, of the schema records that are no rows of the registry.
func unregistered(ctx context.Context, reader store.Reader) (map[string]bool, error) {
	prefix := keyspace.Prefix(keyspace.KindInlineSchemaDropped)
	iterator, err := reader.Scan(ctx, prefix, store.PrefixEnd(prefix))
	if err != nil {
		return nil, err
	}
	defer iterator.Close()
	ids := map[string]bool{}
	var marker keyspace.InlineSchemaDroppedValue
	for iterator.Next() {
		if err := keyspace.DecodeMessageAliased(iterator.Value(), &marker); err != nil {
			return nil, recordError(bytes.Clone(iterator.Key()), err)
		}
		ids[string(bytes.TrimPrefix(iterator.Key(), prefix))] = true
	}
	return ids, iterator.Err()
}
