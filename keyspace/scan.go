package keyspace

import "encoding/binary"

// Prefix gives the bytes that all keys of a kind start with, or those of them that have the given first ids: all columns
// of a table are Prefix(KindCurrentColumn, tableID), the delete files of a data file
// Prefix(KindDeleteTarget, tableID, dataFileID), the tables of a schema Prefix(KindName, NameOfTable, schemaID). Ids beyond
// the kind's own match no key, and so do ids behind a string, for which [NamePrefix] and [MultiEntryPrefix] are made.
//
// It is also the key to seek to for the first one at or after the given ids.
func Prefix(kind Kind, ids ...uint64) []byte {
	prefix := kind.layout().prefix
	return appendPrefix(make([]byte, 0, len(prefix)+idSize*len(ids)), prefix, ids)
}

func appendPrefix(dst []byte, prefix string, ids []uint64) []byte {
	dst = append(dst, prefix...)
	for _, id := range ids {
		dst = binary.BigEndian.AppendUint64(dst, id)
	}
	return dst
}

// EntitiesPrefix gives the bytes that the current keys of all kinds of entity start with; files that wait for deletion,
// [KindGcFile], are not among them.
func EntitiesPrefix() []byte { return []byte(layouts[KindCurrentSchema].prefix[:2]) }

// LiveInlinePrefix gives the bytes that the live chunks and deletions of all tables start with.
func LiveInlinePrefix() []byte { return []byte(layouts[KindInlineInsert].prefix[:2]) }

// NamePrefix gives the bytes that the entries of one exact name start with. The last of them is the one to believe: names
// may repeat, and the greatest entity id wins (RFC 0002).
func NamePrefix(nameKind, parentID uint64, name string) []byte {
	dst := make([]byte, 0, 1+2*idSize+len(name)+1)
	dst = appendPrefix(dst, layouts[KindName].prefix, []uint64{nameKind, parentID})
	return appendEscaped(dst, name)
}

// MultiEntryPrefix gives the bytes that the entries of one canonical key start with, in an index that may have many rows
// for it.
func MultiEntryPrefix(indexID uint64, canonicalKey []byte) []byte {
	dst := make([]byte, 0, 2+idSize+len(canonicalKey)+1)
	dst = appendPrefix(dst, layouts[KindIndexMulti].prefix, []uint64{indexID})
	return appendEscaped(dst, canonicalKey)
}
