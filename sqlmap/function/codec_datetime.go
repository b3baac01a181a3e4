package function

import (
	"cmp"
	"encoding/binary"
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

func datetimeCodecs() map[uint32]*codec {
	return map[uint32]*codec{
		relation.DateOID: {input: inputDate, appendText: appendDateText, parseBinary: parseDateBinary,
			appendBinary: appendInt4Binary, compare: compareInt},
		relation.TimeOID: {input: inputTime, appendText: appendTimeText, parseBinary: parseTimeBinary,
			appendBinary: appendInt8Binary, compare: compareInt},
		relation.TimeTZOID: {input: inputTimeTZ, appendText: appendTimeTZText, parseBinary: parseTimeTZBinary,
			appendBinary: appendTimeTZBinary, compare: compareTimeTZ},
		relation.TimestampOID: {input: inputTimestamp, appendText: appendTimestampText, parseBinary: parseTimestampBinary,
			appendBinary: appendInt8Binary, compare: compareInt},
		relation.TimestampTZOID: {input: inputTimestampTZ, appendText: appendTimestampTZText, parseBinary: parseTimestampBinary,
			appendBinary: appendInt8Binary, compare: compareInt},
		relation.IntervalOID: {input: inputInterval, appendText: appendIntervalText, parseBinary: parseIntervalBinary,
			appendBinary: appendRawText, compare: compareIntervals, hashKey: appendIntervalKey},
	}
}

// fault makes PostgreSQL's error of a scan.
func (fault scanFault) error(typeName, text string) error {
	switch fault {
	case fieldOverflow:
		return pgerror.New(pgerror.DatetimeFieldOverflow, "date/time field value out of range: \"%s\"", text)
	case orderOverflow:
		return pgerror.New(pgerror.DatetimeFieldOverflow, "date/time field value out of range: \"%s\"", text).
			WithHint("Perhaps you need a different \"datestyle\" setting.")
	case badZone:
		return pgerror.New(pgerror.InvalidTimeZoneDisplacement, "time zone displacement out of range: \"%s\"", text)
	case unknownZone:
		for _, word := range strings.Fields(text) {
			if strings.ContainsAny(word, "/_") {
				return unknownTimeZone(lowerASCII(word))
			}
		}
	}
	return pgerror.New(pgerror.InvalidDatetimeFormat, "invalid input syntax for type %s: \"%s\"", typeName, text)
}

func unknownTimeZone(name string) error {
	return pgerror.New(pgerror.InvalidParameterValue, "time zone \"%s\" not recognized", name)
}

// localNow gives the local days and microseconds of the transaction's start.
func localNow(f *Format) (days, microseconds int64) {
	local := toLocal(microsecondsOf(f.now()), f.location())
	days = floorDiv64(local, microsecondsPerDay)
	return days, local - days*microsecondsPerDay
}

// relativeDay gives the day that today, tomorrow and yesterday mean.
func relativeDay(word special, f *Format) int64 {
	days, _ := localNow(f)
	switch word {
	case specialTomorrow:
		return days + 1
	case specialYesterday:
		return days - 1
	}
	return days
}

func inputDate(text string, f *Format) (relation.Value, error) {
	scanned, fault := scanDatetime(text, f.dateOrder())
	if fault != 0 {
		return relation.NULL, fault.error("date", text)
	}
	switch scanned.special {
	case specialInfinity:
		return relation.Int(dateInfinity), nil
	case specialMinusInfinity:
		return relation.Int(dateMinusInfinity), nil
	case specialEpoch:
		return relation.Int(-unixOf2000 / secondsPerDay), nil
	case specialNow, specialToday, specialTomorrow, specialYesterday:
		return relation.Int(relativeDay(scanned.special, f)), nil
	}
	if !scanned.hasDate {
		return relation.NULL, badSyntax.error("date", text)
	}
	days := daysOf(scanned.date)
	if days < minimumDate || days >= endOfDates {
		return relation.NULL, pgerror.New(pgerror.DatetimeFieldOverflow, "date out of range: \"%s\"", text)
	}
	return relation.Int(days), nil
}

func inputTime(text string, f *Format) (relation.Value, error) {
	microseconds, _, err := inputTimeOfDay(text, "time", f)
	return relation.Int(microseconds), err
}

func inputTimeTZ(text string, f *Format) (relation.Value, error) {
	microseconds, offset, err := inputTimeOfDay(text, "time with time zone", f)
	return relation.TimeWithZone(microseconds, int32(-offset)), err
}

func inputTimeOfDay(text, typeName string, f *Format) (microseconds int64, offset int, err error) {
	scanned, fault := scanTimeOfDay(text, f.dateOrder())
	if fault != 0 {
		return 0, 0, fault.error(typeName, text)
	}
	if scanned.special == specialNow {
		_, microseconds = localNow(f)
		offset, _ = offsetAt(microsecondsOf(f.now()), f.location())
		return microseconds, offset, nil
	}
	if !scanned.hasTime || scanned.special != noSpecial {
		return 0, 0, badSyntax.error(typeName, text)
	}
	microseconds = scanned.clock.microseconds()
	if microseconds > microsecondsPerDay {
		return 0, 0, fieldOverflow.error(typeName, text)
	}
	days, _ := localNow(f)
	if scanned.hasDate {
		days = daysOf(scanned.date)
	}
	switch local := days*microsecondsPerDay + microseconds; {
	case !scanned.hasZone:
		return microseconds, int((local - fromLocal(local, f.location())) / microsecondsPerSecond), nil
	case scanned.location != nil:
		return microseconds, int((local - fromLocal(local, scanned.location)) / microsecondsPerSecond), nil
	}
	return microseconds, scanned.offset, nil
}

func inputTimestamp(text string, f *Format) (relation.Value, error) {
	return inputTimestampOf(text, "timestamp", false, f)
}

func inputTimestampTZ(text string, f *Format) (relation.Value, error) {
	if timestamp, ok := parseISOTimestamp(text); ok {
		return relation.Int(timestamp), nil
	}
	return inputTimestampOf(text, "timestamp with time zone", true, f)
}

func inputTimestampOf(text, typeName string, zoned bool, f *Format) (relation.Value, error) {
	scanned, fault := scanDatetime(text, f.dateOrder())
	if fault != 0 {
		return relation.NULL, fault.error(typeName, text)
	}
	var local int64
	switch scanned.special {
	case specialInfinity:
		return relation.Int(timestampInfinity), nil
	case specialMinusInfinity:
		return relation.Int(timestampMinus), nil
	case specialEpoch:
		return relation.Int(-unixOf2000 * microsecondsPerSecond), nil
	case specialNow:
		now := microsecondsOf(f.now())
		if !zoned {
			now = toLocal(now, f.location())
		}
		return relation.Int(now), nil
	case specialToday, specialTomorrow, specialYesterday:
		local = relativeDay(scanned.special, f)*microsecondsPerDay + scanned.clock.microseconds()
	default:
		if !scanned.hasDate {
			return relation.NULL, badSyntax.error(typeName, text)
		}
		var ok bool
		if local, ok = timestampOf(daysOf(scanned.date), scanned.clock.microseconds()); !ok {
			return relation.NULL, pgerror.New(pgerror.DatetimeFieldOverflow, "timestamp out of range: \"%s\"", text)
		}
	}
	switch {
	case !zoned:
	case scanned.location != nil:
		local = fromLocal(local, scanned.location)
	case scanned.hasZone:
		local -= int64(scanned.offset) * microsecondsPerSecond
	default:
		local = fromLocal(local, f.location())
	}
	if !validTimestamp(local) {
		return relation.NULL, pgerror.New(pgerror.DatetimeFieldOverflow, "timestamp out of range: \"%s\"", text)
	}
	return relation.Int(local), nil
}

// parseISOTimestamp reads the form that PostgreSQL itself writes (2026-01-02 03:04:05[.ffffff]±hh[:mm]) without going
// through the general reader; ok is false for anything else.
func parseISOTimestamp(text string) (timestamp int64, ok bool) {
	if len(text) < 22 || text[4] != '-' || text[7] != '-' || (text[10] != ' ' && text[10] != 'T') || text[13] != ':' || text[16] != ':' {
		return 0, false
	}
	var fields [6]int
	for i, place := range [6][2]int{{0, 4}, {5, 7}, {8, 10}, {11, 13}, {14, 16}, {17, 19}} {
		for _, c := range []byte(text[place[0]:place[1]]) {
			if !isDigit(c) {
				return 0, false
			}
			fields[i] = fields[i]*10 + int(c-'0')
		}
	}
	date := civil{fields[0], fields[1], fields[2]}
	if date.year < 1 || date.month < 1 || date.month > 12 || date.day < 1 || date.day > daysInMonth(date.year, date.month) ||
		fields[3] > 23 || fields[4] > 59 || fields[5] > 59 {
		return 0, false
	}
	rest, microsecond, scale := text[19:], 0, 100_000
	if rest[0] == '.' {
		rest = rest[1:]
		for ; rest != "" && isDigit(rest[0]) && scale > 0; rest = rest[1:] {
			microsecond += int(rest[0]-'0') * scale
			scale /= 10
		}
	}
	offset, ok := parseOffset(rest)
	if !ok {
		return 0, false
	}
	return daysOf(date)*microsecondsPerDay + clock{fields[3], fields[4], fields[5], microsecond}.microseconds() -
		int64(offset)*microsecondsPerSecond, true
}

func parseDateBinary(data []byte) (relation.Value, error) {
	v, err := parseInt4Binary(data)
	if err != nil {
		return v, err
	}
	if days := v.Int(); days != dateInfinity && days != dateMinusInfinity && (days < minimumDate || days >= endOfDates) {
		return relation.NULL, dateRange()
	}
	return v, nil
}

func parseTimeBinary(data []byte) (relation.Value, error) {
	v, err := parseInt8Binary(data)
	if err == nil && (v.Int() < 0 || v.Int() > microsecondsPerDay) {
		return relation.NULL, pgerror.New(pgerror.DatetimeFieldOverflow, "time out of range")
	}
	return v, err
}

func parseTimestampBinary(data []byte) (relation.Value, error) {
	v, err := parseInt8Binary(data)
	if err == nil && isFiniteTimestamp(v.Int()) && !validTimestamp(v.Int()) {
		return relation.NULL, timestampRange()
	}
	return v, err
}

func parseTimeTZBinary(data []byte) (relation.Value, error) {
	if len(data) != 12 {
		return relation.NULL, wrongBinaryLength()
	}
	v, err := parseTimeBinary(data[:8])
	return relation.TimeWithZone(v.Int(), int32(binary.BigEndian.Uint32(data[8:]))), err
}

func appendTimeTZBinary(dst []byte, v relation.Value) []byte {
	return binary.BigEndian.AppendUint32(appendInt8Binary(dst, v), uint32(v.ZoneWest()))
}

// compareTimeTZ orders by the instant in UTC, then by the zone.
func compareTimeTZ(a, b relation.Value) int {
	x := a.Int() + int64(a.ZoneWest())*microsecondsPerSecond
	y := b.Int() + int64(b.ZoneWest())*microsecondsPerSecond
	if x != y {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a.ZoneWest(), b.ZoneWest())
}

func parseIntervalBinary(data []byte) (relation.Value, error) {
	if len(data) != 16 {
		return relation.NULL, wrongBinaryLength()
	}
	return relation.Text(string(data)), nil
}

// coercePrecision rounds the seconds of times to the digits of the modifier.
func coercePrecision(t relation.Type) func(relation.Value) (relation.Value, error) {
	if t.Modifier >= maximumFraction {
		return nil
	}
	unit := precisionUnit(t.Modifier)
	return func(v relation.Value) (relation.Value, error) {
		switch t.OID {
		case relation.TimeTZOID:
			return relation.TimeWithZone(roundTo(v.Int(), unit), v.ZoneWest()), nil
		case relation.TimeOID:
			return relation.Int(roundTo(v.Int(), unit)), nil
		}
		if !isFiniteTimestamp(v.Int()) {
			return v, nil
		}
		return relation.Int(roundTo(v.Int(), unit)), nil
	}
}

// precisionUnit gives the microseconds of the last of some digits of seconds.
func precisionUnit(digits int32) int64 {
	unit := int64(microsecondsPerSecond)
	for range digits {
		unit /= 10
	}
	return unit
}

// roundTo rounds to a multiple of unit, half away from zero.
func roundTo(value, unit int64) int64 {
	if value < 0 {
		return -((-value + unit/2) / unit * unit)
	}
	return (value + unit/2) / unit * unit
}
