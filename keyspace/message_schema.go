package keyspace

// SchemaValue is a row of ducklake_schema.
type SchemaValue struct {
	SchemaID       uint64
	SchemaUUID     string
	BeginSnapshot  uint64
	EndSnapshot    Optional[uint64]
	SchemaName     string
	Path           string
	PathIsRelative bool
	Extension      RowExtension
}

func (*SchemaValue) name() string { return "SchemaValue" }

// Append implements [Message].
func (v *SchemaValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.SchemaID)
	dst = appendString(dst, 2, v.SchemaUUID)
	dst = appendUint64(dst, 3, v.BeginSnapshot)
	dst = appendOptionalUint64(dst, 4, v.EndSnapshot)
	dst = appendString(dst, 5, v.SchemaName)
	dst = appendString(dst, 6, v.Path)
	dst = appendBool(dst, 7, v.PathIsRelative)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *SchemaValue) decode(payload []byte, aliased bool) error {
	*v = SchemaValue{Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.SchemaID = p.uint64()
		case 2:
			v.SchemaUUID = p.string()
		case 3:
			v.BeginSnapshot = p.uint64()
		case 4:
			v.EndSnapshot = p.optionalUint64()
		case 5:
			v.SchemaName = p.string()
		case 6:
			v.Path = p.string()
		case 7:
			v.PathIsRelative = p.bool()
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}

// TableValue is a row of ducklake_table.
type TableValue struct {
	TableID        uint64
	TableUUID      string
	BeginSnapshot  uint64
	EndSnapshot    Optional[uint64]
	SchemaID       uint64
	TableName      string
	Path           string
	PathIsRelative bool
	NextColumnID   uint64 // the original's counter of column ids, from 1; no column of the row
	Extension      RowExtension
}

func (*TableValue) name() string { return "TableValue" }

// Append implements [Message].
func (v *TableValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.TableID)
	dst = appendString(dst, 2, v.TableUUID)
	dst = appendUint64(dst, 3, v.BeginSnapshot)
	dst = appendOptionalUint64(dst, 4, v.EndSnapshot)
	dst = appendUint64(dst, 5, v.SchemaID)
	dst = appendString(dst, 6, v.TableName)
	dst = appendString(dst, 7, v.Path)
	dst = appendBool(dst, 8, v.PathIsRelative)
	dst = appendUint64(dst, 9, v.NextColumnID)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *TableValue) decode(payload []byte, aliased bool) error {
	*v = TableValue{Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.TableID = p.uint64()
		case 2:
			v.TableUUID = p.string()
		case 3:
			v.BeginSnapshot = p.uint64()
		case 4:
			v.EndSnapshot = p.optionalUint64()
		case 5:
			v.SchemaID = p.uint64()
		case 6:
			v.TableName = p.string()
		case 7:
			v.Path = p.string()
		case 8:
			v.PathIsRelative = p.bool()
		case 9:
			v.NextColumnID = p.uint64()
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}

// ViewValue is a row of ducklake_view.
type ViewValue struct {
	ViewID        uint64
	ViewUUID      string
	BeginSnapshot uint64
	EndSnapshot   Optional[uint64]
	SchemaID      uint64
	ViewName      string
	Dialect       string
	SQL           string
	ColumnAliases Optional[string]
	Extension     RowExtension
}

func (*ViewValue) name() string { return "ViewValue" }

// Append implements [Message].
func (v *ViewValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.ViewID)
	dst = appendString(dst, 2, v.ViewUUID)
	dst = appendUint64(dst, 3, v.BeginSnapshot)
	dst = appendOptionalUint64(dst, 4, v.EndSnapshot)
	dst = appendUint64(dst, 5, v.SchemaID)
	dst = appendString(dst, 6, v.ViewName)
	dst = appendString(dst, 7, v.Dialect)
	dst = appendString(dst, 8, v.SQL)
	dst = appendOptionalString(dst, 9, v.ColumnAliases)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *ViewValue) decode(payload []byte, aliased bool) error {
	*v = ViewValue{Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.ViewID = p.uint64()
		case 2:
			v.ViewUUID = p.string()
		case 3:
			v.BeginSnapshot = p.uint64()
		case 4:
			v.EndSnapshot = p.optionalUint64()
		case 5:
			v.SchemaID = p.uint64()
		case 6:
			v.ViewName = p.string()
		case 7:
			v.Dialect = p.string()
		case 8:
			v.SQL = p.string()
		case 9:
			v.ColumnAliases = p.optionalString()
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}
