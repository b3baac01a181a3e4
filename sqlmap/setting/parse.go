package setting

import (
	"math"
	"strconv"
	"strings"

	"moraine/pgerror"
)

// Parse reads a value for the parameter and gives it as it is kept: booleans as on and off, numbers in the parameter's
// unit, enumerations in lower case.
func (p *Parameter) Parse(value string) (string, error) {
	switch p.Kind {
	case Bool:
		return p.parseBool(value)
	case Integer, Real:
		return p.parseNumber(value)
	case Enum:
		for _, known := range p.Values {
			if strings.EqualFold(known, value) {
				return known, nil
			}
		}
		if on, ok := boolOf(value); ok && len(value) > 0 {
			for _, known := range p.Values {
				if known == onOff(on) {
					return known, nil
				}
			}
		}
		return "", p.invalid(value).WithHint("Available values: %s.", strings.Join(p.Values, ", "))
	}
	return p.parseString(value)
}

func (p *Parameter) invalid(value string) *pgerror.Error {
	return pgerror.New(pgerror.InvalidParameterValue, "invalid value for parameter \"%s\": \"%s\"", p.Name, value)
}

func (p *Parameter) parseBool(value string) (string, error) {
	on, ok := boolOf(value)
	if !ok {
		return "", pgerror.New(pgerror.InvalidParameterValue, "parameter \"%s\" requires a Boolean value", p.Name)
	}
	return onOff(on), nil
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// boolOf reads a boolean as PostgreSQL does: a unique prefix of true, false, yes, no, on, off, or 1 or 0.
func boolOf(value string) (result, ok bool) {
	text := strings.ToLower(value)
	switch {
	case text == "":
		return false, false
	case strings.HasPrefix("true", text), strings.HasPrefix("yes", text), text == "on", text == "1":
		return true, true
	case strings.HasPrefix("false", text), strings.HasPrefix("no", text), strings.HasPrefix("off", text) && len(text) > 1, text == "0":
		return false, true
	}
	return false, false
}

// unit is one spelling of a unit and how many base units it holds.
type unit struct {
	name string
	size float64
}

// Units in falling order of size, in milliseconds and in bytes.
var (
	timeUnits   = []unit{{"d", 86400000}, {"h", 3600000}, {"min", 60000}, {"s", 1000}, {"ms", 1}, {"us", 0.001}}
	memoryUnits = []unit{{"TB", 1 << 40}, {"GB", 1 << 30}, {"MB", 1 << 20}, {"kB", 1 << 10}, {"B", 1}}
)

// units gives the units that the parameter's values may have, and the size of its own.
func (p *Parameter) units() ([]unit, float64) {
	switch p.Unit {
	case "ms":
		return timeUnits, 1
	case "s":
		return timeUnits, 1000
	case "kB":
		return memoryUnits, 1 << 10
	case "8kB":
		return memoryUnits, 8 << 10
	case "B":
		return memoryUnits, 1
	}
	return nil, 1
}

func (p *Parameter) parseNumber(value string) (string, error) {
	text := strings.TrimSpace(value)
	end := 0
	for end < len(text) && (text[end] >= '0' && text[end] <= '9' || strings.IndexByte("+-.", text[end]) >= 0 ||
		(text[end] == 'e' || text[end] == 'E') && end+1 < len(text) && strings.IndexByte("+-0123456789", text[end+1]) >= 0) {
		end++
	}
	var number float64
	if hexadecimal, err := strconv.ParseInt(text, 0, 64); err == nil && strings.HasPrefix(strings.ToLower(text), "0x") {
		number, end = float64(hexadecimal), len(text)
	} else if number, err = strconv.ParseFloat(text[:end], 64); err != nil {
		return "", p.invalid(value)
	}
	if suffix := strings.TrimSpace(text[end:]); suffix != "" {
		scaled, err := p.scale(number, suffix, value)
		if err != nil {
			return "", err
		}
		number = scaled
	}
	if p.Kind == Integer {
		number = math.RoundToEven(number)
	}
	if minimum, err := strconv.ParseFloat(p.Minimum, 64); err == nil && number < minimum {
		return "", p.outside(number)
	}
	if maximum, err := strconv.ParseFloat(p.Maximum, 64); err == nil && number > maximum {
		return "", p.outside(number)
	}
	return formatNumber(number), nil
}

func (p *Parameter) scale(number float64, suffix, value string) (float64, error) {
	units, own := p.units()
	names := make([]string, 0, len(units))
	for _, unit := range units {
		if unit.name == suffix {
			return number * unit.size / own, nil
		}
		names = append([]string{`"` + unit.name + `"`}, names...)
	}
	err := p.invalid(value)
	if len(names) > 0 {
		last := len(names) - 1
		err = err.WithHint("Valid units for this parameter are %s, and %s.", strings.Join(names[:last], ", "), names[last])
	}
	return 0, err
}

func (p *Parameter) outside(number float64) error {
	text := formatNumber(number)
	if p.Unit != "" {
		text += " " + p.Unit
	}
	return pgerror.New(pgerror.InvalidParameterValue, "%s is outside the valid range for parameter \"%s\" (%s .. %s)",
		text, p.Name, p.Minimum, p.Maximum)
}

func formatNumber(number float64) string { return strconv.FormatFloat(number, 'g', -1, 64) }

// show gives a kept value as SHOW prints it: numbers in the largest unit that holds them whole.
func (p *Parameter) show(value string) string {
	units, own := p.units()
	number, err := strconv.ParseFloat(value, 64)
	if p.Kind == Integer && err == nil {
		if units == nil || number <= 0 {
			return strconv.FormatInt(int64(number), 10)
		}
		for _, unit := range units {
			if whole := number * own / unit.size; whole == math.Trunc(whole) {
				return strconv.FormatInt(int64(whole), 10) + unit.name
			}
		}
	}
	if p.Kind == Real && err == nil && units != nil && number > 0 {
		for _, unit := range units {
			if whole := number * own / unit.size; whole >= 1 {
				return formatNumber(whole) + unit.name
			}
		}
	}
	return value
}
