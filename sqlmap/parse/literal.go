package parse

import (
	"slices"
	"strconv"
	"strings"

	"moraine/relation"
)

// LiteralInsert is INSERT INTO [schema.]table [(columns)] VALUES (...), ... whose values are all plain literals.
type LiteralInsert struct {
	Schema        string // "" when the name is not qualified
	Table         string
	TableLocation int
	Columns       []LiteralColumn // nil when the statement names none
	// Width is the number of values of a row; Values holds the rows one after the other.
	Width  int
	Values []Literal
}

// LiteralColumn is a name in the column list of a LiteralInsert.
type LiteralColumn struct {
	Name     string
	Location int
}

// LiteralKind says what a Literal is.
type LiteralKind uint8

// Kinds of literals.
const (
	LiteralNull    LiteralKind = iota
	LiteralInteger             // a number without point and exponent that fits in 64 bits: Integer
	LiteralNumeric             // any other number: Text
	LiteralString              // of unknown type: Text
	LiteralBoolean             // Integer 0 or 1
	LiteralNow                 // the call now()
	LiteralCast                // CAST('Text' AS Type)
	NumberOfLiteralKinds
)

// Literal is one value of a LiteralInsert.
type Literal struct {
	Kind     LiteralKind
	Type     uint32 // of LiteralCast: the OID
	Location int32  // byte offset in the statement
	Integer  int64
	Text     string
}

// castTypes are the types that the literal reader knows in CAST('...' AS type), by their words.
var castTypes = map[string]uint32{
	"bigint":                      relation.Int8OID,
	"bool":                        relation.BoolOID,
	"boolean":                     relation.BoolOID,
	"bytea":                       relation.ByteaOID,
	"date":                        relation.DateOID,
	"decimal":                     relation.NumericOID,
	"double precision":            relation.Float8OID,
	"int":                         relation.Int4OID,
	"integer":                     relation.Int4OID,
	"interval":                    relation.IntervalOID,
	"numeric":                     relation.NumericOID,
	"real":                        relation.Float4OID,
	"smallint":                    relation.Int2OID,
	"text":                        relation.TextOID,
	"time":                        relation.TimeOID,
	"time with time zone":         relation.TimeTZOID,
	"time without time zone":      relation.TimeOID,
	"timestamp":                   relation.TimestampOID,
	"timestamp with time zone":    relation.TimestampTZOID,
	"timestamp without time zone": relation.TimestampOID,
	"uuid":                        relation.UUIDOID,
	"varchar":                     relation.VarcharOID,
}

// longestCastType is the length of the longest key of castTypes.
const longestCastType = len("timestamp without time zone")

// readLiteralInsert reads the statement at start and gives the offset of its semicolon or of the end of the text. It
// answers false for everything that it does not know.
func readLiteralInsert(text string, start int) (*LiteralInsert, int, bool) {
	reader := literalReader{text: text, at: start, start: start}
	if !reader.word("insert") || !reader.blank() || !reader.word("into") || !reader.blankOrQuote() {
		return nil, 0, false
	}
	insert := &LiteralInsert{TableLocation: reader.at - start}
	if !reader.target(insert) || !reader.word("values") || !reader.rows(insert) {
		return nil, 0, false
	}
	return insert, reader.at, true
}

// literalReader is a place in the text. Its methods answer false where the text is not what they know, and leave the place
// where it then happens to be.
type literalReader struct {
	text      string
	at, start int
}

func (r *literalReader) skip() { r.at = skipBlanks(r.text, r.at) }

// word reads a word in any case, not followed by more of an identifier.
func (r *literalReader) word(lower string) bool {
	end := r.at + len(lower)
	if end > len(r.text) || end < len(r.text) && isIdentifierPart(r.text[end]) || !strings.EqualFold(r.text[r.at:end], lower) {
		return false
	}
	r.at = end
	return true
}

func (r *literalReader) blank() bool {
	before := r.at
	r.skip()
	return r.at > before
}

func (r *literalReader) blankOrQuote() bool {
	return r.blank() || r.at < len(r.text) && r.text[r.at] == '"'
}

// symbol reads one character and the blanks around it.
func (r *literalReader) symbol(c byte) bool {
	r.skip()
	if r.at == len(r.text) || r.text[r.at] != c {
		return false
	}
	r.at++
	r.skip()
	return true
}

// target reads the name of the table and the column list.
func (r *literalReader) target(insert *LiteralInsert) bool {
	name, ok := r.identifier()
	if !ok {
		return false
	}
	if r.at < len(r.text) && r.text[r.at] == '.' {
		r.at++
		insert.Schema = name
		if name, ok = r.identifier(); !ok {
			return false
		}
	}
	insert.Table = name
	r.skip()
	if r.at == len(r.text) || r.text[r.at] != '(' {
		return true
	}
	for separator := byte('('); ; separator = ',' {
		if !r.symbol(separator) {
			break
		}
		location := r.at - r.start
		name, ok := r.identifier()
		if !ok {
			return false
		}
		insert.Columns = append(insert.Columns, LiteralColumn{Name: name, Location: location})
	}
	return r.symbol(')')
}

// maximumIdentifierBytes is NAMEDATALEN - 1: longer names are cut, with a notice.
const maximumIdentifierBytes = 63

