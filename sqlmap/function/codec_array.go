package function

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

// Limits of arrays: dimensions as PostgreSQL's MAXDIM, elements by MaximumValueSize.
const (
	maximumDimensions = 6
	maximumElements   = 1 << 27
)

// dimension is one dimension of an array.
type dimension struct{ length, lower int }

// Array is an array taken apart: its elements row by row, and the length and lower bound of each dimension. An empty
// array has no dimension.
type Array struct {
	Element    uint32 // type of the elements
	dimensions []dimension
	Elements   []relation.Value
}

// NewArray makes a one-dimensional array value.
func NewArray(element uint32, elements []relation.Value) relation.Value {
	a := Array{Element: element, Elements: elements}
	if len(elements) > 0 {
		a.dimensions = []dimension{{len(elements), 1}}
	}
	return a.Value()
}

// NewNestedArray makes an array of arrays, as ARRAY[[1,2],[3,4]] does; they must have the same dimensions (2202E). NULL
// and empty arrays among them are refused when another is not empty.
func NewNestedArray(element uint32, parts []relation.Value) (relation.Value, error) {
	nested := Array{Element: element}
	for i, part := range parts {
		a := OpenArray(part)
		if i == 0 {
			nested.dimensions = append([]dimension{{len(parts), 1}}, a.dimensions...)
		} else if !sameDimensions(nested.dimensions[1:], a.dimensions) {
			return relation.NULL, pgerror.New(pgerror.ArraySubscriptError, "multidimensional arrays must have array expressions with matching dimensions")
		}
		nested.Elements = append(nested.Elements, a.Elements...)
	}
	if len(nested.Elements) == 0 {
		nested.dimensions = nil
	}
	if len(nested.dimensions) > maximumDimensions {
		return relation.NULL, tooManyDimensions(len(nested.dimensions))
	}
	return nested.Value(), nil
}

func sameDimensions(a, b []dimension) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func tooManyDimensions(count int) error {
	return pgerror.New(pgerror.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", count, maximumDimensions)
}

// OpenArray takes an array value apart; NULL gives an array without dimensions.
func OpenArray(v relation.Value) Array {
	raw := v.Text()
	a := Array{}
	if len(raw) < 12 {
		return a
	}
	data := []byte(raw)
	count := int(binary.BigEndian.Uint32(data))
	a.Element = binary.BigEndian.Uint32(data[8:])
	data = data[12:]
	total := 1
	for range count {
		d := dimension{int(binary.BigEndian.Uint32(data)), int(int32(binary.BigEndian.Uint32(data[4:])))}
		a.dimensions = append(a.dimensions, d)
		total *= d.length
		data = data[8:]
	}
	if count == 0 {
		return a
	}
	parse := func(data []byte) (relation.Value, error) { return relation.Text(string(data)), nil }
	if c := codecOf(a.Element); c != nil && c.parseBinary != nil {
		parse = c.parseBinary
	}
	a.Elements = make([]relation.Value, total)
	for i := range a.Elements {
		length := int(int32(binary.BigEndian.Uint32(data)))
		data = data[4:]
		if length >= 0 {
			a.Elements[i], _ = parse(data[:length])
			data = data[length:]
		}
	}
	return a
}

// Value packs the array.
func (a *Array) Value() relation.Value {
	dst := make([]byte, 0, 20+12*len(a.Elements))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(a.dimensions)))
	hasNull := uint32(0)
	for _, element := range a.Elements {
		if element.IsNull() {
			hasNull = 1
			break
		}
	}
	dst = binary.BigEndian.AppendUint32(dst, hasNull)
	dst = binary.BigEndian.AppendUint32(dst, a.Element)
	for _, d := range a.dimensions {
		dst = binary.BigEndian.AppendUint32(dst, uint32(d.length))
		dst = binary.BigEndian.AppendUint32(dst, uint32(d.lower))
	}
	encode := BinaryEncoder(a.Element)
	for _, element := range a.Elements {
		dst = appendSized(dst, element, encode)
	}
	return relation.Text(string(dst))
}

// appendSized appends a value behind its length; NULL has length -1.
func appendSized(dst []byte, v relation.Value, encode func([]byte, relation.Value) []byte) []byte {
	if v.IsNull() {
		return binary.BigEndian.AppendUint32(dst, math.MaxUint32)
	}
	start := len(dst)
	dst = encode(append(dst, 0, 0, 0, 0), v)
	binary.BigEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	return dst
}

