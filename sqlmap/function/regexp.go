package function

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"moraine/pgerror"
	"moraine/relation"
)

// patternCache keeps compiled expressions by flags and pattern; when it is full it starts anew.
var patternCache compiledPatterns

type compiledPatterns struct {
	sync.RWMutex
	compiled map[string]*regexp.Regexp
}

func (c *compiledPatterns) get(key string) (*regexp.Regexp, bool) {
	c.RLock()
	defer c.RUnlock()
	compiled, ok := c.compiled[key]
	return compiled, ok
}

func (c *compiledPatterns) put(key string, compiled *regexp.Regexp) {
	c.Lock()
	defer c.Unlock()
	if c.compiled == nil || len(c.compiled) >= maximumCachedPatterns {
		c.compiled = map[string]*regexp.Regexp{}
	}
	c.compiled[key] = compiled
}

func regexpTest(flags string, wanted bool) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		compiled, err := compileRegexp(a[1].Text(), flags)
		if err != nil {
			return relation.NULL, err
		}
		return relation.Bool(compiled.MatchString(a[0].Text()) == wanted), nil
	}
}

func regexpLike(_ *Context, a []relation.Value) (relation.Value, error) {
	compiled, err := compileWithFlags(a, 2, "regexp_like()")
	if err != nil {
		return relation.NULL, err
	}
	return relation.Bool(compiled.MatchString(a[0].Text())), nil
}

// flagsAt gives the flags argument; "" when the call has none.
func flagsAt(a []relation.Value, place int) string {
	if place < len(a) {
		return a[place].Text()
	}
	return ""
}

