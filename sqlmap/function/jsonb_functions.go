package function

import (
	"strconv"
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

func jsonbFunctions() evaluates {
	return evaluates{
		"jsonb_contains":  jsonbTest(func(a, b *jsonValue) bool { return jsonContains(a, b, true) }),
		"jsonb_contained": jsonbTest(func(a, b *jsonValue) bool { return jsonContains(b, a, true) }),
		"jsonb_exists":    jsonbExists, "jsonb_exists_any": jsonbExistsOf(true), "jsonb_exists_all": jsonbExistsOf(false),
		"jsonb_concat": jsonbConcat, "jsonb_delete": jsonbDeleteKeys, "jsonb_delete_array": jsonbDeleteKeys, "jsonb_delete_idx": jsonbDeleteIndex,
		"jsonb_delete_path": jsonbChange(changeDelete), "jsonb_set": jsonbSet, "jsonb_set_lax": jsonbSetLax, "jsonb_insert": jsonbInsert,
		"jsonb_pretty": jsonbPretty, "jsonb_cmp": compareFunction(compareJSONB),
	}
}

func jsonbTest(test func(a, b *jsonValue) bool) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		x, y := openJSON(a[0]), openJSON(a[1])
		return relation.Bool(test(&x, &y)), nil
	}
}

// jsonContains tells whether a contains b. At the top an array may contain a bare scalar.
func jsonContains(a, b *jsonValue, top bool) bool {
	if top && a.kind == jsonArray && b.kind < jsonArray {
		for i := range a.elements {
			if a.elements[i].kind < jsonArray && compareJSON(&a.elements[i], b) == 0 {
				return true
			}
		}
		return false
	}
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case jsonObject:
		for i := range b.elements {
			if found := a.get(b.keys[i]); found == nil || !jsonContains(found, &b.elements[i], false) {
				return false
			}
		}
		return true
	case jsonArray:
		for i := range b.elements {
			found := false
			for j := range a.elements {
				found = found || jsonContains(&a.elements[j], &b.elements[i], false)
			}
			if !found {
				return false
			}
		}
		return true
	}
	return compareJSON(a, b) == 0
}

// hasKey tells whether a key or a string element exists at the top.
func (v *jsonValue) hasKey(key string) bool {
	switch v.kind {
	case jsonObject:
		return v.get(key) != nil
	case jsonArray:
		for i := range v.elements {
			if v.elements[i].kind == jsonString && v.elements[i].text == key {
				return true
			}
		}
		return false
	}
	return v.kind == jsonString && v.text == key
}

func jsonbExists(_ *Context, a []relation.Value) (relation.Value, error) {
	v := openJSON(a[0])
	return relation.Bool(v.hasKey(a[1].Text())), nil
}

func jsonbExistsOf(any bool) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		v := openJSON(a[0])
		for _, key := range OpenArray(a[1]).Elements {
			if !key.IsNull() && v.hasKey(key.Text()) == any {
				return relation.Bool(any), nil
			}
		}
		return relation.Bool(!any), nil
	}
}

func jsonbConcat(_ *Context, a []relation.Value) (relation.Value, error) {
	x, y := openJSON(a[0]), openJSON(a[1])
	if x.kind == jsonObject && y.kind == jsonObject {
		x.keys, x.elements = append(x.keys, y.keys...), append(x.elements, y.elements...)
		return jsonbOf(x), nil
	}
	result := jsonValue{kind: jsonArray}
	for _, part := range []jsonValue{x, y} {
		if part.kind == jsonArray {
			result.elements = append(result.elements, part.elements...)
		} else {
			result.elements = append(result.elements, part)
		}
	}
	return showJSONB(&result), nil
}

