package function

import (
	"math"
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

func extractFunctions() evaluates {
	functions := evaluates{
		"timestamp_trunc": truncateTimestamp, "timestamptz_trunc": truncateZoned, "timestamptz_trunc_zone": truncateZoned,
		"interval_trunc": truncateInterval, "timestamp_bin": binTimestamp, "timestamptz_bin": binTimestamp,
	}
	for name, parts := range map[string]partSource{
		"date": {"date", dateParts}, "time": {"time without time zone", timeParts}, "timetz": {"time with time zone", timeTZParts},
		"timestamp": {"timestamp without time zone", timestampParts}, "timestamptz": {"timestamp with time zone", zonedParts},
		"interval": {"interval", intervalPartsOf},
	} {
		functions["extract_"+name] = parts.extract(false)
		if name == "date" {
			functions["date_part(text,date)"] = partSource{"timestamp without time zone", dateParts}.extract(true)
			continue
		}
		functions[name+"_part"] = parts.extract(true)
	}
	return functions
}

// fieldName normalises the name of a field: its synonyms and plurals.
func fieldName(text string) string {
	lower := lowerASCII(text)
	switch lower {
	case "microseconds", "microsecond", "usec", "usecs", "us":
		return "microseconds"
	case "milliseconds", "millisecond", "msec", "msecs", "ms":
		return "milliseconds"
	case "s", "sec", "secs", "seconds":
		return "second"
	case "m", "min", "mins", "minutes":
		return "minute"
	case "h", "hr", "hrs", "hours":
		return "hour"
	case "d", "days":
		return "day"
	case "w", "weeks":
		return "week"
	case "mon", "mons", "months":
		return "month"
	case "qtr", "quarters":
		return "quarter"
	case "y", "yr", "yrs", "years":
		return "year"
	case "dec", "decs", "decades":
		return "decade"
	case "c", "cent", "centuries":
		return "century"
	case "mil", "mils", "millennia", "millenniums":
		return "millennium"
	}
	return lower
}

// part is the value of a field: a number with digits after the point, or infinite or absent for infinite dates.
type part struct {
	exact    *decimal // where the number is no multiple of a power of ten of few digits
	scaled   int64    // value times 10^scale
	scale    int
	infinite int  // sign of an infinity, 0 for numbers
	absent   bool // a field that infinite dates do not have
}

func whole(value int) part { return part{scaled: int64(value)} }

func (p part) numeric() relation.Value {
	switch {
	case p.absent:
		return relation.NULL
	case p.infinite != 0:
		return infinity(p.infinite < 0).value()
	}
	if p.exact != nil {
		return p.exact.value()
	}
	d := &decimal{scale: p.scale}
	d.coefficient.SetInt64(p.scaled)
	return d.value()
}

func (p part) float() relation.Value {
	switch {
	case p.absent:
		return relation.NULL
	case p.infinite != 0:
		return relation.Float(math.Inf(p.infinite))
	}
	if p.exact != nil {
		return relation.Float(p.exact.float64())
	}
	return relation.Float(float64(p.scaled) / math.Pow10(p.scale))
}

// partSource takes fields from values of one type. The function gives unsupported for a field that the type does not have.
type partSource struct {
	typeName string
	part     func(c *Context, field string, v relation.Value) (part, partFault)
}

type partFault byte

const (
	partFound partFault = iota
	partUnsupported
	partUnknown
)

func (s partSource) extract(float bool) Evaluate {
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		field := fieldName(a[0].Text())
		value, fault := s.part(c, field, a[1])
		switch fault {
		case partUnknown:
			return relation.NULL, pgerror.New(pgerror.InvalidParameterValue, "unit \"%s\" not recognized for type %s", lowerASCII(a[0].Text()), s.typeName)
		case partUnsupported:
			return relation.NULL, pgerror.New(pgerror.FeatureNotSupported, "unit \"%s\" not supported for type %s", lowerASCII(a[0].Text()), s.typeName)
		}
		if float {
			return value.float(), nil
		}
		return value.numeric(), nil
	}
}

// knownFields are the fields that some type has.
const knownFields = " microseconds milliseconds second minute hour day week month quarter year decade century millennium epoch dow isodow doy isoyear julian timezone timezone_hour timezone_minute "

