package keyspace

import (
	"encoding/binary"
	"fmt"
)

// maximumRepeated is the most ids that a message repeats of its key.
const maximumRepeated = 3

// identity is the ids that a message repeats of its key, in the order of the key.
type identity struct {
	components [maximumRepeated]Component
	ids        [maximumRepeated]uint64
	count      int
}

func (i *identity) add(component Component, id uint64) *identity {
	i.components[i.count], i.ids[i.count] = component, id
	i.count++
	return i
}

// identityIn gives the ids in a message; none for messages that repeat nothing.
func identityIn(message Message) (found identity) {
	switch m := message.(type) {
	case *SnapshotValue:
		found.add(SnapshotID, m.SnapshotID)
	case *SchemaValue:
		found.add(SchemaID, m.SchemaID)
	case *TableValue:
		found.add(TableID, m.TableID)
	case *ViewValue:
		found.add(ViewID, m.ViewID)
	case *MacroValue:
		found.add(MacroID, m.MacroID)
	case *ColumnValue:
		found.add(TableID, m.TableID).add(ColumnID, m.ColumnID)
	case *PartitionValue:
		found.add(TableID, m.TableID).add(PartitionID, m.PartitionID)
	case *SortValue:
		found.add(TableID, m.TableID).add(SortID, m.SortID)
	case *IndexValue:
		found.add(TableID, m.TableID).add(IndexID, m.IndexID)
	case *MappingValue:
		found.add(TableID, m.TableID).add(MappingID, m.MappingID)
	case *DataFileValue:
		found.add(TableID, m.TableID).add(DataFileID, m.DataFileID)
	case *DeleteFileValue:
		found.add(TableID, m.TableID).add(DeleteFileID, m.DeleteFileID)
	case *FileColumnStatsValue:
		found.add(TableID, m.TableID).add(DataFileID, m.DataFileID).add(ColumnID, m.ColumnID)
	case *TableStatsValue:
		found.add(TableID, m.TableID)
	case *TableColumnStatsValue:
		found.add(TableID, m.TableID).add(ColumnID, m.ColumnID)
	case *TagValue:
		found.add(ObjectID, m.ObjectID)
	case *GcFileValue:
		found.add(DataFileID, m.DataFileID)
	}
	return found
}

// Lifetime is when a version of an entity begins and ends.
type Lifetime struct {
	Begin uint64
	End   Optional[uint64]
}

// LifetimeOf gives the lifetime of an entity's version; false for messages that have none.
func LifetimeOf(message Message) (Lifetime, bool) {
	switch m := message.(type) {
	case *SchemaValue:
		return Lifetime{m.BeginSnapshot, m.EndSnapshot}, true
	case *TableValue:
		return Lifetime{m.BeginSnapshot, m.EndSnapshot}, true
	case *ViewValue:
		return Lifetime{m.BeginSnapshot, m.EndSnapshot}, true
	case *MacroValue:
		return Lifetime{m.BeginSnapshot, m.EndSnapshot}, true
	case *ColumnValue:
		return Lifetime{m.BeginSnapshot, m.EndSnapshot}, true
	case *PartitionValue:
		return Lifetime{m.BeginSnapshot, m.EndSnapshot}, true
	case *SortValue:
		return Lifetime{m.BeginSnapshot, m.EndSnapshot}, true
	case *IndexValue:
		return Lifetime{m.BeginSnapshot, m.EndSnapshot}, true
	case *DataFileValue:
		return Lifetime{m.BeginSnapshot, m.EndSnapshot}, true
	case *DeleteFileValue:
		return Lifetime{m.BeginSnapshot, m.EndSnapshot}, true
	}
	return Lifetime{}, false
}

// DecodeRecord reads the value of a key into a message, as [DecodeMessage] does, and refuses it when it is that of another
// key. The key must decode.
func DecodeRecord(key, value []byte, message Message) error {
	if err := DecodeMessage(value, message); err != nil {
		return err
	}
	return CheckIdentity(key, message)
}

// DecodeRecordAliased is DecodeRecord without copies, as [DecodeMessageAliased].
func DecodeRecordAliased(key, value []byte, message Message) error {
	if err := DecodeMessageAliased(value, message); err != nil {
		return err
	}
	return CheckIdentity(key, message)
}

// CheckIdentity refuses a decoded value that was written under another key, or for another kind: what it repeats of its
// key must agree. The key must decode. The error wraps [ErrCorrupt].
func CheckIdentity(key []byte, message Message) error {
	if different := Difference(key, message); different != "" {
		return fmt.Errorf("%w: %s has %s, unlike its key", ErrCorrupt, message.name(), different)
	}
	return nil
}

// Difference says what a value has that the key that it is stored under has not, of the ids and of where a version ends; ""
// when they agree. The key must decode.
func Difference(key []byte, message Message) string {
	ids, ended := key, Subspace(key[0]) == SubspaceHistory
	if ended {
		ids = key[:len(key)-idSize]
	}
	found := identityIn(message)
	if found.count > 0 {
		ids = ids[len(ids)-idSize*found.count:]
	}
	for i := range found.count {
		if found.ids[i] != binary.BigEndian.Uint64(ids[idSize*i:]) {
			return fmt.Sprintf("%s %d", found.components[i], found.ids[i])
		}
	}
	of, versioned := LifetimeOf(message)
	switch {
	case !versioned:
		return differenceInline(key, message)
	case !ended && of.End.Set:
		return fmt.Sprintf("end_snapshot %d", of.End.Value)
	case ended && !of.End.Set:
		return "no end_snapshot"
	case ended && of.End.Value != lastID(key):
		return fmt.Sprintf("end_snapshot %d", of.End.Value)
	}
	return ""
}

func lastID(key []byte) uint64 { return binary.BigEndian.Uint64(key[len(key)-idSize:]) }

// differenceInline is difference for the values of inlined data.
func differenceInline(key []byte, message Message) string {
	switch m := message.(type) {
	case *InlineChunkRangeValue:
		decoded, err := DecodeKey(key)
		if err != nil || decoded.kind != KindInlineChunkLocator {
			return ""
		}
		if m.SchemaVersion != decoded.Component(SchemaVersion) || m.BeginSnapshot != decoded.Component(BeginSnapshot) ||
			m.ChunkSequence != decoded.Component(ChunkSequence) {
			return fmt.Sprintf("schema_version %d, begin_snapshot %d, chunk_seq %d", m.SchemaVersion, m.BeginSnapshot, m.ChunkSequence)
		}
	case *InlineInlineDeleteValue:
		decoded, err := DecodeKey(key)
		if err == nil && decoded.kind == KindInlineRowTombstone && m.EndSnapshot != decoded.Component(EndSnapshot) {
			return fmt.Sprintf("end_snapshot %d", m.EndSnapshot)
		}
	}
	return ""
}
