package keyspace

// MappingValue is a row of ducklake_column_mapping, with its rows of ducklake_name_mapping. It never changes.
type MappingValue struct {
	MappingID    uint64
	TableID      uint64
	MapType      string // the column is named type
	NameMappings []NameMapping
	Extension    RowExtension
}

func (*MappingValue) name() string { return "MappingValue" }

// Append implements [Message].
func (v *MappingValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.MappingID)
	dst = appendUint64(dst, 2, v.TableID)
	dst = appendString(dst, 3, v.MapType)
	dst = appendEmbeddedList(dst, 4, v.NameMappings)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *MappingValue) decode(payload []byte, aliased bool) error {
	*v = MappingValue{NameMappings: v.NameMappings[:0], Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.MappingID = p.uint64()
		case 2:
			v.TableID = p.uint64()
		case 3:
			v.MapType = p.string()
		case 4:
			v.NameMappings = parseElement(&p, v.NameMappings)
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}

// NameMapping is a row of ducklake_name_mapping.
type NameMapping struct {
	ColumnID      uint64 // counts within the mapping, from 0
	SourceName    string
	TargetFieldID uint64
	ParentColumn  Optional[uint64] // a smaller ColumnID
	IsPartition   bool
	Extension     RowExtension
}

// Append appends the message to dst.
func (v *NameMapping) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.ColumnID)
	dst = appendString(dst, 2, v.SourceName)
	dst = appendUint64(dst, 3, v.TargetFieldID)
	dst = appendOptionalUint64(dst, 4, v.ParentColumn)
	dst = appendBool(dst, 5, v.IsPartition)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *NameMapping) decode(payload []byte, aliased bool) error {
	*v = NameMapping{Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.ColumnID = p.uint64()
		case 2:
			v.SourceName = p.string()
		case 3:
			v.TargetFieldID = p.uint64()
		case 4:
			v.ParentColumn = p.optionalUint64()
		case 5:
			v.IsPartition = p.bool()
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}
