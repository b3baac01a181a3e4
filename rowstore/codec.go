package rowstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/store"
)

// Versions of encoded rows, their first byte. Rows of the first one do not say where they end, and are read but not written.
const (
	codecVersion        = 2
	codecVersionEndless = 1
)

// form says how a value follows its tag.
type form uint64

const (
	formNull    form = iota // nothing
	formInteger             // zigzag varint
	formFloat               // 8 bytes big endian, IEEE 754
	formText                // length varint, bytes
	formZoned               // zigzag varint, 4 bytes: a timetz
)

// formBits is how many bits of a tag the form takes.
const formBits = 3

// Codec turns rows of a definition into bytes and back.
//
// An encoded row is the version byte, the number of the last column as a varint (so that a row that was cut off is known as
// such), then for each value, ascending by column number, a varint tag (the distance from the number before, shifted left by
// 3, plus the form) and the content. Values are found by column number, so a row
// outlives added and dropped columns: a number that a row does not have gives the column's fill value, one that the
// definition does not have is passed over.
type Codec struct {
	definition *relation.Definition
	order      []int         // ordinals, ascending by column number
	ordinals   map[int16]int // by column number
	fill       relation.Row  // by ordinal
}

// NewCodec makes the codec of a definition whose column numbers are distinct and positive. fill gives, by column number,
// the values of rows that are older than the column; columns without one are NULL in them.
func NewCodec(definition *relation.Definition, fill map[int16]relation.Value) *Codec {
	codec := &Codec{
		definition: definition, ordinals: make(map[int16]int, len(definition.Columns)),
		order: make([]int, len(definition.Columns)), fill: make(relation.Row, len(definition.Columns)),
	}
	for i := range definition.Columns {
		number := definition.Columns[i].Number
		codec.order[i], codec.ordinals[number], codec.fill[i] = i, i, fill[number]
	}
	slices.SortFunc(codec.order, func(a, b int) int {
		return int(definition.Columns[a].Number) - int(definition.Columns[b].Number)
	})
	return codec
}

// Append appends the encoded row to buffer.
func (c *Codec) Append(buffer []byte, row relation.Row) []byte {
	last := int16(0)
	if len(c.order) > 0 {
		last = c.definition.Columns[c.order[len(c.order)-1]].Number
	}
	buffer = binary.AppendUvarint(append(buffer, codecVersion), uint64(last))
	previous := int16(0)
	for _, ordinal := range c.order {
		column := &c.definition.Columns[ordinal]
		distance := uint64(column.Number - previous)
		previous = column.Number
		buffer = appendValue(buffer, distance, column.Type.OID, row[ordinal])
	}
	return buffer
}

func appendValue(buffer []byte, distance uint64, oid uint32, value relation.Value) []byte {
	tag := func(form form) []byte { return binary.AppendUvarint(buffer, distance<<formBits|uint64(form)) }
	text := value.Text()
	switch {
	case value.IsNull():
		return tag(formNull)
	case oid == relation.TimeTZOID:
		return append(binary.AppendVarint(tag(formZoned), value.Int()), text...)
	case text != "":
		return append(binary.AppendUvarint(tag(formText), uint64(len(text))), text...)
	case oid == relation.Float4OID || oid == relation.Float8OID:
		return binary.BigEndian.AppendUint64(tag(formFloat), math.Float64bits(value.Float()))
	}
	return binary.AppendVarint(tag(formInteger), value.Int())
}

// Decode reads an encoded row into a row as wide as the definition. The strings of the values are parts of encoded. Bytes
// that Append does not write are store.ErrCorrupt.
func (c *Codec) Decode(encoded string, row relation.Row) error {
	copy(row, c.fill)
	rest, last, err := rowStart(encoded)
	if err != nil {
		return err
	}
	number := uint64(0)
	for rest != "" {
		tag, length := uvarint(rest)
		if length == 0 {
			return corrupt("a row's tag is no varint")
		}
		distance := tag >> formBits
		number += distance
		if distance == 0 || distance > math.MaxInt16 || number > math.MaxInt16 {
			return corrupt("column number %d after a distance of %d", number, distance)
		}
		form := form(tag & (1<<formBits - 1))
		value, taken, err := decodeValue(rest[length:], form)
		if err != nil {
			return err
		}
		rest = rest[length+taken:]
		if ordinal, present := c.ordinals[int16(number)]; present {
			if !form.fits(c.definition.Columns[ordinal].Type.OID) {
				return corrupt("form %d in column %q", form, c.definition.Columns[ordinal].Name)
			}
			row[ordinal] = value
		}
	}
	if last >= 0 && number != uint64(last) {
		return corrupt("a row ends at column number %d instead of %d", number, last)
	}
	return nil
}

