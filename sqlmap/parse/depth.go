package parse

import (
	"strings"

	"moraine/pgerror"
)

// MaximumDepth is how deep the tree of a statement may be. libpg_query walks trees by recursion on a stack of the system's
// size, whose end no Go program survives, and protobuf refuses messages that are nested 10 000 deep: two a level.
const MaximumDepth = 4000

// checkDepth refuses a text whose tree could be deeper than MaximumDepth, without parsing it. It counts what may nest:
// brackets and CASE, and in each of them the operators that one expression strings together, joins and set operations.
// It may count too much (the arms of a comparison are not nested in each other), never too little.
func checkDepth(text string) error {
	if len(text) <= MaximumDepth {
		return nil
	}
	counter := depthCounter{levels: make([]depthLevel, 1, 64)}
	for i := 0; i < len(text) && counter.deepest <= MaximumDepth; {
		i = counter.token(text, i)
	}
	if counter.deepest <= MaximumDepth {
		return nil
	}
	return pgerror.New(pgerror.StatementTooComplex, "stack depth limit exceeded").
		WithDetail("The expressions of the statement are nested more than %d deep.", MaximumDepth).
		WithHint("Write long chains of operators as lists (IN, ANY, concat), or in several statements.")
}

// depthCounter bounds the depth of the tree while it reads the tokens of a text.
type depthCounter struct {
	levels  []depthLevel
	depth   int // what all levels add up to
	deepest int
}

// depthLevel is one open bracket or CASE.
type depthLevel struct {
	operators int // of the expression under way
	links     int // joins and set operations, which go on across expressions
}

// token counts the token at start and gives the offset behind it.
func (d *depthCounter) token(text string, start int) int {
	switch c := text[start]; {
	case c == '\'' || c == '"':
		return skipQuoted(text, start, false)
	case c == '-' && strings.HasPrefix(text[start:], "--"):
		if end := strings.IndexAny(text[start:], "\n\r"); end >= 0 {
			return start + end + 1
		}
		return len(text)
	case c == '/' && strings.HasPrefix(text[start:], "/*"):
		if end, ok := skipComment(text, start); ok {
			return end
		}
		return len(text)
	case c == '$':
		if end, ok := skipDollarQuote(text, start); ok {
			return end
		}
		return len(text)
	case isIdentifierStart(c):
		end := start + 1
		for end < len(text) && isIdentifierPart(text[end]) {
			end++
		}
		if end-start == 1 && c|0x20 == 'e' && end < len(text) && text[end] == '\'' {
			return skipQuoted(text, end, true)
		}
		d.word(text[start:end])
		return end
	case c == '+' || c == '-' || c == ':':
		d.operator()
	case isOperator(c):
		end := start + 1
		for end < len(text) && isOperator(text[end]) && !strings.HasPrefix(text[end:], "/*") {
			end++
		}
		d.operator()
		return end
	default:
		d.punctuation(c)
	}
	return start + 1
}

// isOperator tells the characters of operators; + and - are not among them, as they stand alone in most places.
func isOperator(c byte) bool { return strings.IndexByte("*/<>=~!@#%^&|`?", c) >= 0 }

// skipQuoted gives the offset behind a quoted string or name, in which backslashes may escape quotes.
func skipQuoted(text string, start int, escapes bool) int {
	for i := start + 1; i < len(text); i++ {
		switch {
		case escapes && text[i] == '\\':
			i++
		case text[i] == text[start]:
			return i + 1
		}
	}
	return len(text)
}

func (d *depthCounter) word(word string) {
	if len(word) > len("intersect") {
		return
	}
	switch strings.ToLower(word) {
	case "case":
		d.open()
	case "end":
		d.close()
	case "and", "or", "when", "then", "else":
		d.separate()
	case "not", "is", "isnull", "notnull", "in", "like", "ilike", "similar", "between", "collate", "at", "escape", "overlaps":
		d.operator()
	case "join", "union", "intersect", "except":
		d.levels[len(d.levels)-1].links++
		d.deeper(1)
	}
}

func (d *depthCounter) punctuation(c byte) {
	switch c {
	case '(', '[':
		d.open()
	case ')', ']':
		d.close()
	case ',':
		d.separate()
	case ';':
		d.levels, d.depth = append(d.levels[:0], depthLevel{}), 0
	}
}

func (d *depthCounter) operator() {
	d.levels[len(d.levels)-1].operators++
	d.deeper(1)
}

func (d *depthCounter) open() {
	d.levels = append(d.levels, depthLevel{})
	d.deeper(1)
}

// close leaves a level. A closed operand stays part of the chain of operators around it.
func (d *depthCounter) close() {
	if len(d.levels) == 1 {
		return
	}
	closed := d.levels[len(d.levels)-1]
	d.levels = d.levels[:len(d.levels)-1]
	d.depth -= closed.operators + closed.links + 1
}

// separate begins another expression, which is not nested in the one before it.
func (d *depthCounter) separate() {
	level := &d.levels[len(d.levels)-1]
	d.depth -= level.operators
	level.operators = 0
}

func (d *depthCounter) deeper(by int) {
	d.depth += by
	d.deepest = max(d.deepest, d.depth)
}
