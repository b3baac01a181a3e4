package function

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"math/bits"
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

// base64Line is the length of a line that encode(..., 'base64') writes.
const base64Line = 76

func byteFunctions() evaluates {
	return evaluates{
		"sha224_bytea":  text1(func(raw string) string { sum := sha256.Sum224([]byte(raw)); return string(sum[:]) }),
		"sha256_bytea":  text1(func(raw string) string { sum := sha256.Sum256([]byte(raw)); return string(sum[:]) }),
		"sha384_bytea":  text1(func(raw string) string { sum := sha512.Sum384([]byte(raw)); return string(sum[:]) }),
		"sha512_bytea":  text1(func(raw string) string { sum := sha512.Sum512([]byte(raw)); return string(sum[:]) }),
		"binary_encode": encodeBytes, "binary_decode": decodeBytes, "byteacat": concatenate, "byteaoctetlen": byteCount,
		"bytea_substr": substringOfBytes, "bytea_substr_no_len": substringOfBytes, "byteapos": positionInBytes,
		"byteatrim": trimBytes(true, true), "bytealtrim": trimBytes(true, false), "byteartrim": trimBytes(false, true),
		"byteaoverlay": overlayBytes, "byteaoverlay_no_len": overlayBytes,
		"byteaGetByte": getByte, "byteaSetByte": setByte, "byteaGetBit": getBit, "byteaSetBit": setBit,
		"bytea_bit_count": bytesBitCount, "pg_convert_from": convertFrom, "pg_convert_to": convertTo, "pg_convert": convertBoth,
		"length_in_encoding": characterCount,
	}
}

func encodeBytes(_ *Context, a []relation.Value) (relation.Value, error) {
	raw := a[0].Text()
	switch lowerASCII(a[1].Text()) {
	case "hex":
		return relation.Text(string(appendHex(nil, raw))), nil
	case "base64":
		encoded := base64.StdEncoding.EncodeToString([]byte(raw))
		var lines strings.Builder
		for len(encoded) > base64Line {
			lines.WriteString(encoded[:base64Line] + "\n")
			encoded = encoded[base64Line:]
		}
		return relation.Text(lines.String() + encoded), nil
	case "escape":
		var dst []byte
		for i := 0; i < len(raw); i++ {
			if c := raw[i]; c == '\\' {
				dst = append(dst, '\\', '\\')
			} else if c == 0 || c >= 0x80 {
				dst = append(dst, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
			} else {
				dst = append(dst, c)
			}
		}
		return relation.Text(string(dst)), nil
	}
	return relation.NULL, unknownEncoding(a[1].Text())
}

func unknownEncoding(name string) error {
	return pgerror.New(pgerror.InvalidParameterValue, "unrecognized encoding: \"%s\"", name)
}

func decodeBytes(_ *Context, a []relation.Value) (relation.Value, error) {
	text := a[0].Text()
	var raw []byte
	var err error
	switch lowerASCII(a[1].Text()) {
	case "hex":
		raw, err = decodeHex(text)
	case "base64":
		raw, err = decodeBase64(text)
	case "escape":
		raw, err = decodeEscape(text)
	default:
		err = unknownEncoding(a[1].Text())
	}
	return relation.Text(string(raw)), err
}

func decodeBase64(text string) ([]byte, error) {
	compact := strings.Map(func(c rune) rune {
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			return -1
		}
		return c
	}, text)
	for i, c := range compact {
		letter := c < 0x80 && (isLetter(byte(c)) || isDigit(byte(c)) || c == '+' || c == '/')
		if !letter && (c != '=' || i < len(compact)-2) {
			return nil, pgerror.New(pgerror.InvalidParameterValue, "invalid symbol \"%c\" found while decoding base64 sequence", c)
		}
	}
	raw, err := base64.StdEncoding.DecodeString(compact)
	if err != nil {
		return nil, pgerror.New(pgerror.InvalidParameterValue, "invalid base64 end sequence").
			WithHint("Input data is missing padding, is truncated, or is otherwise corrupted.")
	}
	return raw, nil
}

func substringOfBytes(_ *Context, a []relation.Value) (relation.Value, error) {
	raw, start, end := a[0].Text(), a[1].Int()-1, int64(MaximumValueSize)
	if len(a) > 2 {
		if a[2].Int() < 0 {
			return relation.NULL, pgerror.New(pgerror.SubstringError, "negative substring length not allowed")
		}
		end = start + a[2].Int()
	}
	start, end = min(max(start, 0), int64(len(raw))), min(end, int64(len(raw)))
	if end <= start {
		return relation.Text(""), nil
	}
	return relation.Text(raw[start:end]), nil
}

func positionInBytes(_ *Context, a []relation.Value) (relation.Value, error) {
	return relation.Int(int64(strings.Index(a[0].Text(), a[1].Text())) + 1), nil
}