func arrayCodec(arrayOID, elementOID uint32, element *codec) *codec {
	delimiter := byte(',')
	if info := TypeByOID(elementOID); info != nil {
		delimiter = info.Delimiter
	}
	c := &codec{appendText: func(dst []byte, v relation.Value, f *Format) []byte {
		return appendArrayText(dst, v, f, delimiter)
	}}
	if element.input != nil {
		c.input = func(text string, f *Format) (relation.Value, error) {
			return inputArray(text, elementOID, element.input, f, delimiter)
		}
	}
	if element.appendBinary != nil {
		c.appendBinary = appendRawText
		c.parseBinary = func(data []byte) (relation.Value, error) { return parseArrayBinary(data, arrayOID, elementOID) }
	}
	if element.compare != nil {
		c.compare = func(a, b relation.Value) int { return compareArrays(a, b, element.compare) }
		c.hashKey = func(dst []byte, v relation.Value) []byte { return appendArrayKey(dst, v, HashKeyer(elementOID)) }
	}
	return c
}

// compareArrays compares elements, then their number, then dimensions and bounds.
func compareArrays(x, y relation.Value, compare func(a, b relation.Value) int) int {
	a, b := OpenArray(x), OpenArray(y)
	for i := range min(len(a.Elements), len(b.Elements)) {
		if order := compareNullable(a.Elements[i], b.Elements[i], compare); order != 0 {
			return order
		}
	}
	if order := len(a.Elements) - len(b.Elements); order != 0 {
		return order
	}
	if order := len(a.dimensions) - len(b.dimensions); order != 0 {
		return order
	}
	for i := range a.dimensions {
		if order := a.dimensions[i].length - b.dimensions[i].length; order != 0 {
			return order
		}
		if order := a.dimensions[i].lower - b.dimensions[i].lower; order != 0 {
			return order
		}
	}
	return 0
}

// compareNullable puts NULL, equal to itself, above everything, as inside arrays and records.
func compareNullable(a, b relation.Value, compare func(a, b relation.Value) int) int {
	switch {
	case a.IsNull() && b.IsNull():
		return 0
	case a.IsNull():
		return 1
	case b.IsNull():
		return -1
	}
	return compare(a, b)
}

func appendArrayKey(dst []byte, v relation.Value, key func([]byte, relation.Value) []byte) []byte {
	a := OpenArray(v)
	for _, d := range a.dimensions {
		dst = binary.BigEndian.AppendUint32(dst, uint32(d.length))
		dst = binary.BigEndian.AppendUint32(dst, uint32(d.lower))
	}
	for _, element := range a.Elements {
		dst = appendSized(dst, element, key)
	}
	return dst
}

// parseArrayBinary checks the whole structure, so that opened arrays can be trusted.
func parseArrayBinary(data []byte, arrayOID, elementOID uint32) (relation.Value, error) {
	invalid := wrongBinaryLength()
	if len(data) < 12 {
		return relation.NULL, invalid
	}
	count := int(int32(binary.BigEndian.Uint32(data)))
	if count < 0 || count > maximumDimensions {
		return relation.NULL, pgerror.New(pgerror.InvalidBinaryRepresentation, "invalid number of dimensions: %d", count)
	}
	if found := binary.BigEndian.Uint32(data[8:]); found != elementOID {
		return relation.NULL, pgerror.New(pgerror.DatatypeMismatch, "wrong element type")
	}
	a := Array{Element: elementOID}
	rest, total := data[12:], 1
	for range count {
		if len(rest) < 8 {
			return relation.NULL, invalid
		}
		d := dimension{int(int32(binary.BigEndian.Uint32(rest))), int(int32(binary.BigEndian.Uint32(rest[4:])))}
		if d.length < 0 || total*d.length > maximumElements {
			return relation.NULL, arrayTooLarge()
		}
		a.dimensions = append(a.dimensions, d)
		total *= d.length
		rest = rest[8:]
	}
	if count == 0 || total == 0 {
		return NewArray(elementOID, nil), nil
	}
	if total > len(rest)/4 {
		return relation.NULL, invalid
	}
	for range total {
		element, after, err := parseSized(rest, typeOf(elementOID))
		if err != nil {
			return relation.NULL, err
		}
		a.Elements, rest = append(a.Elements, element), after
	}
	if len(rest) > 0 {
		return relation.NULL, pgerror.New(pgerror.InvalidBinaryRepresentation, "improper binary format in array of type %s", FormatType(typeOf(arrayOID)))
	}
	return a.Value(), nil
}

