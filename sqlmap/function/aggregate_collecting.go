package function

import (
	"math"

	"moraine/pgerror"
	"moraine/relation"
)

// collectingAggregates keep all their rows.
func collectingAggregates() map[string]accumulatorFactory {
	table := map[string]accumulatorFactory{
		"string_agg(text,text)":   {make: makeJoining, keepsNulls: true},
		"string_agg(bytea,bytea)": {make: makeJoining, keepsNulls: true},
		"array_agg(anynonarray)":  {make: makeArrayCollecting(false), keepsNulls: true},
		"array_agg(anyarray)":     {make: makeArrayCollecting(true), keepsNulls: true},
	}
	for _, name := range []string{"json", "jsonb"} {
		table[name+"_agg(anyelement)"] = accumulatorFactory{make: makeJSONCollecting(name == "jsonb"), keepsNulls: true}
		table[name+"_object_agg(any,any)"] = accumulatorFactory{make: makeJSONObject(name == "jsonb"), keepsNulls: true}
	}
	return table
}

// joining is string_agg: texts that are not NULL, each but the first behind its delimiter.
type joining struct {
	text []byte
	any  bool
}

func makeJoining(*signature) func() Accumulator { return func() Accumulator { return &joining{} } }

func (j *joining) Add(_ *Context, arguments []relation.Value) error {
	if arguments[0].IsNull() {
		return nil
	}
	if j.any {
		j.text = append(j.text, arguments[1].Text()...)
	}
	j.any = true
	j.text = append(j.text, arguments[0].Text()...)
	if len(j.text) > MaximumValueSize {
		return tooLargeValue()
	}
	return nil
}

func (j *joining) Result(*Context) (relation.Value, error) {
	if !j.any {
		return relation.NULL, nil
	}
	return relation.Text(string(j.text)), nil
}

// arrayCollecting is array_agg.
type arrayCollecting struct {
	element uint32
	nested  bool
	values  []relation.Value
}

func makeArrayCollecting(nested bool) func(*signature) func() Accumulator {
	return func(sig *signature) func() Accumulator {
		element := ElementType(sig.Result).OID
		return func() Accumulator { return &arrayCollecting{element: element, nested: nested} }
	}
}

func (c *arrayCollecting) Add(_ *Context, arguments []relation.Value) error {
	if len(c.values) >= maximumElements {
		return arrayTooLarge()
	}
	if c.nested {
		switch {
		case arguments[0].IsNull():
			return pgerror.New(pgerror.NullValueNotAllowed, "cannot accumulate null arrays")
		case len(OpenArray(arguments[0]).dimensions) == 0:
			return pgerror.New(pgerror.ArraySubscriptError, "cannot accumulate empty arrays")
		}
	}
	c.values = append(c.values, arguments[0])
	return nil
}

func (c *arrayCollecting) Result(*Context) (relation.Value, error) {
	switch {
	case len(c.values) == 0:
		return relation.NULL, nil
	case !c.nested:
		return NewArray(c.element, c.values), nil
	}
	array, err := NewNestedArray(c.element, c.values)
	if err != nil {
		return relation.NULL, pgerror.New(pgerror.ArraySubscriptError, "cannot accumulate arrays of different dimensionality")
	}
	return array, nil
}

// jsonCollecting is json_agg and json_object_agg: the text grows with each row.
type jsonCollecting struct {
	text   []byte
	binary bool
	keyed  bool
	breaks bool // a line feed stands between arrays and rows
	write  jsonWriter
	key    relation.Type
}

func makeJSONCollecting(binary bool) func(*signature) func() Accumulator {
	return func(sig *signature) func() Accumulator {
		write := jsonWriterOf(sig.Arguments[0], false)
		breaks := IsArrayType(sig.Arguments[0]) || sig.Arguments[0].OID == relation.RecordOID
		return func() Accumulator { return &jsonCollecting{binary: binary, breaks: breaks, write: write} }
	}
}

func makeJSONObject(binary bool) func(*signature) func() Accumulator {
	return func(sig *signature) func() Accumulator {
		write := jsonWriterOf(sig.Arguments[1], false)
		return func() Accumulator {
			return &jsonCollecting{binary: binary, keyed: true, write: write, key: sig.Arguments[0]}
		}
	}
}

func (c *jsonCollecting) Add(context *Context, arguments []relation.Value) error {
	open := byte('[')
	if c.keyed {
		open = '{'
	}
	isFirst := c.text == nil
	if isFirst {
		c.text = append(c.text, open)
	} else {
		c.text = append(c.text, ',', ' ')
	}
	if c.keyed {
		if isFirst {
			c.text = append(c.text, ' ')
		}
		if arguments[0].IsNull() {
			return pgerror.New(pgerror.InvalidParameterValue, "field name must not be null")
		}
		c.text = appendJSONString(c.text, string(AppendText(nil, c.key, arguments[0], &context.Format)))
		c.text = append(c.text, ' ', ':', ' ')
	} else if !isFirst && c.breaks {
		c.text = append(c.text[:len(c.text)-1], '\n', ' ')
	}
	value := arguments[len(arguments)-1]
	c.text = appendNullableJSON(c.text, value, c.write, &context.Format)
	if len(c.text) > MaximumValueSize {
		return tooLargeValue()
	}
	return nil
}