// rowStart reads what comes before the values: last is the number of the last column, negative when the row does not say it.
func rowStart(encoded string) (rest string, last int64, err error) {
	if encoded != "" && encoded[0] == codecVersionEndless {
		return encoded[1:], -1, nil
	}
	if encoded == "" || encoded[0] != codecVersion {
		return "", 0, corrupt("a row does not start with version %d", codecVersion)
	}
	number, length := uvarint(encoded[1:])
	if length == 0 || number > math.MaxInt16 {
		return "", 0, corrupt("the number of a row's last column is no varint up to %d", math.MaxInt16)
	}
	return encoded[1+length:], int64(number), nil
}

// fits tells whether Append gives values of the type that form.
func (f form) fits(oid uint32) bool {
	switch oid {
	case relation.TimeTZOID:
		return f == formNull || f == formZoned
	case relation.Float4OID, relation.Float8OID:
		return f == formNull || f == formFloat
	}
	return f == formNull || f == formInteger || f == formText
}

// decodeValue reads a value's content and gives the number of bytes taken.
func decodeValue(encoded string, form form) (relation.Value, int, error) {
	switch form {
	case formNull:
		return relation.NULL, 0, nil
	case formInteger:
		if number, length := uvarint(encoded); length > 0 {
			return relation.Int(unzigzag(number)), length, nil
		}
	case formFloat:
		if len(encoded) >= 8 {
			return relation.Float(math.Float64frombits(bigEndian(encoded[:8]))), 8, nil
		}
	case formText:
		if size, length := uvarint(encoded); length > 0 && size > 0 && size <= uint64(len(encoded)-length) {
			return relation.Text(encoded[length : length+int(size)]), length + int(size), nil
		}
	case formZoned:
		if number, length := uvarint(encoded); length > 0 && len(encoded) >= length+4 {
			west := int32(bigEndian(encoded[length : length+4]))
			return relation.TimeWithZone(unzigzag(number), west), length + 4, nil
		}
	}
	return relation.NULL, 0, corrupt("a value of form %d is cut off or malformed", form)
}

// uvarint is binary.Uvarint for a string, and refuses longer spellings than the shortest; 0 bytes taken is an error.
func uvarint(encoded string) (value uint64, length int) {
	for i := range min(len(encoded), binary.MaxVarintLen64) {
		b := encoded[i]
		value |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			if i > 0 && b == 0 || i == binary.MaxVarintLen64-1 && b > 1 {
				return 0, 0
			}
			return value, i + 1
		}
	}
	return 0, 0
}

func unzigzag(number uint64) int64 { return int64(number>>1) ^ -int64(number&1) }

func bigEndian(encoded string) (number uint64) {
	for i := range len(encoded) {
		number = number<<8 | uint64(encoded[i])
	}
	return number
}

// Corrupt makes an error of a record that could not be read one for a client: it names the record and its lake. Errors that
// are not store.ErrCorrupt stay as they are, and so do those for clients.
func Corrupt(schema string, key []byte, err error) error {
	var known *pgerror.Error
	if !errors.Is(err, store.ErrCorrupt) || errors.As(err, &known) {
		return err
	}
	return pgerror.New(pgerror.DataCorrupted, "lake %q: record %x is corrupt: %v", schema, key, err).WithCause(err)
}

func corrupt(format string, arguments ...any) error {
	return fmt.Errorf("%w: %s", store.ErrCorrupt, fmt.Sprintf(format, arguments...))
}
