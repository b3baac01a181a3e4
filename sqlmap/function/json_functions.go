package function

import (
	"strconv"
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

// kindName gives the name that json_typeof gives and error messages use.
func (v *jsonValue) kindName() string {
	switch v.kind {
	case jsonNull:
		return "null"
	case jsonString:
		return "string"
	case jsonNumber:
		return "numeric"
	case jsonTrue, jsonFalse:
		return "boolean"
	case jsonArray:
		return "array"
	}
	return "object"
}

// get gives the value of a key; the last of equal ones.
func (v *jsonValue) get(key string) *jsonValue {
	if v.kind != jsonObject {
		return nil
	}
	for i := len(v.keys) - 1; i >= 0; i-- {
		if v.keys[i] == key {
			return &v.elements[i]
		}
	}
	return nil
}

// at gives an element of an array; negative places count from the end.
func (v *jsonValue) at(place int64) *jsonValue {
	if v.kind != jsonArray {
		return nil
	}
	if place < 0 {
		place += int64(len(v.elements))
	}
	if place < 0 || place >= int64(len(v.elements)) {
		return nil
	}
	return &v.elements[place]
}

// step follows one step of a path: a key of an object or a place in an array.
func (v *jsonValue) step(key string) *jsonValue {
	if v.kind == jsonArray {
		place, err := strconv.ParseInt(trimSpace(key), 10, 32)
		if err != nil {
			return nil
		}
		return v.at(place)
	}
	return v.get(key)
}

// jsonShow turns what a function found into its result; nil means that it found nothing.
type jsonShow func(v *jsonValue) relation.Value

// showJSON gives a part of a json value as it was written.
func showJSON(v *jsonValue) relation.Value {
	if v == nil {
		return relation.NULL
	}
	return relation.Text(v.raw)
}

// showJSONB gives a part of a jsonb value, whose text is normalised already.
func showJSONB(v *jsonValue) relation.Value {
	if v == nil {
		return relation.NULL
	}
	return relation.Text(string(appendJSON(nil, v)))
}

// showText gives a string without its quotes, other values as JSON, and NULL for the JSON null.
func showText(whole jsonShow) jsonShow {
	return func(v *jsonValue) relation.Value {
		if v == nil || v.kind == jsonNull {
			return relation.NULL
		}
		if v.kind == jsonString {
			return relation.Text(v.text)
		}
		return whole(v)
	}
}

// jsonFunctions are those that json and jsonb share, under both prefixes.
func jsonFunctions() evaluates {
	functions := evaluates{}
	for prefix, show := range map[string]jsonShow{"json_": showJSON, "jsonb_": showJSONB} {
		for suffix, shown := range map[string]jsonShow{"": show, "_text": showText(show)} {
			functions[prefix+"object_field"+suffix] = jsonStep(func(v *jsonValue, a relation.Value) *jsonValue { return v.get(a.Text()) }, shown)
			functions[prefix+"array_element"+suffix] = jsonStep(func(v *jsonValue, a relation.Value) *jsonValue { return v.at(a.Int()) }, shown)
			functions[prefix+"extract_path"+suffix] = jsonPath(shown)
		}
		functions[prefix+"array_length"] = jsonArrayLength
		functions[prefix+"typeof"] = value1(jsonTypeName)
		functions[prefix+"strip_nulls"] = jsonStripNulls(prefix == "jsonb_")
		functions[prefix+"object"] = jsonObjectOfTexts(prefix == "jsonb_")
		functions[prefix+"object_two_arg"] = jsonObjectOfTexts(prefix == "jsonb_")
		functions[prefix+"build_array_noargs"] = constant(relation.Text("[]"))
		functions[prefix+"build_object_noargs"] = constant(relation.Text("{}"))
	}
	return functions
}

func jsonStep(step func(v *jsonValue, argument relation.Value) *jsonValue, show jsonShow) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		v := openJSON(a[0])
		return show(step(&v, a[1])), nil
	}
}

func jsonPath(show jsonShow) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		root := openJSON(a[0])
		v := &root
		for _, key := range OpenArray(a[1]).Elements {
			if key.IsNull() || v == nil {
				return relation.NULL, nil
			}
			v = v.step(key.Text())
		}
		return show(v), nil
	}
}

