package copyformat

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

// endOfData is the line that ends text and CSV before the end of the data.
const endOfData = `\.`

// ending is how the lines end: as the first one does.
type ending uint8

const (
	unknownEnding ending = iota
	newline
	carriageReturn
	both
)

// lineReader reads the text and CSV formats.
type lineReader struct {
	input
	layout       Layout
	options      Options
	forceNotNull []bool
	forceNull    []bool
	ending       ending
	begun        bool
	finished     bool
	line         int    // number of the line that was read last
	lines        int    // lines that it took
	text         string // what it says
	fields       []field
}

// field is a column's text, and whether it is NULL.
type field struct {
	text string
	null bool
}

// Next reads a line.
func (r *lineReader) Next(row relation.Row) error {
	if !r.begun {
		r.begun = true
		if r.options.Header != NoHeader {
			if err := r.header(); err != nil {
				return err
			}
		}
	}
	line, err := r.readLine()
	if err != nil {
		return err
	}
	r.text = line
	if err := r.split(line); err != nil {
		return where(err, r.context(line))
	}
	if err := r.checkWidth(line); err != nil {
		return where(err, r.context(line))
	}
	for i := range row {
		if r.fields[i].null {
			row[i] = relation.NULL
			continue
		}
		if row[i], err = r.layout.value(i, r.fields[i].text, r.line); err != nil {
			return err
		}
	}
	return nil
}

// Line is the number of the row's last line.
func (r *lineReader) Line() int { return r.line }

// Context names the line and what it says.
func (r *lineReader) Context() string { return r.context(r.text) }

func (r *lineReader) context(line string) string {
	return r.layout.place(r.line) + ": \"" + shortened(line) + "\""
}

func (r *lineReader) checkWidth(line string) error {
	width := len(r.layout.Columns)
	switch {
	case width == 0 && line == "":
		r.fields = r.fields[:0]
	case len(r.fields) > width:
		return bad("extra data after last expected column")
	case len(r.fields) < width:
		return bad("missing data for column \"%s\"", r.layout.Columns[len(r.fields)])
	}
	return nil
}

// header reads the first line, and checks the names in it if that is asked for.
func (r *lineReader) header() error {
	line, err := r.readLine()
	if err != nil || r.options.Header != MatchHeader {
		return err
	}
	if err := r.split(line); err != nil {
		return where(err, r.context(line))
	}
	if len(r.fields) != len(r.layout.Columns) {
		return where(bad("wrong number of fields in header line: got %d, expected %d", len(r.fields), len(r.layout.Columns)), r.context(line))
	}
	for i := range r.fields {
		if r.fields[i].null {
			return where(bad("column name mismatch in header line field %d: got null value (\"%s\"), expected \"%s\"",
				i+1, r.options.Null, r.layout.Columns[i]), r.context(line))
		}
		if r.fields[i].text != r.layout.Columns[i] {
			return where(bad("column name mismatch in header line field %d: got \"%s\", expected \"%s\"",
				i+1, r.fields[i].text, r.layout.Columns[i]), r.context(line))
		}
	}
	return nil
}

func (r *lineReader) split(line string) error {
	if err := checkEncoding(line); err != nil {
		return err
	}
	r.fields = r.fields[:0]
	if r.options.Format == CSV {
		return r.splitCSV(line)
	}
	return r.splitText(line)
}

// readLine gives the next line without its end; io.EOF after the last.
func (r *lineReader) readLine() (string, error) {
	if r.finished {
		return "", io.EOF
	}
	r.line += max(r.lines, 1)
	r.lines = 1
	scanned, quoted := 0, false
	for {
		length, skip, err := r.findEnd(&scanned, &quoted)
		if err != nil {
			return "", where(err, r.layout.place(r.line))
		}
		if length >= 0 {
			line := string(r.data[r.start : r.start+length])
			r.start += length + skip
			if line == endOfData && !quoted {
				return "", r.drain()
			}
			return line, nil
		}
		more, err := r.more()
		if err != nil {
			return "", where(err, r.layout.place(r.line))
		}
		if !more {
			return r.lastLine(quoted)
		}
	}
}