// keep keeps the elements for which the test holds.
func (v *jsonValue) keep(test func(i int) bool) {
	kept := 0
	for i := range v.elements {
		if !test(i) {
			continue
		}
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

// jsonbDeleteKeys deletes keys, or string elements of an array; the second argument is a text or an array of texts.
func jsonbDeleteKeys(_ *Context, a []relation.Value) (relation.Value, error) {
	v := openJSON(a[0])
	if v.kind < jsonArray {
		return relation.NULL, pgerror.New(pgerror.InvalidParameterValue, "cannot delete from scalar")
	}
	deleted := map[string]bool{}
	for _, key := range keyArguments(a[1]) {
		deleted[key] = true
	}
	v.keep(func(i int) bool {
		if v.kind == jsonObject {
			return !deleted[v.keys[i]]
		}
		return v.elements[i].kind != jsonString || !deleted[v.elements[i].text]
	})
	return showJSONB(&v), nil
}

// keyArguments reads a text, or the texts of an array that the call collected.
func keyArguments(v relation.Value) []string {
	if array := OpenArray(v); len(v.Text()) >= 12 && array.Element == relation.TextOID && array.dimensions != nil {
		var keys []string
		for _, key := range array.Elements {
			if !key.IsNull() {
				keys = append(keys, key.Text())
			}
		}
		return keys
	}
	return []string{v.Text()}
}

func jsonbDeleteIndex(_ *Context, a []relation.Value) (relation.Value, error) {
	v := openJSON(a[0])
	switch v.kind {
	case jsonObject:
		return relation.NULL, pgerror.New(pgerror.InvalidParameterValue, "cannot delete from object using integer index")
	case jsonArray:
	default:
		return relation.NULL, pgerror.New(pgerror.InvalidParameterValue, "cannot delete from scalar")
	}
	place := a[1].Int()
	if place < 0 {
		place += int64(len(v.elements))
	}
	v.keep(func(i int) bool { return int64(i) != place })
	return showJSONB(&v), nil
}

// jsonChange is what happens at the end of a path.
type jsonChange byte

const (
	changeDelete jsonChange = iota
	changeSet
	changeReplace // only what exists
	changeInsertBefore
	changeInsertAfter
)

func jsonbChange(change jsonChange) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) { return changeAt(a, change, nil) }
}

// changeAt applies a change at the path a[1] of a[0].
func changeAt(a []relation.Value, change jsonChange, value *jsonValue) (relation.Value, error) {
	root := openJSON(a[0])
	if root.kind < jsonArray {
		verb := "set path in"
		if change == changeDelete {
			verb = "delete path in"
		}
		return relation.NULL, pgerror.New(pgerror.InvalidParameterValue, "cannot %s scalar", verb)
	}
	path := OpenArray(a[1])
	if len(path.dimensions) > 1 {
		return relation.NULL, pgerror.New(pgerror.ArraySubscriptError, "wrong number of array subscripts")
	}
	if len(path.Elements) == 0 || len(root.elements) == 0 && (change == changeDelete || change == changeReplace) {
		return a[0], nil
	}
	if err := applyChange(&root, path.Elements, 0, change, value); err != nil {
		return relation.NULL, err
	}
	return jsonbOf(root), nil
}

func applyChange(v *jsonValue, path []relation.Value, depth int, change jsonChange, value *jsonValue) error {
	key := path[depth]
	if key.IsNull() {
		return pgerror.New(pgerror.NullValueNotAllowed, "path element at position %d is null", depth+1)
	}
	switch v.kind {
	case jsonObject:
		return changeObject(v, key.Text(), path, depth, change, value)
	case jsonArray:
		place, err := strconv.ParseInt(trimSpace(key.Text()), 10, 32)
		if err != nil {
			return pgerror.New(pgerror.InvalidTextRepresentation, "path element at position %d is not an integer: \"%s\"", depth+1, key.Text())
		}
		return changeArray(v, place, path, depth, change, value)
	}
	return nil
}

func changeObject(v *jsonValue, key string, path []relation.Value, depth int, change jsonChange, value *jsonValue) error {
	found := v.get(key)
	if depth < len(path)-1 {
		if found == nil {
			return nil
		}
		return applyChange(found, path, depth+1, change, value)
	}
	switch {
	case change == changeDelete:
		v.keep(func(i int) bool { return v.keys[i] != key })
	case found != nil && change >= changeInsertBefore:
		return pgerror.New(pgerror.InvalidParameterValue, "cannot replace existing key").
			WithHint("Try using the function jsonb_set to replace key value.")
	case found != nil:
		*found = *value
	case change != changeReplace:
		v.keys, v.elements = append(v.keys, key), append(v.elements, *value)
	}
	return nil
}