// compileWithFlags compiles the pattern in a[1] for a function that does not take the flag g.
func compileWithFlags(a []relation.Value, flagsPlace int, name string) (*regexp.Regexp, error) {
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
func regexpSubstring(_ *Context, a []relation.Value) (relation.Value, error) {
	compiled, err := compileRegexp(a[1].Text(), "")
	if err != nil {
		return relation.NULL, err
	}
	match := compiled.FindStringSubmatchIndex(a[0].Text())
	if match == nil {
		return relation.NULL, nil
	}
	place := 0
	if compiled.NumSubexp() > 0 {
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

func regexpMatch(_ *Context, a []relation.Value) (relation.Value, error) {
	compiled, err := compileWithFlags(a, 2, "regexp_match()")
	if err != nil {
		return relation.NULL, err
	}
	match := compiled.FindStringSubmatchIndex(a[0].Text())
	if match == nil {
		return relation.NULL, nil
	}
	return matchArray(a[0].Text(), match), nil
}

// regexpMatchRows are the rows of regexp_matches.
func regexpMatchRows(_ *Context, a []relation.Value) ([]relation.Row, error) {
	flags := flagsAt(a, 2)
	compiled, err := compileRegexp(a[1].Text(), flags)
	if err != nil {
		return nil, err
	}
	limit := 1
	if strings.Contains(flags, "g") {
		limit = -1
	}
	var rows []relation.Row
	for _, match := range compiled.FindAllStringSubmatchIndex(a[0].Text(), limit) {
		rows = append(rows, relation.Row{matchArray(a[0].Text(), match)})
	}
	return rows, nil
}

func regexpFields(a []relation.Value, name string) ([]relation.Value, error) {
	compiled, err := compileWithFlags(a, 2, name)
	if err != nil {
		return nil, err
	}
	text, start := a[0].Text(), 0
	var fields []relation.Value
	for _, match := range compiled.FindAllStringIndex(text, -1) {
		if match[1] == match[0] && (match[0] == 0 || match[0] == len(text)) {
			continue // an empty match at an end separates nothing
		}
		fields = append(fields, relation.Text(text[start:match[0]]))
		start = match[1]
	}
	return append(fields, relation.Text(text[start:])), nil
}

func regexpSplit(_ *Context, a []relation.Value) (relation.Value, error) {
	fields, err := regexpFields(a, "regexp_split_to_array()")
	if err != nil {
		return relation.NULL, err
	}
	return NewArray(relation.TextOID, fields), nil
}

func regexpReplace(_ *Context, a []relation.Value) (relation.Value, error) {
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
	return replaceMatches(compiled, a[0].Text(), 0, a[2].Text(), nth), nil
}

// regexpReplaceNth is regexp_replace(text, pattern, replacement, start[, n[, flags]]).
func regexpReplaceNth(_ *Context, a []relation.Value) (relation.Value, error) {
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
	return replaceMatches(compiled, a[0].Text(), start, a[2].Text(), int(nth)), nil
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
func replaceMatches(compiled *regexp.Regexp, text string, start int, replacement string, nth int) relation.Value {
	limit := -1
	if nth > 0 {
		limit = nth
	}
	var built strings.Builder
	built.WriteString(text[:start])
	rest := text[start:]
	place := 0
	for i, match := range compiled.FindAllStringSubmatchIndex(rest, limit) {
		if nth > 0 && i+1 != nth {
			continue
		}
		built.WriteString(rest[place:match[0]])
		expandReplacement(&built, replacement, rest, match)
		place = match[1]
	}
	built.WriteString(rest[place:])
	return relation.Text(built.String())
}

// expandReplacement writes a replacement: \1 to \9 stand for parts of the match, \& for the whole, \\ for a backslash.
func expandReplacement(built *strings.Builder, replacement, text string, match []int) {
	for i := 0; i < len(replacement); i++ {
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

// matchesFrom finds all matches from the start argument on.
func matchesFrom(a []relation.Value, startArgument, flagsArgument int, name string) (text string, offset int, matches [][]int, err error) {
	start, err := startPlace(a, startArgument)
	if err != nil {
		return "", 0, nil, err
	}
	compiled, err := compileWithFlags(a, flagsArgument, name)
	if err != nil {
		return "", 0, nil, err
	}
	text = a[0].Text()[start:]
	return text, start, compiled.FindAllStringSubmatchIndex(text, -1), nil
}

func regexpCount(_ *Context, a []relation.Value) (relation.Value, error) {
	_, _, matches, err := matchesFrom(a, 2, 3, "regexp_count()")
	return relation.Int(int64(len(matches))), err
}

func intArgument(a []relation.Value, place int, otherwise int64) int64 {
	if place < len(a) {
		return a[place].Int()
	}
	return otherwise
}

// regexpSubstr is regexp_substr(text, pattern[, start[, n[, flags[, part]]]]).
func regexpSubstr(_ *Context, a []relation.Value) (relation.Value, error) {
	nth, part := intArgument(a, 3, 1), intArgument(a, 5, 0)
	if nth <= 0 {
		return relation.NULL, invalidParameter("n", nth)
	}
	if part < 0 {
		return relation.NULL, invalidParameter("subexpr", part)
	}
	text, _, matches, err := matchesFrom(a, 2, 4, "regexp_substr()")
	if err != nil || nth > int64(len(matches)) || 2*part >= int64(len(matches[nth-1])) {
		return relation.NULL, err
	}
	return submatch(text, matches[nth-1], int(part)), nil
}

// regexpInstr is regexp_instr(text, pattern[, start[, n[, endoption[, flags[, part]]]]]).
func regexpInstr(_ *Context, a []relation.Value) (relation.Value, error) {
	nth, end, part := intArgument(a, 3, 1), intArgument(a, 4, 0), intArgument(a, 6, 0)
	switch {
	case nth <= 0:
		return relation.NULL, invalidParameter("n", nth)
	case end != 0 && end != 1:
		return relation.NULL, invalidParameter("endoption", end)
	case part < 0:
		return relation.NULL, invalidParameter("subexpr", part)
	}
	text, start, matches, err := matchesFrom(a, 2, 5, "regexp_instr()")
	if err != nil || nth > int64(len(matches)) || 2*part >= int64(len(matches[nth-1])) {
		return relation.Int(0), err
	}
	place := matches[nth-1][2*part+end]
	if place < 0 {
		return relation.Int(0), nil
	}
	before := utf8.RuneCountInString(a[0].Text()[:start]) + utf8.RuneCountInString(text[:place])
	return relation.Int(int64(before) + 1), nil
}
