package function

import (
	"maps"
	"slices"
	"strings"
	"time"

	"moraine/pgerror"
	"moraine/relation"
)

// setRows computes the rows of one call.
type setRows = func(context *Context, arguments []relation.Value) ([]relation.Row, error)

// allSetFunctions are the set-returning functions by pg_proc.prosrc.
func allSetFunctions() map[string]setFunction {
	all := map[string]setFunction{}
	for _, table := range []map[string]setRows{seriesFunctions(), jsonSets(), {
		"generate_subscripts": generateSubscripts, "generate_subscripts_nodir": generateSubscripts,
		"regexp_matches": regexpMatchRows, "regexp_matches_no_flags": regexpMatchRows,
		"regexp_split_to_table": regexpSplitRows, "regexp_split_to_table_no_flags": regexpSplitRows,
		"text_to_table": textToRows, "text_to_table_null": textToRows, "pg_options_to_table": optionRows,
		"pg_get_keywords": keywordSet, "pg_timezone_names": timeZoneRows, "array_unnest": unnest, "_pg_expandarray(anyarray)": numberedElements, "pg_listening_channels": listeningChannels,
		"pg_partition_ancestors": noRows, "pg_available_extensions": noRows, "pg_available_extension_versions": noRows,
		"pg_prepared_xact": noRows, "aclexplode": explodeAccess,
	}} {
		for source, rows := range maps.All(table) {
			all[source] = setFunction{rows: func(*signature) setRows { return rows }}
		}
	}
	return all
}

func noRows(*Context, []relation.Value) ([]relation.Row, error) { return nil, nil }

// singles makes rows of one column that share one allocation.
func singles(values []relation.Value) []relation.Row {
	rows := make([]relation.Row, len(values))
	for i := range values {
		rows[i] = values[i : i+1 : i+1]
	}
	return rows
}

func unnest(_ *Context, a []relation.Value) ([]relation.Row, error) {
	return singles(OpenArray(a[0]).Elements), nil
}

// numberedElements gives the elements of an array of one dimension with their places from 1.
func numberedElements(_ *Context, a []relation.Value) ([]relation.Row, error) {
	elements := OpenArray(a[0]).Elements
	rows := make([]relation.Row, len(elements))
	for i := range elements {
		rows[i] = relation.Row{elements[i], relation.Int(int64(i + 1))}
	}
	return rows, nil
}

func seriesFunctions() map[string]setRows {
	return map[string]setRows{
		"generate_series_int4": integerSeries, "generate_series_step_int4": integerSeries,
		"generate_series_int8": integerSeries, "generate_series_step_int8": integerSeries,
		"generate_series_numeric": numericSeries, "generate_series_step_numeric": numericSeries,
		"generate_series_timestamp": timestampSeries(false), "generate_series_timestamptz": timestampSeries(true),
	}
}

func zeroStep() error {
	return pgerror.New(pgerror.InvalidParameterValue, "step size cannot equal zero")
}

func integerSeries(_ *Context, a []relation.Value) ([]relation.Row, error) {
	start, stop, step := a[0].Int(), a[1].Int(), intArgument(a, 2, 1)
	if step == 0 {
		return nil, zeroStep()
	}
	if step > 0 && start > stop || step < 0 && start < stop {
		return nil, nil
	}
	span := uint64(stop - start)
	if step < 0 {
		span = uint64(start - stop)
	}
	count := span/unsignedMagnitude(step) + 1
	if count > MaximumSetRows || count == 0 {
		return nil, tooManyRows()
	}
	values := make([]relation.Value, count)
	for i := range values {
		values[i] = relation.Int(start + int64(i)*step)
	}
	return singles(values), nil
}

