package function

import (
	"math"
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

// castFunctions are the functions of pg_cast.
func castFunctions() evaluates {
	functions := evaluates{
		"int48": first, "int28": first, "i2toi4": first, "oidtoi8": first, "bool_int4": first,
		"int84": narrowInteger('4'), "int82": narrowInteger('2'), "i4toi2": narrowInteger('2'), "i8tooid": integerToOID,
		"int4_bool": value1(func(v relation.Value) relation.Value { return relation.Bool(v.Int() != 0) }),
		"i2tod":     integerToFloat, "i4tod": integerToFloat, "i8tod": integerToFloat,
		"i2tof": integerToFloat4, "i4tof": integerToFloat4, "i8tof": integerToFloat4, "ftod": first, "dtof": narrowFloat,
		"dtoi2": floatToInteger('2'), "ftoi2": floatToInteger('2'), "dtoi4": floatToInteger('4'), "ftoi4": floatToInteger('4'),
		"dtoi8": floatToInteger('8'), "ftoi8": floatToInteger('8'),
		"int2_numeric": integerToNumeric, "int4_numeric": integerToNumeric, "int8_numeric": integerToNumeric,
		"float4_numeric": floatToNumeric(6), "float8_numeric": floatToNumeric(15),
		"numeric_int2": numericToInteger('2'), "numeric_int4": numericToInteger('4'), "numeric_int8": numericToInteger('8'),
		"numeric_float4": numericToFloat(32), "numeric_float8": numericToFloat(64),
		"text_name": text1(truncateName), "bpchar_name": text1(func(text string) string { return truncateName(strings.TrimRight(text, " ")) }),
		"name_text": first, "name_bpchar": first, "char_text": charToText, "char_bpchar": charToText, "text_char": textToChar,
		"chartoi4": charToInteger, "i4tochar": integerToChar, "text_regclass": textToRegclass,
		"booltext":     value1(func(v relation.Value) relation.Value { return relation.Text(boolWord(v.Bool())) }),
		"xid8toxid":    value1(func(v relation.Value) relation.Value { return relation.Int(int64(uint32(v.Int()))) }),
		"network_show": text1(networkText), "bitfromint4": bitsFromInt(32), "bitfromint8": bitsFromInt(64),
		"timestamp_scale": first, "timestamptz_scale": first, "time_scale": first, "timetz_scale": first, "interval_scale": first, "numeric": first,
		"varchar": first, "bpchar": first, "bit": first, "varbit": first,
		"jsonb_bool": jsonbTo("boolean", jsonbToBool),
	}
	for name, target := range map[string]struct {
		typeName string
		convert  Evaluate
	}{
		"jsonb_numeric": {"numeric", first}, "jsonb_int2": {"smallint", numericToInteger('2')}, "jsonb_int4": {"integer", numericToInteger('4')},
		"jsonb_int8": {"bigint", numericToInteger('8')}, "jsonb_float4": {"real", numericToFloat(32)},
		"jsonb_float8": {"double precision", numericToFloat(64)},
	} {
		functions[name] = jsonbTo(target.typeName, jsonbToNumber(target.convert))
	}
	return functions
}

func boolWord(value bool) string {
	if value {
		return "true"
	}
	return "false"
}

func narrowInteger(size byte) Evaluate {
	minimum, maximum, name := integerRangeOf(size)
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		if v := a[0].Int(); v < minimum || v > maximum {
			return relation.NULL, outOfRange(name)
		}
		return a[0], nil
	}
}

func integerToOID(_ *Context, a []relation.Value) (relation.Value, error) {
	if v := a[0].Int(); v < 0 || v > math.MaxUint32 {
		return relation.NULL, outOfRange("OID")
	}
	return a[0], nil
}

func integerToFloat(_ *Context, a []relation.Value) (relation.Value, error) {
	return relation.Float(float64(a[0].Int())), nil
}

func integerToFloat4(_ *Context, a []relation.Value) (relation.Value, error) {
	return relation.Float(float64(float32(a[0].Int()))), nil
}

func narrowFloat(_ *Context, a []relation.Value) (relation.Value, error) {
	x := a[0].Float()
	narrow := float64(float32(x))
	switch {
	case math.IsInf(narrow, 0) && !math.IsInf(x, 0):
		return relation.NULL, floatOverflow()
	case narrow == 0 && x != 0:
		return relation.NULL, floatUnderflow()
	}
	return relation.Float(narrow), nil
}

