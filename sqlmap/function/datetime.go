package function

import (
	"math"
	"strings"
	"time"

	"moraine/pgerror"
	"moraine/relation"
)

// Units of the representations of dates and times.
const (
	microsecondsPerSecond = 1_000_000
	microsecondsPerMinute = 60 * microsecondsPerSecond
	microsecondsPerHour   = 60 * microsecondsPerMinute
	microsecondsPerDay    = 24 * microsecondsPerHour
	secondsPerDay         = 86400
	daysPerMonth          = 30 // of intervals
	monthsPerYear         = 12
	daysPerYear           = 365.25 // of intervals, when converted to seconds
)

// Infinities and limits of date and timestamp, from PostgreSQL's "Date/Time Types": 4713 BC to 5874897 AD and 294276 AD.
const (
	dateInfinity      int64 = math.MaxInt32
	dateMinusInfinity int64 = math.MinInt32
	timestampInfinity int64 = math.MaxInt64
	timestampMinus    int64 = math.MinInt64
	minimumDate       int64 = -2451545 // Julian day 0
	endOfDates        int64 = 2145031949
	minimumTimestamp        = minimumDate * microsecondsPerDay
	endOfTimestamps   int64 = 9223371331200000000
	julianOf2000            = 2451545
	unixOf2000              = 946684800 // seconds from 1970-01-01 to 2000-01-01
)

// civil is a date of the proleptic Gregorian calendar; year 0 is 1 BC.
type civil struct{ year, month, day int }

// clock is a time of day.
type clock struct {
	hour, minute, second int
	microsecond          int
}

// daysOf gives the days from 2000-01-01. The month may lie outside 1..12, the day outside its month.
func daysOf(c civil) int64 {
	month := c.month - 1
	year := int64(c.year) + int64(floorDiv(month, monthsPerYear))
	month = month - floorDiv(month, monthsPerYear)*monthsPerYear + 1
	if month <= 2 {
		year--
	}
	era := floorDiv64(year, 400)
	yearOfEra := year - era*400
	dayOfYear := int64((153*((month+9)%12)+2)/5 + c.day - 1)
	return era*146097 + yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear - 730425
}

// civilOf is the inverse of daysOf.
func civilOf(days int64) civil {
	z := days + 730425
	era := floorDiv64(z, 146097)
	dayOfEra := z - era*146097
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36524 - dayOfEra/146096) / 365
	dayOfYear := dayOfEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	shifted := (5*dayOfYear + 2) / 153
	c := civil{year: int(yearOfEra + era*400), month: int(shifted+2)%12 + 1, day: int(dayOfYear-(153*shifted+2)/5) + 1}
	if c.month <= 2 {
		c.year++
	}
	return c
}

func floorDiv(a, b int) int {
	quotient := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		quotient--
	}
	return quotient
}

func floorDiv64(a, b int64) int64 {
	quotient := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		quotient--
	}
	return quotient
}

func isLeapYear(year int) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

