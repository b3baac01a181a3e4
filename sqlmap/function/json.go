package function

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"moraine/pgerror"
	"moraine/relation"
)

// maximumJSONDepth bounds how deep arrays and objects nest.
const maximumJSONDepth = 6000

// jsonKind is the kind of a JSON value; the order is jsonb's order of kinds.
type jsonKind byte

const (
	jsonNull jsonKind = iota
	jsonString
	jsonNumber
	jsonFalse
	jsonTrue
	jsonArray
	jsonObject
)

// jsonValue is a parsed JSON value. text is the characters of a string or the digits of a number; raw is the source text.
type jsonValue struct {
	kind     jsonKind
	text     string
	raw      string
	elements []jsonValue
	keys     []string // of an object, in step with elements
}

func jsonCodecs() map[uint32]*codec {
	return map[uint32]*codec{
		relation.JSONOID: {input: inputJSON, appendText: appendPlainText, parseBinary: parseJSONBinary, appendBinary: appendRawText},
		relation.JSONBOID: {input: inputJSONB, appendText: appendPlainText, parseBinary: parseJSONBBinary,
			appendBinary: appendJSONBBinary, compare: compareJSONB, hashKey: appendJSONBKey},
		JSONPathOID: {input: inputText, appendText: appendPlainText},
	}
}

func inputJSON(text string, _ *Format) (relation.Value, error) {
	if _, err := parseJSON(text, false); err != nil {
		return relation.NULL, err
	}
	return relation.Text(text), nil
}

func inputJSONB(text string, _ *Format) (relation.Value, error) {
	parsed, err := parseJSON(text, true)
	if err != nil {
		return relation.NULL, err
	}
	return jsonbOf(parsed), nil
}

func parseJSONBinary(data []byte) (relation.Value, error) {
	v, err := parseTextBinary(data)
	if err != nil {
		return v, err
	}
	return inputJSON(v.Text(), nil)
}

func parseJSONBBinary(data []byte) (relation.Value, error) {
	if len(data) == 0 || data[0] != 1 {
		return relation.NULL, pgerror.New(pgerror.InvalidBinaryRepresentation, "unsupported jsonb version number %d", firstByte(data))
	}
	v, err := parseTextBinary(data[1:])
	if err != nil {
		return v, err
	}
	return inputJSONB(v.Text(), nil)
}

func firstByte(data []byte) byte {
	if len(data) == 0 {
		return 0
	}
	return data[0]
}

func appendJSONBBinary(dst []byte, v relation.Value) []byte {
	return append(append(dst, 1), v.Text()...)
}

// jsonbOf gives the normalised text: keys sorted by length, then bytes, the last of equal keys kept.
func jsonbOf(parsed jsonValue) relation.Value {
	normaliseJSON(&parsed)
	return relation.Text(string(appendJSON(nil, &parsed)))
}

// normaliseJSON sorts keys and drops duplicates.
func normaliseJSON(v *jsonValue) {
	for i := range v.elements {
		normaliseJSON(&v.elements[i])
	}
	if v.kind != jsonObject {
		return
	}
	order := make([]int, len(v.keys))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return lessKey(v.keys[order[a]], v.keys[order[b]]) })
	keys, elements := make([]string, 0, len(order)), make([]jsonValue, 0, len(order))
	for i, place := range order {
		if i+1 < len(order) && v.keys[order[i+1]] == v.keys[place] {
			continue
		}
		keys, elements = append(keys, v.keys[place]), append(elements, v.elements[place])
	}
	v.keys, v.elements = keys, elements
}

func lessKey(a, b string) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}

// appendJSON writes jsonb's text: a blank after each comma and colon.
func appendJSON(dst []byte, v *jsonValue) []byte {
	switch v.kind {
	case jsonNull:
		return append(dst, "null"...)
	case jsonFalse:
		return append(dst, "false"...)
	case jsonTrue:
		return append(dst, "true"...)
	case jsonNumber:
		return append(dst, v.text...)
	case jsonString:
		return appendJSONString(dst, v.text)
	}
	open, closed := byte('['), byte(']')
	if v.kind == jsonObject {
		open, closed = '{', '}'
	}
	dst = append(dst, open)
	for i := range v.elements {
		if i > 0 {
			dst = append(dst, ',', ' ')
		}
		if v.kind == jsonObject {
			dst = append(appendJSONString(dst, v.keys[i]), ':', ' ')
		}
		dst = appendJSON(dst, &v.elements[i])
	}
	return append(dst, closed)
}