func changeArray(v *jsonValue, place int64, path []relation.Value, depth int, change jsonChange, value *jsonValue) error {
	length := int64(len(v.elements))
	before := false
	if place < 0 {
		place += length
		before = place < 0
	}
	exists := !before && place < length
	if depth < len(path)-1 {
		if !exists {
			return nil
		}
		return applyChange(&v.elements[place], path, depth+1, change, value)
	}
	switch {
	case change == changeDelete:
		v.keep(func(i int) bool { return int64(i) != place })
		return nil
	case exists && change <= changeReplace:
		v.elements[place] = *value
		return nil
	case change == changeReplace:
		return nil
	}
	target := length
	switch {
	case before:
		target = 0
	case exists && change == changeInsertAfter:
		target = place + 1
	case exists:
		target = place
	}
	v.elements = append(v.elements, jsonValue{})
	copy(v.elements[target+1:], v.elements[target:])
	v.elements[target] = *value
	return nil
}

func jsonbSet(_ *Context, a []relation.Value) (relation.Value, error) {
	value := openJSON(a[2])
	if len(a) > 3 && !a[3].Bool() {
		return changeAt(a, changeReplace, &value)
	}
	return changeAt(a, changeSet, &value)
}

// jsonbSetLax is jsonb_set with a choice of what a NULL value does.
func jsonbSetLax(c *Context, a []relation.Value) (relation.Value, error) {
	if a[0].IsNull() || a[1].IsNull() || a[3].IsNull() {
		return relation.NULL, nil
	}
	if !a[2].IsNull() {
		return jsonbSet(c, a)
	}
	switch a[4].Text() {
	case "raise_exception":
		return relation.NULL, pgerror.New(pgerror.NullValueNotAllowed, "JSON value must not be null").
			WithDetail("Exception was raised because null_value_treatment is \"raise_exception\".").
			WithHint("To avoid, either change the null_value_treatment argument or ensure that an SQL NULL is not passed.")
	case "use_json_null":
		return jsonbSet(c, []relation.Value{a[0], a[1], relation.Text("null"), a[3]})
	case "delete_key":
		return changeAt(a, changeDelete, nil)
	case "return_target":
		return a[0], nil
	}
	return relation.NULL, pgerror.New(pgerror.InvalidParameterValue,
		"null_value_treatment must be \"delete_key\", \"return_target\", \"use_json_null\", or \"raise_exception\"")
}

func jsonbInsert(_ *Context, a []relation.Value) (relation.Value, error) {
	value := openJSON(a[2])
	if len(a) > 3 && a[3].Bool() {
		return changeAt(a, changeInsertAfter, &value)
	}
	return changeAt(a, changeInsertBefore, &value)
}

func jsonbPretty(_ *Context, a []relation.Value) (relation.Value, error) {
	v := openJSON(a[0])
	return relation.Text(string(appendPrettyJSON(nil, &v, 0))), nil
}

// appendPrettyJSON indents by four blanks a level.
func appendPrettyJSON(dst []byte, v *jsonValue, level int) []byte {
	if v.kind < jsonArray {
		return appendJSON(dst, v)
	}
	open, closed := byte('['), byte(']')
	if v.kind == jsonObject {
		open, closed = '{', '}'
	}
	indent := func(level int) { dst = append(append(dst, '\n'), strings.Repeat("    ", level)...) }
	dst = append(dst, open)
	for i := range v.elements {
		if i > 0 {
			dst = append(dst, ',')
		}
		indent(level + 1)
		if v.kind == jsonObject {
			dst = append(appendJSONString(dst, v.keys[i]), ':', ' ')
		}
		dst = appendPrettyJSON(dst, &v.elements[i], level+1)
	}
	indent(level)
	return append(dst, closed)
}