func trimBytes(left, right bool) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		raw, set := a[0].Text(), a[1].Text()
		for left && raw != "" && strings.IndexByte(set, raw[0]) >= 0 {
			raw = raw[1:]
		}
		for right && raw != "" && strings.IndexByte(set, raw[len(raw)-1]) >= 0 {
			raw = raw[:len(raw)-1]
		}
		return relation.Text(raw), nil
	}
}

func overlayBytes(_ *Context, a []relation.Value) (relation.Value, error) {
	raw, replacement, start := a[0].Text(), a[1].Text(), a[2].Int()
	count := int64(len(replacement))
	if len(a) > 3 {
		count = a[3].Int()
	}
	if start <= 0 {
		return relation.NULL, pgerror.New(pgerror.SubstringError, "negative substring length not allowed")
	}
	before := min(start-1, int64(len(raw)))
	after := min(max(start-1+count, 0), int64(len(raw)))
	return relation.Text(raw[:before] + replacement + raw[after:]), nil
}

func checkIndex(index, length int64) error {
	if index < 0 || index >= length {
		return pgerror.New(pgerror.ArraySubscriptError, "index %d out of valid range, 0..%d", index, length-1)
	}
	return nil
}

func getByte(_ *Context, a []relation.Value) (relation.Value, error) {
	raw, index := a[0].Text(), a[1].Int()
	if err := checkIndex(index, int64(len(raw))); err != nil {
		return relation.NULL, err
	}
	return relation.Int(int64(raw[index])), nil
}

func setByte(_ *Context, a []relation.Value) (relation.Value, error) {
	raw, index := []byte(a[0].Text()), a[1].Int()
	if err := checkIndex(index, int64(len(raw))); err != nil {
		return relation.NULL, err
	}
	raw[index] = byte(a[2].Int())
	return relation.Text(string(raw)), nil
}

func getBit(_ *Context, a []relation.Value) (relation.Value, error) {
	raw, index := a[0].Text(), a[1].Int()
	if err := checkIndex(index, 8*int64(len(raw))); err != nil {
		return relation.NULL, err
	}
	return relation.Int(int64(raw[index/8] >> (index % 8) & 1)), nil
}

func setBit(_ *Context, a []relation.Value) (relation.Value, error) {
	raw, index, bit := []byte(a[0].Text()), a[1].Int(), a[2].Int()
	if err := checkIndex(index, 8*int64(len(raw))); err != nil {
		return relation.NULL, err
	}
	if bit != 0 && bit != 1 {
		return relation.NULL, pgerror.New(pgerror.InvalidParameterValue, "new bit must be 0 or 1")
	}
	raw[index/8] = raw[index/8]&^(1<<(index%8)) | byte(bit)<<(index%8)
	return relation.Text(string(raw)), nil
}

func bytesBitCount(_ *Context, a []relation.Value) (relation.Value, error) {
	count := 0
	for _, c := range []byte(a[0].Text()) {
		count += bits.OnesCount8(c)
	}
	return relation.Int(int64(count)), nil
}

// checkEncodingName accepts the names of UTF-8 and of the encodings that it contains.
func checkEncodingName(name string) (latin1 bool, err error) {
	switch strings.NewReplacer("-", "", "_", "").Replace(lowerASCII(name)) {
	case "utf8", "unicode", "sqlascii":
		return false, nil
	case "latin1", "iso88591":
		return true, nil
	}
	return false, pgerror.New(pgerror.InvalidParameterValue, "invalid source encoding name \"%s\"", name)
}

func convertFrom(_ *Context, a []relation.Value) (relation.Value, error) {
	latin1, err := checkEncodingName(a[1].Text())
	if err != nil {
		return relation.NULL, err
	}
	raw := a[0].Text()
	if latin1 {
		characters := make([]rune, len(raw))
		for i := range raw {
			characters[i] = rune(raw[i])
		}
		raw = string(characters)
	}
	return relation.Text(raw), checkEncoding(raw)
}

func convertTo(_ *Context, a []relation.Value) (relation.Value, error) {
	latin1, err := checkEncodingName(a[1].Text())
	if err != nil || !latin1 {
		return a[0], err
	}
	var raw []byte
	for _, c := range a[0].Text() {
		if c > 0xff {
			return relation.NULL, pgerror.New(pgerror.UntranslatableCharacter,
				"character with byte sequence %s in encoding \"UTF8\" has no equivalent in encoding \"LATIN1\"", hexBytes(string(c)))
		}
		raw = append(raw, byte(c))
	}
	return relation.Text(string(raw)), nil
}

func hexBytes(text string) string {
	var parts []string
	for i := range len(text) {
		parts = append(parts, "0x"+string(appendHex(nil, text[i:i+1])))
	}
	return strings.Join(parts, " ")
}

func convertBoth(context *Context, a []relation.Value) (relation.Value, error) {
	text, err := convertFrom(context, a[:2])
	if err != nil {
		return relation.NULL, err
	}
	return convertTo(context, []relation.Value{text, a[2]})
}