// appendJSONString quotes a string.
func appendJSONString(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			if c < 0x20 {
				dst = append(dst, '\\', 'u', '0', '0', '0'+c>>4, "0123456789abcdef"[c&15])
			} else {
				dst = append(dst, c)
			}
		}
	}
	return append(dst, '"')
}

// compareJSONB is jsonb's order: by kind (Object > Array > Boolean > Number > String > Null), then by size, then by
// contents; an empty array is below everything.
func compareJSONB(a, b relation.Value) int {
	x, y := openJSON(a), openJSON(b)
	return compareJSON(&x, &y)
}

func compareJSON(a, b *jsonValue) int {
	if order := rankJSON(a) - rankJSON(b); order != 0 {
		return order
	}
	switch a.kind {
	case jsonString:
		return strings.Compare(a.text, b.text)
	case jsonNumber:
		return compareNumeric(relation.Text(a.text), relation.Text(b.text))
	}
	if order := len(a.elements) - len(b.elements); order != 0 {
		return order
	}
	for i := range a.elements {
		if a.kind == jsonObject && a.keys[i] != b.keys[i] {
			if lessKey(a.keys[i], b.keys[i]) {
				return -1
			}
			return 1
		}
		if order := compareJSON(&a.elements[i], &b.elements[i]); order != 0 {
			return order
		}
	}
	return 0
}

func rankJSON(v *jsonValue) int {
	if v.kind == jsonArray && len(v.elements) == 0 {
		return -1
	}
	return int(v.kind)
}

func appendJSONBKey(dst []byte, v relation.Value) []byte {
	parsed := openJSON(v)
	shortenNumbers(&parsed)
	return appendJSON(dst, &parsed)
}

func shortenNumbers(v *jsonValue) {
	if v.kind == jsonNumber {
		v.text = string(appendNumericKey(nil, relation.Text(v.text)))
	}
	for i := range v.elements {
		shortenNumbers(&v.elements[i])
	}
}

// openJSON parses a json or jsonb value, whose text has been checked before.
func openJSON(v relation.Value) jsonValue {
	parsed, _ := parseJSON(v.Text(), false)
	return parsed
}

// jsonParser reads JSON text.
type jsonParser struct {
	text   string
	place  int
	binary bool // for jsonb: numbers and escapes are checked more strictly
	depth  int
}

// parseJSON reads a whole text. For jsonb, numbers become numeric and \u0000 is refused.
func parseJSON(text string, binary bool) (jsonValue, error) {
	p := jsonParser{text: text, binary: binary}
	v, err := p.value()
	if err != nil {
		return v, err
	}
	p.space()
	if p.place < len(text) {
		return v, p.unexpected("Expected end of input, but found \"%s\".")
	}
	return v, nil
}

func (p *jsonParser) space() {
	for p.place < len(p.text) {
		switch p.text[p.place] {
		case ' ', '\t', '\n', '\r':
			p.place++
		default:
			return
		}
	}
}

// token gives the word at the current place, as error messages show it.
func (p *jsonParser) token() string {
	end := p.place
	for end < len(p.text) && (isLetter(p.text[end]) || isDigit(p.text[end]) || p.text[end] == '_' || p.text[end] >= utf8.RuneSelf) {
		end++
	}
	if end == p.place {
		_, size := utf8.DecodeRuneInString(p.text[p.place:])
		end += size
	}
	return p.text[p.place:end]
}

