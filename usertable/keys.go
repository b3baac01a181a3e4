package usertable

import (
	"encoding/binary"

	"moraine/keyspace"
)

// Tags behind the byte of the subspace.
const (
	counterTag byte = iota
	definitionTag
	rowsTag
	uniqueTag
	garbageTag
)

// numberSize is the length of a number in a key.
const numberSize = 8

func tagged(tag byte) []byte { return append(keyspace.SubspaceUserTable.Prefix(), tag) }

func numbered(tag byte, number uint64) []byte {
	return binary.BigEndian.AppendUint64(tagged(tag), number)
}

func definitionKey(name string) []byte { return append(tagged(definitionTag), name...) }

// uniqueKey gives the key of a constraint's entry.
func uniqueKey(table, constraint uint64, key string) []byte {
	return append(binary.BigEndian.AppendUint64(numbered(uniqueTag, table), constraint), key...)
}