func numericSeries(_ *Context, a []relation.Value) ([]relation.Row, error) {
	current, stop, step := decimalOf(a[0]), decimalOf(a[1]), decimalFromInt(1)
	if len(a) > 2 {
		step = decimalOf(a[2])
	}
	for i, argument := range []*decimal{current, stop, step} {
		if argument.form == finite {
			continue
		}
		name := []string{"start value", "stop value", "step size"}[i]
		if argument.form == notANumber {
			return nil, pgerror.New(pgerror.InvalidParameterValue, "%s cannot be NaN", name)
		}
		return nil, pgerror.New(pgerror.InvalidParameterValue, "%s cannot be infinity", name)
	}
	if step.sign() == 0 {
		return nil, zeroStep()
	}
	var values []relation.Value
	for compareDecimals(current, stop)*step.sign() <= 0 {
		if len(values) == MaximumSetRows {
			return nil, tooManyRows()
		}
		values = append(values, current.value())
		current, _ = addDecimals(current, step)
	}
	return singles(values), nil
}

func timestampSeries(zoned bool) setRows {
	return func(c *Context, a []relation.Value) ([]relation.Row, error) {
		current, stop, step := a[0].Int(), a[1].Int(), spanOf(a[2])
		sign := compareSpans(step, span{})
		if sign == 0 {
			return nil, zeroStep()
		}
		add := timestampInterval(1, zoned)
		var values []relation.Value
		for sign > 0 && current <= stop || sign < 0 && current >= stop {
			if len(values) == MaximumSetRows {
				return nil, tooManyRows()
			}
			values = append(values, relation.Int(current))
			next, err := add(c, []relation.Value{relation.Int(current), a[2]})
			if err != nil {
				return nil, err
			}
			if next.Int() == current {
				break // an infinite start never moves
			}
			current = next.Int()
		}
		return singles(values), nil
	}
}

func generateSubscripts(_ *Context, a []relation.Value) ([]relation.Row, error) {
	d, ok := dimensionAt(a)
	if !ok {
		return nil, nil
	}
	values := make([]relation.Value, d.length)
	for i := range values {
		values[i] = relation.Int(int64(d.lower + i))
	}
	if len(a) > 2 && a[2].Bool() {
		slices.Reverse(values)
	}
	return singles(values), nil
}

func regexpSplitRows(c *Context, a []relation.Value) ([]relation.Row, error) {
	fields, err := regexpFields(c, a, "regexp_split_to_table()")
	return singles(fields), err
}

func textToRows(_ *Context, a []relation.Value) ([]relation.Row, error) {
	if a[0].IsNull() {
		return nil, nil
	}
	return singles(splitFields(a)), nil
}

// optionRows cuts texts of the form name=value.
func optionRows(_ *Context, a []relation.Value) ([]relation.Row, error) {
	var rows []relation.Row
	for _, option := range OpenArray(a[0]).Elements {
		name, value, ok := strings.Cut(option.Text(), "=")
		row := relation.Row{relation.Text(name), relation.NULL}
		if ok {
			row[1] = relation.Text(value)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func keywordSet(*Context, []relation.Value) ([]relation.Row, error) {
	rows := make([]relation.Row, len(keywords.list))
	for i, k := range keywords.list {
		rows[i] = relation.Row{relation.Text(k.word), relation.Text(k.category), relation.Bool(k.bareLabel == "t"),
			relation.Text(k.description), relation.Text(k.bareDescription)}
	}
	return rows, nil
}

func timeZoneRows(c *Context, _ []relation.Value) ([]relation.Row, error) {
	var rows []relation.Row
	for _, name := range timeZones.names {
		location, ok := FindLocation(name)
		if !ok {
			continue
		}
		at := c.TransactionTime
		if at.IsZero() {
			at = time.Now()
		}
		abbreviation, offset := at.In(location).Zone()
		rows = append(rows, relation.Row{relation.Text(name), relation.Text(abbreviation),
			relation.Interval(int64(offset)*microsecondsPerSecond, 0, 0), relation.Bool(at.In(location).IsDST())})
	}
	return rows, nil
}
