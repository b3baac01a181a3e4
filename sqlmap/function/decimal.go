package function

import (
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"moraine/pgerror"
	"moraine/relation"
)

// Limits of numeric, from PostgreSQL's "Numeric Types": digits before and after the decimal point, and the scale that
// results of inexact operations have at least and at most.
const (
	maximumIntegerDigits  = 131072
	maximumScale          = 16383
	minimumSignificant    = 16   // NUMERIC_MIN_SIG_DIGITS
	maximumDisplayScale   = 1000 // NUMERIC_MAX_DISPLAY_SCALE
	maximumDeclaredDigits = 1000
)

// decimalForm tells finite numbers from the special values of numeric.
type decimalForm byte

const (
	finite decimalForm = iota
	infinite
	notANumber
)

// decimal is a numeric: coefficient divided by 10^scale, or a special value. Scale is the number of digits that are
// shown after the point.
type decimal struct {
	coefficient apd.BigInt
	scale       int
	form        decimalForm
	negative    bool // of an infinity
}

func decimalFromInt(value int64) *decimal {
	d := &decimal{}
	d.coefficient.SetInt64(value)
	return d
}

// decimalOf reads a numeric value.
func decimalOf(v relation.Value) *decimal { return parseCanonicalDecimal(v.Text()) }

// parseCanonicalDecimal reads text that PostgreSQL's numeric output made.
func parseCanonicalDecimal(text string) *decimal {
	d := &decimal{}
	switch text {
	case "NaN":
		d.form = notANumber
		return d
	case "Infinity":
		d.form = infinite
		return d
	case "-Infinity":
		d.form, d.negative = infinite, true
		return d
	}
	digits := text
	if point := strings.IndexByte(text, '.'); point >= 0 {
		d.scale = len(text) - point - 1
		digits = text[:point] + text[point+1:]
	}
	if len(digits) <= 18 {
		value, _ := strconv.ParseInt(digits, 10, 64)
		d.coefficient.SetInt64(value)
		return d
	}
	d.coefficient.SetString(digits, 10)
	return d
}

// value gives the canonical numeric value.
func (d *decimal) value() relation.Value { return relation.Text(d.String()) }

// checked gives the value, or 22003 when the number has more digits than a numeric can hold.
func (d *decimal) checked() (relation.Value, error) {
	if d.form == finite && d.coefficient.BitLen() > 3*maximumIntegerDigits && d.integerDigits() > maximumIntegerDigits {
		return relation.NULL, numericOverflow()
	}
	return d.value(), nil
}

func numericOverflow() error {
	return pgerror.New(pgerror.NumericValueOutOfRange, "value overflows numeric format")
}

// String gives the number as PostgreSQL prints it.
func (d *decimal) String() string {
	switch d.form {
	case notANumber:
		return "NaN"
	case infinite:
		if d.negative {
			return "-Infinity"
		}
		return "Infinity"
	}
	var buffer [64]byte
	digits := d.coefficient.Append(buffer[:0], 10)
	if d.scale == 0 {
		return string(digits)
	}
	var dst []byte
	if digits[0] == '-' {
		dst, digits = append(dst, '-'), digits[1:]
	}
	if missing := d.scale + 1 - len(digits); missing > 0 {
		digits = append([]byte(strings.Repeat("0", missing)), digits...)
	}
	dst = append(dst, digits[:len(digits)-d.scale]...)
	dst = append(dst, '.')
	return string(append(dst, digits[len(digits)-d.scale:]...))
}

func (d *decimal) sign() int {
	switch {
	case d.form == notANumber:
		return 0
	case d.form == infinite && d.negative:
		return -1
	case d.form == infinite:
		return 1
	}
	return d.coefficient.Sign()
}

// integerDigits counts the digits before the decimal point; at least 1.
func (d *decimal) integerDigits() int {
	digits := len(d.coefficient.String())
	if d.coefficient.Sign() < 0 {
		digits--
	}
	return max(digits-d.scale, 1)
}

// powersOfTen caches small powers.
var powersOfTen = func() (powers [38]apd.BigInt) {
	ten := apd.NewBigInt(10)
	powers[0].SetInt64(1)
	for i := 1; i < len(powers); i++ {
		powers[i].Mul(&powers[i-1], ten)
	}
	return powers
}()

func powerOfTen(exponent int) *apd.BigInt {
	if exponent < len(powersOfTen) {
		return &powersOfTen[exponent]
	}
	return new(apd.BigInt).Exp(apd.NewBigInt(10), apd.NewBigInt(int64(exponent)), nil)
}

// scaled gives the coefficient for a scale that is not smaller.
func (d *decimal) scaled(scale int) *apd.BigInt {
	if scale == d.scale {
		return &d.coefficient
	}
	return new(apd.BigInt).Mul(&d.coefficient, powerOfTen(scale-d.scale))
}

// round gives the number with another scale, half away from zero; a negative scale rounds digits before the point.
func (d *decimal) round(scale int) *decimal { return d.rescale(scale, true) }

// truncate gives the number with another scale, cutting digits off.
func (d *decimal) truncate(scale int) *decimal { return d.rescale(scale, false) }

