package function

import (
	"crypto/md5"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"moraine/pgerror"
	"moraine/relation"
)

func textFunctions() evaluates {
	return evaluates{
		"lower": text1(strings.ToLower), "upper": text1(strings.ToUpper), "initcap": text1(capitalise),
		"textlen": characterCount, "bpcharlen": paddedCharacterCount, "textoctetlen": byteCount, "bpcharoctetlen": byteCount,
		"bit_length(text)": bitCount, "bit_length(bytea)": bitCount,
		"textcat": concatenate, "text_substr": substringOf, "text_substr_no_len": substringOf,
		"textpos": position, "btrim": trimming(true, true), "btrim1": trimming(true, true), "ltrim": trimming(true, false),
		"ltrim1": trimming(true, false), "rtrim": trimming(false, true), "rtrim1": trimming(false, true),
		"replace_text": replaceText, "split_part": splitPart, "text_left": leftOf, "text_right": rightOf,
		"text_reverse": text1(reverse), "lpad": pad(true), "rpad": pad(false), "repeat": repeat,
		"lpad(text,int4)": pad(true), "rpad(text,int4)": pad(false),
		"translate": translate, "ascii": codeOf, "chr": characterOf, "md5_text": text1(md5Of), "md5_bytea": text1(md5Of),
		"quote_ident": text1(QuoteIdentifier), "quote_literal": text1(QuoteLiteral), "quote_nullable": quoteNullable,
		"text_starts_with": textTest(strings.HasPrefix), "textoverlay": overlay, "textoverlay_no_len": overlay,
		"text_larger": larger(compareText), "text_smaller": smaller(compareText),
		"bpchar_larger": larger(comparePadded), "bpchar_smaller": smaller(comparePadded),
		"parse_ident": parseIdentifier, "normalize": nil, "unicode_is_normalized": nil,
		"text_to_array": stringToArray, "text_to_array_null": stringToArray,
		"hashtext": hashOf(false), "hashtextextended": hashOf(true), "unistr": textTry(unescapeUnicode),
		"bttextcmp": compareFunction(compareText), "btint8cmp": compareFunction(compareInt), "btint4cmp": compareFunction(compareInt),
	}.present()
}

// present drops entries that are nil.
func (e evaluates) present() evaluates {
	for name, evaluate := range e {
		if evaluate == nil {
			delete(e, name)
		}
	}
	return e
}

func compareFunction(compare func(a, b relation.Value) int) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		return relation.Int(int64(compare(a[0], a[1]))), nil
	}
}

func characterCount(_ *Context, a []relation.Value) (relation.Value, error) {
	return relation.Int(int64(utf8.RuneCountInString(a[0].Text()))), nil
}

func paddedCharacterCount(_ *Context, a []relation.Value) (relation.Value, error) {
	return relation.Int(int64(utf8.RuneCountInString(strings.TrimRight(a[0].Text(), " ")))), nil
}

func byteCount(_ *Context, a []relation.Value) (relation.Value, error) {
	return relation.Int(int64(len(a[0].Text()))), nil
}

func bitCount(_ *Context, a []relation.Value) (relation.Value, error) {
	return relation.Int(8 * int64(len(a[0].Text()))), nil
}

func tooLargeValue() error {
	return pgerror.New(pgerror.ProgramLimitExceeded, "requested length too large")
}

func concatenate(_ *Context, a []relation.Value) (relation.Value, error) {
	if len(a[0].Text())+len(a[1].Text()) > MaximumValueSize {
		return relation.NULL, tooLargeValue()
	}
	return relation.Text(a[0].Text() + a[1].Text()), nil
}

// capitalise turns the first letter of each word to upper case, the others to lower case.
func capitalise(text string) string {
	inWord := false
	return strings.Map(func(c rune) rune {
		letter := unicode.IsLetter(c) || unicode.IsDigit(c)
		defer func() { inWord = letter }()
		if inWord {
			return unicode.ToLower(c)
		}
		return unicode.ToUpper(c)
	}, text)
}

// substringOf is substring(text, start[, count]), counted in characters from 1; positions before the text count too.
func substringOf(_ *Context, a []relation.Value) (relation.Value, error) {
	start, end := a[1].Int(), int64(MaximumValueSize)
	if len(a) > 2 {
		if a[2].Int() < 0 {
			return relation.NULL, pgerror.New(pgerror.SubstringError, "negative substring length not allowed")
		}
		end = min(start+a[2].Int(), end)
	}
	return relation.Text(sliceCharacters(a[0].Text(), start-1, end-1)), nil
}

// sliceCharacters gives the characters from place start up to end, counted from 0.
func sliceCharacters(text string, start, end int64) string {
	start = max(start, 0)
	if end <= start {
		return ""
	}
	from, _ := cutCharacters(text, int(min(start, int64(len(text)))))
	rest := text[from:]
	to, _ := cutCharacters(rest, int(min(end-start, int64(len(rest)))))
	return rest[:to]
}

