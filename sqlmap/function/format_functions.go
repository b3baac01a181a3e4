package function

import (
	"moraine/pgerror"
	"moraine/relation"
)

// formatFunctions are to_char and its inverses.
func formatFunctions() evaluates {
	return evaluates{
		"timestamp_to_char": timestampToChar, "timestamptz_to_char": timestampTZToChar, "interval_to_char": intervalToChar,
		"to_timestamp": toTimestamp, "to_date": toDate, "numeric_to_char": numericToChar, "int4_to_char": numericToChar,
		"int8_to_char": numericToChar, "float4_to_char": floatToChar(6), "float8_to_char": floatToChar(15), "numeric_to_number": toNumber,
	}
}

func timestampToChar(c *Context, a []relation.Value) (relation.Value, error) {
	if !isFiniteTimestamp(a[0].Int()) || a[1].Text() == "" {
		return relation.NULL, nil
	}
	return formatTime(charTimeOf(a[0].Int(), nil), a[1].Text())
}

func timestampTZToChar(c *Context, a []relation.Value) (relation.Value, error) {
	if !isFiniteTimestamp(a[0].Int()) || a[1].Text() == "" {
		return relation.NULL, nil
	}
	offset, abbreviation := offsetAt(a[0].Int(), c.Format.location())
	return formatTime(charTimeOf(a[0].Int()+int64(offset)*microsecondsPerSecond, &zoneText{offset, abbreviation}), a[1].Text())
}

func intervalToChar(_ *Context, a []relation.Value) (relation.Value, error) {
	if a[1].Text() == "" {
		return relation.NULL, nil
	}
	s := spanOf(a[0])
	at := clockOfSpan(s)
	sign := 1
	if at.negative {
		sign = -1
	}
	t := charTime{isInterval: true, date: civil{int(s.months / monthsPerYear), int(s.months % monthsPerYear), int(s.days)},
		clock: clock{sign * int(at.hour), sign * at.minute, sign * at.second, sign * at.microsecond}}
	t.dayOfYear = t.date.year*360 + t.date.month*daysPerMonth + t.date.day
	return formatTime(t, a[1].Text())
}

func formatTime(t charTime, format string) (relation.Value, error) {
	var dst []byte
	for _, node := range parseTimeFormat(format) {
		if node.keyword == "" {
			dst = append(dst, node.literal...)
			continue
		}
		if t.isInterval && !node.validForInterval() {
			return relation.NULL, pgerror.New(pgerror.InvalidDatetimeFormat, "invalid format specification for an interval value").
				WithHint("Intervals are not tied to specific calendar dates.")
		}
		dst = t.append(dst, node)
	}
	return relation.Text(string(dst)), nil
}

func toTimestamp(c *Context, a []relation.Value) (relation.Value, error) {
	parsed, err := parseByFormat(a[0].Text(), a[1].Text())
	if err != nil {
		return relation.NULL, err
	}
	days, microseconds, err := parsed.timestamp(a[0].Text())
	if err != nil {
		return relation.NULL, err
	}
	local, ok := timestampOf(days, microseconds)
	if !ok {
		return relation.NULL, timestampRange()
	}
	if parsed.hasZone {
		return relation.Int(local - int64(parsed.offset)*microsecondsPerSecond), nil
	}
	return relation.Int(fromLocal(local, c.Format.location())), nil
}

func toDate(_ *Context, a []relation.Value) (relation.Value, error) {
	parsed, err := parseByFormat(a[0].Text(), a[1].Text())
	if err != nil {
		return relation.NULL, err
	}
	days, _, err := parsed.timestamp(a[0].Text())
	return relation.Int(days), err
}
