package parse

import "strings"

// blanks are the characters PostgreSQL's lexer takes for white space.
const blanks = " \t\n\r\f\v"

func isBlank(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v'
}

func skipBlanks(text string, start int) int {
	for start < len(text) && isBlank(text[start]) {
		start++
	}
	return start
}

func isIdentifierStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isIdentifierPart(c byte) bool { return isIdentifierStart(c) || isDigit(c) || c == '$' }

// findBoundary gives the offset of the semicolon that ends the statement at start, or the end of the text. It answers
// false where the end cannot be told by quotes, comments and parentheses alone.
func findBoundary(text string, start int) (int, bool) {
	depth := 0
	for i := start; i < len(text); {
		c := text[i]
		switch {
		case c == ';' && depth == 0:
			return i, true
		case c == '(':
			depth++
			i++
		case c == ')':
			depth--
			i++
		case c == '\'' || c == '"':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 {
				return 0, false
			}
			i += end + 2
		case c == '-' && strings.HasPrefix(text[i:], "--"):
			end := strings.IndexAny(text[i:], "\n\r")
			if end < 0 {
				return len(text), true
			}
			i += end + 1
		case c == '/' && strings.HasPrefix(text[i:], "/*"):
			end, ok := skipComment(text, i)
			if !ok {
				return 0, false
			}
			i = end
		case c == '$':
			end, ok := skipDollarQuote(text, i)
			if !ok {
				return 0, false
			}
			i = end
		case isIdentifierStart(c):
			end := i + 1
			for end < len(text) && isIdentifierPart(text[end]) {
				end++
			}
			if !boundaryWord(text, i, end) {
				return 0, false
			}
			i = end
		case isDigit(c):
			// "1$" and "1e" are pieces of numbers and trailing junk: nothing in them opens a quote.
			for i < len(text) && isIdentifierPart(text[i]) {
				i++
			}
		default:
			i++
		}
	}
	return len(text), true
}

// boundaryWord tells whether a word leaves the rules of the scan as they are: a string with backslashes follows E, and the
// body of a function may follow ATOMIC.
func boundaryWord(text string, start, end int) bool {
	word := text[start:end]
	if len(word) == 1 && (word[0] == 'e' || word[0] == 'E') && end < len(text) && text[end] == '\'' {
		return false
	}
	return !strings.EqualFold(word, "atomic")
}

// skipComment gives the offset after a comment, which may hold others.
func skipComment(text string, start int) (int, bool) {
	depth := 0
	for i := start; i+1 < len(text); i++ {
		switch text[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
			if depth == 0 {
				return i + 1, true
			}
		}
	}
	return 0, false
}

// skipDollarQuote gives the offset after a dollar-quoted string, or after the dollar sign of anything else.
func skipDollarQuote(text string, start int) (int, bool) {
	end := start + 1
	for end < len(text) && (isIdentifierStart(text[end]) || end > start+1 && isDigit(text[end])) {
		end++
	}
	if end == len(text) || text[end] != '$' {
		return start + 1, true
	}
	tag := text[start : end+1]
	closing := strings.Index(text[end+1:], tag)
	if closing < 0 {
		return 0, false
	}
	return end + 1 + closing + len(tag), true
}
