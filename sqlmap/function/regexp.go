package function

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/pattern"
)

// patternCache keeps compiled expressions by flags and pattern; when it is full it starts anew.
var patternCache compiledPatterns

type compiledPatterns struct {
	sync.RWMutex
	compiled map[string]*pattern.Expression
}

func (c *compiledPatterns) get(key string) (*pattern.Expression, bool) {
	c.RLock()
	defer c.RUnlock()
	compiled, ok := c.compiled[key]
	return compiled, ok
}

func (c *compiledPatterns) put(key string, compiled *pattern.Expression) {
	c.Lock()
	defer c.Unlock()
	if c.compiled == nil || len(c.compiled) >= maximumCachedPatterns {
		c.compiled = map[string]*pattern.Expression{}
	}
	c.compiled[key] = compiled
}

func regexpTest(flags string, wanted bool) Evaluate {
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		compiled, err := compileRegexp(a[1].Text(), flags)
		if err != nil {
			return relation.NULL, err
		}
		matches, err := compiled.Matches(a[0].Text(), c.Done)
		return relation.Bool(matches == wanted), stoppedMatch(err)
	}
}

// stoppedMatch words the error of a match that was stopped.
func stoppedMatch(err error) error {
	if errors.Is(err, pattern.ErrStopped) {
		return canceled()
	}
	return err
}

func regexpLike(c *Context, a []relation.Value) (relation.Value, error) {
	compiled, err := compileWithFlags(a, 2, "regexp_like()")
	if err != nil {
		return relation.NULL, err
	}
	matches, err := compiled.Matches(a[0].Text(), c.Done)
	return relation.Bool(matches), stoppedMatch(err)
}

// flagsAt gives the flags argument; "" when the call has none.
func flagsAt(a []relation.Value, place int) string {
	if place < len(a) {
		return a[place].Text()
	}
	return ""
}

// compileWithFlags compiles the pattern in a[1] for a function that does not take the flag g.
func compileWithFlags(a []relation.Value, flagsPlace int, name string) (*pattern.Expression, error) {
	flags := flagsAt(a, flagsPlace)
	if strings.Contains(flags, "g") {
		err := pgerror.New(pgerror.InvalidParameterValue, "%s does not support the \"global\" option", name)
		if name == "regexp_match()" {
			return nil, err.WithHint("Use the regexp_matches function instead.")
		}
		return nil, err
	}
	return compileRegexp(a[1].Text(), flags)
}

// regexpSubstring gives the first parenthesised part of the match, or the whole match when there are no parentheses.
func regexpSubstring(c *Context, a []relation.Value) (relation.Value, error) {
	compiled, err := compileRegexp(a[1].Text(), "")
	if err != nil {
		return relation.NULL, err
	}
	match, err := compiled.Find(a[0].Text(), c.Done)
	if match == nil {
		return relation.NULL, stoppedMatch(err)
	}
	place := 0
	if compiled.Parts() > 0 {
		place = 1
	}
	return submatch(a[0].Text(), match, place), nil
}

func submatch(text string, match []int, place int) relation.Value {
	if match[2*place] < 0 {
		return relation.NULL
	}
	return relation.Text(text[match[2*place]:match[2*place+1]])
}

// matchArray gives the parenthesised parts of a match, or the whole match, as an array.
func matchArray(text string, match []int) relation.Value {
	if len(match) == 2 {
		return NewArray(relation.TextOID, []relation.Value{submatch(text, match, 0)})
	}
	parts := make([]relation.Value, 0, len(match)/2-1)
	for place := 1; place < len(match)/2; place++ {
		parts = append(parts, submatch(text, match, place))
	}
	return NewArray(relation.TextOID, parts)
}

func regexpMatch(c *Context, a []relation.Value) (relation.Value, error) {
	compiled, err := compileWithFlags(a, 2, "regexp_match()")
	if err != nil {
		return relation.NULL, err
	}
	match, err := compiled.Find(a[0].Text(), c.Done)
	if match == nil {
		return relation.NULL, stoppedMatch(err)
	}
	return matchArray(a[0].Text(), match), nil
}

