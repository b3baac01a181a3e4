package function

import (
	"strconv"
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

// arrayFunctions depend on the element type of their arguments.
func arrayFunctions() specialises {
	plain := map[string]Evaluate{
		"array_length": arrayLength, "array_lower": arrayLower, "array_upper": arrayUpper, "array_ndims": arrayDimensionCount,
		"array_dims": arrayDimensions, "array_cardinality": cardinality, "array_cat": concatenateArrays, "trim_array": trimArray,
	}
	table := specialises{
		"array_append": appendElement, "array_prepend": prependElement,
		"array_eq": compareArrayValues(func(order int) bool { return order == 0 }), "array_ne": compareArrayValues(func(order int) bool { return order != 0 }),
		"array_lt": compareArrayValues(func(order int) bool { return order < 0 }), "array_le": compareArrayValues(func(order int) bool { return order <= 0 }),
		"array_gt": compareArrayValues(func(order int) bool { return order > 0 }), "array_ge": compareArrayValues(func(order int) bool { return order >= 0 }),
		"array_larger": chooseArray(larger), "array_smaller": chooseArray(smaller),
		"arraycontains":  containment(func(a, b []relation.Value, equal equality) bool { return containsAll(a, b, equal) }),
		"arraycontained": containment(func(a, b []relation.Value, equal equality) bool { return containsAll(b, a, equal) }),
		"arrayoverlap":   containment(overlapsAny),
		"array_position": positionOfElement, "array_position_start": positionOfElement, "array_positions": positionsOfElement,
		"array_remove": removeElement, "array_replace": replaceElement, "array_fill": fillArray, "array_fill_with_lower_bounds": fillArray,
		"array_to_text": joinArray, "array_to_text_null": joinArray, "width_bucket_array": bucketOfArray,
	}
	for name, evaluate := range plain {
		table[name] = func(*signature) (Evaluate, error) { return evaluate, nil }
	}
	return table
}

// equality compares two elements; NULL equals NULL.
type equality func(a, b relation.Value) bool

// equalityOf gives the equality of an element type.
func equalityOf(element relation.Type) (equality, error) {
	compare := Comparer(element)
	if compare == nil {
		return nil, NoEquality(element)
	}
	return func(a, b relation.Value) bool { return compareNullable(a, b, compare) == 0 }, nil
}

// dimensionAt gives a dimension by its number from 1.
func dimensionAt(a []relation.Value) (dimension, bool) {
	array := OpenArray(a[0])
	number := a[1].Int()
	if number < 1 || number > int64(len(array.dimensions)) {
		return dimension{}, false
	}
	return array.dimensions[number-1], true
}

func arrayLength(_ *Context, a []relation.Value) (relation.Value, error) {
	if d, ok := dimensionAt(a); ok {
		return relation.Int(int64(d.length)), nil
	}
	return relation.NULL, nil
}

func arrayLower(_ *Context, a []relation.Value) (relation.Value, error) {
	if d, ok := dimensionAt(a); ok {
		return relation.Int(int64(d.lower)), nil
	}
	return relation.NULL, nil
}

func arrayUpper(_ *Context, a []relation.Value) (relation.Value, error) {
	if d, ok := dimensionAt(a); ok {
		return relation.Int(int64(d.lower + d.length - 1)), nil
	}
	return relation.NULL, nil
}

func arrayDimensionCount(_ *Context, a []relation.Value) (relation.Value, error) {
	if count := len(OpenArray(a[0]).dimensions); count > 0 {
		return relation.Int(int64(count)), nil
	}
	return relation.NULL, nil
}

func arrayDimensions(_ *Context, a []relation.Value) (relation.Value, error) {
	array := OpenArray(a[0])
	if len(array.dimensions) == 0 {
		return relation.NULL, nil
	}
	text := appendBounds(nil, array.dimensions)
	return relation.Text(string(text[:len(text)-1])), nil
}

func cardinality(_ *Context, a []relation.Value) (relation.Value, error) {
	return relation.Int(int64(len(OpenArray(a[0]).Elements))), nil
}

// elementTypeOf gives the element type of the first array among the types of a call.
func elementTypeOf(sig *signature) relation.Type {
	for _, argument := range append(sig.Arguments, sig.Result) {
		if element := ElementType(argument); element.OID != 0 {
			return element
		}
	}
	return relation.Type{}
}

func appendElement(sig *signature) (Evaluate, error) {
	element := elementTypeOf(sig)
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		return extendArray(a[0], a[1], element.OID, false)
	}, nil
}

