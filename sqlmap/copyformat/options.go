package copyformat

import (
	"slices"
	"strings"

	"moraine/pgerror"
)

// Format is one of COPY's formats.
type Format uint8

// Formats.
const (
	Text Format = iota
	CSV
	Binary
)

// Header says what the first line of text or CSV is.
type Header uint8

// What the first line is.
const (
	NoHeader Header = iota
	WriteHeader
	MatchHeader // names that are checked (COPY FROM only)
)

// Options are those of one COPY.
type Options struct {
	Format    Format
	Delimiter byte
	Null      string
	Header    Header
	Quote     byte // of CSV
	Escape    byte // of CSV

	ForceQuoteAll bool
	ForceQuote    []string
	ForceNotNull  []string
	ForceNull     []string
}

// Option is one option as it is written: its value as a text, or a list of names.
type Option struct {
	Name  string
	Value string
	// Given tells that there is a value; List is one of names, and Star is "*".
	Given bool
	List  []string
	Star  bool
	// Position is where the option stands in the statement, for errors; 0 when that is not known.
	Position int
}

// builder collects options.
type builder struct {
	options                              Options
	seen                                 map[string]bool
	delimiter, null, quote, escape       *string
	forceQuote, forceNotNull, forceNulls bool
}

// ParseOptions checks the options of a COPY and fills in the defaults of its format.
func ParseOptions(options []Option, from bool) (Options, error) {
	b := builder{seen: map[string]bool{}}
	for i := range options {
		option := &options[i]
		if b.seen[option.Name] {
			return Options{}, pgerror.New(pgerror.SyntaxError, "option \"%s\" is given more than once", option.Name).WithPosition(option.Position)
		}
		b.seen[option.Name] = true
		if err := b.add(option, from); err != nil {
			return Options{}, err
		}
	}
	return b.finish(from)
}

func (b *builder) add(option *Option, from bool) error {
	switch option.Name {
	case "format":
		return b.setFormat(option)
	case "freeze":
		_, err := boolOption(option)
		return err
	case "delimiter":
		b.delimiter = &option.Value
	case "null":
		b.null = &option.Value
	case "quote":
		b.quote = &option.Value
	case "escape":
		b.escape = &option.Value
	case "header":
		return b.setHeader(option, from)
	case "force_quote":
		b.forceQuote = true
		b.options.ForceQuoteAll, b.options.ForceQuote = option.Star, option.List
	case "force_not_null":
		b.forceNotNull = true
		b.options.ForceNotNull = option.List
	case "force_null":
		b.forceNulls = true
		b.options.ForceNull = option.List
	case "encoding":
		if name := strings.ReplaceAll(strings.ToLower(option.Value), "-", ""); name != "utf8" && name != "sql_ascii" && name != "unicode" {
			return pgerror.New(pgerror.FeatureNotSupported, "COPY in encoding \"%s\" is not supported", option.Value)
		}
	default:
		return pgerror.New(pgerror.SyntaxError, "option \"%s\" not recognized", option.Name).WithPosition(option.Position)
	}
	return nil
}

func (b *builder) setFormat(option *Option) error {
	switch option.Value {
	case "text":
		b.options.Format = Text
	case "csv":
		b.options.Format = CSV
	case "binary":
		b.options.Format = Binary
	default:
		return pgerror.New(pgerror.InvalidParameterValue, "COPY format \"%s\" not recognized", option.Value).WithPosition(option.Position)
	}
	return nil
}

func (b *builder) setHeader(option *Option, from bool) error {
	if option.Given && strings.EqualFold(option.Value, "match") {
		if !from {
			return pgerror.New(pgerror.FeatureNotSupported, "cannot use \"match\" with HEADER in COPY TO")
		}
		b.options.Header = MatchHeader
		return nil
	}
	on, err := boolOption(option)
	if on {
		b.options.Header = WriteHeader
	}
	return err
}

func boolOption(option *Option) (bool, error) {
	if !option.Given {
		return true, nil
	}
	switch strings.ToLower(option.Value) {
	case "true", "on", "1":
		return true, nil
	case "false", "off", "0":
		return false, nil
	}
	return false, pgerror.New(pgerror.SyntaxError, "%s requires a Boolean value", option.Name)
}