func daysInMonth(year, month int) int {
	switch month {
	case 2:
		if isLeapYear(year) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// microseconds gives the microseconds since midnight.
func (c clock) microseconds() int64 {
	return int64(c.hour)*microsecondsPerHour + int64(c.minute)*microsecondsPerMinute + int64(c.second)*microsecondsPerSecond + int64(c.microsecond)
}

// clockOf takes microseconds since midnight apart.
func clockOf(microseconds int64) clock {
	return clock{int(microseconds / microsecondsPerHour), int(microseconds / microsecondsPerMinute % 60),
		int(microseconds / microsecondsPerSecond % 60), int(microseconds % microsecondsPerSecond)}
}

// splitTimestamp takes a finite timestamp apart.
func splitTimestamp(timestamp int64) (civil, clock) {
	days := floorDiv64(timestamp, microsecondsPerDay)
	return civilOf(days), clockOf(timestamp - days*microsecondsPerDay)
}

// timestampOf puts a timestamp together; ok is false when it is out of range.
func timestampOf(days, microseconds int64) (timestamp int64, ok bool) {
	if days < minimumDate || days > endOfTimestamps/microsecondsPerDay+1 {
		return 0, false
	}
	timestamp = days*microsecondsPerDay + microseconds
	return timestamp, validTimestamp(timestamp)
}

func validTimestamp(timestamp int64) bool {
	return timestamp >= minimumTimestamp && timestamp < endOfTimestamps
}

func isFiniteTimestamp(timestamp int64) bool {
	return timestamp != timestampInfinity && timestamp != timestampMinus
}

func timestampRange() error {
	return pgerror.New(pgerror.DatetimeFieldOverflow, "timestamp out of range")
}

func dateRange() error { return pgerror.New(pgerror.DatetimeFieldOverflow, "date out of range") }

func intervalRange() error {
	return pgerror.New(pgerror.DatetimeFieldOverflow, "interval out of range")
}

// TimestampOf gives the timestamptz of a point in time.
func TimestampOf(at time.Time) relation.Value { return relation.Int(microsecondsOf(at)) }

func microsecondsOf(at time.Time) int64 {
	return (at.Unix()-unixOf2000)*microsecondsPerSecond + int64(at.Nanosecond()/1000)
}

// TimeOf gives the point in time of a finite timestamptz.
func TimeOf(v relation.Value) time.Time { return timeOf(v.Int()) }

func timeOf(timestamp int64) time.Time {
	seconds := floorDiv64(timestamp, microsecondsPerSecond)
	return time.Unix(seconds+unixOf2000, (timestamp-seconds*microsecondsPerSecond)*1000).UTC()
}

func (f *Format) location() *time.Location {
	if f == nil || f.Location == nil {
		return time.UTC
	}
	return f.Location
}

// now is the time that the inputs 'now' and 'today' mean.
func (f *Format) now() time.Time {
	if f == nil || f.TransactionTime.IsZero() {
		return time.Now()
	}
	return f.TransactionTime
}

// offsetAt gives the seconds east of UTC and the abbreviation of a zone at a finite timestamptz.
func offsetAt(timestamp int64, location *time.Location) (seconds int, abbreviation string) {
	if location == time.UTC {
		return 0, "UTC"
	}
	abbreviation, seconds = timeOf(timestamp).In(location).Zone()
	return seconds, abbreviation
}

// toLocal gives the local timestamp of a timestamptz.
func toLocal(timestamp int64, location *time.Location) int64 {
	if location == time.UTC || !isFiniteTimestamp(timestamp) {
		return timestamp
	}
	seconds, _ := offsetAt(timestamp, location)
	return timestamp + int64(seconds)*microsecondsPerSecond
}

// fromLocal gives the timestamptz of a local timestamp. A time that a change of the offset skips is taken by the offset
// before the change, one that it repeats by the offset after it.
func fromLocal(local int64, location *time.Location) int64 {
	if location == time.UTC || !isFiniteTimestamp(local) {
		return local
	}
	before, _ := offsetAt(local-microsecondsPerDay, location)
	after, _ := offsetAt(local+microsecondsPerDay, location)
	if before == after {
		// There may be two changes within the two days; ask again at the instant itself.
		if at, _ := offsetAt(local-int64(before)*microsecondsPerSecond, location); at == before {
			return local - int64(before)*microsecondsPerSecond
		}
	}
	withBefore := local - int64(before)*microsecondsPerSecond
	withAfter := local - int64(after)*microsecondsPerSecond
	atBefore, _ := offsetAt(withBefore, location)
	atAfter, _ := offsetAt(withAfter, location)
	if atAfter == after {
		return withAfter
	}
	if atBefore == before || after > before {
		return withBefore
	}
	return withAfter
}

// zoneAbbreviations are the seconds east of UTC of the abbreviations that stand for a fixed offset.
var zoneAbbreviations = map[string]int{
	"utc": 0, "gmt": 0, "z": 0, "zulu": 0, "ut": 0, "wet": 0, "west": 3600, "bst": 3600, "ist": 7200, "cet": 3600, "cest": 7200,
	"met": 3600, "mest": 7200, "eet": 7200, "eest": 10800, "msk": 10800, "msd": 14400, "est": -18000, "edt": -14400, "cst": -21600, "cdt": -18000,
	"mst": -25200, "mdt": -21600, "pst": -28800, "pdt": -25200, "akst": -32400, "akdt": -28800, "hst": -36000, "jst": 32400,
	"kst": 32400, "sgt": 28800, "hkt": 28800, "pht": 28800, "ict": 25200, "pkt": 18000, "aest": 36000, "aedt": 39600,
	"acst": 34200, "acdt": 37800, "awst": 28800, "nzst": 43200, "nzdt": 46800, "brt": -10800, "art": -10800, "clt": -14400, "sast": 7200,
	"eat": 10800, "nst": -12600, "ndt": -9000, "ast": -14400, "adt": -10800,
}

// FindLocation finds a time zone by its IANA name in any case, by an abbreviation, or by a POSIX offset such as UTC-3
// or <+03>-3, whose sign is contrary to ISO 8601's. ok is false when there is none.
func FindLocation(name string) (location *time.Location, ok bool) {
	lower := lowerASCII(name)
	if lower == "utc" || lower == "gmt" || lower == "z" || lower == "zulu" || lower == "etc/utc" {
		return time.UTC, true
	}
	if seconds, found := zoneAbbreviations[lower]; found {
		return time.FixedZone(strings.ToUpper(name), seconds), true
	}
	if spelling, ok := timeZones.byLower[lower]; ok {
		if found, err := time.LoadLocation(spelling); err == nil {
			return found, true
		}
	}
	return posixLocation(name)
}

// posixLocation reads letters (or anything in angle brackets) and an offset that counts westwards.
func posixLocation(name string) (*time.Location, bool) {
	rest := name
	if strings.HasPrefix(rest, "<") {
		_, after, ok := strings.Cut(rest, ">")
		if !ok {
			return nil, false
		}
		rest = after
	} else {
		rest = strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	}
	if rest == "" {
		return nil, false
	}
	if isDigit(rest[0]) {
		rest = "+" + rest
	}
	west, ok := parseOffset(rest)
	if !ok {
		return nil, false
	}
	return time.FixedZone(strings.TrimSuffix(name[:len(name)-len(rest)+1], rest[:1]), -west), true
}

// parseOffset reads ±hh, ±hhmm, ±hh:mm or ±hh:mm:ss as seconds; at most 15:59:59.
func parseOffset(text string) (seconds int, ok bool) {
	if len(text) < 2 || (text[0] != '+' && text[0] != '-') {
		return 0, false
	}
	var parts [3]int
	fields := strings.Split(text[1:], ":")
	if len(fields) == 1 && len(text) > 3 {
		digits := text[1:]
		fields = []string{digits[:len(digits)-2], digits[len(digits)-2:]}
	}
	if len(fields) > 3 {
		return 0, false
	}
	for i, field := range fields {
		if field == "" || len(field) > 2 {
			return 0, false
		}
		for j := range field {
			if !isDigit(field[j]) {
				return 0, false
			}
			parts[i] = parts[i]*10 + int(field[j]-'0')
		}
	}
	if parts[0] > 15 || parts[1] > 59 || parts[2] > 59 {
		return 0, false
	}
	seconds = parts[0]*3600 + parts[1]*60 + parts[2]
	if text[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}