func missingField(field string) partFault {
	if strings.Contains(knownFields, " "+field+" ") {
		return partUnsupported
	}
	return partUnknown
}

// clockPart gives the fields of a time of day.
func clockPart(field string, microseconds int64) (part, bool) {
	inMinute := microseconds % microsecondsPerMinute
	switch field {
	case "microseconds":
		return part{scaled: inMinute}, true
	case "milliseconds":
		return part{scaled: inMinute, scale: 3}, true
	case "second":
		return part{scaled: inMinute, scale: 6}, true
	case "minute":
		return part{scaled: microseconds / microsecondsPerMinute % 60}, true
	case "hour":
		return part{scaled: microseconds / microsecondsPerHour}, true
	}
	return part{}, false
}

// civilPart gives the fields of a date.
func civilPart(field string, days int64) (part, bool) {
	c := civilOf(days)
	year := c.year
	if year <= 0 {
		year-- // there is no year 0
	}
	switch field {
	case "day":
		return whole(c.day), true
	case "month":
		return whole(c.month), true
	case "quarter":
		return whole((c.month-1)/3 + 1), true
	case "week":
		_, week := isoWeek(days)
		return whole(week), true
	case "year":
		return whole(year), true
	case "decade":
		return whole(floorDiv(c.year, 10)), true
	case "century":
		return whole(periodOf(c.year, 100)), true
	case "millennium":
		return whole(periodOf(c.year, 1000)), true
	case "isoyear":
		isoYear, _ := isoWeek(days)
		if isoYear <= 0 {
			isoYear--
		}
		return whole(isoYear), true
	case "dow":
		return whole(weekday(days)), true
	case "isodow":
		return whole((weekday(days)+6)%7 + 1), true
	case "doy":
		return whole(int(days-daysOf(civil{c.year, 1, 1})) + 1), true
	}
	return part{}, false
}

// periodOf counts centuries or millennia: year 2000 is in the 20th century, 1 BC in the first before Christ.
func periodOf(year, length int) int {
	if year > 0 {
		return (year + length - 1) / length
	}
	return -((length - 1 - (year - 1)) / length)
}

// isoWeek gives the year and week of ISO 8601.
func isoWeek(days int64) (year, week int) {
	thursday := days - int64((weekday(days)+6)%7) + 3
	c := civilOf(thursday)
	return c.year, int(thursday-daysOf(civil{c.year, 1, 1}))/7 + 1
}

// infinitePart tells what fields infinite dates have: those that grow without bound are infinite.
func infinitePart(field string, sign int) (part, partFault) {
	switch field {
	case "year", "decade", "century", "millennium", "julian", "isoyear", "epoch":
		return part{infinite: sign}, partFound
	}
	if strings.Contains(knownFields, " "+field+" ") {
		return part{absent: true}, partFound
	}
	return part{}, partUnknown
}

func dateParts(_ *Context, field string, v relation.Value) (part, partFault) {
	if !isFiniteDate(v.Int()) {
		return infinitePart(field, int(v.Int()>>40|1))
	}
	switch field {
	case "epoch":
		return part{scaled: v.Int()*secondsPerDay + unixOf2000}, partFound
	case "julian":
		return part{scaled: v.Int() + julianOf2000}, partFound
	}
	if found, ok := civilPart(field, v.Int()); ok {
		return found, partFound
	}
	return part{}, missingField(field)
}

func timeParts(_ *Context, field string, v relation.Value) (part, partFault) {
	if field == "epoch" {
		return part{scaled: v.Int(), scale: 6}, partFound
	}
	if found, ok := clockPart(field, v.Int()); ok {
		return found, partFound
	}
	return part{}, missingField(field)
}

// zonePart gives the fields of an offset in seconds east of UTC.
func zonePart(field string, east int) (part, bool) {
	switch field {
	case "timezone":
		return whole(east), true
	case "timezone_hour":
		return whole(east / 3600), true
	case "timezone_minute":
		return whole(east / 60 % 60), true
	}
	return part{}, false
}

