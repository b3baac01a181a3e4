package function

import (
	"math"
	"time"

	"moraine/pgerror"
	"moraine/relation"
)

func datetimeFunctions() evaluates {
	return evaluates{
		"now": func(c *Context, _ []relation.Value) (relation.Value, error) {
			return TimestampOf(c.TransactionTime), nil
		},
		"statement_timestamp": func(c *Context, _ []relation.Value) (relation.Value, error) { return TimestampOf(c.StatementTime), nil },
		"clock_timestamp":     func(*Context, []relation.Value) (relation.Value, error) { return TimestampOf(time.Now()), nil },
		"timeofday":           timeOfDay,
		"date_larger":         larger(compareInt), "date_smaller": smaller(compareInt),
		"time_larger": larger(compareInt), "time_smaller": smaller(compareInt),
		"timetz_larger": larger(compareTimeTZ), "timetz_smaller": smaller(compareTimeTZ),
		"timestamp_larger": larger(compareInt), "timestamp_smaller": smaller(compareInt),
		"interval_larger": larger(compareIntervals), "interval_smaller": smaller(compareIntervals),
		"date_finite": func(_ *Context, a []relation.Value) (relation.Value, error) {
			return relation.Bool(isFiniteDate(a[0].Int())), nil
		},
		"timestamp_finite": func(_ *Context, a []relation.Value) (relation.Value, error) {
			return relation.Bool(isFiniteTimestamp(a[0].Int())), nil
		},
		"interval_finite": constant(relation.Bool(true)),
		"date_mi":         dateDifference, "date_pli": addDays(1), "date_mii": addDays(-1), "integer_pl_date(int4,date)": swapped(addDays(1)),
		"date_pl_interval": dateInterval(1), "date_mi_interval": dateInterval(-1), "interval_pl_date(interval,date)": swapped(dateInterval(1)),
		"timestamp_pl_interval": timestampInterval(1, false), "timestamp_mi_interval": timestampInterval(-1, false),
		"timestamptz_pl_interval": timestampInterval(1, true), "timestamptz_mi_interval": timestampInterval(-1, true),
		"interval_pl_timestamp(interval,timestamp)":     swapped(timestampInterval(1, false)),
		"interval_pl_timestamptz(interval,timestamptz)": swapped(timestampInterval(1, true)),
		"time_pl_interval":                              timeInterval(1), "time_mi_interval": timeInterval(-1), "timetz_pl_interval": timeInterval(1),
		"timetz_mi_interval": timeInterval(-1), "interval_pl_time(interval,time)": swapped(timeInterval(1)),
		"interval_pl_timetz(interval,timetz)": swapped(timeInterval(1)), "time_mi_time": timeDifference, "timestamp_mi": timestampDifference,
		"datetime_timestamp": dateAndTime, "timedate_pl(time,date)": swapped(dateAndTime), "datetimetz_timestamptz": dateAndTimeTZ,
		"timetzdate_pl(timetz,date)": swapped(dateAndTimeTZ), "timestamptz(date,time)": dateTimeInZone,
		"date_timestamp": dateAsTimestamp, "date_timestamptz": dateAsTimestampTZ, "timestamp_date": timestampDate, "timestamptz_date": timestampTZDate,
		"timestamp_time": timestampTime, "timestamptz_time": inZone(timestampTime), "timestamptz_timetz": timestampTimeTZ,
		"timestamptz_timestamp": func(c *Context, a []relation.Value) (relation.Value, error) {
			return relation.Int(toLocal(a[0].Int(), c.Format.location())), nil
		},
		"timestamp_timestamptz": func(c *Context, a []relation.Value) (relation.Value, error) {
			return relation.Int(fromLocal(a[0].Int(), c.Format.location())), nil
		},
		"timetz_time": value1(func(v relation.Value) relation.Value { return relation.Int(v.Int()) }), "time_timetz": timeInZone,
		"time_interval": value1(func(v relation.Value) relation.Value { return relation.Interval(v.Int(), 0, 0) }), "interval_time": intervalTime,
		"timestamptz_zone": timestampTZInZone(namedZone), "timestamp_zone": timestampFromZone(namedZone), "timetz_zone": timeTZInZone(namedZone),
		"timestamptz_izone": timestampTZInZone(intervalZone), "timestamp_izone": timestampFromZone(intervalZone),
		"timetz_izone":       timeTZInZone(intervalZone),
		"float8_timestamptz": timestampFromEpoch, "make_date": makeDate, "make_time": makeTime, "make_timestamp": makeTimestamp,
		"make_timestamptz": makeTimestampTZ, "make_timestamptz_at_timezone": makeTimestampTZ, "make_interval": makeInterval,
		"timestamp_age": ageOf(false), "timestamptz_age": ageOf(true), "age(timestamp)": ageOfToday(false), "age(timestamptz)": ageOfToday(true),
		"overlaps_timestamp": overlapping(compareInt), "overlaps_time": overlapping(compareInt), "overlaps_timetz": overlapping(compareTimeTZ),
		"overlaps(timestamp,interval,timestamp,interval)":        overlappingSpans(timestampInterval(1, false), true, true),
		"overlaps(timestamp,timestamp,timestamp,interval)":       overlappingSpans(timestampInterval(1, false), false, true),
		"overlaps(timestamp,interval,timestamp,timestamp)":       overlappingSpans(timestampInterval(1, false), true, false),
		"overlaps(timestamptz,interval,timestamptz,interval)":    overlappingSpans(timestampInterval(1, true), true, true),
		"overlaps(timestamptz,timestamptz,timestamptz,interval)": overlappingSpans(timestampInterval(1, true), false, true),
		"overlaps(timestamptz,interval,timestamptz,timestamptz)": overlappingSpans(timestampInterval(1, true), true, false),
		"overlaps(time,interval,time,interval)":                  overlappingSpans(timeInterval(1), true, true),
		"overlaps(time,time,time,interval)":                      overlappingSpans(timeInterval(1), false, true),
		"overlaps(time,interval,time,time)":                      overlappingSpans(timeInterval(1), true, false),
	}
}

