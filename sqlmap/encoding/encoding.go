package encoding

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"moraine/pgerror"
)

// Encoding is a client's encoding. All have ASCII as their lower half.
type Encoding struct {
	name string
	set  *charmap.Charmap
}

var encodings = func() map[string]*Encoding {
	all := map[string]*Encoding{}
	for name, set := range map[string]*charmap.Charmap{
		"LATIN1": charmap.ISO8859_1, "LATIN2": charmap.ISO8859_2, "LATIN3": charmap.ISO8859_3, "LATIN4": charmap.ISO8859_4,
		"LATIN5": charmap.ISO8859_9, "LATIN6": charmap.ISO8859_10, "LATIN7": charmap.ISO8859_13, "LATIN8": charmap.ISO8859_14,
		"LATIN9": charmap.ISO8859_15, "LATIN10": charmap.ISO8859_16, "ISO_8859_5": charmap.ISO8859_5, "ISO_8859_6": charmap.ISO8859_6,
		"ISO_8859_7": charmap.ISO8859_7, "ISO_8859_8": charmap.ISO8859_8, "KOI8R": charmap.KOI8R, "KOI8U": charmap.KOI8U,
		"WIN866": charmap.CodePage866, "WIN874": charmap.Windows874, "WIN1250": charmap.Windows1250, "WIN1251": charmap.Windows1251,
		"WIN1252": charmap.Windows1252, "WIN1253": charmap.Windows1253, "WIN1254": charmap.Windows1254, "WIN1255": charmap.Windows1255,
		"WIN1256": charmap.Windows1256, "WIN1257": charmap.Windows1257, "WIN1258": charmap.Windows1258,
	} {
		all[name] = &Encoding{name: name, set: set}
	}
	return all
}()

// Find gives an encoding by PostgreSQL's name; nil for UTF8, and for one that is not known here.
func Find(name string) *Encoding { return encodings[name] }

// Decode translates what a client sent: 22P05 for a byte that stands for no character.
func (e *Encoding) Decode(text string) (string, error) {
	if ascii(text) {
		return text, nil
	}
	decoded := make([]byte, 0, len(text)+len(text)/2)
	for i := range len(text) {
		character := e.set.DecodeByte(text[i])
		if character == utf8.RuneError {
			return "", pgerror.New(pgerror.UntranslatableCharacter,
				"character with byte sequence 0x%02x in encoding \"%s\" has no equivalent in encoding \"UTF8\"", text[i], e.name)
		}
		decoded = utf8.AppendRune(decoded, character)
	}
	return string(decoded), nil
}

// Append translates UTF-8 for the client: 22P05 for a character that the encoding does not have.
func (e *Encoding) Append(dst []byte, text []byte) ([]byte, error) {
	for len(text) > 0 {
		character, size := utf8.DecodeRune(text)
		encoded, ok := e.set.EncodeRune(character)
		if !ok {
			return dst, pgerror.New(pgerror.UntranslatableCharacter,
				"character with byte sequence %s in encoding \"UTF8\" has no equivalent in encoding \"%s\"", hexadecimal(text[:size]), e.name)
		}
		dst = append(dst, encoded)
		text = text[size:]
	}
	return dst, nil
}

// Encode is Append for texts that must reach the client: a character that the encoding does not have becomes a question mark.
func (e *Encoding) Encode(text string) string {
	if ascii(text) {
		return text
	}
	encoded := make([]byte, 0, len(text))
	for _, character := range text {
		raw, ok := e.set.EncodeRune(character)
		if !ok {
			raw = '?'
		}
		encoded = append(encoded, raw)
	}
	return string(encoded)
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// hexadecimal shows bytes as PostgreSQL's errors do: 0xe2 0x82 0xac.
func hexadecimal(raw []byte) string {
	parts := make([]string, len(raw))
	for i := range raw {
		parts[i] = fmt.Sprintf("0x%02x", raw[i])
	}
	return strings.Join(parts, " ")
}