func timeTZParts(c *Context, field string, v relation.Value) (part, partFault) {
	if field == "epoch" {
		return part{scaled: v.Int() + int64(v.ZoneWest())*microsecondsPerSecond, scale: 6}, partFound
	}
	if found, ok := zonePart(field, -int(v.ZoneWest())); ok {
		return found, partFound
	}
	return timeParts(c, field, v)
}

func timestampParts(_ *Context, field string, v relation.Value) (part, partFault) {
	return localParts(field, v.Int())
}

func localParts(field string, local int64) (part, partFault) {
	if !isFiniteTimestamp(local) {
		return infinitePart(field, int(local>>62|1))
	}
	days := floorDiv64(local, microsecondsPerDay)
	microseconds := local - days*microsecondsPerDay
	switch field {
	case "epoch":
		return part{scaled: local + unixOf2000*microsecondsPerSecond, scale: 6}, partFound
	case "julian":
		return julianPart(days, microseconds), partFound
	}
	if found, ok := civilPart(field, days); ok {
		return found, partFound
	}
	if found, ok := clockPart(field, microseconds); ok {
		return found, partFound
	}
	return part{}, missingField(field)
}

// julianPart is the Julian day with the fraction of the day.
func julianPart(days, microseconds int64) part {
	fraction, _ := divideDecimals(decimalFromInt(microseconds), decimalFromInt(microsecondsPerDay))
	sum, _ := addDecimals(decimalFromInt(days+julianOf2000), fraction)
	return part{exact: sum}
}

func zonedParts(c *Context, field string, v relation.Value) (part, partFault) {
	if !isFiniteTimestamp(v.Int()) {
		return localParts(field, v.Int())
	}
	if field == "epoch" {
		return localParts(field, v.Int())
	}
	offset, _ := offsetAt(v.Int(), c.Format.location())
	if found, ok := zonePart(field, offset); ok {
		return found, partFound
	}
	return localParts(field, v.Int()+int64(offset)*microsecondsPerSecond)
}

func intervalPartsOf(_ *Context, field string, v relation.Value) (part, partFault) {
	s := spanOf(v)
	years, months := int(s.months/monthsPerYear), int(s.months%monthsPerYear)
	switch field {
	case "day":
		return whole(int(s.days)), partFound
	case "month":
		return whole(months), partFound
	case "quarter":
		return whole(months/3 + 1), partFound
	case "year":
		return whole(years), partFound
	case "decade":
		return whole(years / 10), partFound
	case "century":
		return whole(years / 100), partFound
	case "millennium":
		return whole(years / 1000), partFound
	case "epoch":
		quarterDays := int64(years)*1461 + int64(months)*4*daysPerMonth + 4*int64(s.days)
		return part{scaled: quarterDays*(microsecondsPerDay/4) + s.microseconds, scale: 6}, partFound
	}
	if found, ok := clockPart(field, s.microseconds); ok {
		return found, partFound
	}
	return part{}, missingField(field)
}

// truncateLocal cuts a local timestamp to a unit; ok is false for an unknown unit.
func truncateLocal(unit string, local int64) (int64, bool) {
	days := floorDiv64(local, microsecondsPerDay)
	c := civilOf(days)
	midnight := func(c civil) int64 { return daysOf(c) * microsecondsPerDay }
	floorYear := func(length int) int {
		if c.year > 0 {
			return (c.year-1)/length*length + 1
		}
		return -((length-c.year)/length*length - 1)
	}
	switch unit {
	case "microseconds":
		return local, true
	case "milliseconds":
		return floorDiv64(local, 1000) * 1000, true
	case "second":
		return floorDiv64(local, microsecondsPerSecond) * microsecondsPerSecond, true
	case "minute":
		return floorDiv64(local, microsecondsPerMinute) * microsecondsPerMinute, true
	case "hour":
		return floorDiv64(local, microsecondsPerHour) * microsecondsPerHour, true
	case "day":
		return days * microsecondsPerDay, true
	case "week":
		return (days - int64((weekday(days)+6)%7)) * microsecondsPerDay, true
	case "month":
		return midnight(civil{c.year, c.month, 1}), true
	case "quarter":
		return midnight(civil{c.year, (c.month-1)/3*3 + 1, 1}), true
	case "year":
		return midnight(civil{c.year, 1, 1}), true
	case "decade":
		return midnight(civil{floorDiv(c.year, 10) * 10, 1, 1}), true
	case "century":
		return midnight(civil{floorYear(100), 1, 1}), true
	case "millennium":
		return midnight(civil{floorYear(1000), 1, 1}), true
	}
	return 0, false
}

