package parse

import (
	"math"
	"strconv"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/sqlmap/recent"
)

// templates keeps what is known of statements that differ in nothing but the digits of numbers, by their common form. A
// client that reads a lake names the latest snapshot in most statements, so that their texts are new after each commit and
// their forms are not. A nil template is a form that was seen once. It is shared by all sessions of the process.
var templates = recent.New[string, *template](maximumGenerationTexts, maximumGenerationBytes)

// template is the tree of one statement of a form, and how to make that of another one.
type template struct {
	tree *pg_query.Node
	edit *edit // nil when the tree has a number in another place than a constant
}

// with gives the tree of the statement of the form that has those numbers. It shares with the template what does not differ.
func (t *template) with(numbers []number) *pg_query.Node {
	return t.edit.apply(t.tree.ProtoReflect(), numbers).Interface().(*pg_query.Node)
}

// number is an unsigned integer in a statement, as such or as all of a string: 5 or '5'.
type number struct {
	location int // of the digits, or of the quote before them
	digits   string
	quoted   bool
}

// maximumDigits are those of a number that the form of a statement leaves open.
const maximumDigits = 18

// whole gives the number, and whether PostgreSQL's lexer takes it for an integer; it leaves larger ones to numeric.
func (n number) whole() (value int64, integer bool) {
	value, err := strconv.ParseInt(n.digits, 10, 64)
	return value, err == nil && value <= math.MaxInt32
}

// constant gives the node of the number.
func (n number) constant() *pg_query.A_Const {
	constant := &pg_query.A_Const{Location: int32(n.location)}
	value, integer := n.whole()
	switch {
	case n.quoted:
		constant.Val = &pg_query.A_Const_Sval{Sval: &pg_query.String{Sval: n.digits}}
	case integer:
		constant.Val = &pg_query.A_Const_Ival{Ival: &pg_query.Integer{Ival: int32(value)}}
	default:
		constant.Val = &pg_query.A_Const_Fval{Fval: &pg_query.Float{Fval: n.digits}}
	}
	return constant
}

// same tells whether a node of a tree is that of the number.
func (n number) same(node *pg_query.A_Const) bool {
	value, integer := n.whole()
	switch of := node.Val.(type) {
	case *pg_query.A_Const_Sval:
		return n.quoted && of.Sval.GetSval() == n.digits
	case *pg_query.A_Const_Ival:
		return !n.quoted && integer && int64(of.Ival.GetIval()) == value
	case *pg_query.A_Const_Fval:
		return !n.quoted && !integer && of.Fval.GetFval() == n.digits
	}
	return false
}

// formOf gives a statement with other digits in its numbers, the same for all statements of a form, and the numbers. Numbers
// keep their length, so that locations in the tree stay as they are. There are none when the text has parts in which
// numbers cannot be told without more of PostgreSQL's lexer.
func formOf(text string) (form string, numbers []number) {
	var written []byte
	for i := 0; i < len(text); {
		end, found, ok := token(text, i)
		if !ok {
			return "", nil
		}
		if found != nil {
			if written == nil {
				written = []byte(text)
			}
			from := found.location
			if found.quoted {
				from++
			}
			for at := range len(found.digits) {
				written[from+at] = found.digit()
			}
			numbers = append(numbers, *found)
		}
		i = end
	}
	return string(written), numbers
}

// digit stands for each digit of the number in a form. Integers and larger numbers are different nodes of a tree.
func (n number) digit() byte {
	if _, integer := n.whole(); integer || n.quoted {
		return '0'
	}
	return '9'
}

// token gives the end of the token at an offset, and the number that it is.
func token(text string, start int) (end int, found *number, ok bool) {
	c := text[start]
	switch {
	case c == '\'':
		return stringToken(text, start)
	case c == '"':
		end := start + 1
		for end < len(text) && text[end] != '"' {
			end++
		}
		return end + 1, nil, end < len(text)
	case c == '$' || c == '\\' || c == '-' && start+1 < len(text) && text[start+1] == '-' || c == '/' && start+1 < len(text) && text[start+1] == '*':
		return 0, nil, false // a parameter, a string between dollars, a comment
	case isIdentifierStart(c):
		end := start + 1
		for end < len(text) && isIdentifierPart(text[end]) {
			end++
		}
		// A string with a letter before it has rules of its own.
		return end, nil, end == len(text) || text[end] != '\'' && text[end] != '&'
	case isDigit(c) || c == '.':
		return digitsToken(text, start)
	}
	return start + 1, nil, true
}

// stringToken reads a string in quotes.
func stringToken(text string, start int) (end int, found *number, ok bool) {
	end, digits := start+1, true
	for end < len(text) && text[end] != '\'' {
		digits = digits && isDigit(text[end])
		end++
	}
	if end == len(text) {
		return 0, nil, false
	}
	content := text[start+1 : end]
	end++
	if end < len(text) && text[end] == '\'' {
		return stringRest(text, end)
	}
	if !digits || content == "" || len(content) > maximumDigits {
		return end, nil, true
	}
	return end, &number{location: start, digits: content, quoted: true}, true
}

// stringRest reads on behind the first of two quotes in a string, which is no number.
func stringRest(text string, start int) (end int, found *number, ok bool) {
	for end = start; end+1 < len(text) && text[end] == '\'' && text[end+1] == '\''; {
		for end += 2; end < len(text) && text[end] != '\''; {
			end++
		}
	}
	return end + 1, nil, end < len(text)
}

// digitsToken reads a number, and all that may belong to one.
func digitsToken(text string, start int) (end int, found *number, ok bool) {
	end, digits := start, true
	for end < len(text) && (isIdentifierPart(text[end]) || text[end] == '.') {
		digits = digits && isDigit(text[end])
		end++
	}
	if !digits || end-start > maximumDigits {
		return end, nil, true
	}
	return end, &number{location: start, digits: text[start:end]}, true
}
