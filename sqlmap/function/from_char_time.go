package function

import (
	"strconv"
	"strings"

	"moraine/pgerror"
)

// formattedTime is what to_timestamp and to_date read.
type formattedTime struct {
	year, month, day     int
	hasYear, hasDay      bool
	isoYear, isoWeek     int
	isoDay, dayOfYear    int
	century, julian      int
	week, weekOfMonth    int
	clock                clock
	secondsOfDay         int
	hasSecondsOfDay      bool
	twelve, pm, am, isBC bool
	hasZone              bool
	offset               int
}

// formatReader reads a text by a format.
type formatReader struct {
	text, rest string
	result     formattedTime
}

// parseByFormat reads text by the keywords of a format.
func parseByFormat(text, format string) (formattedTime, error) {
	r := formatReader{text: text, rest: text}
	r.result.month, r.result.day = 1, 1
	nodes := parseTimeFormat(format)
	for i, node := range nodes {
		if node.keyword == "" {
			r.literal(node)
			continue
		}
		r.rest = strings.TrimLeft(r.rest, " \t\n")
		if r.rest == "" {
			break
		}
		if err := r.keyword(node, i+1 < len(nodes) && nodes[i+1].keyword != "" && startsWithDigits(nodes[i+1])); err != nil {
			return r.result, err
		}
	}
	return r.result, nil
}

// startsWithDigits tells whether a node reads a number, so that the one before must not take its digits.
func startsWithDigits(n formatNode) bool {
	_, _, isWord := charTime{date: civil{2000, 1, 1}}.word(strings.ToUpper(n.keyword))
	return !isWord
}

// literal skips what separates: blanks as many as there are, other separators one for one, letters one for one.
func (r *formatReader) literal(node formatNode) {
	if node.space {
		r.rest = strings.TrimLeft(r.rest, " \t\n")
		return
	}
	isSeparator := func(c byte) bool { return c > ' ' && c < 0x7f && !isLetter(c) && !isDigit(c) }
	for i := 0; i < len(node.literal); i++ {
		if r.rest == "" {
			return
		}
		if isSeparator(node.literal[i]) {
			r.rest = strings.TrimLeft(r.rest, " ")
			if r.rest != "" && isSeparator(r.rest[0]) && !(r.rest[0] == '-' && node.literal[i] == '+') {
				r.rest = r.rest[1:]
			}
			continue
		}
		r.rest = r.rest[len(firstCharacter(r.rest)):]
	}
}

// widths are the digits that a keyword reads at most when the next keyword reads digits too.
var widths = map[string]int{"YYYY": 4, "YYY": 3, "YY": 2, "Y": 1, "IYYY": 4, "IYY": 3, "IY": 2, "I": 1, "MM": 2, "DD": 2, "DDD": 3, "IDDD": 3, "HH": 2,
	"HH12": 2, "HH24": 2, "MI": 2, "SS": 2, "MS": 3, "US": 6, "SSSS": 5, "SSSSS": 5, "D": 1, "ID": 1, "WW": 2, "IW": 2, "W": 1, "Q": 1, "CC": 2, "J": 7,
	"FF1": 1, "FF2": 2, "FF3": 3, "FF4": 4, "FF5": 5, "FF6": 6, "TZM": 2}

func (r *formatReader) invalid(keyword, value string) error {
	return pgerror.New(pgerror.InvalidDatetimeFormat, "invalid value \"%s\" for \"%s\"", value, keyword)
}

// digits reads a number for a keyword; bounded limits it to the keyword's width.
func (r *formatReader) digits(keyword string, bounded bool) (value, count int, err error) {
	limit := len(r.rest)
	switch {
	case bounded, strings.HasPrefix(keyword, "FF"), keyword == "MS", keyword == "US":
		limit = min(limit, widths[keyword])
	}
	start := 0
	if r.rest[0] == '+' || r.rest[0] == '-' {
		start = 1
	}
	end := start
	for end < limit && isDigit(r.rest[end]) {
		end++
	}
	if end == start {
		return 0, 0, r.invalid(keyword, r.rest[:min(len(r.rest), max(widths[keyword], 1))]).(*pgerror.Error).WithDetail("Value must be an integer.")
	}
	value, err = strconv.Atoi(r.rest[:end])
	if err != nil || value > 1<<31-1 {
		return 0, 0, pgerror.New(pgerror.DatetimeFieldOverflow, "value for \"%s\" in source string is out of range", keyword)
	}
	r.rest = r.rest[end:]
	return value, end - start, nil
}

