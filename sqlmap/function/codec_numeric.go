package function

import (
	"encoding/binary"
	"strconv"
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

// Signs of numeric's binary format.
const (
	numericPositive  = 0x0000
	numericNegative  = 0x4000
	numericNaN       = 0xc000
	numericInfinity  = 0xd000
	numericNegativeI = 0xf000
	// infinityScale is what PostgreSQL sends as the scale of an infinity.
	infinityScale = 0x20
	// numericGroup is the number of decimal digits in one digit of the binary format (base 10000).
	numericGroup = 4
)

func numericCodecs() map[uint32]*codec {
	return map[uint32]*codec{
		relation.NumericOID: {input: inputNumeric, appendText: appendPlainText, parseBinary: parseNumericBinary,
			appendBinary: appendNumericBinary, compare: compareNumeric, hashKey: appendNumericKey},
	}
}

func inputNumeric(text string, _ *Format) (relation.Value, error) {
	if plain := canonicalNumeric(text); plain {
		return relation.Text(text), nil
	}
	d, ok, err := parseDecimal(text)
	if err != nil {
		return relation.NULL, err
	}
	if !ok {
		return relation.NULL, invalidInput("numeric", text)
	}
	return d.value(), nil
}

// canonicalNumeric tells whether short text is already as numeric prints it, so that it need not be parsed.
func canonicalNumeric(text string) bool {
	rest := strings.TrimPrefix(text, "-")
	if rest == "" || len(rest) > 100 || !isDigit(rest[0]) || (rest[0] == '0' && len(rest) > 1 && rest[1] != '.') {
		return false
	}
	point, zero := false, true
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '.' && !point && i+1 < len(rest):
			point = true
		case !isDigit(c):
			return false
		case c != '0':
			zero = false
		}
	}
	return !zero || len(rest) == len(text)
}

// compareNumeric compares the decimal text without making numbers of it.
func compareNumeric(a, b relation.Value) int {
	x, y := a.Text(), b.Text()
	if x == y {
		return 0
	}
	if !isPlainNumber(x) || !isPlainNumber(y) {
		return compareDecimals(parseCanonicalDecimal(x), parseCanonicalDecimal(y))
	}
	xNegative, yNegative := x[0] == '-', y[0] == '-'
	xInteger, xFraction := splitNumeric(strings.TrimPrefix(x, "-"))
	yInteger, yFraction := splitNumeric(strings.TrimPrefix(y, "-"))
	if xNegative != yNegative {
		if xNegative {
			return -1
		}
		return 1
	}
	order := len(xInteger) - len(yInteger)
	if order == 0 {
		order = strings.Compare(xInteger, yInteger)
	}
	if order == 0 {
		order = strings.Compare(xFraction, yFraction)
	}
	if xNegative {
		return -order
	}
	return order
}

func isPlainNumber(text string) bool {
	return text != "" && (isDigit(text[0]) || (text[0] == '-' && len(text) > 1 && isDigit(text[1])))
}

// splitNumeric gives the digits before the point and those after it without trailing zeros; a lone 0 is no digit.
func splitNumeric(text string) (integer, fraction string) {
	integer, fraction, _ = strings.Cut(text, ".")
	if integer == "0" {
		integer = ""
	}
	return integer, strings.TrimRight(fraction, "0")
}

func appendNumericKey(dst []byte, v relation.Value) []byte {
	text := v.Text()
	if point := strings.IndexByte(text, '.'); point >= 0 {
		text = strings.TrimRight(text[:point], ".") + strings.TrimRight(text[point:], "0")
		text = strings.TrimSuffix(text, ".")
	}
	return append(dst, text...)
}

func parseNumericBinary(data []byte) (relation.Value, error) {
	if len(data) < 8 {
		return relation.NULL, wrongBinaryLength()
	}
	count := int(binary.BigEndian.Uint16(data))
	weight := int(int16(binary.BigEndian.Uint16(data[2:])))
	sign := binary.BigEndian.Uint16(data[4:])
	scale := int(binary.BigEndian.Uint16(data[6:]))
	if len(data) != 8+2*count {
		return relation.NULL, wrongBinaryLength()
	}
	switch sign {
	case numericNaN:
		return relation.Text("NaN"), nil
	case numericInfinity:
		return relation.Text("Infinity"), nil
	case numericNegativeI:
		return relation.Text("-Infinity"), nil
	case numericPositive, numericNegative:
	default:
		return relation.NULL, pgerror.New(pgerror.InvalidBinaryRepresentation, "invalid sign in external \"numeric\" value")
	}
	if scale > maximumScale {
		return relation.NULL, pgerror.New(pgerror.InvalidBinaryRepresentation, "invalid scale in external \"numeric\" value")
	}
	var digits []byte
	for i := range count {
		group := binary.BigEndian.Uint16(data[8+2*i:])
		if group > 9999 {
			return relation.NULL, pgerror.New(pgerror.InvalidBinaryRepresentation, "invalid digit in external \"numeric\" value")
		}
		digits = append(digits, byte('0'+group/1000), byte('0'+group/100%10), byte('0'+group/10%10), byte('0'+group%10))
	}
	if weight < 0 {
		digits = append([]byte(strings.Repeat("0", numericGroup*-weight)), digits...)
		weight = 0
	}
	point := numericGroup * (weight + 1)
	if missing := point + scale - len(digits); missing > 0 {
		digits = append(digits, strings.Repeat("0", missing)...)
	}
	d := &decimal{scale: scale}
	d.coefficient.SetString(string(digits[:point+scale]), 10)
	if sign == numericNegative && d.coefficient.Sign() != 0 {
		d.coefficient.Neg(&d.coefficient)
	}
	return d.checked()
}

