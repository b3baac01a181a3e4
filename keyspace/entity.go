package keyspace

// maxEntityIDs is the number of ids of the longest entity, fstat.
const maxEntityIDs = 3

// Entity is what current and history have in common: a kind and the ids of one catalog entity, without a version. Like a
// [Key] it is a value that == compares.
type Entity struct {
	kind Kind // of the live version
	ids  [maxEntityIDs]uint64
}

// Kind gives the kind of the entity's live version.
func (e Entity) Kind() Kind { return e.kind }

// Component gives an id of the entity, as [Key.Component] does.
func (e Entity) Component(component Component) uint64 { return e.Current().Component(component) }

// Current gives the key of the live version.
func (e Entity) Current() Key {
	key := Key{kind: e.kind}
	copy(key.ids[:], e.ids[:])
	return key
}

// History gives the key of the version that ended with endSnapshot.
func (e Entity) History(endSnapshot uint64) Key {
	kind, found := e.kind.History()
	if !found {
		return Key{}
	}
	key := Key{kind: kind}
	copy(key.ids[:], e.ids[:])
	key.ids[len(kind.Components())-1] = endSnapshot
	return key
}

// Entity gives the entity of a current or a history key; found is false for the keys of other kinds.
func (k Key) Entity() (entity Entity, found bool) {
	current, found := k.kind.Current()
	if !found {
		return Entity{}, false
	}
	entity.kind = current
	copy(entity.ids[:len(current.Components())], k.ids[:])
	return entity, true
}

// SchemaEntity is a row of ducklake_schema.
func SchemaEntity(schemaID uint64) Entity { return idsEntity(KindCurrentSchema, schemaID) }

// TableEntity is a row of ducklake_table.
func TableEntity(tableID uint64) Entity { return idsEntity(KindCurrentTable, tableID) }

// ViewEntity is a row of ducklake_view.
func ViewEntity(viewID uint64) Entity { return idsEntity(KindCurrentView, viewID) }

// ColumnEntity is a row of ducklake_column and its rows of ducklake_column_tag.
func ColumnEntity(tableID, columnID uint64) Entity {
	return idsEntity(KindCurrentColumn, tableID, columnID)
}

// PartitionEntity is a row of ducklake_partition_info and its rows of ducklake_partition_column.
func PartitionEntity(tableID, partitionID uint64) Entity {
	return idsEntity(KindCurrentPartition, tableID, partitionID)
}

// DataFileEntity is a row of ducklake_data_file and its rows of ducklake_file_partition_value.
func DataFileEntity(tableID, dataFileID uint64) Entity {
	return idsEntity(KindCurrentDataFile, tableID, dataFileID)
}

// DeleteFileEntity is a row of ducklake_delete_file.
func DeleteFileEntity(tableID, deleteFileID uint64) Entity {
	return idsEntity(KindCurrentDeleteFile, tableID, deleteFileID)
}

// FileColumnStatsEntity is a row of ducklake_file_column_stats and its rows of ducklake_file_variant_stats.
func FileColumnStatsEntity(tableID, dataFileID, columnID uint64) Entity {
	return idsEntity(KindCurrentFileColumnStats, tableID, dataFileID, columnID)
}

// TableStatsEntity is a row of ducklake_table_stats.
func TableStatsEntity(tableID uint64) Entity { return idsEntity(KindCurrentTableStats, tableID) }

// TableColumnStatsEntity is a row of ducklake_table_column_stats.
func TableColumnStatsEntity(tableID, columnID uint64) Entity {
	return idsEntity(KindCurrentTableColumnStats, tableID, columnID)
}

// TagEntity is all rows of ducklake_tag for one object.
func TagEntity(objectID uint64) Entity { return idsEntity(KindCurrentTag, objectID) }

// OptionEntity is all rows of ducklake_metadata for one scope: scopeKind is [ScopeGlobal], [ScopeSchema] or [ScopeTable].
func OptionEntity(scopeKind, scopeID uint64) Entity {
	return idsEntity(KindCurrentOption, scopeKind, scopeID)
}

// SortEntity is a row of ducklake_sort_info and its rows of ducklake_sort_expression.
func SortEntity(tableID, sortID uint64) Entity { return idsEntity(KindCurrentSort, tableID, sortID) }

// MacroEntity is a row of ducklake_macro and its rows of ducklake_macro_impl and ducklake_macro_parameters.
func MacroEntity(macroID uint64) Entity { return idsEntity(KindCurrentMacro, macroID) }

// MappingEntity is a row of ducklake_column_mapping and its rows of ducklake_name_mapping.
func MappingEntity(tableID, mappingID uint64) Entity {
	return idsEntity(KindCurrentMapping, tableID, mappingID)
}

// IndexEntity is the definition of an equality index.
func IndexEntity(tableID, indexID uint64) Entity {
	return idsEntity(KindCurrentIndex, tableID, indexID)
}

func idsEntity(kind Kind, ids ...uint64) Entity {
	entity := Entity{kind: kind}
	copy(entity.ids[:], ids)
	return entity
}