func (p *jsonParser) fail(detail string, arguments ...any) error {
	where := "JSON data, line " + strconv.Itoa(1+strings.Count(p.text[:min(p.place, len(p.text))], "\n")) + ": "
	line := p.text
	if start := strings.LastIndexByte(p.text[:min(p.place, len(p.text))], '\n'); start >= 0 {
		line = line[start+1:]
	}
	line, _, _ = strings.Cut(line, "\n")
	failure := pgerror.New(pgerror.InvalidTextRepresentation, "invalid input syntax for type json").WithDetail(detail, arguments...)
	failure.Where = where + line
	return failure
}

func (p *jsonParser) unexpected(detail string) error {
	p.space()
	if p.place >= len(p.text) {
		return p.fail("The input string ended unexpectedly.")
	}
	token := p.token()
	if isLetter(token[0]) && token != "true" && token != "false" && token != "null" {
		return p.fail("Token \"%s\" is invalid.", token)
	}
	return p.fail(detail, token)
}

func (p *jsonParser) value() (jsonValue, error) {
	p.space()
	start := p.place
	v, err := p.bare()
	v.raw = p.text[start:min(p.place, len(p.text))]
	return v, err
}

func (p *jsonParser) bare() (jsonValue, error) {
	if p.place >= len(p.text) {
		return jsonValue{}, p.fail("The input string ended unexpectedly.")
	}
	switch c := p.text[p.place]; {
	case c == '"':
		text, err := p.string()
		return jsonValue{kind: jsonString, text: text}, err
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case c == '-' || isDigit(c):
		return p.number()
	}
	for word, kind := range map[string]jsonKind{"true": jsonTrue, "false": jsonFalse, "null": jsonNull} {
		if p.token() == word {
			p.place += len(word)
			return jsonValue{kind: kind}, nil
		}
	}
	return jsonValue{}, p.unexpected("Expected JSON value, but found \"%s\".")
}

func (p *jsonParser) enter() error {
	if p.depth++; p.depth > maximumJSONDepth {
		return pgerror.New(pgerror.StatementTooComplex, "stack depth limit exceeded")
	}
	p.place++
	return nil
}

func (p *jsonParser) array() (jsonValue, error) {
	v := jsonValue{kind: jsonArray}
	if err := p.enter(); err != nil {
		return v, err
	}
	defer func() { p.depth-- }()
	for {
		p.space()
		if p.at(']') && len(v.elements) == 0 {
			p.place++
			return v, nil
		}
		element, err := p.value()
		if err != nil {
			return v, err
		}
		v.elements = append(v.elements, element)
		p.space()
		switch {
		case p.at(','):
			p.place++
		case p.at(']'):
			p.place++
			return v, nil
		default:
			return v, p.unexpected("Expected \",\" or \"]\", but found \"%s\".")
		}
	}
}

func (p *jsonParser) at(c byte) bool { return p.place < len(p.text) && p.text[p.place] == c }

func (p *jsonParser) object() (jsonValue, error) {
	v := jsonValue{kind: jsonObject}
	if err := p.enter(); err != nil {
		return v, err
	}
	defer func() { p.depth-- }()
	for {
		p.space()
		if p.at('}') && len(v.keys) == 0 {
			p.place++
			return v, nil
		}
		if !p.at('"') {
			if len(v.keys) == 0 {
				return v, p.unexpected("Expected string or \"}\", but found \"%s\".")
			}
			return v, p.unexpected("Expected string, but found \"%s\".")
		}
		key, err := p.string()
		if err != nil {
			return v, err
		}
		p.space()
		if !p.at(':') {
			return v, p.unexpected("Expected \":\", but found \"%s\".")
		}
		p.place++
		element, err := p.value()
		if err != nil {
			return v, err
		}
		v.keys, v.elements = append(v.keys, key), append(v.elements, element)
		p.space()
		switch {
		case p.at(','):
			p.place++
		case p.at('}'):
			p.place++
			return v, nil
		default:
			return v, p.unexpected("Expected \",\" or \"}\", but found \"%s\".")
		}
	}
}

