package keyspace

// ColumnValue is a row of ducklake_column, with the rows of ducklake_column_tag.
type ColumnValue struct {
	ColumnID            uint64
	BeginSnapshot       uint64
	EndSnapshot         Optional[uint64]
	TableID             uint64
	ColumnOrder         uint64
	ColumnName          string
	ColumnType          string
	InitialDefault      Optional[string]
	DefaultValue        Optional[string]
	NullsAllowed        bool
	ParentColumn        Optional[uint64]
	DefaultValueType    Optional[string]
	DefaultValueDialect Optional[string]
	Tags                []ColumnTag
	Extension           RowExtension
}

func (*ColumnValue) name() string { return "ColumnValue" }

// Append implements [Message].
func (v *ColumnValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.ColumnID)
	dst = appendUint64(dst, 2, v.BeginSnapshot)
	dst = appendOptionalUint64(dst, 3, v.EndSnapshot)
	dst = appendUint64(dst, 4, v.TableID)
	dst = appendUint64(dst, 5, v.ColumnOrder)
	dst = appendString(dst, 6, v.ColumnName)
	dst = appendString(dst, 7, v.ColumnType)
	dst = appendOptionalString(dst, 8, v.InitialDefault)
	dst = appendOptionalString(dst, 9, v.DefaultValue)
	dst = appendBool(dst, 10, v.NullsAllowed)
	dst = appendOptionalUint64(dst, 11, v.ParentColumn)
	dst = appendOptionalString(dst, 12, v.DefaultValueType)
	dst = appendOptionalString(dst, 13, v.DefaultValueDialect)
	dst = appendEmbeddedList(dst, 14, v.Tags)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *ColumnValue) decode(payload []byte, aliased bool) error {
	*v = ColumnValue{Tags: v.Tags[:0], Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.ColumnID = p.uint64()
		case 2:
			v.BeginSnapshot = p.uint64()
		case 3:
			v.EndSnapshot = p.optionalUint64()
		case 4:
			v.TableID = p.uint64()
		case 5:
			v.ColumnOrder = p.uint64()
		case 6:
			v.ColumnName = p.string()
		case 7:
			v.ColumnType = p.string()
		case 8:
			v.InitialDefault = p.optionalString()
		case 9:
			v.DefaultValue = p.optionalString()
		case 10:
			v.NullsAllowed = p.bool()
		case 11:
			v.ParentColumn = p.optionalUint64()
		case 12:
			v.DefaultValueType = p.optionalString()
		case 13:
			v.DefaultValueDialect = p.optionalString()
		case 14:
			v.Tags = parseElement(&p, v.Tags)
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}

// ColumnTag is a row of ducklake_column_tag.
type ColumnTag struct {
	BeginSnapshot uint64
	EndSnapshot   Optional[uint64]
	Key           string
	Value         string
	Extension     RowExtension
}

// Append appends the message to dst.
func (v *ColumnTag) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.BeginSnapshot)
	dst = appendOptionalUint64(dst, 2, v.EndSnapshot)
	dst = appendString(dst, 3, v.Key)
	dst = appendString(dst, 4, v.Value)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *ColumnTag) decode(payload []byte, aliased bool) error {
	*v = ColumnTag{Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.BeginSnapshot = p.uint64()
		case 2:
			v.EndSnapshot = p.optionalUint64()
		case 3:
			v.Key = p.string()
		case 4:
			v.Value = p.string()
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}
