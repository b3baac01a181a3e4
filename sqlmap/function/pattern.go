package function

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/pattern"
)

func patternFunctions() evaluates {
	functions := evaluates{
		"like_escape": likeEscape, "like_escape_bytea": likeEscape, "similar_to_escape_1": similarToRegexp, "similar_to_escape_2": similarToRegexp,
		"similar_escape":  similarToRegexp,
		"textregexsubstr": regexpSubstring, "textregexreplace_noopt": regexpReplace, "textregexreplace": regexpReplace,
		"textregexreplace_extended": regexpReplaceNth, "textregexreplace_extended_no_n": regexpReplaceNth,
		"textregexreplace_extended_no_flags": regexpReplaceNth,
		"regexp_match":                       regexpMatch, "regexp_match_no_flags": regexpMatch,
		"regexp_split_to_array": regexpSplit, "regexp_split_to_array_no_flags": regexpSplit,
		"regexp_like": regexpLike, "regexp_like_no_flags": regexpLike,
		"regexp_count": regexpCount, "regexp_count_no_start": regexpCount, "regexp_count_no_flags": regexpCount,
		"regexp_substr": regexpSubstr, "regexp_substr_no_start": regexpSubstr, "regexp_substr_no_n": regexpSubstr,
		"regexp_substr_no_flags": regexpSubstr, "regexp_substr_no_subexpr": regexpSubstr,
		"regexp_instr": regexpInstr, "regexp_instr_no_start": regexpInstr, "regexp_instr_no_n": regexpInstr,
		"regexp_instr_no_endoption": regexpInstr, "regexp_instr_no_flags": regexpInstr, "regexp_instr_no_subexpr": regexpInstr,
		"substring(text,text,text)": similarSubstring,
	}
	functions["bytealike"], functions["byteanlike"] = likeTest(false, true), likeTest(false, false)
	for _, prefix := range []string{"text", "name"} {
		functions[prefix+"like"] = likeTest(false, true)
		functions[prefix+"nlike"] = likeTest(false, false)
		functions[prefix+"iclike"] = likeTest(true, true)
		functions[prefix+"icnlike"] = likeTest(true, false)
		functions[prefix+"regexeq"] = regexpTest("", true)
		functions[prefix+"regexne"] = regexpTest("", false)
		functions[prefix+"icregexeq"] = regexpTest("i", true)
		functions[prefix+"icregexne"] = regexpTest("i", false)
	}
	return functions
}

// likeTest is LIKE, ILIKE and their negations.
func likeTest(fold, wanted bool) Evaluate {
	return func(c *Context, a []relation.Value) (relation.Value, error) {
		text, pattern := a[0].Text(), a[1].Text()
		if fold {
			text, pattern = strings.ToLower(text), strings.ToLower(pattern)
		}
		matches, err := matchLike(text, pattern, c.Done)
		return relation.Bool(matches == wanted), err
	}
}

// matchesPerLook is how many places of a text LIKE tries between two looks whether the statement is to stop.
const matchesPerLook = 1 << 16

