package copyformat

import (
	"errors"
	"io"
	"strings"
	"testing"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/function"
)

var utc = function.DefaultFormat()

// pieces gives the data in pieces of a size.
func pieces(data string, size int) Source {
	return func() ([]byte, error) {
		if data == "" {
			return nil, io.EOF
		}
		n := min(size, len(data))
		piece := data[:n]
		data = data[n:]
		return []byte(piece), nil
	}
}

func layout(types ...relation.Type) Layout {
	names := []string{"a", "b", "c", "d"}
	return Layout{Relation: "t", Columns: names[:len(types)], Types: types, Format: &utc}
}

func parse(t *testing.T, from bool, options ...Option) Options {
	t.Helper()
	parsed, err := ParseOptions(options, from)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func format(name string) Option { return Option{Name: "format", Value: name, Given: true} }

// readAll reads all rows and gives them as text, fields joined by | and rows by newlines.
func readAll(options Options, layout Layout, data string, size int) (string, error) {
	reader := NewReader(options, layout, pieces(data, size))
	var lines []string
	row := make(relation.Row, len(layout.Types))
	for {
		err := reader.Next(row)
		if errors.Is(err, io.EOF) {
			return strings.Join(lines, "\n"), nil
		}
		if err != nil {
			return strings.Join(lines, "\n"), err
		}
		fields := make([]string, len(row))
		for i, value := range row {
			if fields[i] = function.ToText(layout.Types[i], value, &utc); value.IsNull() {
				fields[i] = "NULL"
			}
		}
		lines = append(lines, strings.Join(fields, "|"))
	}
}

func TestReadFollowsPostgreSQL(t *testing.T) {
	two := layout(relation.Int4Type, relation.TextType)
	one := layout(relation.TextType)
	for _, test := range []struct {
		name    string
		options []Option
		layout  Layout
		data    string
		want    string
		code    string
		where   string
	}{
		{"text", nil, two, "1\ta\n2\tb\n", "1|a\n2|b", "", ""},
		{"text without a last newline", nil, two, "1\ta\n2\tb", "1|a\n2|b", "", ""},
		{"text with CRLF", nil, two, "1\ta\r\n2\tb\r\n", "1|a\n2|b", "", ""},
		{"text with CR", nil, two, "1\ta\r2\tb\r", "1|a\n2|b", "", ""},
		{"text mixes ends", nil, two, "1\ta\n2\tb\r\n", "1|a", pgerror.BadCopyFileFormat, "COPY t, line 2"},
		{"text nulls", nil, two, "\\N\t\\N\n", "NULL|NULL", "", ""},
		{"text escapes", nil, one, `a\tb\\c\nd\x41\101\q\.` + "\n", "a\tb\\c\ndAAq.", "", ""},
		{"text escaped newline", nil, one, "a\\\nb\n", "a\nb", "", ""},
		{"text end of data", nil, two, "1\ta\n\\.\nrubbish\n", "1|a", "", ""},
		{"text raw null marker", []Option{{Name: "null", Value: "\b", Given: true}}, two, "1\t\b\n2\t\\b\n", "1|NULL\n2|\b", "", ""},
		{"text quote escape", nil, one, `say \"hi\"` + "\n", `say "hi"`, "", ""},
		{"text missing", nil, two, "1\ta\n2\n", "1|a", pgerror.BadCopyFileFormat, `COPY t, line 2: "2"`},
		{"text extra", nil, two, "1\ta\tx\n", "", pgerror.BadCopyFileFormat, "COPY t, line 1: \"1\ta\tx\""},
		{"text bad value", nil, two, "1\ta\nx\ty\n", "1|a", pgerror.InvalidTextRepresentation, `COPY t, line 2, column a: "x"`},
		{"text bad encoding", nil, one, "a\xff\n", "", pgerror.CharacterNotInRepertoire, "COPY t, line 1: \"a\xff\""},
		{"text header", []Option{{Name: "header"}}, two, "a\tb\n1\tx\n", "1|x", "", ""},
		{"text delimiter", []Option{{Name: "delimiter", Value: "|", Given: true}}, two, "1|x\\|y\n", "1|x|y", "", ""},
		{"csv", []Option{format("csv")}, two, "1,\"a,\"\"b\"\"\nc\"\n2,\n3,\"\"\n", "1|a,\"b\"\nc\n2|NULL\n3|", "", ""},
		{"csv header match", []Option{format("csv"), {Name: "header", Value: "match", Given: true}}, two, "a,b\n1,x\n", "1|x", "", ""},
		{"csv header mismatch", []Option{format("csv"), {Name: "header", Value: "match", Given: true}}, two, "a,c\n1,x\n", "", pgerror.BadCopyFileFormat, `COPY t, line 1: "a,c"`},
		{"csv quote and escape", []Option{format("csv"), {Name: "quote", Value: "'", Given: true}, {Name: "escape", Value: "\\", Given: true}}, two, "1,'it\\'s, \\\\'\n", `1|it's, \`, "", ""},
		{"csv open quote", []Option{format("csv")}, two, "1,\"abc\n", "", pgerror.BadCopyFileFormat, "COPY t, line 1: \"1,\"abc\n\""},
		{"csv force null", []Option{format("csv"), {Name: "force_null", List: []string{"b"}, Given: true}}, two, "1,\"\"\n", "1|NULL", "", ""},
		{"csv force not null", []Option{format("csv"), {Name: "force_not_null", List: []string{"b"}, Given: true}}, two, "1,\n", "1|", "", ""},
		{"csv end of data", []Option{format("csv")}, one, "x\n\\.\n", "x", "", ""},
		{"csv line numbers count newlines in quotes", []Option{format("csv")}, two, "1,\"a\nb\"\nx,y\n", "1|a\nb", pgerror.InvalidTextRepresentation, `COPY t, line 3, column a: "x"`},
	} {
		for _, size := range []int{1, 3, 1000} {
			got, err := readAll(parse(t, true, test.options...), test.layout, test.data, size)
			code, where := "", ""
			if err != nil {
				code, where = pgerror.From(err).Code, pgerror.From(err).Where
			}
			if got != test.want || code != test.code || where != test.where {
				t.Errorf("%s in pieces of %d: got %q, %v with %q; want %q, %s with %q", test.name, size, got, err, where, test.want, test.code, test.where)
			}
		}
	}
}

func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	types := []relation.Type{relation.Int8Type, relation.TextType, relation.ByteaType, relation.TimestampTZType}
	rows := []relation.Row{
		{relation.Int(1), relation.Text("tab\t, newline\n, quote \" ' and \\ backslash, \\."), relation.Text("\x00\xff"), relation.Int(0)},
		{relation.NULL, relation.NULL, relation.NULL, relation.NULL},
		{relation.Int(-7), relation.Text(""), relation.Text(""), relation.Int(1234567)},
		{relation.Int(3), relation.Text(`\N`), relation.Text("x"), relation.Int(-1)},
		{relation.Int(4), relation.Text("\u4e16|\r\v\f\b"), relation.Text("y"), relation.Int(5)},
	}
	for _, options := range [][]Option{
		nil, {format("csv")}, {format("binary")}, {{Name: "delimiter", Value: "|", Given: true}, {Name: "null", Value: "", Given: true}},
		{format("csv"), {Name: "force_quote", Star: true, Given: true}}, {format("csv"), {Name: "escape", Value: "\\", Given: true}},
	} {
		writing, reading := parse(t, false, options...), parse(t, true, withoutForce(options)...)
		w := NewWriter(writing, []string{"a", "b", "c", "d"}, types, &utc)
		var data []byte
		if writing.Format == Binary {
			data = AppendBinaryHeader(data)
		}
		for _, row := range rows {
			data = w.AppendRow(data, row)
		}
		if writing.Format == Binary {
			data = AppendBinaryTrailer(data)
		}
		reader := NewReader(reading, layout(types...), pieces(string(data), 5))
		got := make(relation.Row, len(types))
		for i, want := range rows {
			if err := reader.Next(got); err != nil {
				t.Fatalf("%v: row %d: %v in %q", options, i, err, data)
			}
			for j := range want {
				// An empty text is NULL where the NULL marker is empty and nothing is quoted.
				if got[j] != want[j] && !(writing.Format == Text && writing.Null == "" && want[j] == relation.Text("")) {
					t.Errorf("%v: row %d, column %d: got %v, want %v", options, i, j, got[j], want[j])
				}
			}
		}
		if err := reader.Next(got); !errors.Is(err, io.EOF) {
			t.Errorf("%v: after the last row: %v", options, err)
		}
	}
}

func withoutForce(options []Option) []Option {
	var kept []Option
	for _, option := range options {
		if option.Name != "force_quote" {
			kept = append(kept, option)
		}
	}
	return kept
}

func TestBinaryRefusesMalformedData(t *testing.T) {
	header := binaryHeader
	for _, test := range []struct{ name, data, message string }{
		{"signature", "PGCOPX\n\xff\r\n\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00", "COPY file signature not recognized"},
		{"critical flags", signature + "\x00\x02\x00\x00\x00\x00\x00\x00", "unrecognized critical flags in COPY file header"},
		{"oids", signature + "\x00\x01\x00\x00\x00\x00\x00\x00", "invalid COPY file header (WITH OIDS)"},
		{"extension", signature + "\x00\x00\x00\x00\xff\xff\xff\xff", "invalid COPY file header (wrong length)"},
		{"field count", header + "\x00\x01", "row field count is 1, expected 2"},
		{"field size", header + "\x00\x02\xff\xff\xff\xfe", "invalid field size"},
		{"cut field", header + "\x00\x02\x00\x00\x00\x04\x00", "unexpected EOF in COPY data"},
		{"rubbish after the end", header + "\xff\xffx", "received copy data after EOF marker"},
	} {
		_, err := readAll(parse(t, true, format("binary")), layout(relation.Int4Type, relation.TextType), test.data, 4)
		if err == nil || pgerror.From(err).Message != test.message {
			t.Errorf("%s: got %v, want %q", test.name, err, test.message)
		}
	}
}

func TestBinaryReadsAnExtensionAndEmptyRows(t *testing.T) {
	data := signature + "\x00\x00\x00\x01\x00\x00\x00\x03abc" + "\x00\x01\x00\x00\x00\x04\x00\x00\x00\x07" + "\xff\xff"
	got, err := readAll(parse(t, true, format("binary")), layout(relation.Int4Type), data, 1)
	if err != nil || got != "7" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestOptionsThatDoNotGoTogether(t *testing.T) {
	value := func(name, value string) Option { return Option{Name: name, Value: value, Given: true} }
	for _, test := range []struct {
		options []Option
		from    bool
		code    string
	}{
		{[]Option{format("parquet")}, true, pgerror.InvalidParameterValue},
		{[]Option{format("binary"), value("delimiter", ",")}, true, pgerror.SyntaxError},
		{[]Option{format("binary"), value("null", "x")}, true, pgerror.SyntaxError},
		{[]Option{value("delimiter", "ab")}, true, pgerror.FeatureNotSupported},
		{[]Option{value("delimiter", "a")}, true, pgerror.InvalidParameterValue},
		{[]Option{value("quote", "'")}, true, pgerror.FeatureNotSupported},
		{[]Option{format("csv"), value("quote", ",")}, true, pgerror.InvalidParameterValue},
		{[]Option{{Name: "header", Value: "match", Given: true}}, false, pgerror.FeatureNotSupported},
		{[]Option{value("encoding", "latin1")}, true, pgerror.FeatureNotSupported},
		{[]Option{value("colour", "red")}, true, pgerror.SyntaxError},
		{[]Option{format("csv"), format("csv")}, true, pgerror.SyntaxError},
		{[]Option{{Name: "force_null", List: []string{"a"}, Given: true}}, true, pgerror.FeatureNotSupported},
	} {
		if _, err := ParseOptions(test.options, test.from); !pgerror.HasCode(err, test.code) {
			t.Errorf("%v: got %v, want %s", test.options, err, test.code)
		}
	}
}