func (p *jsonParser) number() (jsonValue, error) {
	start := p.place
	if p.at('-') {
		p.place++
	}
	integer := p.digits()
	valid := integer == 1 || integer > 1 && p.text[p.place-integer] != '0'
	if p.at('.') {
		p.place++
		valid = p.digits() > 0 && valid
	}
	if p.at('e') || p.at('E') {
		p.place++
		if p.at('+') || p.at('-') {
			p.place++
		}
		valid = p.digits() > 0 && valid
	}
	for p.place < len(p.text) && (isLetter(p.text[p.place]) || isDigit(p.text[p.place])) {
		p.place++
		valid = false
	}
	text := p.text[start:p.place]
	if !valid {
		return jsonValue{}, p.fail("Token \"%s\" is invalid.", text)
	}
	if !p.binary {
		return jsonValue{kind: jsonNumber, text: text}, nil
	}
	number, err := inputNumeric(text, nil)
	return jsonValue{kind: jsonNumber, text: number.Text()}, err
}

func (p *jsonParser) digits() int {
	start := p.place
	for p.place < len(p.text) && isDigit(p.text[p.place]) {
		p.place++
	}
	return p.place - start
}

func (p *jsonParser) string() (string, error) {
	p.place++
	start := p.place
	for p.place < len(p.text) {
		switch c := p.text[p.place]; {
		case c == '"':
			text := p.text[start:p.place]
			p.place++
			return text, nil
		case c == '\\':
			return p.escapedString(start)
		case c < 0x20:
			return "", p.fail("Character with value 0x%02x must be escaped.", c)
		}
		p.place++
	}
	p.place = len(p.text)
	return "", p.fail("Token \"%s\" is invalid.", p.text[start-1:])
}

// escapedString reads the rest of a string in which an escape was met.
func (p *jsonParser) escapedString(start int) (string, error) {
	built := []byte(p.text[start:p.place])
	for p.place < len(p.text) {
		c := p.text[p.place]
		switch {
		case c == '"':
			p.place++
			return string(built), nil
		case c < 0x20:
			return "", p.fail("Character with value 0x%02x must be escaped.", c)
		case c != '\\':
			built = append(built, c)
			p.place++
			continue
		}
		p.place++
		var err error
		if built, err = p.escape(built); err != nil {
			return "", err
		}
	}
	return "", p.fail("Token \"%s\" is invalid.", p.text[start-1:])
}

func (p *jsonParser) escape(built []byte) ([]byte, error) {
	if p.place >= len(p.text) {
		return built, nil
	}
	c := p.text[p.place]
	p.place++
	if place := strings.IndexByte(`"\/bfnrt`, c); place >= 0 {
		return append(built, "\"\\/\b\f\n\r\t"[place]), nil
	}
	if c != 'u' {
		return nil, p.fail("Escape sequence \"\\%s\" is invalid.", string(c))
	}
	code, err := p.hexCode()
	if err != nil {
		return nil, err
	}
	if code >= 0xd800 && code < 0xdc00 && strings.HasPrefix(p.text[p.place:], `\u`) {
		p.place += 2
		low, err := p.hexCode()
		if err != nil {
			return nil, err
		}
		if low >= 0xdc00 && low < 0xe000 {
			return utf8.AppendRune(built, 0x10000+(code-0xd800)<<10+(low-0xdc00)), nil
		}
		return nil, p.fail("Unicode low surrogate must follow a high surrogate.")
	}
	switch {
	case code >= 0xd800 && code < 0xe000:
		return nil, p.fail("Unicode low surrogate must follow a high surrogate.")
	case code == 0 && p.binary:
		return nil, pgerror.New(pgerror.UntranslatableCharacter, "unsupported Unicode escape sequence").
			WithDetail("\\u0000 cannot be converted to text.")
	}
	return utf8.AppendRune(built, code), nil
}

func (p *jsonParser) hexCode() (rune, error) {
	if p.place+4 > len(p.text) {
		return 0, p.fail("\"\\u\" must be followed by four hexadecimal digits.")
	}
	code, err := strconv.ParseUint(p.text[p.place:p.place+4], 16, 32)
	if err != nil {
		return 0, p.fail("\"\\u\" must be followed by four hexadecimal digits.")
	}
	p.place += 4
	return rune(code), nil
}
