package function

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

func otherCodecs() map[uint32]*codec {
	return map[uint32]*codec{
		relation.ByteaOID: {input: inputBytea, appendText: appendByteaText, parseBinary: parseRawBinary,
			appendBinary: appendRawText, compare: compareText},
		relation.UUIDOID: {input: inputUUID, appendText: appendUUIDText, parseBinary: parseUUIDBinary,
			appendBinary: appendRawText, compare: compareText},
		relation.TIDOID: {input: inputTID, appendText: appendTIDText, parseBinary: parseTIDBinary,
			appendBinary: appendTIDBinary, compare: compareInt},
		relation.BitOID: {input: inputBits, appendText: appendPlainText, parseBinary: parseBitsBinary,
			appendBinary: appendBitsBinary, compare: compareText},
		relation.VarbitOID: {input: inputBits, appendText: appendPlainText, parseBinary: parseBitsBinary,
			appendBinary: appendBitsBinary, compare: compareText},
		relation.VoidOID: {input: inputVoid, appendText: appendPlainText, parseBinary: parseVoidBinary, appendBinary: appendRawText},
	}
}

func parseRawBinary(data []byte) (relation.Value, error) { return relation.Text(string(data)), nil }

func inputVoid(string, *Format) (relation.Value, error) { return relation.Text(""), nil }

func parseVoidBinary([]byte) (relation.Value, error) { return relation.Text(""), nil }

// inputBytea reads the hex format (\x...) and the escape format (\\ and \ooo).
func inputBytea(text string, _ *Format) (relation.Value, error) {
	if strings.HasPrefix(text, `\x`) {
		raw, err := decodeHex(text[2:])
		return relation.Text(string(raw)), err
	}
	if strings.IndexByte(text, '\\') < 0 {
		return relation.Text(text), nil
	}
	raw, err := decodeEscape(text)
	return relation.Text(string(raw)), err
}

// decodeEscape reads bytea's escape format.
func decodeEscape(text string) ([]byte, error) {
	raw := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] != '\\':
			raw = append(raw, text[i])
		case i+1 < len(text) && text[i+1] == '\\':
			raw = append(raw, '\\')
			i++
		case i+3 < len(text) && text[i+1] >= '0' && text[i+1] <= '3' && isOctal(text[i+2]) && isOctal(text[i+3]):
			raw = append(raw, (text[i+1]-'0')<<6|(text[i+2]-'0')<<3|(text[i+3]-'0'))
			i += 3
		default:
			return nil, pgerror.New(pgerror.InvalidTextRepresentation, "invalid input syntax for type %s", "bytea")
		}
	}
	return raw, nil
}

// decodeHex reads pairs of hexadecimal digits with white space between pairs.
func decodeHex(text string) ([]byte, error) {
	raw := make([]byte, 0, len(text)/2)
	for i := 0; i < len(text); {
		if text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r' {
			i++
			continue
		}
		high, ok := hexDigit(text[i])
		if !ok {
			return nil, invalidHexDigit(text[i:])
		}
		if i+1 >= len(text) {
			return nil, pgerror.New(pgerror.InvalidParameterValue, "invalid hexadecimal data: odd number of digits")
		}
		low, ok := hexDigit(text[i+1])
		if !ok {
			return nil, invalidHexDigit(text[i+1:])
		}
		raw = append(raw, high<<4|low)
		i += 2
	}
	return raw, nil
}

