package ducklake

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"moraine/relation"
)

// decimalText is the most bytes that a decimal of 128 bits takes as text: 39 digits, a sign, a point and a zero.
const decimalText = 42

// The largest power of ten in 64 bits, and its digits.
const (
	decimalChunk  = 10_000_000_000_000_000_000
	decimalDigits = 19
)

// formatDecimal appends the text of a two's-complement number of 128 bits over a power of ten, as PostgreSQL prints a
// numeric of that scale. A number of 64 bits, which is not negative, has 0 in high.
func formatDecimal(low, high uint64, scale int, dst []byte) []byte {
	if int64(high) < 0 {
		dst = append(dst, '-')
		var carry uint64
		low, carry = bits.Add64(^low, 1, 0)
		high = ^high + carry
	}
	var digits [2 * decimalText]byte
	end := len(digits)
	for high != 0 || low != 0 {
		var rest, quotient uint64
		quotient, rest = high/decimalChunk, high%decimalChunk
		high = quotient
		low, rest = bits.Div64(rest, low, decimalChunk)
		for range decimalDigits {
			end--
			digits[end] = byte('0' + rest%10)
			rest /= 10
		}
	}
	number := strings.TrimLeft(string(digits[end:]), "0")
	for len(number) <= scale {
		number = strings.Repeat("0", scale+1-len(number)) + number
	}
	dst = append(dst, number[:len(number)-scale]...)
	if scale > 0 {
		dst = append(append(dst, '.'), number[len(number)-scale:]...)
	}
	return dst
}

// parseDecimal reads a numeric of exactly that scale, as PostgreSQL prints it; false for any other.
func parseDecimal(text string, scale int) (low, high uint64, ok bool) {
	digits, negative := strings.CutPrefix(text, "-")
	whole, fraction, point := strings.Cut(digits, ".")
	if len(fraction) != scale || point != (scale > 0) || whole == "" {
		return 0, 0, false
	}
	for _, digit := range []byte(whole + fraction) {
		if digit < '0' || digit > '9' {
			return 0, 0, false
		}
		over, product := bits.Mul64(low, 10)
		above, product2 := bits.Mul64(high, 10)
		var carry uint64
		low, carry = bits.Add64(product, uint64(digit-'0'), 0)
		high, carry = bits.Add64(product2, over, carry)
		if above != 0 || carry != 0 || int64(high) < 0 {
			return 0, 0, false
		}
	}
	if negative {
		var carry uint64
		low, carry = bits.Add64(^low, 1, 0)
		high = ^high + carry
	}
	return low, high, string(formatDecimal(low, high, scale, nil)) == text
}

const (
	microsPerSecond = 1_000_000
	secondsPerHour  = 3600
	microsPerDay    = 86_400 * microsPerSecond
)

// formatZonedTime prints a timetz as hours, minutes, seconds with six digits, and the zone east of UTC, such as
// 12:30:00.000000+01:00:00.
func formatZonedTime(value relation.Value) string {
	micros, east, sign := value.Int(), -int(value.ZoneWest()), '+'
	if east < 0 {
		east, sign = -east, '-'
	}
	seconds := micros / microsPerSecond
	return fmt.Sprintf("%02d:%02d:%02d.%06d%c%02d:%02d:%02d", seconds/secondsPerHour, seconds/60%60, seconds%60,
		micros%microsPerSecond, sign, east/secondsPerHour, east/60%60, east%60)
}

// zonedTimeText is the length of what formatZonedTime prints.
const zonedTimeText = len("12:30:00.000000+01:00:00")

func parseZonedTime(text string) (relation.Value, error) {
	if len(text) != zonedTimeText {
		return relation.NULL, corruptChunk("time with time zone")
	}
	var parts [7]int64
	for i, span := range [...][2]int{{0, 2}, {3, 5}, {6, 8}, {9, 15}, {16, 18}, {19, 21}, {22, 24}} {
		part, err := strconv.ParseUint(text[span[0]:span[1]], 10, 32)
		if err != nil {
			return relation.NULL, corruptChunk("time with time zone")
		}
		parts[i] = int64(part)
	}
	micros := (parts[0]*secondsPerHour+parts[1]*60+parts[2])*microsPerSecond + parts[3]
	west := int32(parts[4]*secondsPerHour + parts[5]*60 + parts[6])
	if text[15] == '+' {
		west = -west
	}
	if micros > microsPerDay {
		return relation.NULL, corruptChunk("time with time zone")
	}
	return relation.TimeWithZone(micros, west), nil
}
