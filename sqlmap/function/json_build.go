package function

import (
	"math"

	"moraine/pgerror"
	"moraine/relation"
)

// jsonBuilders make JSON of values of any type.
func jsonBuilders() specialises {
	return specialises{
		"to_json": toJSON(false), "to_jsonb": toJSON(true), "array_to_json": toJSON(false), "array_to_json_pretty": toPrettyJSON,
		"row_to_json": toJSON(false), "row_to_json_pretty": toPrettyJSON,
		"json_build_object": buildObject(false), "jsonb_build_object": buildObject(true),
		"json_build_array": buildArray(false), "jsonb_build_array": buildArray(true),
	}
}

// jsonWriter appends the JSON of a value; it is made once for a type.
type jsonWriter func(dst []byte, v relation.Value, f *Format) []byte

// jsonWriterOf gives the writer of a type. pretty puts a line feed between the elements of the outermost array or row.
func jsonWriterOf(t relation.Type, pretty bool) jsonWriter {
	switch t.OID {
	case relation.BoolOID:
		return func(dst []byte, v relation.Value, _ *Format) []byte { return append(dst, boolWord(v.Bool())...) }
	case relation.Int2OID, relation.Int4OID, relation.Int8OID:
		return appendIntText
	case relation.NumericOID:
		return func(dst []byte, v relation.Value, _ *Format) []byte {
			if !isPlainNumber(v.Text()) {
				return appendJSONString(dst, v.Text())
			}
			return append(dst, v.Text()...)
		}
	case relation.Float4OID, relation.Float8OID:
		encode := TextEncoder(t.OID)
		return func(dst []byte, v relation.Value, f *Format) []byte {
			if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
				return appendJSONString(dst, string(encode(nil, v, f)))
			}
			return encode(dst, v, f)
		}
	case relation.JSONOID, relation.JSONBOID:
		return appendPlainText
	case relation.DateOID, relation.TimestampOID, relation.TimestampTZOID:
		return jsonTimeWriter(t.OID)
	case relation.RecordOID:
		return recordWriter(t, pretty)
	}
	if element := ElementType(t); element.OID != 0 {
		return arrayJSONWriter(element, pretty)
	}
	encode := TextEncoder(t.OID)
	return func(dst []byte, v relation.Value, f *Format) []byte {
		return appendJSONString(dst, string(encode(nil, v, f)))
	}
}

// jsonTimeWriter writes dates and times in ISO 8601, with a T.
func jsonTimeWriter(oid uint32) jsonWriter {
	encode := TextEncoder(oid)
	return func(dst []byte, v relation.Value, f *Format) []byte {
		iso := *f
		iso.DateStyle = "ISO, MDY"
		text := encode(nil, v, &iso)
		if len(text) > 10 && text[10] == ' ' {
			text[10] = 'T'
		}
		if oid == relation.TimestampTZOID && isFiniteTimestamp(v.Int()) && len(text) > 3 {
			if sign := text[len(text)-3]; sign == '+' || sign == '-' {
				text = append(text, ":00"...)
			}
		}
		return appendJSONString(dst, string(text))
	}
}

func arrayJSONWriter(element relation.Type, pretty bool) jsonWriter {
	write := jsonWriterOf(element, false)
	return func(dst []byte, v relation.Value, f *Format) []byte {
		array := OpenArray(v)
		if len(array.dimensions) == 0 {
			return append(dst, "[]"...)
		}
		place := 0
		var level func(depth int)
		level = func(depth int) {
			dst = append(dst, '[')
			for i := range array.dimensions[depth].length {
				if i > 0 {
					dst = append(dst, ',')
					if pretty && depth == 0 {
						dst = append(dst, '\n', ' ')
					}
				}
				if depth+1 < len(array.dimensions) {
					level(depth + 1)
					continue
				}
				dst = appendNullableJSON(dst, array.Elements[place], write, f)
				place++
			}
			dst = append(dst, ']')
		}
		level(0)
		return dst
	}
}

func appendNullableJSON(dst []byte, v relation.Value, write jsonWriter, f *Format) []byte {
	if v.IsNull() {
		return append(dst, "null"...)
	}
	return write(dst, v, f)
}

// recordWriter writes a row as an object; columns without known names are f1, f2, ...
func recordWriter(t relation.Type, pretty bool) jsonWriter {
	columns, _ := RecordColumns(t)
	return func(dst []byte, v relation.Value, f *Format) []byte {
		types, fields := OpenRecord(v)
		dst = append(dst, '{')
		for i, field := range fields {
			if i > 0 {
				dst = append(dst, ',')
				if pretty {
					dst = append(dst, '\n', ' ')
				}
			}
			fieldType, name := types[i], "f"+string(appendIntText(nil, relation.Int(int64(i+1)), nil))
			if i < len(columns) {
				name = columns[i].Name
				if columns[i].Type.OID == fieldType.OID {
					fieldType = columns[i].Type
				}
			}
			dst = append(appendJSONString(dst, name), ':')
			dst = appendNullableJSON(dst, field, jsonWriterOf(fieldType, false), f)
		}
		return append(dst, '}')
	}
}

