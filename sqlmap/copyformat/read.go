package copyformat

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
)

// Limits on what a client sends.
const (
	// MaximumRowBytes bounds one row.
	MaximumRowBytes = 1 << 30
	// shownBytes is how much of a value or line an error shows.
	shownBytes = 100
)

// Source gives the next piece of the data, of any size; io.EOF at the end.
type Source func() ([]byte, error)

// Reader reads rows.
type Reader interface {
	// Next fills row, which has a value for each column; io.EOF at the end. Malformed data is 22P04, a bad value the error of
	// its type's input; both say at which line in Where.
	Next(row relation.Row) error
	// Context names the row that was read last, for errors about it.
	Context() string
	// Line is the number of the row's last line, or in the binary format of the row, from 1.
	Line() int
}

// Layout is what rows consist of.
type Layout struct {
	Relation string // for the context of errors
	Columns  []string
	Types    []relation.Type
	Format   *function.Format
}

// NewReader makes a reader of rows with that layout.
func NewReader(options Options, layout Layout, source Source) Reader {
	in := input{source: source}
	if options.Format == Binary {
		return &binaryReader{input: in, layout: layout}
	}
	return &lineReader{
		input: in, layout: layout, options: options,
		forceNotNull: flags(layout.Columns, options.ForceNotNull), forceNull: flags(layout.Columns, options.ForceNull),
	}
}

// input is the data that has arrived and is not yet used.
type input struct {
	source Source
	data   []byte
	start  int
	ended  bool
}

// more appends the next piece; it answers false at the end.
func (in *input) more() (bool, error) {
	if in.ended {
		return false, nil
	}
	piece, err := in.source()
	if errors.Is(err, io.EOF) {
		in.ended = true
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if in.start == len(in.data) {
		in.data, in.start = append(in.data[:0], piece...), 0
		return true, nil
	}
	if len(in.data)-in.start > MaximumRowBytes {
		return false, pgerror.New(pgerror.ProgramLimitExceeded, "a row of COPY is longer than %d bytes", MaximumRowBytes)
	}
	// What is used is dropped once it is the larger part.
	if in.start > len(in.data)/2 {
		in.data, in.start = append(in.data[:0], in.data[in.start:]...), 0
	}
	in.data = append(in.data, piece...)
	return true, nil
}

// bad is the error for malformed data.
func bad(format string, arguments ...any) *pgerror.Error {
	return pgerror.New(pgerror.BadCopyFileFormat, format, arguments...)
}

// where adds the place in the data to an error that has none.
func where(err error, context string) error {
	known := pgerror.From(err)
	if known.Where == "" {
		known.Where = context
	}
	return known
}

// place is the beginning of an error's context.
func (l *Layout) place(line int) string { return "COPY " + l.Relation + ", line " + strconv.Itoa(line) }

// value reads the text of a column.
func (l *Layout) value(column int, text string, line int) (relation.Value, error) {
	value, err := function.Input(l.Types[column], text, l.Format)
	if err != nil {
		return value, where(err, l.place(line)+", column "+l.Columns[column]+": \""+shortened(text)+"\"")
	}
	return value, nil
}

func shortened(text string) string {
	if len(text) <= shownBytes {
		return text
	}
	end := shownBytes
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}

// checkEncoding refuses what PostgreSQL's UTF8 cannot hold.
func checkEncoding(text string) error {
	if strings.IndexByte(text, 0) >= 0 {
		return pgerror.New(pgerror.CharacterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\": 0x00")
	}
	for i, character := range text {
		if character == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size <= 1 {
				return pgerror.New(pgerror.CharacterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\": 0x%02x", text[i])
			}
		}
	}
	return nil
}
