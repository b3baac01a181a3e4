package keyspace

// DataFileValue is a row of ducklake_data_file, with its rows of ducklake_file_partition_value.
type DataFileValue struct {
	DataFileID      uint64
	TableID         uint64
	BeginSnapshot   uint64
	EndSnapshot     Optional[uint64]
	FileOrder       Optional[uint64]
	Path            string
	PathIsRelative  bool
	FileFormat      string
	RecordCount     uint64
	FileSizeBytes   uint64
	FooterSize      uint64
	RowIDStart      Optional[uint64] // absent: the rows carry their ids
	PartitionID     Optional[uint64]
	EncryptionKey   Optional[string]
	MappingID       Optional[uint64]
	PartialMax      Optional[uint64]
	PartitionValues []FilePartitionValue
	Extension       RowExtension
}

func (*DataFileValue) name() string { return "DataFileValue" }

// Append implements [Message].
func (v *DataFileValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.DataFileID)
	dst = appendUint64(dst, 2, v.TableID)
	dst = appendUint64(dst, 3, v.BeginSnapshot)
	dst = appendOptionalUint64(dst, 4, v.EndSnapshot)
	dst = appendOptionalUint64(dst, 5, v.FileOrder)
	dst = appendString(dst, 6, v.Path)
	dst = appendBool(dst, 7, v.PathIsRelative)
	dst = appendString(dst, 8, v.FileFormat)
	dst = appendUint64(dst, 9, v.RecordCount)
	dst = appendUint64(dst, 10, v.FileSizeBytes)
	dst = appendUint64(dst, 11, v.FooterSize)
	dst = appendOptionalUint64(dst, 12, v.RowIDStart)
	dst = appendOptionalUint64(dst, 13, v.PartitionID)
	dst = appendOptionalString(dst, 14, v.EncryptionKey)
	dst = appendOptionalUint64(dst, 15, v.MappingID)
	dst = appendOptionalUint64(dst, 16, v.PartialMax)
	dst = appendEmbeddedList(dst, 17, v.PartitionValues)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *DataFileValue) decode(payload []byte, aliased bool) error {
	*v = DataFileValue{PartitionValues: v.PartitionValues[:0], Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.DataFileID = p.uint64()
		case 2:
			v.TableID = p.uint64()
		case 3:
			v.BeginSnapshot = p.uint64()
		case 4:
			v.EndSnapshot = p.optionalUint64()
		case 5:
			v.FileOrder = p.optionalUint64()
		case 6:
			v.Path = p.string()
		case 7:
			v.PathIsRelative = p.bool()
		case 8:
			v.FileFormat = p.string()
		case 9:
			v.RecordCount = p.uint64()
		case 10:
			v.FileSizeBytes = p.uint64()
		case 11:
			v.FooterSize = p.uint64()
		case 12:
			v.RowIDStart = p.optionalUint64()
		case 13:
			v.PartitionID = p.optionalUint64()
		case 14:
			v.EncryptionKey = p.optionalString()
		case 15:
			v.MappingID = p.optionalUint64()
		case 16:
			v.PartialMax = p.optionalUint64()
		case 17:
			v.PartitionValues = parseElement(&p, v.PartitionValues)
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}

// FilePartitionValue is a row of ducklake_file_partition_value.
type FilePartitionValue struct {
	PartitionKeyIndex uint64
	PartitionValue    string
	Extension         RowExtension
}

// Append appends the message to dst.
func (v *FilePartitionValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.PartitionKeyIndex)
	dst = appendString(dst, 2, v.PartitionValue)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *FilePartitionValue) decode(payload []byte, aliased bool) error {
	*v = FilePartitionValue{Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.PartitionKeyIndex = p.uint64()
		case 2:
			v.PartitionValue = p.string()
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}

// DeleteFileValue is a row of ducklake_delete_file.
type DeleteFileValue struct {
	DeleteFileID   uint64
	TableID        uint64
	BeginSnapshot  uint64
	EndSnapshot    Optional[uint64]
	DataFileID     uint64
	Path           string
	PathIsRelative bool
	Format         string
	DeleteCount    uint64
	FileSizeBytes  uint64
	FooterSize     uint64
	EncryptionKey  Optional[string]
	PartialMax     Optional[uint64]
	Extension      RowExtension
}

func (*DeleteFileValue) name() string { return "DeleteFileValue" }

// Append implements [Message].
func (v *DeleteFileValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.DeleteFileID)
	dst = appendUint64(dst, 2, v.TableID)
	dst = appendUint64(dst, 3, v.BeginSnapshot)
	dst = appendOptionalUint64(dst, 4, v.EndSnapshot)
	dst = appendUint64(dst, 5, v.DataFileID)
	dst = appendString(dst, 6, v.Path)
	dst = appendBool(dst, 7, v.PathIsRelative)
	dst = appendString(dst, 8, v.Format)
	dst = appendUint64(dst, 9, v.DeleteCount)
	dst = appendUint64(dst, 10, v.FileSizeBytes)
	dst = appendUint64(dst, 11, v.FooterSize)
	dst = appendOptionalString(dst, 12, v.EncryptionKey)
	dst = appendOptionalUint64(dst, 13, v.PartialMax)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *DeleteFileValue) decode(payload []byte, aliased bool) error {
	*v = DeleteFileValue{Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.DeleteFileID = p.uint64()
		case 2:
			v.TableID = p.uint64()
		case 3:
			v.BeginSnapshot = p.uint64()
		case 4:
			v.EndSnapshot = p.optionalUint64()
		case 5:
			v.DataFileID = p.uint64()
		case 6:
			v.Path = p.string()
		case 7:
			v.PathIsRelative = p.bool()
		case 8:
			v.Format = p.string()
		case 9:
			v.DeleteCount = p.uint64()
		case 10:
			v.FileSizeBytes = p.uint64()
		case 11:
			v.FooterSize = p.uint64()
		case 12:
			v.EncryptionKey = p.optionalString()
		case 13:
			v.PartialMax = p.optionalUint64()
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}

// GcFileValue is a row of ducklake_files_scheduled_for_deletion: a data file or a delete file.
type GcFileValue struct {
	DataFileID          uint64
	Path                string
	PathIsRelative      bool
	ScheduleStartMicros int64 // microseconds since 1970-01-01 UTC
	Extension           RowExtension
}

func (*GcFileValue) name() string { return "GcFileValue" }

// Append implements [Message].
func (v *GcFileValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.DataFileID)
	dst = appendString(dst, 2, v.Path)
	dst = appendBool(dst, 3, v.PathIsRelative)
	dst = appendInt64(dst, 4, v.ScheduleStartMicros)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *GcFileValue) decode(payload []byte, aliased bool) error {
	*v = GcFileValue{Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.DataFileID = p.uint64()
		case 2:
			v.Path = p.string()
		case 3:
			v.PathIsRelative = p.bool()
		case 4:
			v.ScheduleStartMicros = p.int64()
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}