func (c *jsonCollecting) Result(*Context) (relation.Value, error) {
	if c.text == nil {
		return relation.NULL, nil
	}
	closing := "]"
	if c.keyed {
		closing = " }"
	}
	return finishJSON(append(c.text, closing...), c.binary)
}

// orderedCollecting keeps the values of WITHIN GROUP, in their order, and the direct argument.
type orderedCollecting struct {
	sig    *signature
	direct int
	given  relation.Value
	values []relation.Value
	finish func(o *orderedCollecting, fraction relation.Value) (relation.Value, error)
}

func makeOrdered(sig *signature, direct int, finish func(*orderedCollecting, relation.Value) (relation.Value, error)) func() Accumulator {
	return func() Accumulator { return &orderedCollecting{sig: sig, direct: direct, finish: finish} }
}

func (o *orderedCollecting) Add(_ *Context, arguments []relation.Value) error {
	if o.direct > 0 {
		o.given = arguments[0]
	}
	o.values = append(o.values, arguments[o.direct])
	return nil
}

func (o *orderedCollecting) Result(*Context) (relation.Value, error) {
	if len(o.values) == 0 || (o.direct > 0 && o.given.IsNull()) {
		return relation.NULL, nil
	}
	return o.finish(o, o.given)
}

// finishMode gives the value that occurs most often; the first of several.
func finishMode(o *orderedCollecting, _ relation.Value) (relation.Value, error) {
	compare := Comparer(o.sig.Arguments[0])
	if compare == nil {
		return relation.NULL, NoEquality(o.sig.Arguments[0])
	}
	best, bestLength, length := o.values[0], 0, 0
	for i, value := range o.values {
		if i > 0 && compare(value, o.values[i-1]) != 0 {
			length = 0
		}
		if length++; length > bestLength {
			best, bestLength = value, length
		}
	}
	return best, nil
}

func checkFraction(fraction float64) error {
	if !(fraction >= 0 && fraction <= 1) {
		return pgerror.New(pgerror.NumericValueOutOfRange, "percentile value %s is not between 0 and 1", string(appendFloat(nil, fraction, 64, nil)))
	}
	return nil
}

func discrete(o *orderedCollecting, fraction relation.Value) (relation.Value, error) {
	if err := checkFraction(fraction.Float()); err != nil {
		return relation.NULL, err
	}
	place := int(math.Ceil(fraction.Float() * float64(len(o.values))))
	return o.values[max(place-1, 0)], nil
}

// neighbours gives the rows between which a fraction lies, and how far it is from the first.
func (o *orderedCollecting) neighbours(fraction float64) (low, high relation.Value, proportion float64) {
	place := fraction * float64(len(o.values)-1)
	first := math.Floor(place)
	return o.values[int(first)], o.values[int(math.Ceil(place))], place - first
}

func continuous(o *orderedCollecting, fraction relation.Value) (relation.Value, error) {
	if err := checkFraction(fraction.Float()); err != nil {
		return relation.NULL, err
	}
	low, high, proportion := o.neighbours(fraction.Float())
	return relation.Float(low.Float() + proportion*(high.Float()-low.Float())), nil
}

func continuousInterval(o *orderedCollecting, fraction relation.Value) (relation.Value, error) {
	if err := checkFraction(fraction.Float()); err != nil {
		return relation.NULL, err
	}
	low, high, proportion := o.neighbours(fraction.Float())
	difference, err := subtractIntervals(nil, []relation.Value{high, low})
	if err != nil {
		return relation.NULL, err
	}
	part, err := scaled(spanOf(difference), func(x float64) float64 { return x * proportion })
	if err != nil {
		return relation.NULL, err
	}
	return addIntervals(nil, []relation.Value{low, part})
}

// eachFraction applies a percentile to an array of fractions.
func eachFraction(finish func(*orderedCollecting, relation.Value) (relation.Value, error), sig *signature) func(*orderedCollecting, relation.Value) (relation.Value, error) {
	element := ElementType(sig.Result).OID
	return func(o *orderedCollecting, fractions relation.Value) (relation.Value, error) {
		array := OpenArray(fractions)
		array.Element = element
		for i, fraction := range array.Elements {
			if fraction.IsNull() {
				continue
			}
			value, err := finish(o, fraction)
			if err != nil {
				return relation.NULL, err
			}
			array.Elements[i] = value
		}
		return array.Value(), nil
	}
}
