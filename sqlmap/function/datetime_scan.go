package function

import (
	"strconv"
	"strings"
	"time"
)

// dateOrder is the order of day, month and year in dates whose order is not plain.
type dateOrder byte

const (
	orderMDY dateOrder = iota
	orderDMY
	orderYMD
)

func (f *Format) dateOrder() dateOrder {
	if f == nil {
		return orderMDY
	}
	switch {
	case strings.HasSuffix(f.DateStyle, "DMY"):
		return orderDMY
	case strings.HasSuffix(f.DateStyle, "YMD"):
		return orderYMD
	}
	return orderMDY
}

// special is a word that stands for a whole date or time.
type special byte

const (
	noSpecial special = iota
	specialInfinity
	specialMinusInfinity
	specialEpoch
	specialNow
	specialToday
	specialTomorrow
	specialYesterday
)

// scannedTime is what the text of a date or time says.
type scannedTime struct {
	special  special
	date     civil
	clock    clock
	hasDate  bool
	hasTime  bool
	hasZone  bool
	offset   int            // seconds east of UTC, when location is nil
	location *time.Location // of a zone that was given by name
	julian   bool
}

// scanFault tells why a text is no date or time.
type scanFault byte

const (
	badSyntax scanFault = iota + 1
	fieldOverflow
	orderOverflow // a day or month out of range that another DateStyle could explain
	badZone       // an offset out of range
	unknownZone
)

// datetimeScanner reads dates and times word by word.
type datetimeScanner struct {
	rest    string
	order   dateOrder
	result  scannedTime
	numbers []dateNumber // parts of a date in separate words, such as Jan 2 2026
	month   int
	isBC    bool
	isPM    bool
	isAM    bool
	isoTime bool // a T was met: a number that follows is a time
	zone    string
	// timeOnly tells that a time is wanted.
	timeOnly bool
}

// dateNumber is one number of a date, with its number of digits.
type dateNumber struct{ value, digits int }

// scanDatetime reads the text of a date or timestamp.
func scanDatetime(text string, order dateOrder) (scannedTime, scanFault) {
	s := datetimeScanner{rest: trimSpace(text), order: order}
	return s.scan()
}

// scanTimeOfDay reads the text of a time; digits that stand alone are a time, not a date.
func scanTimeOfDay(text string, order dateOrder) (scannedTime, scanFault) {
	s := datetimeScanner{rest: trimSpace(text), order: order, isoTime: true, timeOnly: true}
	return s.scan()
}

func (s *datetimeScanner) scan() (scannedTime, scanFault) {
	if s.rest == "" {
		return s.result, badSyntax
	}
	for s.rest != "" {
		if fault := s.word(); fault != 0 {
			return s.result, fault
		}
		s.rest = strings.TrimLeft(s.rest, " \t\n\r\v\f,")
	}
	return s.result, s.finish()
}

