package function

import (
	"strings"
	"unicode/utf8"

	"moraine/pgerror"
	"moraine/relation"
)

// nameLength is NAMEDATALEN-1: the bytes that a name keeps.
const nameLength = 63

func textCodecs() map[uint32]*codec {
	text := &codec{input: inputText, appendText: appendPlainText, parseBinary: parseTextBinary, appendBinary: appendRawText,
		compare: compareText}
	return map[uint32]*codec{
		relation.TextOID:    text,
		relation.VarcharOID: text,
		relation.UnknownOID: text,
		RefcursorOID:        {input: inputText, appendText: appendPlainText, parseBinary: parseTextBinary, appendBinary: appendRawText},
		CstringOID:          {input: inputText, appendText: appendPlainText, parseBinary: parseTextBinary, appendBinary: appendRawText},
		PgNodeTreeOID:       {appendText: appendPlainText, appendBinary: appendRawText},
		ACLItemOID:          {appendText: appendPlainText},
		relation.BPCharOID: {input: inputText, appendText: appendPlainText, parseBinary: parseTextBinary,
			appendBinary: appendRawText, compare: comparePadded, hashKey: appendPaddedKey},
		relation.NameOID: {input: inputName, appendText: appendPlainText, parseBinary: parseNameBinary,
			appendBinary: appendRawText, compare: compareText},
		relation.CharOID: {input: inputChar, appendText: appendCharText, parseBinary: parseCharBinary,
			appendBinary: appendCharBinary, compare: compareText},
	}
}

func compareText(a, b relation.Value) int { return strings.Compare(a.Text(), b.Text()) }

// comparePadded ignores the blanks at the end.
func comparePadded(a, b relation.Value) int {
	return strings.Compare(strings.TrimRight(a.Text(), " "), strings.TrimRight(b.Text(), " "))
}

func appendPaddedKey(dst []byte, v relation.Value) []byte {
	return append(dst, strings.TrimRight(v.Text(), " ")...)
}

// checkEncoding refuses bytes that are not UTF-8 and the character NUL.
func checkEncoding(text string) error {
	for i := 0; i < len(text); {
		c := text[i]
		if c != 0 && c < utf8.RuneSelf {
			i++
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		if c == 0 || size == 1 {
			return invalidEncoding(text[i:])
		}
		i += size
	}
	return nil
}

func invalidEncoding(text string) error {
	length := 1
	switch c := text[0]; {
	case c >= 0xf0:
		length = 4
	case c >= 0xe0:
		length = 3
	case c >= 0xc0:
		length = 2
	}
	const digits = "0123456789abcdef"
	var bytes strings.Builder
	for i := 0; i < min(length, len(text)); i++ {
		if i > 0 {
			bytes.WriteByte(' ')
		}
		bytes.WriteString("0x")
		bytes.WriteByte(digits[text[i]>>4])
		bytes.WriteByte(digits[text[i]&15])
	}
	return pgerror.New(pgerror.CharacterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\": %s", bytes.String())
}

func inputText(text string, _ *Format) (relation.Value, error) { return relation.Text(text), nil }

func parseTextBinary(data []byte) (relation.Value, error) {
	text := string(data)
	if err := checkEncoding(text); err != nil {
		return relation.NULL, err
	}
	return relation.Text(text), nil
}

func inputName(text string, _ *Format) (relation.Value, error) {
	return relation.Text(truncateName(text)), nil
}

// truncateName cuts a name to 63 bytes at the border of a character.
func truncateName(text string) string {
	if len(text) <= nameLength {
		return text
	}
	end := nameLength
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

func parseNameBinary(data []byte) (relation.Value, error) {
	if len(data) > nameLength {
		return relation.NULL, pgerror.New(pgerror.NameTooLong, "identifier too long").WithDetail("Identifier must be less than 64 characters.")
	}
	return parseTextBinary(data)
}

// inputChar keeps one byte; the zero byte is the empty text. A backslash and three octal digits mean a byte above 127.
func inputChar(text string, _ *Format) (relation.Value, error) {
	if len(text) == 4 && text[0] == '\\' && isOctal(text[1]) && isOctal(text[2]) && isOctal(text[3]) {
		return relation.Text(string([]byte{(text[1]-'0')<<6 | (text[2]-'0')<<3 | (text[3] - '0')})), nil
	}
	return relation.Text(text[:min(len(text), 1)]), nil
}

func isOctal(c byte) bool { return c >= '0' && c <= '7' }

func appendCharText(dst []byte, v relation.Value, _ *Format) []byte {
	text := v.Text()
	if text == "" || text[0] == 0 {
		return dst
	}
	if c := text[0]; c >= 0x80 {
		return append(dst, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
	}
	return append(dst, text[0])
}

func parseCharBinary(data []byte) (relation.Value, error) {
	if len(data) != 1 {
		return relation.NULL, wrongBinaryLength()
	}
	if data[0] == 0 {
		return relation.Text(""), nil
	}
	return relation.Text(string(data)), nil
}

func appendCharBinary(dst []byte, v relation.Value) []byte {
	if v.Text() == "" {
		return append(dst, 0)
	}
	return append(dst, v.Text()[0])
}

// isSpace tells what C's isspace tells of ASCII.
func isSpace(c byte) bool { return c == ' ' || (c >= '\t' && c <= '\r') }

// trimSpace removes white space on both sides.
func trimSpace(text string) string {
	for text != "" && isSpace(text[0]) {
		text = text[1:]
	}
	for text != "" && isSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

// lowerASCII folds A-Z and leaves other characters alone.
func lowerASCII(text string) string {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c >= 'A' && c <= 'Z' {
			folded := []byte(text)
			for j := i; j < len(folded); j++ {
				if folded[j] >= 'A' && folded[j] <= 'Z' {
					folded[j] += 'a' - 'A'
				}
			}
			return string(folded)
		}
	}
	return text
}