func (r *literalReader) identifier() (string, bool) {
	if r.at < len(r.text) && r.text[r.at] == '"' {
		return r.quotedIdentifier()
	}
	begin, upper := r.at, false
	for r.at < len(r.text) && isIdentifierPart(r.text[r.at]) {
		c := r.text[r.at]
		if c >= 0x80 {
			return "", false
		}
		upper = upper || c >= 'A' && c <= 'Z'
		r.at++
	}
	name := r.text[begin:r.at]
	if name == "" || !isIdentifierStart(name[0]) || len(name) > maximumIdentifierBytes {
		return "", false
	}
	if upper {
		name = strings.ToLower(name)
	}
	// A quote right after a word would make it the prefix of a string: U&"x".
	if reservedWords[name] || r.at < len(r.text) && (r.text[r.at] == '"' || r.text[r.at] == '\'' || r.text[r.at] == '&') {
		return "", false
	}
	return name, true
}

func (r *literalReader) quotedIdentifier() (string, bool) {
	begin := r.at + 1
	length := strings.IndexByte(r.text[begin:], '"')
	if length <= 0 || length > maximumIdentifierBytes {
		return "", false
	}
	r.at = begin + length + 1
	if r.at < len(r.text) && r.text[r.at] == '"' {
		return "", false
	}
	return r.text[begin : begin+length], true
}

func (r *literalReader) rows(insert *LiteralInsert) bool {
	r.skip()
	for {
		before := len(insert.Values)
		for separator := byte('('); r.symbol(separator); separator = ',' {
			literal := Literal{Location: int32(r.at - r.start)}
			if !r.literal(&literal) {
				return false
			}
			insert.Values = append(insert.Values, literal)
		}
		width := len(insert.Values) - before
		if width == 0 || insert.Width != 0 && width != insert.Width || !r.symbol(')') {
			return false
		}
		if insert.Width == 0 {
			insert.Width = width
			insert.Values = r.reserve(insert.Values)
		}
		if r.at == len(r.text) || r.text[r.at] == ';' {
			return true
		}
		if !r.symbol(',') {
			return false
		}
	}
}

// maximumReserved bounds the values that are made room for by the length of the first row.
const maximumReserved = 1 << 16

// reserve makes room for the values that the rest of the text may hold.
func (r *literalReader) reserve(first []Literal) []Literal {
	rowBytes := r.at - r.start - int(first[0].Location) + 1
	if rest := (len(r.text) - r.at) / rowBytes * len(first); rest > 0 {
		return slices.Grow(first, min(rest, maximumReserved))
	}
	return first
}

func (r *literalReader) literal(literal *Literal) bool {
	if r.at == len(r.text) {
		return false
	}
	switch c := r.text[r.at]; c {
	case '\'':
		literal.Kind = LiteralString
		return r.quoted(literal)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return r.number(literal)
	case 'n', 'N':
		if r.word("null") {
			literal.Kind = LiteralNull
			return true
		}
		literal.Kind = LiteralNow
		return r.word("now") && r.text[r.at:min(r.at+2, len(r.text))] == "()" && r.advance(2)
	case 't', 'T':
		literal.Kind, literal.Integer = LiteralBoolean, 1
		return r.word("true")
	case 'f', 'F':
		literal.Kind = LiteralBoolean
		return r.word("false")
	case 'c', 'C':
		literal.Kind = LiteralCast
		return r.cast(literal)
	}
	return false
}

func (r *literalReader) advance(bytes int) bool {
	r.at += bytes
	return true
}

// quoted reads a string; one that goes on after a newline is left to libpg_query, as what follows is no comma then.
func (r *literalReader) quoted(literal *Literal) bool {
	begin := r.at + 1
	doubled := false
	for at := begin; ; {
		length := strings.IndexByte(r.text[at:], '\'')
		if length < 0 {
			return false
		}
		at += length + 1
		if at < len(r.text) && r.text[at] == '\'' {
			doubled = true
			at++
			continue
		}
		literal.Text, r.at = r.text[begin:at-1], at
		break
	}
	if doubled {
		literal.Text = strings.ReplaceAll(literal.Text, "''", "'")
	}
	return true
}

func (r *literalReader) number(literal *Literal) bool {
	begin := r.at
	if r.text[r.at] == '-' {
		r.at++
	}
	digits := r.digits()
	if digits == 0 {
		return false
	}
	whole := true
	if r.at < len(r.text) && r.text[r.at] == '.' {
		r.at++
		r.digits()
		whole = false
	}
	if r.at < len(r.text) && (r.text[r.at] == 'e' || r.text[r.at] == 'E') {
		r.at++
		if r.at < len(r.text) && (r.text[r.at] == '-' || r.text[r.at] == '+') {
			r.at++
		}
		if r.digits() == 0 {
			return false
		}
		whole = false
	}
	if r.at < len(r.text) && (isIdentifierPart(r.text[r.at]) || r.text[r.at] == '.') {
		return false
	}
	literal.Kind, literal.Text = LiteralNumeric, r.text[begin:r.at]
	if whole {
		if integer, err := strconv.ParseInt(literal.Text, 10, 64); err == nil {
			literal.Kind, literal.Integer = LiteralInteger, integer
		}
	}
	return true
}

// digits reads digits and gives their number.
func (r *literalReader) digits() int {
	begin := r.at
	for r.at < len(r.text) && isDigit(r.text[r.at]) {
		r.at++
	}
	return r.at - begin
}

func (r *literalReader) cast(literal *Literal) bool {
	if !r.word("cast") || !r.symbol('(') || r.at == len(r.text) || r.text[r.at] != '\'' {
		return false
	}
	if !r.quoted(literal) || !r.blank() || !r.word("as") || !r.blank() {
		return false
	}
	length := strings.IndexByte(r.text[r.at:min(len(r.text), r.at+longestCastType+1)], ')')
	if length < 0 {
		return false
	}
	var known bool
	if literal.Type, known = castTypes[r.text[r.at:r.at+length]]; !known {
		if literal.Type, known = castTypes[strings.ToLower(r.text[r.at:r.at+length])]; !known {
			return false
		}
	}
	r.at += length + 1
	return true
}
