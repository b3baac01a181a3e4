package ducklake

import (
	"moraine/keyspace"
	"moraine/relation"
)

// Containers: records that hold all rows of one object or scope and have no row of their own.

var tags = func() *family {
	type entry = embeddedRow[keyspace.TagValue, keyspace.TagEntry]
	family := unversionedFamily(keyspace.KindCurrentTag).of(nil, &catalogTable{
		name:     "ducklake_tag",
		identity: []string{"object_id"}, natural: []string{"key", "begin_snapshot", "end_snapshot"},
		selective: []string{"object_id"},
		codec: embeddedRows[keyspace.TagValue, keyspace.TagEntry, *keyspace.TagValue](
			func(m *keyspace.TagValue) *[]keyspace.TagEntry { return &m.Entries },
			func(m *keyspace.TagEntry) *keyspace.RowExtension { return &m.Extension },
			number("object_id", func(r *entry) *uint64 { return &r.parent.ObjectID }),
			number("begin_snapshot", func(r *entry) *uint64 { return &r.child.BeginSnapshot }),
			optionalNumber("end_snapshot", func(r *entry) *keyspace.Optional[uint64] { return &r.child.EndSnapshot }),
			text("key", func(r *entry) *string { return &r.child.Key }),
			text("value", func(r *entry) *string { return &r.child.Value }),
		),
	})
	return family
}()

// The scopes of options, as ducklake_metadata spells them; the global scope is NULL there.
const (
	scopeSchema = "schema"
	scopeTable  = "table"
)

var options = func() *family {
	type entry = embeddedRow[keyspace.OptionScopeValue, keyspace.OptionEntry]
	metadata := &catalogTable{
		name: metadataTable, identity: []string{"", ""}, natural: []string{"key"},
		locate: locateOption,
		codec: &rowsOf[entry]{
			countIn: func(m keyspace.Message) int { return len(m.(*keyspace.OptionScopeValue).Options) },
			roomIn:  roomForOption,
			view: func(record *record, index int, scratch *entry) *entry {
				scope := record.message.(*keyspace.OptionScopeValue)
				*scratch = entry{ids: record.ids, parent: scope, child: &scope.Options[index]}
				return scratch
			},
			extension: func(r *entry) *keyspace.RowExtension { return &r.child.Extension },
			fields: []field[entry]{
				text("key", func(r *entry) *string { return &r.child.Key }).notNull(),
				text("value", func(r *entry) *string { return &r.child.Value }).notNull(),
				{
					column: column("scope", relation.VarcharType),
					get:    func(r *entry, _ *arena) (relation.Value, error) { return scopeOf(r.ids[0]), nil },
					set:    func(*entry, relation.Value) bool { return true },
				},
				{
					column: column("scope_id", relation.Int8Type),
					get: func(r *entry, _ *arena) (relation.Value, error) {
						if r.ids[0] == keyspace.ScopeGlobal {
							return relation.NULL, nil
						}
						return relation.Int(int64(r.ids[1])), nil
					},
					set: func(*entry, relation.Value) bool { return true },
				},
			},
		},
	}
	return unversionedFamily(keyspace.KindCurrentOption).of(nil, metadata)
}()

func scopeOf(kind uint64) relation.Value {
	switch kind {
	case keyspace.ScopeSchema:
		return relation.Text(scopeSchema)
	case keyspace.ScopeTable:
		return relation.Text(scopeTable)
	}
	return relation.NULL
}

// locateOption gives scope kind and scope id of a row of ducklake_metadata; false for scopes that DuckLake does not have.
func locateOption(row relation.Row, layout *layout) ([]uint64, bool) {
	scope, id := layout.value(row, "scope"), layout.value(row, "scope_id")
	switch {
	case scope.IsNull() && id.IsNull():
		return []uint64{keyspace.ScopeGlobal, 0}, true
	case scope.IsNull() || id.IsNull() || id.Int() < 0:
		return nil, false
	case scope.Text() == scopeSchema:
		return []uint64{keyspace.ScopeSchema, uint64(id.Int())}, true
	case scope.Text() == scopeTable:
		return []uint64{keyspace.ScopeTable, uint64(id.Int())}, true
	}
	return nil, false
}

// roomForOption refuses a second option of one name: the record is a map.
func roomForOption(message keyspace.Message, valueOf func(string) relation.Value) (int, bool) {
	scope := message.(*keyspace.OptionScopeValue)
	name := valueOf("key")
	if name.IsNull() {
		return 0, false
	}
	for i := range scope.Options {
		if scope.Options[i].Key == name.Text() {
			return 0, false
		}
	}
	scope.Options = append(scope.Options, keyspace.OptionEntry{})
	return len(scope.Options) - 1, true
}