// word reads the next word.
func (s *datetimeScanner) word() scanFault {
	switch c := s.rest[0]; {
	case isDigit(c):
		return s.digits()
	case isLetter(c):
		return s.letters()
	case c == '+' || c == '-':
		return s.sign()
	}
	return badSyntax
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// span gives the length of the leading characters of rest for which accept holds.
func (s *datetimeScanner) span(accept func(c byte) bool) int {
	i := 0
	for i < len(s.rest) && accept(s.rest[i]) {
		i++
	}
	return i
}

func (s *datetimeScanner) take(length int) string {
	taken := s.rest[:length]
	s.rest = s.rest[length:]
	return taken
}

// digits reads a word that begins with a digit: a time, a date, or a number.
func (s *datetimeScanner) digits() scanFault {
	length := s.span(isDigit)
	if length == len(s.rest) {
		return s.number(s.take(length))
	}
	switch next := s.rest[length]; next {
	case ':':
		return s.time(s.take(s.span(func(c byte) bool { return isDigit(c) || c == ':' || c == '.' })))
	case '-', '/', '.':
		if length+1 < len(s.rest) && (isDigit(s.rest[length+1]) || isLetter(s.rest[length+1])) {
			if next == '.' && (s.result.hasDate || s.timeOnly) {
				return s.number(s.take(s.span(func(c byte) bool { return isDigit(c) || c == '.' })))
			}
			return s.joined(next)
		}
		if next == '.' && s.result.hasDate {
			return s.number(s.take(length + 1))
		}
		s.rest = s.rest[:length] + " " + s.rest[length+1:]
	}
	return s.number(s.take(length))
}

// joined reads a date whose parts are joined by a delimiter.
func (s *datetimeScanner) joined(delimiter byte) scanFault {
	if s.result.hasDate || len(s.numbers) > 0 {
		return badSyntax
	}
	for part := 0; ; part++ {
		length := s.span(isDigit)
		if length > 0 {
			s.addNumber(s.take(length))
		} else if length = s.span(isLetter); length > 0 {
			month := monthNumber(s.rest[:length])
			if month == 0 || s.month != 0 {
				return badSyntax
			}
			s.month = month
			s.take(length)
		} else {
			return badSyntax
		}
		if part == 2 || s.rest == "" || s.rest[0] != delimiter {
			break
		}
		s.take(1)
	}
	return s.settleDate()
}

func (s *datetimeScanner) addNumber(digits string) {
	value, _ := strconv.Atoi(digits[max(0, len(digits)-9):])
	s.numbers = append(s.numbers, dateNumber{value, len(digits)})
}

// number reads digits that stand alone.
func (s *datetimeScanner) number(text string) scanFault {
	digits, fraction, hasFraction := strings.Cut(text, ".")
	switch {
	case s.result.julian && !s.result.hasDate:
		days, err := strconv.ParseInt(digits, 10, 32)
		if err != nil {
			return fieldOverflow
		}
		s.result.date, s.result.hasDate = civilOf(days-julianOf2000), true
		return 0
	case !s.result.hasTime && (s.isoTime || s.result.hasDate && (hasFraction || len(digits) == 6 || len(digits) == 4)):
		return s.packedTime(digits, fraction)
	case s.result.hasDate || hasFraction:
		return badSyntax
	case len(s.numbers) == 0 && s.month == 0 && (len(digits) == 8 || len(digits) == 6 || len(digits) == 7):
		return s.packedDate(digits)
	}
	s.addNumber(digits)
	if len(s.numbers) == 3 || (len(s.numbers) == 2 && s.month != 0) {
		return s.settleDate()
	}
	return 0
}

// packedDate reads yyyymmdd, yyyyddd or yymmdd.
func (s *datetimeScanner) packedDate(digits string) scanFault {
	value := func(part string) int { number, _ := strconv.Atoi(part); return number }
	switch len(digits) {
	case 8:
		s.result.date = civil{value(digits[:4]), value(digits[4:6]), value(digits[6:])}
	case 7:
		s.result.date = civilOf(daysOf(civil{value(digits[:4]), 1, 1}) + int64(value(digits[4:])) - 1)
	default:
		s.result.date = civil{fullYear(value(digits[:2])), value(digits[2:4]), value(digits[4:])}
	}
	s.result.hasDate = true
	return 0
}

// packedTime reads hhmmss, hhmm or hh with a fraction of the seconds.
func (s *datetimeScanner) packedTime(digits, fraction string) scanFault {
	value := func(part string) int { number, _ := strconv.Atoi(part); return number }
	switch len(digits) {
	case 6:
		s.result.clock = clock{hour: value(digits[:2]), minute: value(digits[2:4]), second: value(digits[4:])}
	case 4:
		s.result.clock = clock{hour: value(digits[:2]), minute: value(digits[2:])}
	case 2:
		s.result.clock = clock{hour: value(digits)}
	default:
		return badSyntax
	}
	s.result.clock.microsecond = fractionMicroseconds(fraction)
	s.result.hasTime = true
	return 0
}

// fractionMicroseconds rounds the digits after a decimal point to microseconds.
func fractionMicroseconds(digits string) int {
	if digits == "" {
		return 0
	}
	value, _ := strconv.ParseFloat("0."+digits, 64)
	return int(value*microsecondsPerSecond + 0.5)
}

// fullYear completes a year of two digits: 70 to 99 are in the 20th century.
func fullYear(year int) int {
	if year < 70 {
		return year + 2000
	}
	return year + 1900
}

// time reads hh:mm, hh:mm:ss or hh:mm:ss.ffffff.
func (s *datetimeScanner) time(text string) scanFault {
	if s.result.hasTime {
		return badSyntax
	}
	whole, fraction, hasFraction := strings.Cut(text, ".")
	parts := strings.Split(whole, ":")
	if len(parts) > 3 || (hasFraction && len(parts) == 1) || strings.Contains(fraction, ":") || strings.Contains(fraction, ".") {
		return badSyntax
	}
	var values [3]int
	for i, part := range parts {
		value, err := strconv.Atoi(part)
		if err != nil && (part != "" || i == 0) {
			return badSyntax
		}
		values[i] = value
	}
	if hasFraction && len(parts) == 2 {
		values = [3]int{0, values[0], values[1]}
	}
	s.result.clock = clock{values[0], values[1], values[2], fractionMicroseconds(fraction)}
	s.result.hasTime = true
	return 0
}

// sign reads an offset, or -infinity.
func (s *datetimeScanner) sign() scanFault {
	if len(s.rest) > 1 && isLetter(s.rest[1]) {
		negative := s.rest[0] == '-'
		s.take(1)
		word := lowerASCII(s.take(s.span(isLetter)))
		if word != "infinity" && word != "inf" {
			return badSyntax
		}
		s.result.special = specialInfinity
		if negative {
			s.result.special = specialMinusInfinity
		}
		return 0
	}
	text := s.take(1 + len(s.rest[1:]) - len(strings.TrimLeft(s.rest[1:], "0123456789:")))
	offset, ok := parseOffset(text)
	if !ok {
		if len(text) < 2 || strings.HasSuffix(text, ":") {
			return badSyntax
		}
		return badZone
	}
	if s.result.hasZone && s.zone != "utc" && s.zone != "gmt" {
		return badSyntax
	}
	if !s.result.hasTime && !s.result.hasDate {
		return badSyntax
	}
	s.result.hasZone, s.result.offset = true, offset
	return 0
}

var monthNames = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
	"november", "december"}

