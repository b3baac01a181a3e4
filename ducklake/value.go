package ducklake

import (
	"encoding/binary"
	"fmt"

	"moraine/keyspace"
	"moraine/relation"
)

// encodeValue writes a value that is not NULL without its type: the integer as a varint, then the text.
func encodeValue(value relation.Value) string {
	encoded := binary.AppendUvarint(make([]byte, 0, binary.MaxVarintLen64+len(value.Text())), uint64(value.Int()))
	return string(append(encoded, value.Text()...))
}

func decodeValue(encoded string) (relation.Value, error) {
	bits, size := binary.Uvarint([]byte(encoded[:min(len(encoded), binary.MaxVarintLen64)]))
	if size <= 0 {
		return relation.NULL, fmt.Errorf("%w: value of an extra column", keyspace.ErrCorrupt)
	}
	text := encoded[size:]
	switch {
	case text == "":
		return relation.Int(int64(bits)), nil
	case bits == 0:
		return relation.Text(text), nil
	case len(text) != 4:
		return relation.NULL, fmt.Errorf("%w: value of an extra column", keyspace.ErrCorrupt)
	}
	return relation.TimeWithZone(int64(bits), int32(binary.BigEndian.Uint32([]byte(text)))), nil
}