func jsonArrayLength(_ *Context, a []relation.Value) (relation.Value, error) {
	v := openJSON(a[0])
	switch v.kind {
	case jsonArray:
		return relation.Int(int64(len(v.elements))), nil
	case jsonObject:
		return relation.NULL, pgerror.New(pgerror.InvalidParameterValue, "cannot get array length of a non-array")
	}
	return relation.NULL, pgerror.New(pgerror.InvalidParameterValue, "cannot get array length of a scalar")
}

func jsonTypeName(v relation.Value) relation.Value {
	parsed := openJSON(v)
	if parsed.kind == jsonNumber {
		return relation.Text("number")
	}
	return relation.Text(parsed.kindName())
}

func jsonStripNulls(binary bool) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		v := openJSON(a[0])
		stripNulls(&v)
		if binary {
			return showJSONB(&v), nil
		}
		return relation.Text(string(appendCompactJSON(nil, &v))), nil
	}
}

func stripNulls(v *jsonValue) {
	kept := 0
	for i := range v.elements {
		if v.kind == jsonObject && v.elements[i].kind == jsonNull {
			continue
		}
		stripNulls(&v.elements[i])
		v.elements[kept] = v.elements[i]
		if v.kind == jsonObject {
			v.keys[kept] = v.keys[i]
		}
		kept++
	}
	v.elements = v.elements[:kept]
	if v.kind == jsonObject {
		v.keys = v.keys[:kept]
	}
}

// appendCompactJSON writes JSON without blanks.
func appendCompactJSON(dst []byte, v *jsonValue) []byte {
	if v.kind != jsonArray && v.kind != jsonObject {
		return appendJSON(dst, v)
	}
	open, closed := byte('['), byte(']')
	if v.kind == jsonObject {
		open, closed = '{', '}'
	}
	dst = append(dst, open)
	for i := range v.elements {
		if i > 0 {
			dst = append(dst, ',')
		}
		if v.kind == jsonObject {
			dst = append(appendJSONString(dst, v.keys[i]), ':')
		}
		dst = appendCompactJSON(dst, &v.elements[i])
	}
	return append(dst, closed)
}

// jsonObjectOfTexts is json_object: an object of text from one array (alternating, or of pairs) or from two.
func jsonObjectOfTexts(binary bool) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		keys, values, err := objectParts(a)
		if err != nil {
			return relation.NULL, err
		}
		object := jsonValue{kind: jsonObject}
		for i, key := range keys {
			if key.IsNull() {
				return relation.NULL, pgerror.New(pgerror.NullValueNotAllowed, "null value not allowed for object key")
			}
			value := jsonValue{kind: jsonString, text: values[i].Text()}
			if values[i].IsNull() {
				value = jsonValue{kind: jsonNull}
			}
			object.keys, object.elements = append(object.keys, key.Text()), append(object.elements, value)
		}
		if binary {
			return jsonbOf(object), nil
		}
		var dst strings.Builder
		dst.WriteByte('{')
		for i := range object.keys {
			if i > 0 {
				dst.WriteString(", ")
			}
			dst.Write(appendJSONString(nil, object.keys[i]))
			dst.WriteString(" : ")
			dst.Write(appendJSON(nil, &object.elements[i]))
		}
		dst.WriteByte('}')
		return relation.Text(dst.String()), nil
	}
}

func objectParts(a []relation.Value) (keys, values []relation.Value, err error) {
	first := OpenArray(a[0])
	if len(a) > 1 {
		second := OpenArray(a[1])
		if len(first.dimensions) > 1 || len(second.dimensions) > 1 {
			return nil, nil, pgerror.New(pgerror.ArraySubscriptError, "wrong number of array subscripts")
		}
		if len(first.Elements) != len(second.Elements) {
			return nil, nil, pgerror.New(pgerror.ArraySubscriptError, "mismatched array dimensions")
		}
		return first.Elements, second.Elements, nil
	}
	switch {
	case len(first.dimensions) == 1 && len(first.Elements)%2 != 0:
		return nil, nil, pgerror.New(pgerror.ArraySubscriptError, "array must have even number of elements")
	case len(first.dimensions) == 2 && first.dimensions[1].length != 2:
		return nil, nil, pgerror.New(pgerror.ArraySubscriptError, "array must have two columns")
	case len(first.dimensions) > 2:
		return nil, nil, pgerror.New(pgerror.ArraySubscriptError, "wrong number of array subscripts")
	}
	for i := 0; i < len(first.Elements); i += 2 {
		keys, values = append(keys, first.Elements[i]), append(values, first.Elements[i+1])
	}
	return keys, values, nil
}
