package function

import (
	"strconv"
	"strings"

	"moraine/relation"
)

// dateStyle is the first word of DateStyle.
type dateStyle byte

const (
	styleISO dateStyle = iota
	styleSQL
	stylePostgres
	styleGerman
)

func (f *Format) dateStyle() dateStyle {
	if f == nil || len(f.DateStyle) < 3 {
		return styleISO
	}
	switch f.DateStyle[0] {
	case 'S', 's':
		return styleSQL
	case 'P', 'p':
		return stylePostgres
	case 'G', 'g':
		return styleGerman
	}
	return styleISO
}

// appendPadded appends a number with at least width digits.
func appendPadded(dst []byte, value, width int) []byte {
	for limit := 10; width > 1; width-- {
		if value < limit {
			for range width - 1 {
				dst = append(dst, '0')
			}
			break
		}
		limit *= 10
	}
	return strconv.AppendInt(dst, int64(value), 10)
}

// shownYear gives the year as it is written, beside " BC" when it is before year 1.
func shownYear(year int) (shown int, suffix string) {
	if year > 0 {
		return year, ""
	}
	return 1 - year, " BC"
}

func appendDateText(dst []byte, v relation.Value, f *Format) []byte {
	switch v.Int() {
	case dateInfinity:
		return append(dst, "infinity"...)
	case dateMinusInfinity:
		return append(dst, "-infinity"...)
	}
	c := civilOf(v.Int())
	_, suffix := shownYear(c.year)
	return append(appendCivil(dst, c, f), suffix...)
}

// appendCivil writes a date in the DateStyle, without BC.
func appendCivil(dst []byte, c civil, f *Format) []byte {
	year, _ := shownYear(c.year)
	first, second := c.month, c.day
	delimiter := byte('-')
	switch f.dateStyle() {
	case styleISO:
		dst = appendPadded(dst, year, 4)
		dst = appendPadded(append(dst, '-'), c.month, 2)
		return appendPadded(append(dst, '-'), c.day, 2)
	case styleSQL:
		delimiter = '/'
	case styleGerman:
		delimiter, first, second = '.', c.day, c.month
	}
	if f.dateOrder() == orderDMY && f.dateStyle() != styleGerman {
		first, second = second, first
	}
	dst = appendPadded(dst, first, 2)
	dst = appendPadded(append(dst, delimiter), second, 2)
	return appendPadded(append(dst, delimiter), year, 4)
}

// appendClock writes hh:mm:ss with the digits of the seconds that are not zero.
func appendClock(dst []byte, c clock) []byte {
	dst = appendPadded(dst, c.hour, 2)
	dst = appendPadded(append(dst, ':'), c.minute, 2)
	dst = appendPadded(append(dst, ':'), c.second, 2)
	return appendFraction(dst, c.microsecond)
}

func appendFraction(dst []byte, microsecond int) []byte {
	if microsecond == 0 {
		return dst
	}
	dst = appendPadded(append(dst, '.'), microsecond, maximumFraction)
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// appendOffset writes ±hh, ±hh:mm or ±hh:mm:ss.
func appendOffset(dst []byte, east int) []byte {
	sign := byte('+')
	if east < 0 {
		sign, east = '-', -east
	}
	dst = appendPadded(append(dst, sign), east/3600, 2)
	if east%3600 != 0 {
		dst = appendPadded(append(dst, ':'), east/60%60, 2)
	}
	if east%60 != 0 {
		dst = appendPadded(append(dst, ':'), east%60, 2)
	}
	return dst
}

func appendTimeText(dst []byte, v relation.Value, _ *Format) []byte {
	return appendClock(dst, clockOf(v.Int()))
}

func appendTimeTZText(dst []byte, v relation.Value, _ *Format) []byte {
	return appendOffset(appendClock(dst, clockOf(v.Int())), -int(v.ZoneWest()))
}

func appendTimestampText(dst []byte, v relation.Value, f *Format) []byte {
	if done, ok := appendInfinity(dst, v.Int()); ok {
		return done
	}
	return appendLocalTimestamp(dst, v.Int(), nil, f)
}

func appendTimestampTZText(dst []byte, v relation.Value, f *Format) []byte {
	if done, ok := appendInfinity(dst, v.Int()); ok {
		return done
	}
	offset, abbreviation := offsetAt(v.Int(), f.location())
	local := v.Int() + int64(offset)*microsecondsPerSecond
	return appendLocalTimestamp(dst, local, &zoneText{offset, abbreviation}, f)
}

// zoneText is the zone that a timestamp is written in.
type zoneText struct {
	offset       int
	abbreviation string
}

func (z *zoneText) append(dst []byte, style dateStyle) []byte {
	if z == nil {
		return dst
	}
	if style == styleISO {
		return appendOffset(dst, z.offset)
	}
	if z.abbreviation != "" && isLetter(z.abbreviation[0]) {
		return append(append(dst, ' '), z.abbreviation...)
	}
	if style == stylePostgres {
		dst = append(dst, ' ')
	}
	return appendOffset(dst, z.offset)
}

func appendInfinity(dst []byte, timestamp int64) ([]byte, bool) {
	switch timestamp {
	case timestampInfinity:
		return append(dst, "infinity"...), true
	case timestampMinus:
		return append(dst, "-infinity"...), true
	}
	return dst, false
}

func appendLocalTimestamp(dst []byte, local int64, zone *zoneText, f *Format) []byte {
	date, at := splitTimestamp(local)
	year, suffix := shownYear(date.year)
	style := f.dateStyle()
	if style != stylePostgres {
		dst = appendCivil(dst, date, f)
		dst = appendClock(append(dst, ' '), at)
		return append(zone.append(dst, style), suffix...)
	}
	days := floorDiv64(local, microsecondsPerDay)
	dst = append(dst, capitalised(dayNames[weekday(days)][:3])...)
	month := capitalised(monthNames[date.month-1][:3])
	if f.dateOrder() == orderDMY {
		dst = appendPadded(append(dst, ' '), date.day, 2)
		dst = append(append(dst, ' '), month...)
	} else {
		dst = append(append(dst, ' '), month...)
		dst = appendPadded(append(dst, ' '), date.day, 2)
	}
	dst = appendClock(append(dst, ' '), at)
	dst = appendPadded(append(dst, ' '), year, 4)
	return append(zone.append(dst, style), suffix...)
}

// weekday counts from Sunday, 0.
func weekday(days int64) int { return int(((days+6)%7 + 7) % 7) }

func capitalised(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
