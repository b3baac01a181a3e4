package function

import (
	"sort"
	"strconv"
	"strings"
)

// timeKeywords are the keywords of date and time formats, as PostgreSQL's "Data Type Formatting Functions" lists them.
// Longer ones come first, so that the first that fits is the right one.
var timeKeywords = func() []string {
	keywords := strings.Fields("A.D. A.M. AD AM B.C. BC CC D DAY DDD DD DY DA DAy Day Dy FF1 FF2 FF3 FF4 FF5 FF6 HH24 HH12 HH IDDD ID IW IYYY IYY IY I J MI MM " +
		"MONTH MON Month Mon MS OF P.M. PM Q RM SSSSS SSSS SS TZH TZM TZ US WW W Y,YYY YYYY YYY YY Y " +
		"a.d. a.m. ad am b.c. bc cc d day ddd dd dy ff1 ff2 ff3 ff4 ff5 ff6 hh24 hh12 hh iddd id iw iyyy iyy iy i j mi mm month mon ms of p.m. pm q rm " +
		"sssss ssss ss tzh tzm tz us ww w y,yyy yyyy yyy yy y")
	sort.SliceStable(keywords, func(a, b int) bool { return len(keywords[a]) > len(keywords[b]) })
	return keywords
}()

// formatNode is a keyword of a format with its modifiers, or literal text.
type formatNode struct {
	keyword string // as it was written; its case decides the case of words
	literal string
	fill    bool // FM: no padding
	ordinal string
	space   bool // literal blanks, which may match any number of blanks
}

// parseTimeFormat cuts a format into keywords and literal text.
func parseTimeFormat(format string) []formatNode {
	var nodes []formatNode
	for format != "" {
		if format[0] == '"' {
			literal, rest := quotedLiteral(format[1:])
			nodes, format = append(nodes, formatNode{literal: literal}), rest
			continue
		}
		node, rest, ok := cutKeyword(format)
		if !ok {
			if format[0] == '\\' && len(format) > 1 && format[1] == '"' {
				format = format[1:]
			}
			nodes = append(nodes, formatNode{literal: firstCharacter(format), space: format[0] == ' '})
			format = format[len(firstCharacter(format)):]
			continue
		}
		nodes, format = append(nodes, node), rest
	}
	return nodes
}

// quotedLiteral reads text in double quotes.
func quotedLiteral(text string) (literal, rest string) {
	var built strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			return built.String(), text[i+1:]
		case text[i] == '\\' && i+1 < len(text):
			i++
			built.WriteByte(text[i])
		default:
			built.WriteByte(text[i])
		}
	}
	return built.String(), ""
}

func cutKeyword(format string) (node formatNode, rest string, ok bool) {
	rest = format
	for {
		switch {
		case strings.HasPrefix(rest, "FM"), strings.HasPrefix(rest, "fm"):
			node.fill, rest = true, rest[2:]
			continue
		case strings.HasPrefix(rest, "FX"), strings.HasPrefix(rest, "fx"), strings.HasPrefix(rest, "TM"), strings.HasPrefix(rest, "tm"):
			rest = rest[2:]
			continue
		}
		break
	}
	for _, keyword := range timeKeywords {
		if !strings.HasPrefix(rest, keyword) {
			continue
		}
		node.keyword, rest = keyword, rest[len(keyword):]
		if strings.HasPrefix(rest, "TH") || strings.HasPrefix(rest, "th") {
			node.ordinal, rest = rest[:2], rest[2:]
		}
		return node, rest, true
	}
	return formatNode{}, format, false
}

// validForInterval tells whether a keyword has a meaning for intervals.
func (n formatNode) validForInterval() bool {
	switch strings.ToUpper(n.keyword) {
	case "DAY", "DY", "MONTH", "MON", "D", "ID", "WW", "IW", "W", "BC", "AD", "B.C.", "A.D.", "TZ", "TZH", "TZM", "OF", "J", "IYYY", "IYY", "IY", "I", "IDDD", "RM":
		return false
	}
	return true
}

// charTime is a time as to_char sees it.
type charTime struct {
	date       civil
	clock      clock
	days       int64
	dayOfYear  int
	zone       *zoneText
	isInterval bool
}

func charTimeOf(local int64, zone *zoneText) charTime {
	date, at := splitTimestamp(local)
	days := floorDiv64(local, microsecondsPerDay)
	return charTime{date: date, clock: at, days: days, dayOfYear: int(days-daysOf(civil{date.year, 1, 1})) + 1, zone: zone}
}

// append writes one keyword.
func (t charTime) append(dst []byte, n formatNode) []byte {
	upper := strings.ToUpper(n.keyword)
	if word, width, ok := t.word(upper); ok {
		word = matchCase(word, n.keyword)
		if !n.fill && width > len(word) {
			word += strings.Repeat(" ", width-len(word))
		}
		return append(dst, word...)
	}
	if upper == "Y,YYY" {
		year, _ := shownYear(t.date.year)
		dst = strconv.AppendInt(dst, int64(year/1000), 10)
		return appendPadded(append(dst, ','), year%1000, 3)
	}
	value, width := t.number(upper)
	if n.fill {
		width = 1
	}
	text := signedPadded(value, width)
	if n.ordinal != "" {
		text += ordinalSuffix(text, n.ordinal == "TH")
	}
	return append(dst, text...)
}