func isFiniteDate(days int64) bool { return days != dateInfinity && days != dateMinusInfinity }

// swapped exchanges the two arguments.
func swapped(evaluate Evaluate) Evaluate {
	return func(context *Context, a []relation.Value) (relation.Value, error) {
		return evaluate(context, []relation.Value{a[1], a[0]})
	}
}

func timeOfDay(c *Context, _ []relation.Value) (relation.Value, error) {
	return relation.Text(time.Now().In(c.Format.location()).Format("Mon Jan 02 15:04:05.000000 2006 MST")), nil
}

func dateDifference(_ *Context, a []relation.Value) (relation.Value, error) {
	if !isFiniteDate(a[0].Int()) || !isFiniteDate(a[1].Int()) {
		return relation.NULL, pgerror.New(pgerror.DatetimeFieldOverflow, "cannot subtract infinite dates")
	}
	return relation.Int(a[0].Int() - a[1].Int()), nil
}

func addDays(sign int64) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		if !isFiniteDate(a[0].Int()) {
			return a[0], nil
		}
		days := a[0].Int() + sign*a[1].Int()
		if days < minimumDate || days >= endOfDates {
			return relation.NULL, dateRange()
		}
		return relation.Int(days), nil
	}
}

// addSpan adds an interval to a local timestamp: months first (the day is cut to the month's length), then days, then
// the time.
func addSpan(local int64, s span) (int64, error) {
	if !isFiniteTimestamp(local) {
		return local, nil
	}
	local, err := addMonthsAndDays(local, s)
	if err != nil {
		return 0, err
	}
	return addMicroseconds(local, s.microseconds)
}

