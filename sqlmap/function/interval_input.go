package function

import (
	"math"
	"strconv"
	"strings"

	"moraine/relation"
)

// intervalUnits are the units of an interval with their length in months, days or microseconds.
var intervalUnits = map[string]intervalUnit{}

// intervalUnit is the length of a unit; one field is set.
type intervalUnit struct{ months, days, microseconds int64 }

func init() {
	for names, unit := range map[string]intervalUnit{
		"microsecond microseconds microsecon us usec usecs usecond useconds": {microseconds: 1},
		"millisecond milliseconds millisecon ms msec msecs msecond mseconds": {microseconds: 1000},
		"second seconds sec secs s":                 {microseconds: microsecondsPerSecond},
		"minute minutes min mins m":                 {microseconds: microsecondsPerMinute},
		"hour hours hr hrs h":                       {microseconds: microsecondsPerHour},
		"day days d":                                {days: 1},
		"week weeks w":                              {days: 7},
		"month months mon mons":                     {months: 1},
		"quarter quarters qtr":                      {months: 3},
		"year years yr yrs y":                       {months: monthsPerYear},
		"decade decades dec decs":                   {months: 10 * monthsPerYear},
		"century centuries c cent":                  {months: 100 * monthsPerYear},
		"millennium millennia mil mils millenniums": {months: 1000 * monthsPerYear},
	} {
		for _, name := range strings.Fields(names) {
			intervalUnits[name] = unit
		}
	}
}

// add adds a number of units; what a fraction leaves of a unit goes to the smaller fields, as PostgreSQL does it.
func (s *intervalSum) add(value float64, unit intervalUnit) {
	whole := math.Trunc(value)
	fraction := value - whole
	switch {
	case unit.microseconds != 0:
		s.microseconds += value * float64(unit.microseconds)
	case unit.days != 0:
		s.days += whole * float64(unit.days)
		s.addDayFraction(fraction * float64(unit.days))
	case unit.months == 1:
		s.months += whole
		s.addDayFraction(fraction * daysPerMonth)
	default:
		s.months += whole*float64(unit.months) + math.RoundToEven(fraction*float64(unit.months))
	}
}

func (s *intervalSum) addDayFraction(days float64) {
	whole := math.Trunc(days)
	s.days += whole
	s.microseconds += math.RoundToEven((days - whole) * microsecondsPerDay)
}

// intervalScanner reads an interval word by word.
type intervalScanner struct {
	text    string
	rest    string
	sum     intervalSum
	pending *float64 // a number whose unit has not been met
	seen    bool
	ago     bool
	bare    intervalUnit // of a number without a unit
}

func inputInterval(text string, f *Format) (relation.Value, error) {
	return scanInterval(text, intervalSecond, f)
}

// inputIntervalFields reads an interval whose type names its fields: a bare number counts the smallest of them.
func inputIntervalFields(text string, modifier int32, f *Format) (relation.Value, error) {
	fields := modifier >> 16 & intervalAll
	for _, field := range []int32{intervalSecond, intervalMinute, intervalHour, intervalDay, intervalMonth, intervalYear} {
		if fields&field != 0 {
			return scanInterval(text, field, f)
		}
	}
	return scanInterval(text, intervalSecond, f)
}

// fieldUnits are the units of the fields of an interval's modifier.
var fieldUnits = map[int32]string{intervalSecond: "second", intervalMinute: "minute", intervalHour: "hour", intervalDay: "day",
	intervalMonth: "month", intervalYear: "year"}

// scanInterval reads an interval; smallest is the field that a bare number counts.
func scanInterval(text string, smallest int32, f *Format) (relation.Value, error) {
	s := intervalScanner{text: text, rest: trimSpace(text), bare: intervalUnits[fieldUnits[smallest]]}
	var fine bool
	if strings.HasPrefix(s.rest, "P") || strings.HasPrefix(s.rest, "-P") {
		fine = s.iso()
	} else {
		fine = s.words()
	}
	if !fine || !s.seen {
		return relation.NULL, invalidInterval(text)
	}
	result, ok := s.sum.span()
	if !ok {
		return relation.NULL, intervalFieldRange(text)
	}
	switch {
	case s.ago:
		result = result.negated()
	case f.intervalStyle() == "sql_standard" && onlyLeadingMinus(text):
		result = span{-magnitude(result.microseconds), int32(-magnitude(int64(result.days))), int32(-magnitude(int64(result.months)))}
	}
	return result.value(), nil
}

// onlyLeadingMinus tells whether a minus sign in front is the only sign of an interval; in the SQL standard's style it then
// counts for all fields.
func onlyLeadingMinus(text string) bool {
	for i, field := range strings.Fields(text) {
		if signed := field[0] == '-' || field[0] == '+'; signed != (i == 0) || (i == 0 && field[0] == '+') {
			return false
		}
	}
	return true
}

// words reads the traditional forms: "1 day 02:03:04", "@ 1 minute ago", "1-2 3 4:05:06".
func (s *intervalScanner) words() bool {
	for s.rest != "" {
		switch c := s.rest[0]; {
		case isSpace(c) || c == '@' || c == ',':
			s.rest = s.rest[1:]
		case isDigit(c) || c == '+' || c == '-' || c == '.':
			if !s.number() {
				return false
			}
		case isLetter(c):
			if !s.unit() {
				return false
			}
		default:
			return false
		}
	}
	if s.pending != nil {
		s.sum.add(*s.pending, s.bare)
		s.pending, s.seen = nil, true
	}
	return true
}