func invalidHexDigit(text string) error {
	for _, character := range text {
		return pgerror.New(pgerror.InvalidParameterValue, "invalid hexadecimal digit: \"%c\"", character)
	}
	return nil
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

func appendByteaText(dst []byte, v relation.Value, f *Format) []byte {
	if f != nil && f.ByteaOutput == "escape" {
		return appendEscaped(dst, v.Text())
	}
	dst = append(dst, '\\', 'x')
	return appendHex(dst, v.Text())
}

func appendHex(dst []byte, raw string) []byte {
	const digits = "0123456789abcdef"
	for i := 0; i < len(raw); i++ {
		dst = append(dst, digits[raw[i]>>4], digits[raw[i]&15])
	}
	return dst
}

func appendEscaped(dst []byte, raw string) []byte {
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '\\':
			dst = append(dst, '\\', '\\')
		case c < 0x20 || c > 0x7e:
			dst = append(dst, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// inputUUID reads 32 hexadecimal digits, a hyphen allowed after each group of four, braces allowed around.
func inputUUID(text string, _ *Format) (relation.Value, error) {
	rest := text
	if len(rest) > 1 && rest[0] == '{' && rest[len(rest)-1] == '}' {
		rest = rest[1 : len(rest)-1]
	}
	var raw [16]byte
	for i := range raw {
		if len(rest) < 2 {
			return relation.NULL, invalidInput("uuid", text)
		}
		high, ok := hexDigit(rest[0])
		low, ok2 := hexDigit(rest[1])
		if !ok || !ok2 {
			return relation.NULL, invalidInput("uuid", text)
		}
		raw[i] = high<<4 | low
		rest = rest[2:]
		if rest != "" && rest[0] == '-' && i%2 == 1 && i < 15 {
			rest = rest[1:]
		}
	}
	if rest != "" {
		return relation.NULL, invalidInput("uuid", text)
	}
	return relation.Text(string(raw[:])), nil
}

func appendUUIDText(dst []byte, v relation.Value, _ *Format) []byte {
	raw := v.Text()
	if len(raw) != 16 {
		return append(dst, raw...)
	}
	var text [36]byte
	var bytes [16]byte
	copy(bytes[:], raw)
	hex.Encode(text[:8], bytes[:4])
	hex.Encode(text[9:13], bytes[4:6])
	hex.Encode(text[14:18], bytes[6:8])
	hex.Encode(text[19:23], bytes[8:10])
	hex.Encode(text[24:], bytes[10:])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return append(dst, text[:]...)
}

func parseUUIDBinary(data []byte) (relation.Value, error) {
	if len(data) != 16 {
		return relation.NULL, wrongBinaryLength()
	}
	return relation.Text(string(data)), nil
}

// inputTID reads (block,offset); as in PostgreSQL, what stands before the parenthesis and after the closing one is not
// looked at.
func inputTID(text string, _ *Format) (relation.Value, error) {
	_, rest, ok := strings.Cut(text, "(")
	blockText, rest, ok2 := strings.Cut(rest, ",")
	offsetText, _, ok3 := strings.Cut(rest, ")")
	if !ok || !ok2 || !ok3 {
		return relation.NULL, invalidInput("tid", text)
	}
	block, err := strconv.ParseUint(trimSpace(blockText), 10, 32)
	offset, err2 := strconv.ParseUint(trimSpace(offsetText), 10, 16)
	if err != nil || err2 != nil {
		return relation.NULL, invalidInput("tid", text)
	}
	return relation.Int(int64(block<<16 | offset)), nil
}

func appendTIDText(dst []byte, v relation.Value, _ *Format) []byte {
	dst = append(dst, '(')
	dst = strconv.AppendUint(dst, uint64(v.Int())>>16, 10)
	dst = append(dst, ',')
	dst = strconv.AppendUint(dst, uint64(v.Int())&0xffff, 10)
	return append(dst, ')')
}

func parseTIDBinary(data []byte) (relation.Value, error) {
	if len(data) != 6 {
		return relation.NULL, wrongBinaryLength()
	}
	return relation.Int(int64(binary.BigEndian.Uint32(data))<<16 | int64(binary.BigEndian.Uint16(data[4:]))), nil
}

func appendTIDBinary(dst []byte, v relation.Value) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(uint64(v.Int())>>16))
	return binary.BigEndian.AppendUint16(dst, uint16(v.Int()))
}

// inputBits reads binary digits, or hexadecimal ones after an x.
func inputBits(text string, _ *Format) (relation.Value, error) {
	digits := text
	if digits != "" && (digits[0] == 'x' || digits[0] == 'X') {
		return inputHexBits(digits[1:])
	}
	if digits != "" && (digits[0] == 'b' || digits[0] == 'B') {
		digits = digits[1:]
	}
	for i, c := range digits {
		if c != '0' && c != '1' {
			return relation.NULL, pgerror.New(pgerror.InvalidTextRepresentation, "\"%s\" is not a valid binary digit", firstCharacter(digits[i:]))
		}
	}
	return relation.Text(digits), nil
}

func inputHexBits(digits string) (relation.Value, error) {
	bits := make([]byte, 0, 4*len(digits))
	for i := 0; i < len(digits); i++ {
		value, ok := hexDigit(digits[i])
		if !ok {
			return relation.NULL, pgerror.New(pgerror.InvalidTextRepresentation, "\"%s\" is not a valid hexadecimal digit", firstCharacter(digits[i:]))
		}
		bits = append(bits, '0'+value>>3, '0'+value>>2&1, '0'+value>>1&1, '0'+value&1)
	}
	return relation.Text(string(bits)), nil
}

func firstCharacter(text string) string {
	for _, character := range text {
		return string(character)
	}
	return ""
}

func parseBitsBinary(data []byte) (relation.Value, error) {
	if len(data) < 4 {
		return relation.NULL, wrongBinaryLength()
	}
	count := int(binary.BigEndian.Uint32(data))
	raw := data[4:]
	if count < 0 || len(raw) != (count+7)/8 {
		return relation.NULL, pgerror.New(pgerror.InvalidBinaryRepresentation, "invalid length in external bit string")
	}
	bits := make([]byte, count)
	for i := range bits {
		bits[i] = '0' + raw[i/8]>>(7-i%8)&1
	}
	return relation.Text(string(bits)), nil
}

func appendBitsBinary(dst []byte, v relation.Value) []byte {
	bits := v.Text()
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(bits)))
	for i := 0; i < len(bits); i += 8 {
		var packed byte
		for j := i; j < min(i+8, len(bits)); j++ {
			packed |= (bits[j] - '0') << (7 - j%8)
		}
		dst = append(dst, packed)
	}
	return dst
}