// matchLike matches % and _; a backslash makes the character after it ordinary.
func matchLike(text, pattern string, done <-chan struct{}) (bool, error) {
	retryText, retryPattern := "", ""
	canRetry := false
	for count := 1; ; count++ {
		if count%matchesPerLook == 0 && isDone(done) {
			return false, canceled()
		}
		switch {
		case pattern == "":
			if text == "" {
				return true, nil
			}
		case pattern[0] == '%':
			pattern = pattern[1:]
			retryText, retryPattern, canRetry = text, pattern, true
			continue
		case text == "":
			if pattern == `\` {
				return false, likeEscapeAtEnd()
			}
			if !canRetry {
				return false, nil
			}
		case pattern[0] == '_':
			_, size := utf8.DecodeRuneInString(text)
			text, pattern = text[size:], pattern[1:]
			continue
		default:
			literal := pattern
			if literal[0] == '\\' {
				if literal = literal[1:]; literal == "" {
					return false, likeEscapeAtEnd()
				}
			}
			if literal[0] == text[0] {
				text, pattern = text[1:], literal[1:]
				continue
			}
		}
		if !canRetry || retryText == "" {
			return false, nil
		}
		_, size := utf8.DecodeRuneInString(retryText)
		retryText = retryText[size:]
		text, pattern = retryText, retryPattern
	}
}

func likeEscapeAtEnd() error {
	return pgerror.New(pgerror.InvalidEscapeSequence, "LIKE pattern must not end with escape character")
}

// likeEscape turns a pattern with its own escape character into one with backslashes.
func likeEscape(_ *Context, a []relation.Value) (relation.Value, error) {
	pattern, escape := a[0].Text(), a[1].Text()
	if escape == `\` {
		return a[0], nil
	}
	if utf8.RuneCountInString(escape) > 1 {
		return relation.NULL, invalidEscape()
	}
	var built strings.Builder
	afterEscape := false
	for _, c := range pattern {
		switch {
		case escape != "" && string(c) == escape && !afterEscape:
			built.WriteByte('\\')
			afterEscape = true
			continue
		case c == '\\' && !afterEscape:
			built.WriteString(`\\`)
		default:
			built.WriteRune(c)
		}
		afterEscape = false
	}
	return relation.Text(built.String()), nil
}

func invalidEscape() error {
	return pgerror.New(pgerror.InvalidEscapeSequence, "invalid escape string").WithHint("Escape string must be empty or one character.")
}

// similarToRegexp turns a SIMILAR TO pattern into a regular expression.
func similarToRegexp(_ *Context, a []relation.Value) (relation.Value, error) {
	if a[0].IsNull() {
		return relation.NULL, nil
	}
	escape := `\`
	if len(a) > 1 {
		if a[1].IsNull() {
			return relation.NULL, nil
		}
		if escape = a[1].Text(); utf8.RuneCountInString(escape) > 1 {
			return relation.NULL, invalidEscape()
		}
	}
	var built strings.Builder
	built.WriteString("^(?:")
	afterEscape, inBracket := false, false
	quotes := 0
	for _, c := range a[0].Text() {
		switch {
		case afterEscape && c == '"' && !inBracket:
			// escape-double-quote cuts the pattern into the part before, the wanted part, and the part after
			built.WriteString([]string{"){1,1}?(", "){1,1}(?:"}[quotes%2])
			quotes++
		case afterEscape:
			built.WriteByte('\\')
			built.WriteRune(c)
		case escape != "" && string(c) == escape:
			afterEscape = true
			continue
		case inBracket:
			if c == '\\' {
				built.WriteByte('\\')
			}
			built.WriteRune(c)
			inBracket = c != ']'
		case c == '[':
			built.WriteRune(c)
			inBracket = true
		case c == '%':
			built.WriteString(".*")
		case c == '_':
			built.WriteByte('.')
		case c == '(':
			built.WriteString("(?:")
		case c == '\\' || c == '.' || c == '^' || c == '$':
			built.WriteByte('\\')
			built.WriteRune(c)
		default:
			built.WriteRune(c)
		}
		afterEscape = false
	}
	built.WriteString(")$")
	return relation.Text(built.String()), nil
}

func similarSubstring(context *Context, a []relation.Value) (relation.Value, error) {
	pattern, err := similarToRegexp(context, a[1:])
	if err != nil || pattern.IsNull() {
		return relation.NULL, err
	}
	return regexpSubstring(context, []relation.Value{a[0], pattern})
}

// maximumCachedPatterns bounds the compiled expressions that are kept.
const maximumCachedPatterns = 512

// compileRegexp turns a PostgreSQL regular expression into Go's. What Go's engine cannot do (back references, lookaround,
// word-start constraints) is 0A000; a malformed expression is 2201B.
func compileRegexp(expression, flags string) (*pattern.Expression, error) {
	if compiled, ok := patternCache.get(flags + "/" + expression); ok {
		return compiled, nil
	}
	translated, greedy, err := translateRegexp(expression, flags)
	if err != nil {
		return nil, err
	}
	compiled, err := pattern.Compile(translated, greedy)
	if err != nil {
		return nil, pgerror.New(pgerror.InvalidRegularExpression, "invalid regular expression: %s", regexpFault(err))
	}
	patternCache.put(flags+"/"+expression, compiled)
	return compiled, nil
}

// regexpFault words a syntax error as PostgreSQL does.
func regexpFault(err error) string {
	text := err.Error()
	for _, fault := range []struct{ go_, postgres string }{
		{"missing closing ]", "brackets [] not balanced"}, {"missing closing )", "parentheses () not balanced"},
		{"unexpected )", "parentheses () not balanced"}, {"missing argument to repetition", "quantifier operand invalid"},
		{"invalid nested repetition", "quantifier operand invalid"}, {"invalid repeat count", "invalid repetition count(s)"},
		{"invalid character class range", "invalid character range"}, {"invalid escape", "invalid escape \\ sequence"},
		{"trailing backslash", "invalid escape \\ sequence"},
	} {
		if strings.Contains(text, fault.go_) {
			return fault.postgres
		}
	}
	return "invalid regexp (reg version 0.8)"
}

// regexpFlags are the options of the regexp functions.
type regexpFlags struct {
	global, fold, newlineStops, newlineAnchors, extended, literal bool
}

func parseRegexpFlags(flags string) (parsed regexpFlags, err error) {
	for _, c := range flags {
		switch c {
		case 'g':
			parsed.global = true
		case 'i':
			parsed.fold = true
		case 'c':
			parsed.fold = false
		case 'n', 'm':
			parsed.newlineStops, parsed.newlineAnchors = true, true
		case 'p':
			parsed.newlineStops, parsed.newlineAnchors = true, false
		case 'w':
			parsed.newlineStops, parsed.newlineAnchors = false, true
		case 's':
			parsed.newlineStops, parsed.newlineAnchors = false, false
		case 'x':
			parsed.extended = true
		case 't', 'e', 'b':
		case 'q':
			parsed.literal = true
		default:
			return parsed, pgerror.New(pgerror.InvalidParameterValue, "invalid regular expression option: \"%c\"", c)
		}
	}
	return parsed, nil
}

// translateRegexp rewrites an advanced regular expression of PostgreSQL for package regexp. greedy tells that no
// quantifier is lazy, so that the longest match is wanted.
func translateRegexp(pattern, flags string) (translated string, greedy bool, err error) {
	options, err := parseRegexpFlags(flags)
	if err != nil {
		return "", false, err
	}
	switch {
	case strings.HasPrefix(pattern, "***="):
		pattern, options.literal = pattern[4:], true
	case strings.HasPrefix(pattern, "***:"):
		pattern = pattern[4:]
	}
	if !options.literal && strings.HasPrefix(pattern, "(?") && len(pattern) > 2 && isLetter(pattern[2]) {
		if inline, rest, ok := strings.Cut(pattern[2:], ")"); ok {
			embedded, err := parseRegexpFlags(flags + inline)
			if err != nil {
				return "", false, pgerror.New(pgerror.InvalidRegularExpression, "invalid regular expression: invalid embedded option")
			}
			options, pattern = embedded, rest
		}
	}
	t := regexpTranslator{rest: pattern, options: options, greedy: true}
	if options.literal {
		t.built.WriteString(regexp.QuoteMeta(pattern))
	} else if err := t.translate(); err != nil {
		return "", false, err
	}
	prefix := "(?"
	if options.fold {
		prefix += "i"
	}
	if !options.newlineStops {
		prefix += "s"
	}
	if options.newlineAnchors {
		prefix += "m"
	}
	if prefix == "(?" {
		return t.built.String(), t.greedy, nil
	}
	return prefix + ")" + t.built.String(), t.greedy, nil
}

// regexpTranslator rewrites one expression.
type regexpTranslator struct {
	rest    string
	built   strings.Builder
	options regexpFlags
	greedy  bool
}

func (t *regexpTranslator) translate() error {
	for t.rest != "" {
		c := t.rest[0]
		switch {
		case c == '\\':
			if err := t.escape(); err != nil {
				return err
			}
			continue
		case c == '[':
			if err := t.bracket(); err != nil {
				return err
			}
			continue
		case strings.HasPrefix(t.rest, "(?"):
			if !strings.HasPrefix(t.rest, "(?:") {
				return pgerror.Unsupported("a lookahead or lookbehind constraint in a regular expression")
			}
			t.built.WriteString("(?:")
			t.rest = t.rest[3:]
			continue
		case c == '$' && !t.options.newlineAnchors:
			t.built.WriteString(`\z`)
		case t.options.extended && (isSpace(c) || c == '#'):
			if c == '#' {
				_, after, _ := strings.Cut(t.rest, "\n")
				t.rest = after
				continue
			}
		case c == '?' && t.afterQuantifier():
			t.greedy = false
			t.built.WriteByte(c)
		case c == '{' && (len(t.rest) < 2 || !isDigit(t.rest[1])):
			t.built.WriteString(`\{`)
		default:
			t.built.WriteByte(c)
		}
		t.rest = t.rest[1:]
	}
	return nil
}

// afterQuantifier tells whether the expression so far ends with a quantifier, which a question mark makes lazy.
func (t *regexpTranslator) afterQuantifier() bool {
	text := t.built.String()
	if text == "" || strings.HasSuffix(text, `\`) {
		return false
	}
	last := text[len(text)-1]
	escaped := len(text) > 1 && text[len(text)-2] == '\\'
	return !escaped && (last == '*' || last == '+' || last == '?' || last == '}')
}

func (t *regexpTranslator) escape() error {
	if len(t.rest) == 1 {
		return pgerror.New(pgerror.InvalidRegularExpression, "invalid regular expression: invalid escape \\ sequence")
	}
	c := t.rest[1]
	t.rest = t.rest[2:]
	switch c {
	case 'd', 'D', 'w', 'W', 's', 'S':
		t.built.WriteString(map[byte]string{'d': `\d`, 'D': `\D`, 'w': `[\pL\pN_]`, 'W': `[^\pL\pN_]`, 's': `[\s\v]`, 'S': `[^\s\v]`}[c])
	case 'y':
		t.built.WriteString(`\b`)
	case 'Y':
		t.built.WriteString(`\B`)
	case 'm', 'M':
		return pgerror.Unsupported("the constraint \\" + string(c) + " in a regular expression")
	case 'A':
		t.built.WriteString(`\A`)
	case 'Z':
		t.built.WriteString(`\z`)
	case 'a', 'f', 'n', 'r', 't', 'v':
		t.built.WriteByte('\\')
		t.built.WriteByte(c)
	case 'b':
		t.built.WriteString(`\x08`)
	case 'B':
		t.built.WriteString(`\\`)
	case 'e':
		t.built.WriteString(`\x1b`)
	case 'u', 'U', 'x':
		digits := map[byte]int{'u': 4, 'U': 8, 'x': len(t.rest) - len(strings.TrimLeft(t.rest, "0123456789abcdefABCDEF"))}[c]
		if len(t.rest) < digits || digits == 0 {
			return pgerror.New(pgerror.InvalidRegularExpression, "invalid regular expression: invalid escape \\ sequence")
		}
		t.built.WriteString(`\x{` + t.rest[:digits] + `}`)
		t.rest = t.rest[digits:]
	default:
		if c >= '1' && c <= '9' {
			return pgerror.Unsupported("a back reference in a regular expression")
		}
		if isLetter(c) {
			return pgerror.New(pgerror.InvalidRegularExpression, "invalid regular expression: invalid escape \\ sequence")
		}
		if c < utf8.RuneSelf && !unicode.IsLetter(rune(c)) {
			t.built.WriteByte('\\')
		}
		t.built.WriteByte(c)
	}
	return nil
}

// bracket copies a bracket expression; a closing bracket that comes first is ordinary.
func (t *regexpTranslator) bracket() error {
	for name, constraint := range map[string]string{"[[:<:]]": "start", "[[:>:]]": "end"} {
		if strings.HasPrefix(t.rest, name) {
			return pgerror.Unsupported("a word " + constraint + " constraint in a regular expression")
		}
	}
	i := 1
	if i < len(t.rest) && t.rest[i] == '^' {
		i++
	}
	t.built.WriteString(t.rest[:i])
	if t.options.newlineStops && i == 2 {
		t.built.WriteString(`\n`)
	}
	start := i
	for i < len(t.rest) {
		switch {
		case t.rest[i] == ']' && i > start:
			t.built.WriteByte(']')
			t.rest = t.rest[i+1:]
			return nil
		case t.rest[i] == ']':
			t.built.WriteString(`\]`)
		case strings.HasPrefix(t.rest[i:], "[:"):
			end := strings.Index(t.rest[i:], ":]")
			if end < 0 {
				return pgerror.New(pgerror.InvalidRegularExpression, "invalid regular expression: brackets [] not balanced")
			}
			t.built.WriteString(t.rest[i : i+end+2])
			i += end + 1
		case strings.HasPrefix(t.rest[i:], "[.") || strings.HasPrefix(t.rest[i:], "[="):
			return pgerror.Unsupported("a collating element in a regular expression")
		case t.rest[i] == '[':
			t.built.WriteString(`\[`)
		case t.rest[i] == '\\' && i+1 < len(t.rest):
			i++
			if t.rest[i] == 'w' {
				t.built.WriteString(`\pL\pN_`)
			} else {
				t.built.WriteByte('\\')
				t.built.WriteByte(t.rest[i])
			}
		default:
			t.built.WriteByte(t.rest[i])
		}
		i++
	}
	return pgerror.New(pgerror.InvalidRegularExpression, "invalid regular expression: brackets [] not balanced")
}