// unit reads a unit, which belongs to the number before it, or "ago".
func (s *intervalScanner) unit() bool {
	end := 0
	for end < len(s.rest) && isLetter(s.rest[end]) {
		end++
	}
	word := lowerASCII(s.rest[:end])
	s.rest = s.rest[end:]
	if word == "ago" {
		if !s.seen || s.pending != nil || trimSpace(s.rest) != "" {
			return false
		}
		s.ago = true
		return true
	}
	unit, ok := intervalUnits[word]
	if !ok || s.pending == nil {
		return false
	}
	s.sum.add(*s.pending, unit)
	s.pending, s.seen = nil, true
	return true
}

// number reads a signed number, a time, or years-months.
func (s *intervalScanner) number() bool {
	start := 0
	if s.rest[0] == '+' || s.rest[0] == '-' {
		start = 1
	}
	end := start
	for end < len(s.rest) && (isDigit(s.rest[end]) || s.rest[end] == '.' || s.rest[end] == ':') {
		end++
	}
	if end == start {
		if start == 1 && strings.TrimLeft(s.rest[1:], " ") != s.rest[1:] {
			s.rest = s.rest[:1] + strings.TrimLeft(s.rest[1:], " ")
			return len(s.rest) > 1 && s.number()
		}
		return false
	}
	word, negative := s.rest[start:end], s.rest[0] == '-'
	s.rest = s.rest[end:]
	if strings.Contains(word, ":") {
		return s.time(word, negative)
	}
	if strings.HasPrefix(s.rest, "-") && len(s.rest) > 1 && isDigit(s.rest[1]) {
		return s.yearsMonths(word, negative)
	}
	if strings.Count(word, ".") > 1 {
		return false
	}
	if len(s.rest) > 1 && s.rest[0]|0x20 == 'e' && (isDigit(s.rest[1]) || len(s.rest) > 2 && isDigit(s.rest[2])) {
		exponent := 2
		for exponent < len(s.rest) && isDigit(s.rest[exponent]) {
			exponent++
		}
		word, s.rest = word+s.rest[:exponent], s.rest[exponent:]
	}
	value, err := strconv.ParseFloat(word, 64)
	if err != nil {
		return false
	}
	if negative {
		value = -value
	}
	if s.pending != nil {
		// Two numbers in a row: the first counts days (SQL's "3 4:05:06" form).
		return false
	}
	s.pending = &value
	return true
}

// time reads h:m, h:m:s or m:s.f; a number before it without a unit counts days.
func (s *intervalScanner) time(word string, negative bool) bool {
	whole, fraction, hasFraction := strings.Cut(word, ".")
	parts := strings.Split(whole, ":")
	if len(parts) > 3 || strings.ContainsAny(fraction, ".:") {
		return false
	}
	var values [3]float64
	for i, part := range parts {
		value, err := strconv.ParseInt(part, 10, 40)
		if err != nil || (i > 0 && value >= 60) {
			return false
		}
		values[i] = float64(value)
	}
	if hasFraction && len(parts) == 2 {
		values = [3]float64{0, values[0], values[1]}
	}
	sign := 1.0
	if negative {
		sign = -1
	}
	if s.pending != nil {
		s.sum.add(*s.pending, intervalUnits["day"])
		s.pending = nil
	}
	s.sum.microseconds += sign * (values[0]*microsecondsPerHour + values[1]*microsecondsPerMinute +
		values[2]*microsecondsPerSecond + float64(fractionMicroseconds(fraction)))
	s.seen = true
	return true
}

// yearsMonths reads the SQL form y-m.
func (s *intervalScanner) yearsMonths(yearText string, negative bool) bool {
	end := 1
	for end < len(s.rest) && isDigit(s.rest[end]) {
		end++
	}
	years, err := strconv.ParseInt(yearText, 10, 32)
	months, err2 := strconv.ParseInt(s.rest[1:end], 10, 32)
	if err != nil || err2 != nil || months >= monthsPerYear {
		return false
	}
	s.rest = s.rest[end:]
	total := float64(years*monthsPerYear + months)
	if negative {
		total = -total
	}
	s.sum.months += total
	s.seen = true
	return true
}

// iso reads ISO 8601's PnYnMnDTnHnMnS with the designators.
func (s *intervalScanner) iso() bool {
	if s.rest[0] == '-' {
		s.ago = true
		s.rest = s.rest[1:]
	}
	s.rest = s.rest[1:]
	inTime := false
	for s.rest != "" {
		if s.rest[0] == 'T' {
			inTime = true
			s.rest = s.rest[1:]
			continue
		}
		end := 0
		for end < len(s.rest) && (isDigit(s.rest[end]) || s.rest[end] == '.' || s.rest[end] == '-' || s.rest[end] == '+') {
			end++
		}
		if end == 0 || end == len(s.rest) {
			return false
		}
		value, err := strconv.ParseFloat(s.rest[:end], 64)
		if err != nil {
			return false
		}
		unit, ok := isoUnit(s.rest[end], inTime)
		if !ok {
			return false
		}
		s.sum.add(value, unit)
		s.seen = true
		s.rest = s.rest[end+1:]
	}
	return true
}

func isoUnit(designator byte, inTime bool) (unit intervalUnit, ok bool) {
	names := map[byte]string{'Y': "year", 'M': "month", 'W': "week", 'D': "day"}
	if inTime {
		names = map[byte]string{'H': "hour", 'M': "minute", 'S': "second"}
	}
	unit, ok = intervalUnits[names[designator]]
	return unit, ok
}
