package function

import (
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

func bitFunctions() evaluates {
	return evaluates{
		"bit_and": bitwise("AND", func(a, b byte) byte { return a & b }), "bit_or": bitwise("OR", func(a, b byte) byte { return a | b }),
		"bitxor": bitwise("XOR", func(a, b byte) byte { return '0' + (a^b)&1 }), "bitnot": text1(invertBits),
		"bitshiftleft": shiftBits(1), "bitshiftright": shiftBits(-1), "bitcat": concatenate, "bitlength": byteCount,
		"bitsubstr": substringOfBytes, "bitsubstr_no_len": substringOfBytes, "bitposition": positionInBytes,
		"bitoverlay": overlayBytes, "bitoverlay_no_len": overlayBytes, "bit_length(bit)": byteCount,
		"bitoctetlength": value1(func(v relation.Value) relation.Value { return relation.Int(int64(len(v.Text())+7) / 8) }),
		"bit_bit_count":  value1(func(v relation.Value) relation.Value { return relation.Int(int64(strings.Count(v.Text(), "1"))) }),
		"bitgetbit":      bitAt, "bitsetbit": setBitAt,
		"bittoint4": bitsToInt(32), "bittoint8": bitsToInt(64),
	}
}

func bitwise(name string, operation func(a, b byte) byte) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		x, y := a[0].Text(), a[1].Text()
		if len(x) != len(y) {
			return relation.NULL, pgerror.New("22026", "cannot %s bit strings of different sizes", name)
		}
		result := make([]byte, len(x))
		for i := range result {
			result[i] = operation(x[i], y[i])
		}
		return relation.Text(string(result)), nil
	}
}

func invertBits(bits string) string { return strings.NewReplacer("0", "1", "1", "0").Replace(bits) }

// shiftBits shifts and keeps the length.
func shiftBits(direction int64) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		bits, distance := a[0].Text(), direction*a[1].Int()
		zeros := strings.Repeat("0", int(min(magnitude(distance), int64(len(bits)))))
		if distance >= 0 {
			return relation.Text(bits[len(zeros):] + zeros), nil
		}
		return relation.Text(zeros + bits[:len(bits)-len(zeros)]), nil
	}
}

func checkBitIndex(index int64, bits string) error {
	if index < 0 || index >= int64(len(bits)) {
		return pgerror.New(pgerror.ArraySubscriptError, "bit index %d out of valid range (0..%d)", index, len(bits)-1)
	}
	return nil
}

func bitAt(_ *Context, a []relation.Value) (relation.Value, error) {
	if err := checkBitIndex(a[1].Int(), a[0].Text()); err != nil {
		return relation.NULL, err
	}
	return relation.Int(int64(a[0].Text()[a[1].Int()] - '0')), nil
}

func setBitAt(_ *Context, a []relation.Value) (relation.Value, error) {
	if err := checkBitIndex(a[1].Int(), a[0].Text()); err != nil {
		return relation.NULL, err
	}
	if a[2].Int() != 0 && a[2].Int() != 1 {
		return relation.NULL, pgerror.New(pgerror.InvalidParameterValue, "new bit must be 0 or 1")
	}
	bits := []byte(a[0].Text())
	bits[a[1].Int()] = byte('0' + a[2].Int())
	return relation.Text(string(bits)), nil
}

func bitsToInt(width int) Evaluate {
	name := map[int]string{32: "integer", 64: "bigint"}[width]
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		bits := a[0].Text()
		if len(bits) > width {
			return relation.NULL, outOfRange(name)
		}
		var value uint64
		for i := range bits {
			value = value<<1 | uint64(bits[i]-'0')
		}
		if width == 32 {
			return relation.Int(int64(int32(value))), nil
		}
		return relation.Int(int64(value)), nil
	}
}
