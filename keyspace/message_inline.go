package keyspace

// InlineSchemaValue is the Arrow schema of a schema version, and so a row of ducklake_inlined_data_tables. It has
// either the schema or, when another version of the table has the same bytes, that version, which then has the schema
// itself.
type InlineSchemaValue struct {
	ArrowSchema   []byte // an Arrow IPC stream that holds only the schema
	SameAsVersion Optional[uint64]
	Extension     RowExtension
}

func (*InlineSchemaValue) name() string { return "InlineSchemaValue" }

// Append implements [Message].
func (v *InlineSchemaValue) Append(dst []byte) []byte {
	dst = appendBytes(dst, 1, v.ArrowSchema)
	dst = appendOptionalUint64(dst, 2, v.SameAsVersion)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *InlineSchemaValue) decode(payload []byte, aliased bool) error {
	*v = InlineSchemaValue{Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.ArrowSchema = p.bytes()
		case 2:
			v.SameAsVersion = p.optionalUint64()
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}

// InlineChunkValue is a chunk of inlined rows, whose row ids are dense.
type InlineChunkValue struct {
	Body       []byte // length of the Arrow message (4 bytes, little endian), the message, its buffers
	RowIDStart uint64
	RowCount   uint64
	DataFileID Optional[uint64] // of archived chunks; never written
}

func (*InlineChunkValue) name() string { return "InlineChunkValue" }

// Append implements [Message].
func (v *InlineChunkValue) Append(dst []byte) []byte {
	dst = appendBytes(dst, 1, v.Body)
	dst = appendUint64(dst, 2, v.RowIDStart)
	dst = appendUint64(dst, 3, v.RowCount)
	return appendOptionalUint64(dst, 4, v.DataFileID)
}

func (v *InlineChunkValue) decode(payload []byte, aliased bool) error {
	*v = InlineChunkValue{}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.Body = p.bytes()
		case 2:
			v.RowIDStart = p.uint64()
		case 3:
			v.RowCount = p.uint64()
		case 4:
			v.DataFileID = p.optionalUint64()
		default:
			p.skip()
		}
	}
	return p.err
}

// InlineChunkRangeValue says which chunk the row ids from RowIDStart to that of the key are in.
type InlineChunkRangeValue struct {
	RowIDStart    uint64
	SchemaVersion uint64
	BeginSnapshot uint64
	ChunkSequence uint64
}

func (*InlineChunkRangeValue) name() string { return "InlineChunkRangeValue" }

// Append implements [Message].
func (v *InlineChunkRangeValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.RowIDStart)
	dst = appendUint64(dst, 2, v.SchemaVersion)
	dst = appendUint64(dst, 3, v.BeginSnapshot)
	return appendUint64(dst, 4, v.ChunkSequence)
}

func (v *InlineChunkRangeValue) decode(payload []byte, aliased bool) error {
	*v = InlineChunkRangeValue{}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.RowIDStart = p.uint64()
		case 2:
			v.SchemaVersion = p.uint64()
		case 3:
			v.BeginSnapshot = p.uint64()
		case 4:
			v.ChunkSequence = p.uint64()
		default:
			p.skip()
		}
	}
	return p.err
}

// InlineInlineDeleteValue is the deletion of an inlined row.
type InlineInlineDeleteValue struct {
	EndSnapshot uint64
}

func (*InlineInlineDeleteValue) name() string { return "InlineInlineDeleteValue" }

// Append implements [Message].
func (v *InlineInlineDeleteValue) Append(dst []byte) []byte {
	return appendUint64(dst, 1, v.EndSnapshot)
}

func (v *InlineInlineDeleteValue) decode(payload []byte, aliased bool) error {
	*v = InlineInlineDeleteValue{}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.EndSnapshot = p.uint64()
		default:
			p.skip()
		}
	}
	return p.err
}

// InlineFileDeleteValue is a row of ducklake_inlined_delete_<table>; its other columns are in the key.
type InlineFileDeleteValue struct {
	BeginSnapshot uint64
	Extension     RowExtension
}

func (*InlineFileDeleteValue) name() string { return "InlineFileDeleteValue" }

// Append implements [Message].
func (v *InlineFileDeleteValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.BeginSnapshot)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *InlineFileDeleteValue) decode(payload []byte, aliased bool) error {
	*v = InlineFileDeleteValue{Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.BeginSnapshot = p.uint64()
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}

// InlineFileDeleteTableValue says by being there that ducklake_inlined_delete_<table> exists. It is an empty message in
// a frame.
type InlineFileDeleteTableValue struct{}

func (*InlineFileDeleteTableValue) name() string { return "InlineFileDeleteTableValue" }

// Append implements [Message].
func (*InlineFileDeleteTableValue) Append(dst []byte) []byte { return dst }

func (*InlineFileDeleteTableValue) decode(payload []byte, aliased bool) error {
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		p.skip()
	}
	return p.err
}

// InlineSchemaDroppedValue says by being there that a schema version is no longer in ducklake_inlined_data_tables. The
// original writes it empty.
type InlineSchemaDroppedValue struct {
	TableKept bool // the table ducklake_inlined_data_<table>_<version> still exists; Moraine's extension
}

func (*InlineSchemaDroppedValue) name() string { return "InlineSchemaDroppedValue" }

// Append implements [Message].
func (v *InlineSchemaDroppedValue) Append(dst []byte) []byte {
	return appendBool(dst, 1000, v.TableKept)
}

func (v *InlineSchemaDroppedValue) decode(payload []byte, aliased bool) error {
	*v = InlineSchemaDroppedValue{}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1000:
			v.TableKept = p.bool()
		default:
			p.skip()
		}
	}
	return p.err
}
