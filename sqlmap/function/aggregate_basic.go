package function

import (
	"maps"

	"moraine/relation"
)

// allAccumulators are the aggregates by name and argument types.
func allAccumulators() map[string]accumulatorFactory {
	all := map[string]accumulatorFactory{}
	for _, table := range []map[string]accumulatorFactory{basicAggregates(), numericAggregates(), statisticalAggregates(),
		collectingAggregates(), orderedSetAggregates()} {
		maps.Copy(all, table)
	}
	return all
}

// folding is an aggregate whose state is one value: NULL before the first row, then combine(state, argument).
type folding struct {
	combine func(state, argument relation.Value) (relation.Value, error)
	state   relation.Value
}

func (f *folding) Add(_ *Context, arguments []relation.Value) (err error) {
	if f.state.IsNull() {
		f.state = arguments[0]
		return nil
	}
	f.state, err = f.combine(f.state, arguments[0])
	return err
}

func (f *folding) Result(*Context) (relation.Value, error) { return f.state, nil }

func fold(combine func(state, argument relation.Value) (relation.Value, error)) accumulatorFactory {
	return accumulatorFactory{make: func(*signature) func() Accumulator {
		return func() Accumulator { return &folding{combine: combine} }
	}}
}

// foldWith folds with a function that is implemented for two arguments.
func foldWith(evaluate Evaluate) accumulatorFactory {
	return fold(func(state, argument relation.Value) (relation.Value, error) {
		return evaluate(nil, []relation.Value{state, argument})
	})
}

// counting counts rows.
type counting struct{ rows int64 }

func (c *counting) Add(*Context, []relation.Value) error { c.rows++; return nil }

func (c *counting) Result(*Context) (relation.Value, error) { return relation.Int(c.rows), nil }

func makeCounting(*signature) func() Accumulator { return func() Accumulator { return &counting{} } }

// extreme keeps the greatest or the smallest value.
func extreme(sign int) func(*signature) func() Accumulator {
	return func(sig *signature) func() Accumulator {
		compare := Comparer(sig.Arguments[0])
		return func() Accumulator {
			return &folding{combine: func(state, argument relation.Value) (relation.Value, error) {
				if compare == nil {
					return relation.NULL, NoOrdering(sig.Arguments[0])
				}
				if sign*compare(argument, state) > 0 {
					return argument, nil
				}
				return state, nil
			}}
		}
	}
}

func basicAggregates() map[string]accumulatorFactory {
	bitsOf := bitFunctions()
	table := map[string]accumulatorFactory{
		"count()":        {make: makeCounting, keepsNulls: true},
		"count(any)":     {make: makeCounting},
		"bool_and(bool)": foldBool(func(a, b bool) bool { return a && b }),
		"every(bool)":    foldBool(func(a, b bool) bool { return a && b }),
		"bool_or(bool)":  foldBool(func(a, b bool) bool { return a || b }),
		"bit_and(bit)":   foldWith(bitsOf["bit_and"]), "bit_or(bit)": foldWith(bitsOf["bit_or"]), "bit_xor(bit)": foldWith(bitsOf["bitxor"]),
	}
	for _, name := range []string{"int8", "int4", "int2", "oid", "float4", "float8", "date", "time", "timetz", "timestamp",
		"timestamptz", "interval", "text", "numeric", "bpchar", "tid", "pg_lsn", "xid8", "anyarray", "inet"} {
		table["max("+name+")"] = accumulatorFactory{make: extreme(1)}
		table["min("+name+")"] = accumulatorFactory{make: extreme(-1)}
	}
	for _, name := range []string{"int2", "int4", "int8"} {
		table["bit_and("+name+")"] = foldInt(func(a, b int64) int64 { return a & b })
		table["bit_or("+name+")"] = foldInt(func(a, b int64) int64 { return a | b })
		table["bit_xor("+name+")"] = foldInt(func(a, b int64) int64 { return a ^ b })
	}
	return table
}

func foldBool(f func(a, b bool) bool) accumulatorFactory {
	return fold(func(a, b relation.Value) (relation.Value, error) { return relation.Bool(f(a.Bool(), b.Bool())), nil })
}

func foldInt(f func(a, b int64) int64) accumulatorFactory {
	return fold(func(a, b relation.Value) (relation.Value, error) { return relation.Int(f(a.Int(), b.Int())), nil })
}

// aggregateSupport are functions that pg_aggregate names and that can be called by themselves.
func aggregateSupport() evaluates {
	return evaluates{
		"booland_statefunc": func(_ *Context, a []relation.Value) (relation.Value, error) {
			return relation.Bool(a[0].Bool() && a[1].Bool()), nil
		},
		"boolor_statefunc": func(_ *Context, a []relation.Value) (relation.Value, error) {
			return relation.Bool(a[0].Bool() || a[1].Bool()), nil
		},
		"int8inc": func(_ *Context, a []relation.Value) (relation.Value, error) { return relation.Int(a[0].Int() + 1), nil },
	}
}