// oneOf reads one of some words in any case.
func (r *formatReader) oneOf(keyword string, words []string) (place int, err error) {
	best, length := -1, 0
	for i, word := range words {
		if len(r.rest) >= len(word) && strings.EqualFold(r.rest[:len(word)], word) && len(word) > length {
			best, length = i, len(word)
		}
	}
	if best < 0 {
		word := strings.FieldsFunc(r.rest, func(c rune) bool { return c == ' ' })
		return 0, r.invalid(keyword, word[0]).(*pgerror.Error).WithDetail("The given value did not match any of the allowed values for this field.")
	}
	r.rest = r.rest[length:]
	return best, nil
}

func shortened(words []string) []string {
	short := make([]string, len(words))
	for i, word := range words {
		short[i] = word[:3]
	}
	return short
}

func (r *formatReader) keyword(node formatNode, bounded bool) error {
	keyword := strings.ToUpper(node.keyword)
	t := &r.result
	var place int
	var err error
	switch keyword {
	case "MONTH":
		place, err = r.oneOf(node.keyword, monthNames)
		t.month, t.hasDay = place+1, true
		return err
	case "MON":
		place, err = r.oneOf(node.keyword, shortened(monthNames))
		t.month, t.hasDay = place+1, true
		return err
	case "DAY":
		_, err = r.oneOf(node.keyword, dayNames)
		return err
	case "DY":
		_, err = r.oneOf(node.keyword, shortened(dayNames))
		return err
	case "RM":
		place, err = r.oneOf(node.keyword, romanMonths)
		t.month = place + 1
		return err
	case "AM", "PM", "A.M.", "P.M.":
		words := []string{"am", "pm"}
		if keyword[1] == '.' {
			words = []string{"a.m.", "p.m."}
		}
		place, err = r.oneOf(node.keyword, words)
		t.twelve, t.am, t.pm = true, place == 0, place == 1
		return err
	case "AD", "BC", "A.D.", "B.C.":
		words := []string{"ad", "bc"}
		if keyword[1] == '.' {
			words = []string{"a.d.", "b.c."}
		}
		place, err = r.oneOf(node.keyword, words)
		t.isBC = place == 1
		return err
	case "TZ", "OF", "TZH":
		return r.zone(keyword)
	}
	value, count, err := r.digits(strings.TrimSuffix(keyword, ","), bounded)
	if err != nil {
		return err
	}
	if keyword == "Y,YYY" && strings.HasPrefix(r.rest, ",") {
		r.rest = r.rest[1:]
		thousands := value
		if value, _, err = r.digits("YYY", true); err != nil {
			return err
		}
		value += 1000 * thousands
	}
	if node.ordinal != "" && len(r.rest) >= 2 {
		r.rest = r.rest[2:]
	}
	t.set(keyword, value, count)
	return nil
}

func (r *formatReader) zone(keyword string) error {
	end := 0
	for end < len(r.rest) && (isDigit(r.rest[end]) || r.rest[end] == ':' || end == 0) {
		end++
	}
	if keyword == "TZH" {
		end = min(end, 3)
	}
	offset, ok := parseOffset(r.rest[:end])
	if keyword == "TZ" {
		return pgerror.New(pgerror.FeatureNotSupported, "formatting field \"%s\" is only supported in to_char", keyword)
	}
	if !ok {
		return r.invalid(keyword, r.rest[:end])
	}
	r.rest = r.rest[end:]
	r.result.hasZone, r.result.offset = true, offset
	return nil
}