var dayNames = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// monthNumber recognises a month by its name or its first three letters; 0 for other words.
func monthNumber(word string) int {
	lower := lowerASCII(word)
	if lower == "sept" {
		return 9
	}
	for i, name := range monthNames {
		if lower == name || lower == name[:3] {
			return i + 1
		}
	}
	return 0
}

func isDayName(lower string) bool {
	for _, name := range dayNames {
		if lower == name || lower == name[:3] {
			return true
		}
	}
	return lower == "tues" || lower == "thur" || lower == "thurs" || lower == "wednes" || lower == "weds"
}

// letters reads a word that begins with a letter.
func (s *datetimeScanner) letters() scanFault {
	length := s.span(isLetter)
	word := lowerASCII(s.rest[:length])
	if month := monthNumber(word); month != 0 && s.month == 0 && !s.result.hasDate {
		if length+1 < len(s.rest) && (s.rest[length] == '-' || s.rest[length] == '/') && isDigit(s.rest[length+1]) {
			return s.joined(s.rest[length])
		}
		s.month = month
		s.take(length)
		if len(s.numbers) == 2 {
			return s.settleDate()
		}
		return 0
	}
	if length < len(s.rest) && (s.rest[length] == '/' || s.rest[length] == '_') {
		return s.namedZone(s.take(s.span(func(c byte) bool {
			return isLetter(c) || isDigit(c) || c == '/' || c == '_' || c == '-' || c == '+'
		})))
	}
	s.take(length)
	return s.keyword(word)
}

