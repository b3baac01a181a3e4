package keyspace

// Statistics are text whatever the column's type, and are kept verbatim: what they mean is DuckLake's to know.

// FileColumnStatsValue is a row of ducklake_file_column_stats, with its rows of ducklake_file_variant_stats.
type FileColumnStatsValue struct {
	DataFileID      uint64
	TableID         uint64
	ColumnID        uint64
	ColumnSizeBytes uint64
	ValueCount      uint64
	NullCount       uint64
	MinValue        Optional[string]
	MaxValue        Optional[string]
	ContainsNaN     Optional[bool]
	ExtraStats      Optional[string]
	VariantStats    []FileVariantStats
	Extension       RowExtension
}

func (*FileColumnStatsValue) name() string { return "FileColumnStatsValue" }

// Append implements [Message].
func (v *FileColumnStatsValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.DataFileID)
	dst = appendUint64(dst, 2, v.TableID)
	dst = appendUint64(dst, 3, v.ColumnID)
	dst = appendUint64(dst, 4, v.ColumnSizeBytes)
	dst = appendUint64(dst, 5, v.ValueCount)
	dst = appendUint64(dst, 6, v.NullCount)
	dst = appendOptionalString(dst, 7, v.MinValue)
	dst = appendOptionalString(dst, 8, v.MaxValue)
	dst = appendOptionalBool(dst, 9, v.ContainsNaN)
	dst = appendOptionalString(dst, 10, v.ExtraStats)
	dst = appendEmbeddedList(dst, 11, v.VariantStats)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *FileColumnStatsValue) decode(payload []byte, aliased bool) error {
	*v = FileColumnStatsValue{VariantStats: v.VariantStats[:0], Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.DataFileID = p.uint64()
		case 2:
			v.TableID = p.uint64()
		case 3:
			v.ColumnID = p.uint64()
		case 4:
			v.ColumnSizeBytes = p.uint64()
		case 5:
			v.ValueCount = p.uint64()
		case 6:
			v.NullCount = p.uint64()
		case 7:
			v.MinValue = p.optionalString()
		case 8:
			v.MaxValue = p.optionalString()
		case 9:
			v.ContainsNaN = p.optionalBool()
		case 10:
			v.ExtraStats = p.optionalString()
		case 11:
			v.VariantStats = parseElement(&p, v.VariantStats)
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}

// FileVariantStats is a row of ducklake_file_variant_stats.
type FileVariantStats struct {
	VariantPath     string
	ShreddedType    string
	ColumnSizeBytes uint64
	ValueCount      uint64
	NullCount       uint64
	MinValue        Optional[string]
	MaxValue        Optional[string]
	ContainsNaN     Optional[bool]
	ExtraStats      Optional[string]
	Extension       RowExtension
}

// Append appends the message to dst.
func (v *FileVariantStats) Append(dst []byte) []byte {
	dst = appendString(dst, 1, v.VariantPath)
	dst = appendString(dst, 2, v.ShreddedType)
	dst = appendUint64(dst, 3, v.ColumnSizeBytes)
	dst = appendUint64(dst, 4, v.ValueCount)
	dst = appendUint64(dst, 5, v.NullCount)
	dst = appendOptionalString(dst, 6, v.MinValue)
	dst = appendOptionalString(dst, 7, v.MaxValue)
	dst = appendOptionalBool(dst, 8, v.ContainsNaN)
	dst = appendOptionalString(dst, 9, v.ExtraStats)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *FileVariantStats) decode(payload []byte, aliased bool) error {
	*v = FileVariantStats{Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.VariantPath = p.string()
		case 2:
			v.ShreddedType = p.string()
		case 3:
			v.ColumnSizeBytes = p.uint64()
		case 4:
			v.ValueCount = p.uint64()
		case 5:
			v.NullCount = p.uint64()
		case 6:
			v.MinValue = p.optionalString()
		case 7:
			v.MaxValue = p.optionalString()
		case 8:
			v.ContainsNaN = p.optionalBool()
		case 9:
			v.ExtraStats = p.optionalString()
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}

// TableStatsValue is a row of ducklake_table_stats.
type TableStatsValue struct {
	TableID       uint64
	RecordCount   uint64
	NextRowID     uint64
	FileSizeBytes uint64
	Extension     RowExtension
}

func (*TableStatsValue) name() string { return "TableStatsValue" }

// Append implements [Message].
func (v *TableStatsValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.TableID)
	dst = appendUint64(dst, 2, v.RecordCount)
	dst = appendUint64(dst, 3, v.NextRowID)
	dst = appendUint64(dst, 4, v.FileSizeBytes)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *TableStatsValue) decode(payload []byte, aliased bool) error {
	*v = TableStatsValue{Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.TableID = p.uint64()
		case 2:
			v.RecordCount = p.uint64()
		case 3:
			v.NextRowID = p.uint64()
		case 4:
			v.FileSizeBytes = p.uint64()
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}

// TableColumnStatsValue is a row of ducklake_table_column_stats.
type TableColumnStatsValue struct {
	TableID      uint64
	ColumnID     uint64
	ContainsNull Optional[bool]
	ContainsNaN  Optional[bool]
	MinValue     Optional[string]
	MaxValue     Optional[string]
	ExtraStats   Optional[string]
	Extension    RowExtension
}

func (*TableColumnStatsValue) name() string { return "TableColumnStatsValue" }

// Append implements [Message].
func (v *TableColumnStatsValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.TableID)
	dst = appendUint64(dst, 2, v.ColumnID)
	dst = appendOptionalBool(dst, 3, v.ContainsNull)
	dst = appendOptionalBool(dst, 4, v.ContainsNaN)
	dst = appendOptionalString(dst, 5, v.MinValue)
	dst = appendOptionalString(dst, 6, v.MaxValue)
	dst = appendOptionalString(dst, 7, v.ExtraStats)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *TableColumnStatsValue) decode(payload []byte, aliased bool) error {
	*v = TableColumnStatsValue{Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.TableID = p.uint64()
		case 2:
			v.ColumnID = p.uint64()
		case 3:
			v.ContainsNull = p.optionalBool()
		case 4:
			v.ContainsNaN = p.optionalBool()
		case 5:
			v.MinValue = p.optionalString()
		case 6:
			v.MaxValue = p.optionalString()
		case 7:
			v.ExtraStats = p.optionalString()
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}