func prependElement(sig *signature) (Evaluate, error) {
	element := elementTypeOf(sig)
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		return extendArray(a[1], a[0], element.OID, true)
	}, nil
}

// extendArray adds an element at an end of a one-dimensional array.
func extendArray(array, added relation.Value, element uint32, atStart bool) (relation.Value, error) {
	opened := OpenArray(array)
	opened.Element = element
	switch len(opened.dimensions) {
	case 0:
		return NewArray(element, []relation.Value{added}), nil
	case 1:
	default:
		return relation.NULL, pgerror.New(pgerror.DataException, "argument must be empty or one-dimensional array")
	}
	opened.dimensions[0].length++
	if atStart {
		opened.Elements = append([]relation.Value{added}, opened.Elements...)
	} else {
		opened.Elements = append(opened.Elements, added)
	}
	return opened.Value(), nil
}

func concatenateArrays(_ *Context, a []relation.Value) (relation.Value, error) {
	switch {
	case a[0].IsNull():
		return a[1], nil
	case a[1].IsNull():
		return a[0], nil
	}
	x, y := OpenArray(a[0]), OpenArray(a[1])
	switch {
	case len(y.dimensions) == 0:
		return a[0], nil
	case len(x.dimensions) == 0:
		return a[1], nil
	}
	result := Array{Element: x.Element, Elements: append(append([]relation.Value(nil), x.Elements...), y.Elements...)}
	switch len(x.dimensions) - len(y.dimensions) {
	case 0:
		result.dimensions = append([]dimension(nil), x.dimensions...)
		result.dimensions[0].length += y.dimensions[0].length
		if !sameDimensions(x.dimensions[1:], y.dimensions[1:]) {
			return relation.NULL, cannotConcatenate("Arrays with differing element dimensions are not compatible for concatenation.")
		}
	case 1:
		result.dimensions = append([]dimension(nil), x.dimensions...)
		result.dimensions[0].length++
		if !sameDimensions(x.dimensions[1:], y.dimensions) {
			return relation.NULL, cannotConcatenate("Arrays with differing dimensions are not compatible for concatenation.")
		}
	case -1:
		result.dimensions = append([]dimension(nil), y.dimensions...)
		result.dimensions[0].length++
		if !sameDimensions(y.dimensions[1:], x.dimensions) {
			return relation.NULL, cannotConcatenate("Arrays with differing dimensions are not compatible for concatenation.")
		}
	default:
		return relation.NULL, cannotConcatenate("Arrays of " + strconv.Itoa(len(x.dimensions)) + " and " + strconv.Itoa(len(y.dimensions)) +
			" dimensions are not compatible for concatenation.")
	}
	return result.Value(), nil
}

func cannotConcatenate(detail string) error {
	return pgerror.New(pgerror.ArraySubscriptError, "cannot concatenate incompatible arrays").WithDetail("%s", detail)
}

func trimArray(_ *Context, a []relation.Value) (relation.Value, error) {
	array, count := OpenArray(a[0]), int(a[1].Int())
	length := 0
	if len(array.dimensions) > 0 {
		length = array.dimensions[0].length
	}
	if count < 0 || count > length {
		return relation.NULL, pgerror.New(pgerror.ArraySubscriptError, "number of elements to trim must be between 0 and %d", length)
	}
	if length == 0 {
		return a[0], nil
	}
	last := int64(array.dimensions[0].lower + length - count - 1)
	return array.slice([]bound{{upper: last, hasUpper: true}}), nil
}

