package function

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"moraine/pgerror"
	"moraine/relation"
)

// formatText is format(): %s, %I and %L with positions (n$), widths and the flag -.
func formatText(sig *signature) (Evaluate, error) {
	texts := textsFrom(sig, 1)
	if len(sig.Arguments) < 2 {
		texts = func(*Context, []relation.Value) []relation.Value { return nil }
	}
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		if a[0].IsNull() {
			return relation.NULL, nil
		}
		f := textFormatter{format: a[0].Text(), arguments: texts(c, a)}
		if err := f.run(); err != nil {
			return relation.NULL, err
		}
		return relation.Text(f.built.String()), nil
	}, nil
}

// textFormatter expands one format string.
type textFormatter struct {
	format    string
	arguments []relation.Value
	next      int
	built     strings.Builder
}

func (f *textFormatter) run() error {
	for {
		before, after, found := strings.Cut(f.format, "%")
		f.built.WriteString(before)
		if !found {
			return nil
		}
		f.format = after
		if strings.HasPrefix(after, "%") {
			f.built.WriteByte('%')
			f.format = after[1:]
			continue
		}
		if err := f.specifier(); err != nil {
			return err
		}
	}
}

func unterminatedSpecifier() error {
	return pgerror.New(pgerror.InvalidParameterValue, "unterminated format() type specifier").
		WithHint("For a single \"%%\" use \"%%%%\".")
}

func (f *textFormatter) argument(position int) (relation.Value, error) {
	if position == 0 {
		f.next++
		position = f.next
	} else {
		f.next = position
	}
	if position < 1 || position > len(f.arguments) {
		return relation.NULL, pgerror.New(pgerror.InvalidParameterValue, "too few arguments for format()")
	}
	return f.arguments[position-1], nil
}

func (f *textFormatter) number() (value int, found bool) {
	end := 0
	for end < len(f.format) && isDigit(f.format[end]) && end < 9 {
		end++
	}
	value, _ = strconv.Atoi(f.format[:end])
	f.format = f.format[end:]
	return value, end > 0
}

func (f *textFormatter) specifier() error {
	position, width, left := 0, 0, false
	number, found := f.number()
	if found && strings.HasPrefix(f.format, "$") {
		if number == 0 {
			return pgerror.New(pgerror.InvalidParameterValue, "format specifies argument 0, but arguments are numbered from 1")
		}
		position, f.format, found = number, f.format[1:], false
	}
	for !found && strings.HasPrefix(f.format, "-") {
		left, f.format = true, f.format[1:]
	}
	if !found {
		number, found = f.number()
	}
	if found {
		width = number
	}
	if !found && strings.HasPrefix(f.format, "*") {
		f.format = f.format[1:]
		widthPosition, positioned := f.number()
		if positioned {
			f.format = strings.TrimPrefix(f.format, "$")
		}
		argument, err := f.argument(widthPosition)
		if err != nil {
			return err
		}
		width, _ = strconv.Atoi(argument.Text())
		if width < 0 {
			width, left = -width, true
		}
	}
	if f.format == "" {
		return unterminatedSpecifier()
	}
	kind := f.format[0]
	if kind != 's' && kind != 'I' && kind != 'L' {
		return pgerror.New(pgerror.InvalidParameterValue, "unrecognized format() type specifier \"%s\"", firstCharacter(f.format)).
			WithHint("For a single \"%%\" use \"%%%%\".")
	}
	f.format = f.format[1:]
	argument, err := f.argument(position)
	if err != nil {
		return err
	}
	text, err := formattedArgument(kind, argument)
	if err != nil {
		return err
	}
	padding := strings.Repeat(" ", min(max(width-utf8.RuneCountInString(text), 0), MaximumValueSize))
	if left {
		f.built.WriteString(text + padding)
	} else {
		f.built.WriteString(padding + text)
	}
	return nil
}

func formattedArgument(kind byte, argument relation.Value) (string, error) {
	switch {
	case kind == 'I' && argument.IsNull():
		return "", pgerror.New(pgerror.NullValueNotAllowed, "null values cannot be formatted as an SQL identifier")
	case kind == 'I':
		return QuoteIdentifier(argument.Text()), nil
	case kind == 'L' && argument.IsNull():
		return "NULL", nil
	case kind == 'L':
		return QuoteLiteral(argument.Text()), nil
	}
	return argument.Text(), nil
}
