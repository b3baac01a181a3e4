package function

import (
	"cmp"
	"encoding/binary"
	"math"
	"strconv"

	"moraine/pgerror"
	"moraine/relation"
)

func integerCodecs() map[uint32]*codec {
	return map[uint32]*codec{
		relation.BoolOID: {input: inputBool, appendText: appendBoolText, parseBinary: parseBoolBinary,
			appendBinary: appendBoolBinary, compare: compareInt},
		relation.Int2OID: {input: integerInput("smallint", math.MinInt16, math.MaxInt16), appendText: appendIntText,
			parseBinary: parseInt2Binary, appendBinary: appendInt2Binary, compare: compareInt},
		relation.Int4OID: {input: integerInput("integer", math.MinInt32, math.MaxInt32), appendText: appendIntText,
			parseBinary: parseInt4Binary, appendBinary: appendInt4Binary, compare: compareInt},
		relation.Int8OID: {input: inputInt8, appendText: appendIntText, parseBinary: parseInt8Binary,
			appendBinary: appendInt8Binary, compare: compareInt},
		relation.OIDOID: {input: inputOID("oid"), appendText: appendUnsignedText, parseBinary: parseUnsigned4Binary,
			appendBinary: appendInt4Binary, compare: compareInt},
		relation.XIDOID: {input: inputOID("xid"), appendText: appendUnsignedText, parseBinary: parseUnsigned4Binary,
			appendBinary: appendInt4Binary},
		CIDOID: {input: inputOID("cid"), appendText: appendUnsignedText, parseBinary: parseUnsigned4Binary,
			appendBinary: appendInt4Binary},
		XID8OID: {input: inputXID8, appendText: appendUnsignedText, parseBinary: parseInt8Binary, appendBinary: appendInt8Binary,
			compare: compareUnsigned},
		PgLSNOID: {input: inputLSN, appendText: appendLSNText, parseBinary: parseInt8Binary, appendBinary: appendInt8Binary,
			compare: compareUnsigned},
	}
}

func compareInt(a, b relation.Value) int { return cmp.Compare(a.Int(), b.Int()) }

func compareUnsigned(a, b relation.Value) int { return cmp.Compare(uint64(a.Int()), uint64(b.Int())) }

// inputBool accepts the prefixes of true, false, yes and no, and on, off, 1, 0.
func inputBool(text string, _ *Format) (relation.Value, error) {
	if value, ok := parseBool(trimSpace(text)); ok {
		return relation.Bool(value), nil
	}
	return relation.NULL, invalidInput("boolean", text)
}

func parseBool(word string) (value, ok bool) {
	if word == "" || len(word) > 5 {
		return false, false
	}
	lower := lowerASCII(word)
	switch {
	case hasPrefixOf("true", lower), hasPrefixOf("yes", lower), lower == "on", lower == "1":
		return true, true
	case hasPrefixOf("false", lower), hasPrefixOf("no", lower), lower == "off", lower == "of", lower == "0":
		return false, true
	}
	return false, false
}

// hasPrefixOf tells whether part is a beginning of whole.
func hasPrefixOf(whole, part string) bool {
	return len(part) <= len(whole) && whole[:len(part)] == part
}

func appendBoolText(dst []byte, v relation.Value, _ *Format) []byte {
	if v.Bool() {
		return append(dst, 't')
	}
	return append(dst, 'f')
}

func parseBoolBinary(data []byte) (relation.Value, error) {
	if len(data) != 1 {
		return relation.NULL, wrongBinaryLength()
	}
	return relation.Bool(data[0] != 0), nil
}

