package pattern

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// all gives the matches of an expression in a text, found by the machine alone.
func all(t *testing.T, e *Expression, text string) (matches [][]int) {
	t.Helper()
	slow := *e
	slow.slow = true
	err := slow.Each(text, nil, func(match []int) (bool, error) {
		matches = append(matches, slices.Clone(match))
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return matches
}

func compareWithRegexp(t *testing.T, expression, text string, longest bool) {
	t.Helper()
	e, err := Compile(expression, longest)
	if err != nil {
		t.Fatalf("%q: %v", expression, err)
	}
	reference := regexp.MustCompile(expression)
	if longest {
		reference.Longest()
	}
	want := reference.FindAllStringSubmatchIndex(text, -1)
	if got := all(t, e, text); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q (longest: %t) in %q gives\n%v\nwant\n%v", expression, longest, text, got, want)
	}
	slow := *e
	slow.slow = true
	first, err := slow.Find(text, nil)
	if want := reference.FindStringSubmatchIndex(text); err != nil || !slices.Equal(first, want) {
		t.Errorf("%q in %q: first %v, want %v, error %v", expression, text, first, want, err)
	}
	if found, err := slow.Matches(text, nil); err != nil || found != (want != nil) {
		t.Errorf("%q in %q: found %t, error %v", expression, text, found, err)
	}
	if e.Parts() != reference.NumSubexp() {
		t.Errorf("%q has %d parts, want %d", expression, e.Parts(), reference.NumSubexp())
	}
}

func TestMatchesAreThoseOfRegexp(t *testing.T) {
	texts := []string{"", "a", "abc", "aab\nabb ab", "über aé\xffb", "foo.bar;foo bar foo", strings.Repeat("ab", 40)}
	for _, expression := range []string{
		"", "a", "a*", "a*?", "(a)|b", "(a|ab)(c|bcd)?", "^a", "a$", `\z`, `\A`, `\bfoo\b`, `\Bo`, "(?m)^a", "(?m)b$", "(?i)FOO", ".", "(?s).",
		"(foo|bar)+", "x*", "(a*)(b*)", "(a+)(b+)?", "[^a]", `[\pL]+`, "a{2,3}", "(?:)|a", "b|", "(a(b)?)+", "foo", "fo+", `\x{fffd}`, "$^", "[^\\x00-\\x{10FFFF}]",
	} {
		for _, text := range texts {
			compareWithRegexp(t, expression, text, false)
			compareWithRegexp(t, expression, text, true)
		}
	}
}

// TestRandomExpressions compares with package regexp on expressions and texts of a few characters.
func TestRandomExpressions(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	var expression func(depth int) string
	expression = func(depth int) string {
		if depth == 0 {
			return []string{"a", "b", "é", ".", "[ab]", "^", "$", `\b`, `\B`, "", "(?m:^)", "(?m:$)"}[random.IntN(12)]
		}
		one := expression(depth - 1)
		switch random.IntN(6) {
		case 0:
			return one + expression(depth-1)
		case 1:
			return "(?:" + one + "|" + expression(depth-1) + ")"
		case 2:
			return "(" + one + ")"
		case 3:
			return "(?:" + one + ")" + []string{"*", "+", "?", "*?", "+?", "??", "{1,2}"}[random.IntN(7)]
		}
		return one + expression(depth-1)
	}
	for range 3000 {
		var text strings.Builder
		for range random.IntN(12) {
			text.WriteString([]string{"a", "b", "é", "\n", " ", "a"}[random.IntN(6)])
		}
		compareWithRegexp(t, expression(random.IntN(5)), text.String(), random.IntN(2) == 0)
	}
}

func TestAMatchStops(t *testing.T) {
	e, err := Compile("(x+x+)+y", false)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	close(stop)
	text := strings.Repeat("x", longWork)
	if found, err := e.Matches(text, stop); found || !errors.Is(err, ErrStopped) {
		t.Errorf("Matches: %t, %v", found, err)
	}
	if match, err := e.Find(text, stop); match != nil || !errors.Is(err, ErrStopped) {
		t.Errorf("Find: %v, %v", match, err)
	}
	err = e.Each(text, stop, func([]int) (bool, error) { return true, nil })
	if !errors.Is(err, ErrStopped) {
		t.Errorf("Each: %v", err)
	}
}

func TestEachStopsWhenVisitSaysSo(t *testing.T) {
	e, err := Compile("x", false)
	if err != nil {
		t.Fatal(err)
	}
	refused := errors.New("refused")
	for _, text := range []string{"xxx", strings.Repeat("x", longWork)} {
		count := 0
		visit := func([]int) (bool, error) { count++; return count < 2, nil }
		if err := e.Each(text, nil, visit); err != nil || count != 2 {
			t.Errorf("%d matches, %v", count, err)
		}
		if err := e.Each(text, nil, func([]int) (bool, error) { return true, refused }); !errors.Is(err, refused) {
			t.Errorf("got %v", err)
		}
	}
}

func BenchmarkMachine(b *testing.B) {
	text := strings.Repeat("some words, and others 1234; ", 1<<16)
	for _, expression := range []string{"[0-9]+", "xyz", `\w+`, "(a|b)*c"} {
		e, err := Compile(expression, true)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(expression+"/machine", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				_ = e.Each(text, nil, func([]int) (bool, error) { return true, nil })
			}
		})
		b.Run(expression+"/regexp", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				e.quick.FindAllStringSubmatchIndex(text, -1)
			}
		})
	}
}
