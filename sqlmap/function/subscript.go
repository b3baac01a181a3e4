package function

import "moraine/relation"

// bound is one subscript of a slice, lower:upper; either may be left out.
type bound struct {
	lower, upper       int64
	hasLower, hasUpper bool
}

// Subscript gives an element of an array by one subscript for each dimension; NULL when there is none.
func Subscript(array relation.Value, subscripts []int64) relation.Value {
	opened := OpenArray(array)
	if len(subscripts) != len(opened.dimensions) || len(subscripts) == 0 {
		return relation.NULL
	}
	place := 0
	for i, d := range opened.dimensions {
		offset := subscripts[i] - int64(d.lower)
		if offset < 0 || offset >= int64(d.length) {
			return relation.NULL
		}
		place = place*d.length + int(offset)
	}
	return opened.Elements[place]
}

// Slice gives array[lower:upper]..., with NULL bounds for those left out. Subscripts that are no slices mean 1:n, as in
// PostgreSQL when any subscript is a slice.
func Slice(array relation.Value, lower, upper []relation.Value) relation.Value {
	bounds := make([]bound, len(lower))
	for i := range bounds {
		bounds[i] = bound{lower[i].Int(), upper[i].Int(), !lower[i].IsNull(), !upper[i].IsNull()}
	}
	opened := OpenArray(array)
	if len(bounds) > len(opened.dimensions) {
		return NewArray(opened.Element, nil)
	}
	return opened.slice(bounds)
}

// slice cuts the dimensions to their bounds; dimensions without bounds stay whole. The result counts from 1.
func (a *Array) slice(bounds []bound) relation.Value {
	starts := make([]int, len(a.dimensions))
	result := Array{Element: a.Element}
	for i, d := range a.dimensions {
		first, last := int64(d.lower), int64(d.lower+d.length-1)
		if i < len(bounds) {
			if bounds[i].hasLower {
				first = max(first, bounds[i].lower)
			}
			if bounds[i].hasUpper {
				last = min(last, bounds[i].upper)
			}
		}
		if last < first {
			return NewArray(a.Element, nil)
		}
		starts[i] = int(first) - d.lower
		result.dimensions = append(result.dimensions, dimension{int(last-first) + 1, 1})
	}
	a.copySlice(&result, starts, 0, 0)
	return result.Value()
}

func (a *Array) copySlice(result *Array, starts []int, depth, base int) {
	if depth == len(a.dimensions) {
		result.Elements = append(result.Elements, a.Elements[base])
		return
	}
	for i := range result.dimensions[depth].length {
		a.copySlice(result, starts, depth+1, base*a.dimensions[depth].length+starts[depth]+i)
	}
}
