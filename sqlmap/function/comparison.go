package function

import (
	"moraine/relation"
)

// comparisons are the comparison operators with what the order of the arguments has to be.
var comparisons = map[string]func(order int) bool{
	"=":   func(order int) bool { return order == 0 },
	"<>":  func(order int) bool { return order != 0 },
	"<":   func(order int) bool { return order < 0 },
	"<=":  func(order int) bool { return order <= 0 },
	">":   func(order int) bool { return order > 0 },
	">=":  func(order int) bool { return order >= 0 },
	"~<~": func(order int) bool { return order < 0 }, "~<=~": func(order int) bool { return order <= 0 },
	"~>~": func(order int) bool { return order > 0 }, "~>=~": func(order int) bool { return order >= 0 },
}

// comparisonFunctions gives the functions of the comparison operators between types that have a common order.
func comparisonFunctions() evaluates {
	functions := evaluates{}
	for _, operator := range catalogue.operators {
		test := comparisons[operator.Name]
		info := FunctionByOID(operator.Function)
		if test == nil || info == nil || operator.Left == 0 || functions[info.Source] != nil {
			continue
		}
		if evaluate := comparisonOf(operator, test); evaluate != nil {
			functions[info.Source] = evaluate
		}
	}
	return functions
}

// comparisonOf makes the function of a comparison; nil when the types have no common order.
func comparisonOf(operator *OperatorInfo, test func(int) bool) Evaluate {
	left, right := operator.Left, operator.Right
	switch {
	case isPolymorphic(left):
		return nil
	case representedByInt(left) && representedByInt(right):
		return integerComparison(operator.Name)
	case comparedAsText(left) && comparedAsText(right):
		return textComparison(operator.Name)
	case isTemporal(left) && isTemporal(right) && left != right:
		return func(context *Context, a []relation.Value) (relation.Value, error) {
			return relation.Bool(test(compareTemporal(left, a[0], right, a[1], &context.Format))), nil
		}
	}
	compare := comparerFor(left, right)
	if compare == nil {
		return nil
	}
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		return relation.Bool(test(compare(a[0], a[1]))), nil
	}
}

func comparerFor(left, right uint32) func(a, b relation.Value) int {
	isFloat := func(oid uint32) bool { return oid == relation.Float4OID || oid == relation.Float8OID }
	switch {
	case isFloat(left) && isFloat(right):
		return compareFloat
	case left == relation.XIDOID || left == CIDOID:
		return compareInt
	case left == right:
		return Comparer(typeOf(left))
	}
	return nil
}

func representedByInt(oid uint32) bool {
	switch oid {
	case relation.BoolOID, relation.Int2OID, relation.Int4OID, relation.Int8OID, relation.OIDOID:
		return true
	}
	return false
}

func comparedAsText(oid uint32) bool {
	switch oid {
	case relation.TextOID, relation.NameOID, relation.UUIDOID, relation.ByteaOID, relation.CharOID:
		return true
	}
	return false
}

func isTemporal(oid uint32) bool {
	return oid == relation.DateOID || oid == relation.TimestampOID || oid == relation.TimestampTZOID
}

func integerComparison(operator string) Evaluate {
	switch operator {
	case "=":
		return func(_ *Context, a []relation.Value) (relation.Value, error) {
			return relation.Bool(a[0].Int() == a[1].Int()), nil
		}
	case "<>":
		return func(_ *Context, a []relation.Value) (relation.Value, error) {
			return relation.Bool(a[0].Int() != a[1].Int()), nil
		}
	case "<":
		return func(_ *Context, a []relation.Value) (relation.Value, error) {
			return relation.Bool(a[0].Int() < a[1].Int()), nil
		}
	case "<=":
		return func(_ *Context, a []relation.Value) (relation.Value, error) {
			return relation.Bool(a[0].Int() <= a[1].Int()), nil
		}
	case ">":
		return func(_ *Context, a []relation.Value) (relation.Value, error) {
			return relation.Bool(a[0].Int() > a[1].Int()), nil
		}
	}
	return func(_ *Context, a []relation.Value) (relation.Value, error) {
		return relation.Bool(a[0].Int() >= a[1].Int()), nil
	}
}

func textComparison(operator string) Evaluate {
	switch operator {
	case "=":
		return textTest(func(a, b string) bool { return a == b })
	case "<>":
		return textTest(func(a, b string) bool { return a != b })
	case "<", "~<~":
		return textTest(func(a, b string) bool { return a < b })
	case "<=", "~<=~":
		return textTest(func(a, b string) bool { return a <= b })
	case ">", "~>~":
		return textTest(func(a, b string) bool { return a > b })
	}
	return textTest(func(a, b string) bool { return a >= b })
}

// compareTemporal compares values of different types of date and time, local ones in the session's zone.
func compareTemporal(left uint32, a relation.Value, right uint32, b relation.Value, f *Format) int {
	x, y := a.Int(), b.Int()
	if left == relation.DateOID {
		x = dateToTimestamp(x)
	}
	if right == relation.DateOID {
		y = dateToTimestamp(y)
	}
	if left == relation.TimestampTZOID || right == relation.TimestampTZOID {
		if left != relation.TimestampTZOID {
			x = fromLocal(x, f.location())
		}
		if right != relation.TimestampTZOID {
			y = fromLocal(y, f.location())
		}
	}
	return compareInt(relation.Int(x), relation.Int(y))
}

// dateToTimestamp gives midnight of a day; days beyond the range of timestamps are at its border.
func dateToTimestamp(days int64) int64 {
	switch {
	case days == dateInfinity:
		return timestampInfinity
	case days == dateMinusInfinity:
		return timestampMinus
	case days >= endOfTimestamps/microsecondsPerDay:
		return endOfTimestamps
	}
	return days * microsecondsPerDay
}