func addMonthsAndDays(local int64, s span) (int64, error) {
	if s.months == 0 && s.days == 0 {
		return local, nil
	}
	days := floorDiv64(local, microsecondsPerDay)
	rest := local - days*microsecondsPerDay
	if s.months != 0 {
		date := civilOf(days)
		month := date.month - 1 + int(s.months)
		date.year += floorDiv(month, monthsPerYear)
		date.month = month - floorDiv(month, monthsPerYear)*monthsPerYear + 1
		date.day = min(date.day, daysInMonth(date.year, date.month))
		days = daysOf(date)
	}
	moved, ok := timestampOf(days+int64(s.days), rest)
	if !ok {
		return 0, timestampRange()
	}
	return moved, nil
}

func addMicroseconds(timestamp, microseconds int64) (int64, error) {
	sum, ok := addIntegers(timestamp, microseconds)
	if !ok || !validTimestamp(sum) {
		return 0, timestampRange()
	}
	return sum, nil
}

// addZonedSpan adds months and days in local time, the time on the instant.
func addZonedSpan(timestamp int64, s span, location *time.Location) (int64, error) {
	if !isFiniteTimestamp(timestamp) {
		return timestamp, nil
	}
	if s.months != 0 || s.days != 0 {
		local, err := addMonthsAndDays(toLocal(timestamp, location), s)
		if err != nil {
			return 0, err
		}
		timestamp = fromLocal(local, location)
	}
	return addMicroseconds(timestamp, s.microseconds)
}

func timestampInterval(sign int, zoned bool) Evaluate {
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		s := spanOf(a[1])
		if sign < 0 {
			s = s.negated()
		}
		var result int64
		var err error
		if zoned {
			result, err = addZonedSpan(a[0].Int(), s, c.Format.location())
		} else {
			result, err = addSpan(a[0].Int(), s)
		}
		return relation.Int(result), err
	}
}

func dateInterval(sign int) Evaluate {
	add := timestampInterval(sign, false)
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		at, err := dateAsTimestamp(c, a)
		if err != nil {
			return relation.NULL, err
		}
		return add(c, []relation.Value{at, a[1]})
	}
}

func timeInterval(sign int64) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		microseconds, _, _ := a[1].Interval()
		moved := wrapDay(a[0].Int() + sign*(microseconds%microsecondsPerDay))
		if a[0].Text() != "" {
			return relation.TimeWithZone(moved, a[0].ZoneWest()), nil
		}
		return relation.Int(moved), nil
	}
}

// wrapDay brings microseconds into one day.
func wrapDay(microseconds int64) int64 {
	return microseconds - floorDiv64(microseconds, microsecondsPerDay)*microsecondsPerDay
}

func timeDifference(_ *Context, a []relation.Value) (relation.Value, error) {
	return relation.Interval(a[0].Int()-a[1].Int(), 0, 0), nil
}

func timestampDifference(_ *Context, a []relation.Value) (relation.Value, error) {
	if !isFiniteTimestamp(a[0].Int()) || !isFiniteTimestamp(a[1].Int()) {
		return relation.NULL, pgerror.New(pgerror.DatetimeFieldOverflow, "cannot subtract infinite timestamps")
	}
	difference, ok := subtractIntegers(a[0].Int(), a[1].Int())
	if !ok {
		return relation.NULL, intervalRange()
	}
	return relation.Interval(difference%microsecondsPerDay, int32(difference/microsecondsPerDay), 0), nil
}

func dateAsTimestamp(_ *Context, a []relation.Value) (relation.Value, error) {
	timestamp := dateToTimestamp(a[0].Int())
	if isFiniteTimestamp(timestamp) && !validTimestamp(timestamp) {
		return relation.NULL, pgerror.New(pgerror.DatetimeFieldOverflow, "date out of range for timestamp")
	}
	return relation.Int(timestamp), nil
}

func dateAsTimestampTZ(c *Context, a []relation.Value) (relation.Value, error) {
	local, err := dateAsTimestamp(c, a)
	return relation.Int(fromLocal(local.Int(), c.Format.location())), err
}

func dateAndTime(c *Context, a []relation.Value) (relation.Value, error) {
	at, err := dateAsTimestamp(c, a)
	if err != nil || !isFiniteTimestamp(at.Int()) {
		return at, err
	}
	result, err := addMicroseconds(at.Int(), a[1].Int())
	return relation.Int(result), err
}

