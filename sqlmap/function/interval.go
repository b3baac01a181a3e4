package function

import (
	"cmp"
	"math"
	"math/bits"
	"strconv"

	"moraine/pgerror"
	"moraine/relation"
)

// span is an interval: months, days and microseconds are kept apart, as their lengths differ.
type span struct {
	microseconds int64
	days, months int32
}

func spanOf(v relation.Value) span {
	microseconds, days, months := v.Interval()
	return span{microseconds, days, months}
}

func (s span) value() relation.Value { return relation.Interval(s.microseconds, s.days, s.months) }

func (s span) negated() span { return span{-s.microseconds, -s.days, -s.months} }

// plus adds field by field; ok is false when a field overflows.
func (s span) plus(other span) (sum span, ok bool) {
	months := int64(s.months) + int64(other.months)
	days := int64(s.days) + int64(other.days)
	microseconds := s.microseconds + other.microseconds
	if months != int64(int32(months)) || days != int64(int32(days)) ||
		(s.microseconds > 0) == (other.microseconds > 0) && (microseconds > 0) != (s.microseconds > 0) && s.microseconds != 0 && other.microseconds != 0 {
		return span{}, false
	}
	return span{microseconds, int32(days), int32(months)}, true
}

// comparable gives the length as a 128-bit number of microseconds, with months of 30 days and days of 24 hours.
func (s span) comparable() (high int64, low uint64) {
	days := int64(s.months)*daysPerMonth + int64(s.days)
	high, low = multiplySigned(days, microsecondsPerDay)
	sum, carry := bits.Add64(low, uint64(s.microseconds), 0)
	high += int64(carry)
	if s.microseconds < 0 {
		high--
	}
	return high, sum
}

func multiplySigned(a, b int64) (high int64, low uint64) {
	unsignedHigh, low := bits.Mul64(uint64(a), uint64(b))
	high = int64(unsignedHigh)
	if a < 0 {
		high -= b
	}
	if b < 0 {
		high -= a
	}
	return high, low
}

func compareIntervals(a, b relation.Value) int { return compareSpans(spanOf(a), spanOf(b)) }

func compareSpans(a, b span) int {
	aHigh, aLow := a.comparable()
	bHigh, bLow := b.comparable()
	if aHigh != bHigh {
		return cmp.Compare(aHigh, bHigh)
	}
	return cmp.Compare(aLow, bLow)
}

func appendIntervalKey(dst []byte, v relation.Value) []byte {
	high, low := spanOf(v).comparable()
	dst = appendInt8Binary(dst, relation.Int(high))
	return appendInt8Binary(dst, relation.Int(int64(low)))
}

// coerceInterval drops the fields that a modifier leaves out and rounds the seconds.
func coerceInterval(modifier int32) func(relation.Value) (relation.Value, error) {
	fields, precision := modifier>>16&intervalAll, modifier&intervalNoDigits
	return func(v relation.Value) (relation.Value, error) {
		s := spanOf(v)
		switch {
		case fields == intervalYear:
			s = span{months: s.months / monthsPerYear * monthsPerYear}
		case fields == intervalMonth, fields == intervalYear|intervalMonth:
			s = span{months: s.months}
		case fields == intervalDay:
			s.microseconds = 0
		case fields&intervalSecond != 0:
		case fields&intervalMinute != 0:
			s.microseconds -= s.microseconds % microsecondsPerMinute
		case fields&intervalHour != 0:
			s.microseconds -= s.microseconds % microsecondsPerHour
		}
		if precision < maximumFraction {
			s.microseconds = roundTo(s.microseconds, precisionUnit(precision))
		}
		return s.value(), nil
	}
}

// intervalStyle is the setting IntervalStyle.
func (f *Format) intervalStyle() string {
	if f == nil || f.IntervalStyle == "" {
		return "postgres"
	}
	return f.IntervalStyle
}

