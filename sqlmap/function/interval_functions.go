package function

import (
	"math"

	"moraine/relation"
)

func intervalFunctions() evaluates {
	return evaluates{
		"interval_um": func(_ *Context, a []relation.Value) (relation.Value, error) {
			return spanOf(a[0]).negated().value(), nil
		},
		"interval_pl": addIntervals, "interval_mi": subtractIntervals,
		"interval_mul": scaleInterval, "mul_d_interval": swapped(scaleInterval), "interval_div": divideInterval,
		"interval_justify_hours": justified(justifyHours), "interval_justify_days": justified(justifyDays),
		"interval_justify_interval": justified(justifyInterval),
	}
}

func addIntervals(_ *Context, a []relation.Value) (relation.Value, error) {
	sum, ok := spanOf(a[0]).plus(spanOf(a[1]))
	if !ok {
		return relation.NULL, intervalRange()
	}
	return sum.value(), nil
}

func subtractIntervals(_ *Context, a []relation.Value) (relation.Value, error) {
	difference, ok := spanOf(a[0]).plus(spanOf(a[1]).negated())
	if !ok {
		return relation.NULL, intervalRange()
	}
	return difference.value(), nil
}

func scaleInterval(_ *Context, a []relation.Value) (relation.Value, error) {
	return scaled(spanOf(a[0]), func(x float64) float64 { return x * a[1].Float() })
}

func divideInterval(_ *Context, a []relation.Value) (relation.Value, error) {
	if a[1].Float() == 0 {
		return relation.NULL, divisionByZero()
	}
	return scaled(spanOf(a[0]), func(x float64) float64 { return x / a[1].Float() })
}

// roundFraction rounds to a millionth, so that fractions that only arithmetic made do not show.
func roundFraction(x float64) float64 {
	return math.RoundToEven(x*microsecondsPerSecond) / microsecondsPerSecond
}

// scaled multiplies each field; fractions of months become days of a 30-day month, fractions of days become time.
func scaled(s span, scale func(float64) float64) (relation.Value, error) {
	months, days := scale(float64(s.months)), scale(float64(s.days))
	if !(math.Abs(months) <= math.MaxInt32) || !(math.Abs(days) <= math.MaxInt32) {
		return relation.NULL, intervalRange()
	}
	result := span{months: int32(months), days: int32(days)}
	monthDays := roundFraction((months - math.Trunc(months)) * daysPerMonth)
	seconds := roundFraction((days - math.Trunc(days) + monthDays - math.Trunc(monthDays)) * secondsPerDay)
	if math.Abs(seconds) >= secondsPerDay {
		whole := math.Trunc(seconds / secondsPerDay)
		result.days += int32(whole)
		seconds -= whole * secondsPerDay
	}
	result.days += int32(monthDays)
	microseconds := math.RoundToEven(scale(float64(s.microseconds)) + seconds*microsecondsPerSecond)
	if !(math.Abs(microseconds) < math.MaxInt64) {
		return relation.NULL, intervalRange()
	}
	result.microseconds = int64(microseconds)
	return result.value(), nil
}

func justified(justify func(span) (span, bool)) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		result, ok := justify(spanOf(a[0]))
		if !ok {
			return relation.NULL, intervalRange()
		}
		return result.value(), nil
	}
}

// justifyHours moves whole days out of the time, with the sign of the days.
func justifyHours(s span) (span, bool) {
	days := s.microseconds / microsecondsPerDay
	sum := int64(s.days) + days
	s.microseconds -= days * microsecondsPerDay
	if sum > 0 && s.microseconds < 0 {
		s.microseconds += microsecondsPerDay
		sum--
	} else if sum < 0 && s.microseconds > 0 {
		s.microseconds -= microsecondsPerDay
		sum++
	}
	s.days = int32(sum)
	return s, sum == int64(s.days)
}

// justifyDays moves months of 30 days out of the days, with the sign of the months.
func justifyDays(s span) (span, bool) {
	months := s.days / daysPerMonth
	sum := int64(s.months) + int64(months)
	s.days -= months * daysPerMonth
	if sum > 0 && s.days < 0 {
		s.days += daysPerMonth
		sum--
	} else if sum < 0 && s.days > 0 {
		s.days -= daysPerMonth
		sum++
	}
	s.months = int32(sum)
	return s, sum == int64(s.months)
}

func justifyInterval(s span) (span, bool) {
	days := s.microseconds / microsecondsPerDay
	sum := int64(s.days) + days
	s.microseconds -= days * microsecondsPerDay
	months := sum / daysPerMonth
	sum -= months * daysPerMonth
	total := int64(s.months) + months
	if total > 0 && (sum < 0 || sum == 0 && s.microseconds < 0) {
		sum += daysPerMonth
		total--
	} else if total < 0 && (sum > 0 || sum == 0 && s.microseconds > 0) {
		sum -= daysPerMonth
		total++
	}
	if sum > 0 && s.microseconds < 0 {
		s.microseconds += microsecondsPerDay
		sum--
	} else if sum < 0 && s.microseconds > 0 {
		s.microseconds -= microsecondsPerDay
		sum++
	}
	s.days, s.months = int32(sum), int32(total)
	return s, total == int64(s.months)
}
