package function

import (
	"math"

	"github.com/cockroachdb/apd/v3"

	"moraine/pgerror"
	"moraine/relation"
)

func numericFunctions() evaluates {
	return evaluates{
		"numeric_add": decimalPair(addDecimals), "numeric_sub": decimalPair(subtractDecimals),
		"numeric_mul": decimalPair(multiplyDecimals), "numeric_div": decimalPair(divideDecimals),
		"numeric_mod": decimalPair(modulo), "numeric_div_trunc": decimalPair(divideTruncated),
		"numeric_power": decimalPair(powerOfDecimals), "numeric_log": decimalPair(logarithmToBase),
		"numeric_sqrt": decimalTry(squareRoot), "numeric_exp": decimalTry(exponential), "numeric_ln": decimalTry(naturalLogarithm),
		"log(numeric)":   decimalTry(func(d *decimal) (*decimal, error) { return logarithmToBase(decimalFromInt(10), d) }),
		"numeric_uminus": decimalMap((*decimal).negated), "numeric_uplus": first,
		"numeric_abs":  decimalMap(func(d *decimal) *decimal { return d.absolute() }),
		"numeric_sign": decimalMap(signOfDecimal), "numeric_ceil": decimalMap((*decimal).ceiling), "numeric_floor": decimalMap((*decimal).floor),
		"numeric_round": roundToScale((*decimal).round), "numeric_trunc": roundToScale((*decimal).truncate),
		"round(numeric)": decimalMap(func(d *decimal) *decimal { return d.round(0) }),
		"trunc(numeric)": decimalMap(func(d *decimal) *decimal { return d.truncate(0) }),
		"numeric_inc":    decimalTry(func(d *decimal) (*decimal, error) { return addDecimals(d, decimalFromInt(1)) }),
		"numeric_larger": larger(compareNumeric), "numeric_smaller": smaller(compareNumeric),
		"numeric_gcd": decimalPair(gcdOfDecimals), "numeric_lcm": decimalPair(lcmOfDecimals), "numeric_fac": factorial,
		"numeric_scale": numericScale, "numeric_min_scale": numericMinimumScale, "numeric_trim_scale": decimalMap((*decimal).trimmed),
		"width_bucket_numeric": widthBucketNumeric,
	}
}

func decimalMap(f func(*decimal) *decimal) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) { return f(decimalOf(a[0])).checked() }
}

func decimalTry(f func(*decimal) (*decimal, error)) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		result, err := f(decimalOf(a[0]))
		if err != nil {
			return relation.NULL, err
		}
		return result.checked()
	}
}

func decimalPair(f func(a, b *decimal) (*decimal, error)) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		result, err := f(decimalOf(a[0]), decimalOf(a[1]))
		if err != nil {
			return relation.NULL, err
		}
		return result.checked()
	}
}

func nan() *decimal { return &decimal{form: notANumber} }

func infinity(negative bool) *decimal { return &decimal{form: infinite, negative: negative} }

func (d *decimal) negated() *decimal {
	result := &decimal{scale: d.scale, form: d.form, negative: !d.negative}
	if d.coefficient.Sign() != 0 {
		result.coefficient.Neg(&d.coefficient)
	}
	return result
}

func (d *decimal) absolute() *decimal {
	if d.sign() < 0 {
		return d.negated()
	}
	return d
}

func signOfDecimal(d *decimal) *decimal {
	if d.form == notANumber {
		return d
	}
	return decimalFromInt(int64(d.sign()))
}

func addDecimals(a, b *decimal) (*decimal, error) {
	switch {
	case a.form == finite && b.form == finite:
		result := &decimal{scale: max(a.scale, b.scale)}
		result.coefficient.Add(a.scaled(result.scale), b.scaled(result.scale))
		return result, nil
	case a.form == notANumber || b.form == notANumber || (a.form == infinite && b.form == infinite && a.negative != b.negative):
		return nan(), nil
	case a.form == infinite:
		return a, nil
	}
	return b, nil
}

func subtractDecimals(a, b *decimal) (*decimal, error) { return addDecimals(a, b.negated()) }