// regexpMatchRows are the rows of regexp_matches.
func regexpMatchRows(c *Context, a []relation.Value) ([]relation.Row, error) {
	flags := flagsAt(a, 2)
	compiled, err := compileRegexp(a[1].Text(), flags)
	if err != nil {
		return nil, err
	}
	global := strings.Contains(flags, "g")
	var rows []relation.Row
	err = compiled.Each(a[0].Text(), c.Done, func(match []int) (bool, error) {
		if len(rows) == MaximumSetRows {
			return false, tooManyRows()
		}
		rows = append(rows, relation.Row{matchArray(a[0].Text(), match)})
		return global, nil
	})
	return rows, stoppedMatch(err)
}

// regexpFields cuts a text at the matches.
func regexpFields(c *Context, a []relation.Value, name string) ([]relation.Value, error) {
	compiled, err := compileWithFlags(a, 2, name)
	if err != nil {
		return nil, err
	}
	text, start := a[0].Text(), 0
	var fields []relation.Value
	err = compiled.Each(text, c.Done, func(match []int) (bool, error) {
		switch {
		case match[1] == match[0] && (match[0] == 0 || match[0] == len(text)):
			return true, nil // an empty match at an end separates nothing
		case len(fields) == MaximumSetRows-1:
			return false, tooManyRows()
		}
		fields = append(fields, relation.Text(text[start:match[0]]))
		start = match[1]
		return true, nil
	})
	return append(fields, relation.Text(text[start:])), stoppedMatch(err)
}

func regexpSplit(c *Context, a []relation.Value) (relation.Value, error) {
	fields, err := regexpFields(c, a, "regexp_split_to_array()")
	if err != nil {
		return relation.NULL, err
	}
	return NewArray(relation.TextOID, fields), nil
}

func regexpReplace(c *Context, a []relation.Value) (relation.Value, error) {
	flags := flagsAt(a, 3)
	if flags != "" && isDigit(flags[0]) {
		return relation.NULL, pgerror.New(pgerror.InvalidParameterValue, "invalid regular expression option: \"%c\"", flags[0]).
			WithHint("If you meant to use regexp_replace() with a start parameter, cast the fourth argument to integer explicitly.")
	}
	compiled, err := compileRegexp(a[1].Text(), flags)
	if err != nil {
		return relation.NULL, err
	}
	nth := 1
	if strings.Contains(flags, "g") {
		nth = 0
	}
	return replaceMatches(c, compiled, a[0].Text(), 0, a[2].Text(), nth)
}

// regexpReplaceNth is regexp_replace(text, pattern, replacement, start[, n[, flags]]).
func regexpReplaceNth(c *Context, a []relation.Value) (relation.Value, error) {
	start, err := startPlace(a, 3)
	if err != nil {
		return relation.NULL, err
	}
	nth := int64(1)
	flags := flagsAt(a, 5)
	if len(a) > 4 {
		nth = a[4].Int()
	} else if strings.Contains(flags, "g") {
		nth = 0
	}
	if nth < 0 {
		return relation.NULL, invalidParameter("n", nth)
	}
	compiled, err := compileRegexp(a[1].Text(), flags)
	if err != nil {
		return relation.NULL, err
	}
	return replaceMatches(c, compiled, a[0].Text(), start, a[2].Text(), int(nth))
}

func invalidParameter(name string, value int64) error {
	return pgerror.New(pgerror.InvalidParameterValue, "invalid value for parameter \"%s\": %d", name, value)
}

// startPlace turns the start argument, counted in characters from 1, into a byte offset.
func startPlace(a []relation.Value, place int) (int, error) {
	if place >= len(a) {
		return 0, nil
	}
	if a[place].Int() <= 0 {
		return 0, invalidParameter("start", a[place].Int())
	}
	end, _ := cutCharacters(a[0].Text(), int(a[place].Int())-1)
	return end, nil
}

// replaceMatches replaces the nth match from start on, all of them when nth is 0.
func replaceMatches(c *Context, compiled *pattern.Expression, text string, start int, replacement string, nth int) (relation.Value, error) {
	var built strings.Builder
	built.WriteString(text[:start])
	rest := text[start:]
	place, count := 0, 0
	err := compiled.Each(rest, c.Done, func(match []int) (bool, error) {
		count++
		if nth > 0 && count != nth {
			return true, nil
		}
		built.WriteString(rest[place:match[0]])
		expandReplacement(&built, replacement, rest, match)
		place = match[1]
		if built.Len()+len(rest)-place > MaximumValueSize {
			return false, tooLargeValue()
		}
		return nth == 0, nil
	})
	if err != nil {
		return relation.NULL, stoppedMatch(err)
	}
	if place == 0 && built.Len() == 0 {
		return relation.Text(text), nil // without a copy
	}
	built.WriteString(rest[place:])
	return relation.Text(built.String()), nil
}