func position(_ *Context, a []relation.Value) (relation.Value, error) {
	place := strings.Index(a[0].Text(), a[1].Text())
	if place < 0 {
		return relation.Int(0), nil
	}
	return relation.Int(int64(utf8.RuneCountInString(a[0].Text()[:place])) + 1), nil
}

// trimming removes characters of a set (blanks unless given) from the ends.
func trimming(left, right bool) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		text, set := a[0].Text(), " "
		if len(a) > 1 {
			set = a[1].Text()
		}
		if left {
			text = strings.TrimLeft(text, set)
		}
		if right {
			text = strings.TrimRight(text, set)
		}
		return relation.Text(text), nil
	}
}

func replaceText(_ *Context, a []relation.Value) (relation.Value, error) {
	text, from, to := a[0].Text(), a[1].Text(), a[2].Text()
	if from == "" {
		return a[0], nil
	}
	if count := strings.Count(text, from); len(text)+count*(len(to)-len(from)) > MaximumValueSize {
		return relation.NULL, tooLargeValue()
	}
	return relation.Text(strings.ReplaceAll(text, from, to)), nil
}

// splitPart gives a field of text cut at a delimiter; negative places count from the end.
func splitPart(_ *Context, a []relation.Value) (relation.Value, error) {
	text, delimiter, place := a[0].Text(), a[1].Text(), a[2].Int()
	if place == 0 {
		return relation.NULL, pgerror.New(pgerror.InvalidParameterValue, "field position must not be zero")
	}
	fields := []string{text}
	if delimiter != "" {
		fields = strings.Split(text, delimiter)
	}
	if text == "" {
		return a[0], nil
	}
	if place < 0 {
		place += int64(len(fields)) + 1
	}
	if place < 1 || place > int64(len(fields)) {
		return relation.Text(""), nil
	}
	return relation.Text(fields[place-1]), nil
}

// leftOf gives the first n characters; a negative n leaves out that many at the end.
func leftOf(_ *Context, a []relation.Value) (relation.Value, error) {
	text, count := a[0].Text(), a[1].Int()
	if count < 0 {
		count += int64(utf8.RuneCountInString(text))
	}
	return relation.Text(sliceCharacters(text, 0, count)), nil
}

// rightOf gives the last n characters; a negative n leaves out that many at the start.
func rightOf(_ *Context, a []relation.Value) (relation.Value, error) {
	text, count := a[0].Text(), a[1].Int()
	start := -count
	if count >= 0 {
		start = max(int64(utf8.RuneCountInString(text))-count, 0)
	}
	return relation.Text(sliceCharacters(text, start, MaximumValueSize)), nil
}

func reverse(text string) string {
	reversed := make([]byte, len(text))
	place := len(text)
	for i := 0; i < len(text); {
		_, size := utf8.DecodeRuneInString(text[i:])
		place -= size
		copy(reversed[place:], text[i:i+size])
		i += size
	}
	return string(reversed)
}

// pad fills text to a number of characters, or cuts it to it.
func pad(left bool) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		text, length, filling := a[0].Text(), max(a[1].Int(), 0), " "
		if len(a) > 2 {
			filling = a[2].Text()
		}
		if length > MaximumValueSize/utf8.UTFMax {
			return relation.NULL, tooLargeValue()
		}
		missing := length - int64(utf8.RuneCountInString(text))
		if missing <= 0 || filling == "" {
			return relation.Text(sliceCharacters(text, 0, length)), nil
		}
		width := int64(utf8.RuneCountInString(filling))
		added := strings.Repeat(filling, int(missing/width)) + sliceCharacters(filling, 0, missing%width)
		if left {
			return relation.Text(added + text), nil
		}
		return relation.Text(text + added), nil
	}
}

func repeat(_ *Context, a []relation.Value) (relation.Value, error) {
	count := max(a[1].Int(), 0)
	if int64(len(a[0].Text()))*count > MaximumValueSize {
		return relation.NULL, tooLargeValue()
	}
	return relation.Text(strings.Repeat(a[0].Text(), int(count))), nil
}

// translate replaces each character of the second text by the one at its place in the third, or drops it.
func translate(_ *Context, a []relation.Value) (relation.Value, error) {
	from, to := []rune(a[1].Text()), []rune(a[2].Text())
	replacement := map[rune]rune{}
	for i, c := range from {
		if _, ok := replacement[c]; ok {
			continue
		}
		if i < len(to) {
			replacement[c] = to[i]
		} else {
			replacement[c] = -1
		}
	}
	return relation.Text(strings.Map(func(c rune) rune {
		if other, ok := replacement[c]; ok {
			return other
		}
		return c
	}, a[0].Text())), nil
}

func codeOf(_ *Context, a []relation.Value) (relation.Value, error) {
	if a[0].Text() == "" {
		return relation.Int(0), nil
	}
	c, _ := utf8.DecodeRuneInString(a[0].Text())
	return relation.Int(int64(c)), nil
}

