package usertable

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"

	"moraine/relation"
)

// keyOf gives the bytes that stand for a row in a constraint: equal for rows whose columns are equal in the order of their
// types, different otherwise. ok is false when a column is NULL: such a row equals no other.
func keyOf(definition *relation.Definition, columns []int, row relation.Row) (key string, ok bool) {
	var encoded []byte
	for _, column := range columns {
		value := row[column]
		if value.IsNull() {
			return "", false
		}
		encoded = appendKey(encoded, definition.Columns[column].Type.OID, value)
	}
	return string(encoded), true
}

// appendKey appends the canonical form of a value: its integer part, and its text with the length before it.
func appendKey(encoded []byte, oid uint32, value relation.Value) []byte {
	number, text := value.Int(), value.Text()
	switch oid {
	case relation.NumericOID:
		text = canonicalNumeric(text)
	case relation.Float4OID, relation.Float8OID:
		number = int64(canonicalFloat(value.Float()))
	case relation.BPCharOID:
		text = strings.TrimRight(text, " ")
	case relation.IntervalOID:
		return appendInterval(encoded, value)
	}
	encoded = binary.AppendVarint(encoded, number)
	encoded = binary.AppendUvarint(encoded, uint64(len(text)))
	return append(encoded, text...)
}

// canonicalNumeric drops the zeros that do not change the number.
func canonicalNumeric(text string) string {
	if strings.ContainsRune(text, '.') {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" || text == "" || text == "-" {
		return "0"
	}
	return text
}

// canonicalFloat gives bits that are equal for both zeros and for all NaNs.
func canonicalFloat(number float64) uint64 {
	switch {
	case number == 0:
		return 0
	case math.IsNaN(number):
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(number)
}

// appendInterval counts a month as 30 days and a day as 24 hours, as PostgreSQL does when it compares intervals.
func appendInterval(encoded []byte, value relation.Value) []byte {
	const day = int64(24 * time.Hour / time.Microsecond)
	microseconds, days, months := value.Interval()
	whole := int64(days) + 30*int64(months) + microseconds/day
	rest := microseconds % day
	if rest < 0 {
		rest += day
		whole--
	}
	return binary.AppendVarint(binary.AppendVarint(encoded, whole), rest)
}

// describeKey gives the key as the DETAIL of an error shows it: "(a, b)=(1, x)". ok is false when a type's text form is
// not known here; then there is no DETAIL.
func describeKey(definition *relation.Definition, columns []int, row relation.Row) (text string, ok bool) {
	var names, values []string
	for _, column := range columns {
		value, known := textOf(definition.Columns[column].Type.OID, row[column])
		if !known {
			return "", false
		}
		names, values = append(names, definition.Columns[column].Name), append(values, value)
	}
	return "(" + strings.Join(names, ", ") + ")=(" + strings.Join(values, ", ") + ")", true
}

// postgresEpoch is 2000-01-01, from which dates and timestamps count.
var postgresEpoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// years that textOf prints; PostgreSQL writes others with more digits or an era.
const firstYear, lastYear = 1, 9999

func textOf(oid uint32, value relation.Value) (string, bool) {
	switch oid {
	case relation.BoolOID:
		if value.Bool() {
			return "t", true
		}
		return "f", true
	case relation.Int2OID, relation.Int4OID, relation.Int8OID, relation.OIDOID:
		return strconv.FormatInt(value.Int(), 10), true
	case relation.TextOID, relation.VarcharOID, relation.BPCharOID, relation.NameOID, relation.NumericOID:
		return value.Text(), true
	case relation.ByteaOID:
		return `\x` + hex.EncodeToString([]byte(value.Text())), true
	case relation.UUIDOID:
		digits := hex.EncodeToString([]byte(value.Text()))
		if len(digits) != 32 {
			return "", false
		}
		return strings.Join([]string{digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]}, "-"), true
	case relation.DateOID:
		if value.Int() == math.MaxInt32 || value.Int() == math.MinInt32 {
			return "", false
		}
		return formatTime(postgresEpoch.AddDate(0, 0, int(value.Int())), "2006-01-02")
	case relation.TimestampOID:
		seconds, microseconds := floorDivide(value.Int(), 1e6)
		return formatTime(time.Unix(postgresEpoch.Unix()+seconds, microseconds*1000).UTC(), "2006-01-02 15:04:05.999999")
	}
	return "", false
}

func floorDivide(number, divisor int64) (quotient, rest int64) {
	quotient, rest = number/divisor, number%divisor
	if rest < 0 {
		return quotient - 1, rest + divisor
	}
	return quotient, rest
}

func formatTime(moment time.Time, layout string) (string, bool) {
	if year := moment.Year(); year < firstYear || year > lastYear {
		return "", false
	}
	return moment.Format(layout), true
}
