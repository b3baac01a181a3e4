package function

import (
	"math"
	"math/rand/v2"

	"moraine/pgerror"
	"moraine/relation"
)

func floatFunctions() evaluates {
	functions := evaluates{
		"float4um": floatMap(func(x float64) float64 { return -x }), "float8um": floatMap(func(x float64) float64 { return -x }),
		"float4up": first, "float8up": first,
		"float4abs": floatMap(math.Abs), "float8abs": floatMap(math.Abs),
		"dround": floatMap(math.RoundToEven), "dtrunc": floatMap(math.Trunc), "dceil": floatMap(math.Ceil), "dfloor": floatMap(math.Floor),
		"dsign": floatMap(floatSign), "dsqrt": dsqrt, "dcbrt": floatMap(math.Cbrt), "dexp": dexp, "dpow": dpow,
		"dlog1": logarithm(math.Log), "dlog10": logarithm(math.Log10),
		"dsin": trigonometric(math.Sin), "dcos": trigonometric(math.Cos), "dtan": trigonometric(math.Tan),
		"dcot":  trigonometric(func(x float64) float64 { return 1 / math.Tan(x) }),
		"dasin": inverseTrigonometric(math.Asin, 1), "dacos": inverseTrigonometric(math.Acos, 1), "datan": floatMap(math.Atan),
		"datan2": floatPair(math.Atan2), "dsinh": floatMap(math.Sinh), "dcosh": floatMap(math.Cosh), "dtanh": floatMap(math.Tanh),
		"dasinh": floatMap(math.Asinh), "dacosh": dacosh, "datanh": inverseTrigonometric(math.Atanh, 1),
		"degrees": floatMap(func(x float64) float64 { return x * (180 / math.Pi) }),
		"radians": floatMap(func(x float64) float64 { return x * (math.Pi / 180) }), "dpi": constant(relation.Float(math.Pi)),
		"dsind": degreesOf(sineOfDegrees), "dcosd": degreesOf(cosineOfDegrees),
		"dtand":   degreesOf(tangentOfDegrees),
		"drandom": func(*Context, []relation.Value) (relation.Value, error) { return relation.Float(rand.Float64()), nil },
		"setseed": func(*Context, []relation.Value) (relation.Value, error) { return relation.Text(""), nil },
	}
	for prefix, single := range map[string]bool{"float4": true, "float8": false, "float48": false, "float84": false} {
		functions[prefix+"pl"] = floatArithmetic(func(x, y float64) float64 { return x + y }, single)
		functions[prefix+"mi"] = floatArithmetic(func(x, y float64) float64 { return x - y }, single)
		functions[prefix+"mul"] = floatProduct(single)
		functions[prefix+"div"] = floatQuotient(single)
	}
	for _, prefix := range []string{"float4", "float8"} {
		functions[prefix+"larger"] = larger(compareFloat)
		functions[prefix+"smaller"] = smaller(compareFloat)
	}
	return functions
}

func floatMap(f func(float64) float64) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		return relation.Float(f(a[0].Float())), nil
	}
}

func floatPair(f func(x, y float64) float64) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		return relation.Float(f(a[0].Float(), a[1].Float())), nil
	}
}

func floatSign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

func floatOverflow() error {
	return pgerror.New(pgerror.NumericValueOutOfRange, "value out of range: overflow")
}

func floatUnderflow() error {
	return pgerror.New(pgerror.NumericValueOutOfRange, "value out of range: underflow")
}

// narrowed rounds to float4 where the operation is one of float4.
func narrowed(x float64, single bool) float64 {
	if single {
		return float64(float32(x))
	}
	return x
}

func floatArithmetic(operation func(x, y float64) float64, single bool) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		x, y := a[0].Float(), a[1].Float()
		result := narrowed(operation(x, y), single)
		if math.IsInf(result, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
			return relation.NULL, floatOverflow()
		}
		return relation.Float(result), nil
	}
}

func floatProduct(single bool) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		x, y := a[0].Float(), a[1].Float()
		result := narrowed(x*y, single)
		switch {
		case math.IsInf(result, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0):
			return relation.NULL, floatOverflow()
		case result == 0 && x != 0 && y != 0:
			return relation.NULL, floatUnderflow()
		}
		return relation.Float(result), nil
	}
}

func floatQuotient(single bool) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		x, y := a[0].Float(), a[1].Float()
		if y == 0 && !math.IsNaN(x) {
			return relation.NULL, divisionByZero()
		}
		result := narrowed(x/y, single)
		switch {
		case math.IsInf(result, 0) && !math.IsInf(x, 0):
			return relation.NULL, floatOverflow()
		case result == 0 && x != 0 && !math.IsInf(y, 0):
			return relation.NULL, floatUnderflow()
		}
		return relation.Float(result), nil
	}
}

func dsqrt(_ *Context, a []relation.Value) (relation.Value, error) {
	if a[0].Float() < 0 {
		return relation.NULL, pgerror.New(pgerror.InvalidArgumentForPowerFunction, "cannot take square root of a negative number")
	}
	return relation.Float(math.Sqrt(a[0].Float())), nil
}

func dexp(_ *Context, a []relation.Value) (relation.Value, error) {
	x := a[0].Float()
	result := math.Exp(x)
	switch {
	case math.IsInf(result, 1) && !math.IsInf(x, 1):
		return relation.NULL, floatOverflow()
	case result == 0 && !math.IsInf(x, -1):
		return relation.NULL, floatUnderflow()
	}
	return relation.Float(result), nil
}