// lastLine gives what stands after the last end of a line.
func (r *lineReader) lastLine(quoted bool) (string, error) {
	r.finished = true
	line := string(r.data[r.start:])
	r.start = len(r.data)
	if quoted {
		return "", where(bad("unterminated CSV quoted field"), r.context(line))
	}
	if r.ending == both || r.ending == carriageReturn {
		line = strings.TrimSuffix(line, "\r")
	}
	if line == "" || line == endOfData {
		return "", io.EOF
	}
	return line, nil
}

// drain reads past what follows the end of the data.
func (r *lineReader) drain() error {
	r.finished = true
	for {
		r.start = len(r.data)
		more, err := r.more()
		if err != nil {
			return err
		}
		if !more {
			return io.EOF
		}
	}
}

// findEnd looks for the end of the line from *scanned on; a negative length means that more data is needed. quoted tells
// whether the place is inside of a CSV quotation.
func (r *lineReader) findEnd(scanned *int, quoted *bool) (length, skip int, err error) {
	data := r.data[r.start:]
	for i := *scanned; i < len(data); i++ {
		switch character := data[i]; {
		case r.options.Format == CSV && (character == r.options.Quote || character == r.options.Escape && *quoted):
			if *quoted && character == r.options.Escape && r.options.Escape != r.options.Quote {
				if i+1 == len(data) {
					*scanned = i
					return -1, 0, nil
				}
				if next := data[i+1]; next == r.options.Quote || next == r.options.Escape {
					i++
				}
				continue
			}
			*quoted = !*quoted
		case r.options.Format == Text && character == '\\':
			if i+1 == len(data) {
				*scanned = i
				return -1, 0, nil
			}
			i++
		case character == '\n' || character == '\r':
			if *quoted {
				if character == '\n' {
					r.lines++
				}
				continue
			}
			length, skip, err = r.lineEnd(data, i)
			if length >= 0 || err != nil || skip < 0 {
				*scanned = i
				return length, skip, err
			}
		}
	}
	*scanned = len(data)
	return -1, 0, nil
}

// lineEnd looks at a newline or carriage return at data[i]. A negative skip asks for more data.
func (r *lineReader) lineEnd(data []byte, i int) (length, skip int, err error) {
	if data[i] == '\n' {
		switch r.ending {
		case carriageReturn, both:
			return -1, 0, r.literal("newline", `\n`)
		}
		r.ending = newline
		return i, 1, nil
	}
	if r.ending == unknownEnding || r.ending == both {
		if i+1 == len(data) && !r.ended {
			return -1, -1, nil
		}
		if i+1 < len(data) && data[i+1] == '\n' {
			r.ending = both
			return i, 2, nil
		}
		if r.ending == both {
			return -1, 0, r.literal("carriage return", `\r`)
		}
		r.ending = carriageReturn
		return i, 1, nil
	}
	if r.ending == newline {
		return -1, 0, r.literal("carriage return", `\r`)
	}
	return i, 1, nil
}

func (r *lineReader) literal(what, spelled string) error {
	if r.options.Format == CSV {
		return bad("unquoted %s found in data", what).WithHint("Use quoted CSV field to represent %s.", what)
	}
	return bad("literal %s found in data", what).WithHint("Use \"%s\" to represent %s.", spelled, what)
}

// splitText cuts a line of the text format into fields. NULL is told by the text before its escapes are resolved.
func (r *lineReader) splitText(line string) error {
	if len(r.layout.Columns) == 0 && line == "" {
		return nil
	}
	start := 0
	for i := 0; ; i++ {
		if i < len(line) && line[i] == '\\' {
			i++
			continue
		}
		if i < len(line) && line[i] != r.options.Delimiter {
			continue
		}
		raw := line[start:min(i, len(line))]
		if raw == r.options.Null {
			r.fields = append(r.fields, field{null: true})
		} else {
			text := unescape(raw)
			if len(text) != len(raw) {
				if err := checkEncoding(text); err != nil {
					return err
				}
			}
			r.fields = append(r.fields, field{text: text})
		}
		if i >= len(line) {
			return nil
		}
		start = i + 1
	}
}

