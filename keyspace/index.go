package keyspace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Keys of equality index entries (RFC 0016).

// MaxIndexedBytes bounds the values of one index entry: the sum of their raw bytes, without escapes and flags.
const MaxIndexedBytes = 1024

// Errors of a canonical key: the values cannot be indexed.
var (
	ErrIndexedValuesTooLong = errors.New("keyspace: the indexed values are longer than 1024 bytes")
	ErrIndexedValueTooWide  = errors.New("keyspace: the indexed integer does not fit the width of its column")
)

// IndexUniqueKey is the index entry of a canonical key that only one row may have.
func IndexUniqueKey(indexID uint64, canonicalKey []byte) Key {
	return Key{kind: KindIndexUnique, ids: [maxIDs]uint64{indexID}, text: string(canonicalKey)}
}

// IndexMultiKey is the index entry of one row, where many rows may have the canonical key. Unique indexes have it too, for
// keys with a NULL (see [CanonicalKeyBuilder.HasNull]).
func IndexMultiKey(indexID uint64, canonicalKey []byte, rowID uint64) Key {
	return Key{kind: KindIndexMulti, ids: [maxIDs]uint64{indexID, rowID}, text: string(canonicalKey)}
}

// ColumnOrder is how an index orders one of its columns. The zero value is ascending, NULLS LAST.
type ColumnOrder struct {
	Descending bool
	NullsFirst bool
}

// CanonicalKeyBuilder makes the canonical key of an index entry from the values of a row, column by column in the order of
// the index; its bytes order as the rows do. A column is a flag for NULL, then its value as a byte string of the same
// encoding that keys use for strings; descending, the value's bytes are complemented, and never the flag. The zero builder
// is empty and ready.
type CanonicalKeyBuilder struct {
	encoded []byte
	rawSize int
	hasNull bool
	failure error
}

// Null adds a NULL.
func (b *CanonicalKeyBuilder) Null(order ColumnOrder) {
	b.hasNull = true
	b.encoded = append(b.encoded, nullFlag(order, true))
}

// nullFlag orders NULL before or after all other values.
func nullFlag(order ColumnOrder, null bool) byte {
	if null == order.NullsFirst {
		return 0x00
	}
	return 0x01
}

// IntegerWidth is the bytes of an integer column.
type IntegerWidth uint8

// The widths of integer columns.
const (
	Width8  IntegerWidth = 1
	Width16 IntegerWidth = 2
	Width32 IntegerWidth = 4
	Width64 IntegerWidth = 8
)

// Signed adds a signed integer: big endian with the sign bit flipped.
func (b *CanonicalKeyBuilder) Signed(order ColumnOrder, value int64, width IntegerWidth) {
	unused := 64 - 8*width
	if value<<unused>>unused != value {
		b.fail(fmt.Errorf("%w: %d in %d bytes", ErrIndexedValueTooWide, value, width))
		return
	}
	b.integer(order, uint64(value)^1<<(8*width-1), width)
}

// Unsigned adds an unsigned integer: big endian.
func (b *CanonicalKeyBuilder) Unsigned(order ColumnOrder, value uint64, width IntegerWidth) {
	unused := 64 - 8*width
	if value<<unused>>unused != value {
		b.fail(fmt.Errorf("%w: %d in %d bytes", ErrIndexedValueTooWide, value, width))
		return
	}
	b.integer(order, value, width)
}

// Float32 adds a FLOAT: NaN and -0 are folded into one NaN, above all others, and 0.
func (b *CanonicalKeyBuilder) Float32(order ColumnOrder, value float32) {
	const signBit, quietNaN = 1 << 31, 0x7fc00000
	bits := math.Float32bits(value)
	switch {
	case value != value:
		bits = quietNaN
	case value == 0:
		bits = 0
	}
	if bits&signBit != 0 {
		bits = ^bits
	} else {
		bits |= signBit
	}
	b.integer(order, uint64(bits), Width32)
}

// Float64 adds a DOUBLE, as Float32 does a FLOAT.
func (b *CanonicalKeyBuilder) Float64(order ColumnOrder, value float64) {
	const signBit, quietNaN = 1 << 63, 0x7ff8000000000000
	bits := math.Float64bits(value)
	switch {
	case value != value:
		bits = quietNaN
	case value == 0:
		bits = 0
	}
	if bits&signBit != 0 {
		bits = ^bits
	} else {
		bits |= signBit
	}
	b.integer(order, bits, Width64)
}

// Bool adds a BOOLEAN.
func (b *CanonicalKeyBuilder) Bool(order ColumnOrder, value bool) {
	var number uint64
	if value {
		number = 1
	}
	b.integer(order, number, Width8)
}

// Text adds a string.
func (b *CanonicalKeyBuilder) Text(order ColumnOrder, value string) { addValue(b, order, value) }

// Blob adds a byte string.
func (b *CanonicalKeyBuilder) Blob(order ColumnOrder, value []byte) { addValue(b, order, value) }

// HasNull says whether a NULL was added: the entry is then an [IndexMultiKey], whatever the index.
func (b *CanonicalKeyBuilder) HasNull() bool { return b.hasNull }

// Bytes gives the canonical key, or the error of the first value that cannot be indexed, or [ErrIndexedValuesTooLong].
func (b *CanonicalKeyBuilder) Bytes() ([]byte, error) {
	if b.failure != nil {
		return nil, b.failure
	}
	if b.rawSize > MaxIndexedBytes {
		return nil, ErrIndexedValuesTooLong
	}
	return b.encoded, nil
}

// Reset empties the builder and keeps its memory, which the last result shares.
func (b *CanonicalKeyBuilder) Reset() { *b = CanonicalKeyBuilder{encoded: b.encoded[:0]} }

func (b *CanonicalKeyBuilder) fail(err error) {
	if b.failure == nil {
		b.failure = err
	}
}

func (b *CanonicalKeyBuilder) integer(order ColumnOrder, value uint64, width IntegerWidth) {
	var raw [idSize]byte
	binary.BigEndian.PutUint64(raw[:], value)
	addValue(b, order, raw[idSize-width:])
}

func addValue[Value ~string | ~[]byte](b *CanonicalKeyBuilder, order ColumnOrder, value Value) {
	b.rawSize += len(value)
	if b.rawSize > MaxIndexedBytes {
		return
	}
	b.encoded = append(b.encoded, nullFlag(order, false))
	start := len(b.encoded)
	b.encoded = appendEscaped(b.encoded, value)
	if order.Descending {
		for i := start; i < len(b.encoded); i++ {
			b.encoded[i] = ^b.encoded[i]
		}
	}
}