// finish fills in defaults and refuses what does not go together.
func (b *builder) finish(from bool) (Options, error) {
	o := &b.options
	if o.Format == Binary {
		return *o, b.finishBinary()
	}
	o.Delimiter, o.Null = '\t', `\N`
	if o.Format == CSV {
		o.Delimiter, o.Null, o.Quote = ',', "", '"'
	}
	if err := b.characters(); err != nil {
		return *o, err
	}
	if b.null != nil {
		o.Null = *b.null
	}
	if strings.ContainsAny(o.Null, "\r\n") {
		return *o, pgerror.New(pgerror.InvalidParameterValue, "COPY null representation cannot use newline or carriage return")
	}
	if strings.IndexByte("\\.abcdefghijklmnopqrstuvwxyz0123456789", o.Delimiter) >= 0 && o.Format == Text || o.Delimiter == '\n' || o.Delimiter == '\r' {
		return *o, pgerror.New(pgerror.InvalidParameterValue, "COPY delimiter cannot be \"%s\"", string(o.Delimiter))
	}
	if strings.IndexByte(o.Null, o.Delimiter) >= 0 {
		return *o, pgerror.New(pgerror.FeatureNotSupported, "COPY delimiter must not appear in the NULL specification")
	}
	if o.Format == CSV {
		if o.Delimiter == o.Quote {
			return *o, pgerror.New(pgerror.InvalidParameterValue, "COPY delimiter and quote must be different")
		}
		if strings.IndexByte(o.Null, o.Quote) >= 0 {
			return *o, pgerror.New(pgerror.FeatureNotSupported, "CSV quote character must not appear in the NULL specification")
		}
	}
	return *o, b.forces(from)
}

func (b *builder) finishBinary() error {
	switch {
	case b.delimiter != nil:
		return pgerror.New(pgerror.SyntaxError, "cannot specify DELIMITER in BINARY mode")
	case b.null != nil:
		return pgerror.New(pgerror.SyntaxError, "cannot specify NULL in BINARY mode")
	case b.options.Header != NoHeader:
		return pgerror.New(pgerror.FeatureNotSupported, "cannot specify HEADER in BINARY mode")
	case b.quote != nil || b.escape != nil || b.forceQuote || b.forceNotNull || b.forceNulls:
		return pgerror.New(pgerror.FeatureNotSupported, "COPY quote, escape and force options are available only in CSV mode")
	}
	return nil
}

// characters takes the options of one byte.
func (b *builder) characters() error {
	o := &b.options
	if b.delimiter != nil {
		if len(*b.delimiter) != 1 {
			return pgerror.New(pgerror.FeatureNotSupported, "COPY delimiter must be a single one-byte character")
		}
		o.Delimiter = (*b.delimiter)[0]
	}
	if b.quote != nil {
		if o.Format != CSV {
			return pgerror.New(pgerror.FeatureNotSupported, "COPY quote available only in CSV mode")
		}
		if len(*b.quote) != 1 {
			return pgerror.New(pgerror.FeatureNotSupported, "COPY quote must be a single one-byte character")
		}
		o.Quote = (*b.quote)[0]
	}
	o.Escape = o.Quote
	if b.escape != nil {
		if o.Format != CSV {
			return pgerror.New(pgerror.FeatureNotSupported, "COPY escape available only in CSV mode")
		}
		if len(*b.escape) != 1 {
			return pgerror.New(pgerror.FeatureNotSupported, "COPY escape must be a single one-byte character")
		}
		o.Escape = (*b.escape)[0]
	}
	return nil
}

func (b *builder) forces(from bool) error {
	csv := b.options.Format == CSV
	switch {
	case b.forceQuote && !csv:
		return pgerror.New(pgerror.FeatureNotSupported, "COPY force quote available only in CSV mode")
	case b.forceQuote && from:
		return pgerror.New(pgerror.FeatureNotSupported, "COPY force quote only available using COPY TO")
	case b.forceNotNull && !csv:
		return pgerror.New(pgerror.FeatureNotSupported, "COPY force not null available only in CSV mode")
	case b.forceNotNull && !from:
		return pgerror.New(pgerror.FeatureNotSupported, "COPY force not null only available using COPY FROM")
	case b.forceNulls && !csv:
		return pgerror.New(pgerror.FeatureNotSupported, "COPY force null available only in CSV mode")
	case b.forceNulls && !from:
		return pgerror.New(pgerror.FeatureNotSupported, "COPY force null only available using COPY FROM")
	}
	return nil
}

// flags tells for each column whether it is in the list.
func flags(columns, list []string) []bool {
	marked := make([]bool, len(columns))
	for i, column := range columns {
		marked[i] = slices.Contains(list, column)
	}
	return marked
}
