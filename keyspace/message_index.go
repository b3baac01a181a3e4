package keyspace

import (
	"encoding/binary"
	"fmt"
)

// IndexValue is the definition of an equality index (RFC 0016), which no DuckLake table shows.
type IndexValue struct {
	IndexID             uint64
	TableID             uint64
	BeginSnapshot       uint64
	EndSnapshot         Optional[uint64]
	IndexName           string
	ColumnIDs           []uint64
	Unique              bool
	BuildState          Optional[string] // absent: ready
	BuildCursorFile     Optional[uint64]
	BuildCursorRowID    Optional[uint64]
	BuildDeletesScanned Optional[uint64]
	Poisoned            Optional[bool]
	DucklakeIndexID     Optional[uint64] // reserved
	ColumnDescending    []bool           // empty: all ascending
	ColumnNullsFirst    []bool           // empty: all NULLS LAST
	BuildCursorPosition Optional[uint64]
	DeferredMaintenance Optional[bool]
	BuildInlineCursor   Optional[InlineBuildCursorValue]
}

func (*IndexValue) name() string { return "IndexValue" }

// Append implements [Message].
func (v *IndexValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.IndexID)
	dst = appendUint64(dst, 2, v.TableID)
	dst = appendUint64(dst, 3, v.BeginSnapshot)
	dst = appendOptionalUint64(dst, 4, v.EndSnapshot)
	dst = appendString(dst, 5, v.IndexName)
	dst = appendPackedUint64(dst, 6, v.ColumnIDs)
	dst = appendBool(dst, 7, v.Unique)
	dst = appendOptionalString(dst, 8, v.BuildState)
	dst = appendOptionalUint64(dst, 9, v.BuildCursorFile)
	dst = appendOptionalUint64(dst, 10, v.BuildCursorRowID)
	dst = appendOptionalUint64(dst, 11, v.BuildDeletesScanned)
	dst = appendOptionalBool(dst, 12, v.Poisoned)
	dst = appendOptionalUint64(dst, 13, v.DucklakeIndexID)
	dst = appendPackedBool(dst, 14, v.ColumnDescending)
	dst = appendPackedBool(dst, 15, v.ColumnNullsFirst)
	dst = appendOptionalUint64(dst, 16, v.BuildCursorPosition)
	dst = appendOptionalBool(dst, 17, v.DeferredMaintenance)
	if v.BuildInlineCursor.Set {
		dst = appendEmbedded(dst, 18, &v.BuildInlineCursor.Value)
	}
	return dst
}

func (v *IndexValue) decode(payload []byte, aliased bool) error {
	*v = IndexValue{
		ColumnIDs:        v.ColumnIDs[:0],
		ColumnDescending: v.ColumnDescending[:0],
		ColumnNullsFirst: v.ColumnNullsFirst[:0],
	}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.IndexID = p.uint64()
		case 2:
			v.TableID = p.uint64()
		case 3:
			v.BeginSnapshot = p.uint64()
		case 4:
			v.EndSnapshot = p.optionalUint64()
		case 5:
			v.IndexName = p.string()
		case 6:
			v.ColumnIDs = p.listUint64(v.ColumnIDs)
		case 7:
			v.Unique = p.bool()
		case 8:
			v.BuildState = p.optionalString()
		case 9:
			v.BuildCursorFile = p.optionalUint64()
		case 10:
			v.BuildCursorRowID = p.optionalUint64()
		case 11:
			v.BuildDeletesScanned = p.optionalUint64()
		case 12:
			v.Poisoned = p.optionalBool()
		case 13:
			v.DucklakeIndexID = p.optionalUint64()
		case 14:
			v.ColumnDescending = p.listBool(v.ColumnDescending)
		case 15:
			v.ColumnNullsFirst = p.listBool(v.ColumnNullsFirst)
		case 16:
			v.BuildCursorPosition = p.optionalUint64()
		case 17:
			v.DeferredMaintenance = p.optionalBool()
		case 18:
			v.BuildInlineCursor.Set = true
			parseEmbedded(&p, &v.BuildInlineCursor.Value)
		default:
			p.skip()
		}
	}
	return p.err
}

// InlineBuildCursorValue is how far the building of an index has come in the inlined rows.
type InlineBuildCursorValue struct {
	SchemaVersion   uint64
	BeginSnapshot   uint64
	ChunkSequence   uint64
	NextPosition    uint64
	ChunkFinished   bool
	Complete        bool
	CoveredSnapshot uint64
}

// Append appends the message to dst.
func (v *InlineBuildCursorValue) Append(dst []byte) []byte {
	dst = appendUint64(dst, 1, v.SchemaVersion)
	dst = appendUint64(dst, 2, v.BeginSnapshot)
	dst = appendUint64(dst, 3, v.ChunkSequence)
	dst = appendUint64(dst, 4, v.NextPosition)
	dst = appendBool(dst, 5, v.ChunkFinished)
	dst = appendBool(dst, 6, v.Complete)
	return appendUint64(dst, 7, v.CoveredSnapshot)
}

func (v *InlineBuildCursorValue) decode(payload []byte, aliased bool) error {
	*v = InlineBuildCursorValue{}
	p := parser{data: payload, aliased: aliased}
	for p.next() {
		switch p.number {
		case 1:
			v.SchemaVersion = p.uint64()
		case 2:
			v.BeginSnapshot = p.uint64()
		case 3:
			v.ChunkSequence = p.uint64()
		case 4:
			v.NextPosition = p.uint64()
		case 5:
			v.ChunkFinished = p.bool()
		case 6:
			v.Complete = p.bool()
		case 7:
			v.CoveredSnapshot = p.uint64()
		default:
			p.skip()
		}
	}
	return p.err
}

// IndexUniqueValue is the row that an index entry of one row for each canonical key points to. It has no frame.
type IndexUniqueValue struct {
	RowID uint64
}

func (*IndexUniqueValue) name() string { return "IndexUniqueValue" }

// Append implements [Message].
func (v *IndexUniqueValue) Append(dst []byte) []byte {
	return binary.BigEndian.AppendUint64(dst, v.RowID)
}

func (v *IndexUniqueValue) decode(payload []byte, _ bool) error {
	if len(payload) != idSize {
		return fmt.Errorf("%d bytes: expected a row id of %d", len(payload), idSize)
	}
	v.RowID = binary.BigEndian.Uint64(payload)
	return nil
}

// EmptyValue is the value of keys that say everything: index entries with a row id, names and delete targets. It is zero
// bytes, without a frame.
type EmptyValue struct{}

func (*EmptyValue) name() string { return "EmptyValue" }

// Append implements [Message].
func (*EmptyValue) Append(dst []byte) []byte { return dst }

func (*EmptyValue) decode(payload []byte, _ bool) error {
	if len(payload) != 0 {
		return fmt.Errorf("%d bytes: expected none", len(payload))
	}
	return nil
}
