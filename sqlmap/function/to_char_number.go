package function

import (
	"strconv"
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

// numberFormat is a number format taken apart.
type numberFormat struct {
	nodes                        []string
	before, after                int // digit positions on both sides of the point
	zeroFrom                     int // place of the first 0 before the point, from the left; -1 without one
	fill, exponent, roman        bool
	point, signBefore, signAfter bool // S in front or behind
	minusAfter, plus, brackets   bool
	scale                        int // digits that V shifts by
	shift                        bool
}

// numberKeywords are the keywords of number formats, longer ones first.
var numberKeywords = []string{"EEEE", "FM", "PL", "SG", "MI", "PR", "RN", "TH", ",", ".", "0", "9", "B", "C", "D", "G", "L", "S", "V"}

func numberFormatFault(message string) error { return pgerror.New(pgerror.SyntaxError, "%s", message) }

func parseNumberFormat(format string) (*numberFormat, error) {
	f := &numberFormat{zeroFrom: -1}
	for format != "" {
		if format[0] == '"' {
			literal, rest := quotedLiteral(format[1:])
			f.nodes, format = append(f.nodes, "\""+literal), rest
			continue
		}
		keyword := ""
		for _, candidate := range numberKeywords {
			if len(format) >= len(candidate) && strings.EqualFold(format[:len(candidate)], candidate) {
				keyword = candidate
				break
			}
		}
		if keyword == "" {
			literal := firstCharacter(format)
			f.nodes, format = append(f.nodes, "\""+literal), format[len(literal):]
			continue
		}
		if keyword == "TH" {
			f.nodes = append(f.nodes, format[:2])
		} else {
			f.nodes = append(f.nodes, keyword)
		}
		format = format[len(keyword):]
		if err := f.note(keyword); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// note takes account of one keyword.
func (f *numberFormat) note(keyword string) error {
	switch keyword {
	case "9", "0":
		switch {
		case f.brackets:
			return numberFormatFault("\"9\" must be ahead of \"PR\"")
		case f.shift:
			f.scale++
		case f.point:
			f.after++
		default:
			if keyword == "0" && f.zeroFrom < 0 {
				f.zeroFrom = f.before
			}
			f.before++
		}
	case ".", "D":
		if f.point {
			return numberFormatFault("multiple decimal points")
		}
		if f.shift {
			return numberFormatFault("cannot use \"V\" and decimal point together")
		}
		f.point = true
	case "FM":
		f.fill = true
	case "S":
		if f.signBefore || f.signAfter {
			return numberFormatFault("cannot use \"S\" twice")
		}
		if f.before+f.after == 0 {
			f.signBefore = true
		} else {
			f.signAfter = true
		}
	case "MI", "SG":
		f.minusAfter = true
	case "PL":
		f.plus = true
	case "PR":
		f.brackets = true
	case "RN":
		f.roman = true
	case "V":
		f.shift = true
	case "EEEE":
		f.exponent = true
	}
	return nil
}

func numericToChar(_ *Context, a []relation.Value) (relation.Value, error) {
	return numberToChar(decimalOf(textOfNumber(a[0])), a[1].Text())
}

// textOfNumber gives an integer as a numeric; numerics have text already.
func textOfNumber(v relation.Value) relation.Value {
	if v.Text() != "" {
		return v
	}
	return relation.Text(strconv.FormatInt(v.Int(), 10))
}

// floatToChar formats a float by the digits that its type is sure of.
func floatToChar(digits int) Evaluate {
	convert := floatToNumeric(digits)
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		number, err := convert(c, a[:1])
		if err != nil {
			return relation.NULL, err
		}
		return numberToChar(decimalOf(number), a[1].Text())
	}
}

func numberToChar(d *decimal, format string) (relation.Value, error) {
	if format == "" {
		return relation.Text(""), nil
	}
	f, err := parseNumberFormat(format)
	if err != nil {
		return relation.NULL, err
	}
	switch {
	case f.roman:
		return relation.Text(f.romanNumber(d)), nil
	case f.exponent:
		return relation.Text(f.scientific(d)), nil
	case d.form != finite:
		return relation.Text(f.write(d.sign() < 0, strings.Repeat("#", f.before), strings.Repeat("#", f.after))), nil
	}
	if f.shift {
		d, _ = multiplyDecimals(d, &decimal{coefficient: *powerOfTen(f.scale)})
	}
	rounded := d.round(f.after)
	digits := strings.TrimPrefix(rounded.String(), "-")
	integer, fraction, _ := strings.Cut(digits, ".")
	if integer == "0" {
		integer = ""
	}
	width := f.before
	if f.shift {
		width += f.scale
	}
	if len(integer) > width {
		integer, fraction = strings.Repeat("#", width), strings.Repeat("#", f.after)
	}
	return relation.Text(f.write(rounded.coefficient.Sign() < 0, integer, fraction)), nil
}

// write lays digits out by the format.
func (f *numberFormat) write(negative bool, integer, fraction string) string {
	width := f.before
	if f.shift {
		width += f.scale
	}
	positions := make([]byte, width)
	for i := range positions {
		place := i - (width - len(integer))
		switch {
		case place >= 0:
			positions[i] = integer[place]
		case f.zeroFrom >= 0 && i >= f.zeroFrom:
			positions[i] = '0'
		default:
			positions[i] = ' '
		}
	}
	if blank := width > 0 && positions[width-1] == ' '; blank && !f.point {
		positions[width-1] = '0'
	}
	if f.fill {
		fraction = f.trimFraction(fraction)
	}
	w := numberWriter{format: f, negative: negative, positions: positions, fraction: fraction}
	return w.run()
}

// trimFraction drops zeros that only 9s stand for.
func (f *numberFormat) trimFraction(fraction string) string {
	last := 0 // digits up to the last 0 of the format
	count := 0
	point := false
	for _, node := range f.nodes {
		switch {
		case node == "." || node == "D":
			point = true
		case point && node == "9":
			count++
		case point && node == "0":
			count++
			last = count
		}
	}
	for len(fraction) > last && fraction[len(fraction)-1] == '0' {
		fraction = fraction[:len(fraction)-1]
	}
	return fraction
}

// numberWriter writes one number.
type numberWriter struct {
	format    *numberFormat
	negative  bool
	positions []byte
	fraction  string
	built     []byte
	signed    bool
	digit     int
	decimals  int
	point     bool
}

func (w *numberWriter) run() string {
	f := w.format
	for _, node := range f.nodes {
		w.node(node)
	}
	if f.brackets {
		if !w.signed {
			w.placeSign()
		}
		if w.negative {
			w.built = append(w.built, '>')
		} else if !f.fill {
			w.built = append(w.built, ' ')
		}
	}
	if f.signAfter {
		w.built = append(w.built, w.signCharacter())
	}
	return string(w.built)
}

func (w *numberWriter) signCharacter() byte {
	if w.negative {
		return '-'
	}
	return '+'
}

// placeSign writes the sign in front of the first digit, unless the format puts it elsewhere.
func (w *numberWriter) placeSign() {
	f := w.format
	w.signed = true
	switch {
	case f.signAfter || f.minusAfter:
	case f.signBefore:
		w.built = append(w.built, w.signCharacter())
	case f.brackets && w.negative:
		w.built = append(w.built, '<')
	case w.negative && !f.plus || w.negative:
		w.built = append(w.built, '-')
	case !f.fill:
		w.built = append(w.built, ' ')
	}
}

func (w *numberWriter) node(node string) {
	f := w.format
	switch node {
	case "9", "0":
		if w.point {
			w.fractionDigit()
			return
		}
		c := w.positions[w.digit]
		w.digit++
		if c == ' ' {
			if !f.fill {
				w.built = append(w.built, ' ')
			}
			return
		}
		if !w.signed {
			w.placeSign()
		}
		w.built = append(w.built, c)
	case ".", "D":
		if !w.signed {
			w.placeSign()
		}
		w.point = true
		if !f.fill || w.fraction != "" || strings.HasSuffix(strings.Join(f.nodes, ""), node) || f.after > 0 {
			w.built = append(w.built, '.')
		}
	case ",", "G":
		if w.signed && w.digit > 0 {
			w.built = append(w.built, ',')
		} else if !f.fill {
			w.built = append(w.built, ' ')
		}
	case "L":
		if !f.fill {
			w.built = append(w.built, ' ')
		}
	case "MI", "SG":
		w.built = w.appendMark(node)
	case "PL":
		if w.negative {
			w.built = append(w.built, ' ')
		} else {
			w.built = append(w.built, '+')
		}
	case "TH", "th", "Th", "tH":
		if text := strings.TrimSpace(string(w.built)); text != "" && !w.negative && !w.point {
			w.built = append(w.built, ordinalSuffix(text, node == "TH")...)
		}
	default:
		if strings.HasPrefix(node, "\"") {
			w.built = append(w.built, node[1:]...)
		}
	}
}

func (w *numberWriter) appendMark(node string) []byte {
	switch {
	case w.negative:
		return append(w.built, '-')
	case node == "SG":
		return append(w.built, '+')
	case w.format.fill:
		return w.built
	}
	return append(w.built, ' ')
}

func (w *numberWriter) fractionDigit() {
	if w.decimals < len(w.fraction) {
		w.built = append(w.built, w.fraction[w.decimals])
	}
	w.decimals++
}

var romanDigits = []struct {
	value int64
	text  string
}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}}