// expandReplacement writes a replacement: \1 to \9 stand for parts of the match, \& for the whole, \\ for a backslash. It ends
// early once the text is too large for a value.
func expandReplacement(built *strings.Builder, replacement, text string, match []int) {
	for i := 0; i < len(replacement) && built.Len() <= MaximumValueSize; i++ {
		c := replacement[i]
		if c != '\\' || i+1 == len(replacement) {
			built.WriteByte(c)
			continue
		}
		i++
		place := -1
		switch next := replacement[i]; {
		case next == '&':
			place = 0
		case next >= '1' && next <= '9':
			place = int(next - '0')
		case next == '\\':
			built.WriteByte('\\')
			continue
		default:
			built.WriteByte('\\')
			built.WriteByte(next)
			continue
		}
		if 2*place < len(match) {
			built.WriteString(submatch(text, match, place).Text())
		}
	}
}

// matchFrom finds the nth match from the start argument on, nil when there is none, and counts the matches to there.
func matchFrom(c *Context, a []relation.Value, startArgument, flagsArgument int, name string, nth int64) (found nthMatch, err error) {
	if found.start, err = startPlace(a, startArgument); err != nil {
		return found, err
	}
	compiled, err := compileWithFlags(a, flagsArgument, name)
	if err != nil {
		return found, err
	}
	found.text = a[0].Text()[found.start:]
	err = compiled.Each(found.text, c.Done, func(match []int) (bool, error) {
		if found.count++; found.count == nth {
			found.places = slices.Clone(match)
		}
		return found.count != nth, nil
	})
	return found, stoppedMatch(err)
}

// nthMatch is a match, by its places in a text that starts in another.
type nthMatch struct {
	text   string
	start  int
	places []int
	count  int64
}

func regexpCount(c *Context, a []relation.Value) (relation.Value, error) {
	found, err := matchFrom(c, a, 2, 3, "regexp_count()", -1)
	return relation.Int(found.count), err
}

func intArgument(a []relation.Value, place int, otherwise int64) int64 {
	if place < len(a) {
		return a[place].Int()
	}
	return otherwise
}

// regexpSubstr is regexp_substr(text, pattern[, start[, n[, flags[, part]]]]).
func regexpSubstr(c *Context, a []relation.Value) (relation.Value, error) {
	nth, part := intArgument(a, 3, 1), intArgument(a, 5, 0)
	if nth <= 0 {
		return relation.NULL, invalidParameter("n", nth)
	}
	if part < 0 {
		return relation.NULL, invalidParameter("subexpr", part)
	}
	found, err := matchFrom(c, a, 2, 4, "regexp_substr()", nth)
	if err != nil || 2*part >= int64(len(found.places)) {
		return relation.NULL, err
	}
	return submatch(found.text, found.places, int(part)), nil
}

// regexpInstr is regexp_instr(text, pattern[, start[, n[, endoption[, flags[, part]]]]]).
func regexpInstr(c *Context, a []relation.Value) (relation.Value, error) {
	nth, end, part := intArgument(a, 3, 1), intArgument(a, 4, 0), intArgument(a, 6, 0)
	switch {
	case nth <= 0:
		return relation.NULL, invalidParameter("n", nth)
	case end != 0 && end != 1:
		return relation.NULL, invalidParameter("endoption", end)
	case part < 0:
		return relation.NULL, invalidParameter("subexpr", part)
	}
	found, err := matchFrom(c, a, 2, 5, "regexp_instr()", nth)
	if err != nil || 2*part >= int64(len(found.places)) {
		return relation.Int(0), err
	}
	place := found.places[2*part+end]
	if place < 0 {
		return relation.Int(0), nil
	}
	before := utf8.RuneCountInString(a[0].Text()[:found.start]) + utf8.RuneCountInString(found.text[:place])
	return relation.Int(int64(before) + 1), nil
}
