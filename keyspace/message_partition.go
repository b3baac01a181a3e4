package keyspace

// PartitionValue is a row of ducklake_partition_info, with its rows of ducklake_partition_column.
type PartitionValue struct {
	PartitionID   uint64
	TableID       uint64
	BeginSnapshot uint64
	EndSnapshot   Optional[uint64]
	Columns       []PartitionColumn
	Extension     RowExtension
}

func (*PartitionValue) name() string { return "PartitionValue" }

// Append implements [Message].
func (v *PartitionValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.PartitionID)
	dst = appendUint64(dst, 2, v.TableID)
	dst = appendUint64(dst, 3, v.BeginSnapshot)
	dst = appendOptionalUint64(dst, 4, v.EndSnapshot)
	dst = appendEmbeddedList(dst, 5, v.Columns)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *PartitionValue) decode(payload []byte, aliased bool) error {
	*v = PartitionValue{Columns: v.Columns[:0], Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.PartitionID = p.uint64()
		case 2:
			v.TableID = p.uint64()
		case 3:
			v.BeginSnapshot = p.uint64()
		case 4:
			v.EndSnapshot = p.optionalUint64()
		case 5:
			v.Columns = parseElement(&p, v.Columns)
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}

// PartitionColumn is a row of ducklake_partition_column.
type PartitionColumn struct {
	PartitionKeyIndex uint64
	ColumnID          uint64
	Transform         string
	Extension         RowExtension
}

// Append appends the message to dst.
func (v *PartitionColumn) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.PartitionKeyIndex)
	dst = appendUint64(dst, 2, v.ColumnID)
	dst = appendString(dst, 3, v.Transform)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *PartitionColumn) decode(payload []byte, aliased bool) error {
	*v = PartitionColumn{Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.PartitionKeyIndex = p.uint64()
		case 2:
			v.ColumnID = p.uint64()
		case 3:
			v.Transform = p.string()
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}