func badUnit(unit, typeName string) error {
	if strings.HasPrefix(fieldName(unit), "timezone") || (typeName == "interval" && fieldName(unit) == "week") {
		return pgerror.New(pgerror.FeatureNotSupported, "unit \"%s\" not supported for type %s", lowerASCII(unit), typeName)
	}
	return pgerror.New(pgerror.InvalidParameterValue, "unit \"%s\" not recognized for type %s", lowerASCII(unit), typeName)
}

func truncateTimestamp(_ *Context, a []relation.Value) (relation.Value, error) {
	if !isFiniteTimestamp(a[1].Int()) {
		return a[1], nil
	}
	result, ok := truncateLocal(fieldName(a[0].Text()), a[1].Int())
	if !ok {
		return relation.NULL, badUnit(a[0].Text(), "timestamp without time zone")
	}
	return relation.Int(result), nil
}

func truncateZoned(c *Context, a []relation.Value) (relation.Value, error) {
	if !isFiniteTimestamp(a[1].Int()) {
		return a[1], nil
	}
	location := c.Format.location()
	if len(a) > 2 {
		var err error
		if location, err = namedZone(a[2]); err != nil {
			return relation.NULL, err
		}
	}
	result, ok := truncateLocal(fieldName(a[0].Text()), toLocal(a[1].Int(), location))
	if !ok {
		return relation.NULL, badUnit(a[0].Text(), "timestamp with time zone")
	}
	return relation.Int(fromLocal(result, location)), nil
}

func truncateInterval(_ *Context, a []relation.Value) (relation.Value, error) {
	s := spanOf(a[1])
	cut := func(value *int32, unit int32) { *value = *value / unit * unit }
	switch fieldName(a[0].Text()) {
	case "microseconds":
	case "milliseconds":
		s.microseconds -= s.microseconds % 1000
	case "second":
		s.microseconds -= s.microseconds % microsecondsPerSecond
	case "minute":
		s.microseconds -= s.microseconds % microsecondsPerMinute
	case "hour":
		s.microseconds -= s.microseconds % microsecondsPerHour
	case "day":
		s.microseconds = 0
	case "month":
		s = span{months: s.months}
	case "quarter":
		s = span{months: s.months}
		cut(&s.months, 3)
	case "year":
		s = span{months: s.months}
		cut(&s.months, monthsPerYear)
	case "decade":
		s = span{months: s.months}
		cut(&s.months, 10*monthsPerYear)
	case "century":
		s = span{months: s.months}
		cut(&s.months, 100*monthsPerYear)
	case "millennium":
		s = span{months: s.months}
		cut(&s.months, 1000*monthsPerYear)
	case "week":
		return relation.NULL, pgerror.New(pgerror.FeatureNotSupported, "unit \"%s\" not supported for type interval", lowerASCII(a[0].Text())).
			WithDetail("Months usually have fractional weeks.")
	default:
		return relation.NULL, badUnit(a[0].Text(), "interval")
	}
	return s.value(), nil
}

// binTimestamp is date_bin: the start of the bin of a length, counted from an origin.
func binTimestamp(_ *Context, a []relation.Value) (relation.Value, error) {
	stride, source, origin := spanOf(a[0]), a[1].Int(), a[2].Int()
	if !isFiniteTimestamp(source) {
		return a[1], nil
	}
	if !isFiniteTimestamp(origin) {
		return relation.NULL, pgerror.New(pgerror.DatetimeFieldOverflow, "origin out of range")
	}
	if stride.months != 0 {
		return relation.NULL, pgerror.New(pgerror.FeatureNotSupported, "timestamps cannot be binned into intervals containing months or years")
	}
	length := int64(stride.days)*microsecondsPerDay + stride.microseconds
	if length <= 0 {
		return relation.NULL, pgerror.New(pgerror.DatetimeFieldOverflow, "stride must be greater than zero")
	}
	return relation.Int(origin + floorDiv64(source-origin, length)*length), nil
}
