package function

import (
	"strconv"
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

// arrayReader reads the text format of an array.
type arrayReader struct {
	whole      string
	rest       string
	delimiter  byte
	element    func(string, *Format) (relation.Value, error)
	format     *Format
	dimensions []dimension
	elements   []relation.Value
	fixed      int // depth of the elements once the first was met; 0 before
}

func inputArray(text string, elementOID uint32, element func(string, *Format) (relation.Value, error), f *Format, delimiter byte) (relation.Value, error) {
	r := arrayReader{whole: text, rest: trimSpace(text), delimiter: delimiter, element: element, format: f}
	bounds, err := r.bounds()
	if err != nil {
		return relation.NULL, err
	}
	if !strings.HasPrefix(r.rest, "{") {
		if bounds != nil {
			return relation.NULL, r.malformed("Array contents must start with \"{\".")
		}
		return relation.NULL, r.malformed("Array value must start with \"{\" or dimension information.")
	}
	if err := r.level(1); err != nil {
		return relation.NULL, err
	}
	if trimSpace(r.rest) != "" {
		return relation.NULL, r.malformed("Junk after closing right brace.")
	}
	a := Array{Element: elementOID, Elements: r.elements}
	if len(r.elements) > 0 {
		a.dimensions = r.dimensions
	}
	if bounds != nil {
		if len(bounds) != len(r.dimensions) {
			return relation.NULL, r.malformed("Specified array dimensions do not match array contents.")
		}
		for i := range bounds {
			if bounds[i].length != r.dimensions[i].length {
				return relation.NULL, r.malformed("Specified array dimensions do not match array contents.")
			}
		}
		a.dimensions = bounds
	}
	return a.Value(), nil
}

func (r *arrayReader) malformed(detail string) error {
	return pgerror.New(pgerror.InvalidTextRepresentation, "malformed array literal: \"%s\"", r.whole).WithDetail("%s", detail)
}

// bounds reads [lower:upper]...= before the braces; nil when there is none.
func (r *arrayReader) bounds() ([]dimension, error) {
	var bounds []dimension
	for strings.HasPrefix(r.rest, "[") {
		inside, after, ok := strings.Cut(r.rest[1:], "]")
		if !ok {
			return nil, r.malformed("Missing \"]\" after array dimensions.")
		}
		lowerText, upperText, both := strings.Cut(inside, ":")
		if !both {
			lowerText, upperText = "1", inside
		}
		lower, err := strconv.ParseInt(trimSpace(lowerText), 10, 32)
		upper, err2 := strconv.ParseInt(trimSpace(upperText), 10, 32)
		if err != nil || err2 != nil {
			return nil, r.malformed("\"[\" must introduce explicitly-specified array dimensions.")
		}
		if upper < lower {
			return nil, pgerror.New(pgerror.ArraySubscriptError, "upper bound cannot be less than lower bound")
		}
		if len(bounds) == maximumDimensions {
			return nil, tooManyDimensions(len(bounds) + 1)
		}
		bounds = append(bounds, dimension{int(upper - lower + 1), int(lower)})
		r.rest = after
	}
	if bounds == nil {
		return nil, nil
	}
	rest := trimSpace(r.rest)
	if !strings.HasPrefix(rest, "=") {
		return nil, r.malformed("Missing \"=\" after array dimensions.")
	}
	r.rest = trimSpace(rest[1:])
	return bounds, nil
}

// level reads from a left brace to its right brace; depth counts from 1.
func (r *arrayReader) level(depth int) error {
	if depth > maximumDimensions {
		return tooManyDimensions(depth)
	}
	r.rest = r.rest[1:]
	first := len(r.dimensions) < depth
	if first {
		r.dimensions = append(r.dimensions, dimension{0, 1})
	}
	count := 0
	for {
		r.skipSpace()
		switch {
		case r.rest == "":
			return r.malformed("Unexpected end of input.")
		case r.rest[0] == '}' && count == 0:
			r.rest = r.rest[1:]
			if depth > 1 {
				return r.closed(depth, count, first)
			}
			return nil
		case r.rest[0] == '{':
			if r.fixed != 0 && depth >= r.fixed {
				return r.malformed("Unexpected \"{\" character.")
			}
			if err := r.level(depth + 1); err != nil {
				return err
			}
		default:
			if r.fixed == 0 && len(r.dimensions) == depth {
				r.fixed = depth
			}
			if depth != r.fixed {
				return r.malformed("Multidimensional arrays must have sub-arrays with matching dimensions.")
			}
			if err := r.item(); err != nil {
				return err
			}
		}
		count++
		r.skipSpace()
		switch {
		case r.rest == "":
			return r.malformed("Unexpected end of input.")
		case r.rest[0] == r.delimiter:
			r.rest = r.rest[1:]
			r.skipSpace()
			if strings.HasPrefix(r.rest, "}") {
				return r.malformed("Unexpected \"}\" character.")
			}
		case r.rest[0] == '}':
			r.rest = r.rest[1:]
			return r.closed(depth, count, first)
		default:
			return r.malformed("Unexpected array element.")
		}
	}
}

// closed checks that all parts of one depth have the same length.
func (r *arrayReader) closed(depth, count int, first bool) error {
	if first {
		r.dimensions[depth-1].length = count
		return nil
	}
	if r.dimensions[depth-1].length != count {
		return r.malformed("Multidimensional arrays must have sub-arrays with matching dimensions.")
	}
	return nil
}

func (r *arrayReader) skipSpace() {
	for r.rest != "" && isSpace(r.rest[0]) {
		r.rest = r.rest[1:]
	}
}

// item reads one element, quoted or not.
func (r *arrayReader) item() error {
	if len(r.elements) >= maximumElements {
		return arrayTooLarge()
	}
	text, quoted, err := r.itemText()
	if err != nil {
		return err
	}
	if !quoted && strings.EqualFold(text, "null") {
		r.elements = append(r.elements, relation.NULL)
		return nil
	}
	v, err := r.element(text, r.format)
	r.elements = append(r.elements, v)
	return err
}

func (r *arrayReader) itemText() (text string, quoted bool, err error) {
	var item []byte
	significant := 0 // bytes that trailing blanks must not take away
	for i := 0; i < len(r.rest); i++ {
		switch c := r.rest[i]; {
		case c == '\\':
			if i++; i == len(r.rest) {
				return "", false, r.malformed("Unexpected end of input.")
			}
			item = append(item, r.rest[i])
			significant, quoted = len(item), true
		case c == '"':
			if len(item) > 0 {
				return "", false, r.malformed("Unexpected array element.")
			}
			end, unquoted, ok := unquote(r.rest[i+1:])
			if !ok {
				return "", false, r.malformed("Unexpected end of input.")
			}
			r.rest = r.rest[i+1+end:]
			return unquoted, true, nil
		case c == r.delimiter || c == '}':
			if significant == 0 && !quoted {
				return "", false, r.malformed("Unexpected \"" + string(c) + "\" character.")
			}
			r.rest = r.rest[i:]
			return string(item[:significant]), quoted, nil
		case c == '{':
			return "", false, r.malformed("Unexpected \"{\" character.")
		default:
			item = append(item, c)
			if !isSpace(c) {
				significant = len(item)
			}
		}
	}
	return "", false, r.malformed("Unexpected end of input.")
}

// unquote reads up to the closing quote; end is the place after it.
func unquote(text string) (end int, unquoted string, ok bool) {
	var item []byte
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			return i + 1, string(item), true
		case text[i] == '\\' && i+1 < len(text):
			i++
			item = append(item, text[i])
		default:
			item = append(item, text[i])
		}
	}
	return 0, "", false
}
