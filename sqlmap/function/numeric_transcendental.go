package function

import (
	"math"

	"github.com/cockroachdb/apd/v3"

	"moraine/pgerror"
)

// decimalLog10E is the decimal logarithm of e.
const decimalLog10E = 0.434294481903252

// apdOf converts a finite number for package apd.
func apdOf(d *decimal) *apd.Decimal {
	result := &apd.Decimal{Exponent: int32(-d.scale), Negative: d.coefficient.Sign() < 0}
	result.Coeff.Abs(&d.coefficient)
	return result
}

// decimalFromAPD rounds a result of package apd to a scale.
func decimalFromAPD(result *apd.Decimal, scale int) *decimal {
	d := &decimal{}
	d.coefficient.Set(&result.Coeff)
	if result.Negative {
		d.coefficient.Neg(&d.coefficient)
	}
	if result.Exponent > 0 {
		d.coefficient.Mul(&d.coefficient, powerOfTen(int(result.Exponent)))
	} else {
		d.scale = int(-result.Exponent)
	}
	return d.round(scale)
}

// precise gives a context with enough digits for a result of that many digits before the point and that scale.
func precise(integerDigits, scale int) *apd.Context {
	context := apd.BaseContext.WithPrecision(uint32(max(integerDigits, 0) + scale + 20))
	context.Traps = 0
	return context
}

func squareRoot(d *decimal) (*decimal, error) {
	switch {
	case d.form == notANumber, d.form == infinite && !d.negative:
		return d, nil
	case d.sign() < 0:
		return nil, pgerror.New(pgerror.InvalidArgumentForPowerFunction, "cannot take square root of a negative number")
	}
	weight, _ := d.leadingGroup()
	var resultWeight int
	if weight >= 0 {
		resultWeight = weight*numericGroup/2 + 1
	} else {
		resultWeight = 1 - (-weight*numericGroup+1)/2
	}
	return squareRootToScale(d, min(max(minimumSignificant-resultWeight, d.scale, 0), maximumDisplayScale)), nil
}

// squareRootToScale gives the root of a number that is not negative, rounded.
func squareRootToScale(d *decimal, scale int) *decimal {
	// The integer root of d * 10^(2*(scale+1)) has one digit more than wanted, for rounding.
	shifted := d.scaledBy(2*(scale+1) + d.scale%2)
	root := &decimal{scale: scale + 1 + (d.scale+d.scale%2)/2}
	root.coefficient.Sqrt(shifted)
	return root.round(scale)
}

// scaledBy multiplies the coefficient by a power of ten.
func (d *decimal) scaledBy(exponent int) *apd.BigInt {
	return new(apd.BigInt).Mul(&d.coefficient, powerOfTen(exponent))
}

func exponential(d *decimal) (*decimal, error) {
	switch {
	case d.form == notANumber, d.form == infinite && !d.negative:
		return d, nil
	case d.form == infinite:
		return decimalFromInt(0), nil
	}
	estimate := d.float64() * decimalLog10E
	if estimate >= maximumIntegerDigits {
		return nil, numericOverflow()
	}
	digits := int(max(estimate, -maximumDisplayScale))
	scale := min(max(minimumSignificant-digits, d.scale, 0), maximumDisplayScale)
	if estimate < -maximumScale {
		return (&decimal{}).round(scale), nil
	}
	var result apd.Decimal
	if _, err := precise(digits+2, scale).Exp(&result, apdOf(d)); err != nil {
		return nil, numericOverflow()
	}
	return decimalFromAPD(&result, scale), nil
}

func checkLogarithm(d *decimal) error {
	switch {
	case d.form == finite && d.coefficient.Sign() == 0:
		return pgerror.New(pgerror.InvalidArgumentForLogarithm, "cannot take logarithm of zero")
	case d.sign() < 0:
		return pgerror.New(pgerror.InvalidArgumentForLogarithm, "cannot take logarithm of a negative number")
	}
	return nil
}

// logarithmWeight estimates the decimal exponent of ln(d).
func logarithmWeight(d *decimal) int {
	digits := new(apd.BigInt).Abs(&d.coefficient).String()
	exponent := len(digits) - d.scale - 1
	leading := apdOf(d)
	leading.Exponent = int32(1 - len(digits))
	mantissa, _ := leading.Float64()
	logarithm := math.Log(mantissa) + float64(exponent)*math.Ln10
	if logarithm == 0 {
		return 0
	}
	if math.Abs(logarithm) < 1e-3 {
		// Near 1 the logarithm is about the distance to 1.
		difference, _ := subtractDecimals(d, decimalFromInt(1))
		text := new(apd.BigInt).Abs(&difference.coefficient).String()
		return len(text) - difference.scale - 1
	}
	return int(math.Trunc(math.Log10(math.Abs(logarithm))))
}

func naturalLogarithm(d *decimal) (*decimal, error) {
	if err := checkLogarithm(d); err != nil {
		return nil, err
	}
	if d.form != finite {
		return d, nil
	}
	scale := min(max(minimumSignificant-logarithmWeight(d), d.scale, 0), maximumDisplayScale)
	result, err := apdLogarithm(precise(8, scale), apdOf(d))
	if err != nil {
		return nil, numericOverflow()
	}
	return decimalFromAPD(result, scale), nil
}

// directExponent is the decimal exponent from which on the logarithm is taken of the mantissa: package apd takes a time
// that grows with the exponent.
const directExponent = 16

