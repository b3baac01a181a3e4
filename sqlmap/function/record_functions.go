package function

import (
	"moraine/pgerror"
	"moraine/relation"
)

// recordFunctions compare rows; fields of different types are refused when the types of the rows are known.
func recordFunctions() specialises {
	table := specialises{}
	for name, test := range map[string]func(int) bool{
		"eq": func(order int) bool { return order == 0 }, "ne": func(order int) bool { return order != 0 },
		"lt": func(order int) bool { return order < 0 }, "le": func(order int) bool { return order <= 0 },
		"gt": func(order int) bool { return order > 0 }, "ge": func(order int) bool { return order >= 0 },
	} {
		evaluate := func(*signature) (Evaluate, error) {
			return func(_ *Context, a []relation.Value) (relation.Value, error) {
				if err := comparableRecords(a[0], a[1]); err != nil {
					return relation.NULL, err
				}
				return relation.Bool(test(compareRecords(a[0], a[1]))), nil
			}, nil
		}
		table["record_"+name] = evaluate
		table["record_image_"+name] = evaluate
	}
	return table
}

func comparableRecords(a, b relation.Value) error {
	x, _ := OpenRecord(a)
	y, _ := OpenRecord(b)
	for i := range min(len(x), len(y)) {
		if x[i].OID != y[i].OID {
			return pgerror.New(pgerror.DatatypeMismatch, "cannot compare dissimilar column types %s and %s at record column %d",
				FormatType(x[i]), FormatType(y[i]), i+1)
		}
		if Comparer(x[i]) == nil {
			return NoEquality(x[i])
		}
	}
	if len(x) != len(y) {
		return pgerror.New(pgerror.DatatypeMismatch, "cannot compare record types with different numbers of columns")
	}
	return nil
}