func (s *datetimeScanner) keyword(word string) scanFault {
	switch word {
	case "infinity", "inf":
		s.result.special = specialInfinity
	case "epoch":
		s.result.special = specialEpoch
	case "now":
		s.result.special = specialNow
	case "today":
		s.result.special = specialToday
	case "tomorrow":
		s.result.special = specialTomorrow
	case "yesterday":
		s.result.special = specialYesterday
	case "allballs":
		s.result.hasTime, s.result.hasZone = true, true
	case "am":
		s.isAM = true
	case "pm":
		s.isPM = true
	case "ad", "ce":
	case "bc", "bce":
		s.isBC = true
	case "t":
		s.isoTime = true
	case "j", "jd", "julian":
		s.result.julian = true
	case "at", "on", "of", "the":
	default:
		if isDayName(word) {
			return 0
		}
		return s.namedZone(word)
	}
	return 0
}

func (s *datetimeScanner) namedZone(name string) scanFault {
	if s.result.hasZone {
		return badSyntax
	}
	location, ok := FindLocation(name)
	if !ok {
		if strings.ContainsAny(name, "/_") {
			return unknownZone
		}
		return badSyntax
	}
	s.result.hasZone, s.result.location, s.zone = true, location, lowerASCII(name)
	return 0
}

// settleDate makes a date of the numbers and the month that were met.
func (s *datetimeScanner) settleDate() scanFault {
	var year dateNumber
	n := s.numbers
	switch {
	case s.month != 0 && len(n) == 2:
		s.result.date.month = s.month
		if n[0].digits > 2 || (s.order == orderYMD && n[1].digits <= 2) {
			year, s.result.date.day = n[0], n[1].value
		} else {
			year, s.result.date.day = n[1], n[0].value
		}
	case s.month == 0 && len(n) == 2 && n[0].digits >= 3 && n[1].digits == 3:
		s.result.date = civilOf(daysOf(civil{n[0].value, 1, 1}) + int64(n[1].value) - 1)
		s.result.hasDate, s.numbers = true, nil
		return 0
	case s.month != 0 || len(n) != 3:
		return badSyntax
	case n[0].digits > 2 || s.order == orderYMD:
		year, s.result.date.month, s.result.date.day = n[0], n[1].value, n[2].value
	case s.order == orderDMY:
		s.result.date.day, s.result.date.month, year = n[0].value, n[1].value, n[2]
	default:
		s.result.date.month, s.result.date.day, year = n[0].value, n[1].value, n[2]
	}
	s.result.date.year = year.value
	if year.digits <= 2 && !s.isBC {
		s.result.date.year = fullYear(year.value)
	}
	s.result.hasDate, s.numbers = true, nil
	if n[0].digits <= 2 && (s.result.date.month > 12 || s.result.date.day > 31) {
		return orderOverflow
	}
	return 0
}

// finish checks the fields against each other.
func (s *datetimeScanner) finish() scanFault {
	r := &s.result
	if r.special != noSpecial {
		if r.hasDate || len(s.numbers) > 0 || (r.hasTime && r.special < specialToday) {
			return badSyntax
		}
	} else if len(s.numbers) > 0 || (s.month != 0 && !r.hasDate) || (!r.hasDate && !r.hasTime) {
		return badSyntax
	}
	if s.isBC {
		if !r.hasDate || r.date.year <= 0 {
			return fieldOverflow
		}
		r.date.year = 1 - r.date.year
	} else if r.hasDate && !r.julian && r.date.year <= 0 {
		return fieldOverflow
	}
	if s.isPM || s.isAM {
		if r.clock.hour > 12 {
			return fieldOverflow
		}
		r.clock.hour %= 12
		if s.isPM {
			r.clock.hour += 12
		}
	}
	if r.hasDate && (r.date.month < 1 || r.date.month > 12 || r.date.day < 1 || r.date.day > daysInMonth(r.date.year, r.date.month)) {
		return fieldOverflow
	}
	c := r.clock
	if c.hour > 24 || c.minute > 59 || c.second > 60 || (c.hour == 24 && (c.minute > 0 || c.second > 0 || c.microsecond > 0)) {
		return fieldOverflow
	}
	return 0
}