func dateTimeInZone(c *Context, a []relation.Value) (relation.Value, error) {
	local, err := dateAndTime(c, a)
	return relation.Int(fromLocal(local.Int(), c.Format.location())), err
}

func dateAndTimeTZ(c *Context, a []relation.Value) (relation.Value, error) {
	at, err := dateAndTime(c, a)
	if err != nil || !isFiniteTimestamp(at.Int()) {
		return at, err
	}
	return relation.Int(at.Int() + int64(a[1].ZoneWest())*microsecondsPerSecond), nil
}

func timestampDate(_ *Context, a []relation.Value) (relation.Value, error) {
	switch a[0].Int() {
	case timestampInfinity:
		return relation.Int(dateInfinity), nil
	case timestampMinus:
		return relation.Int(dateMinusInfinity), nil
	}
	return relation.Int(floorDiv64(a[0].Int(), microsecondsPerDay)), nil
}

// inZone calls a function of a local timestamp with a timestamptz.
func inZone(evaluate Evaluate) Evaluate {
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		return evaluate(c, []relation.Value{relation.Int(toLocal(a[0].Int(), c.Format.location()))})
	}
}

func timestampTZDate(c *Context, a []relation.Value) (relation.Value, error) {
	return inZone(timestampDate)(c, a)
}

func timestampTime(_ *Context, a []relation.Value) (relation.Value, error) {
	if !isFiniteTimestamp(a[0].Int()) {
		return relation.NULL, nil
	}
	return relation.Int(wrapDay(a[0].Int())), nil
}

func timestampTimeTZ(c *Context, a []relation.Value) (relation.Value, error) {
	if !isFiniteTimestamp(a[0].Int()) {
		return relation.NULL, nil
	}
	offset, _ := offsetAt(a[0].Int(), c.Format.location())
	return relation.TimeWithZone(wrapDay(a[0].Int()+int64(offset)*microsecondsPerSecond), int32(-offset)), nil
}

func timeInZone(c *Context, a []relation.Value) (relation.Value, error) {
	offset, _ := offsetAt(microsecondsOf(c.TransactionTime), c.Format.location())
	return relation.TimeWithZone(a[0].Int(), int32(-offset)), nil
}

func intervalTime(_ *Context, a []relation.Value) (relation.Value, error) {
	microseconds, _, _ := a[0].Interval()
	return relation.Int(wrapDay(microseconds)), nil
}

// zoneReader reads the zone of AT TIME ZONE.
type zoneReader func(relation.Value) (*time.Location, error)

func intervalZone(v relation.Value) (*time.Location, error) {
	s := spanOf(v)
	if s.months != 0 || s.days != 0 {
		return nil, pgerror.New(pgerror.InvalidParameterValue, "interval time zone \"%s\" must not include months or days",
			string(appendIntervalPostgres(nil, s)))
	}
	return time.FixedZone("", int(s.microseconds/microsecondsPerSecond)), nil
}

// namedZone reads a name; a bare offset counts westwards, as in POSIX.
func namedZone(v relation.Value) (*time.Location, error) {
	location, ok := FindLocation(v.Text())
	if !ok {
		if seconds, isOffset := parseOffset(v.Text()); isOffset {
			return time.FixedZone("", -seconds), nil
		}
		return nil, unknownTimeZone(v.Text())
	}
	return location, nil
}

func timestampTZInZone(zone zoneReader) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		location, err := zone(a[0])
		if err != nil {
			return relation.NULL, err
		}
		return relation.Int(toLocal(a[1].Int(), location)), nil
	}
}

func timestampFromZone(zone zoneReader) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		location, err := zone(a[0])
		if err != nil {
			return relation.NULL, err
		}
		return relation.Int(fromLocal(a[1].Int(), location)), nil
	}
}