func arrayTooLarge() error {
	return pgerror.New(pgerror.ProgramLimitExceeded, "array size exceeds the maximum allowed (%d)", maximumElements)
}

// parseSized reads a value behind its length.
func parseSized(data []byte, t relation.Type) (v relation.Value, rest []byte, err error) {
	if len(data) < 4 {
		return relation.NULL, nil, wrongBinaryLength()
	}
	length := int(int32(binary.BigEndian.Uint32(data)))
	data = data[4:]
	if length == -1 {
		return relation.NULL, data, nil
	}
	if length < 0 || length > len(data) {
		return relation.NULL, nil, wrongBinaryLength()
	}
	v, err = ParseBinary(t, data[:length])
	return v, data[length:], err
}

func appendArrayText(dst []byte, v relation.Value, f *Format, delimiter byte) []byte {
	a := OpenArray(v)
	if len(a.dimensions) == 0 {
		return append(dst, '{', '}')
	}
	for _, d := range a.dimensions {
		if d.lower != 1 {
			dst = appendBounds(dst, a.dimensions)
			break
		}
	}
	w := arrayWriter{array: &a, encode: TextEncoder(a.Element), format: f, delimiter: delimiter}
	return w.dimension(dst, 0)
}

func appendBounds(dst []byte, dimensions []dimension) []byte {
	for _, d := range dimensions {
		dst = append(dst, '[')
		dst = strconv.AppendInt(dst, int64(d.lower), 10)
		dst = append(dst, ':')
		dst = strconv.AppendInt(dst, int64(d.lower+d.length-1), 10)
		dst = append(dst, ']')
	}
	return append(dst, '=')
}

// arrayWriter writes the elements of an array, dimension by dimension.
type arrayWriter struct {
	array     *Array
	encode    func([]byte, relation.Value, *Format) []byte
	format    *Format
	delimiter byte
	next      int
	scratch   []byte
}

func (w *arrayWriter) dimension(dst []byte, depth int) []byte {
	dst = append(dst, '{')
	for i := range w.array.dimensions[depth].length {
		if i > 0 {
			dst = append(dst, w.delimiter)
		}
		if depth+1 < len(w.array.dimensions) {
			dst = w.dimension(dst, depth+1)
			continue
		}
		element := w.array.Elements[w.next]
		w.next++
		if element.IsNull() {
			dst = append(dst, "NULL"...)
			continue
		}
		w.scratch = w.encode(w.scratch[:0], element, w.format)
		dst = appendArrayElement(dst, w.scratch, w.delimiter)
	}
	return append(dst, '}')
}

// appendArrayElement quotes an element that could be read as something else.
func appendArrayElement(dst, element []byte, delimiter byte) []byte {
	quote := len(element) == 0 || (len(element) == 4 && strings.EqualFold(string(element), "null"))
	for _, c := range element {
		if c == '"' || c == '\\' || c == '{' || c == '}' || c == delimiter || isSpace(c) {
			quote = true
		}
	}
	if !quote {
		return append(dst, element...)
	}
	dst = append(dst, '"')
	for _, c := range element {
		if c == '"' || c == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

// vectorCodec is int2vector and oidvector: one dimension from 0, numbers with blanks between in text.
func vectorCodec(vectorOID, elementOID uint32, element *codec) *codec {
	return &codec{
		input: func(text string, f *Format) (relation.Value, error) {
			a := Array{Element: elementOID}
			for _, field := range strings.Fields(text) {
				v, err := element.input(field, f)
				if err != nil {
					return relation.NULL, err
				}
				a.Elements = append(a.Elements, v)
			}
			a.dimensions = []dimension{{len(a.Elements), 0}}
			return a.Value(), nil
		},
		appendText: func(dst []byte, v relation.Value, f *Format) []byte {
			a := OpenArray(v)
			for i, v := range a.Elements {
				if i > 0 {
					dst = append(dst, ' ')
				}
				dst = element.appendText(dst, v, f)
			}
			return dst
		},
		parseBinary:  func(data []byte) (relation.Value, error) { return parseArrayBinary(data, vectorOID, elementOID) },
		appendBinary: appendRawText,
		compare:      func(a, b relation.Value) int { return compareArrays(a, b, element.compare) },
	}
}

// NewVector makes an int2vector or oidvector.
func NewVector(element uint32, elements []relation.Value) relation.Value {
	a := Array{Element: element, Elements: elements, dimensions: []dimension{{len(elements), 0}}}
	return a.Value()
}
