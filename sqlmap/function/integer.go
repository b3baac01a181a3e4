package function

import (
	"math"
	"math/bits"
	"strconv"

	"moraine/pgerror"
	"moraine/relation"
)

// integerRangeOf gives the limits of an integer type by its bytes, and its SQL name.
func integerRangeOf(size byte) (minimum, maximum int64, name string) {
	switch size {
	case '2':
		return math.MinInt16, math.MaxInt16, "smallint"
	case '4':
		return math.MinInt32, math.MaxInt32, "integer"
	}
	return math.MinInt64, math.MaxInt64, "bigint"
}

func outOfRange(typeName string) error {
	return pgerror.New(pgerror.NumericValueOutOfRange, "%s out of range", typeName)
}

func divisionByZero() error { return pgerror.New(pgerror.DivisionByZero, "division by zero") }

// integerOperators are + - * / between all sizes of integers.
func integerOperators() evaluates {
	functions := evaluates{}
	for _, sizes := range []string{"2", "4", "8", "24", "42", "28", "82", "48", "84"} {
		minimum, maximum, name := integerRangeOf(max(sizes[0], sizes[len(sizes)-1]))
		prefix := "int" + sizes
		functions[prefix+"pl"] = integerArithmetic(addIntegers, minimum, maximum, name)
		functions[prefix+"mi"] = integerArithmetic(subtractIntegers, minimum, maximum, name)
		functions[prefix+"mul"] = integerArithmetic(multiplyIntegers, minimum, maximum, name)
		functions[prefix+"div"] = integerDivision(minimum, maximum, name)
	}
	return functions
}

// integerArithmetic checks the result of an operation against the limits of its type.
func integerArithmetic(operation func(a, b int64) (int64, bool), minimum, maximum int64, name string) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		result, ok := operation(a[0].Int(), a[1].Int())
		if !ok || result < minimum || result > maximum {
			return relation.NULL, outOfRange(name)
		}
		return relation.Int(result), nil
	}
}

func addIntegers(a, b int64) (int64, bool) {
	sum := a + b
	return sum, (a^sum)&(b^sum) >= 0
}

func subtractIntegers(a, b int64) (int64, bool) {
	difference := a - b
	return difference, (a^b)&(a^difference) >= 0
}

func multiplyIntegers(a, b int64) (int64, bool) {
	high, low := bits.Mul64(uint64(magnitude(a)), uint64(magnitude(b)))
	negative := (a < 0) != (b < 0)
	if high != 0 || low > math.MaxInt64 && !(negative && low == 1<<63) {
		return 0, false
	}
	return a * b, true
}

func integerDivision(minimum, maximum int64, name string) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		x, y := a[0].Int(), a[1].Int()
		if y == 0 {
			return relation.NULL, divisionByZero()
		}
		if y == -1 {
			if x == minimum {
				return relation.NULL, outOfRange(name)
			}
			return relation.Int(-x), nil
		}
		return relation.Int(x / y), nil
	}
}

// integerFunctions are the other functions of integers, for each size.
func integerFunctions() evaluates {
	functions := evaluates{}
	for _, size := range []byte("248") {
		prefix := "int" + string(size)
		minimum, _, name := integerRangeOf(size)
		functions[prefix+"mod"] = integerModulo
		functions[prefix+"um"] = integerNegate(minimum, name)
		functions[prefix+"abs"] = integerAbsolute(minimum, name)
		functions[prefix+"up"] = value1(func(v relation.Value) relation.Value { return v })
		functions[prefix+"not"] = value1(func(v relation.Value) relation.Value { return relation.Int(^v.Int()) })
		functions[prefix+"and"] = int2Values(func(a, b int64) int64 { return a & b })
		functions[prefix+"or"] = int2Values(func(a, b int64) int64 { return a | b })
		functions[prefix+"xor"] = int2Values(func(a, b int64) int64 { return a ^ b })
		functions[prefix+"shl"] = integerShift(size, true)
		functions[prefix+"shr"] = integerShift(size, false)
		functions[prefix+"larger"] = int2Values(func(a, b int64) int64 { return max(a, b) })
		functions[prefix+"smaller"] = int2Values(func(a, b int64) int64 { return min(a, b) })
		if size != '2' {
			functions[prefix+"gcd"] = greatestDivisor(minimum, name)
			functions[prefix+"lcm"] = leastMultiple(size)
		}
	}
	functions["to_hex32"] = value1(func(v relation.Value) relation.Value {
		return relation.Text(strconv.FormatUint(uint64(uint32(v.Int())), 16))
	})
	functions["to_hex64"] = value1(func(v relation.Value) relation.Value {
		return relation.Text(strconv.FormatUint(uint64(v.Int()), 16))
	})
	functions["width_bucket_float8"] = widthBucketFloat
	return functions
}

func int2Values(f func(a, b int64) int64) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		return relation.Int(f(a[0].Int(), a[1].Int())), nil
	}
}

func integerModulo(_ *Context, a []relation.Value) (relation.Value, error) {
	switch y := a[1].Int(); y {
	case 0:
		return relation.NULL, divisionByZero()
	case -1:
		return relation.Int(0), nil
	default:
		return relation.Int(a[0].Int() % y), nil
	}
}

func integerNegate(minimum int64, name string) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		if a[0].Int() == minimum {
			return relation.NULL, outOfRange(name)
		}
		return relation.Int(-a[0].Int()), nil
	}
}

func integerAbsolute(minimum int64, name string) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		if a[0].Int() == minimum {
			return relation.NULL, outOfRange(name)
		}
		return relation.Int(magnitude(a[0].Int())), nil
	}
}

// integerShift shifts within the width of the type, by the distance modulo that width.
func integerShift(size byte, left bool) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		x, distance := a[0].Int(), uint64(a[1].Int())
		if size == '8' {
			distance &= 63
		} else {
			distance &= 31
		}
		if left {
			x <<= distance
		} else {
			x >>= distance
		}
		switch size {
		case '2':
			x = int64(int16(x))
		case '4':
			x = int64(int32(x))
		}
		return relation.Int(x), nil
	}
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func unsignedMagnitude(value int64) uint64 {
	if value < 0 {
		return -uint64(value)
	}
	return uint64(value)
}

func greatestDivisor(minimum int64, name string) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		divisor := gcd(unsignedMagnitude(a[0].Int()), unsignedMagnitude(a[1].Int()))
		if divisor == unsignedMagnitude(minimum) {
			return relation.NULL, outOfRange(name)
		}
		return relation.Int(int64(divisor)), nil
	}
}

func leastMultiple(size byte) Evaluate {
	_, maximum, name := integerRangeOf(size)
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		x, y := unsignedMagnitude(a[0].Int()), unsignedMagnitude(a[1].Int())
		if x == 0 || y == 0 {
			return relation.Int(0), nil
		}
		high, low := bits.Mul64(x/gcd(x, y), y)
		if high != 0 || low > uint64(maximum) {
			return relation.NULL, outOfRange(name)
		}
		return relation.Int(int64(low)), nil
	}
}