func appendIntervalText(dst []byte, v relation.Value, f *Format) []byte {
	s := spanOf(v)
	switch f.intervalStyle() {
	case "sql_standard":
		return appendIntervalSQL(dst, s)
	case "iso_8601":
		return appendIntervalISO(dst, s)
	case "postgres_verbose":
		return appendIntervalVerbose(dst, s)
	}
	return appendIntervalPostgres(dst, s)
}

// intervalClock is the part of an interval below a day.
type intervalClock struct {
	negative       bool
	hour           int64
	minute, second int
	microsecond    int
}

func clockOfSpan(s span) intervalClock {
	magnitude := uint64(s.microseconds)
	if s.microseconds < 0 {
		magnitude = -magnitude
	}
	return intervalClock{s.microseconds < 0, int64(magnitude / microsecondsPerHour), int(magnitude / microsecondsPerMinute % 60),
		int(magnitude / microsecondsPerSecond % 60), int(magnitude % microsecondsPerSecond)}
}

func (c intervalClock) append(dst []byte, hourWidth int) []byte {
	dst = appendPadded(dst, int(c.hour), hourWidth)
	dst = appendPadded(append(dst, ':'), c.minute, 2)
	dst = appendPadded(append(dst, ':'), c.second, 2)
	return appendFraction(dst, c.microsecond)
}

// intervalPart is one field of an interval with its unit.
type intervalPart struct {
	value int64
	unit  string
}

func (s span) dateParts() []intervalPart {
	return []intervalPart{{int64(s.months / monthsPerYear), "year"}, {int64(s.months % monthsPerYear), "mon"}, {int64(s.days), "day"}}
}

// appendIntervalPostgres writes "1 year 2 mons 3 days 04:05:06"; a plus sign marks a positive field after a negative one.
func appendIntervalPostgres(dst []byte, s span) []byte {
	empty, afterNegative := true, false
	for _, part := range s.dateParts() {
		if part.value == 0 {
			continue
		}
		if !empty {
			dst = append(dst, ' ')
		}
		if afterNegative && part.value > 0 {
			dst = append(dst, '+')
		}
		dst = strconv.AppendInt(dst, part.value, 10)
		dst = append(append(dst, ' '), part.unit...)
		if part.value != 1 {
			dst = append(dst, 's')
		}
		empty, afterNegative = false, part.value < 0
	}
	if s.microseconds == 0 && !empty {
		return dst
	}
	c := clockOfSpan(s)
	if !empty {
		dst = append(dst, ' ')
	}
	switch {
	case c.negative:
		dst = append(dst, '-')
	case afterNegative:
		dst = append(dst, '+')
	}
	return c.append(dst, 2)
}

func appendIntervalVerbose(dst []byte, s span) []byte {
	dst = append(dst, '@')
	empty, negative := true, false
	c := clockOfSpan(s)
	parts := s.dateParts()
	hour, minute := c.hour, int64(c.minute)
	if c.negative {
		hour, minute = -hour, -minute
	}
	parts = append(parts, intervalPart{hour, "hour"}, intervalPart{minute, "min"})
	for _, part := range parts {
		if part.value == 0 {
			continue
		}
		if empty {
			negative = part.value < 0
		}
		value := part.value
		if negative {
			value = -value
		}
		dst = strconv.AppendInt(append(dst, ' '), value, 10)
		dst = append(append(dst, ' '), part.unit...)
		if value != 1 {
			dst = append(dst, 's')
		}
		empty = false
	}
	if c.second != 0 || c.microsecond != 0 {
		dst = append(dst, ' ')
		if empty {
			negative = c.negative
		} else if c.negative != negative {
			dst = append(dst, '-')
		}
		dst = appendFraction(strconv.AppendInt(dst, int64(c.second), 10), c.microsecond)
		dst = append(dst, " sec"...)
		if c.second != 1 || c.microsecond != 0 {
			dst = append(dst, 's')
		}
		empty = false
	}
	if empty {
		dst = append(dst, " 0"...)
	}
	if negative {
		dst = append(dst, " ago"...)
	}
	return dst
}

