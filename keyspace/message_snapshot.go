package keyspace

// SnapshotValue is one row of ducklake_snapshot and one of ducklake_snapshot_changes, and what a later commit needs to
// know to see whether it is in this one's way. Field 6 is retired, field 13 taken by an unreleased line of the
// original.
type SnapshotValue struct {
	SnapshotID             uint64
	SnapshotTimeMicros     int64 // microseconds since 1970-01-01 UTC
	SchemaVersion          uint64
	NextCatalogID          uint64
	NextFileID             uint64
	ChangesMade            string
	Author                 Optional[string]
	CommitMessage          Optional[string]
	CommitExtraInfo        Optional[string]
	SchemaChangedTableIDs  []uint64     // ascending
	DeletedDataFileIDs     []uint64     // ascending
	DeletesUntargetedFiles bool         // the commit deletes rows of files that DeletedDataFileIDs does not name
	Extension              RowExtension // of the ducklake_snapshot row
	ChangesExtension       RowExtension // of the ducklake_snapshot_changes row
	ChangesAbsent          bool         // there is no ducklake_snapshot_changes row
}

func (*SnapshotValue) name() string { return "SnapshotValue" }

// Append implements [Message].
func (v *SnapshotValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.SnapshotID)
	dst = appendInt64(dst, 2, v.SnapshotTimeMicros)
	dst = appendUint64(dst, 3, v.SchemaVersion)
	dst = appendUint64(dst, 4, v.NextCatalogID)
	dst = appendUint64(dst, 5, v.NextFileID)
	dst = appendString(dst, 7, v.ChangesMade)
	dst = appendOptionalString(dst, 8, v.Author)
	dst = appendOptionalString(dst, 9, v.CommitMessage)
	dst = appendOptionalString(dst, 10, v.CommitExtraInfo)
	dst = appendPackedUint64(dst, 11, v.SchemaChangedTableIDs)
	dst = appendPackedUint64(dst, 12, v.DeletedDataFileIDs)
	dst = appendBool(dst, 14, v.DeletesUntargetedFiles)
	dst = appendExtension(dst, rowExtensionField, &v.Extension)
	dst = appendExtension(dst, changesExtensionField, &v.ChangesExtension)
	return appendBool(dst, 1002, v.ChangesAbsent)
}

func (v *SnapshotValue) decode(payload []byte, aliased bool) error {
	*v = SnapshotValue{
		SchemaChangedTableIDs: v.SchemaChangedTableIDs[:0],
		DeletedDataFileIDs:    v.DeletedDataFileIDs[:0],
		Extension:             v.Extension.emptied(),
		ChangesExtension:      v.ChangesExtension.emptied(),
	}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.SnapshotID = p.uint64()
		case 2:
			v.SnapshotTimeMicros = p.int64()
		case 3:
			v.SchemaVersion = p.uint64()
		case 4:
			v.NextCatalogID = p.uint64()
		case 5:
			v.NextFileID = p.uint64()
		case 7:
			v.ChangesMade = p.string()
		case 8:
			v.Author = p.optionalString()
		case 9:
			v.CommitMessage = p.optionalString()
		case 10:
			v.CommitExtraInfo = p.optionalString()
		case 11:
			v.SchemaChangedTableIDs = p.listUint64(v.SchemaChangedTableIDs)
		case 12:
			v.DeletedDataFileIDs = p.listUint64(v.DeletedDataFileIDs)
		case 14:
			v.DeletesUntargetedFiles = p.bool()
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		case changesExtensionField:
			parseEmbedded(&p, &v.ChangesExtension)
		case 1002:
			v.ChangesAbsent = p.bool()
		default:
			p.skip()
		}
	}
	return p.err
}

// ChangelogValue is the list of encoded current keys that a commit put or deleted: sorted bytewise, each once.
type ChangelogValue struct {
	Keys [][]byte
}

func (*ChangelogValue) name() string { return "ChangelogValue" }

// Append implements [Message].
func (v *ChangelogValue) Append(dst []byte) []byte {
	return appendByteSlices(dst, 1, v.Keys)
}

func (v *ChangelogValue) decode(payload []byte, aliased bool) error {
	*v = ChangelogValue{Keys: v.Keys[:0]}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.Keys = append(v.Keys, p.bytes())
		default:
			p.skip()
		}
	}
	return p.err
}

// SchemaVersionValue is a row of ducklake_schema_versions; its other columns are in the key.
type SchemaVersionValue struct {
	SchemaVersion uint64
	Extension     RowExtension
}

func (*SchemaVersionValue) name() string { return "SchemaVersionValue" }

// Append implements [Message].
func (v *SchemaVersionValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.SchemaVersion)
	return appendExtension(dst, rowExtensionField, &v.Extension)
}

func (v *SchemaVersionValue) decode(payload []byte, aliased bool) error {
	*v = SchemaVersionValue{Extension: v.Extension.emptied()}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.SchemaVersion = p.uint64()
		case rowExtensionField:
			parseEmbedded(&p, &v.Extension)
		default:
			p.skip()
		}
	}
	return p.err
}
