package function

import (
	"maps"

	"moraine/relation"
)

// implementation computes a function: evaluate where the types of the arguments do not matter, specialise where they do.
type implementation struct {
	evaluate   Evaluate
	specialise func(sig *signature) (Evaluate, error)
}

// evaluates are implementations by pg_proc.prosrc (of SQL functions by name and argument types).
type evaluates map[string]Evaluate

// specialises are implementations that depend on the types of the arguments.
type specialises map[string]func(sig *signature) (Evaluate, error)

// allImplementations joins the tables of the topics.
func allImplementations() map[string]implementation {
	all := map[string]implementation{}
	for _, table := range []evaluates{integerFunctions(), integerOperators(), floatFunctions(), numericFunctions(), textFunctions(),
		byteFunctions(), patternFunctions(), datetimeFunctions(), intervalFunctions(), extractFunctions(), formatFunctions(),
		bitFunctions(), jsonFunctions(), jsonbFunctions(), castFunctions(), systemFunctions(), describeFunctions(), privilegeFunctions(),
		inputOutputFunctions(), comparisonFunctions(), aggregateSupport()} {
		for source, evaluate := range table {
			all[source] = implementation{evaluate: evaluate}
		}
	}
	for _, table := range []specialises{arrayFunctions(), polymorphicFunctions(), jsonBuilders(), recordFunctions()} {
		for source, specialise := range maps.All(table) {
			all[source] = implementation{specialise: specialise}
		}
	}
	return all
}

// value1 lifts a function of one value that cannot fail.
func value1(f func(relation.Value) relation.Value) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) { return f(a[0]), nil }
}

// text1 lifts a function of a text.
func text1(f func(string) string) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		return relation.Text(f(a[0].Text())), nil
	}
}

// textTry lifts a function of a text that can fail.
func textTry(f func(string) (string, error)) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		result, err := f(a[0].Text())
		return relation.Text(result), err
	}
}

// textTest lifts a test of two texts.
func textTest(f func(a, b string) bool) Evaluate {
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		return relation.Bool(f(a[0].Text(), a[1].Text())), nil
	}
}

// constant is a function that always gives the same value.
func constant(v relation.Value) Evaluate {
	return func(*Context, []relation.Value) (relation.Value, error) { return v, nil }
}