func compareArrayValues(test func(order int) bool) func(*signature) (Evaluate, error) {
	return func(sig *signature) (Evaluate, error) {
		compare := Comparer(sig.Arguments[0])
		if compare == nil {
			return nil, NoEquality(sig.Arguments[0])
		}
		return func(_ *Context, a []relation.Value) (relation.Value, error) {
			return relation.Bool(test(compare(a[0], a[1]))), nil
		}, nil
	}
}

func chooseArray(choose func(func(a, b relation.Value) int) Evaluate) func(*signature) (Evaluate, error) {
	return func(sig *signature) (Evaluate, error) {
		compare := Comparer(sig.Arguments[0])
		if compare == nil {
			return nil, NoOrdering(sig.Arguments[0])
		}
		return choose(compare), nil
	}
}

func containment(test func(a, b []relation.Value, equal equality) bool) func(*signature) (Evaluate, error) {
	return func(sig *signature) (Evaluate, error) {
		equal, err := equalityOf(elementTypeOf(sig))
		if err != nil {
			return nil, err
		}
		return func(_ *Context, a []relation.Value) (relation.Value, error) {
			return relation.Bool(test(OpenArray(a[0]).Elements, OpenArray(a[1]).Elements, equal)), nil
		}, nil
	}
}

// containsAll tells whether each element of b is in a; NULL is in nothing.
func containsAll(a, b []relation.Value, equal equality) bool {
	for _, wanted := range b {
		if wanted.IsNull() || indexOf(a, wanted, equal) < 0 {
			return false
		}
	}
	return true
}

func overlapsAny(a, b []relation.Value, equal equality) bool {
	for _, wanted := range b {
		if !wanted.IsNull() && indexOf(a, wanted, equal) >= 0 {
			return true
		}
	}
	return false
}

func indexOf(elements []relation.Value, wanted relation.Value, equal equality) int {
	for i, element := range elements {
		if equal(element, wanted) {
			return i
		}
	}
	return -1
}

func onlyOneDimension(array *Array, what string) error {
	if len(array.dimensions) > 1 {
		return pgerror.New(pgerror.FeatureNotSupported, "%s", what)
	}
	return nil
}

const searchesOneDimension = "searching for elements in multidimensional arrays is not supported"

func positionOfElement(sig *signature) (Evaluate, error) {
	equal, err := equalityOf(elementTypeOf(sig))
	if err != nil {
		return nil, err
	}
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		if a[0].IsNull() {
			return relation.NULL, nil
		}
		array := OpenArray(a[0])
		if err := onlyOneDimension(&array, searchesOneDimension); err != nil || len(array.dimensions) == 0 {
			return relation.NULL, err
		}
		start := 0
		if len(a) > 2 {
			if a[2].IsNull() {
				return relation.NULL, pgerror.New(pgerror.NullValueNotAllowed, "initial position must not be null")
			}
			start = max(int(a[2].Int())-array.dimensions[0].lower, 0)
		}
		if start > len(array.Elements) {
			return relation.NULL, nil
		}
		place := indexOf(array.Elements[start:], a[1], equal)
		if place < 0 {
			return relation.NULL, nil
		}
		return relation.Int(int64(start + place + array.dimensions[0].lower)), nil
	}, nil
}

func positionsOfElement(sig *signature) (Evaluate, error) {
	equal, err := equalityOf(elementTypeOf(sig))
	if err != nil {
		return nil, err
	}
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		if a[0].IsNull() {
			return relation.NULL, nil
		}
		array := OpenArray(a[0])
		if err := onlyOneDimension(&array, searchesOneDimension); err != nil {
			return relation.NULL, err
		}
		var places []relation.Value
		for i, element := range array.Elements {
			if equal(element, a[1]) {
				places = append(places, relation.Int(int64(i+array.dimensions[0].lower)))
			}
		}
		return NewArray(relation.Int4OID, places), nil
	}, nil
}

