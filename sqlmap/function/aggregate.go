package function

import (
	"moraine/pgerror"
	"moraine/relation"
)

// accumulatorFactory makes the states of an aggregate for the types of a call.
type accumulatorFactory struct {
	make func(sig *signature) func() Accumulator
	// keepsNulls tells that rows with a NULL argument count.
	keepsNulls bool
}

// ResolveAggregate finds the aggregate that a call means. Arguments of an ordered-set aggregate are the direct ones, then
// those of WITHIN GROUP.
func ResolveAggregate(call Call) (*Aggregate, error) {
	chosen, err := choose(&call, func(f *FunctionInfo) bool { return f.Kind == AggregateFunction })
	if err != nil {
		return nil, err
	}
	sig, err := chosen.signature(call.Arguments)
	if err != nil {
		return nil, err
	}
	for i, argument := range sig.Arguments {
		if argument.OID == relation.UnknownOID {
			sig.Arguments[i] = relation.TextType
		}
	}
	factory := catalogue.accumulators[chosen.info.Source]
	if factory.make == nil {
		return nil, pgerror.Unsupported("function " + chosen.info.Signature())
	}
	info := catalogue.aggregatesByOID[chosen.info.OID]
	return &Aggregate{Name: call.Name, Arguments: sig.Arguments, Result: sig.Result, IgnoresNulls: !factory.keepsNulls,
		OrderedSet: info != nil && info.Kind != 'n', New: factory.make(sig)}, nil
}
