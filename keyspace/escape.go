package keyspace

// A string inside a key: its bytes, each 0x00 and 0x01 behind an escape byte, then a terminator. So the encoding of a
// string is never a prefix of another's, and strings order bytewise, a prefix before what continues it.
const (
	terminatorByte = 0x00
	escapeByte     = 0x01
)

// appendEscaped appends the encoding of text.
func appendEscaped[Text ~string | ~[]byte](dst []byte, text Text) []byte {
	for i := 0; i < len(text); i++ {
		if text[i] <= escapeByte {
			dst = append(dst, escapeByte)
		}
		dst = append(dst, text[i])
	}
	return append(dst, terminatorByte)
}

// readEscaped reads a string and gives what follows it; ok is false when it has no terminator, or an escape before a byte
// that needs none. (The original reads such an escape, and never writes one.)
func readEscaped(encoded []byte) (text string, rest []byte, ok bool) {
	end, escapes := 0, 0
	for ; end < len(encoded) && encoded[end] != terminatorByte; end++ {
		if encoded[end] != escapeByte {
			continue
		}
		end++
		escapes++
		if end == len(encoded) || encoded[end] > escapeByte {
			return "", nil, false
		}
	}
	if end == len(encoded) {
		return "", nil, false
	}
	rest = encoded[end+1:]
	if escapes == 0 {
		return string(encoded[:end]), rest, true
	}
	plain := make([]byte, 0, end-escapes)
	for i := 0; i < end; i++ {
		if encoded[i] == escapeByte {
			i++
		}
		plain = append(plain, encoded[i])
	}
	return string(plain), rest, true
}