// unescape resolves the backslash sequences of the text format.
func unescape(raw string) string {
	first := strings.IndexByte(raw, '\\')
	if first < 0 {
		return raw
	}
	text := append(make([]byte, 0, len(raw)), raw[:first]...)
	for i := first; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 == len(raw) {
			text = append(text, raw[i])
			continue
		}
		i++
		switch character := raw[i]; character {
		case 'b':
			text = append(text, '\b')
		case 'f':
			text = append(text, '\f')
		case 'n':
			text = append(text, '\n')
		case 'r':
			text = append(text, '\r')
		case 't':
			text = append(text, '\t')
		case 'v':
			text = append(text, '\v')
		case 'x':
			digits := leading(raw[i+1:], 2, "0123456789abcdefABCDEF")
			if digits == "" {
				text = append(text, 'x')
				continue
			}
			value, _ := strconv.ParseUint(digits, 16, 8)
			text = append(text, byte(value))
			i += len(digits)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			digits := leading(raw[i:], 3, "01234567")
			value, _ := strconv.ParseUint(digits, 8, 16)
			text = append(text, byte(value))
			i += len(digits) - 1
		default:
			text = append(text, character)
		}
	}
	return string(text)
}

// leading gives the first characters of a text that are of the set, up to a number.
func leading(text string, most int, set string) string {
	end := 0
	for end < len(text) && end < most && strings.IndexByte(set, text[end]) >= 0 {
		end++
	}
	return text[:end]
}

// splitCSV cuts a line of CSV into fields.
func (r *lineReader) splitCSV(line string) error {
	if len(r.layout.Columns) == 0 && line == "" {
		return nil
	}
	for i := 0; ; {
		text, quoted, next, err := r.cutCSV(line, i)
		if err != nil {
			return err
		}
		column := len(r.fields)
		null := text == r.options.Null && !quoted
		if column < len(r.forceNull) {
			null = null && !r.forceNotNull[column] || text == r.options.Null && r.forceNull[column]
		}
		r.fields = append(r.fields, field{text: text, null: null})
		if next > len(line) {
			return nil
		}
		i = next
	}
}

// cutCSV gives the field at line[i:] and where the next one starts, beyond the end after the last.
func (r *lineReader) cutCSV(line string, i int) (text string, quoted bool, next int, err error) {
	o := &r.options
	if plain := strings.IndexByte(line[i:], o.Delimiter); strings.IndexByte(line[i:], o.Quote) < 0 {
		if plain < 0 {
			return line[i:], false, len(line) + 1, nil
		}
		return line[i : i+plain], false, i + plain + 1, nil
	}
	var value bytes.Buffer
	inside := false
	for ; i < len(line); i++ {
		character := line[i]
		switch {
		case inside && character == o.Escape && i+1 < len(line) && (line[i+1] == o.Quote || line[i+1] == o.Escape):
			i++
			value.WriteByte(line[i])
		case character == o.Quote:
			inside, quoted = !inside, true
		case character == o.Delimiter && !inside:
			return value.String(), quoted, i + 1, nil
		default:
			value.WriteByte(character)
		}
	}
	if inside {
		return "", false, 0, bad("unterminated CSV quoted field")
	}
	return value.String(), quoted, len(line) + 1, nil
}

// CheckColumns gives 42703 or 42P10 for a column in a FORCE option that the COPY does not have.
func (o *Options) CheckColumns(relationName string, table, copied []string) error {
	for _, force := range []struct {
		option string
		names  []string
	}{{"FORCE_QUOTE", o.ForceQuote}, {"FORCE_NOT_NULL", o.ForceNotNull}, {"FORCE_NULL", o.ForceNull}} {
		for _, name := range force.names {
			switch {
			case slices.Contains(copied, name):
			case slices.Contains(table, name):
				return pgerror.New(pgerror.InvalidColumnReference, "%s column \"%s\" not referenced by COPY", force.option, name)
			default:
				return pgerror.New(pgerror.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, relationName)
			}
		}
	}
	return nil
}
