package function

import (
	"moraine/relation"
)

// numericAggregates are sum, avg, variance and deviation over integers, numerics, floats and intervals.
func numericAggregates() map[string]accumulatorFactory {
	table := map[string]accumulatorFactory{
		"sum(int2)": exactSum(finishBigint), "sum(int4)": exactSum(finishBigint), "sum(int8)": exactSum(finishSum), "sum(numeric)": exactSum(finishSum),
		"sum(float4)":   fold(func(a, b relation.Value) (relation.Value, error) { return addFloats(a, b, true) }),
		"sum(float8)":   fold(func(a, b relation.Value) (relation.Value, error) { return addFloats(a, b, false) }),
		"sum(interval)": foldWith(addIntervals),
		"avg(interval)": {make: func(*signature) func() Accumulator { return func() Accumulator { return &intervalMean{} } }},
		"avg(float4)":   floatMoments(momentMean), "avg(float8)": floatMoments(momentMean),
	}
	for _, name := range []string{"int2", "int4", "int8", "numeric"} {
		table["avg("+name+")"] = exactSum(finishMean)
	}
	for name, spread := range map[string]spreadKind{
		"variance": {sample: true}, "var_samp": {sample: true}, "var_pop": {},
		"stddev": {sample: true, root: true}, "stddev_samp": {sample: true, root: true}, "stddev_pop": {root: true},
	} {
		for _, of := range []string{"int2", "int4", "int8", "numeric"} {
			table[name+"("+of+")"] = exactSpread(spread)
		}
		table[name+"(float4)"] = floatMoments(momentSpread(spread))
		table[name+"(float8)"] = floatMoments(momentSpread(spread))
	}
	return table
}

func addFloats(a, b relation.Value, single bool) (relation.Value, error) {
	return floatArithmetic(func(x, y float64) float64 { return x + y }, single)(nil, []relation.Value{a, b})
}

// exactAccumulator sums integers or numerics: in a machine word as long as it suffices, then exactly.
type exactAccumulator struct {
	rows    int64
	word    int64
	sum     *decimal // nil as long as word suffices
	squares *decimal // sum of squares, where wanted
	numeric bool
	finish  func(a *exactAccumulator) (relation.Value, error)
}

func exactFactory(wantSquares bool, finish func(a *exactAccumulator) (relation.Value, error)) accumulatorFactory {
	return accumulatorFactory{make: func(sig *signature) func() Accumulator {
		numeric := sig.Arguments[0].OID == relation.NumericOID
		return func() Accumulator {
			a := &exactAccumulator{numeric: numeric, finish: finish}
			if wantSquares {
				a.squares = decimalFromInt(0)
			}
			return a
		}
	}}
}

func exactSum(finish func(a *exactAccumulator) (relation.Value, error)) accumulatorFactory {
	return exactFactory(false, finish)
}

func (a *exactAccumulator) Add(_ *Context, arguments []relation.Value) error {
	a.rows++
	if !a.numeric && a.squares == nil && a.sum == nil {
		sum, ok := addIntegers(a.word, arguments[0].Int())
		if ok {
			a.word = sum
			return nil
		}
	}
	var argument *decimal
	if a.numeric {
		argument = decimalOf(arguments[0])
	} else {
		argument = decimalFromInt(arguments[0].Int())
	}
	var err error
	if a.sum, err = addDecimals(a.total(), argument); err != nil || a.squares == nil {
		return err
	}
	square, err := multiplyDecimals(argument, argument)
	if err != nil {
		return err
	}
	a.squares, err = addDecimals(a.squares, square)
	return err
}

// total gives the sum so far.
func (a *exactAccumulator) total() *decimal {
	if a.sum != nil {
		return a.sum
	}
	return decimalFromInt(a.word)
}

func (a *exactAccumulator) Result(*Context) (relation.Value, error) {
	if a.rows == 0 {
		return relation.NULL, nil
	}
	return a.finish(a)
}

func finishBigint(a *exactAccumulator) (relation.Value, error) {
	if a.sum != nil {
		return relation.NULL, outOfRange("bigint")
	}
	return relation.Int(a.word), nil
}

func finishSum(a *exactAccumulator) (relation.Value, error) { return a.total().checked() }

func finishMean(a *exactAccumulator) (relation.Value, error) {
	mean, err := divideDecimals(a.total(), decimalFromInt(a.rows))
	if err != nil {
		return relation.NULL, err
	}
	return mean.checked()
}

// spreadKind tells variance from standard deviation, and a sample from a population.
type spreadKind struct{ sample, root bool }

func exactSpread(kind spreadKind) accumulatorFactory {
	return exactFactory(true, func(a *exactAccumulator) (relation.Value, error) { return a.spread(kind) })
}

// spread computes (n*sum(x^2) - sum(x)^2) / (n*(n-1)), or over n*n for a population.
func (a *exactAccumulator) spread(kind spreadKind) (relation.Value, error) {
	if kind.sample && a.rows < 2 {
		return relation.NULL, nil
	}
	if a.total().form != finite {
		return nan().value(), nil
	}
	count := decimalFromInt(a.rows)
	product, _ := multiplyDecimals(count, a.squares)
	square, _ := multiplyDecimals(a.total(), a.total())
	numerator, _ := subtractDecimals(product, square)
	if numerator.sign() <= 0 {
		return relation.Text("0"), nil
	}
	other := count
	if kind.sample {
		other = decimalFromInt(a.rows - 1)
	}
	denominator, _ := multiplyDecimals(count, other)
	scale := quotientScale(numerator, denominator)
	result := divideToScale(numerator, denominator, scale, true)
	if kind.root {
		result = squareRootToScale(result, scale)
	}
	return result.checked()
}

// intervalMean is avg(interval).
type intervalMean struct {
	rows int64
	sum  span
}

func (m *intervalMean) Add(_ *Context, arguments []relation.Value) error {
	sum, ok := m.sum.plus(spanOf(arguments[0]))
	if !ok {
		return intervalRange()
	}
	m.rows, m.sum = m.rows+1, sum
	return nil
}

func (m *intervalMean) Result(*Context) (relation.Value, error) {
	if m.rows == 0 {
		return relation.NULL, nil
	}
	return scaled(m.sum, func(x float64) float64 { return x / float64(m.rows) })
}
