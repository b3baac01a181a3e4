package function

import (
	"moraine/pgerror"
	"moraine/relation"
)

// windowFunction is the implementation of a pure window function.
type windowFunction struct {
	evaluate func(context *Context, partition Partition, row int) (relation.Value, error)
}

func allWindowFunctions() map[string]windowFunction {
	return map[string]windowFunction{
		"window_row_number":                   {rowNumber},
		"window_rank":                         {rank},
		"window_dense_rank":                   {denseRank},
		"window_percent_rank":                 {percentRank},
		"window_cume_dist":                    {cumulativeDistribution},
		"window_ntile":                        {ntile},
		"window_lag":                          {offsetBy(-1, 1)},
		"window_lag_with_offset":              {offsetBy(-1, 2)},
		"window_lag_with_offset_and_default":  {offsetBy(-1, 3)},
		"window_lead":                         {offsetBy(1, 1)},
		"window_lead_with_offset":             {offsetBy(1, 2)},
		"window_lead_with_offset_and_default": {offsetBy(1, 3)},
		"window_first_value":                  {firstValue},
		"window_last_value":                   {lastValue},
		"window_nth_value":                    {nthValue},
	}
}

// ResolveWindow finds the pure window function that a call means.
func ResolveWindow(call Call) (*Window, error) {
	chosen, err := choose(&call, func(f *FunctionInfo) bool { return f.Kind == WindowFunction })
	if err != nil {
		return nil, err
	}
	sig, err := chosen.signature(call.Arguments)
	if err != nil {
		return nil, err
	}
	found := catalogue.windows[chosen.info.Source]
	if found.evaluate == nil {
		return nil, pgerror.Unsupported("function " + chosen.info.Signature())
	}
	return &Window{Name: call.Name, Arguments: sig.Arguments, Result: sig.Result, Evaluate: found.evaluate}, nil
}

func rowNumber(_ *Context, _ Partition, row int) (relation.Value, error) {
	return relation.Int(int64(row) + 1), nil
}

func rank(_ *Context, partition Partition, row int) (relation.Value, error) {
	first, _ := partition.Peers(row)
	return relation.Int(int64(first) + 1), nil
}

func denseRank(_ *Context, partition Partition, row int) (relation.Value, error) {
	groups := int64(0)
	for start := 0; start <= row; groups++ {
		_, start = partition.Peers(start)
	}
	return relation.Int(groups), nil
}

func percentRank(_ *Context, partition Partition, row int) (relation.Value, error) {
	if partition.Length() <= 1 {
		return relation.Float(0), nil
	}
	first, _ := partition.Peers(row)
	return relation.Float(float64(first) / float64(partition.Length()-1)), nil
}

func cumulativeDistribution(_ *Context, partition Partition, row int) (relation.Value, error) {
	_, end := partition.Peers(row)
	return relation.Float(float64(end) / float64(partition.Length())), nil
}

func ntile(_ *Context, partition Partition, row int) (relation.Value, error) {
	argument, err := partition.Argument(0, 0)
	if err != nil || argument.IsNull() {
		return relation.NULL, err
	}
	buckets := argument.Int()
	if buckets <= 0 {
		return relation.NULL, pgerror.New("22014", "argument of ntile must be greater than zero")
	}
	size, larger := int64(partition.Length())/buckets, int64(partition.Length())%buckets
	place := int64(row)
	if place < larger*(size+1) {
		return relation.Int(place/(size+1) + 1), nil
	}
	return relation.Int((place-larger*(size+1))/size + larger + 1), nil
}

// offsetBy is lag and lead with one to three arguments: the value on the row that lies an offset (1 unless given) away in
// the partition, or a default.
func offsetBy(direction int64, arguments int) func(*Context, Partition, int) (relation.Value, error) {
	return func(_ *Context, partition Partition, row int) (relation.Value, error) {
		offset := int64(1)
		if arguments > 1 {
			given, err := partition.Argument(row, 1)
			if err != nil {
				return relation.NULL, err
			}
			if given.IsNull() {
				return relation.NULL, nil
			}
			offset = given.Int()
		}
		target := int64(row) + direction*offset
		if target >= 0 && target < int64(partition.Length()) {
			return partition.Argument(int(target), 0)
		}
		if arguments > 2 {
			return partition.Argument(row, 2)
		}
		return relation.NULL, nil
	}
}

func firstValue(_ *Context, partition Partition, row int) (relation.Value, error) {
	first, end := partition.Frame(row)
	if first >= end {
		return relation.NULL, nil
	}
	return partition.Argument(first, 0)
}

func lastValue(_ *Context, partition Partition, row int) (relation.Value, error) {
	first, end := partition.Frame(row)
	if first >= end {
		return relation.NULL, nil
	}
	return partition.Argument(end-1, 0)
}

func nthValue(_ *Context, partition Partition, row int) (relation.Value, error) {
	nth, err := partition.Argument(row, 1)
	if err != nil || nth.IsNull() {
		return relation.NULL, err
	}
	if nth.Int() <= 0 {
		return relation.NULL, pgerror.New("22016", "argument of nth_value must be greater than zero")
	}
	first, end := partition.Frame(row)
	if int64(first)+nth.Int()-1 >= int64(end) {
		return relation.NULL, nil
	}
	return partition.Argument(first+int(nth.Int())-1, 0)
}