func multiplyDecimals(a, b *decimal) (*decimal, error) {
	if a.form == finite && b.form == finite {
		result := &decimal{scale: a.scale + b.scale}
		result.coefficient.Mul(&a.coefficient, &b.coefficient)
		if result.scale > maximumScale {
			result = result.round(maximumScale)
		}
		return result, nil
	}
	sign := a.sign() * b.sign()
	if a.form == notANumber || b.form == notANumber || sign == 0 {
		return nan(), nil
	}
	return infinity(sign < 0), nil
}

// leadingGroup gives the weight and the value of the first digit of the number in base 10000, as PostgreSQL stores it.
func (d *decimal) leadingGroup() (weight, digit int) {
	digits := new(apd.BigInt).Abs(&d.coefficient).String()
	if digits == "0" {
		return 0, 0
	}
	exponent := len(digits) - d.scale - 1 // of the leading decimal digit
	weight = floorDiv(exponent, numericGroup)
	for i := range exponent - weight*numericGroup + 1 {
		digit *= 10
		if i < len(digits) {
			digit += int(digits[i] - '0')
		}
	}
	return weight, digit
}

// quotientScale chooses the digits after the point of a quotient, as PostgreSQL's select_div_scale does: at least 16
// significant digits, and at least as many after the point as either operand has.
func quotientScale(a, b *decimal) int {
	aWeight, aDigit := a.leadingGroup()
	bWeight, bDigit := b.leadingGroup()
	weight := aWeight - bWeight
	if aDigit <= bDigit {
		weight--
	}
	scale := max(minimumSignificant-weight*numericGroup, a.scale, b.scale, 0)
	return min(scale, maximumDisplayScale)
}

func divideDecimals(a, b *decimal) (*decimal, error) {
	if result, err := divideSpecial(a, b); result != nil || err != nil {
		return result, err
	}
	return divideToScale(a, b, quotientScale(a, b), true), nil
}

// divideSpecial treats zero divisors and operands that are not finite; nil when both are ordinary.
func divideSpecial(a, b *decimal) (*decimal, error) {
	switch {
	case a.form == notANumber || b.form == notANumber:
		return nan(), nil
	case b.form == finite && b.coefficient.Sign() == 0:
		return nil, divisionByZero()
	case a.form == infinite && b.form == infinite:
		return nan(), nil
	case a.form == infinite:
		return infinity(a.sign()*b.sign() < 0), nil
	case b.form == infinite:
		return decimalFromInt(0), nil
	}
	return nil, nil
}

// divideToScale divides finite numbers, rounding or cutting off.
func divideToScale(a, b *decimal, scale int, round bool) *decimal {
	numerator, denominator := new(apd.BigInt).Set(&a.coefficient), new(apd.BigInt).Set(&b.coefficient)
	if shift := scale + b.scale - a.scale; shift >= 0 {
		numerator.Mul(numerator, powerOfTen(shift))
	} else {
		denominator.Mul(denominator, powerOfTen(-shift))
	}
	if denominator.Sign() < 0 {
		numerator.Neg(numerator)
		denominator.Neg(denominator)
	}
	result := &decimal{scale: scale}
	if round {
		divideRounded(&result.coefficient, numerator, denominator)
	} else {
		result.coefficient.Quo(numerator, denominator)
	}
	return result
}

func divideTruncated(a, b *decimal) (*decimal, error) {
	if result, err := divideSpecial(a, b); result != nil || err != nil {
		return result, err
	}
	return divideToScale(a, b, 0, false), nil
}

func modulo(a, b *decimal) (*decimal, error) {
	switch {
	case a.form == notANumber || b.form == notANumber:
		return nan(), nil
	case b.form == finite && b.coefficient.Sign() == 0:
		return nil, divisionByZero()
	case a.form == infinite:
		return nan(), nil
	case b.form == infinite:
		return a, nil
	}
	result := &decimal{scale: max(a.scale, b.scale)}
	result.coefficient.Rem(a.scaled(result.scale), b.scaled(result.scale))
	return result, nil
}