func removeElement(sig *signature) (Evaluate, error) {
	equal, err := equalityOf(elementTypeOf(sig))
	if err != nil {
		return nil, err
	}
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		if a[0].IsNull() {
			return relation.NULL, nil
		}
		array := OpenArray(a[0])
		if err := onlyOneDimension(&array, "removing elements from multidimensional arrays is not supported"); err != nil {
			return relation.NULL, err
		}
		var kept []relation.Value
		for _, element := range array.Elements {
			if !equal(element, a[1]) {
				kept = append(kept, element)
			}
		}
		if len(kept) == 0 {
			return NewArray(array.Element, nil), nil
		}
		array.Elements, array.dimensions[0].length = kept, len(kept)
		return array.Value(), nil
	}, nil
}

func replaceElement(sig *signature) (Evaluate, error) {
	equal, err := equalityOf(elementTypeOf(sig))
	if err != nil {
		return nil, err
	}
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		if a[0].IsNull() {
			return relation.NULL, nil
		}
		array := OpenArray(a[0])
		for i, element := range array.Elements {
			if equal(element, a[1]) {
				array.Elements[i] = a[2]
			}
		}
		return array.Value(), nil
	}, nil
}

func fillArray(sig *signature) (Evaluate, error) {
	element := ElementType(sig.Result)
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		for _, bounds := range a[1:] {
			if bounds.IsNull() {
				return relation.NULL, pgerror.New(pgerror.NullValueNotAllowed, "dimension array or low bound array cannot be null")
			}
		}
		result := Array{Element: element.OID}
		total := 1
		for i, length := range OpenArray(a[1]).Elements {
			d := dimension{int(length.Int()), 1}
			if len(a) > 2 {
				lower := OpenArray(a[2]).Elements
				if i >= len(lower) {
					return relation.NULL, pgerror.New(pgerror.ArraySubscriptError, "wrong number of array subscripts")
				}
				d.lower = int(lower[i].Int())
			}
			if total *= d.length; d.length < 0 || total > maximumElements {
				return relation.NULL, arrayTooLarge()
			}
			result.dimensions = append(result.dimensions, d)
		}
		if len(result.dimensions) == 0 || total == 0 {
			return NewArray(element.OID, nil), nil
		}
		if len(result.dimensions) > maximumDimensions {
			return relation.NULL, tooManyDimensions(len(result.dimensions))
		}
		result.Elements = make([]relation.Value, total)
		for i := range result.Elements {
			result.Elements[i] = a[0]
		}
		return result.Value(), nil
	}, nil
}

// joinArray is array_to_string: NULL elements are left out, or written as a third argument.
func joinArray(sig *signature) (Evaluate, error) {
	encode := TextEncoder(elementTypeOf(sig).OID)
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		if a[0].IsNull() || a[1].IsNull() {
			return relation.NULL, nil
		}
		var texts []string
		for _, element := range OpenArray(a[0]).Elements {
			switch {
			case !element.IsNull():
				texts = append(texts, string(encode(nil, element, &c.Format)))
			case len(a) > 2 && !a[2].IsNull():
				texts = append(texts, a[2].Text())
			}
		}
		return relation.Text(strings.Join(texts, a[1].Text())), nil
	}, nil
}

// bucketOfArray is width_bucket over ascending thresholds.
func bucketOfArray(sig *signature) (Evaluate, error) {
	compare := Comparer(sig.Arguments[0])
	if compare == nil {
		return nil, NoOrdering(sig.Arguments[0])
	}
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		array := OpenArray(a[1])
		if len(array.dimensions) > 1 {
			return relation.NULL, pgerror.New(pgerror.ArraySubscriptError, "thresholds must be one-dimensional array")
		}
		low, high := 0, len(array.Elements)
		for low < high {
			middle := (low + high) / 2
			if array.Elements[middle].IsNull() {
				return relation.NULL, pgerror.New(pgerror.NullValueNotAllowed, "thresholds array must not contain NULLs")
			}
			if compare(a[0], array.Elements[middle]) < 0 {
				high = middle
			} else {
				low = middle + 1
			}
		}
		return relation.Int(int64(low)), nil
	}, nil
}