func appendNumericBinary(dst []byte, v relation.Value) []byte {
	text := v.Text()
	switch text {
	case "NaN":
		return appendNumericHeader(dst, 0, 0, numericNaN, 0)
	case "Infinity":
		return appendNumericHeader(dst, 0, 0, numericInfinity, infinityScale)
	case "-Infinity":
		return appendNumericHeader(dst, 0, 0, numericNegativeI, infinityScale)
	}
	sign := uint16(numericPositive)
	if strings.HasPrefix(text, "-") {
		sign, text = numericNegative, text[1:]
	}
	integer, fraction, _ := strings.Cut(text, ".")
	scale := len(fraction)
	integer = strings.TrimLeft(integer, "0")
	weight := (len(integer)+numericGroup-1)/numericGroup - 1
	start := len(dst)
	dst = appendNumericHeader(dst, 0, 0, sign, scale)
	group, filled := uint16(0), (numericGroup-len(integer)%numericGroup)%numericGroup
	for _, digits := range []string{integer, fraction} {
		for i := 0; i < len(digits); i++ {
			group = group*10 + uint16(digits[i]-'0')
			if filled++; filled == numericGroup {
				dst = binary.BigEndian.AppendUint16(dst, group)
				group, filled = 0, 0
			}
		}
	}
	for ; filled > 0 && filled < numericGroup; filled++ {
		group *= 10
		if filled == numericGroup-1 {
			dst = binary.BigEndian.AppendUint16(dst, group)
		}
	}
	return trimNumericGroups(dst, start, weight)
}

func appendNumericHeader(dst []byte, count, weight int, sign uint16, scale int) []byte {
	dst = binary.BigEndian.AppendUint16(dst, uint16(count))
	dst = binary.BigEndian.AppendUint16(dst, uint16(weight))
	dst = binary.BigEndian.AppendUint16(dst, sign)
	return binary.BigEndian.AppendUint16(dst, uint16(scale))
}

// trimNumericGroups removes zero groups on both sides and completes the header that begins at start.
func trimNumericGroups(dst []byte, start, weight int) []byte {
	groups := dst[start+8:]
	for len(groups) > 0 && groups[len(groups)-1] == 0 && groups[len(groups)-2] == 0 {
		groups = groups[:len(groups)-2]
	}
	leading := 0
	for len(groups) > leading && groups[leading] == 0 && groups[leading+1] == 0 {
		leading += 2
	}
	count := copy(groups, groups[leading:]) / 2
	weight -= leading / 2
	if count == 0 {
		weight = 0
	}
	binary.BigEndian.PutUint16(dst[start:], uint16(count))
	binary.BigEndian.PutUint16(dst[start+2:], uint16(weight))
	return dst[:start+8+2*count]
}

// coerceNumeric rounds to the scale of numeric(precision, scale) and refuses what has too many digits.
func coerceNumeric(modifier int32) func(relation.Value) (relation.Value, error) {
	precision := int(modifier-4) >> 16 & 0xffff
	scale := int(modifier-4) & 0x7ff
	if scale&0x400 != 0 {
		scale -= 0x800
	}
	limit := &decimal{scale: max(scale-precision, 0)}
	limit.coefficient.Set(powerOfTen(max(precision-scale, 0)))
	return func(v relation.Value) (relation.Value, error) {
		d := decimalOf(v)
		switch d.form {
		case notANumber:
			return v, nil
		case infinite:
			return relation.NULL, numericFieldOverflow("A field with precision %d, scale %d cannot hold an infinite value.", precision, scale)
		}
		rounded := d.round(scale)
		magnitude := &decimal{scale: rounded.scale}
		magnitude.coefficient.Abs(&rounded.coefficient)
		if compareDecimals(magnitude, limit) >= 0 {
			return relation.NULL, numericFieldDigits(precision, scale)
		}
		return rounded.value(), nil
	}
}

func numericFieldDigits(precision, scale int) error {
	power := "10^" + strconv.Itoa(precision-scale)
	if precision == scale {
		power = "1"
	}
	return numericFieldOverflow("A field with precision %d, scale %d must round to an absolute value less than %s.", precision, scale, power)
}

func numericFieldOverflow(detail string, arguments ...any) error {
	return pgerror.New(pgerror.NumericValueOutOfRange, "numeric field overflow").WithDetail(detail, arguments...)
}
