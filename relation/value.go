package relation

import (
	"encoding/binary"
	"math"
)

// Value is one SQL value. The zero Value is NULL. Two values of one type that are represented alike are equal with ==
// (numeric, float zeros and blank-padded text excepted), so a Value may be a map key.
//
// Representation by type:
//
//	bool                            Bits 0 or 1
//	int2, int4, int8, oid, xid,
//	regclass and the other reg*     Bits, as two's complement int64
//	float4, float8                  Bits, IEEE 754 double (float4 is widened)
//	text, varchar, bpchar, name,
//	json, jsonb, "char", unknown    Text, UTF-8
//	bytea                           Text, the raw bytes
//	uuid                            Text, 16 bytes
//	numeric                         Text, as PostgreSQL prints it ("1.50", "NaN", "-Infinity")
//	date                            Bits, days since 2000-01-01 (infinities: math.MaxInt32, math.MinInt32)
//	time                            Bits, microseconds since midnight
//	timetz                          Bits as time; Text 4 bytes big endian, seconds west of UTC
//	timestamp, timestamptz          Bits, microseconds since 2000-01-01 (UTC) (infinities: MaxInt64, MinInt64)
//	interval                        Text, 16 bytes big endian: microseconds int64, days int32, months int32
//	tid                             Bits, block << 16 | offset
//	bit, varbit                     Text of '0' and '1'
//	arrays, int2vector, oidvector   Text, PostgreSQL's binary array format (elements in their binary format)
//	record and composites           Text, PostgreSQL's binary record format
//	void                            valid and empty
type Value struct {
	text  string
	bits  uint64
	valid bool
}

// Row is the values of one row, one for each column.
type Row []Value

// valueSize is the bytes of a Value without its text.
const valueSize = 32

// Size gives the bytes that the row takes in memory.
func (r Row) Size() int64 {
	size := valueSize * int64(len(r))
	for i := range r {
		size += int64(len(r[i].text))
	}
	return size
}

// NULL is the absent value.
var NULL Value

// Bool makes a bool.
func Bool(value bool) Value {
	if value {
		return Value{bits: 1, valid: true}
	}
	return Value{valid: true}
}

// Int makes a value of the types that are represented by an integer.
func Int(value int64) Value { return Value{bits: uint64(value), valid: true} }

// Float makes a float4 or float8.
func Float(value float64) Value { return Value{bits: math.Float64bits(value), valid: true} }

// Text makes a value of the types that are represented by text or bytes.
func Text(value string) Value { return Value{text: value, valid: true} }

// TimeWithZone makes a timetz of microseconds since midnight, seconds west of UTC.
func TimeWithZone(microseconds int64, west int32) Value {
	var zone [4]byte
	binary.BigEndian.PutUint32(zone[:], uint32(west))
	return Value{text: string(zone[:]), bits: uint64(microseconds), valid: true}
}

// Interval makes an interval.
func Interval(microseconds int64, days, months int32) Value {
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:8], uint64(microseconds))
	binary.BigEndian.PutUint32(raw[8:12], uint32(days))
	binary.BigEndian.PutUint32(raw[12:], uint32(months))
	return Value{text: string(raw[:]), valid: true}
}

// IsNull tells whether the value is NULL.
func (v Value) IsNull() bool { return !v.valid }

// Bool gives a bool; NULL gives false.
func (v Value) Bool() bool { return v.bits != 0 }

// Int gives the integer representation; NULL gives 0.
func (v Value) Int() int64 { return int64(v.bits) }

// Float gives the floating-point representation; NULL gives 0.
func (v Value) Float() float64 { return math.Float64frombits(v.bits) }

// Text gives the text or bytes; NULL gives "".
func (v Value) Text() string { return v.text }

// ZoneWest gives the seconds west of UTC of a timetz.
func (v Value) ZoneWest() int32 {
	if len(v.text) < 4 {
		return 0
	}
	return int32(binary.BigEndian.Uint32([]byte(v.text[:4])))
}

// Interval gives the parts of an interval.
func (v Value) Interval() (microseconds int64, days, months int32) {
	if len(v.text) < 16 {
		return 0, 0, 0
	}
	raw := []byte(v.text[:16])
	return int64(binary.BigEndian.Uint64(raw)), int32(binary.BigEndian.Uint32(raw[8:])), int32(binary.BigEndian.Uint32(raw[12:]))
}