func appendIntervalISO(dst []byte, s span) []byte {
	if s == (span{}) {
		return append(dst, "PT0S"...)
	}
	dst = append(dst, 'P')
	for i, part := range s.dateParts() {
		if part.value != 0 {
			dst = append(strconv.AppendInt(dst, part.value, 10), "YMD"[i])
		}
	}
	c := clockOfSpan(s)
	if s.microseconds == 0 {
		return dst
	}
	dst = append(dst, 'T')
	sign := int64(1)
	if c.negative {
		sign = -1
	}
	if c.hour != 0 {
		dst = append(strconv.AppendInt(dst, sign*c.hour, 10), 'H')
	}
	if c.minute != 0 {
		dst = append(strconv.AppendInt(dst, sign*int64(c.minute), 10), 'M')
	}
	if c.second != 0 || c.microsecond != 0 {
		if c.negative {
			dst = append(dst, '-')
		}
		dst = append(appendFraction(strconv.AppendInt(dst, int64(c.second), 10), c.microsecond), 'S')
	}
	return dst
}

func appendIntervalSQL(dst []byte, s span) []byte {
	negative := s.months < 0 || s.days < 0 || s.microseconds < 0
	positive := s.months > 0 || s.days > 0 || s.microseconds > 0
	hasDate, hasMonths, hasTime := s.months != 0 || s.days != 0, s.months != 0, s.days != 0 || s.microseconds != 0
	if !negative && !positive {
		return append(dst, '0')
	}
	if negative && positive || hasMonths && hasTime {
		return appendIntervalSigned(dst, s)
	}
	if negative {
		dst = append(dst, '-')
		s = s.negated()
	}
	switch {
	case hasMonths:
		dst = strconv.AppendInt(dst, int64(s.months/monthsPerYear), 10)
		return strconv.AppendInt(append(dst, '-'), int64(s.months%monthsPerYear), 10)
	case hasDate:
		dst = append(strconv.AppendInt(dst, int64(s.days), 10), ' ')
	}
	return clockOfSpan(s).append(dst, 1)
}

// appendIntervalSigned writes all fields, each with its sign.
func appendIntervalSigned(dst []byte, s span) []byte {
	sign := func(negative bool) byte {
		if negative {
			return '-'
		}
		return '+'
	}
	months, days := int64(s.months), int64(s.days)
	dst = append(dst, sign(months < 0))
	dst = strconv.AppendInt(dst, magnitude(months)/monthsPerYear, 10)
	dst = strconv.AppendInt(append(dst, '-'), magnitude(months)%monthsPerYear, 10)
	dst = append(dst, ' ', sign(days < 0))
	dst = strconv.AppendInt(dst, magnitude(days), 10)
	c := clockOfSpan(s)
	return c.append(append(dst, ' ', sign(c.negative)), 1)
}

func magnitude(value int64) int64 {
	if value < 0 {
		return -value
	}
	return value
}

// intervalSum collects the fields of an interval while it is read.
type intervalSum struct{ months, days, microseconds float64 }

// span rounds to whole units; ok is false when a field overflows.
func (s intervalSum) span() (result span, ok bool) {
	microseconds := math.RoundToEven(s.microseconds)
	if math.Abs(s.months) > math.MaxInt32 || math.Abs(s.days) > math.MaxInt32 || math.Abs(microseconds) >= math.MaxInt64 {
		return span{}, false
	}
	return span{int64(microseconds), int32(s.days), int32(s.months)}, true
}

func invalidInterval(text string) error {
	return pgerror.New(pgerror.InvalidDatetimeFormat, "invalid input syntax for type interval: \"%s\"", text)
}

func intervalFieldRange(text string) error {
	return pgerror.New("22015", "interval field value out of range: \"%s\"", text)
}