func (d *decimal) rescale(scale int, round bool) *decimal {
	if d.form != finite {
		return d
	}
	result := &decimal{scale: max(scale, 0)}
	if scale >= d.scale {
		result.coefficient.Set(d.scaled(scale))
		return result
	}
	divisor := powerOfTen(d.scale - scale)
	if round {
		divideRounded(&result.coefficient, &d.coefficient, divisor)
	} else {
		result.coefficient.Quo(&d.coefficient, divisor)
	}
	if scale < 0 {
		result.coefficient.Mul(&result.coefficient, powerOfTen(-scale))
	}
	return result
}

// divideRounded sets quotient to a/b, half away from zero; b must be positive.
func divideRounded(quotient, a, b *apd.BigInt) {
	var remainder apd.BigInt
	quotient.QuoRem(a, b, &remainder)
	remainder.Abs(&remainder)
	remainder.Add(&remainder, &remainder)
	if remainder.Cmp(b) >= 0 {
		quotient.Add(quotient, apd.NewBigInt(int64(a.Sign())))
	}
}

// floor gives the greatest integer that is not greater.
func (d *decimal) floor() *decimal {
	result := d.truncate(0)
	if d.form == finite && d.coefficient.Sign() < 0 && compareDecimals(result, d) != 0 {
		result.coefficient.Sub(&result.coefficient, apd.NewBigInt(1))
	}
	return result
}

// ceiling gives the smallest integer that is not smaller.
func (d *decimal) ceiling() *decimal {
	result := d.truncate(0)
	if d.form == finite && d.coefficient.Sign() > 0 && compareDecimals(result, d) != 0 {
		result.coefficient.Add(&result.coefficient, apd.NewBigInt(1))
	}
	return result
}

// compareDecimals orders -Infinity, finite numbers, Infinity, NaN.
func compareDecimals(a, b *decimal) int {
	if a.form != finite || b.form != finite {
		return a.rank() - b.rank()
	}
	scale := max(a.scale, b.scale)
	return a.scaled(scale).Cmp(b.scaled(scale))
}

func (d *decimal) rank() int {
	switch {
	case d.form == notANumber:
		return 2
	case d.form == infinite && d.negative:
		return -1
	case d.form == infinite:
		return 1
	}
	return 0
}

// int64 rounds to an integer; ok is false when it does not fit.
func (d *decimal) int64() (value int64, ok bool) {
	if d.form != finite {
		return 0, false
	}
	rounded := d.round(0)
	if !rounded.coefficient.IsInt64() {
		return 0, false
	}
	return rounded.coefficient.Int64(), true
}

// float64 gives the nearest double; infinite when out of range.
func (d *decimal) float64() float64 {
	value, _ := strconv.ParseFloat(d.String(), 64)
	return value
}

// parseDecimal reads a number as PostgreSQL's numeric input does; ok is false when text is not a number, and err is set
// when it has too many digits.
func parseDecimal(text string) (d *decimal, ok bool, err error) {
	word := trimSpace(text)
	rest, negative := word, false
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		negative, rest = rest[0] == '-', rest[1:]
	}
	switch lowerASCII(rest) {
	case "nan":
		return &decimal{form: notANumber}, rest == word, nil
	case "inf", "infinity":
		return &decimal{form: infinite, negative: negative}, true, nil
	}
	digits, scale, exponent, ok := splitDecimal(rest)
	if !ok {
		return nil, false, nil
	}
	digits = strings.TrimLeft(digits, "0")
	scale -= exponent
	if len(digits)-scale > maximumIntegerDigits || (digits == "" && -scale > maximumIntegerDigits) {
		return nil, true, numericOverflow()
	}
	if scale > maximumScale {
		if scale > maximumScale+maximumIntegerDigits+len(digits) {
			digits, scale = "", maximumScale
		}
	}
	d = &decimal{}
	if digits != "" {
		d.coefficient.SetString(digits, 10)
	}
	if scale < 0 {
		d.coefficient.Mul(&d.coefficient, powerOfTen(-scale))
		scale = 0
	}
	d.scale = scale
	if scale > maximumScale {
		d = d.round(maximumScale)
	}
	if negative && d.coefficient.Sign() != 0 {
		d.coefficient.Neg(&d.coefficient)
	}
	return d, true, nil
}

// splitDecimal takes an unsigned decimal number apart: its digits, how many of them follow the point, and its exponent.
func splitDecimal(text string) (digits string, scale, exponent int, ok bool) {
	i := 0
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	digits = text[:i]
	if i < len(text) && text[i] == '.' {
		start := i + 1
		for i = start; i < len(text) && isDigit(text[i]); i++ {
		}
		scale = i - start
		digits += text[start:i]
	}
	if digits == "" {
		return "", 0, 0, false
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		value, err := strconv.ParseInt(text[i+1:], 10, 32)
		if err != nil || value > 1<<30 || value < -1<<30 {
			return "", 0, 0, false
		}
		exponent, i = int(value), len(text)
	}
	return digits, scale, exponent, i == len(text)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