func signedPadded(value, width int) string {
	if value < 0 {
		return "-" + string(appendPadded(nil, -value, width))
	}
	return string(appendPadded(nil, value, width))
}

func ordinalSuffix(text string, upper bool) string {
	suffix := "th"
	last := text[len(text)-1]
	if len(text) < 2 || text[len(text)-2] != '1' {
		switch last {
		case '1':
			suffix = "st"
		case '2':
			suffix = "nd"
		case '3':
			suffix = "rd"
		}
	}
	if upper {
		return strings.ToUpper(suffix)
	}
	return suffix
}

// matchCase writes a word in the case of its keyword: MONTH, Month or month.
func matchCase(word, keyword string) string {
	switch {
	case keyword == strings.ToLower(keyword):
		return strings.ToLower(word)
	case len(keyword) > 1 && keyword[1] >= 'a' && keyword[1] <= 'z':
		return capitalised(strings.ToLower(word))
	}
	return strings.ToUpper(word)
}

var romanMonths = []string{"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"}

// word gives the keywords that are written as words, and the width they are padded to.
func (t charTime) word(keyword string) (word string, width int, ok bool) {
	switch keyword {
	case "AM", "PM", "A.M.", "P.M.":
		word = "AM"
		if hour := ((t.clock.hour % 24) + 24) % 24; hour >= 12 {
			word = "PM"
		}
		if keyword[1] == '.' {
			word = word[:1] + "." + word[1:] + "."
		}
		return word, 0, true
	case "AD", "BC", "A.D.", "B.C.":
		word = "AD"
		if t.date.year <= 0 {
			word = "BC"
		}
		if keyword[1] == '.' {
			word = word[:1] + "." + word[1:] + "."
		}
		return word, 0, true
	case "MONTH":
		return monthNames[t.date.month-1], 9, true
	case "MON":
		return monthNames[t.date.month-1][:3], 0, true
	case "DAY":
		return dayNames[weekday(t.days)], 9, true
	case "DY":
		return dayNames[weekday(t.days)][:3], 0, true
	case "RM":
		return romanMonths[t.date.month-1], 4, true
	case "TZ":
		if t.zone == nil {
			return "", 0, true
		}
		return t.zone.abbreviation, 0, true
	case "OF":
		if t.zone == nil {
			return "+00", 0, true
		}
		return string(appendOffset(nil, t.zone.offset)), 0, true
	case "TZH":
		offset := 0
		if t.zone != nil {
			offset = t.zone.offset
		}
		return string(appendOffset(nil, offset/3600*3600)), 0, true
	}
	return "", 0, false
}

// number gives the keywords that are written as numbers, and their width.
func (t charTime) number(keyword string) (value, width int) {
	year, _ := shownYear(t.date.year)
	if t.isInterval {
		year = t.date.year
	}
	isoYear, week := 0, 0
	if !t.isInterval {
		isoYear, week = isoWeek(t.days)
	}
	hour := ((t.clock.hour % 12) + 12) % 12
	switch keyword {
	case "HH", "HH12":
		if hour == 0 {
			hour = 12
		}
		return hour, 2
	case "HH24":
		return t.clock.hour, 2
	case "MI":
		return t.clock.minute, 2
	case "SS":
		return t.clock.second, 2
	case "MS":
		return t.clock.microsecond / 1000, 3
	case "US":
		return t.clock.microsecond, 6
	case "SSSS", "SSSSS":
		return t.clock.hour*3600 + t.clock.minute*60 + t.clock.second, 1
	case "YYYY":
		return year, 4
	case "YYY":
		return year % 1000, 3
	case "YY":
		return year % 100, 2
	case "Y":
		return year % 10, 1
	case "IYYY":
		return isoYear, 4
	case "IYY":
		return isoYear % 1000, 3
	case "IY":
		return isoYear % 100, 2
	case "I":
		return isoYear % 10, 1
	case "MM":
		return t.date.month, 2
	case "DD":
		return t.date.day, 2
	case "DDD":
		return t.dayOfYear, 3
	case "IDDD":
		monday := daysOf(civil{isoYear, 1, 4})
		monday -= int64((weekday(monday) + 6) % 7)
		return int(t.days-monday) + 1, 3
	case "D":
		return weekday(t.days) + 1, 1
	case "ID":
		return (weekday(t.days)+6)%7 + 1, 1
	case "W":
		return (t.date.day-1)/7 + 1, 1
	case "WW":
		return (t.dayOfYear-1)/7 + 1, 2
	case "IW":
		return week, 2
	case "Q":
		return (t.date.month-1)/3 + 1, 1
	case "CC":
		return periodOf(t.date.year, 100), 2
	case "J":
		return int(t.days + julianOf2000), 1
	case "TZM":
		if t.zone != nil {
			return int(magnitude(int64(t.zone.offset))) / 60 % 60, 2
		}
		return 0, 2
	}
	digits := int(keyword[len(keyword)-1] - '0') // FF1 to FF6
	for value = t.clock.microsecond; width < maximumFraction-digits; width++ {
		value /= 10
	}
	return value, digits
}