// apdLogarithm gives ln(d), as ln(mantissa) + exponent * ln(10) where that is quicker.
func apdLogarithm(context *apd.Context, d *apd.Decimal) (*apd.Decimal, error) {
	var result apd.Decimal
	exponent := d.NumDigits() + int64(d.Exponent) - 1
	if exponent > -directExponent && exponent < directExponent && d.NumDigits() < int64(context.Precision) {
		_, err := context.Ln(&result, d)
		return &result, err
	}
	mantissa := new(apd.Decimal).Set(d)
	mantissa.Exponent = int32(1 - d.NumDigits())
	if _, err := context.Round(mantissa, mantissa); err != nil {
		return nil, err
	}
	var ten apd.Decimal
	if _, err := context.Ln(&ten, apd.New(10, 0)); err != nil {
		return nil, err
	}
	if _, err := context.Mul(&ten, &ten, apd.New(exponent, 0)); err != nil {
		return nil, err
	}
	if _, err := context.Ln(&result, mantissa); err != nil {
		return nil, err
	}
	_, err := context.Add(&result, &result, &ten)
	return &result, err
}

func logarithmToBase(base, d *decimal) (*decimal, error) {
	if err := checkLogarithm(base); err != nil {
		return nil, err
	}
	if err := checkLogarithm(d); err != nil {
		return nil, err
	}
	if base.form != finite || d.form != finite {
		switch {
		case base.form == notANumber || d.form == notANumber, base.form == infinite && d.form == infinite:
			return nan(), nil
		case base.form == infinite:
			return decimalFromInt(0), nil
		}
		return infinity(false), nil
	}
	baseWeight, weight := logarithmWeight(base), logarithmWeight(d)
	scale := min(max(minimumSignificant-(weight-baseWeight), base.scale, d.scale, 0), maximumDisplayScale)
	context := precise(16, scale)
	var result apd.Decimal
	x, err := apdLogarithm(context, apdOf(base))
	if err != nil {
		return nil, numericOverflow()
	}
	if x.IsZero() {
		return nil, divisionByZero()
	}
	y, err := apdLogarithm(context, apdOf(d))
	if err != nil {
		return nil, numericOverflow()
	}
	if _, err := context.Quo(&result, y, x); err != nil {
		return nil, numericOverflow()
	}
	return decimalFromAPD(&result, scale), nil
}

func powerOfDecimals(a, b *decimal) (*decimal, error) {
	if a.form != finite || b.form != finite {
		return powerSpecial(a, b)
	}
	integral := compareDecimals(b, b.truncate(0)) == 0
	switch {
	case a.coefficient.Sign() == 0 && b.coefficient.Sign() < 0:
		return nil, pgerror.New(pgerror.InvalidArgumentForPowerFunction, "zero raised to a negative power is undefined")
	case a.coefficient.Sign() < 0 && !integral:
		return nil, pgerror.New(pgerror.InvalidArgumentForPowerFunction, "a negative number raised to a non-integer power yields a complex result")
	case a.coefficient.Sign() == 0 && b.coefficient.Sign() > 0:
		return (&decimal{}).round(minimumSignificant), nil
	}
	if exponent, ok := b.truncate(0).int64(); ok && integral && exponent == int64(int32(exponent)) {
		return integerPower(a, int(exponent))
	}
	logarithm := math.Abs(a.float64())
	estimate := b.float64() * math.Log10(logarithm)
	if estimate > maximumIntegerDigits {
		return nil, numericOverflow()
	}
	scale := min(max(minimumSignificant-int(estimate), a.scale, b.scale, 0), maximumDisplayScale)
	if estimate < -maximumScale {
		return (&decimal{}).round(scale), nil
	}
	var result apd.Decimal
	base := apdOf(a)
	base.Negative = false
	if _, err := precise(int(estimate)+10, scale).Pow(&result, base, apdOf(b)); err != nil {
		return nil, numericOverflow()
	}
	rounded := decimalFromAPD(&result, scale)
	if a.coefficient.Sign() < 0 && b.truncate(0).coefficient.Bit(0) == 1 {
		rounded = rounded.negated()
	}
	return rounded, nil
}

func powerSpecial(a, b *decimal) (*decimal, error) {
	one := decimalFromInt(1)
	switch {
	case a.form == finite && compareDecimals(a, one) == 0, b.form == finite && b.coefficient.Sign() == 0:
		return one, nil
	case a.form == notANumber || b.form == notANumber:
		return nan(), nil
	case b.form == infinite:
		size := compareDecimals(a.absolute(), one)
		switch {
		case size == 0:
			return one, nil
		case (size > 0) == !b.negative:
			return infinity(false), nil
		}
		return decimalFromInt(0), nil
	case b.sign() < 0:
		return decimalFromInt(0), nil
	}
	odd := compareDecimals(b, b.truncate(0)) == 0 && b.truncate(0).coefficient.Bit(0) == 1
	return infinity(a.negative && odd), nil
}

// integerPower raises to a whole power, to at least 16 digits after the point.
func integerPower(a *decimal, exponent int) (*decimal, error) {
	digits := new(apd.BigInt).Abs(&a.coefficient).String()
	leading := apdOf(a)
	leading.Exponent = int32(1 - len(digits))
	mantissa, _ := leading.Float64()
	estimate := float64(exponent) * (math.Log10(math.Abs(mantissa)) + float64(len(digits)-a.scale-1))
	if estimate > maximumIntegerDigits {
		return nil, numericOverflow()
	}
	scale := min(max(minimumSignificant, a.scale), maximumDisplayScale)
	if estimate < -float64(maximumScale) {
		return (&decimal{}).round(scale), nil
	}
	var result apd.Decimal
	power := apd.New(int64(exponent), 0)
	if _, err := precise(int(math.Abs(estimate))+10, scale).Pow(&result, apdOf(a), power); err != nil {
		return nil, numericOverflow()
	}
	return decimalFromAPD(&result, scale), nil
}
