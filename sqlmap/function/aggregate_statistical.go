package function

import (
	"math"

	"moraine/relation"
)

// moments are the running sums over pairs of floats, by the method of Youngs and Cramer, which PostgreSQL uses too.
type moments struct {
	n                      float64
	sumX, squareX          float64
	sumY, squareY, crossXY float64
	pairs                  bool
	finish                 func(m *moments) (float64, bool)
}

func (m *moments) Add(_ *Context, arguments []relation.Value) error {
	x, y := arguments[0].Float(), 0.0
	if m.pairs {
		// The dependent variable comes first: f(Y, X).
		x, y = arguments[1].Float(), arguments[0].Float()
	}
	m.n++
	previousX, previousY := m.sumX, m.sumY
	m.sumX += x
	m.sumY += y
	if m.n > 1 {
		distanceX, distanceY := x*m.n-m.sumX, y*m.n-m.sumY
		if !m.pairs {
			m.squareX += distanceX * distanceX / (m.n * (m.n - 1))
			return m.checkSums(previousX, x, previousY, y)
		}
		scale := 1 / (m.n * (m.n - 1))
		m.squareX += distanceX * distanceX * scale
		m.squareY += distanceY * distanceY * scale
		m.crossXY += distanceX * distanceY * scale
		return m.checkSums(previousX, x, previousY, y)
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		m.squareX, m.crossXY = math.NaN(), math.NaN()
	}
	if math.IsNaN(y) || math.IsInf(y, 0) {
		m.squareY, m.crossXY = math.NaN(), math.NaN()
	}
	return nil
}

// checkSums refuses sums that only addition made infinite.
func (m *moments) checkSums(previousX, x, previousY, y float64) error {
	if math.IsInf(m.sumX, 0) && !math.IsInf(previousX, 0) && !math.IsInf(x, 0) ||
		math.IsInf(m.sumY, 0) && !math.IsInf(previousY, 0) && !math.IsInf(y, 0) {
		return floatOverflow()
	}
	return nil
}

func (m *moments) Result(*Context) (relation.Value, error) {
	value, ok := m.finish(m)
	if !ok {
		return relation.NULL, nil
	}
	return relation.Float(value), nil
}

func floatMoments(finish func(m *moments) (float64, bool)) accumulatorFactory {
	return accumulatorFactory{make: func(*signature) func() Accumulator {
		return func() Accumulator { return &moments{finish: finish} }
	}}
}

func pairMoments(finish func(m *moments) (float64, bool)) accumulatorFactory {
	return accumulatorFactory{make: func(*signature) func() Accumulator {
		return func() Accumulator { return &moments{pairs: true, finish: finish} }
	}}
}

func momentMean(m *moments) (float64, bool) { return m.sumX / m.n, m.n > 0 }

func momentSpread(kind spreadKind) func(m *moments) (float64, bool) {
	return func(m *moments) (float64, bool) {
		divisor := m.n
		if kind.sample {
			divisor--
		}
		if divisor <= 0 {
			return 0, false
		}
		variance := m.squareX / divisor
		if kind.root {
			variance = math.Sqrt(variance)
		}
		return variance, true
	}
}

func statisticalAggregates() map[string]accumulatorFactory {
	table := map[string]accumulatorFactory{}
	for name, finish := range map[string]func(m *moments) (float64, bool){
		"regr_sxx":   func(m *moments) (float64, bool) { return m.squareX, m.n > 0 },
		"regr_syy":   func(m *moments) (float64, bool) { return m.squareY, m.n > 0 },
		"regr_sxy":   func(m *moments) (float64, bool) { return m.crossXY, m.n > 0 },
		"regr_avgx":  func(m *moments) (float64, bool) { return m.sumX / m.n, m.n > 0 },
		"regr_avgy":  func(m *moments) (float64, bool) { return m.sumY / m.n, m.n > 0 },
		"covar_pop":  func(m *moments) (float64, bool) { return m.crossXY / m.n, m.n > 0 },
		"covar_samp": func(m *moments) (float64, bool) { return m.crossXY / (m.n - 1), m.n > 1 },
		"corr": func(m *moments) (float64, bool) {
			return m.crossXY / math.Sqrt(m.squareX*m.squareY), m.n > 0 && m.squareX != 0 && m.squareY != 0
		},
		"regr_slope": func(m *moments) (float64, bool) { return m.crossXY / m.squareX, m.n > 0 && m.squareX != 0 },
		"regr_intercept": func(m *moments) (float64, bool) {
			return (m.sumY - m.sumX*m.crossXY/m.squareX) / m.n, m.n > 0 && m.squareX != 0
		},
		"regr_r2": func(m *moments) (float64, bool) {
			if m.squareY == 0 {
				return 1, m.n > 0 && m.squareX != 0
			}
			return m.crossXY * m.crossXY / (m.squareX * m.squareY), m.n > 0 && m.squareX != 0
		},
	} {
		table[name+"(float8,float8)"] = pairMoments(finish)
	}
	table["regr_count(float8,float8)"] = accumulatorFactory{make: makeCounting}
	return table
}

// orderedSetAggregates get their rows in the order of WITHIN GROUP.
func orderedSetAggregates() map[string]accumulatorFactory {
	return map[string]accumulatorFactory{
		"mode(anyelement)":                    {make: func(sig *signature) func() Accumulator { return makeOrdered(sig, 0, finishMode) }},
		"percentile_disc(float8,anyelement)":  {make: func(sig *signature) func() Accumulator { return makeOrdered(sig, 1, discrete) }},
		"percentile_disc(_float8,anyelement)": {make: func(sig *signature) func() Accumulator { return makeOrdered(sig, 1, eachFraction(discrete, sig)) }},
		"percentile_cont(float8,float8)":      {make: func(sig *signature) func() Accumulator { return makeOrdered(sig, 1, continuous) }},
		"percentile_cont(float8,interval)":    {make: func(sig *signature) func() Accumulator { return makeOrdered(sig, 1, continuousInterval) }},
		"percentile_cont(_float8,float8)":     {make: func(sig *signature) func() Accumulator { return makeOrdered(sig, 1, eachFraction(continuous, sig)) }},
		"percentile_cont(_float8,interval)": {make: func(sig *signature) func() Accumulator {
			return makeOrdered(sig, 1, eachFraction(continuousInterval, sig))
		}},
	}
}