func timeTZInZone(zone zoneReader) Evaluate {
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		location, err := zone(a[0])
		if err != nil {
			return relation.NULL, err
		}
		offset, _ := offsetAt(microsecondsOf(c.TransactionTime), location)
		moved := wrapDay(a[1].Int() + (int64(a[1].ZoneWest())+int64(offset))*microsecondsPerSecond)
		return relation.TimeWithZone(moved, int32(-offset)), nil
	}
}

func timestampFromEpoch(_ *Context, a []relation.Value) (relation.Value, error) {
	seconds := a[0].Float()
	switch {
	case math.IsNaN(seconds):
		return relation.NULL, pgerror.New(pgerror.DatetimeFieldOverflow, "timestamp cannot be NaN")
	case math.IsInf(seconds, 1):
		return relation.Int(timestampInfinity), nil
	case math.IsInf(seconds, -1):
		return relation.Int(timestampMinus), nil
	}
	microseconds := math.RoundToEven((seconds - unixOf2000) * microsecondsPerSecond)
	if microseconds < float64(minimumTimestamp) || microseconds >= float64(endOfTimestamps) {
		return relation.NULL, pgerror.New(pgerror.DatetimeFieldOverflow, "timestamp out of range: \"%s\"", string(appendFloat(nil, seconds, 64, nil)))
	}
	return relation.Int(int64(microseconds)), nil
}

func dateFields(a []relation.Value) (civil, error) {
	date := civil{int(a[0].Int()), int(a[1].Int()), int(a[2].Int())}
	fault := pgerror.New(pgerror.DatetimeFieldOverflow, "date field value out of range: %d-%02d-%02d", date.year, date.month, date.day)
	if date.year == 0 {
		return date, fault
	}
	if date.year < 0 {
		date.year++
	}
	if date.month < 1 || date.month > 12 || date.day < 1 || date.day > daysInMonth(date.year, date.month) {
		return date, fault
	}
	return date, nil
}

func timeFields(a []relation.Value) (int64, error) {
	hour, minute, second := a[0].Int(), a[1].Int(), a[2].Float()
	microseconds := math.RoundToEven(second * microsecondsPerSecond)
	if hour < 0 || minute < 0 || minute > 59 || !(second >= 0 && second <= 60) || hour > 24 || (hour == 24 && (minute > 0 || second > 0)) {
		return 0, pgerror.New(pgerror.DatetimeFieldOverflow, "time field value out of range: %d:%02d:%02s", hour, minute, string(appendFloat(nil, second, 64, nil)))
	}
	return hour*microsecondsPerHour + minute*microsecondsPerMinute + int64(microseconds), nil
}

func makeDate(_ *Context, a []relation.Value) (relation.Value, error) {
	date, err := dateFields(a)
	if err != nil {
		return relation.NULL, err
	}
	return relation.Int(daysOf(date)), nil
}

func makeTime(_ *Context, a []relation.Value) (relation.Value, error) {
	microseconds, err := timeFields(a)
	return relation.Int(microseconds), err
}

func makeTimestamp(_ *Context, a []relation.Value) (relation.Value, error) {
	date, err := dateFields(a)
	if err != nil {
		return relation.NULL, err
	}
	microseconds, err := timeFields(a[3:])
	if err != nil {
		return relation.NULL, err
	}
	timestamp, ok := timestampOf(daysOf(date), microseconds)
	if !ok {
		return relation.NULL, timestampRange()
	}
	return relation.Int(timestamp), nil
}

func makeTimestampTZ(c *Context, a []relation.Value) (relation.Value, error) {
	local, err := makeTimestamp(c, a)
	location := c.Format.location()
	if err == nil && len(a) > 6 {
		location, err = namedZone(a[6])
	}
	if err != nil {
		return relation.NULL, err
	}
	return relation.Int(fromLocal(local.Int(), location)), nil
}

