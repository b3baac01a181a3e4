package copyformat

import (
	"bytes"
	"encoding/binary"

	"moraine/relation"
	"moraine/sqlmap/function"
)

// signature starts a binary COPY, followed by 32 bits of flags and the length of an extension.
const signature = "PGCOPY\n\xff\r\n\x00"

// binaryHeader is what COPY TO writes: no flags, no extension.
const binaryHeader = signature + "\x00\x00\x00\x00\x00\x00\x00\x00"

const nullLength = ^uint32(0)

// AppendBinaryHeader appends the 19 bytes in front of a binary COPY.
func AppendBinaryHeader(dst []byte) []byte { return append(dst, binaryHeader...) }

// AppendBinaryTrailer appends the two bytes after the last tuple.
func AppendBinaryTrailer(dst []byte) []byte { return append(dst, 0xff, 0xff) }

// Writer writes rows.
type Writer struct {
	options Options
	columns []string
	texts   []func(dst []byte, v relation.Value, f *function.Format) []byte
	binary  []func(dst []byte, v relation.Value) []byte
	format  *function.Format
	quoted  []bool // FORCE_QUOTE
	scratch []byte
}

// NewWriter makes a writer of rows with these columns.
func NewWriter(options Options, columns []string, types []relation.Type, format *function.Format) *Writer {
	w := &Writer{options: options, columns: columns, format: format, quoted: flags(columns, options.ForceQuote)}
	for i := range types {
		if options.Format == Binary {
			w.binary = append(w.binary, function.BinaryEncoder(types[i].OID))
		} else {
			w.texts = append(w.texts, function.TextEncoder(types[i].OID))
		}
		w.quoted[i] = w.quoted[i] || options.ForceQuoteAll
	}
	return w
}

// AppendRow appends one row: a tuple, or a line with its newline.
func (w *Writer) AppendRow(dst []byte, row relation.Row) []byte {
	if w.options.Format == Binary {
		return w.appendTuple(dst, row)
	}
	for i, value := range row {
		if i > 0 {
			dst = append(dst, w.options.Delimiter)
		}
		if value.IsNull() {
			dst = append(dst, w.options.Null...)
			continue
		}
		w.scratch = w.texts[i](w.scratch[:0], value, w.format)
		if w.options.Format == CSV {
			dst = w.appendCSV(dst, w.scratch, w.quoted[i], len(row) == 1)
		} else {
			dst = w.appendEscaped(dst, w.scratch)
		}
	}
	return append(dst, '\n')
}

func (w *Writer) appendTuple(dst []byte, row relation.Row) []byte {
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(row)))
	for i, value := range row {
		if value.IsNull() {
			dst = binary.BigEndian.AppendUint32(dst, nullLength)
			continue
		}
		start := len(dst)
		dst = append(dst, 0, 0, 0, 0)
		dst = w.binary[i](dst, value)
		binary.BigEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	}
	return dst
}

// AppendHeader appends the line of column names.
func (w *Writer) AppendHeader(dst []byte) []byte {
	for i, column := range w.columns {
		if i > 0 {
			dst = append(dst, w.options.Delimiter)
		}
		if w.options.Format == CSV {
			dst = w.appendCSV(dst, []byte(column), false, len(w.columns) == 1)
		} else {
			dst = w.appendEscaped(dst, []byte(column))
		}
	}
	return append(dst, '\n')
}

// escapes gives the letter that follows the backslash for the control characters that have one.
var escapes = [256]byte{'\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', '\v': 'v', '\\': '\\'}

func (w *Writer) appendEscaped(dst, value []byte) []byte {
	start := 0
	for i, character := range value {
		letter := escapes[character]
		if letter == 0 && character != w.options.Delimiter {
			continue
		}
		if character == w.options.Delimiter {
			letter = character
			if known := escapes[character]; known != 0 {
				letter = known
			}
		}
		dst = append(dst, value[start:i]...)
		dst = append(dst, '\\', letter)
		start = i + 1
	}
	return append(dst, value[start:]...)
}

func (w *Writer) appendCSV(dst, value []byte, force, single bool) []byte {
	o := &w.options
	quote := force || string(value) == o.Null || single && string(value) == `\.` ||
		bytes.IndexByte(value, o.Delimiter) >= 0 || bytes.IndexByte(value, o.Quote) >= 0 || bytes.ContainsAny(value, "\r\n")
	if !quote {
		return append(dst, value...)
	}
	dst = append(dst, o.Quote)
	for _, character := range value {
		if character == o.Quote || character == o.Escape {
			dst = append(dst, o.Escape)
		}
		dst = append(dst, character)
	}
	return append(dst, o.Quote)
}
