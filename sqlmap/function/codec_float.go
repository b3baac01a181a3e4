package function

import (
	"encoding/binary"
	"math"
	"strconv"

	"moraine/pgerror"
	"moraine/relation"
)

func floatCodecs() map[uint32]*codec {
	return map[uint32]*codec{
		relation.Float4OID: {input: inputFloat4, appendText: appendFloat4Text, parseBinary: parseFloat4Binary,
			appendBinary: appendFloat4Binary, compare: compareFloat, hashKey: appendFloatKey},
		relation.Float8OID: {input: inputFloat8, appendText: appendFloat8Text, parseBinary: parseFloat8Binary,
			appendBinary: appendFloat8Binary, compare: compareFloat, hashKey: appendFloatKey},
	}
}

// compareFloat puts NaN, equal to itself, above everything.
func compareFloat(a, b relation.Value) int { return compareFloats(a.Float(), b.Float()) }

func compareFloats(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case x == y:
		return 0
	case math.IsNaN(x) && math.IsNaN(y):
		return 0
	case math.IsNaN(x):
		return 1
	}
	return -1
}

func appendFloatKey(dst []byte, v relation.Value) []byte {
	if v.Float() == 0 {
		v = relation.Float(0) // also of -0
	}
	return appendFloat8Binary(dst, v)
}

func inputFloat4(text string, _ *Format) (relation.Value, error) {
	value, err := parseFloat(text, "real", 32)
	return relation.Float(value), err
}

func inputFloat8(text string, _ *Format) (relation.Value, error) {
	value, err := parseFloat(text, "double precision", 64)
	return relation.Float(value), err
}

// parseFloat reads what strtod reads: decimal and hexadecimal numbers, infinity and nan in any case.
func parseFloat(text, typeName string, bits int) (float64, error) {
	word := trimSpace(text)
	if word == "" {
		return 0, invalidInput(typeName, text)
	}
	for i := 0; i < len(word); i++ {
		if word[i] == '_' {
			return 0, invalidInput(typeName, text)
		}
	}
	value, err := strconv.ParseFloat(word, bits)
	if err != nil {
		if number, ok := err.(*strconv.NumError); ok && number.Err == strconv.ErrRange {
			return 0, floatInputRange(word, typeName)
		}
		return 0, invalidInput(typeName, text)
	}
	if value == 0 && hasNonZeroDigit(word) {
		return 0, floatInputRange(word, typeName)
	}
	return value, nil
}

func floatInputRange(word, typeName string) error {
	return pgerror.New(pgerror.NumericValueOutOfRange, "\"%s\" is out of range for type %s", word, typeName)
}

// hasNonZeroDigit tells whether the mantissa of a decimal number is not zero.
func hasNonZeroDigit(word string) bool {
	for i := 0; i < len(word) && word[i]|0x20 != 'e'; i++ {
		if word[i] >= '1' && word[i] <= '9' {
			return true
		}
	}
	return false
}

func appendFloat4Text(dst []byte, v relation.Value, f *Format) []byte {
	return appendFloat(dst, v.Float(), 32, f)
}

func appendFloat8Text(dst []byte, v relation.Value, f *Format) []byte {
	return appendFloat(dst, v.Float(), 64, f)
}

// appendFloat writes the shortest digits that read back as the same number when extra_float_digits is positive, otherwise
// 15 (6 for float4) significant digits plus extra_float_digits.
func appendFloat(dst []byte, value float64, bits int, f *Format) []byte {
	switch {
	case math.IsNaN(value):
		return append(dst, "NaN"...)
	case math.IsInf(value, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(value, -1):
		return append(dst, "-Infinity"...)
	}
	significant, fixedBelow := -1, 15
	if bits == 32 {
		fixedBelow = 6
	}
	if f != nil && f.ExtraFloatDigits <= 0 {
		significant = max(fixedBelow+f.ExtraFloatDigits, 1)
		fixedBelow = significant
	}
	var buffer [32]byte
	scientific := strconv.AppendFloat(buffer[:0], value, 'e', max(significant-1, -1), bits)
	return appendScientific(dst, scientific, fixedBelow, significant > 0)
}

// appendScientific turns d.ddde±xx into PostgreSQL's form: positional when the exponent is at least -4 and below
// fixedBelow. trim drops trailing zeros of the mantissa, as %g does.
func appendScientific(dst, scientific []byte, fixedBelow int, trim bool) []byte {
	mark := len(scientific) - 1
	for scientific[mark] != 'e' {
		mark--
	}
	exponent, _ := strconv.Atoi(string(scientific[mark+1:]))
	mantissa := scientific[:mark]
	if mantissa[0] == '-' {
		dst, mantissa = append(dst, '-'), mantissa[1:]
	}
	var digitBuffer [32]byte
	digits := append(digitBuffer[:0], mantissa[0])
	if len(mantissa) > 2 {
		digits = append(digits, mantissa[2:]...)
	}
	for trim && len(digits) > 1 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	if exponent >= -4 && exponent < fixedBelow {
		return appendPositional(dst, digits, exponent)
	}
	dst = append(dst, digits[0])
	if len(digits) > 1 {
		dst = append(append(dst, '.'), digits[1:]...)
	}
	sign := byte('+')
	if exponent < 0 {
		sign, exponent = '-', -exponent
	}
	dst = append(dst, 'e', sign)
	if exponent < 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, int64(exponent), 10)
}

// appendPositional writes digits d1d2d3... times 10^exponent with a decimal point where it is needed.
func appendPositional(dst, digits []byte, exponent int) []byte {
	if exponent < 0 {
		dst = append(dst, '0', '.')
		for ; exponent < -1; exponent++ {
			dst = append(dst, '0')
		}
		return append(dst, digits...)
	}
	if len(digits) <= exponent+1 {
		dst = append(dst, digits...)
		for range exponent + 1 - len(digits) {
			dst = append(dst, '0')
		}
		return dst
	}
	dst = append(dst, digits[:exponent+1]...)
	dst = append(dst, '.')
	return append(dst, digits[exponent+1:]...)
}

func parseFloat4Binary(data []byte) (relation.Value, error) {
	if len(data) != 4 {
		return relation.NULL, wrongBinaryLength()
	}
	return relation.Float(float64(math.Float32frombits(binary.BigEndian.Uint32(data)))), nil
}

func appendFloat4Binary(dst []byte, v relation.Value) []byte {
	return binary.BigEndian.AppendUint32(dst, math.Float32bits(float32(v.Float())))
}

// floatNaN is the NaN that PostgreSQL sends; Go's own has another payload.
const floatNaN = 0x7ff8000000000000

func appendFloat8Binary(dst []byte, v relation.Value) []byte {
	if math.IsNaN(v.Float()) {
		return binary.BigEndian.AppendUint64(dst, floatNaN)
	}
	return appendInt8Binary(dst, v)
}

func parseFloat8Binary(data []byte) (relation.Value, error) {
	if len(data) != 8 {
		return relation.NULL, wrongBinaryLength()
	}
	return relation.Float(math.Float64frombits(binary.BigEndian.Uint64(data))), nil
}