// finishJSON gives json as it was built, jsonb normalised.
func finishJSON(text []byte, binary bool) (relation.Value, error) {
	if binary {
		return inputJSONB(string(text), nil)
	}
	return relation.Text(string(text)), nil
}

func toJSON(binary bool) func(*signature) (Evaluate, error) {
	return func(sig *signature) (Evaluate, error) {
		write := jsonWriterOf(sig.Arguments[0], false)
		return func(c *Context, a []relation.Value) (relation.Value, error) {
			return finishJSON(write(nil, a[0], &c.Format), binary)
		}, nil
	}
}

func toPrettyJSON(sig *signature) (Evaluate, error) {
	plain, pretty := jsonWriterOf(sig.Arguments[0], false), jsonWriterOf(sig.Arguments[0], true)
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		if a[1].Bool() {
			return relation.Text(string(pretty(nil, a[0], &c.Format))), nil
		}
		return relation.Text(string(plain(nil, a[0], &c.Format))), nil
	}, nil
}

// spreadArguments gives the values and types of a call with arguments of any type.
func spreadArguments(sig *signature) func(a []relation.Value) ([]relation.Value, []relation.Type) {
	types := sig.Arguments
	if !sig.Spread {
		return func(a []relation.Value) ([]relation.Value, []relation.Type) { return a, types }
	}
	element := ElementType(types[len(types)-1])
	return func(a []relation.Value) ([]relation.Value, []relation.Type) {
		elements := OpenArray(a[len(a)-1]).Elements
		spread := make([]relation.Type, len(elements))
		for i := range spread {
			spread[i] = element
		}
		return elements, spread
	}
}

func buildObject(binary bool) func(*signature) (Evaluate, error) {
	return func(sig *signature) (Evaluate, error) {
		values := spreadArguments(sig)
		return func(c *Context, a []relation.Value) (relation.Value, error) {
			if nullSpread(sig, a) {
				return relation.NULL, nil
			}
			arguments, types := values(a)
			if len(arguments)%2 != 0 {
				name := "json_build_object()"
				if binary {
					name = "jsonb_build_object()"
				}
				return relation.NULL, pgerror.New(pgerror.InvalidParameterValue, "argument list must have even number of elements").
					WithHint("The arguments of %s must consist of alternating keys and values.", name)
			}
			dst := []byte{'{'}
			for i := 0; i < len(arguments); i += 2 {
				if i > 0 {
					dst = append(dst, ',', ' ')
				}
				var err error
				if dst, err = appendKey(dst, types[i], arguments[i], i+1, binary, &c.Format); err != nil {
					return relation.NULL, err
				}
				dst = append(dst, ' ', ':', ' ')
				dst = appendNullableJSON(dst, arguments[i+1], jsonWriterOf(types[i+1], false), &c.Format)
			}
			return finishJSON(append(dst, '}'), binary)
		}, nil
	}
}

// appendKey writes a key of an object: the text of a scalar that is not NULL.
func appendKey(dst []byte, t relation.Type, v relation.Value, position int, binary bool, f *Format) ([]byte, error) {
	if v.IsNull() {
		if binary {
			return nil, pgerror.New(pgerror.InvalidParameterValue, "argument %d: key must not be null", position)
		}
		return nil, pgerror.New(pgerror.InvalidParameterValue, "argument %d cannot be null", position).WithHint("Object keys should be text.")
	}
	if IsArrayType(t) || t.OID == relation.RecordOID || t.OID == relation.JSONOID || t.OID == relation.JSONBOID {
		return nil, pgerror.New(pgerror.InvalidParameterValue, "key value must be scalar, not array, composite, or json")
	}
	return appendJSONString(dst, string(AppendText(nil, t, v, f))), nil
}

func buildArray(binary bool) func(*signature) (Evaluate, error) {
	return func(sig *signature) (Evaluate, error) {
		values := spreadArguments(sig)
		return func(c *Context, a []relation.Value) (relation.Value, error) {
			if nullSpread(sig, a) {
				return relation.NULL, nil
			}
			arguments, types := values(a)
			dst := []byte{'['}
			for i, argument := range arguments {
				if i > 0 {
					dst = append(dst, ',', ' ')
				}
				dst = appendNullableJSON(dst, argument, jsonWriterOf(types[i], false), &c.Format)
			}
			return finishJSON(append(dst, ']'), binary)
		}, nil
	}
}