func appendBoolBinary(dst []byte, v relation.Value) []byte {
	if v.Bool() {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// integerInput makes the input function of int2 and int4.
func integerInput(typeName string, minimum, maximum int64) func(string, *Format) (relation.Value, error) {
	return func(text string, _ *Format) (relation.Value, error) {
		value, err := parseInteger(text, typeName)
		if err != nil {
			return relation.NULL, err
		}
		if value < minimum || value > maximum {
			return relation.NULL, integerRange(text, typeName)
		}
		return relation.Int(value), nil
	}
}

func inputInt8(text string, _ *Format) (relation.Value, error) {
	value, err := parseInteger(text, "bigint")
	if err != nil {
		return relation.NULL, err
	}
	return relation.Int(value), nil
}

func integerRange(text, typeName string) error {
	return pgerror.New(pgerror.NumericValueOutOfRange, "value \"%s\" is out of range for type %s", text, typeName)
}

// parseInteger reads a decimal integer with blanks around it.
func parseInteger(text, typeName string) (int64, error) {
	digits := trimSpace(text)
	if digits == "" {
		return 0, invalidInput(typeName, text)
	}
	for i := 0; i < len(digits); i++ {
		if c := digits[i]; (c < '0' || c > '9') && (i > 0 || len(digits) == 1 || (c != '-' && c != '+')) {
			return 0, invalidInput(typeName, text)
		}
	}
	value, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, integerRange(text, typeName)
	}
	return value, nil
}

func appendIntText(dst []byte, v relation.Value, _ *Format) []byte {
	return strconv.AppendInt(dst, v.Int(), 10)
}

func appendUnsignedText(dst []byte, v relation.Value, _ *Format) []byte {
	return strconv.AppendUint(dst, uint64(v.Int()), 10)
}

func parseInt2Binary(data []byte) (relation.Value, error) {
	if len(data) != 2 {
		return relation.NULL, wrongBinaryLength()
	}
	return relation.Int(int64(int16(binary.BigEndian.Uint16(data)))), nil
}

func parseInt4Binary(data []byte) (relation.Value, error) {
	if len(data) != 4 {
		return relation.NULL, wrongBinaryLength()
	}
	return relation.Int(int64(int32(binary.BigEndian.Uint32(data)))), nil
}

func parseUnsigned4Binary(data []byte) (relation.Value, error) {
	if len(data) != 4 {
		return relation.NULL, wrongBinaryLength()
	}
	return relation.Int(int64(binary.BigEndian.Uint32(data))), nil
}

func parseInt8Binary(data []byte) (relation.Value, error) {
	if len(data) != 8 {
		return relation.NULL, wrongBinaryLength()
	}
	return relation.Int(int64(binary.BigEndian.Uint64(data))), nil
}

func appendInt2Binary(dst []byte, v relation.Value) []byte {
	return binary.BigEndian.AppendUint16(dst, uint16(v.Int()))
}

func appendInt4Binary(dst []byte, v relation.Value) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(v.Int()))
}

func appendInt8Binary(dst []byte, v relation.Value) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(v.Int()))
}

// inputOID reads an unsigned 32-bit number; negative ones wrap, as PostgreSQL's do.
func inputOID(typeName string) func(string, *Format) (relation.Value, error) {
	return func(text string, _ *Format) (relation.Value, error) {
		value, err := parseInteger(text, typeName)
		if err != nil {
			return relation.NULL, err
		}
		if value < math.MinInt32 || value > math.MaxUint32 {
			return relation.NULL, integerRange(text, typeName)
		}
		return relation.Int(int64(uint32(value))), nil
	}
}

func inputXID8(text string, _ *Format) (relation.Value, error) {
	value, err := strconv.ParseUint(trimSpace(text), 10, 64)
	if err != nil {
		return relation.NULL, invalidInput("xid8", text)
	}
	return relation.Int(int64(value)), nil
}

// inputLSN reads two hexadecimal halves with a slash between them.
func inputLSN(text string, _ *Format) (relation.Value, error) {
	for i := 1; i < len(text) && i <= 9; i++ {
		if text[i] != '/' {
			continue
		}
		high, highErr := strconv.ParseUint(text[:i], 16, 32)
		low, lowErr := strconv.ParseUint(text[i+1:], 16, 32)
		if highErr == nil && lowErr == nil {
			return relation.Int(int64(high<<32 | low)), nil
		}
	}
	return relation.NULL, invalidInput("pg_lsn", text)
}

func appendLSNText(dst []byte, v relation.Value, _ *Format) []byte {
	dst = appendUpperHex(dst, uint64(v.Int())>>32)
	dst = append(dst, '/')
	return appendUpperHex(dst, uint64(v.Int())&math.MaxUint32)
}

func appendUpperHex(dst []byte, value uint64) []byte {
	start := len(dst)
	dst = strconv.AppendUint(dst, value, 16)
	for i := start; i < len(dst); i++ {
		if dst[i] >= 'a' {
			dst[i] -= 'a' - 'A'
		}
	}
	return dst
}