func floatToInteger(size byte) Evaluate {
	minimum, maximum, name := integerRangeOf(size)
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		rounded := math.RoundToEven(a[0].Float())
		if !(rounded >= float64(minimum) && rounded < float64(maximum)+1) {
			return relation.NULL, outOfRange(name)
		}
		return relation.Int(int64(rounded)), nil
	}
}

func integerToNumeric(_ *Context, a []relation.Value) (relation.Value, error) {
	return relation.Text(string(appendIntText(nil, a[0], nil))), nil
}

// floatToNumeric keeps the digits that the type is sure of.
func floatToNumeric(digits int) Evaluate {
	format := DefaultFormat()
	format.ExtraFloatDigits = 0
	bits := 64
	if digits == 6 {
		bits = 32
	}
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		return inputNumeric(string(appendFloat(nil, a[0].Float(), bits, &format)), nil)
	}
}

func numericToInteger(size byte) Evaluate {
	minimum, maximum, name := integerRangeOf(size)
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		d := decimalOf(a[0])
		switch d.form {
		case notANumber:
			return relation.NULL, pgerror.New(pgerror.FeatureNotSupported, "cannot convert NaN to %s", name)
		case infinite:
			return relation.NULL, pgerror.New(pgerror.FeatureNotSupported, "cannot convert infinity to %s", name)
		}
		value, ok := d.int64()
		if !ok || value < minimum || value > maximum {
			return relation.NULL, outOfRange(name)
		}
		return relation.Int(value), nil
	}
}

func numericToFloat(bits int) Evaluate {
	name := map[int]string{32: "real", 64: "double precision"}[bits]
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		value, err := parseFloat(a[0].Text(), name, bits)
		return relation.Float(value), err
	}
}

// charToText shows a byte above 127 as the bytes themselves would not be text.
func charToText(_ *Context, a []relation.Value) (relation.Value, error) {
	return relation.Text(string(appendCharText(nil, a[0], nil))), nil
}

func textToChar(_ *Context, a []relation.Value) (relation.Value, error) {
	return inputChar(a[0].Text(), nil)
}

func charToInteger(_ *Context, a []relation.Value) (relation.Value, error) {
	if a[0].Text() == "" {
		return relation.Int(0), nil
	}
	return relation.Int(int64(int8(a[0].Text()[0]))), nil
}

func integerToChar(_ *Context, a []relation.Value) (relation.Value, error) {
	v := a[0].Int()
	if v < math.MinInt8 || v > math.MaxInt8 {
		return relation.NULL, outOfRange(`"char"`)
	}
	if v == 0 {
		return relation.Text(""), nil
	}
	return relation.Text(string([]byte{byte(v)})), nil
}

func textToRegclass(c *Context, a []relation.Value) (relation.Value, error) {
	return inputPlain(typeOf(relation.RegclassOID), a[0].Text(), &c.Format)
}

// networkText shows the prefix length of an address even where it is the whole address.
func networkText(text string) string {
	if strings.Contains(text, "/") {
		return text
	}
	if strings.Contains(text, ":") {
		return text + "/128"
	}
	return text + "/32"
}

// bitsFromInt gives the lowest bits of an integer, as many as the cast asks for, with the sign repeated on the left.
func bitsFromInt(width int) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		bits := make([]byte, width)
		for i := range bits {
			bits[i] = byte('0' + a[0].Int()>>min(width-1-i, 63)&1)
		}
		return relation.Text(string(bits)), nil
	}
}

// jsonbTo casts a jsonb scalar; other kinds are 22023. The JSON null has no SQL value to become.
func jsonbTo(typeName string, convert func(c *Context, v jsonValue) (relation.Value, bool, error)) Evaluate {
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		parsed := openJSON(a[0])
		result, ok, err := convert(c, parsed)
		if !ok {
			return relation.NULL, pgerror.New(pgerror.InvalidParameterValue, "cannot cast jsonb %s to type %s", parsed.kindName(), typeName)
		}
		return result, err
	}
}

func jsonbToBool(_ *Context, v jsonValue) (relation.Value, bool, error) {
	return relation.Bool(v.kind == jsonTrue), v.kind == jsonTrue || v.kind == jsonFalse, nil
}

func jsonbToNumber(convert Evaluate) func(*Context, jsonValue) (relation.Value, bool, error) {
	return func(c *Context, v jsonValue) (relation.Value, bool, error) {
		if v.kind != jsonNumber {
			return relation.NULL, false, nil
		}
		result, err := convert(c, []relation.Value{relation.Text(v.text)})
		return result, true, err
	}
}