// set stores the number of a keyword.
func (t *formattedTime) set(keyword string, value, count int) {
	switch keyword {
	case "YYYY", "Y,YYY":
		t.year, t.hasYear = value, true
	case "YYY", "YY", "Y":
		t.year, t.hasYear = completeYear(value, count), true
	case "IYYY":
		t.isoYear = value
	case "IYY", "IY", "I":
		t.isoYear = completeYear(value, count)
	case "MM":
		t.month, t.hasDay = value, true
	case "DD":
		t.day, t.hasDay = value, true
	case "DDD", "IDDD":
		t.dayOfYear = value
	case "IW":
		t.isoWeek = value
	case "ID":
		t.isoDay = value
	case "WW":
		t.week = value
	case "W":
		t.weekOfMonth = value
	case "CC":
		t.century = value
	case "J":
		t.julian = value
	case "HH", "HH12":
		t.clock.hour, t.twelve = value, true
	case "HH24":
		t.clock.hour = value
	case "MI":
		t.clock.minute = value
	case "SS":
		t.clock.second = value
	case "SSSS", "SSSSS":
		t.secondsOfDay, t.hasSecondsOfDay = value, true
	case "TZM":
		if t.offset < 0 {
			value = -value
		}
		t.offset += value * 60
	case "MS", "US", "FF1", "FF2", "FF3", "FF4", "FF5", "FF6":
		for ; count < maximumFraction; count++ {
			value *= 10
		}
		t.clock.microsecond += value
	}
}

// completeYear gives the full year nearest to 2020 for fewer than four digits.
func completeYear(value, count int) int {
	if count >= 4 {
		return value
	}
	switch {
	case value < 70:
		return value + 2000
	case value < 100:
		return value + 1900
	case value < 520:
		return value + 2000
	case value < 1000:
		return value + 1000
	}
	return value
}

// timestamp puts the fields together.
func (t *formattedTime) timestamp(text string) (days, microseconds int64, err error) {
	fault := pgerror.New(pgerror.DatetimeFieldOverflow, "date/time field value out of range: \"%s\"", text)
	at := t.clock
	if t.hasSecondsOfDay {
		at.hour, at.minute, at.second = t.secondsOfDay/3600, t.secondsOfDay/60%60, t.secondsOfDay%60
	}
	if t.twelve {
		if at.hour < 1 || at.hour > 12 {
			return 0, 0, pgerror.New(pgerror.InvalidDatetimeFormat, "hour \"%d\" is invalid for the 12-hour clock", at.hour).
				WithHint("Use the 24-hour clock, or give an hour between 1 and 12.")
		}
		if t.pm && at.hour < 12 {
			at.hour += 12
		} else if t.am && at.hour == 12 {
			at.hour = 0
		}
	}
	if at.hour > 23 || at.minute > 59 || at.second > 59 {
		return 0, 0, fault
	}
	if days, err = t.dayNumber(fault); err != nil {
		return 0, 0, err
	}
	return days, at.microseconds(), nil
}

func (t *formattedTime) dayNumber(fault error) (int64, error) {
	year := t.year
	if !t.hasYear && t.century != 0 {
		year = (t.century-1)*100 + 1
	}
	if t.isBC && year > 0 {
		year = 1 - year
	} else if !t.hasYear && t.century == 0 {
		year = 0 // 1 BC, where all dates without a year are
	}
	switch {
	case t.julian != 0:
		return int64(t.julian) - julianOf2000, nil
	case t.isoWeek != 0 || t.isoYear != 0:
		monday := daysOf(civil{t.isoYear, 1, 4})
		monday -= int64((weekday(monday) + 6) % 7)
		if t.dayOfYear != 0 {
			return monday + int64(t.dayOfYear) - 1, nil
		}
		return monday + int64(max(t.isoWeek, 1)-1)*7 + int64(max(t.isoDay, 1)) - 1, nil
	case t.week != 0:
		return daysOf(civil{year, 1, 1}) + int64(t.week-1)*7, nil
	case t.dayOfYear != 0:
		length := 365
		if isLeapYear(year) {
			length = 366
		}
		if t.dayOfYear > length {
			return 0, fault
		}
		return daysOf(civil{year, 1, 1}) + int64(t.dayOfYear) - 1, nil
	}
	day := t.day
	if t.weekOfMonth != 0 {
		day = (t.weekOfMonth-1)*7 + 1
	}
	if t.month < 1 || t.month > 12 || day < 1 || day > daysInMonth(year, t.month) {
		return 0, fault
	}
	return daysOf(civil{year, t.month, day}), nil
}
