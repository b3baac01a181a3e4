// Package pattern matches regular expressions of Go's syntax as package regexp does, and stops when it is told to: a match in a
// text of many megabytes takes minutes, which package regexp does not interrupt.
package pattern

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

// ErrStopped is the error of a match that was told to stop.
var ErrStopped = errors.New("stopped")

// longWork is the bytes of a text times the instructions of an expression from which on a match can be stopped. What is
// less takes milliseconds, and package regexp is quicker.
const longWork = 1 << 20

// Expression is a compiled regular expression. It is safe for concurrent use.
type Expression struct {
	quick      *regexp.Regexp
	program    *syntax.Prog
	longest    bool
	prefix     string // of each match
	anchored   bool   // matches begin with the text
	contextual bool   // it asks what stands around a place
	captures   int    // places of a match: two for each parenthesised part, and for the whole
	slow       bool   // tests only: the machine does it all
}

// Compile compiles an expression; longest asks for the longest of the leftmost matches.
func Compile(expression string, longest bool) (*Expression, error) {
	quick, err := regexp.Compile(expression)
	if err != nil {
		return nil, err
	}
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil, err
	}
	captures := 2 * (parsed.MaxCap() + 1)
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	if longest {
		quick.Longest()
	}
	e := &Expression{quick: quick, program: program, longest: longest, captures: captures}
	e.prefix, _ = program.Prefix()
	e.anchored = program.StartCond()&syntax.EmptyBeginText != 0
	for i := range program.Inst {
		e.contextual = e.contextual || program.Inst[i].Op == syntax.InstEmptyWidth
	}
	return e, nil
}

// Parts gives the number of parenthesised parts.
func (e *Expression) Parts() int { return e.captures/2 - 1 }

func (e *Expression) isQuick(text string) bool {
	return !e.slow && len(text) < longWork/len(e.program.Inst)
}

// Matches tells whether the text has a match. Closing stop ends it with ErrStopped; nil never does.
func (e *Expression) Matches(text string, stop <-chan struct{}) (bool, error) {
	if e.isQuick(text) {
		return e.quick.MatchString(text), nil
	}
	return newMachine(e, text, 0, stop).find(0)
}

// Find gives the first match: the bounds of the whole and of the parenthesised parts, -1 for a part that has none; nil when
// there is no match.
func (e *Expression) Find(text string, stop <-chan struct{}) (match []int, err error) {
	if e.isQuick(text) {
		return e.quick.FindStringSubmatchIndex(text), nil
	}
	m := newMachine(e, text, e.captures, stop)
	if found, err := m.find(0); !found || err != nil {
		return nil, err
	}
	return m.match, nil
}

// Each calls visit with the matches, which do not overlap, in order, until it gives false or an error. The match belongs to the
// caller until visit returns.
func (e *Expression) Each(text string, stop <-chan struct{}, visit func(match []int) (more bool, err error)) error {
	if e.isQuick(text) {
		for _, match := range e.quick.FindAllStringSubmatchIndex(text, -1) {
			if more, err := visit(match); !more || err != nil {
				return err
			}
		}
		return nil
	}
	m := newMachine(e, text, e.captures, stop)
	for position, previousEnd := 0, -1; position <= len(text); {
		found, err := m.find(position)
		if !found || err != nil {
			return err
		}
		start, end := m.match[0], m.match[1]
		adjacent := start == end && start == previousEnd // an empty match right after a match is none
		position, previousEnd = end, end
		if end == start {
			_, width := utf8.DecodeRuneInString(text[end:])
			position = end + max(width, 1)
		}
		if adjacent {
			continue
		}
		if more, err := visit(m.match); !more || err != nil {
			return err
		}
	}
	return nil
}