func dpow(_ *Context, a []relation.Value) (relation.Value, error) {
	x, y := a[0].Float(), a[1].Float()
	switch {
	case x == 0 && y < 0:
		return relation.NULL, pgerror.New(pgerror.InvalidArgumentForPowerFunction, "zero raised to a negative power is undefined")
	case x < 0 && !math.IsInf(x, 0) && math.Floor(y) != y && !math.IsInf(y, 0) && !math.IsNaN(y):
		return relation.NULL, pgerror.New(pgerror.InvalidArgumentForPowerFunction, "a negative number raised to a non-integer power yields a complex result")
	}
	result := math.Pow(x, y)
	finite := !math.IsInf(x, 0) && !math.IsInf(y, 0)
	switch {
	case math.IsInf(result, 0) && finite:
		return relation.NULL, floatOverflow()
	case result == 0 && x != 0 && finite:
		return relation.NULL, floatUnderflow()
	}
	return relation.Float(result), nil
}

func logarithm(f func(float64) float64) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		switch x := a[0].Float(); {
		case x == 0:
			return relation.NULL, pgerror.New(pgerror.InvalidArgumentForLogarithm, "cannot take logarithm of zero")
		case x < 0:
			return relation.NULL, pgerror.New(pgerror.InvalidArgumentForLogarithm, "cannot take logarithm of a negative number")
		}
		return relation.Float(f(a[0].Float())), nil
	}
}

func inputOutOfRange() error {
	return pgerror.New(pgerror.NumericValueOutOfRange, "input is out of range")
}

func trigonometric(f func(float64) float64) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		if math.IsInf(a[0].Float(), 0) {
			return relation.NULL, inputOutOfRange()
		}
		return relation.Float(f(a[0].Float())), nil
	}
}

func inverseTrigonometric(f func(float64) float64, limit float64) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		if math.Abs(a[0].Float()) > limit {
			return relation.NULL, inputOutOfRange()
		}
		return relation.Float(f(a[0].Float())), nil
	}
}

func dacosh(_ *Context, a []relation.Value) (relation.Value, error) {
	if a[0].Float() < 1 {
		return relation.NULL, inputOutOfRange()
	}
	return relation.Float(math.Acosh(a[0].Float())), nil
}

func degreesOf(f func(float64) float64) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		if math.IsInf(a[0].Float(), 0) {
			return relation.NULL, inputOutOfRange()
		}
		return relation.Float(f(math.Mod(a[0].Float(), 360))), nil
	}
}

// sineOfDegrees is exact at multiples of 30 degrees.
func sineOfDegrees(x float64) float64 {
	switch math.Mod(x+360, 360) {
	case 0, 180:
		return 0
	case 30, 150:
		return 0.5
	case 90:
		return 1
	case 210, 330:
		return -0.5
	case 270:
		return -1
	}
	return math.Sin(x * (math.Pi / 180))
}

func cosineOfDegrees(x float64) float64 {
	switch math.Mod(x+360, 360) {
	case 0:
		return 1
	case 60, 300:
		return 0.5
	case 90, 270:
		return 0
	case 120, 240:
		return -0.5
	case 180:
		return -1
	}
	return math.Cos(x * (math.Pi / 180))
}

func tangentOfDegrees(x float64) float64 {
	switch math.Mod(x+360, 180) {
	case 45:
		return 1
	case 135:
		return -1
	}
	return sineOfDegrees(x) / cosineOfDegrees(x)
}

func larger(compare func(a, b relation.Value) int) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		if compare(a[0], a[1]) >= 0 {
			return a[0], nil
		}
		return a[1], nil
	}
}

func smaller(compare func(a, b relation.Value) int) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		if compare(a[0], a[1]) <= 0 {
			return a[0], nil
		}
		return a[1], nil
	}
}

// widthBucketFloat is width_bucket over equal buckets of double precision.
func widthBucketFloat(_ *Context, a []relation.Value) (relation.Value, error) {
	operand, low, high, count := a[0].Float(), a[1].Float(), a[2].Float(), a[3].Int()
	if err := checkBuckets(count, math.IsNaN(operand) || math.IsNaN(low) || math.IsNaN(high), math.IsInf(low, 0) || math.IsInf(high, 0), low == high); err != nil {
		return relation.NULL, err
	}
	ascending := low < high
	switch {
	case ascending && operand < low, !ascending && operand > low:
		return relation.Int(0), nil
	case ascending && operand >= high, !ascending && operand <= high:
		if count == math.MaxInt32 {
			return relation.NULL, outOfRange("integer")
		}
		return relation.Int(count + 1), nil
	}
	return relation.Int(int64(float64(count)*((operand-low)/(high-low))) + 1), nil
}

func checkBuckets(count int64, nan, unbounded, equal bool) error {
	message := ""
	switch {
	case count <= 0:
		message = "count must be greater than zero"
	case nan:
		message = "operand, lower bound, and upper bound cannot be NaN"
	case unbounded:
		message = "lower and upper bounds must be finite"
	case equal:
		message = "lower bound cannot equal upper bound"
	default:
		return nil
	}
	return pgerror.New("2201G", "%s", message)
}
