package inspect

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"io"

	"moraine/keyspace"
	"moraine/store"
)

// DumpHex writes each pair of a lake as a line, key<TAB>value in hexadecimal, in the order of the keys.
func DumpHex(ctx context.Context, reader store.Reader, to io.Writer) error {
	var line []byte
	return each(ctx, reader, func(key, value []byte) error {
		line = appendHexLine(line[:0], key, value)
		_, err := to.Write(line)
		return err
	})
}

func appendHexLine(dst, key, value []byte) []byte {
	dst = append(hex.AppendEncode(dst, key), '\t')
	return append(hex.AppendEncode(dst, value), '\n')
}

// DumpDecoded writes each pair of a lake as a line of JSON, in the order of the keys, and counts those of the catalog that
// do not decode. Those that do are as [keyspace.AppendRecordJSON] has them; the others have the error and their bytes. What
// is not the catalog's has its bytes, and what can be read in them.
func DumpDecoded(ctx context.Context, reader store.Reader, to io.Writer) (undecoded int, err error) {
	var line []byte
	err = each(ctx, reader, func(key, value []byte) error {
		var decoded bool
		if line, decoded = appendDecoded(line[:0], key, value); !decoded {
			undecoded++
		}
		_, err := to.Write(append(line, '\n'))
		return err
	})
	return undecoded, err
}

// appendDecoded appends the JSON of a record; decoded is false for one of the catalog that says something else than its
// bytes should.
func appendDecoded(dst, key, value []byte) (line []byte, decoded bool) {
	if len(key) == 0 || !keyspace.Subspace(key[0]).Catalog() {
		return appendForeign(dst, key, value), true
	}
	parsed, err := keyspace.DecodeKey(key)
	if err != nil {
		return appendUndecoded(dst, key, value, err), false
	}
	message, err := keyspace.DecodeValue(parsed, value)
	if err != nil {
		return appendUndecoded(dst, key, value, err), false
	}
	return keyspace.AppendRecordJSON(dst, parsed, message), true
}

func appendUndecoded(dst, key, value []byte, err error) []byte {
	dst = keyspace.AppendJSONString(append(dst, `{"error":`...), err.Error())
	dst = hex.AppendEncode(append(dst, `,"key":"`...), key)
	dst = hex.AppendEncode(append(dst, `","raw_value":"`...), value)
	return append(dst, `"}`...)
}

// appendForeign appends a record of which only its owner knows the layout: the subspace or first byte, the key with its
// printable bytes beside, and the value, as it is where that is JSON already.
func appendForeign(dst, key, value []byte) []byte {
	kind := ""
	if len(key) > 0 {
		kind = keyspace.Subspace(key[0]).String()
	}
	dst = keyspace.AppendJSONString(append(dst, `{"kind":`...), kind)
	dst = hex.AppendEncode(append(dst, `,"key":"`...), key)
	dst = keyspace.AppendJSONString(append(dst, `","key_text":`...), printable(key))
	var compact bytes.Buffer
	if len(value) > 0 && value[0] == '{' && json.Compact(&compact, value) == nil {
		dst = append(append(dst, `,"value":`...), compact.Bytes()...)
		return append(dst, '}')
	}
	dst = hex.AppendEncode(append(dst, `,"raw_value":"`...), value)
	return append(dst, `"}`...)
}

// printable gives the bytes with a dot for each that is no printable character of ASCII.
func printable(text []byte) string {
	shown := make([]byte, len(text))
	for i, letter := range text {
		if letter < ' ' || letter > '~' {
			letter = '.'
		}
		shown[i] = letter
	}
	return string(shown)
}