func makeInterval(_ *Context, a []relation.Value) (relation.Value, error) {
	months := a[0].Int()*monthsPerYear + a[1].Int()
	days := a[2].Int()*7 + a[3].Int()
	seconds := a[6].Float()
	microseconds := float64(a[4].Int())*microsecondsPerHour + float64(a[5].Int())*microsecondsPerMinute + math.RoundToEven(seconds*microsecondsPerSecond)
	if months != int64(int32(months)) || days != int64(int32(days)) || math.IsNaN(seconds) || math.Abs(microseconds) >= math.MaxInt64 {
		return relation.NULL, intervalRange()
	}
	return relation.Interval(int64(microseconds), int32(days), int32(months)), nil
}

// ageOf gives the difference of two timestamps in years, months, days and time, as one counts on a calendar.
func ageOf(zoned bool) Evaluate {
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		later, earlier := a[0].Int(), a[1].Int()
		if !isFiniteTimestamp(later) || !isFiniteTimestamp(earlier) {
			return relation.NULL, timestampRange()
		}
		if zoned {
			later, earlier = toLocal(later, c.Format.location()), toLocal(earlier, c.Format.location())
		}
		if later < earlier {
			return age(earlier, later).negated().value(), nil
		}
		return age(later, earlier).value(), nil
	}
}

func age(later, earlier int64) span {
	laterDate, laterClock := splitTimestamp(later)
	earlierDate, earlierClock := splitTimestamp(earlier)
	microseconds := laterClock.microseconds() - earlierClock.microseconds()
	days := laterDate.day - earlierDate.day
	months := (laterDate.year-earlierDate.year)*monthsPerYear + laterDate.month - earlierDate.month
	if microseconds < 0 {
		microseconds += microsecondsPerDay
		days--
	}
	if days < 0 {
		days += daysInMonth(earlierDate.year, earlierDate.month)
		months--
	}
	return span{microseconds, int32(days), int32(months)}
}

func ageOfToday(zoned bool) Evaluate {
	between := ageOf(zoned)
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		days := floorDiv64(toLocal(microsecondsOf(c.TransactionTime), c.Format.location()), microsecondsPerDay)
		today := days * microsecondsPerDay
		if zoned {
			today = fromLocal(today, c.Format.location())
		}
		return between(c, []relation.Value{relation.Int(today), a[0]})
	}
}

// overlapping is OVERLAPS over two pairs of ends; NULL only where the answer depends on a missing end.
func overlapping(compare func(a, b relation.Value) int) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		start1, end1, ok1 := orderedEnds(a[0], a[1], compare)
		start2, end2, ok2 := orderedEnds(a[2], a[3], compare)
		if !ok1 || !ok2 {
			return relation.NULL, nil
		}
		if compare(start1, start2) > 0 {
			start1, end1, start2, end2 = start2, end2, start1, end1
		}
		if compare(start1, start2) == 0 {
			if end1.IsNull() || end2.IsNull() {
				return relation.NULL, nil
			}
			return relation.Bool(true), nil
		}
		if end1.IsNull() {
			return relation.NULL, nil
		}
		if compare(start2, end1) < 0 {
			return relation.Bool(true), nil
		}
		if end2.IsNull() {
			return relation.NULL, nil
		}
		return relation.Bool(false), nil
	}
}

// orderedEnds puts the earlier end first; a NULL goes last. ok is false when both are NULL.
func orderedEnds(a, b relation.Value, compare func(a, b relation.Value) int) (start, end relation.Value, ok bool) {
	switch {
	case a.IsNull():
		return b, a, !b.IsNull()
	case !b.IsNull() && compare(a, b) > 0:
		return b, a, true
	}
	return a, b, true
}

// overlappingSpans is OVERLAPS where intervals give the second ends.
func overlappingSpans(add Evaluate, first, second bool) Evaluate {
	overlaps := overlapping(compareInt)
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		ends := append([]relation.Value(nil), a...)
		for i, isSpan := range []bool{first, second} {
			if !isSpan || a[2*i].IsNull() || a[2*i+1].IsNull() {
				continue
			}
			end, err := add(c, a[2*i:2*i+2])
			if err != nil {
				return relation.NULL, err
			}
			ends[2*i+1] = end
		}
		return overlaps(c, ends)
	}
}