// romanWidth is the width of the longest Roman number below 4000.
const romanWidth = 15

func (f *numberFormat) romanNumber(d *decimal) string {
	value, ok := d.int64()
	if !ok || value < 1 || value > 3999 {
		return strings.Repeat("#", romanWidth)
	}
	var built strings.Builder
	for _, digit := range romanDigits {
		for ; value >= digit.value; value -= digit.value {
			built.WriteString(digit.text)
		}
	}
	if f.fill {
		return built.String()
	}
	return strings.Repeat(" ", romanWidth-built.Len()) + built.String()
}

// scientific writes d.ddde+xx.
func (f *numberFormat) scientific(d *decimal) string {
	if d.form != finite {
		return " " + strings.Repeat("#", f.before) + "." + strings.Repeat("#", f.after+4)
	}
	exponent := 0
	digits := strings.TrimLeft(strings.NewReplacer("-", "", ".", "").Replace(d.String()), "0")
	if digits != "" {
		exponent = len(digits) - d.scale - 1
	}
	mantissa := &decimal{coefficient: d.coefficient, scale: max(d.scale+exponent, 0)}
	if d.scale+exponent < 0 {
		mantissa.coefficient.Mul(&mantissa.coefficient, powerOfTen(-d.scale-exponent))
	}
	mantissa = mantissa.round(f.after)
	if mantissa.integerDigits() > 1 {
		exponent++
		mantissa = divideToScale(mantissa, decimalFromInt(10), f.after, true)
	}
	text := mantissa.String()
	if mantissa.coefficient.Sign() >= 0 {
		text = " " + text
	}
	sign := "+"
	if exponent < 0 {
		sign, exponent = "-", -exponent
	}
	return text + "e" + sign + string(appendPadded(nil, exponent, 2))
}

// toNumber reads a number by a format: digits and the point count, everything else is skipped.
func toNumber(_ *Context, a []relation.Value) (relation.Value, error) {
	f, err := parseNumberFormat(a[1].Text())
	if err != nil {
		return relation.NULL, err
	}
	var digits strings.Builder
	negative, point := false, false
	decimals := 0
	for _, c := range []byte(a[0].Text()) {
		switch {
		case isDigit(c):
			if point && decimals >= max(f.after, 0) {
				continue
			}
			if point {
				decimals++
			}
			digits.WriteByte(c)
		case c == '.' && !point && (f.point || !f.shift):
			point = true
			digits.WriteByte('.')
		case c == '-' || c == '<':
			negative = true
		}
	}
	text := strings.TrimSuffix(digits.String(), ".")
	if text == "" {
		return relation.NULL, invalidInput("numeric", " ")
	}
	d, ok, err := parseDecimal(text)
	if err != nil || !ok {
		return relation.NULL, invalidInput("numeric", text)
	}
	if f.shift {
		d = divideToScale(d, &decimal{coefficient: *powerOfTen(f.scale)}, f.scale, true)
	}
	if negative {
		d = d.negated()
	}
	return d.value(), nil
}
