package ducklake

import (
	"encoding/hex"
	"fmt"

	"moraine/keyspace"
	"moraine/relation"
)

const (
	uuidBytes = 16
	uuidText  = 36 // with its four dashes
)

// uuidGroups are the places of the hexadecimal digits of each group in the text form.
var uuidGroups = [...][2]int{{0, 8}, {9, 13}, {14, 18}, {19, 23}, {24, 36}}

func parseUUID(text string, strings *arena) (relation.Value, error) {
	var raw [uuidBytes]byte
	next := 0
	if len(text) != uuidText {
		return relation.NULL, fmt.Errorf("%w: %q is no UUID", keyspace.ErrCorrupt, text)
	}
	for _, group := range uuidGroups {
		for i := group[0]; i < group[1]; i += 2 {
			high, low := hexDigit(text[i]), hexDigit(text[i+1])
			if high|low > 0xf {
				return relation.NULL, fmt.Errorf("%w: %q is no UUID", keyspace.ErrCorrupt, text)
			}
			raw[next] = high<<4 | low
			next++
		}
	}
	return relation.Text(strings.keep(raw[:])), nil
}

// hexDigit gives the value of a hexadecimal digit, 0xff for any other byte.
func hexDigit(digit byte) byte {
	switch {
	case digit >= '0' && digit <= '9':
		return digit - '0'
	case digit >= 'a' && digit <= 'f':
		return digit - 'a' + 10
	case digit >= 'A' && digit <= 'F':
		return digit - 'A' + 10
	}
	return 0xff
}

func formatUUID(raw string) string {
	var text [uuidText]byte
	digits := hex.EncodeToString([]byte(raw))
	next := 0
	for i, group := range uuidGroups {
		if i > 0 {
			text[group[0]-1] = '-'
		}
		next += copy(text[group[0]:group[1]], digits[next:])
	}
	return string(text[:])
}