func characterOf(_ *Context, a []relation.Value) (relation.Value, error) {
	code := a[0].Int()
	switch {
	case code == 0:
		return relation.NULL, pgerror.New(pgerror.ProgramLimitExceeded, "null character not permitted")
	case code < 0:
		return relation.NULL, pgerror.New(pgerror.ProgramLimitExceeded, "character number must be positive")
	case code > unicode.MaxRune:
		return relation.NULL, pgerror.New(pgerror.ProgramLimitExceeded, "requested character too large for encoding: %d", code)
	case !utf8.ValidRune(rune(code)):
		return relation.NULL, pgerror.New(pgerror.ProgramLimitExceeded, "requested character not valid for encoding: %d", code)
	}
	return relation.Text(string(rune(code))), nil
}

func md5Of(text string) string {
	sum := md5.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

// QuoteLiteral writes text as a string constant, with an E and doubled backslashes where there are backslashes.
func QuoteLiteral(text string) string {
	prefix := "'"
	if strings.ContainsRune(text, '\\') {
		prefix, text = "E'", strings.ReplaceAll(text, `\`, `\\`)
	}
	return prefix + strings.ReplaceAll(text, "'", "''") + "'"
}

func quoteNullable(_ *Context, a []relation.Value) (relation.Value, error) {
	if a[0].IsNull() {
		return relation.Text("NULL"), nil
	}
	return relation.Text(QuoteLiteral(a[0].Text())), nil
}

// overlay replaces characters from a place on, as many as the replacement has unless a count is given.
func overlay(_ *Context, a []relation.Value) (relation.Value, error) {
	text, replacement, start := a[0].Text(), a[1].Text(), a[2].Int()
	count := int64(utf8.RuneCountInString(replacement))
	if len(a) > 3 {
		count = a[3].Int()
	}
	if start <= 0 {
		return relation.NULL, pgerror.New(pgerror.SubstringError, "negative substring length not allowed")
	}
	return relation.Text(sliceCharacters(text, 0, start-1) + replacement + sliceCharacters(text, start-1+count, MaximumValueSize)), nil
}

// parseIdentifier is parse_ident: a qualified name as an array of its parts.
func parseIdentifier(_ *Context, a []relation.Value) (relation.Value, error) {
	parts, err := SplitQualifiedName(a[0].Text())
	if err != nil {
		return relation.NULL, pgerror.New(pgerror.InvalidParameterValue, "string is not a valid identifier: \"%s\"", a[0].Text())
	}
	return textArray(parts), nil
}

func textArray(texts []string) relation.Value {
	elements := make([]relation.Value, len(texts))
	for i, text := range texts {
		elements[i] = relation.Text(text)
	}
	return NewArray(relation.TextOID, elements)
}

// stringToArray cuts text at a delimiter, between all characters when it is NULL; fields equal to a third argument are
// NULL.
func stringToArray(_ *Context, a []relation.Value) (relation.Value, error) {
	if a[0].IsNull() {
		return relation.NULL, nil
	}
	return NewArray(relation.TextOID, splitFields(a)), nil
}

func splitFields(a []relation.Value) []relation.Value {
	var fields []string
	switch text := a[0].Text(); {
	case text == "":
	case a[1].IsNull():
		fields = strings.Split(text, "")
	case a[1].Text() == "":
		fields = []string{text}
	default:
		fields = strings.Split(text, a[1].Text())
	}
	values := make([]relation.Value, len(fields))
	for i, field := range fields {
		values[i] = relation.Text(field)
		if len(a) > 2 && !a[2].IsNull() && a[2].Text() == field {
			values[i] = relation.NULL
		}
	}
	return values
}

// unescapeUnicode is unistr: \XXXX, \+XXXXXX, \uXXXX and \UXXXXXXXX stand for characters.
func unescapeUnicode(text string) (string, error) {
	var built strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			built.WriteByte(text[i])
			continue
		}
		rest := text[i+1:]
		if strings.HasPrefix(rest, `\`) {
			built.WriteByte('\\')
			i++
			continue
		}
		prefix, digits := 0, 4
		switch {
		case strings.HasPrefix(rest, "+"):
			prefix, digits = 1, 6
		case strings.HasPrefix(rest, "u"):
			prefix = 1
		case strings.HasPrefix(rest, "U"):
			prefix, digits = 1, 8
		}
		code, ok := rune(0), len(rest) >= prefix+digits
		for j := prefix; ok && j < prefix+digits; j++ {
			value, valid := hexDigit(rest[j])
			code, ok = code<<4|rune(value), valid
		}
		if !ok || !utf8.ValidRune(code) || code == 0 {
			return "", pgerror.New(pgerror.SyntaxError, "invalid Unicode escape").
				WithHint("Unicode escapes must be \\XXXX, \\+XXXXXX, \\uXXXX, or \\UXXXXXXXX.")
		}
		built.WriteRune(code)
		i += prefix + digits
	}
	return built.String(), nil
}