func roundToScale(round func(*decimal, int) *decimal) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		scale := max(min(a[1].Int(), maximumScale), -maximumIntegerDigits)
		return round(decimalOf(a[0]), int(scale)).checked()
	}
}

func (d *decimal) trimmed() *decimal {
	if d.form != finite {
		return d
	}
	return d.truncate(d.minimumScale())
}

// minimumScale gives the digits after the point that are not trailing zeros.
func (d *decimal) minimumScale() int {
	text := appendNumericKey(nil, d.value())
	for i, c := range text {
		if c == '.' {
			return len(text) - i - 1
		}
	}
	return 0
}

func numericScale(_ *Context, a []relation.Value) (relation.Value, error) {
	d := decimalOf(a[0])
	if d.form != finite {
		return relation.NULL, nil
	}
	return relation.Int(int64(d.scale)), nil
}

func numericMinimumScale(_ *Context, a []relation.Value) (relation.Value, error) {
	d := decimalOf(a[0])
	if d.form != finite {
		return relation.NULL, nil
	}
	return relation.Int(int64(d.minimumScale())), nil
}

func gcdOfDecimals(a, b *decimal) (*decimal, error) {
	if a.form != finite || b.form != finite {
		if a.form == notANumber || b.form == notANumber || a.form == b.form {
			if a.form == infinite && b.form == infinite {
				return infinity(false), nil
			}
			return nan(), nil
		}
		if a.form == infinite {
			return b.absolute(), nil
		}
		return a.absolute(), nil
	}
	result := &decimal{scale: max(a.scale, b.scale)}
	x := new(apd.BigInt).Abs(a.scaled(result.scale))
	y := new(apd.BigInt).Abs(b.scaled(result.scale))
	for y.Sign() != 0 {
		x, y = y, new(apd.BigInt).Rem(x, y)
	}
	result.coefficient.Set(x)
	return result, nil
}

func lcmOfDecimals(a, b *decimal) (*decimal, error) {
	if a.form != finite || b.form != finite {
		return nan(), nil
	}
	if a.coefficient.Sign() == 0 || b.coefficient.Sign() == 0 {
		return &decimal{scale: max(a.scale, b.scale)}, nil
	}
	divisor, _ := gcdOfDecimals(a, b)
	product, _ := multiplyDecimals(divideToScale(a, divisor, 0, false), b)
	return product.absolute().round(max(a.scale, b.scale)), nil
}

// maximumFactorial bounds factorial, whose result would not fit a numeric.
const maximumFactorial = 32177

func factorial(_ *Context, a []relation.Value) (relation.Value, error) {
	n := a[0].Int()
	if n < 0 {
		return relation.NULL, pgerror.New(pgerror.NumericValueOutOfRange, "factorial of a negative number is undefined")
	}
	if n > maximumFactorial {
		return relation.NULL, numericOverflow()
	}
	result := decimalFromInt(1)
	result.coefficient.MulRange(1, max(n, 1))
	return result.checked()
}

func widthBucketNumeric(_ *Context, a []relation.Value) (relation.Value, error) {
	operand, low, high, count := decimalOf(a[0]), decimalOf(a[1]), decimalOf(a[2]), a[3].Int()
	nan := operand.form == notANumber || low.form == notANumber || high.form == notANumber
	if err := checkBuckets(count, nan, low.form == infinite || high.form == infinite, compareDecimals(low, high) == 0); err != nil {
		return relation.NULL, err
	}
	if compareDecimals(low, high) > 0 {
		operand, low, high = operand.negated(), low.negated(), high.negated()
	}
	switch {
	case compareDecimals(operand, low) < 0:
		return relation.Int(0), nil
	case compareDecimals(operand, high) >= 0:
		if count == math.MaxInt32 {
			return relation.NULL, outOfRange("integer")
		}
		return relation.Int(count + 1), nil
	}
	above, _ := subtractDecimals(operand, low)
	width, _ := subtractDecimals(high, low)
	product, _ := multiplyDecimals(above, decimalFromInt(count))
	bucket, _ := divideToScale(product, width, 0, false).int64()
	return relation.Int(bucket + 1), nil
}
