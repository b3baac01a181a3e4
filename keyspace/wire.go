package keyspace

import (
	"google.golang.org/protobuf/encoding/protowire"
)

// The writing half of the protobuf wire format (proto3): each function appends one field, or nothing for its default.

func appendUint64(dst []byte, field protowire.Number, value uint64) []byte {
	if value == 0 {
		return dst
	}
	dst = protowire.AppendTag(dst, field, protowire.VarintType)
	return protowire.AppendVarint(dst, value)
}

// appendInt64 writes an int64 field: two's complement, not zigzag.
func appendInt64(dst []byte, field protowire.Number, value int64) []byte {
	return appendUint64(dst, field, uint64(value))
}

func appendBool(dst []byte, field protowire.Number, value bool) []byte {
	return appendUint64(dst, field, protowire.EncodeBool(value))
}

func appendString(dst []byte, field protowire.Number, value string) []byte {
	if value == "" {
		return dst
	}
	return appendListedString(dst, field, value)
}

func appendBytes(dst []byte, field protowire.Number, value []byte) []byte {
	if len(value) == 0 {
		return dst
	}
	return appendListedBytes(dst, field, value)
}

// appendListedString writes a string that is an element of a list or optional, and so may be empty.
func appendListedString(dst []byte, field protowire.Number, value string) []byte {
	dst = protowire.AppendTag(dst, field, protowire.BytesType)
	return protowire.AppendString(dst, value)
}

func appendListedBytes(dst []byte, field protowire.Number, value []byte) []byte {
	dst = protowire.AppendTag(dst, field, protowire.BytesType)
	return protowire.AppendBytes(dst, value)
}

func appendOptionalUint64(dst []byte, field protowire.Number, value Optional[uint64]) []byte {
	if !value.Set {
		return dst
	}
	dst = protowire.AppendTag(dst, field, protowire.VarintType)
	return protowire.AppendVarint(dst, value.Value)
}

func appendOptionalBool(dst []byte, field protowire.Number, value Optional[bool]) []byte {
	return appendOptionalUint64(dst, field, Optional[uint64]{Value: protowire.EncodeBool(value.Value), Set: value.Set})
}

func appendOptionalString(dst []byte, field protowire.Number, value Optional[string]) []byte {
	if !value.Set {
		return dst
	}
	return appendListedString(dst, field, value.Value)
}

func appendStrings(dst []byte, field protowire.Number, values []string) []byte {
	for _, value := range values {
		dst = appendListedString(dst, field, value)
	}
	return dst
}

func appendByteSlices(dst []byte, field protowire.Number, values [][]byte) []byte {
	for _, value := range values {
		dst = appendListedBytes(dst, field, value)
	}
	return dst
}

// appendPackedUint64 writes all elements in one field.
func appendPackedUint64(dst []byte, field protowire.Number, values []uint64) []byte {
	if len(values) == 0 {
		return dst
	}
	size := 0
	for _, value := range values {
		size += protowire.SizeVarint(value)
	}
	dst = protowire.AppendTag(dst, field, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(size))
	for _, value := range values {
		dst = protowire.AppendVarint(dst, value)
	}
	return dst
}

func appendPackedBool(dst []byte, field protowire.Number, values []bool) []byte {
	if len(values) == 0 {
		return dst
	}
	dst = protowire.AppendTag(dst, field, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(len(values)))
	for _, value := range values {
		dst = append(dst, byte(protowire.EncodeBool(value)))
	}
	return dst
}

// embedded is a message that other messages contain.
type embedded[T any] interface {
	*T
	Append(dst []byte) []byte
	decode(payload []byte, aliased bool) error
}

// appendEmbedded writes a message, even an empty one. Its length is known only after it has been written, and then goes
// in between.
func appendEmbedded[T any, Pointer embedded[T]](dst []byte, field protowire.Number, m Pointer) []byte {
	dst = protowire.AppendTag(dst, field, protowire.BytesType)
	start := len(dst)
	dst = m.Append(dst)
	length := len(dst) - start
	var prefix [10]byte
	lengthSize := len(protowire.AppendVarint(prefix[:0], uint64(length)))
	dst = append(dst, prefix[:lengthSize]...)
	copy(dst[start+lengthSize:], dst[start:start+length])
	copy(dst[start:], prefix[:lengthSize])
	return dst
}

func appendEmbeddedList[T any, Pointer embedded[T]](dst []byte, field protowire.Number, list []T) []byte {
	for i := range list {
		dst = appendEmbedded(dst, field, Pointer(&list[i]))
	}
	return dst
}
