package pgcatalog

import (
	"encoding/binary"
	"time"

	"moraine/relation"
	"moraine/sqlmap/function"
)

// Short names for the values that rows are made of.
var (
	null     = relation.NULL
	zero     = relation.Int(0)
	yes      = relation.Bool(true)
	no       = relation.Bool(false)
	emptyCh  = relation.Text("") // a "char" of zero
	blankCh  = relation.Text(" ")
	ownerRef = relation.Int(ownerOID)
)

func integer[N ~int | ~int16 | ~int32 | ~int64 | ~uint32](value N) relation.Value {
	return relation.Int(int64(value))
}

func text(value string) relation.Value { return relation.Text(value) }

func character[B ~byte](value B) relation.Value { return relation.Text(string([]byte{byte(value)})) }

// optional gives NULL for the empty text.
func optional(value string) relation.Value {
	if value == "" {
		return null
	}
	return relation.Text(value)
}

// optionalOIDs gives NULL for no OIDs.
func optionalOIDs(oids []uint32) relation.Value {
	if oids == nil {
		return null
	}
	return oidArray(oids)
}

// yesNo is information_schema's yes_or_no.
func yesNo(value bool) relation.Value {
	if value {
		return relation.Text("YES")
	}
	return relation.Text("NO")
}

// microsecondsToEpoch is 2000-01-01 UTC in microseconds of Unix time.
const microsecondsToEpoch = 946684800000000

// moment gives a timestamptz; NULL for the zero time.
func moment(value time.Time) relation.Value {
	if value.IsZero() {
		return null
	}
	return relation.Int(value.UnixMicro() - microsecondsToEpoch)
}

// array makes an array of one dimension in PostgreSQL's binary format; write appends element i.
func array(element uint32, length, lowerBound int, write func(dst []byte, i int) []byte) relation.Value {
	data := make([]byte, 0, 20+length*8)
	if length == 0 && lowerBound == 1 {
		data = binary.BigEndian.AppendUint32(data, 0)
		data = binary.BigEndian.AppendUint32(data, 0)
		return relation.Text(string(binary.BigEndian.AppendUint32(data, element)))
	}
	data = binary.BigEndian.AppendUint32(data, 1)
	data = binary.BigEndian.AppendUint32(data, 0)
	data = binary.BigEndian.AppendUint32(data, element)
	data = binary.BigEndian.AppendUint32(data, uint32(length))
	data = binary.BigEndian.AppendUint32(data, uint32(lowerBound))
	for i := range length {
		start := len(data)
		data = binary.BigEndian.AppendUint32(data, 0)
		data = write(data, i)
		binary.BigEndian.PutUint32(data[start:], uint32(len(data)-start-4))
	}
	return relation.Text(string(data))
}

func int2Array(values []int16) relation.Value {
	return array(relation.Int2OID, len(values), 1, func(dst []byte, i int) []byte { return binary.BigEndian.AppendUint16(dst, uint16(values[i])) })
}

func int2Vector(values []int16) relation.Value {
	return array(relation.Int2OID, len(values), 0, func(dst []byte, i int) []byte { return binary.BigEndian.AppendUint16(dst, uint16(values[i])) })
}

func oidArray(values []uint32) relation.Value {
	return array(relation.OIDOID, len(values), 1, func(dst []byte, i int) []byte { return binary.BigEndian.AppendUint32(dst, values[i]) })
}

func oidVector(values []uint32) relation.Value {
	return array(relation.OIDOID, len(values), 0, func(dst []byte, i int) []byte { return binary.BigEndian.AppendUint32(dst, values[i]) })
}

func regtypeArray(values []uint32) relation.Value {
	return array(function.RegtypeOID, len(values), 1, func(dst []byte, i int) []byte { return binary.BigEndian.AppendUint32(dst, values[i]) })
}

// textArray makes an array of text; NULL for nil.
func textArray(values []string) relation.Value {
	if values == nil {
		return null
	}
	return array(relation.TextOID, len(values), 1, func(dst []byte, i int) []byte { return append(dst, values[i]...) })
}

// characterArray makes an array of "char"; NULL for the empty text.
func characterArray(values string) relation.Value {
	if values == "" {
		return null
	}
	return array(relation.CharOID, len(values), 1, func(dst []byte, i int) []byte { return append(dst, values[i]) })
}
